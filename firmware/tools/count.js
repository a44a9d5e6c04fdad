// Counts the instructions that a program lets the emulated core execute between marks on its serial line.

import { readFileSync } from 'node:fs';
import { Board } from './pico.js';

/** Bytes behind the mark of a result: a number of four, and a number of WebAssembly instructions of eight. */
const RESULT = 12;
const [BEGIN, END, IS, STOP] = Buffer.from('()=.');

/** What each measurement of a program came to: `{ instructions, number, steps }`. */
export function count(path) {
  const board = new Board(readFileSync(path));
  const found = [];
  let began = 0;
  let instructions = 0;
  let result = null;
  for (;;) {
    board.run(1);
    for (const byte of board.sent()) {
      if (result) {
        result.push(byte);
        if (result.length < RESULT) continue;
        const bytes = Buffer.from(result);
        found.push({ instructions, number: bytes.readUInt32LE(0), steps: Number(bytes.readBigUInt64LE(4)) });
        result = null;
        instructions = 0;
      } else if (byte === BEGIN) {
        began = board.executed;
      } else if (byte === END) {
        instructions += board.executed - began;
      } else if (byte === IS) {
        result = [];
      } else if (byte === STOP) {
        return found;
      } else {
        throw new Error(`${path}: it failed after ${found.length} measurements`);
      }
    }
  }
}
