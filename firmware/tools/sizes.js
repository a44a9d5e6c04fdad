// Prints how much flash and RAM firmware takes, and fails where it is more than the budget.
//
//   node sizes.js FIRMWARE.elf…

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { sections, symbols } from './elf.js';

/**
 * What each may take, in KiB: flash in all, the VM's code in it, RAM for stack and variables.
 */
const BUDGETS = {
  'borges-pico': { flash: 192, vm: 64, ram: 24 },
  'borges-pico-usb': { flash: 208, vm: 64, ram: 24 },
  'borges-stm32f4': { flash: 270, vm: 128, ram: 24 },
};
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
  const heap = names.filter(({ name }) => name.includes('HEAP_MEMORY'));
  return {
    // What is in RAM and not empty is copied there from flash.
    flash: total(flash),
    vm: total(names.filter(({ name, address }) => name.includes('borges_vm') && isCode(address))),
    ram: Math.max(...parts.map(({ address, size }) => address + size)) - RAM - total(heap),
  };
}

const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
let isWithin = true;
row(['firmware', 'flash, KiB', 'the VM in it', 'RAM but the heap']);
row(['---', '---:', '---:', '---:']);
for (const path of process.argv.slice(2)) {
  const name = basename(path);
  const taken = measure(readFileSync(path));
  const cells = Object.entries(BUDGETS[name]).map(([what, most]) => {
    const isTooMuch = taken[what] > most * KIB;
    if (isTooMuch) isWithin = false;
    return `${(taken[what] / KIB).toFixed(1)} of ${most}${isTooMuch ? ': too much' : ''}`;
  });
  row([name, ...cells]);
}
if (!isWithin) process.exit(1);
