// Where everything of the multiverse is drawn: time runs to the right, a fork opens a row below.
//
// A branch is a row of segments between the places that matter (forks, its ends, what is pointed at). The entries of a
// segment are not laid out one by one: an unfolded segment is as wide as its entries, a folded one is short however many
// it holds. So the layout costs as much as there are forks, and nothing recurses.
import { group, members, type Groups } from "../groups";
import { OPEN, type Multiverse, type Place } from "./model";

/** Width of an entry, in pixels at zoom 1. */
export const ENTRY = 104;
/** Width of a folded run. */
export const FOLDED = 72;
/** Width of one instruction of an unfolded deterministic run. */
export const STEP = 9;
/** A folded run is the wider the more it holds: what lies below it needs room. */
export function foldedWidth(entries: number): number {
  return FOLDED * (1 + Math.max(0, Math.log2(entries / SHORT)) / 4);
}

/** Height of a row. */
export const ROW = 56;
/** More leaves than this at one fork are gathered in bands by what came of them. */
export const MOST_APART = 40;
/** More runs of equal leaves than this are one band for each outcome. */
const MOST_BANDS = 12;
/** What stands after a branch's end. */
const END_LABEL = 120;
/** Runs of at most so many entries are never folded. */
const SHORT = 6;
/** A whole multiverse of at most so many entries is never folded. */
const FEW = 24;
/** So many entries before and after a pinned place are shown. */
const AROUND = 6;
const TAIL = 34;

export interface Wishes {
  /** Places that must be visible on their own. */
  pins: Place[];
  /** Runs that are unfolded, as `branch.from`. */
  unfolded: ReadonlySet<string>;
  /** Places whose following deterministic run is unfolded to single instructions: key `branch.index`, how many steps. */
  opened: ReadonlyMap<string, number>;
  /** Branches whose forks are hidden. */
  collapsed: ReadonlySet<number>;
  /** Branches that are shown; all if there is none. */
  only: ReadonlySet<number> | null;
  /** Forks whose leaves are not gathered in bands, as `branch.fork`. */
  spread: ReadonlySet<string>;
  /** What came of branches besides their ends, by their numbers: bands are told apart by it. */
  sorts: ReadonlyMap<number, string>;
}

export const NO_WISHES: Wishes = {
  pins: [],
  unfolded: new Set(),
  opened: new Map(),
  collapsed: new Set(),
  only: null,
  spread: new Set(),
  sorts: new Map(),
};

export interface Layout {
  rows: number;
  /** By row of the model; -1 where the branch is hidden. On the way from one layout to the next, levels are no whole numbers. */
  y: Float64Array;
  /** Where the branch leaves its parent. */
  x0: Float64Array;
  /** Where its last entry is. */
  x1: Float64Array;
  /** Segments of row n are those from `first[n]` to `first[n + 1]`. */
  first: Uint32Array;
  /** Index after the segment's last entry. */
  to: Uint32Array;
  /** Where the segment begins. */
  x: Float64Array;
  /** Whether its entries are folded. */
  folded: Uint8Array;
  /** How many branches are hidden behind this one. */
  hidden: Uint32Array;
  /** Leaves that are drawn as one, by the row of the first of them. */
  bands: ReadonlyMap<number, number[]>;
  width: number;
  /** Where the last line ends. */
  ends: number;
  height: number;
  /** The rows of the model on each level, so that drawing costs as much as is in sight. */
  levels: Groups;
  spines: Spines;
}

/** Lines down from the forks: all branches that leave a row at the same place hang on one. */
interface Spines {
  count: number;
  x: Float64Array;
  /** Level of the row that is left, and of the lowest branch that leaves it there. */
  top: Float64Array;
  bottom: Float64Array;
}

export function key(branch: number, index: number): string {
  return `${branch}.${index}`;
}

export function layOut(model: Multiverse, wishes: Wishes): Layout {
  const shown = visible(model, wishes);
  const bands = gather(model, wishes, shown);
  const layout = segments(model, wishes, shown, bands);
  stack(model, layout);
  layout.levels = group(layout.y, layout.rows);
  layout.spines = spinesOf(model, layout);
  return layout;
}

/** Which rows are shown: neither filtered out nor behind a collapsed branch. */
function visible(model: Multiverse, wishes: Wishes): Uint8Array {
  const children = model.children();
  const shown = new Uint8Array(model.count);
  shown[0] = 1;
  for (let row = 0; row < model.count; row++) {
    const open = shown[row] === 1 && !wishes.collapsed.has(model.branch[row] ?? 0);
    for (const child of members(children, row)) {
      shown[child] = open && (wishes.only?.has(model.branch[child] ?? 0) ?? true) ? 1 : 0;
    }
  }
  return shown;
}

/** In a band behind its first leaf. */
const GATHERED = 2;

/** Gathers the leaves of forks that have many, by what came of them; what is pointed at stays apart. */
function gather(model: Multiverse, wishes: Wishes, shown: Uint8Array): Map<number, number[]> {
  const children = model.children();
  const bands = new Map<number, number[]>();
  const apart = new Set(wishes.pins.flatMap((place) => model.route(place).map(({ row }) => row)));
  for (let row = 0; row < model.count; row++) {
    const all = members(children, row);
    if (shown[row] !== 1 || all.length <= MOST_APART) {
      continue;
    }
    const forks = new Map<number, number[]>();
    for (const child of all) {
      const isLeaf = shown[child] === 1 && members(children, child).length === 0 && !apart.has(child);
      const fork = model.fork[child] ?? 0;
      if (isLeaf && !wishes.spread.has(key(model.branch[row] ?? 0, fork))) {
        forks.get(fork)?.push(child) ?? forks.set(fork, [child]);
      }
    }
    for (const leaves of forks.values()) {
      if (leaves.length > MOST_APART) {
        for (const band of runs(model, leaves, wishes.sorts)) {
          bands.set(band[0] ?? 0, band);
          band.slice(1).forEach((leaf) => (shown[leaf] = GATHERED));
        }
      }
    }
  }
  return bands;
}

/** Runs of neighbours that ended alike; if those are many, one for each end. */
function runs(model: Multiverse, leaves: number[], sorts: Wishes["sorts"]): number[][] {
  const ended = (leaf: number): string => {
    const branch = model.branch[leaf] ?? 0;
    return `${model.end[leaf] ?? 0}${model.words.get(branch) ?? ""}${sorts.get(branch) ?? ""}`;
  };
  const found: number[][] = [];
  let last = "";
  for (const leaf of leaves) {
    const now = ended(leaf);
    if (now === last && found.length > 0) {
      found[found.length - 1]?.push(leaf);
    } else {
      found.push([leaf]);
      last = now;
    }
  }
  if (found.length <= MOST_BANDS) {
    return found;
  }
  const kinds = new Map<string, number[]>();
  for (const leaf of leaves) {
    const now = ended(leaf);
    kinds.get(now)?.push(leaf) ?? kinds.set(now, [leaf]);
  }
  return [...kinds.values()];
}

function segments(model: Multiverse, wishes: Wishes, shown: Uint8Array, bands: Map<number, number[]>): Layout {
  const { count } = model;
  const children = model.children();
  const pins = new Map<number, number[]>();
  for (const place of wishes.pins) {
    const { branch, index } = model.canonical(place);
    const near = [index - AROUND, index, index + 1, index + AROUND];
    pins.set(branch, [...(pins.get(branch) ?? []), ...near]);
  }
  const capacity = 3 * count + children.list.length * 2 + wishes.pins.length * 4 + 16;
  const short = entryCount(model) <= FEW ? FEW : SHORT;
  const layout: Layout = {
    rows: 0,
    y: new Float64Array(count).fill(-1),
    x0: new Float64Array(count),
    x1: new Float64Array(count),
    first: new Uint32Array(count + 1),
    to: new Uint32Array(capacity),
    x: new Float64Array(capacity),
    folded: new Uint8Array(capacity),
    hidden: new Uint32Array(count),
    bands,
    width: 0,
    ends: 0,
    height: 0,
    levels: { first: new Uint32Array(1), list: new Uint32Array(0) },
    spines: noSpines(0),
  };
  let used = 0;
  const stops: number[] = [];
  for (let row = 0; row < count; row++) {
    layout.first[row] = used;
    if (shown[row] !== 1) {
      continue;
    }
    const [id, fork, tip] = [model.branch[row] ?? 0, model.fork[row] ?? 0, model.tip[row] ?? 0];
    const parent = model.parentRow(row);
    let x = parent === undefined ? 0 : xOf(model, layout, parent, fork, wishes);
    layout.x0[row] = x;
    stops.length = 0;
    stops.push(row === 0 ? 0 : fork + 1, tip);
    const pinned = pins.get(id);
    for (const child of members(children, row)) {
      if (shown[child] === 1) {
        // The entry after a fork is one of its alternatives, and stands alone.
        stops.push(model.fork[child] ?? 0, (model.fork[child] ?? 0) + 1);
      } else if (shown[child] !== GATHERED) {
        layout.hidden[row] = (layout.hidden[row] ?? 0) + 1;
      }
    }
    if (pinned) {
      stops.push(...pinned);
    }
    // Most branches are short and nothing leaves them.
    if (stops.length > 2) {
      stops.sort((a, b) => a - b);
    }
    let from = fork;
    for (const stop of stops) {
      if (stop <= from || stop > tip) {
        continue;
      }
      const entries = stop - from;
      const folds = entries > short && !wishes.unfolded.has(key(id, from));
      layout.x[used] = x;
      layout.to[used] = stop;
      layout.folded[used] = folds ? 1 : 0;
      used++;
      x += (folds ? foldedWidth(entries) : entries * ENTRY) + openedBetween(wishes, id, from, stop);
      from = stop;
    }
    layout.x1[row] = x;
    layout.width = Math.max(layout.width, x + END_LABEL);
    layout.ends = Math.max(layout.ends, x);
  }
  layout.first[count] = used;
  return layout;
}

function entryCount(model: Multiverse): number {
  let entries = 0;
  for (let row = 0; row < model.count && entries <= FEW; row++) {
    entries += (model.tip[row] ?? 0) - (model.fork[row] ?? 0);
  }
  return entries;
}

/** What unfolded instructions add to a run. They are few: only the user unfolds them. */
function openedBetween(wishes: Wishes, branch: number, from: number, to: number): number {
  let width = 0;
  if (wishes.opened.size > 0) {
    for (const [at, steps] of wishes.opened) {
      const [on, index] = at.split(".").map(Number);
      if (on === branch && index !== undefined && index >= from && index < to) {
        width += steps * STEP;
      }
    }
  }
  return width;
}

/** The segment of a row that holds the place; -1 if the place is where the row begins. */
export function segmentOf(layout: Layout, row: number, index: number): number {
  return firstSegment(layout, row, (segment) => (layout.to[segment] ?? 0) >= index);
}

/** The first segment of a row for which it holds, or the last; -1 if there is none. */
export function firstSegment(layout: Layout, row: number, holds: (segment: number) => boolean): number {
  let low = layout.first[row] ?? 0;
  let high = (layout.first[row + 1] ?? 0) - 1;
  if (high < low) {
    return -1;
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** Where a segment ends. */
export function segmentEnd(layout: Layout, row: number, segment: number): number {
  return segment + 1 < (layout.first[row + 1] ?? 0)
    ? (layout.x[segment + 1] ?? 0)
    : (layout.x1[row] ?? 0);
}

/** The index at which a segment begins. */
export function segmentFrom(model: Multiverse, layout: Layout, row: number, segment: number): number {
  return segment > (layout.first[row] ?? 0) ? (layout.to[segment - 1] ?? 0) : (model.fork[row] ?? 0);
}

/** Where a place of a row is drawn. */
export function xOf(model: Multiverse, layout: Layout, row: number, index: number, wishes: Wishes = NO_WISHES): number {
  const fork = model.fork[row] ?? 0;
  if (index <= fork) {
    return layout.x0[row] ?? 0;
  }
  const segment = segmentOf(layout, row, index);
  const from = segmentFrom(model, layout, row, segment);
  const to = layout.to[segment] ?? from + 1;
  const begin = layout.x[segment] ?? 0;
  const end = segmentEnd(layout, row, segment);
  if (layout.folded[segment] === 1) {
    return begin + ((end - begin) * (index - from)) / Math.max(1, to - from);
  }
  if (index >= to) {
    return end;
  }
  const opened = wishes.opened.size > 0 ? openedBetween(wishes, model.branch[row] ?? 0, from, index) : 0;
  return begin + (index - from) * ENTRY + opened;
}

/**
 * Gives every branch a row of its own below its parent's, as high as there is room.
 *
 * Forks further right are placed first, and so nearer: the line down to a fork then never crosses a branch.
 */
function stack(model: Multiverse, layout: Layout): void {
  const { count } = model;
  const children = model.children();
  const below = new Int32Array(count);
  const height = new Int32Array(count).fill(1);
  const right = new Float64Array(count);
  const order: number[] = [];
  const at: number[] = [];
  const bottom: number[] = [];
  for (let row = count - 1; row >= 0; row--) {
    if (row > 0 && layout.first[row] === layout.first[row + 1]) {
      continue;
    }
    const label = model.end[row] === OPEN ? TAIL : END_LABEL;
    right[row] = (layout.x1[row] ?? 0) + label;
    if (members(children, row).length === 0) {
      continue;
    }
    order.length = 0;
    for (const child of members(children, row)) {
      if (layout.first[child] !== layout.first[child + 1]) {
        order.push(child);
      }
    }
    order.sort((a, b) => (layout.x0[b] ?? 0) - (layout.x0[a] ?? 0) || a - b);
    at.length = 0;
    bottom.length = 0;
    let deepest = 0;
    for (const child of order) {
      let lowest = 0;
      // What begins left of this subtree's right end is in its way; nothing later will need it on its own.
      while (at.length > 0 && (at[at.length - 1] ?? 0) < (right[child] ?? 0)) {
        lowest = Math.max(lowest, bottom.pop() ?? 0);
        at.pop();
      }
      below[child] = lowest + 1;
      const reach = lowest + (height[child] ?? 1);
      at.push(layout.x0[child] ?? 0);
      bottom.push(reach);
      deepest = Math.max(deepest, reach);
      right[row] = Math.max(right[row] ?? 0, right[child] ?? 0);
    }
    height[row] = deepest + 1;
  }
  layout.y[0] = 0;
  let rows = 1;
  for (let row = 1; row < count; row++) {
    const parent = model.parentRow(row);
    if (parent === undefined || layout.first[row] === layout.first[row + 1]) {
      continue;
    }
    const y = (layout.y[parent] ?? 0) + (below[row] ?? 1);
    layout.y[row] = y;
    rows = Math.max(rows, y + 1);
  }
  layout.rows = rows;
  layout.height = rows * ROW;
}

function noSpines(room: number): Spines {
  return { count: 0, x: new Float64Array(room), top: new Float64Array(room), bottom: new Float64Array(room) };
}

function spinesOf(model: Multiverse, layout: Layout): Spines {
  const children = model.children();
  const { y, x0 } = layout;
  const spines = noSpines(children.list.length);
  const at = new Map<number, number>();
  for (let row = 0; row < model.count; row++) {
    at.clear();
    for (const child of members(children, row)) {
      const [x, deep] = [x0[child] ?? 0, y[child] ?? -1];
      if (deep < 0) {
        continue;
      }
      let spine = at.get(x);
      if (spine === undefined) {
        spine = spines.count++;
        at.set(x, spine);
        spines.x[spine] = x;
        spines.top[spine] = y[row] ?? 0;
      }
      spines.bottom[spine] = Math.max(spines.bottom[spine] ?? 0, deep);
    }
  }
  return spines;
}

/** More rows than this do not move one by one. */
const MOST_MOVING = 400;

/** Where the rows of a layout were before it: what is new lies on the row that it leaves. Nothing if nothing moves. */
export function movedFrom(model: Multiverse, before: Layout, now: Layout): Float64Array | null {
  if (model.count > MOST_MOVING || before.y.length > model.count) {
    return null;
  }
  const from = Float64Array.from(now.y);
  let moves = false;
  for (let row = 0; row < model.count; row++) {
    const level = now.y[row] ?? -1;
    if (level < 0) {
      continue;
    }
    const old = before.y[row] ?? -1;
    const parent = model.parentRow(row);
    from[row] = old >= 0 ? old : parent === undefined ? level : (from[parent] ?? level);
    moves ||= from[row] !== level;
  }
  return moves ? from : null;
}

/** A layout on its way, from where its rows were: at 1 they are there. */
export function onTheWay(model: Multiverse, layout: Layout, from: Float64Array, part: number): Layout {
  const y = layout.y.map((level, row) => level + ((from[row] ?? level) - level) * (1 - part));
  const moving = { ...layout, y };
  moving.spines = spinesOf(model, moving);
  return moving;
}
