// Prints how much flash and RAM firmware takes, and fails where it is more than the budget.
//
//   node sizes.js FIRMWARE.elf…

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { sections, symbols } from './elf.js';

/** What a firmware may take, in KiB: flash in all, the VM's code in it, RAM for stack and variables. */
const BUDGET = { flash: 192, vm: 64, ram: 24 };
const KIB = 1024;
const RAM = 0x20000000;

/** What a firmware takes, in bytes, as in the budget. */
function measure(file) {
  const total = (some) => some.reduce((sum, { size }) => sum + size, 0);
  const parts = sections(file);
  const names = symbols(file);
  const flash = parts.filter(({ empty }) => !empty);
  const isCode = (address) => address < RAM;
  // The heap is for the program. The stack lies below all variables, and a part of the memory is kept for it.
  const heap = names.filter(({ name }) => name.endsWith('HEAP_MEMORY'));
  return {
    // What is in RAM and not empty is copied there from flash.
    flash: total(flash),
    vm: total(names.filter(({ name, address }) => name.includes('borges_vm') && isCode(address))),
    ram: Math.max(...parts.map(({ address, size }) => address + size)) - RAM - total(heap),
  };
}

const columns = Object.keys(BUDGET);
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
let isWithin = true;
row(['firmware', 'flash, KiB', 'the VM in it', 'RAM but the heap']);
row(['---', ...columns.map(() => '---:')]);
for (const path of process.argv.slice(2)) {
  const taken = measure(readFileSync(path));
  const over = columns.filter((column) => taken[column] > BUDGET[column] * KIB);
  isWithin &&= over.length === 0;
  const cell = (column) => `${(taken[column] / KIB).toFixed(1)}${over.includes(column) ? ' (too much)' : ''}`;
  row([basename(path), ...columns.map(cell)]);
}
row(['*at most*', ...columns.map((column) => BUDGET[column])]);
if (!isWithin) process.exit(1);
