// The multiverse in formats of others.
import { Brush } from "../drawing";
import { theme } from "../state/theme.svelte";
import { entryOf, frames, type Entry, type Load } from "../tree/entries";
import type { Multiverse } from "../tree/model";
import { paint, type Tint } from "../tree/paint";
import { END_ROOM, type Scene } from "../tree/scene";
import { VectorPen } from "../vector";

/** Room around a picture. */
const MARGIN = 40;
const ENDS = ["open", "finished", "trapped"];
/** Larger trees make files that no viewer opens. */
const MOST_ENTRIES = 200_000;

/** All entries, by row of the model. */
export async function collect(model: Multiverse, load: Load): Promise<Entry[][]> {
  const rows: Entry[][] = [];
  let total = 0;
  for (let row = 0; row < model.count; row++) {
    const list: Entry[] = [];
    const [fork, tip] = [model.fork[row] ?? 0, model.tip[row] ?? 0];
    total += tip - fork;
    if (total > MOST_ENTRIES) {
      throw new Error(`the multiverse has more than ${MOST_ENTRIES} entries: filter it first, or query the session file`);
    }
    for await (const frame of frames(load, model.branch[row] ?? 0, fork, tip)) {
      frame.steps.forEach((_, n) => list.push(entryOf(frame, n)));
    }
    rows.push(list);
  }
  return rows;
}

function words(entry: Entry): string {
  return entry.value === null ? entry.call : `${entry.call} = ${entry.value}`;
}

export function json(model: Multiverse, entries: Entry[][], program: string): string {
  const branches = entries.map((list, row) => ({
    branch: model.branch[row],
    parent: row === 0 ? null : model.parent[row],
    fork: model.fork[row],
    end: ENDS[model.end[row] ?? 0],
    trap: model.words.get(model.branch[row] ?? 0) ?? null,
    reached: model.reached[row],
    entries: list,
  }));
  return `${JSON.stringify({ format: "borges-multiverse", version: 1, program, branches }, null, 1)}\n`;
}

export function dot(model: Multiverse, entries: Entry[][]): string {
  const lines = ["digraph multiverse {", "  rankdir=LR;", '  node [shape=point, label=""];', '  "0.0" [shape=circle, label="start"];'];
  const quote = (text: string) => `"${text.replace(/["\\]/g, (c) => `\\${c}`)}"`;
  entries.forEach((list, row) => {
    const branch = model.branch[row] ?? 0;
    const fork = model.fork[row] ?? 0;
    list.forEach((entry, n) => {
      const from = n === 0 ? model.canonical({ branch: row === 0 ? branch : (model.parent[row] ?? 0), index: fork }) : { branch, index: fork + n };
      const style = entry.kind === "output" ? ", style=bold" : entry.kind === "event" ? ", style=dashed" : "";
      lines.push(`  "${from.branch}.${from.index}" -> "${branch}.${fork + n + 1}" [label=${quote(words(entry))}${style}];`);
    });
    if (model.end[row] === 2) {
      const text = model.words.get(branch) ?? "trapped";
      lines.push(`  "${branch}.${model.tip[row] ?? 0}" [shape=octagon, color=red, label=${quote(text)}];`);
    }
  });
  return `${lines.join("\n")}\n}\n`;
}

/** The whole tree as it is drawn, at the size at which all of it can be read. */
export function svg(scene: Scene, tints: ReadonlyMap<number, Tint>, entries: Entry[][]): string {
  const { model, layout } = scene;
  const [width, height] = [layout.width + 2 * MARGIN + END_ROOM, layout.height + 2 * MARGIN];
  const pen = new VectorPen(width, height, theme.palette.sheet);
  const at = (row: number, index: number): Entry | null => entries[row]?.[index - 1 - (model.fork[row] ?? 0)] ?? null;
  paint(new Brush(pen, theme.palette), { ...scene, entries: { at }, preview: new Map(), camera: { x: -MARGIN, y: -MARGIN, zoom: 1, rise: 1 }, width, height }, tints);
  return pen.toString();
}

/** Hands a file to the user. */
export function download(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
