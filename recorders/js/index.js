// Records what a WebAssembly program calls and what its host answers; `borges import` replays it. For Node and browsers.

import { exportsOf, importsOf } from './module.js';
import preview1 from './preview1.js';
import { Stream, fast, instance as instanceOf } from './stream.js';

const MAGIC = [0, 0x62, 0x6f, 0x72, 0x67, 0x65, 0x73, 2];
// Behind the numbers of imports: a host calls an export, and it has returned.
const [ENTERED, LEFT] = [2, 3];
const ENDS = { returned: 0, exited: 1, trapped: 2, stopped: 3 };
// Of longer lists of buffers, no more is looked at.
const MOST_BUFFERS = 1024;

/** What the table knows of an import: nothing of those that are not WASI's. */
function rowOf({ module, name }) {
  const known = preview1.wasi_snapshot_preview1[name];
  return preview1[module] && known ? (preview1[module][name] ?? known) : undefined;
}

/** A row's regions, taken apart (preview1.js says how they are written). */
function regions(text = '') {
  return text.split(' ').filter(Boolean).map((region) => {
    const [pointer, length] = region.split(':');
    const [, factor, kind, of] = /^(?:(\d+)\*?)?(iov@?|p|@|args)?(\d*)$/.exec(length);
    return { pointer: +pointer, factor: +(factor ?? 1), kind, of: +of };
  });
}

/** A value as an export with this type of parameter takes it from a host. */
function given(type, value) {
  if (type === 'i') return value | 0;
  if (type === 'I') return BigInt.asIntN(64, BigInt(value ?? 0));
  return type === 'f' ? Math.fround(value) : Number(value);
}

/** Bytes that differ between two memories: runs of them. */
function* differences(before, after) {
  const words = Math.min(before.length, after.length) >>> 2;
  const [old, now] = [before, after].map((bytes) => new Int32Array(bytes.buffer, bytes.byteOffset, words));
  for (let at = 0; at < words; at++) {
    if (old[at] === now[at]) continue;
    const from = at;
    while (at < words && old[at] !== now[at]) at++;
    yield [4 * from, 4 * (at - from)];
  }
}

/**
 * Records one run of a program.
 *
 * Wrap the import object, instantiate, attach the instance, call the entry, say how it ended, and take the recording:
 * `record` does all of it.
 */
export class Recorder {
  #stream = new Stream(() => this.finish('stopped'));
  #program;
  #functions;
  // The program's memory, its bytes, and what reads it: that memory, or copies of its parts.
  #memory;
  #bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  #reader;
  #copies;
  #copied;
  // What calls of WASI go through, and where they go.
  #gate;
  #hosts = {};
  #sizes = {};
  // Whether a host's writes between two calls are looked for, and the memory as the last call left it.
  #between;
  #left;

  /** Calls recorded so far. */
  get calls() {
    return this.#stream.module.calls.value;
  }

  /**
   * @param bytes the module
   * @param options `entry`: the export that is called, if it is not `main` or `_start`; `engine`: where it runs, for
   *   people; `writes(module, name)`: whether an import that is not WASI's may write to memory (all may, if nobody says);
   *   `between`: whether the host may write to memory between two calls of exports (it may, if nobody says)
   */
  constructor(bytes, { entry = '', engine, writes = () => true, between = true } = {}) {
    const node = globalThis.process?.versions?.node;
    engine ??= node ? `Node ${node}` : (globalThis.navigator?.userAgent ?? 'JavaScript');
    this.#program = bytes;
    this.#between = between;
    this.#functions = importsOf(bytes).map((found, index) => {
      const row = rowOf(found);
      const known = row ?? {};
      const isFast = found.module === 'wasi_snapshot_preview1' && fast[found.name] === `${found.params}>${found.results}`;
      return {
        ...found,
        tag: index + 1,
        isFast,
        hands: known.in ?? '',
        in: regions(known.in),
        out: regions(known.out),
        exits: known.exits ?? false,
        compared: !row && writes(found.module, found.name),
        last: Array.from(found.params, (type) => (type === 'I' ? 0n : 0)),
      };
    });
    const stream = this.#stream;
    const check = stream.crc(bytes);
    stream.bytes(MAGIC);
    stream.number(bytes.length);
    stream.fixed(check, 4);
    stream.text(engine);
    stream.text(entry);
    stream.number(this.#functions.length);
    for (const { module, name, params, results, hands } of this.#functions) {
      for (const text of [module, name, `${params}>${results}`, hands]) stream.text(text);
    }
    stream.flush();
    stream.module.check_long();
  }

  /** What reads a memory; its functions that record calls of WASI go to the table. */
  #reads(table, memory) {
    const nothing = () => 0;
    const host = Object.fromEntries(Object.keys(fast).map((name) => [name, this.#hosts[name] ?? nothing]));
    const { module } = this.#stream;
    return instanceOf('program', { host, gate: { table }, stream: module, program: { memory } });
  }

  /** The import object with every function that the program imports replaced by one that records. */
  wrap(imports) {
    const wrapped = {};
    for (const module in imports) wrapped[module] = { ...imports[module] };
    const slow = {};
    for (const row of this.#functions) {
      const original = imports[row.module]?.[row.name];
      if (typeof original !== 'function') continue;
      const records = (...args) => this.#call(row, original, args);
      wrapped[row.module][row.name] = records;
      if (!row.isFast) continue;
      slow[row.name] = records;
      // Node 20 and 22 lose the frames of whoever called the program if memory is collected after one of their own
      // functions was called by WebAssembly without JavaScript in between: then they crash.
      this.#hosts[row.name] = (...args) => original(...args);
    }
    const nothing = () => 0;
    const host = Object.fromEntries(Object.keys(fast).map((name) => [name, slow[name] ?? nothing]));
    this.#gate = instanceOf('gate', { host });
    Object.keys(fast).forEach((name, number) => {
      const row = this.#functions.findLast((found) => found.isFast && found.name === name);
      if (!row) return;
      this.#stream.module.imported(number, row.tag);
      if (slow[name]) wrapped[row.module][name] = this.#gate[name];
    });
    for (const module in imports) {
      for (const imported of Object.values(imports[module])) {
        if (imported instanceof WebAssembly.Memory) this.#memory ??= imported;
      }
    }
    return wrapped;
  }

  /** The program's memory is the first that it exports, or that it imports. */
  attach(instance) {
    const exported = Object.values(instance.exports).find((found) => found instanceof WebAssembly.Memory);
    this.#memory = exported ?? this.#memory;
    if (!this.#memory || !this.#gate) return instance;
    try {
      this.#reader = this.#reads(this.#gate.table, this.#memory);
    } catch (error) {
      // A memory that threads share cannot be another module's that does not share it: its parts are copied.
      if (!(error instanceof WebAssembly.LinkError)) throw error;
    }
    return instance;
  }

  /**
   * What a host calls instead of the instance, if it calls several exports: the instance, with every exported function
   * replaced by one that records which was called, with what, and what it returned.
   */
  entries(instance) {
    this.attach(instance);
    const exports = { ...instance.exports };
    for (const row of exportsOf(this.#program, this.#functions)) {
      const original = exports[row.name];
      exports[row.name] = (...args) => this.#entry(row, original, args);
    }
    this.#remember();
    return { exports };
  }

  /** The program has ended: `returned`, `exited` with a code, `trapped`; `stopped`: it goes on unrecorded. */
  finish(how = 'returned', code = 0) {
    const { module } = this.#stream;
    if (module.done.value) return;
    module.done.value = 1;
    this.#stream.number(0);
    this.#stream.number(ENDS[how]);
    if (how === 'exited') this.#stream.number(code >>> 0);
    this.#stream.flush();
    module.check_long();
  }

  /** What was recorded since this was asked for the last time: the parts one after the other are the recording. */
  take() {
    return this.#stream.take();
  }

  #refresh() {
    const buffer = this.#memory?.buffer;
    if (!buffer || this.#bytes.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  /** What reads bytes of the program's, and where: copies of them while nothing has its memory. */
  #reading(address, length) {
    if (this.#reader) return [this.#reader, address];
    this.#copies ??= new WebAssembly.Memory({ initial: 1 });
    this.#copied ??= this.#reads(new WebAssembly.Table({ element: 'anyfunc', initial: 64 }), this.#copies);
    const lacks = length - this.#copies.buffer.byteLength;
    if (lacks > 0) this.#copies.grow(Math.ceil(lacks / 65536));
    new Uint8Array(this.#copies.buffer).set(this.#bytes.subarray(address, address + length));
    return [this.#copied, 0];
  }

  /** Keeps the memory, to find what the host writes before it calls the next export. */
  #remember() {
    if (!this.#between || this.#stream.module.done.value) return;
    this.#refresh();
    this.#left = this.#bytes.slice();
  }

  #entry(row, original, args) {
    const stream = this.#stream;
    const { module } = stream;
    if (module.done.value) return original(...args);
    this.#refresh();
    const grown = this.#left && this.#left.length !== this.#bytes.length;
    // Neither references nor a memory that the host let grow are in the format, nor calls within a call.
    if (module.within.value || grown || (row.params + row.results).includes('r')) {
      this.finish('stopped');
      return original(...args);
    }
    const values = Array.from(row.params, (type, at) => given(type, args[at]));
    stream.number(this.#functions.length + 1 + ENTERED);
    stream.text(row.name);
    stream.text(`${row.params}>${row.results}`);
    values.forEach((value, at) => this.#value(row.params[at], value));
    this.#written(this.#left ? [...differences(this.#left, this.#bytes)] : []);
    stream.flush();
    module.check_call();
    let result;
    try {
      result = original(...values);
    } catch (error) {
      this.finish('trapped');
      throw error;
    }
    if (module.done.value) return result;
    stream.number(this.#functions.length + 1 + LEFT);
    const results = row.results.length > 1 ? [...result] : [result];
    [...row.results].forEach((type, at) => this.#value(type, results[at]));
    stream.flush();
    module.check_call();
    this.#remember();
    return result;
  }

  #value(type, value) {
    if (type === 'i') this.#stream.signed(value | 0);
    else if (type === 'I') this.#stream.signedLong(value);
    else this.#stream.float(value, type === 'f' ? 4 : 8);
  }

  /** A call of an import that is not recorded without JavaScript. */
  #call(row, original, args) {
    const stream = this.#stream;
    const { module } = stream;
    if (row.exits) this.finish('exited', args[0]);
    if (!module.enter()) return original(...args);
    this.#refresh();
    const handed = row.in.length > 0 ? this.#handed(row, args) : 0;
    const buffers = row.out.map(({ kind, pointer }) => (kind === 'iov@' ? this.#buffers(args, pointer) : undefined));
    const before = row.compared ? this.#bytes.slice() : undefined;
    let result;
    try {
      result = original(...args);
    } catch (error) {
      this.finish('trapped');
      throw error;
    } finally {
      module.within.value = 0;
    }
    if (module.done.value) return result;
    this.#refresh();
    stream.number(row.tag);
    this.#arguments(row, args);
    if (row.in.length > 0) stream.fixed(handed, 2);
    if (row.results !== '') this.#value(row.results, result);
    this.#written(before ? [...differences(before, this.#bytes)] : this.#writes(row, args, result, buffers));
    stream.flush();
    module.returned();
    return result;
  }

  #arguments(row, args) {
    for (let at = 0; at < row.params.length; at++) {
      const type = row.params[at];
      if (type === 'i') {
        this.#stream.signed((args[at] - row.last[at]) | 0);
        row.last[at] = args[at];
      } else if (type === 'I') {
        this.#stream.signedLong(args[at] - row.last[at]);
        row.last[at] = args[at];
      } else this.#stream.float(args[at], type === 'f' ? 4 : 8);
    }
  }

  #written(writes) {
    const stream = this.#stream;
    const { address: last } = stream.module;
    stream.number(writes.length);
    for (const [address, length] of writes) {
      stream.signed((address - last.value) | 0);
      stream.flush();
      const [reader, at] = this.#reading(address, length);
      reader.write(at, length);
      last.value = address;
    }
  }

  #buffers(args, pointer) {
    const list = args[pointer] >>> 0;
    const count = Math.min(args[pointer + 1] >>> 0, MOST_BUFFERS);
    if (list + 8 * count > this.#bytes.length) return [];
    const buffers = [];
    for (let at = list; at < list + 8 * count; at += 8) {
      buffers.push([this.#view.getUint32(at, true), this.#view.getUint32(at + 4, true)]);
    }
    return buffers;
  }

  /** The check of the bytes that a call hands to the host. */
  #handed(row, args) {
    const { module } = this.#stream;
    for (const { kind, pointer, factor, of } of row.in) {
      const parts =
        kind === 'iov' ? this.#buffers(args, pointer) : [[args[pointer] >>> 0, factor * (args[of] >>> 0)]];
      for (const [address, length] of parts) {
        if (address + length > this.#bytes.length) continue;
        const [reader, at] = this.#reading(address, length);
        reader.handed(at, length);
      }
    }
    return module.handed();
  }

  /** What the host has written, by the table. */
  #writes(row, args, result, buffers) {
    // A host of JavaScript may also succeed by returning nothing.
    if ((result | 0) !== 0 || this.#bytes.length === 0) return [];
    const number = (parameter) => this.#view.getUint32(args[parameter] >>> 0, true);
    const writes = [];
    row.out.forEach(({ kind, pointer, factor, of }, at) => {
      const address = args[pointer] >>> 0;
      if (kind === 'iov@') {
        let rest = number(of);
        for (const [buffer, length] of buffers[at]) {
          writes.push([buffer, Math.min(rest, length)]);
          rest -= Math.min(rest, length);
        }
      } else if (kind === 'p') writes.push([address, factor * (args[of] >>> 0)]);
      else if (kind === '@') writes.push([address, factor * number(of)]);
      else if (kind === 'args') {
        const [count, size] = this.#sizes[row.name] ?? [0, 0];
        writes.push([address, factor > 1 ? factor * count : size]);
      } else writes.push([address, factor]);
    });
    if (row.name.endsWith('_sizes_get')) this.#sizes[row.name.replace('_sizes', '')] = [number(0), number(1)];
    return writes.filter(([, length]) => length > 0);
  }
}

/**
 * Runs a program and records it.
 *
 * @param bytes the module
 * @param imports the import object
 * @param run what calls the entry of the instance; `instance.exports.main()` or `_start()` without it. What it returns is
 *   the exit code, if the program ends itself. A module that has neither, and no `entry`, is called as often as it likes.
 * @param options those of `Recorder`
 * @returns the recording, what `run` returned, and what it threw
 */
export async function record(bytes, imports, run, options) {
  const recorder = new Recorder(bytes, options);
  const module = await WebAssembly.compile(bytes);
  const ready = await WebAssembly.instantiate(module, recorder.wrap(imports));
  const entry = options?.entry ?? ['_start', 'main'].find((name) => ready.exports[name]);
  const instance = entry ? recorder.attach(ready) : recorder.entries(ready);
  let returned;
  let thrown;
  try {
    returned = await (run ?? ((ready) => ready.exports[entry]()))(instance);
    recorder.finish('returned');
  } catch (error) {
    thrown = error;
    recorder.finish('trapped');
  }
  return { recording: recorder.take(), returned, thrown };
}
