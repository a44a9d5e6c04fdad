// Binary frames, as crates/hub/src/frames.rs writes them: a header in JSON, then columns of numbers.
import type { BranchesHeader, EntriesHeader, StatesHeader } from "./types";

export interface BranchesFrame {
  header: BranchesHeader;
  begins: Float64Array;
  reached: Float64Array;
  branch: Uint32Array;
  parent: Uint32Array;
  fork: Uint32Array;
  tip: Uint32Array;
  end: Uint32Array;
}

export interface EntriesFrame {
  header: EntriesHeader;
  steps: Float64Array;
  kind: Uint32Array;
  call: Uint32Array;
  value: Uint32Array;
}

export interface StatesFrame {
  header: StatesHeader;
  depth: Uint32Array;
  status: Uint8Array;
}

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
  if (isBranches(header)) {
    return {
      header,
      begins: columns.floats(),
      reached: columns.floats(),
      branch: columns.words(),
      parent: columns.words(),
      fork: columns.words(),
      tip: columns.words(),
      end: columns.words(),
    };
  }
  if (isStates(header)) {
    return { header, depth: columns.words(), status: columns.bytes() };
  }
  return {
    header,
    steps: columns.floats(),
    kind: columns.words(),
    call: columns.words(),
    value: columns.words(),
  };
}

function isBranches(header: Frame["header"]): header is BranchesHeader {
  return header.frame === "branches";
}

function isStates(header: Frame["header"]): header is StatesHeader {
  return header.frame === "states";
}

export function isBranchesFrame(frame: Frame): frame is BranchesFrame {
  return isBranches(frame.header);
}
