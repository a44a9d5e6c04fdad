// Binary frames, as crates/hub/src/frames.rs writes them: a header in JSON, then columns of numbers.
import type { BranchesHeader, EntriesHeader, StatesHeader } from "./types";

/** The columns of each kind of frame, in their order. */
const COLUMNS = {
  branches: { begins: "floats", reached: "floats", branch: "words", parent: "words", fork: "words", tip: "words", end: "words" },
  entries: { steps: "floats", kind: "words", call: "words", value: "words" },
  states: { depth: "words", status: "bytes" },
} as const;

type Kind = keyof typeof COLUMNS;
type Of<K extends Kind> = { [C in keyof (typeof COLUMNS)[K]]: ReturnType<Columns[(typeof COLUMNS)[K][C] & keyof Columns]> };

export type BranchesFrame = { header: BranchesHeader } & Of<"branches">;
export type EntriesFrame = { header: EntriesHeader } & Of<"entries">;
export type StatesFrame = { header: StatesHeader } & Of<"states">;
export type Frame = BranchesFrame | EntriesFrame | StatesFrame;

/** An index that stands for no text. */
export const NONE = 0xffffffff;

class Columns {
  private at: number;

  constructor(
    private readonly buffer: ArrayBuffer,
    start: number,
    private readonly count: number,
  ) {
    this.at = start;
  }

  floats(): Float64Array {
    const column = new Float64Array(this.buffer, this.at, this.count);
    this.at += this.count * 8;
    return column;
  }

  words(): Uint32Array {
    const column = new Uint32Array(this.buffer, this.at, this.count);
    this.at += Math.ceil(this.count / 2) * 8;
    return column;
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.buffer, this.at, this.count);
  }
}

/** Reads a frame. Numbers are little endian, as on every machine that has a browser. */
export function readFrame(buffer: ArrayBuffer): Frame {
  const length = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const header = JSON.parse(text) as Frame["header"];
  const columns = new Columns(buffer, 4 + length, header.count);
  const read = Object.entries(COLUMNS[header.frame as Kind]).map(([name, type]) => [name, columns[type]()]);
  return { header, ...Object.fromEntries(read) } as Frame;
}

export function isBranchesFrame(frame: Frame): frame is BranchesFrame {
  return frame.header.frame === "branches";
}
