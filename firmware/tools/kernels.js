// Prints how many instructions of the core each kernel takes in several programs: see `firmware/bench/run.sh`.
//
//   node kernels.js "KERNEL…" PROGRAM.elf…        the first program is what the others are held against

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { count } from './count.js';
import { sections } from './elf.js';

const [names, ...programs] = process.argv.slice(2);
const kernels = names.split(' ');
const counts = programs.map(count);
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const header = programs.map((program) => basename(program));
row(['kernel', 'WebAssembly instructions', ...header, ...header.slice(1).map((name) => `${name} / ${header[0]}`)]);
row(['---', '---:', ...header.map(() => '---:'), ...header.slice(1).map(() => '---:')]);
const logarithms = programs.map(() => 0);
kernels.forEach((kernel, i) => {
  const [first, ...others] = counts.map((found) => found[i]);
  const differs = others.some(({ number, steps }) => number !== first.number || steps !== others[0].steps);
  if (differs) throw new Error(`${kernel}: checksums or numbers of steps differ`);
  const { steps } = others[0];
  const each = [first, ...others].map(({ instructions }) => (instructions / steps).toFixed(1));
  const ratios = others.map(({ instructions }, at) => {
    logarithms[at] += Math.log(instructions / first.instructions);
    return (instructions / first.instructions).toFixed(2);
  });
  row([kernel, steps.toLocaleString('en'), ...each, ...ratios]);
});
const means = logarithms.slice(0, -1).map((sum) => `**${Math.exp(sum / kernels.length).toFixed(2)}**`);
row(['geometric mean', '', ...header.map(() => ''), ...means]);
const flash = programs.map((program) => {
  const kept = sections(readFileSync(program)).filter(({ empty }) => !empty);
  return `${Math.round(kept.reduce((sum, { size }) => sum + size, 0) / 1024)} KiB`;
});
row(['flash of the whole program', '', ...flash, ...means.map(() => '')]);
