// Paints all states: columns as bands while they are dense, states and edges one by one from near.
import type { Brush } from "../drawing";
import type { Palette } from "../state/theme.svelte";
import { HOPE } from "./judge";
import { APART, FIRST_END, members, spot, visible, type Look, type Part, type Point, type States } from "./states";
import type { EdgeRow } from "./types";

export interface Painted {
  states: States;
  /** What can still come in every state, if the user said what is right. */
  hope: Uint8Array | null;
  /** Edges that were asked for, by the state that they leave. */
  edges: ReadonlyMap<number, readonly EdgeRow[]>;
  /** The states of the way that is shown. */
  way: readonly number[];
  here: number | null;
  /** Places of labels beside the picture, by the end that each is about. */
  ends: ReadonlyMap<number, Point>;
}

/** Marks of ends that are drawn at most while columns are bands. */
const MOST_MARKS = 20_000;

/** The colour of what can still come. */
const COLOURS: Record<number, keyof Palette> = { [HOPE.none]: "wire", [HOPE.always]: "ok", [HOPE.open]: "maybe", [HOPE.never]: "bad" };

export function paint(brush: Brush, picture: Painted, look: Look): void {
  const { palette, width, height } = brush;
  const { states, here } = picture;
  const place = (state: number): Point => spot(states, look, state, height);
  const parts = visible(states, look, width, height);
  if (look.gap < APART) {
    bands(brush, picture, parts, look, place);
    marks(brush, picture, place);
  } else {
    edges(brush, picture, parts, place);
    brush.line(...picture.way.map(place).flatMap(({ x, y }) => [x, y])).stroke(palette.accent, 2.5);
    const radius = Math.max(1.5, Math.min(6, look.gap * 0.28, look.step * 0.3));
    parts.forEach((part) => members(states, part).forEach((state) => node(brush, place(state), picture, state, radius)));
  }
  for (const [end, to] of picture.ends) {
    const { x, y } = place(end);
    const middle = (x + to.x) / 2;
    brush.line(x, y).context.bezierCurveTo(middle, y, middle, to.y, to.x, to.y);
    brush.stroke(palette[colourOf(picture, end)], 1.5);
  }
  if (look.gap < APART) {
    brush.line(...picture.way.map(place).flatMap(({ x, y }) => [x, y])).stroke(palette.accent, 2.5);
  }
  if (here !== null) {
    const { x, y } = place(here);
    brush.disc(x, y, 11).stroke(palette.accent, 2.5);
  }
}

/** Columns as bands: of the right and the wrong, each as long as there are many. */
function bands(brush: Brush, picture: Painted, parts: Part[], look: Look, place: (state: number) => Point): void {
  const { states, hope } = picture;
  const thick = Math.max(0.75, Math.min(14, look.step * 0.6));
  for (const part of parts) {
    const all = members(states, part);
    const top = place(all[0] ?? 0);
    const long = Math.max(1, (part.to - part.from) * look.gap);
    if (!hope) {
      brush.context.fillStyle = brush.palette.wire;
      brush.context.fillRect(top.x - thick / 2, top.y - 0.5, thick, long);
      continue;
    }
    const times = [0, 0, 0, 0];
    all.forEach((state) => (times[hope[state] ?? 0] = (times[hope[state] ?? 0] ?? 0) + 1));
    let y = top.y - 0.5;
    times.forEach((count, code) => {
      brush.context.fillStyle = brush.palette[COLOURS[code] ?? "wire"];
      brush.context.fillRect(top.x - thick / 2, y, thick, (long * count) / all.length);
      y += (long * count) / all.length;
    });
  }
}

/** Ends stay visible from afar. */
function marks(brush: Brush, picture: Painted, place: (state: number) => Point): void {
  const { ends } = picture.states;
  const every = Math.max(1, Math.ceil(ends.length / MOST_MARKS));
  for (let nth = 0; nth < ends.length; nth += every) {
    const state = ends[nth] ?? 0;
    const at = place(state);
    if (at.x > -9 && at.x < brush.width + 9 && at.y > -9 && at.y < brush.height + 9) {
      node(brush, at, picture, state, 4);
    }
  }
}

function colourOf({ states, hope }: Painted, state: number): keyof Palette {
  const bad = (states.status[state] ?? 0) > FIRST_END;
  return hope ? (COLOURS[hope[state] ?? HOPE.none] ?? "wire") : bad ? "bad" : "wire";
}

/** Shapes repeat colours: the right are discs, what is open rings, the wrong diamonds; ends are hexagons, or diamonds. */
function node(brush: Brush, { x, y }: Point, picture: Painted, state: number, radius: number): void {
  const { palette } = brush;
  const status = picture.states.status[state] ?? 0;
  const hope = picture.hope?.[state] ?? HOPE.none;
  const colour = palette[colourOf(picture, state)];
  if (hope === HOPE.never || status > FIRST_END) {
    brush.polygon(x, y, 1.35 * radius, 4).fill(colour);
  } else if (status === FIRST_END) {
    brush.polygon(x, y, 1.25 * radius, 6).fill(colour);
  } else if (status !== 0 || hope === HOPE.open) {
    brush.disc(x, y, radius * 0.9).fill(palette.sheet).stroke(status === 0 ? colour : palette["ink-3"], 1.6);
  } else {
    brush.disc(x, y, radius).fill(colour);
  }
}

function edges(brush: Brush, picture: Painted, parts: Part[], place: (state: number) => Point): void {
  const { context } = brush;
  context.beginPath();
  for (const part of parts) {
    for (const state of members(picture.states, part)) {
      for (const edge of picture.edges.get(state) ?? []) {
        const [a, b] = [place(edge.source), place(edge.target)];
        context.moveTo(a.x, a.y);
        if (b.x > a.x) {
          context.lineTo(b.x, b.y);
        } else {
          // Back, or within a column: over what lies between.
          context.quadraticCurveTo((a.x + b.x) / 2, Math.min(a.y, b.y) - 30, b.x, b.y);
        }
      }
    }
  }
  brush.stroke(brush.palette["line-2"], 1);
}
