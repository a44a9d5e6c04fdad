// Draws what is in sight of the multiverse on a canvas. Lengths along time are stretched by the camera, letters never.
import type { Brush } from "../drawing";
import type { Palette } from "../state/theme.svelte";
import { counted, grouped } from "../words";
import { worded } from "../board/words";
import type { Entry } from "./entries";
import { elided, place, type Box, type Label } from "./labels";
import { ENTRY, ROW, STEP, firstSegment, key, segmentEnd, segmentFrom, xOf } from "./layout";
import { FINISHED, TRAPPED } from "./model";
import { widthOf } from "./taken";
import { baseline, inSight, isNamed, isSigned, middle, spot, tail, type Mark, type Scene } from "./scene";

/** What is known of how a branch came out, in a colour and a shape. */
export interface Tint {
  colour: keyof Palette;
  isWrong: boolean;
}

/** Radius of the two arcs by which a branch leaves its parent. */
const TURN = 11;
/** Half of what the disc that says where one is keeps free of words: those above and below it stand near. */
const DISC = 6;
/** More dots in a run than this would be a line anyway. */
const MOST_DOTS = 4000;
/** Outputs after which the board is busy for a while. */
const BUSY = /(^|_)(delay|sleep|motor|drive|wait|tone)/;

interface Painter {
  brush: Brush;
  scene: Scene;
  labels: Label[];
  tints: ReadonlyMap<number, Tint>;
  sx: (x: number) => number;
  sy: (y: number) => number;
  isNamed: boolean;
  isSigned: boolean;
}

export function paint(brush: Brush, scene: Scene, tints: ReadonlyMap<number, Tint>, more: Label[] = []): Box[] {
  const { camera } = scene;
  const painter: Painter = {
    brush,
    scene,
    labels: [...more],
    tints,
    sx: (x) => (x - camera.x) * camera.zoom,
    sy: (y) => (y - camera.y) * camera.rise,
    isNamed: isNamed(scene),
    isSigned: isSigned(scene),
  };
  brush.context.lineCap = "round";
  const rows = inSight(scene);
  paintLines(painter, rows);
  if (scene.model.recordings > 0) {
    paintTaken(painter, rows);
  }
  paintTinted(painter, rows);
  paintWay(painter, scene.onward, brush.palette["ink-2"], 2, []);
  paintWay(painter, scene.preview, brush.palette.ghost, 2.5, [5, 4]);
  for (const [row, to] of scene.path) {
    paintWay(painter, new Map([[row, to]]), colourOf(painter, row, brush.palette.ink), 3, []);
  }
  for (const row of rows) {
    if (scene.layout.bands.has(row)) {
      paintBand(painter, row);
    } else {
      paintSegments(painter, row);
      paintEnd(painter, row);
    }
  }
  if ((scene.layout.y[0] ?? -1) >= 0) {
    brush.disc(painter.sx(0), painter.sy(baseline(0, scene.layout)), 4).fill(brush.palette.ink);
  }
  scene.marks.forEach((mark) => paintMark(painter, mark));
  return place(brush, painter.labels, discs(painter));
}

/** Where one is, and where the device is: no word is written on it. */
function discs({ scene, sx, sy }: Painter): Box[] {
  return scene.marks.flatMap(({ kind, place: at, offset }) => {
    const found = kind === "here" || kind === "device" ? spot(scene, at, offset, kind === "here" ? scene.steps : null) : null;
    return found ? [{ text: "", left: sx(found.x) - DISC, right: sx(found.x) + DISC, top: sy(found.y) - DISC, bottom: sy(found.y) + DISC }] : [];
  });
}

/** The colour of a row's outcome; if nothing is known, another one. */
function colourOf({ scene, tints, brush }: Painter, row: number, otherwise: string): string {
  const tint = tints.get(row);
  if (tint) {
    return brush.palette[tint.colour];
  }
  return scene.model.end[row] === TRAPPED ? brush.palette.bad : otherwise;
}

/** All branches in sight as one line drawing. */
function paintLines(painter: Painter, rows: number[]): void {
  const { brush, scene, sx, sy } = painter;
  const { layout, model } = scene;
  const { context } = brush;
  const { spines } = layout;
  context.beginPath();
  for (let n = 0; n < spines.count; n++) {
    const x = sx(spines.x[n] ?? 0) + TURN;
    const [from, to] = [sy(middle(spines.top[n] ?? 0)), sy(middle(spines.bottom[n] ?? 0))];
    if (x >= -TURN && x <= scene.width + TURN && from <= scene.height && to >= 0 && to - from > 2 * TURN) {
      context.moveTo(x, Math.max(from + TURN, -5));
      context.lineTo(x, Math.min(to - TURN, scene.height + 5));
    }
  }
  for (const row of rows) {
    const parent = model.parentRow(row);
    traceRow(painter, row, parent === undefined ? null : sy(baseline(parent, layout)), sx(layout.x1[row] ?? 0), false);
  }
  brush.stroke(brush.palette.wire, 1.6);
}

/** The more recordings went a way, the wider its line; where none went it is dashed. No meaning by colour. */
function paintTaken(painter: Painter, rows: number[]): void {
  const { brush, scene, sx, sy } = painter;
  const { layout, model, wishes } = scene;
  for (const row of rows) {
    const parent = model.parentRow(row);
    const y = sy(baseline(row, layout));
    const along = layout.bands.has(row) ? [] : model.along(row);
    along.forEach(([from, taken], n) => {
      const to = Math.min(along[n + 1]?.[0] ?? Infinity, model.tip[row] ?? 0);
      if (to <= from) {
        return;
      }
      const end = sx(xOf(model, layout, row, to, wishes));
      brush.context.beginPath();
      if (n === 0 && parent !== undefined) {
        traceRow(painter, row, sy(baseline(parent, layout)), end, true);
      } else {
        brush.line(sx(xOf(model, layout, row, from, wishes)), y, end, y);
      }
      if (taken > 0) {
        brush.stroke(brush.palette.wire, widthOf(taken, model.recordings));
      } else {
        brush.stroke(brush.palette.sheet, 2.5, [3, 6]);
      }
    });
  }
}

/** A row's line up to `to`, beginning at its parent's line; `whole` draws also what siblings share. */
function traceRow({ brush, scene, sx, sy }: Painter, row: number, parent: number | null, to: number, whole: boolean): void {
  const { context } = brush;
  const [x, y] = [sx(scene.layout.x0[row] ?? 0), sy(baseline(row, scene.layout))];
  if (parent === null) {
    context.moveTo(x, y);
  } else {
    const turn = Math.min(TURN, Math.abs(y - parent) / 2);
    if (parent > -TURN * 3 || whole) {
      context.moveTo(x, parent);
      context.quadraticCurveTo(x + TURN, parent, x + TURN, parent + turn);
    }
    if (whole) {
      context.lineTo(x + TURN, y - turn);
    } else {
      context.moveTo(x + TURN, y - turn);
    }
    context.quadraticCurveTo(x + TURN, y, x + 2 * TURN, y);
  }
  context.lineTo(Math.max(to, parent === null ? x : x + 2 * TURN), y);
}

/** What ended badly or is painted keeps its colour from its fork to its end. */
function paintTinted(painter: Painter, rows: number[]): void {
  const { brush, scene, sx, sy, tints } = painter;
  const { layout, model } = scene;
  for (const row of rows) {
    if (layout.bands.has(row) || (!tints.has(row) && model.end[row] !== TRAPPED)) {
      continue;
    }
    const parent = model.parentRow(row);
    brush.context.beginPath();
    traceRow(painter, row, parent === undefined ? null : sy(baseline(parent, layout)), sx(layout.x1[row] ?? 0), true);
    const isWrong = tints.get(row)?.isWrong ?? model.end[row] === TRAPPED;
    brush.stroke(colourOf(painter, row, brush.palette.wire), isWrong ? 2.2 : 1.6);
  }
}

/** A way through the multiverse: rows, with the index up to which each is followed. */
function paintWay(painter: Painter, way: ReadonlyMap<number, number>, colour: string, width: number, dash: number[]): void {
  const { brush, scene, sx, sy } = painter;
  const { model, layout, wishes } = scene;
  for (const [row, to] of way) {
    if ((layout.y[row] ?? -1) >= 0) {
      const parent = model.parentRow(row);
      brush.context.beginPath();
      traceRow(painter, row, parent === undefined ? null : sy(baseline(parent, layout)), sx(xOf(model, layout, row, to, wishes)), true);
      brush.stroke(colour, width, dash);
    }
  }
}

/** Leaves that came out alike, as one: the more there are, the thicker. What is wrong is hatched. */
function paintBand(painter: Painter, row: number): void {
  const { brush, scene, sx, sy, labels } = painter;
  const { layout, model, camera } = scene;
  const { palette, context } = brush;
  const leaves = layout.bands.get(row) ?? [];
  const [left, y] = [sx(layout.x0[row] ?? 0) + 2 * TURN, sy(baseline(row, layout))];
  const width = Math.max(34, ENTRY * camera.zoom - 8);
  const tall = Math.min(ROW * camera.rise - 6, Math.max(10, 6 + Math.sqrt(leaves.length) * 0.6));
  const isWrong = painter.tints.get(row)?.isWrong ?? model.end[row] === TRAPPED;
  const edge = colourOf(painter, row, palette.wire);
  context.beginPath();
  context.roundRect(left, y - tall / 2, width, tall, Math.min(5, tall / 2));
  brush.fill(isWrong ? palette["bad-soft"] : palette.hover).stroke(edge, 1.3);
  if (isWrong) {
    context.save();
    context.clip();
    context.beginPath();
    for (let x = left - tall; x < left + width; x += 6) {
      context.moveTo(x, y + tall / 2);
      context.lineTo(x + tall, y - tall / 2);
    }
    brush.stroke(palette["bad-line"], 1.3);
    context.restore();
  }
  const [first, last] = [leaves[0] ?? row, leaves.at(-1) ?? row];
  const value = (leaf: number): string | null => scene.entries.at(leaf, (model.fork[leaf] ?? 0) + 1)?.value ?? null;
  const [from, to] = [value(first), value(last)];
  const set = from === null ? "" : from === to ? `${from} ` : `${from} to ${to ?? "…"} `;
  const end = model.end[row] === TRAPPED ? (model.words.get(model.branch[row] ?? 0) ?? "trapped") : model.end[row] === FINISHED ? "finished" : "";
  const taken = model.recordings > 0 ? ` ×${grouped(leaves.reduce((sum, leaf) => sum + model.taken(leaf, (model.fork[leaf] ?? 0) + 1), 0))}` : "";
  const text = `${set}${counted(leaves.length, "universe")}${taken}${end ? `: ${end}` : ""}`;
  labels.push({
    text: elided(text, 54),
    x: left + width + 10,
    y: y + 4,
    align: "left",
    font: `500 11px ${palette.sans}`,
    colour: isWrong ? palette.bad : palette["ink-2"],
    rank: 3,
  });
}

function paintSegments(painter: Painter, row: number): void {
  const { brush, scene, sx, sy, labels } = painter;
  const { model, layout, camera } = scene;
  const y = sy(baseline(row, layout));
  const left = camera.x - ENTRY;
  const right = camera.x + scene.width / camera.zoom + ENTRY;
  const last = layout.first[row + 1] ?? 0;
  // Long rows: begin where the picture begins.
  let segment = firstSegment(layout, row, (segment) => segmentEnd(layout, row, segment) >= left);
  for (; segment >= 0 && segment < last && (layout.x[segment] ?? 0) <= right; segment++) {
    const from = segmentFrom(model, layout, row, segment);
    const to = layout.to[segment] ?? from;
    if (layout.folded[segment] === 1) {
      paintFold(painter, sx(layout.x[segment] ?? 0), sx(segmentEnd(layout, row, segment)), y, to - from, scene.path.has(row));
    } else {
      paintEntries(painter, row, segment, y, left, right);
    }
  }
  const hidden = layout.hidden[row] ?? 0;
  if (hidden > 0 && painter.isNamed) {
    const { palette } = brush;
    labels.push({ text: `+${hidden} hidden`, x: sx(layout.x0[row] ?? 0) + 26, y: y + 16, align: "left", font: `11px ${palette.sans}`, colour: palette["ink-3"], rank: 6 });
  }
}

function paintEntries(painter: Painter, row: number, segment: number, y: number, left: number, right: number): void {
  const { brush, scene, sx } = painter;
  const { model, layout, wishes } = scene;
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
      paintSteps(painter, row, index - 1, at, y);
    }
    if (!painter.isSigned) {
      continue;
    }
    const entry = painter.isNamed ? scene.entries.at(row, index) : null;
    if (entry) {
      const isFirst = row > 0 && index === (model.fork[row] ?? 0) + 1;
      paintEntry(painter, entry, sx(at), y, row, isFirst ? sx(layout.x0[row] ?? 0) + 2 * TURN + 2 : null);
    } else {
      brush.disc(sx(at), y, 2.5).fill(brush.palette.sheet).stroke(brush.palette.wire, 1.4);
    }
  }
}

/** The sign of an entry: inputs are rings, outputs squares, events pointed. No meaning by colour alone. */
function paintEntry(painter: Painter, entry: Entry, x: number, y: number, row: number, begin: number | null): void {
  const { brush, scene } = painter;
  const { palette } = brush;
  const isOnPath = scene.path.has(row);
  const ink = colourOf(painter, row, isOnPath ? palette.ink : palette["ink-2"]);
  if (entry.kind === "output" && BUSY.test(entry.call)) {
    // The board is busy: the line is thick, so that one sees that it takes time.
    brush.line(x, y, x + ENTRY * scene.camera.zoom * 0.55, y).stroke(ink, 5);
  }
  if (entry.kind === "input") {
    brush.disc(x, y, 4.6);
  } else if (entry.kind === "output") {
    brush.square(x, y, 3.4);
  } else {
    brush.line(x, y - 5, x + 5, y + 4, x - 5, y + 4).context.closePath();
  }
  brush.fill(palette.sheet).stroke(entry.mocked ? palette.accent : ink, isOnPath ? 2 : 1.6);
  nameEntry(painter, entry, x, y, row, ink, begin);
}

/** What an entry is called: at a fork by its value, where the branch begins; else by call and value above its sign. */
function nameEntry(painter: Painter, entry: Entry, x: number, y: number, row: number, ink: string, begin: number | null): void {
  const { brush, scene, labels } = painter;
  const { palette } = brush;
  const isOnPath = scene.path.has(row);
  const { text, swatch } = worded(entry.call, entry.value);
  const letters = Math.floor((ENTRY * scene.camera.zoom - 10) / 6.7);
  const rank = isOnPath ? 2 : 4;
  if (begin !== null && text !== "") {
    if (swatch) {
      brush.context.beginPath();
      brush.context.roundRect(begin + 1, y - 19, 9, 12, 2.5);
      brush.fill(swatch).stroke(palette["part-line"], 1);
    }
    const taken = scene.model.recordings > 0 ? ` ×${grouped(scene.model.taken(row, (scene.model.fork[row] ?? 0) + 1))}` : "";
    labels.push({
      text: elided(text, Math.max(4, letters - taken.length)) + taken,
      x: begin + (swatch ? 15 : 1),
      y: y - 8,
      align: "left",
      font: `${isOnPath ? 600 : 500} 11px ${palette.sans}`,
      colour: ink === palette.wire ? palette["ink-2"] : ink,
      rank: 2,
      else: [[0, 22]],
    });
    return;
  }
  // Where there is little room, what is called says more than with what.
  const name = letters < 14 ? short(entry.call).replace(/\(.*/, "") : short(entry.call);
  const shown = text === "" ? elided(name, letters) : text.length + 4 > letters ? elided(text, letters) : text;
  labels.push({ text: shown, x, y: y - 11, align: "center", font: `${text === "" ? 400 : 600} 11px ${palette.mono}`, colour: text === "" ? palette["ink-3"] : palette.ink, rank, else: [[0, 28]] });
  if (text !== "" && ROW * scene.camera.rise > 44) {
    labels.push({ text: elided(name, letters), x, y: y - 24, align: "center", font: `400 11px ${palette.mono}`, colour: palette["ink-3"], rank: rank + 2 });
  }
}

/** Names as a person says them: the chip's prefix is on every one. */
export function short(call: string): string {
  return call.replace(/^chip_/, "");
}

function paintFold(painter: Painter, x: number, end: number, y: number, entries: number, isOnPath: boolean): void {
  const { brush, isNamed } = painter;
  const { palette } = brush;
  if (end - x > 20) {
    brush.line(x + 9, y, end - 9, y).stroke(palette.sheet, 4, [2, 5]);
  }
  if (isNamed) {
    painter.labels.push({
      text: `${grouped(entries)} more`,
      x: (x + end) / 2,
      y: y - 9,
      align: "center",
      font: `11px ${palette.sans}`,
      colour: palette["ink-3"],
      rank: isOnPath ? 3 : 5,
      else: [[0, 24]],
    });
  }
  if (painter.isSigned) {
    brush.disc(end, y, 2.5).fill(palette.sheet).stroke(isOnPath ? palette.ink : palette.wire, 1.5);
  }
}

/** Single instructions of a deterministic run: ticks, of which only those in sight are drawn. */
function paintSteps(painter: Painter, row: number, index: number, end: number, y: number): void {
  const { brush, scene, sx } = painter;
  const { model, wishes, camera } = scene;
  const { palette } = brush;
  const steps = wishes.opened.get(key(model.branch[row] ?? 0, index));
  if (steps === undefined) {
    return;
  }
  const begin = end - ENTRY - steps * STEP;
  const first = Math.max(1, Math.floor((camera.x - begin) / STEP));
  const last = Math.min(steps, Math.ceil((camera.x + scene.width / camera.zoom - begin) / STEP));
  const every = Math.max(1, Math.ceil(2 / (STEP * camera.zoom)));
  brush.context.fillStyle = palette["ink-3"];
  for (let step = first - (first % every) + every; step <= last; step += every) {
    const tall = step % 10 === 0 ? 5 : 3;
    brush.context.fillRect(sx(begin + step * STEP), y - tall, 1, tall * 2);
    if (step % 10 === 0 && painter.isNamed) {
      painter.labels.push({ text: `+${step}`, x: sx(begin + step * STEP), y: y + 17, align: "center", font: `11px ${palette.mono}`, colour: palette["ink-3"], rank: 7 });
    }
  }
}

function paintEnd(painter: Painter, row: number): void {
  const { brush, scene, sx, sy, isNamed } = painter;
  const { model, layout } = scene;
  const { palette } = brush;
  const y = sy(baseline(row, layout));
  const unfolded = tail(scene, row);
  const last = sx((layout.x1[row] ?? 0) + unfolded);
  const x = last + 16;
  if (unfolded > 0) {
    brush.line(sx(layout.x1[row] ?? 0), y, last, y).stroke(palette.wire, 1.6);
    paintSteps(painter, row, model.tip[row] ?? 0, (layout.x1[row] ?? 0) + unfolded + ENTRY, y);
  }
  const kind = model.end[row];
  const say = (text: string, colour: string): void => {
    if (isNamed) {
      painter.labels.push({ text: elided(text, 40), x: x + 11, y: y + 4, align: "left", font: `500 11px ${palette.sans}`, colour, rank: 1, else: [[0, 22], [0, -20], [26, 0]] });
    }
  };
  if (kind === TRAPPED) {
    brush.line(last, y, x - 7, y).stroke(palette.bad, 2);
    brush.polygon(x, y, 7.5, 6).fill(palette.bad);
    brush.line(x - 2.4, y - 2.4, x + 2.4, y + 2.4).stroke(palette.sheet, 1.5);
    brush.line(x + 2.4, y - 2.4, x - 2.4, y + 2.4).stroke(palette.sheet, 1.5);
    say(model.words.get(model.branch[row] ?? 0) ?? "trapped", palette.bad);
  } else if (kind === FINISHED) {
    const colour = colourOf(painter, row, palette["ink-2"]);
    brush.line(last, y, x - 4, y).stroke(colour, 1.6);
    brush.square(x, y, 4).fill(colour);
    say("finished", palette["ink-3"]);
  } else if (painter.isSigned) {
    const tint = painter.tints.get(row);
    brush.line(last, y, x - 2, y).stroke(colourOf(painter, row, palette.wire), 1.4, [1.5, 3.5]);
    if (tint?.isWrong) {
      brush.polygon(x + 4, y, 5.5, 4).fill(palette.bad);
    }
  }
}

function paintMark(painter: Painter, mark: Mark): void {
  const { brush, scene, sx, sy, labels } = painter;
  const steps = mark.kind === "here" ? scene.steps : null;
  const at = spot(scene, mark.place, mark.offset, steps);
  if (!at) {
    return;
  }
  const { palette } = brush;
  const [x, y] = [sx(at.x), sy(at.y)];
  switch (mark.kind) {
    case "selected":
    case "hover":
      brush.disc(x, y, 9).stroke(palette.accent, mark.kind === "selected" ? 2 : 1);
      break;
    case "same":
      paintSame(painter, mark, x, y);
      break;
    case "here": {
      // The line goes on through the lanes below.
      brush.line(x, y, x, scene.height).stroke(palette.accent, 1.5);
      brush.context.globalAlpha = 0.16;
      brush.disc(x, y, 12).fill(palette.accent);
      brush.context.globalAlpha = 1;
      brush.disc(x, y, 6.2).fill(palette.accent);
      const device = scene.marks.find(({ kind }) => kind === "device");
      const other = device && spot(scene, device.place, device.offset, null);
      const isNear = other !== undefined && other !== null && Math.hypot(sx(other.x) - x, sy(other.y) - y) < 90;
      const text = isNear ? `${mark.text} ◆ the device` : mark.text;
      labels.push({ text, x: Math.max(8, x - 20), y: y - 20, align: "left", font: `600 11px ${palette.sans}`, colour: palette.accent, rank: 3, pill: { fill: palette["accent-soft"] }, else: [[0, 44], [34, 44], [-40, 44], [34, 0], [-60, 0], [0, 58]] });
      break;
    }
    case "device": {
      brush.context.beginPath();
      brush.context.roundRect(x - 6, y - 6, 12, 12, 3);
      brush.fill(palette.sheet).stroke(palette.accent, 1.8).disc(x, y, 2.4).fill(palette.accent);
      const here = scene.marks.find(({ kind }) => kind === "here");
      const own = here && spot(scene, here.place, here.offset, scene.steps);
      if (!own || Math.hypot(sx(own.x) - x, sy(own.y) - y) >= 90) {
        labels.push({ text: mark.text, x, y: y + 24, align: "center", font: `500 11px ${palette.sans}`, colour: palette.accent, rank: 1, else: [[0, -38]] });
      }
      break;
    }
    case "note":
      brush.line(x, y - 7, x, y - 20, x + 9, y - 16.5, x, y - 13).fill(palette.maybe).stroke(palette.maybe, 1);
      if (painter.isNamed) {
        labels.push({ text: elided(mark.text, 24), x: x + 12, y: y - 14, align: "left", font: `600 11px ${palette.sans}`, colour: palette.maybe, rank: 1, else: [[0, -14], [0, 34]] });
      }
      break;
  }
}

/** A branch is again where another one was: what follows is drawn there. */
function paintSame(painter: Painter, mark: Mark, x: number, y: number): void {
  const { brush, scene, sx, sy, labels } = painter;
  const { palette } = brush;
  const other = mark.other && spot(scene, mark.other, mark.other.offset, null);
  if (!other || !painter.isSigned) {
    return;
  }
  const [ox, oy] = [sx(other.x), sy(other.y)];
  brush.line(x, y).context.quadraticCurveTo((x + ox) / 2 + ROW, (y + oy) / 2, ox, oy);
  brush.stroke(palette.ghost, 1.4, [2, 4]).disc(x, y, 7).stroke(palette.ghost, 1.4, [2, 4]);
  if (painter.isNamed) {
    labels.push({ text: mark.text, x: x + 12, y: y + 16, align: "left", font: `600 11px ${palette.sans}`, colour: palette.accent, rank: 3, else: [[0, -28]] });
  }
}

