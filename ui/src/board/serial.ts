// What is typed into a serial line, as the bytes that the program reads.
import type { InputListing } from "../wire/types";

/** An input that reads a serial line byte by byte: it has all bytes, and most often -1 for nothing there. */
export function readsBytes({ call, range }: InputListing): boolean {
  const [low, high] = range ?? [0, 0];
  return high === 255 && (low === -1 || (low === 0 && /uart|serial|byte|char|receive/i.test(call)));
}

const LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "0": "\0", "\\": "\\" };

/** Text in UTF-8; `\x02` is a byte, `\n`, `\r`, `\t`, `\0` and `\\` are what they are in C. */
export function bytesOf(text: string): number[] {
  const bytes: number[] = [];
  const parts = text.matchAll(/\\x([0-9a-f]{2})|\\([nrt0\\])|([^\\]+|\\)/gi);
  for (const [, hex, letter, plain] of parts) {
    if (hex !== undefined) {
      bytes.push(Number.parseInt(hex, 16));
    } else {
      bytes.push(...new TextEncoder().encode(letter === undefined ? (plain ?? "") : (LETTERS[letter.toLowerCase()] ?? "")));
    }
  }
  return bytes;
}
