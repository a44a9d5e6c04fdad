// The table at the right of the tree: for each leaf in sight a picture of its board and what expressions come to there.
import { thumb, withDial } from "../board/thumb";
import type { Brush } from "../drawing";
import { duration } from "../words";
import { elided } from "./labels";
import { ROW } from "./layout";
import type { Leaf } from "./leaves.svelte";
import type { Tint } from "./paint";
import { baseline, inSight, type Scene } from "./scene";

export const HEAD = 20;
const PICTURE = 52;
const COLUMN = 66;

/** The room that it takes. */
export function tableWidth(columns: number, hasPictures: boolean): number {
  return columns === 0 && !hasPictures ? 0 : (hasPictures ? PICTURE : 8) + columns * COLUMN + 10;
}

export interface Table {
  columns: readonly string[];
  leaves: ReadonlyMap<number, Leaf>;
  tints: ReadonlyMap<number, Tint>;
  hasPictures: boolean;
  /** Whether the board of one of them has a motor: then one that has not moved stands at 0. */
  hasDial: boolean;
  width: number;
}

export function paintTable(brush: Brush, scene: Scene, table: Table): void {
  const { palette, context, width } = brush;
  const left = width - table.width;
  const { layout, model, camera } = scene;
  context.fillStyle = palette.sheet;
  context.fillRect(left - 6, 0, table.width + 6, scene.height);
  const row = ROW * camera.rise;
  const radius = Math.min(20, row / 2 - 3);
  for (const at of inSight(scene)) {
    const leaf = table.leaves.get(model.branch[at] ?? -1);
    const y = (baseline(at, layout) - camera.y) * camera.rise;
    if (!leaf || y < HEAD + radius || y > scene.height - 8 || row < 13) {
      continue;
    }
    const tint = table.tints.get(at);
    const colour = tint ? palette[tint.colour] : palette.ink;
    const end = Math.min(left - 10, (layout.x1[at] ?? 0) * camera.zoom - camera.x * camera.zoom + 26);
    if (end < left - 16) {
      brush.line(end, y, left - 8, y).stroke(palette["line-2"], 1, [1, 4]);
    }
    if (tint?.isWrong) {
      context.beginPath();
      context.roundRect(left - 4, y - row / 2 + 2, table.width - 2, row - 4, 8);
      brush.fill(palette["bad-soft"]).stroke(palette["bad-line"], 1);
    }
    if (leaf.picture && radius > 7) {
      thumb(brush, table.hasDial ? withDial(leaf.picture) : leaf.picture, left + PICTURE / 2, y, radius, colour);
    }
    table.columns.forEach((_, n) => {
      const value = `${leaf.values[n] ?? "–"}${/^motor \d+$/.test(table.columns[n] ?? "") ? "°" : ""}`;
      const x = left + (table.hasPictures ? PICTURE : 8) + (n + 1) * COLUMN - 8;
      brush.write(elided(value, 9), x, y + 4, colour, `${n === 0 ? 600 : 400} 12px ${palette.mono}`, "right");
    });
  }
  paintHead(brush, table, left);
}

function paintHead(brush: Brush, table: Table, left: number): void {
  const { palette, context } = brush;
  context.fillStyle = palette.sheet;
  context.fillRect(left - 6, 0, table.width + 6, HEAD);
  table.columns.forEach((name, n) => {
    const x = left + (table.hasPictures ? PICTURE : 8) + (n + 1) * COLUMN - 8;
    brush.write(elided(name, 9), x, 13, palette["ink-3"], `11px ${palette.mono}`, "right");
  });
}

/** What came of a leaf, in words. */
export function outcomeOf(leaf: Leaf): string {
  const { outcome } = leaf;
  switch (outcome.is) {
    case "open":
      return `goes on, ${duration(leaf.clock_us)}`;
    case "limit":
      return `breaks ${outcome.limit}`;
    case "finished":
      return outcome.results.length > 0 ? `finished: ${outcome.results.join(", ")}` : "finished";
    case "exited":
      return `exit code ${outcome.code}`;
    case "trapped":
      return `trapped: ${outcome.trap}`;
  }
}
