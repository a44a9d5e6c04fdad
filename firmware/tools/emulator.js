// Runs the Pico's firmware in rp2040js; its line to the host, which is UART0 or the USB port, is a TCP port.
//
//   node emulator.js [--usb] [--baud=N] FIRMWARE.elf PORT [FLASH]
//
// With `--baud`, the host's end of the serial line has that speed, and bytes arrive as others until the firmware has it.
// What the firmware writes to flash is kept in the file FLASH, if there is one, for the next start.
// From a pipe it takes `system_reset`, as QEMU's monitor does, and `hang`, after which the core executes nothing while
// time passes.

import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';
import { plug } from './line.js';
import { Board } from './pico.js';

const words = process.argv.slice(2);
const [firmware, port, kept] = words.filter((word) => !word.startsWith('--'));
const baud = words.find((word) => word.startsWith('--baud='));
if (!firmware || !/^\d+$/.test(port ?? '')) {
  console.error('usage: node emulator.js [--usb] [--baud=N] FIRMWARE.elf PORT [FLASH]');
  process.exit(2);
}

const board = new Board(readFileSync(firmware), {
  usb: words.includes('--usb'),
  baud: baud && Number(baud.slice('--baud='.length)),
  flash: kept && existsSync(kept) ? readFileSync(kept) : undefined,
});
if (kept) {
  const file = openSync(kept, existsSync(kept) ? 'r+' : 'w');
  board.onFlash = (offset, bytes) => writeSync(file, bytes, 0, bytes.length, offset);
}
await plug(board, Number(port));

// Who reads from a terminal in the background is stopped.
if (!isatty(0)) {
  createInterface({ input: process.stdin }).on('line', (word) => {
    if (word === 'system_reset') board.reset();
    else if (word === 'hang') board.hang();
    else console.error(`emulator: no such command: ${word}`);
  });
}
