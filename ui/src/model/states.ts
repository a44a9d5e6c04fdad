// All states of a program in columns by their distance from the start: a million of them without an object for any.
import { group } from "../groups";
import type { StatesFrame } from "../wire/frames";

/** From this code on, a state is an end. Codes: expanded, waiting, cut, halted, finished, stuck, deadlock, failed. */
export const FIRST_END = 4;

export interface States {
  count: number;
  edges: number;
  complete: boolean;
  status: Uint8Array;
  /** States by column, and where each column begins in that list; the last entry is the number of states. */
  order: Uint32Array;
  first: Uint32Array;
  /** The column and the place in it of every state. */
  column: Uint32Array;
  place: Uint32Array;
  /** How many states the fullest column has. */
  fullest: number;
  /** The ends. */
  ends: readonly number[];
}

/** Reads what the server tells, and sorts it into columns in time proportional to its size. */
export function read({ header, depth: column, status }: StatesFrame): States {
  const count = header.count;
  let columns = 0;
  const ends: number[] = [];
  for (let state = 0; state < count; state++) {
    columns = Math.max(columns, (column[state] ?? 0) + 1);
    if ((status[state] ?? 0) >= FIRST_END) {
      ends.push(state);
    }
  }
  const { first, list: order } = group(column, columns);
  const place = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    const state = order[at] ?? 0;
    place[state] = at - (first[column[state] ?? 0] ?? 0);
  }
  const fullest = first.reduce((most, begin, at) => Math.max(most, begin - (first[at - 1] ?? 0)), 0);
  return { count, edges: header.edges, complete: header.complete, status, order, first, column, place, fullest, ends };
}

/** What is seen: the column at the left edge, how far from the middle line, and how far columns and states are apart, in pixels. */
export interface Look {
  x: number;
  y: number;
  step: number;
  gap: number;
}

/** States this far apart are drawn one by one. */
export const APART = 5;
const WIDEST_GAP = 40;
const WIDEST_STEP = 56;
/** So much is free left of the first column. */
const MARGIN = 30;

const columnCount = (states: States): number => Math.max(0, states.first.length - 1);
const size = (states: States, column: number): number => (states.first[column + 1] ?? 0) - (states.first[column] ?? 0);

/** Everything, within a canvas of which so much is kept free at the right. */
export function fit(states: States, width: number, height: number, free = MARGIN): Look {
  const gap = Math.min(WIDEST_GAP, (height * 0.88) / Math.max(1, states.fullest));
  const step = Math.max(0.5, Math.min(WIDEST_STEP, (width - MARGIN - free) / Math.max(1, columnCount(states) - 1)));
  return { x: -MARGIN / step, y: 0, gap, step };
}

/** Zooms about a point of the canvas. Columns stop growing at their widest, then only states do. */
export function zoom(look: Look, factor: number, px: number, py: number, height: number): Look {
  const gap = Math.min(WIDEST_GAP, Math.max(1e-4, look.gap * factor));
  const step = Math.min(WIDEST_STEP, Math.max(0.5, look.step * factor));
  const x = look.x + px * (1 / look.step - 1 / step);
  const y = look.y + (py - height / 2) * (1 / look.gap - 1 / gap);
  return { x, y, gap, step };
}

/** The look after the picture was dragged so far. */
export const dragged = (look: Look, dx: number, dy: number): Look => ({ ...look, x: look.x - dx / look.step, y: look.y - dy / look.gap });

/** A point of the canvas. */
export interface Point {
  x: number;
  y: number;
}

/** Where a state is on a canvas of this height. */
export function spot(states: States, look: Look, state: number, height: number): Point {
  const column = states.column[state] ?? 0;
  const middle = (size(states, column) - 1) / 2;
  const y = ((states.place[state] ?? 0) - middle - look.y) * look.gap + height / 2;
  return { x: (column - look.x) * look.step, y };
}

/** A part of a column: its places from `from` up to, but without, `to`. */
export interface Part {
  column: number;
  from: number;
  to: number;
}

/** The parts of columns that are within the canvas: arithmetic, whatever the number of states. */
export function visible(states: States, look: Look, width: number, height: number): Part[] {
  const parts: Part[] = [];
  const last = Math.min(columnCount(states) - 1, Math.ceil(look.x + (width + 20) / look.step));
  for (let column = Math.max(0, Math.floor(look.x - 20 / look.step)); column <= last; column++) {
    const count = size(states, column);
    const middle = (count - 1) / 2;
    const from = Math.max(0, Math.ceil(look.y - (height / 2 + 20) / look.gap + middle));
    const to = Math.min(count, Math.floor(look.y + (height / 2 + 20) / look.gap + middle) + 1);
    if (from < to) {
      parts.push({ column, from, to });
    }
  }
  return parts;
}

/** The states of a part of a column. */
export function members(states: States, { column, from, to }: Part): Uint32Array {
  const first = states.first[column] ?? 0;
  return states.order.subarray(first + from, first + to);
}

/** The state at a point of a canvas of this height, within a radius. */
export function hit(states: States, look: Look, px: number, py: number, height: number, radius: number): number | null {
  const column = Math.round(px / look.step + look.x);
  if (column < 0 || column >= columnCount(states)) {
    return null;
  }
  const count = size(states, column);
  const wanted = Math.round((py - height / 2) / look.gap + look.y + (count - 1) / 2);
  const place = Math.max(0, Math.min(count - 1, wanted));
  const state = states.order[(states.first[column] ?? 0) + place] ?? 0;
  const at = spot(states, look, state, height);
  return Math.hypot(at.x - px, at.y - py) <= radius ? state : null;
}

/** Looks at a state from near, if it is far or out of sight. */
export function show(states: States, look: Look, state: number, width: number, height: number): Look {
  const at = spot(states, look, state, height);
  const inside = at.x > 20 && at.x < width - 20 && at.y > 20 && at.y < height - 20;
  if (inside && look.gap >= APART) {
    return look;
  }
  const gap = Math.max(look.gap, 24);
  const step = Math.max(look.step, 40);
  const column = states.column[state] ?? 0;
  const y = (states.place[state] ?? 0) - (size(states, column) - 1) / 2;
  return { x: column - width / 2 / step, y, gap, step };
}
