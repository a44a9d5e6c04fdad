// Binary frames, as crates/hub/src/frames.rs writes them: a header in JSON, then columns of numbers.
import type { BranchesHeader, EntriesHeader, StatesHeader, UniversesHeader } from "./types";

/** The columns of each kind of frame, in their order. */
const COLUMNS = {
  branches: { begins: "floats", reached: "floats", branch: "words", parent: "words", fork: "words", tip: "words", end: "words" },
  entries: { steps: "floats", kind: "words", call: "words", value: "words" },
  states: { depth: "words", status: "bytes" },
  universes: { universe: "words", status: "bytes", from: "words", to: "words", command: "bytes" },
} as const;

/** Columns with a row for each edge. */
const OF_EDGES: ReadonlySet<string> = new Set(["from", "to", "command"]);

type Kind = keyof typeof COLUMNS;
type Of<K extends Kind> = { [C in keyof (typeof COLUMNS)[K]]: ReturnType<Columns[(typeof COLUMNS)[K][C] & keyof Columns]> };

export type BranchesFrame = { header: BranchesHeader } & Of<"branches">;
export type EntriesFrame = { header: EntriesHeader } & Of<"entries">;
export type StatesFrame = { header: StatesHeader } & Of<"states">;
export type UniversesFrame = { header: UniversesHeader } & Of<"universes">;
/** What has changed, for everybody who looks. */
export type Patch = BranchesFrame | UniversesFrame;
export type Frame = Patch | EntriesFrame | StatesFrame;

/** An index that stands for no text. */
export const NONE = 0xffffffff;

class Columns {
  private at: number;

  constructor(
    private readonly buffer: ArrayBuffer,
    start: number,
  ) {
    this.at = start;
  }

  floats(count: number): Float64Array {
    return new Float64Array(this.buffer, this.take(count * 8), count);
  }

  words(count: number): Uint32Array {
    return new Uint32Array(this.buffer, this.take(count * 4), count);
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.buffer, this.take(count), count);
  }

  /** Where a column of so many bytes begins; the next one is aligned. */
  private take(bytes: number): number {
    const begin = this.at;
    this.at += Math.ceil(bytes / 8) * 8;
    return begin;
  }
}

/** Reads a frame. Numbers are little endian, as on every machine that has a browser. */
export function readFrame(buffer: ArrayBuffer): Frame {
  const length = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const header = JSON.parse(text) as Frame["header"];
  const columns = new Columns(buffer, 4 + length);
  const rows = (name: string): number => (OF_EDGES.has(name) && "edges" in header ? header.edges : header.count);
  const read = Object.entries(COLUMNS[header.frame as Kind]).map(([name, type]) => [name, columns[type](rows(name))]);
  return { header, ...Object.fromEntries(read) } as Frame;
}

export function isPatch(frame: Frame): frame is Patch {
  return "number" in frame.header;
}

export function isBranches(frame: Patch): frame is BranchesFrame {
  return frame.header.frame === "branches";
}
