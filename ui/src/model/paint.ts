// Paints the part of a graph that is seen. A status has a shape and a letter as well as a colour.
import type { Brush } from "../drawing";
import type { Palette } from "../state/theme.svelte";
import type { Layout } from "./layout";
import type { Status, Universes } from "./universes";

export interface Look {
  /** The page's place of the canvas's left upper corner, and its scale. */
  x: number;
  y: number;
  scale: number;
}

export interface Painted {
  graph: Universes;
  layout: Layout;
  /** Universes and edges of the current path. */
  path: ReadonlySet<number>;
  here: number;
  edge: number | null;
}

const LETTERS: Record<Status, string> = {
  unexplored: "…",
  running: "",
  paused: "‖",
  held: "✋",
  end: "",
  stuck: "!",
  deadlock: "✕",
};

/** Edges that are drawn at most: more are a grey area anyway. */
const MOST_EDGES = 20_000;
/** Below this scale, universes have no letters and edges no heads. */
const DOTS = 0.35;
/** Smaller than this, shapes are not told apart. */
const SHAPED = 1.6;

const COLOURS: Record<Status, keyof Palette> = {
  unexplored: "ink-3",
  running: "wire",
  paused: "maybe",
  held: "o2",
  end: "o1",
  stuck: "bad",
  deadlock: "bad",
};

export function paint(brush: Brush, picture: Painted, look: Look): void {
  const { context, palette, width, height } = brush;
  const { layout, graph } = picture;
  const px = (node: number): number => ((layout.x[node] ?? 0) - look.x) * look.scale;
  const py = (node: number): number => ((layout.y[node] ?? 0) - look.y) * look.scale;
  const seen = (node: number): boolean => {
    const x = px(node);
    const y = py(node);
    return x > -20 && y > -20 && x < width + 20 && y < height + 20;
  };
  edges(brush, picture, { px, py, seen }, look.scale);
  const radius = Math.max(1.2, Math.min(13, 13 * look.scale));
  context.textBaseline = "middle";
  for (let node = 0; node < graph.nodes; node++) {
    if (!seen(node)) {
      continue;
    }
    const status = graph.statuses[node] ?? "running";
    const x = px(node);
    const y = py(node);
    const colour = palette[COLOURS[status]];
    if (radius < SHAPED) {
      context.fillStyle = colour;
      context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      continue;
    }
    shape(brush, status, x, y, radius).fill(colour);
    if (look.scale >= DOTS) {
      brush.write(LETTERS[status], x, y + 0.5, palette.sheet, `${Math.round(radius * 1.1)}px sans-serif`, "center");
    }
  }
  if (picture.here < graph.nodes) {
    brush.disc(px(picture.here), py(picture.here), Math.max(8, radius + 4)).stroke(palette.accent, 3);
  }
}

/** Running universes are discs, paused ones squares, ends hexagons, what went wrong diamonds. */
function shape(brush: Brush, status: Status, x: number, y: number, radius: number): Brush {
  const corners = { paused: 4, held: 4, end: 6, stuck: 4, deadlock: 4, running: 0, unexplored: 0 }[status];
  const turned = status === "stuck" || status === "deadlock" ? 0 : Math.PI / corners;
  return corners === 0 ? brush.disc(x, y, radius * 0.8) : brush.polygon(x, y, radius * 1.1, corners, turned);
}

interface Places {
  px: (node: number) => number;
  py: (node: number) => number;
  seen: (node: number) => boolean;
}

function edges(brush: Brush, picture: Painted, places: Places, scale: number): void {
  const { graph } = picture;
  let drawn = 0;
  for (let edge = 0; edge < graph.from.length && drawn < MOST_EDGES; edge++) {
    const from = graph.from[edge] ?? 0;
    const to = graph.to[edge] ?? 0;
    if (!places.seen(from) && !places.seen(to)) {
      continue;
    }
    drawn++;
    const onPath = picture.path.has(edge);
    const chosen = picture.edge === edge;
    const colour = brush.palette[chosen ? "ghost" : onPath ? "accent" : "line-2"];
    const [ax, ay, bx, by] = [places.px(from), places.py(from), places.px(to), places.py(to)];
    if (bx > ax) {
      brush.line(ax, ay, bx, by);
    } else {
      // Back or within a column: round the universes between.
      const bend = 26 * scale + 8;
      brush.line(ax, ay).context.quadraticCurveTo((ax + bx) / 2 - bend, (ay + by) / 2 + bend, bx, by);
    }
    brush.stroke(colour, chosen || onPath ? 2.5 : 1, graph.command[edge] === 1 ? [6, 4] : []);
    if (scale >= DOTS) {
      const angle = Math.atan2(by - ay, bx - ax);
      const inset = 13 * scale + 2;
      const [x, y] = [bx - inset * Math.cos(angle), by - inset * Math.sin(angle)];
      const corner = (turn: number): [number, number] => [x - 6 * Math.cos(angle + turn), y - 6 * Math.sin(angle + turn)];
      brush.line(x, y, ...corner(-0.45), ...corner(0.45)).fill(colour);
    }
  }
}
