// The one horizontal axis: where a step of the current path is in the drawing of the multiverse, and back.
//
// Inputs, outputs and events stand apart evenly, as in the tree; between two of them steps run evenly. So a long loop
// takes no more room than it has things to show, and what happens is always exactly above its lane.
import { xOf, type Layout, type Wishes } from "../tree/layout";
import type { Multiverse } from "../tree/model";
import type { PathColumns } from "./path";

/** What of a path its axis is made of. */
type Known = Pick<PathColumns, "numbers" | "steps">;

/** What the deterministic run after the last entry takes, if there is one. */
export const TAIL = 72;

export interface Axis {
  /** How many entries of the path are known; of a long one not all. */
  count: number;
  /** Their numbers on the path. */
  numbers: Uint32Array;
  /** Steps before each entry. */
  steps: Float64Array;
  /** Where each entry is drawn. */
  xs: Float64Array;
  /** The last step that is recorded, and where it is drawn. */
  tip: number;
  end: number;
}

export const NO_AXIS: Axis = { count: 0, numbers: new Uint32Array(0), steps: new Float64Array(0), xs: new Float64Array(0), tip: 0, end: 0 };

/** The axis of the path to the end of a branch. */
export function axisOf(model: Multiverse, layout: Layout, wishes: Wishes, branch: number, { numbers, steps }: Known): Axis {
  const row = model.rowOf(branch);
  if (row === undefined) {
    return NO_AXIS;
  }
  const last = model.tip[row] ?? 0;
  const xs = new Float64Array(numbers.length);
  let at = 0;
  for (const { row: on, to } of model.route({ branch, index: last })) {
    const shown = (layout.y[on] ?? -1) >= 0;
    for (; at < numbers.length && (numbers[at] ?? 0) <= to; at++) {
      xs[at] = shown ? xOf(model, layout, on, numbers[at] ?? 0, wishes) : (xs[at - 1] ?? 0);
    }
  }
  const count = at;
  const tip = model.reached[row] ?? 0;
  const before = (steps[count - 1] ?? -1) + 1;
  return { count, numbers, steps, xs, tip, end: (xs[count - 1] ?? 0) + (tip > before ? TAIL : 0) };
}

/** How many of the known entries lie before a step. */
export function entriesBefore({ steps, count }: Axis, step: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) < step) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** A stretch between two entries: its steps and where it is drawn. */
function stretch(axis: Axis, after: number): { from: number; to: number; x0: number; x1: number } {
  const from = after === 0 ? 0 : (axis.steps[after - 1] ?? 0) + 1;
  const x0 = after === 0 ? 0 : (axis.xs[after - 1] ?? 0);
  const isLast = after >= axis.count;
  return { from, to: isLast ? axis.tip : (axis.steps[after] ?? from), x0, x1: isLast ? axis.end : (axis.xs[after] ?? x0) };
}

/** Before an entry that is drawn there is a little room left: it is not done yet. */
function roomOf({ count, numbers }: Axis, after: number): number {
  const isNext = (numbers[after] ?? 0) - (after === 0 ? 0 : (numbers[after - 1] ?? 0)) === 1;
  return after < count && isNext ? 0.92 : 1;
}

export function xOfStep(axis: Axis, step: number): number {
  const after = entriesBefore(axis, step);
  const { from, to, x0, x1 } = stretch(axis, after);
  const room = roomOf(axis, after) * (x1 - x0);
  return to <= from ? (step > from ? x1 : x0) : x0 + room * Math.min(1, Math.max(0, (step - from) / (to - from)));
}

export function stepOfX(axis: Axis, x: number): number {
  let [low, high] = [0, axis.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((axis.xs[middle] ?? 0) <= x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const { from, to, x0, x1 } = stretch(axis, low);
  const room = roomOf(axis, low) * (x1 - x0);
  const part = room <= 0 ? 0 : Math.min(1, Math.max(0, (x - x0) / room));
  return Math.round(from + part * Math.max(0, to - from));
}
