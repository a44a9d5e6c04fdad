// The entries of a whole path, as columns: enough to draw them, not to name them.
import { frames, type Load } from "../tree/entries";
import type { Multiverse } from "../tree/model";

export interface PathColumns {
  steps: Float64Array;
  kinds: Uint8Array;
}

/** A longer path is drawn up to here: there are fewer pixels anyway. */
const MOST = 1_000_000;

/** Fetches the entries on the way to the end of a branch. */
export async function pathEntries(model: Multiverse, branch: number, load: Load): Promise<PathColumns> {
  const row = model.rowOf(branch);
  const tip = row === undefined ? 0 : (model.tip[row] ?? 0);
  const count = Math.min(tip, MOST);
  const columns = { steps: new Float64Array(count), kinds: new Uint8Array(count) };
  let filled = 0;
  for (const { row: on, to } of model.route({ branch, index: tip })) {
    const from = model.fork[on] ?? 0;
    for await (const frame of frames(load, model.branch[on] ?? 0, from, Math.min(to, from + count - filled))) {
      columns.steps.set(frame.steps, filled);
      columns.kinds.set(frame.kind.map((kind) => kind & 3), filled);
      filled += frame.header.count;
    }
  }
  return columns;
}
