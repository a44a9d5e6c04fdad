// The multiverse in formats of others.
import { entryOf, frames, type Entry, type Load } from "../tree/entries";
import { ROW, segmentFrom, xOf, type Layout } from "../tree/layout";
import { elided } from "../tree/labels";
import type { Multiverse } from "../tree/model";

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

export function svg(model: Multiverse, layout: Layout, entries: Entry[][]): string {
  const escape = (text: string) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
  const parts: string[] = [];
  const y = (row: number) => (layout.y[row] ?? 0) * ROW + ROW / 2;
  for (let row = 0; row < model.count; row++) {
    if ((layout.y[row] ?? -1) < 0) {
      continue;
    }
    const [x0, x1] = [layout.x0[row] ?? 0, layout.x1[row] ?? 0];
    const parent = model.parentRow(row);
    const begin = parent === undefined ? `M${x0} ${y(row)}` : `M${x0} ${y(parent)}V${y(row) - 8}Q${x0} ${y(row)} ${x0 + 8} ${y(row)}`;
    parts.push(`<path d="${begin}H${x1}" class="line"/>`);
    for (let segment = layout.first[row] ?? 0; segment < (layout.first[row + 1] ?? 0); segment++) {
      const to = layout.to[segment] ?? 0;
      const from = segmentFrom(model, layout, row, segment);
      if (layout.folded[segment] === 1) {
        const middle = (xOf(model, layout, row, from) + xOf(model, layout, row, to)) / 2;
        parts.push(`<text x="${middle}" y="${y(row) - 6}" text-anchor="middle">${to - from} entries</text>`);
        continue;
      }
      for (let index = from + 1; index <= to; index++) {
        const entry = entries[row]?.[index - 1 - (model.fork[row] ?? 0)];
        const x = xOf(model, layout, row, index);
        parts.push(`<circle cx="${x}" cy="${y(row)}" r="4" class="${entry?.kind ?? "input"}"/>`);
        if (entry) {
          parts.push(`<text x="${x - 8}" y="${y(row) - 6}" text-anchor="end">${escape(elided(words(entry), 16))}<title>${escape(words(entry))}</title>}</text>`);
        }
      }
    }
    if (model.end[row] === 2) {
      const text = model.words.get(model.branch[row] ?? 0) ?? "trapped";
      parts.push(`<text x="${x1 + 10}" y="${y(row) + 4}" class="bad">✕ ${escape(text)}</text>`);
    }
  }
  const size = `viewBox="-20 0 ${layout.width + 40} ${layout.height}" width="${layout.width + 40}" height="${layout.height}"`;
  const style = ".line{fill:none;stroke:#7a8496;stroke-width:1.5}text{font:11px monospace;fill:#3b4252}.input{fill:#0b6e4f}.output{fill:#5a4fcf}.event{fill:#9a5b00}.bad{fill:#b3261e}";
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><style>${style}</style>${parts.join("")}</svg>\n`;
}
