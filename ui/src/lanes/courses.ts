// What the entries of a path say about pins, motors and readings along it: a list of changes for each.
import { worded } from "../board/words";
import type { PathColumns } from "../time/path";

export interface Change {
  /** Steps before the entry that made it. */
  step: number;
  value: number | null;
  text: string;
  /** The colour that a sensor saw. */
  swatch: string | null;
}

export interface Courses {
  /** By call, with its arguments. */
  readings: ReadonlyMap<string, Change[]>;
  /** By the number of the pin or motor. */
  pins: ReadonlyMap<number, Change[]>;
  motors: ReadonlyMap<number, Change[]>;
}

const WRITE = /(?:digital|analog)_write\((\d+), (-?\d+)\)|led_?c_?write\((\d+), (-?\d+)\)/;
const TURN = /drive_motor_degrees\((\d+), (-?\d+), (-?\d+)\)/;

function push<K>(map: Map<K, Change[]>, key: K, change: Change): void {
  const list = map.get(key);
  if (list) {
    list.push(change);
  } else {
    map.set(key, [change]);
  }
}

/** While a program runs, calls are told without their arguments: then the row is that of the same call with some, if there is one. */
function keyOf(readings: ReadonlyMap<string, Change[]>, call: string): string | null {
  if (call.includes("(")) {
    return call;
  }
  const known = [...readings.keys()].filter((other) => other.startsWith(`${call}(`));
  return known.length > 1 ? null : (known[0] ?? call);
}

export function coursesOf(columns: Pick<PathColumns, "told">): Courses {
  const readings = new Map<string, Change[]>();
  const pins = new Map<number, Change[]>();
  const motors = new Map<number, Change[]>();
  for (const { call, value, steps: step, kind } of columns.told) {
    if (kind === "input") {
      const { text, swatch } = worded(call, value);
      const key = keyOf(readings, call);
      if (key !== null) push(readings, key, { step, value: value === null || Number.isNaN(Number(value)) ? null : Number(value), text, swatch });
      continue;
    }
    const written = WRITE.exec(call);
    if (written) {
      const level = Number(written[2] ?? written[4]);
      push(pins, Number(written[1] ?? written[3]), { step, value: level, text: String(level), swatch: null });
    }
    const turned = TURN.exec(call);
    if (turned) {
      const motor = Number(turned[1]);
      const degrees = (motors.get(motor)?.at(-1)?.value ?? 0) + Number(turned[3]);
      push(motors, motor, { step, value: degrees, text: `${degrees}°`, swatch: null });
    }
  }
  return { readings, pins, motors };
}

/** What was last said before a step is done; null before the first. */
export function at(changes: readonly Change[], step: number): Change | null {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.step ?? 0) < step) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return changes[low - 1] ?? null;
}

export type ByNumber = ReadonlyMap<number, readonly Change[]>;

/** What was known of pins or motors, and what was seen of them after it; only what differs from the value before is a change. */
export function sighted(seen: ByNumber, known: ByNumber, step: number, now: Iterable<readonly [number, number, string]>): ByNumber {
  const grown = new Map(seen);
  for (const [number, value, text] of now) {
    const list = grown.get(number) ?? [];
    const last = list.at(-1) ?? known.get(number)?.at(-1);
    if (last?.value !== value && (last?.step ?? -1) < step) {
      grown.set(number, [...list, { step, value, text, swatch: null }]);
    }
  }
  return grown;
}

export function joined(known: ByNumber, seen: ByNumber): ByNumber {
  return seen.size === 0 ? known : new Map([...known, ...[...seen].map(([number, list]) => [number, [...(known.get(number) ?? []), ...list]] as const)]);
}
