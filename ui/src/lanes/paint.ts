// Draws the lanes: what each row was along the path, on the tree's own axis.
import type { Brush } from "../drawing";
import type { Curve, HitRow } from "../wire/types";
import { elided } from "../tree/labels";
import { grouped } from "../words";
import type { Change } from "./courses";
import type { Row } from "./rows.svelte";

export const RULER = 52;
export const LANE = 28;
/** More blocks than this in a lane fall on one another. */
const APART = 1.5;

export interface View {
  rows: readonly Row[];
  scroll: number;
  /** Where a step is, where the recording begins and ends, and where *here* is. */
  px: (step: number) => number;
  tip: number;
  here: number;
  /** What the flag says. */
  flag: string;
  /** Steps of the path's entries, for the ruler. */
  steps: Float64Array;
  count: number;
  pointed: number | null;
  empty: boolean;
}

export function paintLanes(brush: Brush, view: View): void {
  const { palette, width, height, context } = brush;
  const [start, end] = [view.px(0), view.px(view.tip)];
  context.fillStyle = palette.sunk;
  context.fillRect(0, 0, width, height);
  context.save();
  context.beginPath();
  context.rect(0, RULER, width, height - RULER);
  context.clip();
  view.rows.forEach((row, nth) => {
    const top = RULER + nth * LANE - view.scroll;
    if (top > -LANE && top < height) {
      paintLane(brush, view, row, top, start, end);
    }
  });
  context.restore();
  for (let top = RULER + 0.5; top < height; top += LANE) {
    brush.line(0, top, width, top).stroke(palette.line, 1);
  }
  paintRuler(brush, view, start, end);
  if (view.pointed !== null) {
    brush.line(view.pointed, RULER - 12, view.pointed, height).stroke(palette["line-2"], 1);
  }
  paintHead(brush, view);
}

function paintLane(brush: Brush, view: View, row: Row, top: number, start: number, end: number): void {
  const { palette } = brush;
  const [first] = row.changes;
  if (row.curve) {
    paintCurve(brush, view, row.curve, top, row.changed ? palette.accent : palette.ink);
  } else if (first) {
    hatch(brush, start, view.px(first.step), top);
    const range = row.limits?.find((limit) => limit.range)?.range ?? null;
    if (row.kind === "pin" && row.changes.every(({ value }) => value === 0 || value === 1)) {
      paintLevels(brush, view, row.changes, top, palette.o1, [0, 1], range);
    } else if (row.kind === "reading") {
      paintBlocks(brush, view, row.changes, top, end);
    } else {
      const values = [...row.changes.map(({ value }) => value ?? 0), ...(range ?? [])];
      paintLevels(brush, view, row.changes, top, palette.ink, [Math.min(0, ...values), Math.max(...values)], range);
    }
  } else if (row.kind === "hits") {
    paintHits(brush, view, row.hits ?? [], top);
  } else {
    hatch(brush, start, Math.max(start, end), top);
  }
}

/** Where nothing is known, or there is nothing yet. */
function hatch(brush: Brush, from: number, to: number, top: number): void {
  const { context, palette, width } = brush;
  const [left, right] = [Math.max(0, from), Math.min(width, to)];
  if (right - left < 3) {
    return;
  }
  context.save();
  context.beginPath();
  context.rect(left, top + 6, right - left, LANE - 12);
  context.clip();
  context.beginPath();
  for (let x = left - LANE; x < right; x += 6) {
    context.moveTo(x, top + LANE);
    context.lineTo(x + LANE, top);
  }
  brush.stroke(palette["line-2"], 1);
  context.restore();
}

/** A value keeps until it is written: steps, not slopes. */
function paintCurve(brush: Brush, view: View, curve: Curve, top: number, colour: string): void {
  const { context, palette } = brush;
  const known = curve.values.filter((value): value is number => value !== null);
  if (known.length === 0) {
    return;
  }
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const level = (value: number): number => (high === low ? top + LANE / 2 + 4 : top + LANE - 6 - ((value - low) / (high - low)) * (LANE - 12));
  const segments: [number, number][] = [];
  let gap: number | null = view.px(0);
  let last: number | null = null;
  context.beginPath();
  curve.values.forEach((value, n) => {
    const x = view.px(curve.steps[n] ?? 0);
    if (value === null) {
      if (last !== null) context.lineTo(x, level(last));
      gap ??= x;
      last = null;
      return;
    }
    if (last === null) {
      if (gap !== null) segments.push([gap, x]);
      context.moveTo(x, level(value));
    } else {
      context.lineTo(x, level(last));
      context.lineTo(x, level(value));
    }
    gap = null;
    last = value;
  });
  if (last !== null) context.lineTo(view.px(view.tip), level(last));
  brush.stroke(colour, 1.6);
  segments.forEach(([from, to]) => hatch(brush, from, to, top));
  const text = low === high ? String(low) : `${low} to ${high}`;
  // The words stand on the lane's own ground, beside the line where there is room.
  context.font = `11px ${palette.mono}`;
  const wide = context.measureText(text).width;
  const x = Math.min(brush.width - wide - 8, Math.max(4, view.px(view.tip) + 10));
  context.fillStyle = palette.sunk;
  context.fillRect(x - 3, top + 5, wide + 6, LANE - 11);
  brush.write(text, x, top + LANE / 2 + 4, palette["ink-3"], context.font);
}

/** Levels from one write to the next; what is beyond the board's limits is wrong. */
function paintLevels(brush: Brush, view: View, changes: readonly Change[], top: number, colour: string, [low, high]: readonly [number, number], limits: readonly [number, number] | null): void {
  const { context, palette, width } = brush;
  const level = (value: number): number => (high === low ? top + LANE / 2 : top + LANE - 7 - ((value - low) / (high - low)) * (LANE - 14));
  const bounds = (limits ?? []).map(level);
  for (const y of bounds) {
    brush.line(view.px(0), y, width, y).stroke(palette["bad-line"], 1, [2, 3]);
  }
  const trace = (): void => {
    context.beginPath();
    let last: number | null = null;
    let at = -Infinity;
    for (const { step, value } of changes) {
      const x = view.px(step);
      if (x > width + 20) break;
      if (value === null) continue;
      if (last === null) {
        context.moveTo(x, level(0 >= low && 0 <= high ? 0 : value));
      } else if (x - at >= 0.5) {
        context.lineTo(x, level(last));
      }
      context.lineTo(x, level(value));
      at = x;
      last = value;
    }
    if (last !== null) context.lineTo(view.px(view.tip), level(last));
  };
  trace();
  brush.stroke(colour, 1.6);
  const [bottom, ceiling] = bounds;
  if (bottom !== undefined && ceiling !== undefined && changes.some(({ value }) => value !== null && (level(value) > bottom + 0.5 || level(value) < ceiling - 0.5))) {
    context.save();
    context.beginPath();
    context.rect(0, top, width, ceiling - top - 1);
    context.rect(0, bottom + 1, width, top + LANE - bottom - 1);
    context.clip();
    trace();
    brush.stroke(palette.bad, 2.2);
    context.restore();
  }
}

/** Times that a place was passed, with what was printed there where it has room. */
function paintHits(brush: Brush, view: View, hits: readonly HitRow[], top: number): void {
  const { palette, context, width } = brush;
  const y = top + LANE / 2;
  let free = -Infinity;
  let last = -Infinity;
  context.font = `11px ${palette.mono}`;
  hits.forEach((hit, n) => {
    const x = view.px(hit.steps);
    if (x < -20 || x > width + 20 || x - last < 2) {
      return;
    }
    last = x;
    brush.polygon(x, y, 5, 4).fill(palette.bad);
    const next = n + 1 < hits.length ? view.px(hits[n + 1]?.steps ?? 0) : width;
    const wide = context.measureText(hit.value).width;
    if (hit.value !== "" && x + 8 > free && x + 12 + wide < next) {
      brush.write(hit.value, x + 9, y + 4, hit.ok ? palette.ink : palette["ink-3"], context.font);
      free = x + 12 + wide;
    }
  });
}

/** Readings as blocks from one to the next. */
function paintBlocks(brush: Brush, view: View, changes: readonly Change[], top: number, end: number): void {
  const { context, palette, width } = brush;
  let drawn = -Infinity;
  changes.forEach((change, n) => {
    const [from, to] = [view.px(change.step), n + 1 < changes.length ? view.px(changes[n + 1]?.step ?? 0) : Math.max(end, view.px(change.step) + 8)];
    if (to < 0 || from > width || to - drawn < APART) {
      return;
    }
    drawn = to;
    context.beginPath();
    context.roundRect(from + 0.5, top + 6.5, Math.max(2, to - from - 1.5), LANE - 13, 3);
    brush.fill(change.swatch && change.swatch !== "transparent" ? change.swatch : palette.sheet).stroke(palette["line-2"], 1);
    const letters = Math.floor((to - from - 8) / 6.8);
    if (letters >= 1 && (!change.swatch || letters >= 3)) {
      const isDark = change.swatch !== null && !/transparent|f4f6f8|f2c118/.test(change.swatch);
      const text = change.text.length > letters && change.swatch ? change.text.slice(0, 1) : elided(change.text, Math.max(2, letters));
      if (text.length <= Math.max(1, letters)) {
        brush.write(text, Math.max(from, 0) + 5, top + LANE / 2 + 4, isDark ? "#fff" : change.swatch && change.swatch !== "transparent" ? "#1a1a1f" : palette.ink, `11px ${palette.mono}`);
      }
    }
  });
}

function paintRuler(brush: Brush, view: View, start: number, end: number): void {
  const { palette, context, width } = brush;
  context.fillStyle = palette.sunk;
  context.fillRect(0, 0, width, RULER);
  brush.line(0, RULER + 0.5, width, RULER + 0.5).stroke(palette.line, 1);
  let last = start;
  const tick = (x: number, text: string): void => {
    brush.line(x, 40, x, RULER).stroke(palette["line-2"], 1);
    brush.write(text, x, 34, palette["ink-3"], `11px ${palette.mono}`, "center");
  };
  if (start > -20 && start < width) {
    tick(start, "start");
    last = start + 30;
  }
  // Where things happened; of several that fall together, one.
  const first = Math.max(0, firstInSight(view));
  for (let n = first; n < view.count; n++) {
    const x = view.px(view.steps[n] ?? 0);
    if (x > width) break;
    if (x - last > 62 && x > 20) {
      tick(x, grouped(view.steps[n] ?? 0));
      last = x;
    }
  }
  if (end - last > 62 && end < width) {
    tick(end, grouped(view.tip));
  }
}

function firstInSight(view: View): number {
  let [low, high] = [0, view.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.px(view.steps[middle] ?? 0) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Where you are: the tree's line goes on, and its flag says when that is. */
function paintHead(brush: Brush, { px, here, flag }: View): void {
  const { palette, context, width, height } = brush;
  const x = px(here);
  brush.line(x, 0, x, height).stroke(palette.accent, 1.5);
  context.font = `600 11px ${palette.mono}`;
  const wide = context.measureText(flag).width + 14;
  const left = Math.min(width - wide - 2, Math.max(2, x - wide / 2));
  context.beginPath();
  context.roundRect(left, 20, wide, 19, 5);
  brush.fill(palette.accent);
  brush.write(flag, left + 7, 33.5, palette["accent-ink"], context.font);
}
