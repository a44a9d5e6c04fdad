// How much memory firmware takes beside the program that it debugs: watches every instruction, and knows what is in the
// heap from calls of the allocator, and how deep the stack gets from its pointer.
//
// The program's is what is allocated while it begins and outlives that (what the VM makes of its module, the module
// itself unless it lies in flash, its memory, tables, globals and stacks) and what that grows into. All else is beside it.

import { symbols } from './elf.js';

const ALLOCATE = /borges_firmware\.\.heap.*GlobalAlloc.*5alloc17h/;
const FREE = /borges_firmware\.\.heap.*GlobalAlloc.*7dealloc17h/;
const REALLOCATE = /___rust_realloc$/;
/** Where the stub begins a program, and within that takes over a board, which is not the program's. */
const BEGIN = /borges_stub.*Stub.*5begin17h/;
const BOARD = /borges_stub.*Stub.*10take_board17h/;
/** What the allocator gives at least, and a multiple of what. */
const SMALLEST = 8;
const GRAIN = 4;
const [SP, LR, PC] = [13, 14, 15];

export class Memory {
  #places;
  #names;
  /** The functions that were called and perhaps have returned: `{ to, sp, first }`, where they are, began, and their first argument. */
  #calls = [];
  /** An allocation that has not returned. */
  #allocating = null;
  /** A program that begins: where its caller goes on, and what was allocated and freed meanwhile. */
  #beginning = null;
  /** By address: `{ size, isProgram, becomes, by }`. */
  #live = new Map();
  #beside = 0;
  /** The most bytes in the heap that were not the program's. */
  peak = 0;
  /** Whose they were then: `{ size, by }`, where `by` are the functions that led to it. */
  holders = [];
  /** How far down the stack went. */
  lowest = Infinity;

  constructor(elf) {
    const all = symbols(elf).filter(({ name }) => !name.startsWith('$'));
    const place = (pattern) => {
      const found = all.filter(({ name }) => pattern.test(name));
      if (found.length !== 1) throw new Error(`${found.length} functions are called ${pattern}, and not one`);
      return found[0].address & ~1;
    };
    const patterns = { allocate: ALLOCATE, free: FREE, reallocate: REALLOCATE, begin: BEGIN, board: BOARD };
    this.#places = Object.fromEntries(Object.entries(patterns).map(([what, pattern]) => [what, place(pattern)]));
    this.#names = new Map(all.map(({ name, address }) => [address & ~1, name]));
  }

  /** The core has executed the instruction at `pc`. */
  after(pc, { registers }) {
    const sp = registers[SP];
    if (sp < this.lowest) this.lowest = sp;
    const at = registers[PC];
    const allocating = this.#allocating;
    if (allocating !== null && at === allocating.back && sp === allocating.sp) this.#allocated(registers[0]);
    const beginning = this.#beginning;
    if (beginning !== null && at === beginning.back && sp === beginning.sp) this.#begun();
    // Only a call, of four bytes or two, leaves the address behind it here.
    const back = registers[LR] & ~1;
    if ((back === pc + 4 || back === pc + 2) && at !== back) this.#called(registers, back);
  }

  /** The chip was restarted, with nothing in the heap. */
  restarted() {
    this.#live.clear();
    this.#calls = [];
    this.#allocating = this.#beginning = null;
    this.#beside = 0;
  }

  #called(registers, back) {
    const [first, second] = registers;
    const [to, sp] = [registers[PC], registers[SP]];
    const calls = this.#calls;
    // Who began at this depth or below it has returned.
    while (calls.length > 0 && calls.at(-1).sp <= sp) calls.pop();
    calls.push({ to, sp, first });
    const { allocate, free, begin } = this.#places;
    if (to === allocate) {
      const isAlignment = first > 0 && first <= 16 && (first & (first - 1)) === 0;
      if (!isAlignment) throw new Error('the arguments of the allocator are not where they were expected');
      this.#allocating = { back, sp, size: Math.max(SMALLEST, Math.ceil(second / GRAIN) * GRAIN) };
    } else if (to === free) {
      this.#freed(first);
    } else if (to === begin) {
      this.#beginning = { back, sp, changes: [] };
    }
  }

  #allocated(address) {
    const { size } = this.#allocating;
    this.#allocating = null;
    if (address === 0) return;
    const calls = this.#calls;
    const caller = calls.at(-2);
    const old = caller?.to === this.#places.reallocate ? this.#live.get(caller.first) : null;
    const isOfBoard = calls.some(({ to }) => to === this.#places.board);
    const block = { size, by: calls.map(({ to }) => to), isProgram: old?.isProgram ?? false, becomes: null };
    // Whether something is the program's is known when that has begun.
    block.isOpen = this.#beginning !== null && !isOfBoard && !block.isProgram;
    if (old) old.becomes = block;
    this.#live.set(address, block);
    this.#change(block, size);
  }

  #freed(address) {
    const block = this.#live.get(address);
    if (!block) throw new Error('something is freed that was not allocated');
    this.#live.delete(address);
    this.#change(block, -block.size);
  }

  #change(block, size) {
    if (this.#beginning) this.#beginning.changes.push({ block, size });
    else this.#count(block, size);
  }

  #count(block, size) {
    if (block.isProgram) return;
    this.#beside += size;
    if (this.#beside <= this.peak) return;
    this.peak = this.#beside;
    this.holders = [...this.#live.values()].filter(({ isProgram }) => !isProgram);
  }

  /** A program has begun, or was refused: what is left is its own. */
  #begun() {
    const { changes } = this.#beginning;
    this.#beginning = null;
    const left = new Set(this.#live.values());
    const stays = (block) => left.has(block) || (block.becomes !== null && stays(block.becomes));
    for (const { block } of changes) block.isProgram ||= block.isOpen && stays(block);
    for (const { block, size } of changes) this.#count(block, size);
  }

  /** Which of our functions had most of what was there at the peak: `{ size, by }`. */
  largest(count) {
    const sums = new Map();
    for (const { size, by } of this.holders) {
      const names = by
        .map((at) => this.#names.get(at) ?? '')
        .filter((name) => name.includes('borges'))
        .join(' ');
      sums.set(names, (sums.get(names) ?? 0) + size);
    }
    const sorted = [...sums].sort(([, a], [, b]) => b - a).slice(0, count);
    return sorted.map(([by, size]) => ({ size, by }));
  }
}
