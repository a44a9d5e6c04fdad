// What is drawn of the multiverse, which part of it is in sight, and what lies under a point.
import { xOfStep, type Axis } from "../time/axis";
import { members } from "../groups";
import type { Entries } from "./entries";
import { ENTRY, ROW, STEP, firstSegment, key, segmentEnd, segmentFrom, xOf, type Layout, type Wishes } from "./layout";
import type { Multiverse, Place } from "./model";

/** Which part of the drawing is in sight. Time and branches are stretched each for themselves. */
export interface Camera {
  x: number;
  y: number;
  /** Pixels for each unit of time. */
  zoom: number;
  /** Pixels for each unit between branches. */
  rise: number;
}

export interface Mark {
  place: Place;
  offset: number;
  kind: "here" | "same" | "device" | "selected" | "note" | "hover";
  text: string;
  /** Of a branch that has reconverged: whose state it is in. */
  other?: Place & { offset: number };
}

export interface Scene {
  model: Multiverse;
  layout: Layout;
  entries: Pick<Entries, "at">;
  wishes: Wishes;
  camera: Camera;
  marks: Mark[];
  /** For each row on the way to the user's place, the index up to which it is followed. */
  path: ReadonlyMap<number, number>;
  /** The same for what is recorded of the way that motion forward follows. */
  onward: ReadonlyMap<number, number>;
  /** The same for the path that a jump would take. */
  preview: ReadonlyMap<number, number>;
  axis: Axis;
  /** Steps of the user's place. */
  steps: number;
  width: number;
  height: number;
}

/** What says where things are, wherever one looks from. */
export type Ground = Pick<Scene, "model" | "layout" | "wishes" | "axis">;

/** From so many pixels between entries and between rows on, entries are named. */
const NAMED = { across: 46, down: 24 };
/** From so many pixels between entries on, each has its sign. */
const SIGNED = 14;
/** Pixels after a branch's last entry for how it ended. */
export const END_ROOM = 160;

export function isNamed({ camera }: Scene): boolean {
  return ENTRY * camera.zoom >= NAMED.across && ROW * camera.rise >= NAMED.down;
}

export function isSigned({ camera }: Scene): boolean {
  return ENTRY * camera.zoom >= SIGNED && ROW * camera.rise >= 12;
}

/** The height of a level's line. */
export function middle(level: number): number {
  return level * ROW + ROW / 2;
}

export function baseline(row: number, layout: Layout): number {
  return middle(layout.y[row] ?? 0);
}

/** Width of the last run of a row, if its instructions are unfolded. */
export function tail({ model, wishes }: Scene, row: number): number {
  if (wishes.opened.size === 0) {
    return 0;
  }
  return (wishes.opened.get(key(model.branch[row] ?? 0, model.tip[row] ?? 0)) ?? 0) * STEP;
}

/** Whether the user came along a row, or would go along it. */
export function isOnWay({ path, preview, onward }: Scene, row: number): boolean {
  return path.has(row) || preview.has(row) || onward.has(row);
}

/** Rows of the model of which something is in sight; of several that fall on one pixel, one. */
export function inSight(scene: Scene): number[] {
  const { camera, layout } = scene;
  const { levels, x0, x1 } = layout;
  const right = camera.x + scene.width / camera.zoom;
  const top = Math.max(0, Math.floor(camera.y / ROW) - 1);
  const bottom = Math.min(layout.rows, Math.ceil((camera.y + scene.height / camera.rise) / ROW) + 1);
  const isFar = !isSigned(scene);
  const rows: number[] = [];
  const taken = new Set<number>();
  for (let n = levels.first[top] ?? 0; n < (levels.first[bottom] ?? 0); n++) {
    const row = levels.list[n] ?? 0;
    const [begin, end] = [x0[row] ?? 0, (x1[row] ?? 0) + tail(scene, row) + END_ROOM / camera.zoom];
    if (begin > right || end < camera.x) {
      continue;
    }
    if (isFar && !isOnWay(scene, row) && end - begin < END_ROOM + ENTRY * 2) {
      const [px, py] = [Math.floor((begin - camera.x) * camera.zoom), Math.floor(baseline(row, layout) * camera.rise)];
      const pixel = py * 65_536 + px;
      if (taken.has(pixel)) {
        continue;
      }
      taken.add(pixel);
    }
    rows.push(row);
  }
  return rows;
}

/**
 * Where a moment is drawn. The user's own place, whose steps are known, is exactly on the axis; another one inside a run
 * stands a little after its place, or exactly, if its instructions are unfolded.
 */
export function spot(ground: Ground, place: Place, offset: number, steps: number | null): { x: number; y: number } | null {
  const { model, layout, wishes, axis } = ground;
  const canonical = model.canonical(place);
  const row = model.rowOf(canonical.branch);
  if (row === undefined || (layout.y[row] ?? -1) < 0) {
    return null;
  }
  const y = baseline(row, layout);
  const opened = wishes.opened.get(key(canonical.branch, canonical.index));
  const x = xOf(model, layout, row, canonical.index, wishes);
  if (opened === undefined && steps !== null && offset > 0 && (axis.numbers[axis.count - 1] ?? 0) >= canonical.index) {
    return { x: Math.max(x, xOfStep(axis, steps)), y };
  }
  const late = offset === 0 ? 0 : opened === undefined ? 13 : Math.min(offset, opened) * STEP;
  return { x: x + late, y };
}

/** What lies under a point: a place, a folded run, or a band. */
export interface Hit {
  place: Place;
  /** The folded run's ends, if it is one. */
  run: { from: number; to: number } | null;
  /** The first row of a band, if it is one. */
  band: number | null;
  /** Steps after the place, inside unfolded instructions. */
  offset: number;
}

/** Finds what is drawn at a point of the canvas. */
export function hit(scene: Scene, px: number, py: number): Hit | null {
  const { camera, layout, wishes, model } = scene;
  const x = px / camera.zoom + camera.x;
  const y = py / camera.rise + camera.y;
  const level = Math.floor(y / ROW);
  const reach = Math.min(ROW * 0.45 * camera.rise, 18);
  if (Math.abs(y - middle(level)) * camera.rise > reach) {
    return null;
  }
  for (const row of members(layout.levels, level)) {
    const end = (layout.x1[row] ?? 0) + tail(scene, row);
    if (x < (layout.x0[row] ?? 0) - 8 / camera.zoom || x > end + 30 / camera.zoom) {
      continue;
    }
    if (layout.bands.has(row)) {
      return { place: { branch: model.branch[row] ?? 0, index: model.tip[row] ?? 0 }, run: null, band: row, offset: 0 };
    }
    return hitOnRow(scene, row, x, wishes);
  }
  return null;
}

function hitOnRow(scene: Scene, row: number, x: number, wishes: Wishes): Hit {
  const { layout, model, camera } = scene;
  const branch = model.branch[row] ?? 0;
  const tip = model.tip[row] ?? 0;
  const segment = firstSegment(layout, row, (segment) => segmentEnd(layout, row, segment) > x);
  if (segment < 0 || x > (layout.x1[row] ?? 0)) {
    const steps = wishes.opened.get(key(branch, tip)) ?? 0;
    const offset = Math.min(steps, Math.max(0, Math.round((x - (layout.x1[row] ?? 0)) / STEP)));
    return { place: { branch, index: tip }, run: null, band: null, offset };
  }
  const from = segmentFrom(model, layout, row, segment);
  const to = layout.to[segment] ?? tip;
  const begin = layout.x[segment] ?? 0;
  const end = segmentEnd(layout, row, segment);
  const edge = 8 / camera.zoom;
  if (layout.folded[segment] === 1 && x > begin + edge && x < end - edge) {
    const index = Math.round(from + ((x - begin) / (end - begin)) * (to - from));
    return { place: { branch, index }, run: { from, to }, band: null, offset: 0 };
  }
  let [low, high] = [from, to];
  while (low < high) {
    const half = (low + high) >> 1;
    if (xOf(model, layout, row, half + 1, wishes) <= x + 12) {
      low = half + 1;
    } else {
      high = half;
    }
  }
  const start = xOf(model, layout, row, low, wishes);
  const opened = wishes.opened.get(key(branch, low));
  if (opened !== undefined && x > start + STEP / 2) {
    const offset = Math.min(opened, Math.max(0, Math.round((x - start) / STEP)));
    return { place: { branch, index: low }, run: null, band: null, offset };
  }
  const next = low < to ? xOf(model, layout, row, low + 1, wishes) : Infinity;
  return { place: { branch, index: next - x < x - start ? low + 1 : low }, run: null, band: null, offset: 0 };
}
