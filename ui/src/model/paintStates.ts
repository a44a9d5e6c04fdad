// Paints all states: rows as bands while they are dense, states and edges one by one from near.
import type { Brush } from "../drawing";
import { APART, FIRST_END, members, spot, visible, type Look, type Part, type Point, type States } from "./states";
import type { EdgeRow } from "./types";

export interface Painted {
  states: States;
  /** Edges that were asked for, by the state that they leave. */
  edges: ReadonlyMap<number, readonly EdgeRow[]>;
  /** The states of the way that is shown. */
  way: readonly number[];
  here: number | null;
}

/** Marks of ends that are drawn at most while rows are bands. */
const MOST_MARKS = 20_000;

export function paint(brush: Brush, picture: Painted, look: Look): void {
  const { palette, width, height } = brush;
  const { states, here } = picture;
  const place = (state: number): Point => spot(states, look, state, width);
  const parts = visible(states, look, width, height);
  if (look.gap < APART) {
    const thick = Math.max(0.75, Math.min(14, look.step * 0.6));
    brush.context.fillStyle = palette.wire;
    for (const part of parts) {
      const left = place(members(states, part)[0] ?? 0);
      brush.context.fillRect(left.x - 0.5, left.y - thick / 2, Math.max(1, (part.to - part.from) * look.gap), thick);
    }
    marks(brush, states, place);
  } else {
    edges(brush, picture, parts, place);
    const radius = Math.min(11, look.gap * 0.3, look.step * 0.4);
    parts.forEach((part) => members(states, part).forEach((state) => node(brush, place(state), states.status[state] ?? 0, radius)));
  }
  brush.line(...picture.way.map(place).flatMap(({ x, y }) => [x, y])).stroke(palette.accent, 2.5);
  if (here !== null) {
    const { x, y } = place(here);
    brush.disc(x, y, 12).stroke(palette.accent, 3);
  }
}

/** Ends stay visible from afar. */
function marks(brush: Brush, states: States, place: (state: number) => Point): void {
  const every = Math.max(1, Math.ceil(states.ends.length / MOST_MARKS));
  for (let nth = 0; nth < states.ends.length; nth += every) {
    const state = states.ends[nth] ?? 0;
    const at = place(state);
    if (at.x > -9 && at.x < brush.width + 9 && at.y > -9 && at.y < brush.height + 9) {
      node(brush, at, states.status[state] ?? 0, 4);
    }
  }
}

/** Ends are hexagons, what went wrong diamonds, what is not explored further rings, all others discs. */
function node(brush: Brush, { x, y }: Point, status: number, radius: number): void {
  const { palette } = brush;
  if (status >= FIRST_END) {
    const bad = status > FIRST_END;
    brush.polygon(x, y, 1.3 * radius, bad ? 4 : 6).fill(bad ? palette.bad : palette.o1);
  } else if (status === 0) {
    brush.disc(x, y, radius).fill(palette.wire);
  } else {
    brush.disc(x, y, radius).stroke(palette["ink-3"], 1.5);
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
        context.lineTo(b.x, b.y);
      }
    }
  }
  brush.stroke(brush.palette.line, 1);
}
