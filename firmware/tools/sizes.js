// Prints how much flash and RAM each firmware takes, and fails where it is more than its budget.
//
//   node sizes.js FIRMWARE.elf…

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { sections, symbols } from './elf.js';

const KIB = 1024;
/** The heap is the program's: what the stub takes of it is measured in the emulator (`memory.js`). */
const HEAP = /4HEAP/;
/** What each firmware may take, in KiB: flash in all, flash of the VM's code, RAM without the heap. */
const BUDGETS = {
  'borges-pico': { flash: 192, vm: 64, ram: 24 },
  'borges-stm32f4': { flash: 192, vm: 64, ram: 24 },
};

/** In bytes, as in the budgets. The stack's reserve counts as RAM. */
function measure(file) {
  const total = (some) => some.reduce((sum, { size }) => sum + size, 0);
  const all = sections(file);
  const heap = total(symbols(file).filter(({ name }) => HEAP.test(name)));
  const stack = symbols(file)
  return {
    // What is in RAM and not empty is copied there from flash.
    flash: total(all.filter(({ empty }) => !empty)),
    vm: total(symbols(file).filter(({ name, address }) => name.includes('borges_vm') && isCode(all, address))),
    ram: total(all.filter(({ address }) => address >>> 28 === 2)) - heap,
  };
}
