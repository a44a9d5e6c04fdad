// Numbers and bytes in a row, with their running check (docs/recordings.md). They stand in the memory of a module of its
// own, to which a program's calls of WASI are added without JavaScript (recorder.js).

import modules from './recorder.js';

/** The letters of the types of those functions of WASI that are recorded without JavaScript. */
export const fast = modules.functions;

const compiled = {};

/** An instance of one of the modules that record. */
export function instance(name, imports) {
  compiled[name] ??= new WebAssembly.Module(Uint8Array.from(atob(modules[name]), (letter) => letter.charCodeAt(0)));
  return new WebAssembly.Instance(compiled[name], imports).exports;
}

// Where what was not taken yet begins in the module's memory.
const BEGIN = 1114112;
// No call has more than so many bytes of numbers.
const FEW = 1 << 14;

export class Stream {
  /** The functions of the module. */
  module;
  #memory;
  #few = new Uint8Array(FEW);
  #fewView = new DataView(this.#few.buffer);
  #length = 0;

  /** @param stopped what is called if the host calls the program within a call of its own */
  constructor(stopped) {
    this.module = instance('stream', { host: { stopped } });
  }

  #bytes() {
    const { buffer } = this.module.memory;
    if (this.#memory?.buffer !== buffer) this.#memory = new Uint8Array(buffer);
    return this.#memory;
  }

  bytes(bytes) {
    this.flush();
    const at = this.module.room(bytes.length) >>> 0;
    this.#bytes().set(bytes, at);
    this.module.put(bytes.length);
  }

  /** What was written so far goes to the module, before the module writes something. */
  flush() {
    const length = this.#length;
    if (length === 0) return;
    this.#length = 0;
    const at = this.module.room(length) >>> 0;
    const bytes = this.#bytes();
    for (let from = 0; from < length; from++) bytes[at + from] = this.#few[from];
    this.module.put(length);
  }

  #room() {
    if (this.#length + 10 > FEW) this.flush();
  }

  /** LEB128 of a number from 0 to 2^53. */
  number(number) {
    this.#room();
    while (number >= 0x80) {
      this.#few[this.#length++] = (number & 0x7f) | 0x80;
      number = number < 0x80000000 ? number >>> 7 : Math.floor(number / 128);
    }
    this.#few[this.#length++] = number;
  }

  /** A signed number of 32 bits. */
  signed(number) {
    this.number(((number << 1) ^ (number >> 31)) >>> 0);
  }

  /** A signed number of 64 bits. */
  signedLong(number) {
    this.flush();
    this.module.room(16);
    this.module.signed(number);
  }

  float(number, size) {
    this.#room();
    if (size === 4) this.#fewView.setFloat32(this.#length, number, true);
    else this.#fewView.setFloat64(this.#length, number, true);
    this.#length += size;
  }

  fixed(number, size) {
    this.#room();
    for (let at = 0; at < size; at++) this.#few[this.#length++] = number >>> (8 * at);
  }

  text(text) {
    const bytes = new TextEncoder().encode(text);
    this.number(bytes.length);
    this.bytes(bytes);
  }

  /** CRC-32 of bytes. */
  crc(bytes) {
    const { module } = this;
    let check = 0;
    // They lie where what is recorded next will.
    for (let from = 0; from < bytes.length; from += 1 << 20) {
      const part = bytes.subarray(from, from + (1 << 20));
      const at = module.room(part.length) >>> 0;
      this.#bytes().set(part, at);
      check = module.crc(check, at, at + part.length);
    }
    return check;
  }

  /** All that was written since the last time. Once all is written, no copy is made: there may be much of it. */
  take() {
    this.flush();
    const [bytes, end] = [this.#bytes(), this.module.at.value >>> 0];
    const taken = this.module.done.value ? bytes.subarray(BEGIN, end) : bytes.slice(BEGIN, end);
    this.module.taken();
    return taken;
  }
}
