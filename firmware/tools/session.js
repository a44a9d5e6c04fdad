// Prints what a session costs a device: see `firmware/bench/src/session.rs`.
//
//   node session.js PROGRAM.elf

import { count } from './count.js';

const NAMES = ['without a session', 'with a session that traces', 'with a state saved at every primitive'];
const counts = count(process.argv[2]);
const [plain] = counts;
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
row(['run', 'WebAssembly instructions', 'instructions of the core', 'against the first', 'bytes']);
row(['---', '---:', '---:', '---:', '---:']);
counts.forEach(({ instructions, number, steps }, i) => {
  if (steps !== plain.steps) throw new Error(`${NAMES[i]}: ${steps} steps instead of ${plain.steps}`);
  const ratio = (instructions / plain.instructions).toFixed(3);
  row([NAMES[i], ...[steps, instructions].map((n) => n.toLocaleString('en')), ratio, number.toLocaleString('en')]);
});
