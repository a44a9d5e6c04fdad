// A board's line to the host, as a TCP port of this computer.

import { once } from 'node:events';
import { createServer } from 'node:net';

/** Instructions between two looks at the socket and the wall's clock. */
const BATCH = 20_000;
/** The most that emulated time catches up in one go, in milliseconds: a pause of this process is no time passed. */
const CATCH_UP_MS = 5;

/**
 * Lets a board run with its line at a port (0: whichever is free), until `close` is called on what comes back:
 * `{ port, close }`. With `delay`, what the board sends arrives so many milliseconds later.
 */
export async function plug(board, port, { delay = 0 } = {}) {
  let client = null;
  let arrived = Buffer.alloc(0);
  /** What was sent: `{ at, bytes }`, with the time when it arrives. */
  const sent = [];
  const server = createServer((socket) => {
    // Whoever comes last has the cable.
    client?.destroy();
    client = socket.setNoDelay(true);
    socket.on('data', (bytes) => (arrived = Buffer.concat([arrived, bytes])));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (client === socket) client = null;
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');

  let before = performance.now();
  let isOpen = true;
  const turn = () => {
    arrived = arrived.subarray(board.receive(arrived));
    board.run(BATCH);
    const now = performance.now();
    board.pass(Math.min(now - before, CATCH_UP_MS));
    before = now;
    const bytes = board.sent();
    if (bytes.length > 0) sent.push({ at: now + delay, bytes });
    while (sent.length > 0 && sent[0].at <= now) {
      const { bytes } = sent.shift();
      // Where no cable is, it is lost.
      client?.write(bytes);
    }
    if (isOpen) setImmediate(turn);
  };
  turn();
  const close = () => {
    isOpen = false;
    client?.destroy();
    server.close();
  };
  return { port: server.address().port, close };
}
