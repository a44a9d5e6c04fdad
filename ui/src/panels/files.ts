// The files of a program as a tree, and bytes as people read them.
import type { Cell } from "../wire/types";

export interface FileRow {
  path: string;
  /** Its last part; for a row without a folder above it, all of its path. */
  name: string;
  depth: number;
  /** Bytes, `folder`, or where a link leads; empty for what is gone. */
  size: string;
  change: string;
  /** It can be looked into. */
  isFile: boolean;
}

/** The rows of `files` (path, size, what changed), those in a folder below it. */
export function tree(rows: Cell[][]): FileRow[] {
  const order = [...rows].sort((a, b) => compare(parts(a), parts(b)));
  const above: string[] = [];
  return order.map((row) => {
    const path = String(row[0]);
    while (above.length > 0 && !path.startsWith(`${above[above.length - 1]}/`)) {
      above.pop();
    }
    const folder = above[above.length - 1];
    const depth = above.length;
    above.push(path);
    return {
      path,
      name: folder === undefined ? path : path.slice(folder.length + 1),
      depth,
      size: String(row[1] ?? ""),
      change: String(row[2] ?? ""),
      isFile: typeof row[1] === "number",
    };
  });
}

function parts(row: Cell[]): string[] {
  return String(row[0]).split("/");
}

function compare(a: string[], b: string[]): number {
  for (let n = 0; n < a.length && n < b.length; n++) {
    const [left, right] = [a[n] ?? "", b[n] ?? ""];
    if (left !== right) {
      return left < right ? -1 : 1;
    }
  }
  return a.length - b.length;
}

/** Up to sixteen bytes. */
export interface HexRow {
  address: string;
  numbers: string[];
  letters: string;
}

/** Sixteen bytes a row: where they are, as numbers, as letters. */
export function hexRows(bytes: number[], begin = 0): HexRow[] {
  return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, nth) => {
    const row = bytes.slice(nth * 16, nth * 16 + 16);
    return {
      address: (begin + nth * 16).toString(16).padStart(6, "0"),
      numbers: row.map((byte) => byte.toString(16).padStart(2, "0")),
      letters: row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join(""),
    };
  });
}

/** The same as a text. */
export function hexText(bytes: number[]): string {
  return hexRows(bytes).map(({ address, numbers, letters }) => `${address}  ${numbers.join(" ").padEnd(47)}  ${letters}`).join("\n");
}
