// The entries of a whole path, as columns: enough to draw them, not to name them.
import type { EntriesFrame } from "../wire/frames";
import type { Multiverse } from "../tree/model";

export interface PathColumns {
  steps: Float64Array;
  kinds: Uint8Array;
}

const AT_ONCE = 16_384;
/** A longer path is drawn up to here: there are fewer pixels anyway. */
const MOST = 1_000_000;

type Load = (branch: number, from: number, count: number) => Promise<EntriesFrame>;

/** Fetches the entries on the way to the end of a branch. */
export async function pathEntries(model: Multiverse, branch: number, load: Load): Promise<PathColumns> {
  const row = model.rowOf(branch);
  const tip = row === undefined ? 0 : (model.tip[row] ?? 0);
  const route = model.route({ branch, index: tip });
  const count = Math.min(tip, MOST);
  const columns = { steps: new Float64Array(count), kinds: new Uint8Array(count) };
  let filled = 0;
  for (const { row: on, to } of route) {
    let from = model.fork[on] ?? 0;
    while (from < to && filled < count) {
      const frame = await load(model.branch[on] ?? 0, from, Math.min(AT_ONCE, to - from));
      if (frame.header.count === 0) {
        return columns;
      }
      const usable = Math.min(frame.header.count, to - from, count - filled);
      columns.steps.set(frame.steps.subarray(0, usable), filled);
      for (let n = 0; n < usable; n++) {
        columns.kinds[filled + n] = (frame.kind[n] ?? 0) & 3;
      }
      filled += usable;
      from += usable;
    }
  }
  return columns;
}
