// Counts the instructions that a program of `firmware/bench` lets an emulated core execute between two of its marks.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { segments } from './elf.js';
import { Board } from './pico.js';

const STM32_FLASH = 0x08000000;
/** A result behind its mark: a number of four bytes, and a number of WebAssembly instructions of eight. */
const RESULT = 12;
/** In QEMU the number of instructions follows. */
const COUNTED = 4;
const [BEGIN, END, FORGET, IS, STOP] = Buffer.from('()-=.');

/** What each measurement of a program came to: `{ instructions, number, steps }`. */
export function count(path) {
  const elf = readFileSync(path);
  const isStm32 = segments(elf)[0].address === STM32_FLASH;
  const found = [];
  for (const { bytes, instructions } of isStm32 ? inQemu(path) : onPico(path, elf)) {
    found.push({ instructions, number: bytes.readUInt32LE(0), steps: Number(bytes.readBigUInt64LE(4)) });
  }
  return found;
}

/** Results of the emulated Pico, which is stopped after each instruction: the program says where to count. */
function* onPico(path, elf) {
  const board = new Board(elf);
  let began = 0;
  let instructions = 0;
  let result = null;
  for (;;) {
    board.run(1);
    for (const byte of board.sent()) {
      if (result) {
        result.push(byte);
        if (result.length < RESULT) continue;
        yield { bytes: Buffer.from(result), instructions };
        result = null;
        instructions = 0;
      } else if (byte === BEGIN) {
        began = board.executed;
      } else if (byte === END) {
        instructions += board.executed - began;
      } else if (byte === FORGET) {
        // Nothing is added.
      } else if (byte === IS) {
        result = [];
      } else if (byte === STOP) {
        return;
      } else {
        throw new Error(`${path}: it failed`);
      }
    }
  }
}

/** Results in QEMU, where the program counts: with `-icount shift=0` an instruction takes a nanosecond of its clock. */
function* inQemu(path) {
  const machine = ['-M', 'netduinoplus2', '-icount', 'shift=0', '-kernel', path];
  const lines = ['-display', 'none', '-monitor', 'none', '-serial', 'stdio', '-semihosting-config', 'enable=on'];
  const { stdout, error } = spawnSync('qemu-system-arm', [...machine, ...lines], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (error) throw error;
  let at = 0;
  for (; stdout[at] === IS; at += RESULT + COUNTED) {
    const bytes = stdout.subarray(++at, at + RESULT);
    yield { bytes, instructions: stdout.readUInt32LE(at + RESULT) };
  }
  if (stdout[at] !== STOP) throw new Error(`${path}: it failed`);
}
