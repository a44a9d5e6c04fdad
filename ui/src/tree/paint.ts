// Draws what is in sight of the multiverse on a canvas.
import type { Brush } from "../drawing";
import type { Entries, Entry } from "./entries";
import { ENTRY, ROW, STEP, firstSegment, key, segmentEnd, segmentFrom, xOf, type Layout, type Wishes } from "./layout";
import { members } from "../groups";
import { grouped } from "../words";
import { FINISHED, TRAPPED, type Multiverse, type Place } from "./model";

/** Which part of the drawing is in sight, in pixels at zoom 1. */
export interface Camera {
  x: number;
  y: number;
  zoom: number;
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
  entries: Entries;
  wishes: Wishes;
  camera: Camera;
  marks: Mark[];
  /** For each row on the way to the user's place, the index up to which it is followed. */
  path: ReadonlyMap<number, number>;
  /** The same for the path that a jump would take. */
  preview: ReadonlyMap<number, number>;
  width: number;
  height: number;
}

/** Above this zoom, entries are named. */
const NAMED = 0.62;
/** Below this zoom, entries are not drawn, and branches fall on one another. */
const FAR = NAMED / 2;
/** Pixels after a branch's last entry for how it ended. */
const END_ROOM = 160;
const CORNER = 9;
/** More dots in a run than this would be a line anyway. */
const MOST_DOTS = 4000;

export function paint(brush: Brush, scene: Scene): void {
  const { context, palette } = brush;
  const { camera } = scene;
  context.scale(camera.zoom, camera.zoom);
  context.translate(-camera.x, -camera.y);
  context.lineCap = "round";
  const rows = inSight(scene);
  paintLines(brush, scene, rows);
  const [onWay, others] = [rows.filter((row) => isOnWay(scene, row)), rows.filter((row) => !isOnWay(scene, row))];
  others.forEach((row) => paintContent(brush, scene, row));
  // The user's path lies over the others.
  paintWay(brush, scene, scene.preview, palette.ghost, [5, 4]);
  paintWay(brush, scene, scene.path, palette.accent, []);
  onWay.forEach((row) => paintContent(brush, scene, row));
  for (const mark of scene.marks) {
    paintMark(brush, scene, mark);
  }
}

/** Whether the user came along a row, or would go along it. */
function isOnWay({ path, preview }: Scene, row: number): boolean {
  return path.has(row) || preview.has(row);
}

/** Rows of the model of which something is in sight; of several that fall on one pixel, one. */
function inSight(scene: Scene): number[] {
  const { camera, layout } = scene;
  const { levels, x0, x1 } = layout;
  const right = camera.x + scene.width / camera.zoom;
  const top = Math.max(0, Math.floor(camera.y / ROW) - 1);
  const bottom = Math.min(layout.rows, Math.ceil((camera.y + scene.height / camera.zoom) / ROW) + 1);
  const far = camera.zoom < FAR;
  const rows: number[] = [];
  const taken = new Set<number>();
  for (let n = levels.first[top] ?? 0; n < (levels.first[bottom] ?? 0); n++) {
    const row = levels.list[n] ?? 0;
    const [begin, end] = [x0[row] ?? 0, (x1[row] ?? 0) + tail(scene, row) + END_ROOM];
    if (begin > right || end < camera.x) {
      continue;
    }
    if (far && !isOnWay(scene, row) && end - begin < END_ROOM + ENTRY * 2) {
      const [px, py] = [Math.floor((begin - camera.x) * camera.zoom), Math.floor(baseline(row, layout) * camera.zoom)];
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

/** All branches in sight as one line drawing. */
function paintLines(brush: Brush, scene: Scene, rows: number[]): void {
  const { context } = brush;
  const { camera, layout } = scene;
  const { spines, x0, x1 } = layout;
  const [left, right] = [camera.x, camera.x + scene.width / camera.zoom];
  const [top, bottom] = [camera.y - ROW, camera.y + scene.height / camera.zoom + ROW];
  context.beginPath();
  for (let n = 0; n < spines.count; n++) {
    const x = spines.x[n] ?? 0;
    const [from, to] = [middle(spines.top[n] ?? 0), middle(spines.bottom[n] ?? 0) - CORNER];
    if (x >= left - ROW && x <= right && from <= bottom && to >= top) {
      context.moveTo(x, Math.max(from, top));
      context.lineTo(x, Math.min(to, bottom));
    }
  }
  for (const row of rows) {
    traceRow(context, layout, row, baseline(row, layout) - CORNER, x1[row] ?? 0);
  }
  brush.stroke(brush.palette.wire, Math.max(1.5, 0.5 / camera.zoom));
}

/** A row's line up to `to`, with the part of its fork's line that begins at `from`. */
function traceRow(context: CanvasRenderingContext2D, layout: Layout, row: number, from: number, to: number): void {
  const [x, y] = [layout.x0[row] ?? 0, baseline(row, layout)];
  if (row === 0) {
    context.moveTo(x, y);
  } else {
    context.moveTo(x, from);
    context.lineTo(x, y - CORNER);
    context.quadraticCurveTo(x, y, x + CORNER, y);
  }
  context.lineTo(to, y);
}

/** A way through the multiverse: rows, with the index up to which each is followed. */
function paintWay(brush: Brush, scene: Scene, way: ReadonlyMap<number, number>, colour: string, dash: number[]): void {
  const { model, layout, wishes, camera } = scene;
  for (const [row, to] of way) {
    if ((layout.y[row] ?? -1) >= 0) {
      brush.context.beginPath();
      const from = baseline(model.parentRow(row) ?? row, layout);
      traceRow(brush.context, layout, row, from, xOf(model, layout, row, to, wishes));
      brush.stroke(colour, Math.max(2.5, 1.5 / camera.zoom), dash);
    }
  }
}

/** What is on a row's line. */
function paintContent(brush: Brush, scene: Scene, row: number): void {
  const { accent: path, sheet: paper } = brush.palette;
  const y = baseline(row, scene.layout);
  paintSegments(brush, scene, row, y);
  paintEnd(brush, scene, row, y);
  if (row === 0) {
    brush.disc(scene.layout.x0[row] ?? 0, y, 5).fill(path).stroke(paper, 1.5);
  }
}

/** The height of a level's line. */
function middle(level: number): number {
  return level * ROW + ROW / 2;
}

function baseline(row: number, layout: Layout): number {
  return middle(layout.y[row] ?? 0);
}

function paintSegments(brush: Brush, scene: Scene, row: number, y: number): void {
  const { model, layout, camera } = scene;
  const left = camera.x - ENTRY;
  const right = camera.x + scene.width / camera.zoom + ENTRY;
  const last = layout.first[row + 1] ?? 0;
  // Long rows: begin where the picture begins.
  let segment = firstSegment(layout, row, (segment) => segmentEnd(layout, row, segment) >= left);
  for (; segment >= 0 && segment < last && (layout.x[segment] ?? 0) <= right; segment++) {
    const from = segmentFrom(model, layout, row, segment);
    const to = layout.to[segment] ?? from;
    if (layout.folded[segment] === 1) {
      paintFold(brush, camera.zoom, layout.x[segment] ?? 0, segmentEnd(layout, row, segment), y, to - from);
    } else {
      paintEntries(brush, scene, row, segment, y, left, right);
    }
  }
  const hidden = layout.hidden[row] ?? 0;
  if (hidden > 0 && camera.zoom >= NAMED) {
    brush.write(`+${hidden} hidden`, (layout.x0[row] ?? 0) + 14, y + 15, brush.palette["ink-3"], `11px ${brush.palette.sans}`);
  }
}

function paintEntries(brush: Brush, scene: Scene, row: number, segment: number, y: number, left: number, right: number): void {
  const { model, layout, wishes, camera } = scene;
  const { sheet: paper, wire: line } = brush.palette;
  const from = segmentFrom(model, layout, row, segment);
  const to = layout.to[segment] ?? from;
  const x = layout.x[segment] ?? 0;
  const plain = wishes.opened.size === 0;
  const skip = plain ? Math.max(0, Math.floor((left - x) / ENTRY)) : 0;
  let dots = 0;
  for (let index = from + 1 + skip; index <= to; index++) {
    const at = plain ? x + (index - from) * ENTRY : xOf(model, layout, row, index, wishes);
    if (at - ENTRY > right || dots++ > MOST_DOTS) {
      return;
    }
    if (!plain) {
      paintSteps(brush, scene, row, index - 1, at, y);
    }
    if (camera.zoom < FAR) {
      continue;
    }
    const entry = camera.zoom >= NAMED ? scene.entries.at(row, index) : null;
    if (entry) {
      paintEntry(brush, entry, at, y);
    } else {
      brush.disc(at, y, 3).fill(paper).stroke(line, 1.5);
    }
  }
}

function paintEntry(brush: Brush, entry: Entry, x: number, y: number): void {
  const { context, palette } = brush;
  // Inputs are round, outputs square, events pointed: no meaning by colour alone.
  if (entry.kind === "input") {
    brush.disc(x, y, 4.5);
  } else if (entry.kind === "output") {
    brush.square(x, y, 3.5);
  } else {
    brush.line(x, y - 5, x + 5, y + 4, x - 5, y + 4).context.closePath();
  }
  const colour = palette.ink;
  brush.fill(entry.mocked ? palette.sheet : colour).stroke(colour, 1.5);
  const room = ENTRY - 22;
  let edge = x - 8;
  if (entry.value !== null) {
    const value = entry.value.length > 9 ? `${entry.value.slice(0, 8)}…` : entry.value;
    brush.write(value, edge, y - 6, palette.ink, `600 11px ${palette.mono}`, "right");
    edge -= context.measureText(value).width + 5;
  }
  context.font = `11px ${palette.mono}`;
  const call = fit(context, short(entry.call), room - (x - 8 - edge));
  brush.write(call, edge, y - 6, palette["ink-3"], context.font, "right");
}

/** Names as a person says them: the chip's prefix is on every one. */
function short(call: string): string {
  return call.replace(/^chip_/, "");
}

const widths = new Map<string, number>();

/** The text, or its beginning with an ellipsis, in so many pixels of the small monospaced font. */
function fit(context: CanvasRenderingContext2D, text: string, room: number): string {
  let width = widths.get(context.font);
  if (width === undefined) {
    width = context.measureText("0").width;
    widths.set(context.font, width);
  }
  const most = Math.floor(room / width);
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}

function paintFold(brush: Brush, zoom: number, x: number, end: number, y: number, entries: number): void {
  const { sheet: paper, "ink-3": quiet, sans, wire: line } = brush.palette;
  brush.line(x + 8, y, end - 8, y).stroke(paper, 4, [2, 6]);
  if (zoom >= NAMED) {
    brush.write(`${grouped(entries)} entries`, (x + end) / 2, y - 6, quiet, `11px ${sans}`, "center");
  }
  brush.disc(end, y, 3).fill(paper).stroke(line, 1.5);
}

/** Single instructions of a deterministic run: ticks, of which only those in sight are drawn. */
function paintSteps(brush: Brush, scene: Scene, row: number, index: number, end: number, y: number): void {
  const { model, wishes, camera } = scene;
  const { "ink-3": quiet, mono } = brush.palette;
  const steps = wishes.opened.get(key(model.branch[row] ?? 0, index));
  if (steps === undefined) {
    return;
  }
  const begin = end - ENTRY - steps * STEP;
  const first = Math.max(1, Math.floor((camera.x - begin) / STEP));
  const last = Math.min(steps, Math.ceil((camera.x + scene.width / camera.zoom - begin) / STEP));
  const every = Math.max(1, Math.ceil(2 / (STEP * camera.zoom)));
  brush.context.fillStyle = quiet;
  for (let step = first - (first % every) + every; step <= last; step += every) {
    const tall = step % 10 === 0 ? 5 : 3;
    brush.context.fillRect(begin + step * STEP, y - tall, 1, tall * 2);
    if (step % 10 === 0 && camera.zoom >= NAMED) {
      brush.write(`+${step}`, begin + step * STEP, y + 15, quiet, `9px ${mono}`, "center");
    }
  }
}

/** Width of the last run of a row, if its instructions are unfolded. */
function tail(scene: Scene, row: number): number {
  const { model, wishes } = scene;
  if (wishes.opened.size === 0) {
    return 0;
  }
  return (wishes.opened.get(key(model.branch[row] ?? 0, model.tip[row] ?? 0)) ?? 0) * STEP;
}

function paintEnd(brush: Brush, scene: Scene, row: number, y: number): void {
  const { model, layout, camera } = scene;
  const { ink: text, "ink-3": quiet, bad, sans, wire: line } = brush.palette;
  const unfolded = tail(scene, row);
  const x = (layout.x1[row] ?? 0) + unfolded + 15;
  if (unfolded > 0) {
    brush.line(x - 15 - unfolded, y, x - 15, y).stroke(line, 1.5);
    paintSteps(brush, scene, row, model.tip[row] ?? 0, x - 15 + ENTRY, y);
  }
  const kind = model.end[row];
  const named = camera.zoom >= NAMED;
  if (kind === TRAPPED) {
    const words = (model.words.get(model.branch[row] ?? 0) ?? "trapped").slice(0, 40);
    brush.line(x - 4, y - 4, x + 4, y + 4).stroke(bad, 2.5);
    brush.line(x + 4, y - 4, x - 4, y + 4).stroke(bad, 2.5);
    if (named) brush.write(words, x + 9, y + 4, bad, `11px ${sans}`);
  } else if (kind === FINISHED) {
    brush.square(x, y, 4).fill(text);
    if (named) brush.write("finished", x + 9, y + 4, quiet, `11px ${sans}`);
  } else if (camera.zoom >= FAR) {
    brush.line(x - 12, y, x + 6, y).stroke(line, 1.5, [1.5, 3]);
  }
}

/** Where a moment is drawn: inside a run a little after its place, or exactly, if its instructions are unfolded. */
export function spot(scene: Scene, place: Place, offset: number): { x: number; y: number } | null {
  const { model, layout, wishes } = scene;
  const canonical = model.canonical(place);
  const row = model.rowOf(canonical.branch);
  if (row === undefined || (layout.y[row] ?? -1) < 0) {
    return null;
  }
  const x = xOf(model, layout, row, canonical.index, wishes);
  const opened = wishes.opened.get(key(canonical.branch, canonical.index));
  const late = offset === 0 ? 0 : opened === undefined ? 13 : Math.min(offset, opened) * STEP;
  return { x: x + late, y: baseline(row, layout) };
}

function paintMark(brush: Brush, scene: Scene, mark: Mark): void {
  const at = spot(scene, mark.place, mark.offset);
  if (!at) {
    return;
  }
  const { palette } = brush;
  const { x, y } = at;
  const named = scene.camera.zoom >= NAMED;
  const tag = (colour: string): void => {
    if (named) brush.write(mark.text, x, y + 19, colour, `600 10px ${palette.sans}`, "center");
  };
  switch (mark.kind) {
    case "selected":
    case "hover":
      brush.disc(x, y, 9).stroke(palette.ghost, mark.kind === "selected" ? 2 : 1);
      break;
    case "same": {
      const other = mark.other && spot(scene, mark.other, mark.other.offset);
      if (other && scene.camera.zoom >= FAR) {
        brush.line(x, y).context.quadraticCurveTo((x + other.x) / 2 + ROW, (y + other.y) / 2, other.x, other.y);
        brush.stroke(palette["ink-3"], 1.5, [3, 4]).disc(x, y, 7).stroke(palette["ink-3"], 1.5, [3, 4]);
        tag(palette["ink-3"]);
      }
      break;
    }
    case "here":
      brush.disc(x, y, 6.5).fill(palette.accent).disc(x, y, 2.5).fill(palette.sheet);
      tag(palette.accent);
      break;
    case "device":
      brush.line(x, y - 6, x + 6, y, x, y + 6, x - 6, y).fill(palette.accent);
      tag(palette.accent);
      break;
    case "note":
      brush.line(x, y - 7, x, y - 18, x + 9, y - 14.5, x, y - 11).fill(palette.maybe);
      if (named) brush.write(mark.text.slice(0, 24), x + 12, y - 16, palette.maybe, `600 11px ${palette.sans}`);
      break;
  }
}

/** What lies under a point: a place, or a folded run. */
export interface Hit {
  place: Place;
  /** The folded run's ends, if it is one. */
  run: { from: number; to: number } | null;
  /** Steps after the place, inside unfolded instructions. */
  offset: number;
}

/** Finds what is drawn at a point of the canvas. */
export function hit(scene: Scene, px: number, py: number): Hit | null {
  const { camera, layout, wishes } = scene;
  const x = px / camera.zoom + camera.x;
  const y = py / camera.zoom + camera.y;
  const level = Math.floor(y / ROW);
  if (Math.abs(y - (level * ROW + ROW / 2)) > ROW * 0.42) {
    return null;
  }
  for (const row of members(layout.levels, level)) {
    if (x >= (layout.x0[row] ?? 0) - 8 && x <= (layout.x1[row] ?? 0) + tail(scene, row) + 30) {
      return hitOnRow(scene, row, x, wishes);
    }
  }
  return null;
}

function hitOnRow(scene: Scene, row: number, x: number, wishes: Wishes): Hit {
  const { layout, model } = scene;
  const branch = model.branch[row] ?? 0;
  const tip = model.tip[row] ?? 0;
  const segment = firstSegment(layout, row, (segment) => segmentEnd(layout, row, segment) > x);
  if (segment < 0 || x > (layout.x1[row] ?? 0)) {
    const steps = wishes.opened.get(key(branch, tip)) ?? 0;
    const offset = Math.min(steps, Math.max(0, Math.round((x - (layout.x1[row] ?? 0)) / STEP)));
    return { place: { branch, index: tip }, run: null, offset };
  }
  const from = segmentFrom(model, layout, row, segment);
  const to = layout.to[segment] ?? tip;
  const begin = layout.x[segment] ?? 0;
  const end = segmentEnd(layout, row, segment);
  if (layout.folded[segment] === 1 && x > begin + 8 && x < end - 8) {
    const index = Math.round(from + ((x - begin) / (end - begin)) * (to - from));
    return { place: { branch, index }, run: { from, to }, offset: 0 };
  }
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xOf(model, layout, row, middle + 1, wishes) <= x + 12) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const start = xOf(model, layout, row, low, wishes);
  const opened = wishes.opened.get(key(branch, low));
  if (opened !== undefined && x > start + STEP / 2) {
    const offset = Math.min(opened, Math.max(0, Math.round((x - start) / STEP)));
    return { place: { branch, index: low }, run: null, offset };
  }
  const next = low < to ? xOf(model, layout, row, low + 1, wishes) : Infinity;
  const index = next - x < x - start ? low + 1 : low;
  return { place: { branch, index }, run: null, offset: 0 };
}
