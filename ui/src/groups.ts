// Things sorted by a number that each has, in time proportional to how many there are.

/** Rows by a number that each has: those of number n are `list` from `first[n]` to `first[n + 1]`, in their order. */
export interface Groups {
  first: Uint32Array;
  list: Uint32Array;
}

const NOBODY = new Uint32Array(0);

/** Groups rows by their numbers below `count`; rows with a negative number are in no group. */
export function group(numbers: Int32Array | Uint32Array | Float64Array, count: number): Groups {
  const first = new Uint32Array(count + 1);
  for (const number of numbers) {
    if (number >= 0) {
      first[number + 1] = (first[number + 1] ?? 0) + 1;
    }
  }
  for (let number = 0; number < count; number++) {
    first[number + 1] = (first[number + 1] ?? 0) + (first[number] ?? 0);
  }
  const next = first.slice();
  const list = new Uint32Array(first[count] ?? 0);
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row] ?? -1;
    if (number >= 0) {
      const at = next[number] ?? 0;
      list[at] = row;
      next[number] = at + 1;
    }
  }
  return { first, list };
}

/** The rows of a group. */
export function members({ first, list }: Groups, number: number): Uint32Array {
  const [from, to] = [first[number] ?? 0, first[number + 1] ?? 0];
  // Most groups of a large multiverse are empty.
  return from === to ? NOBODY : list.subarray(from, to);
}
