// Prints how much flash and RAM firmware takes, and fails where it is more than the budget.
//
//   node sizes.js [--debugger=BORGES] FIRMWARE.elf…
//
// With a debugger, that plays sessions on the firmware of which there is an emulator that can be looked into, and the
// table has what these take, too.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { sections, symbols } from './elf.js';
import { memoryOf } from './sessions.js';

/**
 * What each may take, in KiB: flash in all, the VM's code in it, RAM for stack and variables, the same and what is in the
 * heap beside the program during a session, and the stack in it as far as it is used.
 */
const BUDGETS = {
  'borges-pico': { flash: 192, vm: 64, ram: 24, session: 24, stack: 10 },
  'borges-pico-usb': { flash: 208, vm: 64, ram: 24, session: 26, stack: 10 },
  'borges-stm32f4': { flash: 384, vm: 240, ram: 24 },
};
const TITLES = {
  flash: 'flash, KiB',
  vm: 'the VM in it',
  ram: 'RAM but the heap',
  session: 'RAM beside the program',
  stack: 'the stack in it, as used',
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

/** What sessions take, in bytes, where variables and the stack as a whole take `ram`. */
async function measureSessions(path, file, ram, debug) {
  const memory = await memoryOf(path, debug);
  const [start] = symbols(file).filter(({ name }) => name === '_stack_start');
  return { session: ram + memory.peak, stack: start.address - memory.lowest, holders: memory.largest(10) };
}

const words = process.argv.slice(2);
const debug = words.find((word) => word.startsWith('--debugger='))?.slice('--debugger='.length);
const columns = Object.keys(TITLES).filter((what) => debug || !['session', 'stack'].includes(what));
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const problems = [];
row(['firmware', ...columns.map((what) => TITLES[what])]);
row(['---', ...columns.map(() => '---:')]);
for (const path of words.filter((word) => !word.startsWith('--'))) {
  const name = basename(path);
  const budget = BUDGETS[name];
  const file = readFileSync(path);
  const taken = measure(file);
  if (debug && budget.session) Object.assign(taken, await measureSessions(path, file, taken.ram, debug));
  const cells = columns.map((what) => {
    const most = budget[what];
    if (taken[what] === undefined) return '';
    const isTooMuch = taken[what] > most * KIB;
    if (isTooMuch) problems.push(`${name}, ${TITLES[what]}`);
    if (isTooMuch && what === 'session') problems.push(...taken.holders.map(({ size, by }) => `  ${size} bytes by ${by}`));
    return `${(taken[what] / KIB).toFixed(1)} of ${most}${isTooMuch ? ': too much' : ''}`;
  });
  row([name, ...cells]);
}
if (problems.length > 0) console.error(problems.join('\n'));
process.exit(problems.length > 0 ? 1 : 0);
