// Entries as they are needed: the server keeps them, the page asks for what is in sight.
import { NONE, type EntriesFrame } from "../wire/frames";
import type { EntryClass, EntryRow } from "../wire/types";
import type { Multiverse, Place } from "./model";

export interface Entry {
  kind: EntryClass;
  /** Steps before it. */
  steps: number;
  call: string;
  value: string | null;
  mocked: boolean;
}

const CHUNK = 256;
/** Entries of a frame at most. */
const LONGEST = 16_384;
/** Questions under way at a time: what is in sight now matters more than what was. */
const AT_ONCE = 3;
const KEPT = 4000;
const KINDS: EntryClass[] = ["input", "output", "event"];

/** Asks the server for entries of a branch. */
export type Load = (branch: number, from: number, count: number) => Promise<EntriesFrame>;

/** An entry of a frame. */
export function entryOf(frame: EntriesFrame, n: number): Entry {
  const kind = frame.kind[n] ?? 0;
  const value = frame.value[n] ?? NONE;
  return {
    kind: KINDS[kind & 3] ?? "event",
    steps: frame.steps[n] ?? 0,
    call: frame.header.texts[frame.call[n] ?? 0] ?? "",
    value: value === NONE ? null : (frame.header.texts[value] ?? null),
    mocked: (kind & 4) !== 0,
  };
}

/** The frames of a stretch of a branch; fewer, where the server has no more. */
export async function* frames(load: Load, branch: number, from: number, to: number): AsyncGenerator<EntriesFrame> {
  while (from < to) {
    const frame = await load(branch, from, Math.min(LONGEST, to - from));
    if (frame.header.count === 0) {
      return;
    }
    yield frame;
    from += frame.header.count;
  }
}

export class Entries {
  private readonly chunks = new Map<string, EntriesFrame>();
  private readonly asked = new Set<string>();
  private wanted: { key: string; branch: number; from: number }[] = [];
  private busy = 0;
  private fresh: { branch: number; from: number; rows: readonly EntryRow[] } = { branch: -1, from: 0, rows: [] };

  constructor(
    private readonly model: Multiverse,
    private readonly load: Load,
    private readonly arrived: () => void,
  ) {}

  /** Takes in the last entries on the way to a universe, told while the program runs. */
  feed(at: Place, tail: readonly EntryRow[]): void {
    const { branch, index } = this.model.canonical(at);
    this.fresh = { branch, from: index - tail.length, rows: tail };
    this.arrived();
  }

  /** Forgets everything: the program or the session is another one. */
  clear(): void {
    this.chunks.clear();
    this.asked.clear();
    this.wanted = [];
  }

  /** The entry that leads to `index` on a row of the model; null if it has to be fetched first. */
  at(row: number, index: number): Entry | null {
    const fork = this.model.fork[row] ?? 0;
    const tip = this.model.tip[row] ?? 0;
    if (index <= fork || index > tip) {
      return null;
    }
    const branch = this.model.branch[row] ?? 0;
    const told = this.fresh.branch === branch ? this.fresh.rows[index - this.fresh.from - 1] : undefined;
    if (told) {
      return { ...told, value: told.value ?? null };
    }
    const chunk = Math.floor((index - fork - 1) / CHUNK);
    const key = `${branch}.${chunk}`;
    const frame = this.chunks.get(key);
    const n = index - 1 - (frame?.header.from ?? 0);
    if (!frame || n >= frame.header.count) {
      this.want(key, branch, fork + chunk * CHUNK);
      return null;
    }
    return entryOf(frame, n);
  }

  private want(key: string, branch: number, from: number): void {
    if (this.asked.has(key) || this.wanted.some((other) => other.key === key)) {
      return;
    }
    this.wanted.push({ key, branch, from });
    if (this.wanted.length > 200) {
      this.wanted.splice(0, 100);
    }
    this.pump();
  }

  private pump(): void {
    while (this.busy < AT_ONCE) {
      const next = this.wanted.pop();
      if (!next) {
        return;
      }
      this.busy++;
      this.asked.add(next.key);
      this.load(next.branch, next.from, CHUNK)
        .then((frame) => {
          if (this.chunks.size > KEPT) {
            this.clear();
          }
          this.chunks.set(next.key, frame);
          this.arrived();
        })
        .catch(() => undefined)
        .finally(() => {
          // A branch may have grown since: the last chunk is asked for again when it is too short.
          this.asked.delete(next.key);
          this.busy--;
          this.pump();
        });
    }
  }
}
