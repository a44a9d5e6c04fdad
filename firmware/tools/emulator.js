// Runs the Pico's firmware in rp2040js; its line to the host, which is UART0 or the USB port, is a TCP port.
//
//   node emulator.js [--usb] [--baud=N] FIRMWARE.elf PORT [FLASH]
//
// With `--baud`, the host's end of the serial line has that speed, and bytes arrive as others until the firmware has it.
// What the firmware writes to flash is kept in the file FLASH, if there is one, for the next start.
// From a pipe it takes `system_reset`, as QEMU's monitor does, and `hang`, after which the core executes nothing while
// time passes.

import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';
import { Board } from './pico.js';

/** Instructions between two looks at the socket and the wall's clock. */
const BATCH = 20_000;
/** The most that emulated time catches up in one go, in milliseconds: a pause of this process is no time passed. */
const CATCH_UP_MS = 5;

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
let client = null;
let arrived = Buffer.alloc(0);

createServer((socket) => {
  // Whoever comes last has the cable.
  client?.destroy();
  client = socket.setNoDelay(true);
  socket.on('data', (bytes) => (arrived = Buffer.concat([arrived, bytes])));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    if (client === socket) client = null;
  });
}).listen(Number(port), '127.0.0.1');

// Who reads from a terminal in the background is stopped.
if (!isatty(0)) {
  createInterface({ input: process.stdin }).on('line', (word) => {
    if (word === 'system_reset') board.reset();
    else if (word === 'hang') board.hang();
    else console.error(`emulator: no such command: ${word}`);
  });
}

let before = performance.now();

function turn() {
  arrived = arrived.subarray(board.receive(arrived));
  board.run(BATCH);
  const now = performance.now();
  board.pass(Math.min(now - before, CATCH_UP_MS));
  before = now;
  const sent = board.sent();
  if (sent.length > 0) client?.write(sent);
  setImmediate(turn);
}

turn();
