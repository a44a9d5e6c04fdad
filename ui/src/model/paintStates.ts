// Paints all states: rows as bands while they are dense, states and edges one by one from near.
import { APART, FIRST_END, spot, visible, type Look, type States } from "./states";
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

export function paint(context: CanvasRenderingContext2D, picture: Painted, look: Look): void {
  const canvas = context.canvas;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.width / ratio, canvas.height / ratio];
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const { states } = picture;
  const place = (state: number) => spot(states, look, state, width);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const parts = visible(states, look, width, height);
  if (look.gap < APART) {
    context.fillStyle = colour("--strong-line");
    const thick = Math.max(0.75, Math.min(14, look.step * 0.6));
    for (const { row, from, to } of parts) {
      const left = place(states.order[(states.first[row] ?? 0) + from] ?? 0);
      context.fillRect(left.x - 0.5, left.y - thick / 2, Math.max(1, (to - from) * look.gap), thick);
    }
    marks(context, picture, place, colour, width, height);
  } else {
    edges(context, picture, parts, place, colour);
    for (const { row, from, to } of parts) {
      for (let at = from; at < to; at++) {
        const state = states.order[(states.first[row] ?? 0) + at] ?? 0;
        node(context, place(state), states.status[state] ?? 0, Math.min(11, look.gap * 0.3, look.step * 0.4), colour);
      }
    }
  }
  way(context, picture, place, colour);
}

/** Ends stay visible from afar. */
function marks(
  context: CanvasRenderingContext2D,
  { states }: Painted,
  place: (state: number) => { x: number; y: number },
  colour: (name: string) => string,
  width: number,
  height: number,
): void {
  const every = Math.max(1, Math.ceil(states.ends.length / MOST_MARKS));
  for (let nth = 0; nth < states.ends.length; nth += every) {
    const state = states.ends[nth] ?? 0;
    const { x, y } = place(state);
    if (x > -9 && x < width + 9 && y > -9 && y < height + 9) {
      node(context, { x, y }, states.status[state] ?? 0, 4, colour);
    }
  }
}

/** Ends are hexagons, what went wrong diamonds, what is not explored further rings, all others discs. */
function node(
  context: CanvasRenderingContext2D,
  { x, y }: { x: number; y: number },
  status: number,
  radius: number,
  colour: (name: string) => string,
): void {
  const bad = status > FIRST_END;
  const corners = bad ? 4 : status === FIRST_END ? 6 : 0;
  context.beginPath();
  if (corners === 0) {
    context.arc(x, y, radius, 0, 2 * Math.PI);
  } else {
    for (let corner = 0; corner < corners; corner++) {
      const angle = (corner * 2 * Math.PI) / corners;
      context.lineTo(x + 1.3 * radius * Math.cos(angle), y + 1.3 * radius * Math.sin(angle));
    }
    context.closePath();
  }
  if (status === 0 || corners > 0) {
    context.fillStyle = colour(bad ? "--bad" : corners > 0 ? "--input" : "--strong-line");
    context.fill();
  } else {
    context.strokeStyle = colour("--quiet");
    context.lineWidth = 1.5;
    context.stroke();
  }
}

function edges(
  context: CanvasRenderingContext2D,
  picture: Painted,
  parts: ReturnType<typeof visible>,
  place: (state: number) => { x: number; y: number },
  colour: (name: string) => string,
): void {
  const { states } = picture;
  context.strokeStyle = colour("--line");
  context.lineWidth = 1;
  context.beginPath();
  for (const { row, from, to } of parts) {
    for (let at = from; at < to; at++) {
      const state = states.order[(states.first[row] ?? 0) + at] ?? 0;
      for (const edge of picture.edges.get(state) ?? []) {
        const [a, b] = [place(edge.source), place(edge.target)];
        context.moveTo(a.x, a.y);
        context.lineTo(b.x, b.y);
      }
    }
  }
  context.stroke();
}

function way(
  context: CanvasRenderingContext2D,
  { way: states, here }: Painted,
  place: (state: number) => { x: number; y: number },
  colour: (name: string) => string,
): void {
  context.strokeStyle = colour("--path");
  context.lineWidth = 2.5;
  context.beginPath();
  for (const state of states) {
    const { x, y } = place(state);
    context.lineTo(x, y);
  }
  context.stroke();
  if (here !== null) {
    const { x, y } = place(here);
    context.strokeStyle = colour("--accent");
    context.lineWidth = 3;
    context.beginPath();
    context.arc(x, y, 12, 0, 2 * Math.PI);
    context.stroke();
  }
}
