// The entries of a whole path, as columns: when they are, of what kind, and, on paths of a sensible length, what they say.
import { frames, type Load } from "../tree/entries";
import type { Multiverse } from "../tree/model";
import { NONE } from "../wire/frames";

export interface PathColumns {
  steps: Float64Array;
  kinds: Uint8Array;
  /** Numbers of texts, by entry; empty where the path is too long to be told in words. */
  calls: Uint32Array;
  values: Uint32Array;
  texts: string[];
}

export const NO_COLUMNS: PathColumns = {
  steps: new Float64Array(0),
  kinds: new Uint8Array(0),
  calls: new Uint32Array(0),
  values: new Uint32Array(0),
  texts: [],
};

/** A longer path is known up to here: there are fewer pixels anyway. */
const MOST = 1_000_000;
/** Longer paths have no words. */
const MOST_TOLD = 20_000;

/** Fetches the entries on the way to the end of a branch. */
export async function pathEntries(model: Multiverse, branch: number, load: (calls: boolean) => Load): Promise<PathColumns> {
  const row = model.rowOf(branch);
  const tip = row === undefined ? 0 : (model.tip[row] ?? 0);
  const count = Math.min(tip, MOST);
  const isTold = tip <= MOST_TOLD;
  const [told, texts] = [isTold ? count : 0, new Map<string, number>()];
  const columns = {
    steps: new Float64Array(count),
    kinds: new Uint8Array(count),
    calls: new Uint32Array(told),
    values: new Uint32Array(told),
  };
  const number = (text: string): number => {
    const known = texts.get(text);
    if (known === undefined) {
      texts.set(text, texts.size);
    }
    return known ?? texts.size - 1;
  };
  let filled = 0;
  for (const { row: on, to } of model.route({ branch, index: tip })) {
    const from = model.fork[on] ?? 0;
    for await (const frame of frames(load(isTold), model.branch[on] ?? 0, from, Math.min(to, from + count - filled))) {
      columns.steps.set(frame.steps, filled);
      columns.kinds.set(frame.kind.map((kind) => kind & 3), filled);
      for (let n = 0; isTold && n < frame.header.count; n++) {
        const value = frame.value[n] ?? NONE;
        columns.calls[filled + n] = number(frame.header.texts[frame.call[n] ?? 0] ?? "");
        columns.values[filled + n] = value === NONE ? NONE : number(frame.header.texts[value] ?? "");
      }
      filled += frame.header.count;
    }
  }
  return { ...columns, texts: [...texts.keys()] };
}
