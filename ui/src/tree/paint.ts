// Draws what is in sight of the multiverse on a canvas.
import type { Entries, Entry } from "./entries";
import {
  ENTRY,
  ROW,
  STEP,
  segmentEnd,
  segmentFrom,
  segmentOf,
  xOf,
  type Layout,
  type Wishes,
} from "./layout";
import { FINISHED, TRAPPED, type Multiverse, type Place } from "./model";

/** Which part of the drawing is in sight, in pixels at zoom 1. */
export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

/** Colours and fonts from the page's tokens. */
export interface Palette {
  text: string;
  faint: string;
  line: string;
  path: string;
  paper: string;
  accent: string;
  preview: string;
  device: string;
  input: string;
  output: string;
  event: string;
  bad: string;
  note: string;
  font: string;
  mono: string;
}

export interface Mark {
  place: Place;
  offset: number;
  kind: "here" | "same" | "device" | "selected" | "note" | "hover" | "same";
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
  palette: Palette;
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

export function paint(context: CanvasRenderingContext2D, scene: Scene): void {
  const { camera, width, height } = scene;
  context.clearRect(0, 0, width, height);
  context.save();
  context.scale(camera.zoom, camera.zoom);
  context.translate(-camera.x, -camera.y);
  context.lineCap = "round";
  const rows = inSight(scene);
  paintLines(context, scene, rows);
  const [onWay, others] = [rows.filter((row) => isOnWay(scene, row)), rows.filter((row) => !isOnWay(scene, row))];
  others.forEach((row) => paintContent(context, scene, row));
  // The user's path lies over the others.
  paintWay(context, scene, scene.preview, scene.palette.preview, [5, 4]);
  paintWay(context, scene, scene.path, scene.palette.path, []);
  onWay.forEach((row) => paintContent(context, scene, row));
  for (const mark of scene.marks) {
    paintMark(context, scene, mark);
  }
  context.restore();
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
function paintLines(context: CanvasRenderingContext2D, scene: Scene, rows: number[]): void {
  const { camera, layout, palette } = scene;
  const { spines, x0, x1 } = layout;
  const [left, right] = [camera.x, camera.x + scene.width / camera.zoom];
  const [top, bottom] = [camera.y - ROW, camera.y + scene.height / camera.zoom + ROW];
  context.strokeStyle = palette.line;
  context.lineWidth = Math.max(1.5, 0.5 / camera.zoom);
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
  context.stroke();
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
function paintWay(
  context: CanvasRenderingContext2D,
  scene: Scene,
  way: ReadonlyMap<number, number>,
  colour: string,
  dash: number[],
): void {
  const { model, layout, wishes } = scene;
  context.strokeStyle = colour;
  context.lineWidth = Math.max(2.5, 1.5 / scene.camera.zoom);
  context.setLineDash(dash);
  for (const [row, to] of way) {
    if ((layout.y[row] ?? -1) < 0) {
      continue;
    }
    context.beginPath();
    traceRow(context, layout, row, baseline(model.parentRow(row) ?? row, layout), xOf(model, layout, row, to, wishes));
    context.stroke();
  }
  context.setLineDash([]);
}

/** What is on a row's line. */
function paintContent(context: CanvasRenderingContext2D, scene: Scene, row: number): void {
  const y = baseline(row, scene.layout);
  paintSegments(context, scene, row, y);
  paintEnd(context, scene, row, y);
  if (row === 0) {
    dot(context, scene.layout.x0[row] ?? 0, y, 5, scene.palette.path, scene.palette.paper);
  }
}

/** The height of a level's line. */
function middle(level: number): number {
  return level * ROW + ROW / 2;
}

function baseline(row: number, layout: Layout): number {
  return middle(layout.y[row] ?? 0);
}

function paintSegments(context: CanvasRenderingContext2D, scene: Scene, row: number, y: number): void {
  const { model, layout, camera, palette } = scene;
  const left = camera.x - ENTRY;
  const right = camera.x + scene.width / camera.zoom + ENTRY;
  const first = layout.first[row] ?? 0;
  const last = layout.first[row + 1] ?? 0;
  let segment = first;
  // Long rows: begin where the picture begins.
  let high = last - 1;
  while (segment < high) {
    const middle = (segment + high) >> 1;
    if (segmentEnd(layout, row, middle) < left) {
      segment = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; segment < last && (layout.x[segment] ?? 0) <= right; segment++) {
    const from = segmentFrom(model, layout, row, segment);
    const to = layout.to[segment] ?? from;
    if (layout.folded[segment] === 1) {
      paintFold(context, scene, layout.x[segment] ?? 0, segmentEnd(layout, row, segment), y, to - from);
      continue;
    }
    paintEntries(context, scene, row, segment, from, to, y, left, right);
  }
  const hidden = layout.hidden[row] ?? 0;
  if (hidden > 0 && camera.zoom >= NAMED) {
    context.fillStyle = palette.faint;
    context.font = `11px ${palette.font}`;
    context.fillText(`+${hidden} hidden`, (layout.x0[row] ?? 0) + 14, y + 15);
  }
}

function paintEntries(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: number,
  segment: number,
  from: number,
  to: number,
  y: number,
  left: number,
  right: number,
): void {
  const { model, layout, wishes, camera, palette } = scene;
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
      paintSteps(context, scene, row, index - 1, at, y);
    }
    if (camera.zoom < FAR) {
      continue;
    }
    const entry = camera.zoom >= NAMED ? scene.entries.at(row, index) : null;
    if (entry) {
      paintEntry(context, palette, entry, at, y);
    } else {
      dot(context, at, y, 3, palette.paper, palette.line);
    }
  }
}

function paintEntry(
  context: CanvasRenderingContext2D,
  palette: Palette,
  entry: Entry,
  x: number,
  y: number,
): void {
  const colour = palette[entry.kind];
  // Inputs are round, outputs square, events pointed: no meaning by colour alone.
  shape(context, entry.kind, x, y, colour, entry.mocked ? palette.paper : colour);
  context.font = `11px ${palette.mono}`;
  context.textAlign = "right";
  const room = ENTRY - 22;
  let edge = x - 8;
  if (entry.value !== null) {
    const value = entry.value.length > 9 ? `${entry.value.slice(0, 8)}…` : entry.value;
    context.fillStyle = palette.text;
    context.font = `600 11px ${palette.mono}`;
    context.fillText(value, edge, y - 6);
    edge -= context.measureText(value).width + 5;
    context.font = `11px ${palette.mono}`;
  }
  context.fillStyle = palette.faint;
  context.fillText(fit(context, short(entry.call), room - (x - 8 - edge)), edge, y - 6);
  context.textAlign = "left";
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

function paintFold(
  context: CanvasRenderingContext2D,
  scene: Scene,
  x: number,
  end: number,
  y: number,
  entries: number,
): void {
  const { palette, camera } = scene;
  context.strokeStyle = palette.paper;
  context.lineWidth = 4;
  context.setLineDash([2, 6]);
  context.beginPath();
  context.moveTo(x + 8, y);
  context.lineTo(end - 8, y);
  context.stroke();
  context.setLineDash([]);
  if (camera.zoom >= NAMED) {
    context.fillStyle = palette.faint;
    context.font = `11px ${palette.font}`;
    context.textAlign = "center";
    context.fillText(`${entries.toLocaleString("en")} entries`, (x + end) / 2, y - 6);
    context.textAlign = "left";
  }
  dot(context, end, y, 3, palette.paper, palette.line);
}

/** Single instructions of a deterministic run: ticks, of which only those in sight are drawn. */
function paintSteps(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: number,
  index: number,
  end: number,
  y: number,
): void {
  const { model, wishes, camera, palette } = scene;
  const steps = wishes.opened.get(`${model.branch[row] ?? 0}.${index}`);
  if (steps === undefined) {
    return;
  }
  const begin = end - ENTRY - steps * STEP;
  const first = Math.max(1, Math.floor((camera.x - begin) / STEP));
  const last = Math.min(steps, Math.ceil((camera.x + scene.width / camera.zoom - begin) / STEP));
  const every = Math.max(1, Math.ceil(2 / (STEP * camera.zoom)));
  context.fillStyle = palette.faint;
  for (let step = first - (first % every) + every; step <= last; step += every) {
    const tall = step % 10 === 0 ? 5 : 3;
    context.fillRect(begin + step * STEP, y - tall, 1, tall * 2);
    if (step % 10 === 0 && camera.zoom >= NAMED) {
      context.font = `9px ${palette.mono}`;
      context.textAlign = "center";
      context.fillText(`+${step}`, begin + step * STEP, y + 15);
      context.textAlign = "left";
    }
  }
}

/** Width of the last run of a row, if its instructions are unfolded. */
function tail(scene: Scene, row: number): number {
  const { model, wishes } = scene;
  if (wishes.opened.size === 0) {
    return 0;
  }
  return (wishes.opened.get(`${model.branch[row] ?? 0}.${model.tip[row] ?? 0}`) ?? 0) * STEP;
}

function paintEnd(context: CanvasRenderingContext2D, scene: Scene, row: number, y: number): void {
  const { model, layout, palette, camera } = scene;
  const unfolded = tail(scene, row);
  const x = (layout.x1[row] ?? 0) + unfolded + 15;
  if (unfolded > 0) {
    context.strokeStyle = palette.line;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x - 15 - unfolded, y);
    context.lineTo(x - 15, y);
    context.stroke();
    paintSteps(context, scene, row, model.tip[row] ?? 0, x - 15 + ENTRY, y);
  }
  const kind = model.end[row];
  context.lineWidth = 1.5;
  if (kind === TRAPPED) {
    context.strokeStyle = palette.bad;
    context.lineWidth = 2.5;
    context.beginPath();
    context.moveTo(x - 4, y - 4);
    context.lineTo(x + 4, y + 4);
    context.moveTo(x + 4, y - 4);
    context.lineTo(x - 4, y + 4);
    context.stroke();
  } else if (kind === FINISHED) {
    context.fillStyle = palette.text;
    context.fillRect(x - 4, y - 4, 8, 8);
  } else if (camera.zoom >= FAR) {
    context.strokeStyle = palette.line;
    context.setLineDash([1.5, 3]);
    context.beginPath();
    context.moveTo(x - 12, y);
    context.lineTo(x + 6, y);
    context.stroke();
    context.setLineDash([]);
  }
  if (camera.zoom >= NAMED && kind !== 0) {
    const words = model.words.get(model.branch[row] ?? 0);
    context.fillStyle = kind === TRAPPED ? palette.bad : palette.faint;
    context.font = `11px ${palette.font}`;
    context.fillText(kind === TRAPPED ? (words ?? "trapped").slice(0, 40) : "finished", x + 9, y + 4);
  }
}

/** Where a moment is drawn: inside a run a little after its place, or exactly, if its instructions are unfolded. */
export function spot(scene: Scene, place: Place, offset: number): { x: number; y: number; row: number } | null {
  const { model, layout, wishes } = scene;
  const canonical = model.canonical(place);
  const row = model.rowOf(canonical.branch);
  if (row === undefined || (layout.y[row] ?? -1) < 0) {
    return null;
  }
  const x = xOf(model, layout, row, canonical.index, wishes);
  const opened = wishes.opened.get(`${canonical.branch}.${canonical.index}`);
  let late = 0;
  if (offset > 0) {
    late = opened === undefined ? 13 : Math.min(offset, opened) * STEP;
  }
  return { x: x + late, y: baseline(row, layout), row };
}

function paintMark(context: CanvasRenderingContext2D, scene: Scene, mark: Mark): void {
  const at = spot(scene, mark.place, mark.offset);
  if (!at) {
    return;
  }
  const { palette } = scene;
  const { x, y } = at;
  switch (mark.kind) {
    case "selected":
    case "hover":
      context.strokeStyle = palette.preview;
      context.lineWidth = mark.kind === "selected" ? 2 : 1;
      circle(context, x, y, 9);
      context.stroke();
      break;
    case "same": {
      const other = mark.other && spot(scene, mark.other, mark.other.offset);
      if (!other || scene.camera.zoom < FAR) {
        break;
      }
      context.strokeStyle = palette.faint;
      context.lineWidth = 1.5;
      context.setLineDash([3, 4]);
      context.beginPath();
      context.moveTo(x, y);
      context.quadraticCurveTo((x + other.x) / 2 + ROW, (y + other.y) / 2, other.x, other.y);
      context.stroke();
      circle(context, x, y, 7);
      context.stroke();
      context.setLineDash([]);
      tag(context, scene, mark.text, x, y + 12, palette.faint);
      break;
    }
    case "here":
      context.fillStyle = palette.accent;
      circle(context, x, y, 6.5);
      context.fill();
      context.fillStyle = palette.paper;
      circle(context, x, y, 2.5);
      context.fill();
      tag(context, scene, mark.text, x, y + 12, palette.accent);
      break;
    case "device":
      context.fillStyle = palette.device;
      context.beginPath();
      context.moveTo(x, y - 6);
      context.lineTo(x + 6, y);
      context.lineTo(x, y + 6);
      context.lineTo(x - 6, y);
      context.fill();
      tag(context, scene, mark.text, x, y + 12, palette.device);
      break;
    case "note":
      context.fillStyle = palette.note;
      context.beginPath();
      context.moveTo(x, y - 7);
      context.lineTo(x, y - 18);
      context.lineTo(x + 9, y - 14.5);
      context.lineTo(x, y - 11);
      context.fill();
      if (mark.text !== "" && scene.camera.zoom >= NAMED) {
        context.font = `600 11px ${palette.font}`;
        context.fillText(mark.text.slice(0, 24), x + 12, y - 16);
      }
      break;
  }
}

function tag(
  context: CanvasRenderingContext2D,
  scene: Scene,
  text: string,
  x: number,
  y: number,
  colour: string,
): void {
  if (scene.camera.zoom < NAMED) {
    return;
  }
  context.font = `600 10px ${scene.palette.font}`;
  context.fillStyle = colour;
  context.textAlign = "center";
  context.fillText(text, x, y + 7);
  context.textAlign = "left";
}

function circle(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
}

function dot(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  fill: string,
  stroke: string,
): void {
  circle(context, x, y, radius);
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = stroke;
  context.lineWidth = 1.5;
  context.stroke();
}

function shape(
  context: CanvasRenderingContext2D,
  kind: "input" | "output" | "event",
  x: number,
  y: number,
  stroke: string,
  fill: string,
): void {
  context.beginPath();
  if (kind === "input") {
    context.arc(x, y, 4.5, 0, Math.PI * 2);
  } else if (kind === "output") {
    context.rect(x - 3.5, y - 3.5, 7, 7);
  } else {
    context.moveTo(x, y - 5);
    context.lineTo(x + 5, y + 4);
    context.lineTo(x - 5, y + 4);
    context.closePath();
  }
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = stroke;
  context.lineWidth = 1.5;
  context.stroke();
}

/** What lies under a point: a place, or a folded run. */
export interface Hit {
  row: number;
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
  const { first, list } = layout.levels;
  for (let n = first[level] ?? 0; n < (first[level + 1] ?? 0); n++) {
    const row = list[n] ?? 0;
    if (x >= (layout.x0[row] ?? 0) - 8 && x <= (layout.x1[row] ?? 0) + tail(scene, row) + 30) {
      return hitOnRow(scene, row, x, wishes);
    }
  }
  return null;
}

function hitOnRow(scene: Scene, row: number, x: number, wishes: Wishes): Hit {
  const { layout, model } = scene;
  const branch = model.branch[row] ?? 0;
  const fork = model.fork[row] ?? 0;
  const tip = model.tip[row] ?? 0;
  let segment = segmentOf(layout, row, fork + 1);
  const last = layout.first[row + 1] ?? 0;
  while (segment >= 0 && segment + 1 < last && (layout.x[segment + 1] ?? 0) <= x) {
    segment++;
  }
  if (segment < 0 || x > (layout.x1[row] ?? 0)) {
    const steps = wishes.opened.get(`${branch}.${tip}`) ?? 0;
    const offset = Math.min(steps, Math.max(0, Math.round((x - (layout.x1[row] ?? 0)) / STEP)));
    return { row, place: { branch, index: tip }, run: null, offset };
  }
  const from = segmentFrom(model, layout, row, segment);
  const to = layout.to[segment] ?? tip;
  const begin = layout.x[segment] ?? 0;
  const end = segmentEnd(layout, row, segment);
  if (layout.folded[segment] === 1 && x > begin + 8 && x < end - 8) {
    const index = Math.round(from + ((x - begin) / (end - begin)) * (to - from));
    return { row, place: { branch, index }, run: { from, to }, offset: 0 };
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
  const opened = wishes.opened.get(`${branch}.${low}`);
  if (opened !== undefined && x > start + STEP / 2) {
    const offset = Math.min(opened, Math.max(0, Math.round((x - start) / STEP)));
    return { row, place: { branch, index: low }, run: null, offset };
  }
  const next = low < to ? xOf(model, layout, row, low + 1, wishes) : Infinity;
  const index = next - x < x - start ? low + 1 : low;
  return { row, place: { branch, index }, run: null, offset: 0 };
}
