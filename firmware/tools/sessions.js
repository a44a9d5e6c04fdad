// Debugs programs on emulated firmware as a user does, and says how much memory that takes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plug } from './line.js';
import { Memory } from './memory.js';
import { Board } from './pico.js';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const example = (name) => join(EXAMPLES, name, `${name}.wasm`);

/** What users do: `{ program, script, delay }`, with the delay of the line in milliseconds. */
const SESSIONS = [
  {
    // All there is to do: to stop at lines, values, calls; to mock, go back, follow, jump, fork; another program.
    program: () => example('color-dial'),
    script: [
      'break color-dial.ts:19; break write current; break call drive_motor_degrees; mock read_uart_sensor(0) = 5',
      'continue; verify; continue; verify; continue; bookmark five; board; back; back; follow; verify',
      'mock read_uart_sensor(0) = 2, 3, 4, 5, 6, 7; restart; follow; fork; entry 4; verify',
      `jump five; follow; verify; moment; delete all; entry 12; verify; back 3; follow; verify; upload ${example('blink')}`,
    ],
  },
  {
    // A program of 6 KiB, compiled from C, on a board that declares primitives of its own.
    program: () => example('uart-parser'),
    script: ['entry 30; verify; back 5; follow; verify; entry 2; verify'],
  },
  {
    // One that fills all buffers, because its line is slow.
    program: (folder) => {
      const path = join(folder, 'reads.wasm');
      writeFileSync(path, READS);
      return path;
    },
    script: ['continue; verify'],
    delay: 1000,
  },
];

/**
 * (module
 *   (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
 *   (func (export "main") (local $turn i32)
 *     (loop $again
 *       (drop (call $read (i32.const 1)))
 *       (br_if $again (i32.lt_u (local.tee $turn (i32.add (local.get $turn) (i32.const 1))) (i32.const 2000))))))
 */
const READS = Buffer.from(
  '0061736d0100000001090260017f017f600000021901' +
    '03656e7611636869705f6469676974616c5f726561640000030201010708' +
    '01046d61696e00010a1b011901017f034041011000' +
    '1a200041016a220041d00f49' +
    '0d000b0b',
  'hex',
);

/** Plays all sessions on a firmware; `debugger_` is the host's program. What `Memory` has seen. */
export async function memoryOf(firmware, debugger_) {
  const elf = readFileSync(firmware);
  const memory = new Memory(elf);
  const folder = mkdtempSync(join(tmpdir(), 'borges-'));
  try {
    for (const { program, script, delay } of SESSIONS) {
      const board = new Board(elf, { memory, usb: firmware.endsWith('usb') });
      const { port, close } = await plug(board, 0, { delay });
      const words = ['repl', program(folder), '-x', script.join('; '), '--device', `tcp:127.0.0.1:${port}`];
      const child = spawn(debugger_, words, { stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes));
      const [status] = await once(child, 'close');
      close();
      if (status !== 0) throw new Error(`a session on ${firmware} failed:\n${said}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return memory;
}
