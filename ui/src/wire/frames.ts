// Binary frames, as crates/hub/src/frames.rs writes them: a header in JSON, then columns of numbers.
import type { BranchesHeader, EntriesHeader } from "./types";

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
}

/** Reads a frame. Numbers are little endian, as on every machine that has a browser. */
export function readFrame(buffer: ArrayBuffer): BranchesFrame | EntriesFrame {
  const length = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const header = JSON.parse(text) as BranchesHeader | EntriesHeader;
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
  return {
    header,
    steps: columns.floats(),
    kind: columns.words(),
    call: columns.words(),
    value: columns.words(),
  };
}

function isBranches(header: BranchesHeader | EntriesHeader): header is BranchesHeader {
  return header.frame === "branches";
}

export function isBranchesFrame(frame: BranchesFrame | EntriesFrame): frame is BranchesFrame {
  return isBranches(frame.header);
}
