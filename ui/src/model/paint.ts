// Paints the part of a graph that is seen. A status has a shape and a letter as well as a colour.
import type { Graph, Layout } from "./layout";
import type { Status } from "./wire";

export interface Look {
  /** The page's place of the canvas's left upper corner, and its scale. */
  x: number;
  y: number;
  scale: number;
}

export interface Painted {
  graph: Graph;
  layout: Layout;
  statuses: Status[];
  command: Uint8Array;
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
  end: "✓",
  stuck: "!",
  deadlock: "✕",
};

/** Edges that are drawn at most: more are a grey area anyway. */
const MOST_EDGES = 20_000;
/** Below this scale, universes are dots. */
const DOTS = 0.35;

function colours(canvas: HTMLElement): (name: string) => string {
  const style = getComputedStyle(canvas);
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name) ?? style.getPropertyValue(name).trim();
    known.set(name, found);
    return found;
  };
}

const COLOURS: Record<Status, string> = {
  unexplored: "--quiet",
  running: "--strong-line",
  paused: "--note",
  held: "--device",
  end: "--input",
  stuck: "--bad",
  deadlock: "--bad",
};

export function paint(context: CanvasRenderingContext2D, picture: Painted, look: Look): void {
  const canvas = context.canvas;
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.width / ratio;
  const height = canvas.height / ratio;
  const colour = colours(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const { layout, graph } = picture;
  const px = (node: number): number => ((layout.x[node] ?? 0) - look.x) * look.scale;
  const py = (node: number): number => ((layout.y[node] ?? 0) - look.y) * look.scale;
  const seen = (node: number): boolean => {
    const x = px(node);
    const y = py(node);
    return x > -20 && y > -20 && x < width + 20 && y < height + 20;
  };
  edges(context, picture, { px, py, seen }, colour, look.scale);
  const small = look.scale < DOTS;
  const radius = Math.max(1.2, Math.min(13, 13 * look.scale));
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `${Math.round(radius * 1.1)}px sans-serif`;
  for (let node = 0; node < graph.nodes; node++) {
    if (!seen(node)) {
      continue;
    }
    const status = picture.statuses[node] ?? "running";
    const x = px(node);
    const y = py(node);
    context.fillStyle = colour(COLOURS[status]);
    if (small) {
      context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      continue;
    }
    shape(context, status, x, y, radius);
    context.fill();
    context.fillStyle = colour("--paper");
    context.fillText(LETTERS[status], x, y + 0.5);
    if (node === picture.here) {
      context.strokeStyle = colour("--accent");
      context.lineWidth = 3;
      context.beginPath();
      context.arc(x, y, radius + 4, 0, 2 * Math.PI);
      context.stroke();
    }
  }
}

/** Running universes are discs, paused ones squares, ends hexagons, what went wrong diamonds. */
function shape(context: CanvasRenderingContext2D, status: Status, x: number, y: number, radius: number): void {
  context.beginPath();
  const corners = { paused: 4, held: 4, end: 6, stuck: 4, deadlock: 4, running: 0, unexplored: 0 }[status];
  if (corners === 0) {
    context.arc(x, y, radius * 0.8, 0, 2 * Math.PI);
    return;
  }
  const turned = status === "stuck" || status === "deadlock" ? 0 : Math.PI / corners;
  for (let corner = 0; corner < corners; corner++) {
    const angle = turned + (corner * 2 * Math.PI) / corners;
    context.lineTo(x + radius * 1.1 * Math.cos(angle), y + radius * 1.1 * Math.sin(angle));
  }
  context.closePath();
}

interface Places {
  px: (node: number) => number;
  py: (node: number) => number;
  seen: (node: number) => boolean;
}

function edges(
  context: CanvasRenderingContext2D,
  picture: Painted,
  places: Places,
  colour: (name: string) => string,
  scale: number,
): void {
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
    context.strokeStyle = colour(chosen ? "--preview" : onPath ? "--path" : "--line");
    context.lineWidth = chosen || onPath ? 2.5 : 1;
    context.setLineDash(picture.command[edge] === 1 ? [6, 4] : []);
    const [ax, ay, bx, by] = [places.px(from), places.py(from), places.px(to), places.py(to)];
    context.beginPath();
    if (by > ay) {
      context.moveTo(ax, ay);
      context.lineTo(bx, by);
    } else {
      // Back or within a row: round the universes between.
      const bend = 26 * scale + 8;
      context.moveTo(ax, ay);
      context.quadraticCurveTo((ax + bx) / 2 + bend, (ay + by) / 2 - bend, bx, by);
    }
    context.stroke();
    if (scale >= DOTS) {
      arrow(context, ax, ay, bx, by, 13 * scale + 2);
    }
  }
  context.setLineDash([]);
}

function arrow(context: CanvasRenderingContext2D, ax: number, ay: number, bx: number, by: number, inset: number): void {
  const angle = Math.atan2(by - ay, bx - ax);
  const x = bx - inset * Math.cos(angle);
  const y = by - inset * Math.sin(angle);
  context.setLineDash([]);
  context.fillStyle = context.strokeStyle;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 6 * Math.cos(angle - 0.45), y - 6 * Math.sin(angle - 0.45));
  context.lineTo(x - 6 * Math.cos(angle + 0.45), y - 6 * Math.sin(angle + 0.45));
  context.fill();
}
