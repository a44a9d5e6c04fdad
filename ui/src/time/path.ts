// The entries of a whole path: when they are, and, near the place shown, what they say. Of a long path so many are known
// as there are pixels to show them on, evenly spread, and all of them near the place shown.
import { entryOf, frames, type Entry, type Load } from "../tree/entries";
import type { Multiverse } from "../tree/model";
import type { EntryRow } from "../wire/types";

export interface PathColumns {
  /** The numbers of the known entries on the path, the first is 1. */
  numbers: Uint32Array;
  /** Steps before each. */
  steps: Float64Array;
  /** What is known in words: entries one after the other, from this number on. */
  first: number;
  told: Entry[];
}

export const NO_COLUMNS: PathColumns = { numbers: new Uint32Array(0), steps: new Float64Array(0), first: 1, told: [] };

/** Paths of at most so many entries are known entry by entry, and in words. */
const ALL = 20_000;
/** Of longer ones, so many are known, and so many before and after the place shown. */
const SAMPLES = 384;
const BEFORE = 3000;
const AFTER = 500;
/** Questions under way at a time. */
const AT_ONCE = 24;

/** A stretch of a path on one branch. */
interface Stretch {
  branch: number;
  from: number;
  to: number;
}

async function told(stretches: Stretch[], load: Load, from: number, to: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const { branch, from: begin, to: end } of stretches) {
    for await (const frame of frames(load, branch, Math.max(begin, from), Math.min(end, to))) {
      frame.steps.forEach((_, n) => entries.push(entryOf(frame, n)));
    }
  }
  return entries;
}

/** The steps of single entries, spread over a part of a path. */
async function sampled(stretches: Stretch[], load: Load, numbers: number[]): Promise<number[]> {
  const steps: number[] = [];
  for (let n = 0; n < numbers.length; n += AT_ONCE) {
    const asked = numbers.slice(n, n + AT_ONCE).map(async (number) => {
      const on = stretches.find(({ from, to }) => number > from && number <= to);
      return on ? ((await load(on.branch, number - 1, 1)).steps[0] ?? 0) : 0;
    });
    steps.push(...(await Promise.all(asked)));
  }
  return steps;
}

/** Fetches what is to be known of the way to the end of a branch, with a place on it. */
export async function pathEntries(model: Multiverse, branch: number, near: number, load: (calls: boolean) => Load): Promise<PathColumns> {
  const row = model.rowOf(branch);
  const tip = row === undefined ? 0 : (model.tip[row] ?? 0);
  const stretches = model.route({ branch, index: tip }).map(({ row: on, to }) => ({ branch: model.branch[on] ?? 0, from: model.fork[on] ?? 0, to }));
  const [from, to] = tip <= ALL ? [0, tip] : [Math.max(0, near - BEFORE), Math.min(tip, near + AFTER)];
  const words = await told(stretches, load(true), from, to);
  const outside = tip - (to - from);
  const every = Math.max(1, Math.ceil(outside / SAMPLES));
  const before: number[] = [];
  const after: number[] = [];
  for (let number = 1; number <= from; number += every) before.push(number);
  for (let number = to + every; number <= tip; number += every) after.push(number);
  if (after.length > 0 && after.at(-1) !== tip) after.push(tip);
  const steps = [...(await sampled(stretches, load(false), before)), ...words.map((entry) => entry.steps), ...(await sampled(stretches, load(false), after))];
  const numbers = [...before, ...words.map((_, n) => from + n + 1), ...after];
  return { numbers: Uint32Array.from(numbers), steps: Float64Array.from(steps), first: from + 1, told: words };
}

/** A path with the last entries before a place, told while the program runs. */
export function grown(known: PathColumns, index: number, tail: readonly EntryRow[]): PathColumns {
  const last = known.numbers.at(-1) ?? 0;
  const fresh = tail.slice(Math.max(0, tail.length - Math.max(0, index - last)));
  const from = index - fresh.length;
  // What was told before a gap is not told any more.
  const isNext = from === last;
  return {
    numbers: Uint32Array.from([...known.numbers, ...fresh.map((_, n) => from + n + 1)]),
    steps: Float64Array.from([...known.steps, ...fresh.map(({ steps }) => steps)]),
    first: isNext ? known.first : from + 1,
    told: [...(isNext ? known.told : []), ...fresh.map((row) => ({ ...row, value: row.value ?? null }))],
  };
}
