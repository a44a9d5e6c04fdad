// All states of a program in rows by their distance from the start: a million of them without an object for any.
import { group } from "../groups";
import type { StatesFrame } from "../wire/frames";

/** From this code on, a state is an end. Codes: expanded, waiting, cut, halted, finished, stuck, deadlock, failed. */
export const FIRST_END = 4;

export interface States {
  count: number;
  edges: number;
  complete: boolean;
  status: Uint8Array;
  /** States by row, and where each row begins in that list; the last entry is the number of states. */
  order: Uint32Array;
  first: Uint32Array;
  /** The row and the place in it of every state. */
  row: Uint32Array;
  place: Uint32Array;
  /** How many states the widest row has. */
  widest: number;
  /** The ends. */
  ends: readonly number[];
}

/** Reads what the server tells, and sorts it into rows in time proportional to its size. */
export function read({ header, depth: row, status }: StatesFrame): States {
  const count = header.count;
  let rows = 0;
  const ends: number[] = [];
  for (let state = 0; state < count; state++) {
    rows = Math.max(rows, (row[state] ?? 0) + 1);
    if ((status[state] ?? 0) >= FIRST_END) {
      ends.push(state);
    }
  }
  const { first, list: order } = group(row, rows);
  const place = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    const state = order[at] ?? 0;
    place[state] = at - (first[row[state] ?? 0] ?? 0);
  }
  const widest = first.reduce((most, begin, at) => Math.max(most, begin - (first[at - 1] ?? 0)), 0);
  return { count, edges: header.edges, complete: header.complete, status, order, first, row, place, widest, ends };
}

/** What is seen: the point in the middle of the upper edge, and how far states and rows are apart, in pixels. */
export interface Look {
  x: number;
  y: number;
  gap: number;
  step: number;
}

/** States this far apart are drawn one by one. */
export const APART = 5;
const WIDEST_GAP = 46;
const WIDEST_STEP = 56;

const rowCount = (states: States): number => Math.max(0, states.first.length - 1);
const size = (states: States, row: number): number => (states.first[row + 1] ?? 0) - (states.first[row] ?? 0);

/** Everything, within a canvas. */
export function fit(states: States, width: number, height: number): Look {
  const gap = Math.min(WIDEST_GAP, (width * 0.92) / Math.max(1, states.widest));
  const step = Math.min(WIDEST_STEP, (height - 60) / Math.max(1, rowCount(states)));
  return { x: 0, y: -20 / Math.max(step, 0.01), gap, step: Math.max(0.5, step) };
}

/** Zooms about a point of the canvas. Rows stop growing at their widest, then only states do. */
export function zoom(look: Look, factor: number, px: number, py: number, width: number): Look {
  const gap = Math.min(WIDEST_GAP, Math.max(1e-4, look.gap * factor));
  const step = Math.min(WIDEST_STEP, Math.max(0.5, look.step * factor));
  const x = look.x + (px - width / 2) * (1 / look.gap - 1 / gap);
  const y = look.y + py * (1 / look.step - 1 / step);
  return { x, y, gap, step };
}

/** A point of the canvas. */
export interface Point {
  x: number;
  y: number;
}

/** Where a state is on the canvas. */
export function spot(states: States, look: Look, state: number, width: number): Point {
  const row = states.row[state] ?? 0;
  const middle = (size(states, row) - 1) / 2;
  const x = ((states.place[state] ?? 0) - middle - look.x) * look.gap + width / 2;
  return { x, y: (row - look.y) * look.step };
}

/** A part of a row: its places from `from` up to, but without, `to`. */
export interface Part {
  row: number;
  from: number;
  to: number;
}

/** The parts of rows that are within the canvas: arithmetic, whatever the number of states. */
export function visible(states: States, look: Look, width: number, height: number): Part[] {
  const parts: Part[] = [];
  const last = Math.min(rowCount(states) - 1, Math.ceil(look.y + (height + 20) / look.step));
  for (let row = Math.max(0, Math.floor(look.y - 20 / look.step)); row <= last; row++) {
    const count = size(states, row);
    const middle = (count - 1) / 2;
    const from = Math.max(0, Math.ceil(look.x - (width / 2 + 20) / look.gap + middle));
    const to = Math.min(count, Math.floor(look.x + (width / 2 + 20) / look.gap + middle) + 1);
    if (from < to) {
      parts.push({ row, from, to });
    }
  }
  return parts;
}

/** The states of a part of a row. */
export function members(states: States, { row, from, to }: Part): Uint32Array {
  const first = states.first[row] ?? 0;
  return states.order.subarray(first + from, first + to);
}

/** The state at a point of the canvas, within a radius. */
export function hit(states: States, look: Look, px: number, py: number, width: number, radius: number): number | null {
  const row = Math.round(py / look.step + look.y);
  if (row < 0 || row >= rowCount(states)) {
    return null;
  }
  const count = size(states, row);
  const wanted = Math.round((px - width / 2) / look.gap + look.x + (count - 1) / 2);
  const place = Math.max(0, Math.min(count - 1, wanted));
  const state = states.order[(states.first[row] ?? 0) + place] ?? 0;
  const at = spot(states, look, state, width);
  return Math.hypot(at.x - px, at.y - py) <= radius ? state : null;
}

/** Looks at a state from near, if it is far or out of sight. */
export function show(states: States, look: Look, state: number, width: number, height: number): Look {
  const at = spot(states, look, state, width);
  const inside = at.x > 20 && at.x < width - 20 && at.y > 20 && at.y < height - 20;
  if (inside && look.gap >= APART) {
    return look;
  }
  const gap = Math.max(look.gap, 24);
  const step = Math.max(look.step, 40);
  const row = states.row[state] ?? 0;
  const x = (states.place[state] ?? 0) - (size(states, row) - 1) / 2;
  return { x, y: row - height / 2 / step, gap, step };
}
