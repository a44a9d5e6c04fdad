// Records what a WebAssembly program calls and what its host answers; `borges import` replays it. For Node and browsers.

import { importsOf } from './module.js';
import preview1 from './preview1.js';
import { Stream, crc, folded } from './stream.js';

const MAGIC = [0, 0x62, 0x6f, 0x72, 0x67, 0x65, 0x73, 1];
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
  #stream = new Stream();
  #functions;
  #address = 0;
  #memory;
  #view;
  #bytes;
  #sizes = {};
  #depth = 0;
  #done = false;

  /** Calls recorded so far. */
  calls = 0;

  /**
   * @param bytes the module
   * @param options `entry`: the export that is called, if it is not `main` or `_start`; `engine`: where it runs, for
   *   people; `writes(module, name)`: whether an import that is not WASI's may write to memory (all may, if nobody says)
   */
  constructor(bytes, { entry = '', engine, writes = () => true } = {}) {
    const node = globalThis.process?.versions?.node;
    engine ??= node ? `Node ${node}` : (globalThis.navigator?.userAgent ?? 'JavaScript');
    this.#functions = importsOf(bytes).map((found) => {
      const row = rowOf(found);
      const known = row ?? {};
      return {
        ...found,
        hands: known.in ?? '',
        in: regions(known.in),
        out: regions(known.out),
        exits: known.exits ?? false,
        compared: !row && writes(found.module, found.name),
        last: Array.from(found.params, (type) => (type === 'I' ? 0n : 0)),
      };
    });
    const stream = this.#stream;
    stream.bytes(MAGIC);
    stream.number(bytes.length);
    stream.fixed(crc(0, bytes), 4);
    stream.text(engine);
    stream.text(entry);
    stream.number(this.#functions.length);
    for (const { module, name, params, results, hands } of this.#functions) {
      for (const text of [module, name, `${params}>${results}`, hands]) stream.text(text);
    }
    stream.check(4);
  }

  /** The import object with every function that the program imports replaced by one that records. */
  wrap(imports) {
    const wrapped = {};
    for (const module in imports) wrapped[module] = { ...imports[module] };
    this.#functions.forEach((row, index) => {
      const original = imports[row.module]?.[row.name];
      if (typeof original !== 'function') return;
      wrapped[row.module][row.name] = (...args) => this.#call(row, index, original, args);
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
    return instance;
  }

  /** The program has ended: `returned`, `exited` with a code, `trapped`; `stopped`: it goes on unrecorded. */
  finish(how = 'returned', code = 0) {
    if (this.#done) return;
    this.#done = true;
    this.#stream.number(0);
    this.#stream.number(ENDS[how]);
    if (how === 'exited') this.#stream.number(code >>> 0);
    this.#stream.check(4);
  }

  /** What was recorded since this was asked for the last time: the parts one after the other are the recording. */
  take() {
    return this.#stream.take();
  }

  #refresh() {
    const buffer = this.#memory?.buffer ?? new ArrayBuffer(0);
    if (this.#bytes?.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  #call(row, index, original, args) {
    if (this.#done) return original(...args);
    if (row.exits) {
      this.finish('exited', args[0]);
      return original(...args);
    }
    if (this.#depth > 0) {
      // The host calls the program within a call of its own: that is not in the format.
      this.finish('stopped');
      return original(...args);
    }
    this.#refresh();
    const handed = row.in.length > 0 ? this.#handed(row, args) : 0;
    const buffers = row.out.map(({ kind, pointer }) => (kind === 'iov@' ? this.#buffers(args, pointer) : undefined));
    const before = row.compared ? this.#bytes.slice() : undefined;
    let result;
    this.#depth++;
    try {
      result = original(...args);
    } catch (error) {
      this.finish('trapped');
      throw error;
    } finally {
      this.#depth--;
    }
    if (this.#done) return result;
    this.#refresh();
    this.#write(row, index, args, handed, result);
    const writes = before ? [...differences(before, this.#bytes)] : this.#writes(row, args, result, buffers);
    this.#stream.number(writes.length);
    for (const [address, length] of writes) {
      this.#stream.signed((address - this.#address) | 0);
      this.#stream.number(length);
      this.#stream.bytes(this.#bytes.subarray(address, address + length));
      this.#address = address;
    }
    this.#stream.check(2);
    this.calls++;
    return result;
  }

  #write(row, index, args, handed, result) {
    const stream = this.#stream;
    stream.number(index + 1);
    for (let at = 0; at < row.params.length; at++) {
      const type = row.params[at];
      if (type === 'i') {
        stream.signed((args[at] - row.last[at]) | 0);
        row.last[at] = args[at];
      } else if (type === 'I') {
        stream.signedLong(BigInt.asIntN(64, args[at] - row.last[at]));
        row.last[at] = args[at];
      } else stream.float(args[at], type === 'f' ? 4 : 8);
    }
    if (row.in.length > 0) stream.fixed(handed, 2);
    if (row.results === 'i') stream.signed(result | 0);
    else if (row.results === 'I') stream.signedLong(BigInt.asIntN(64, result));
    else if (row.results !== '') stream.float(result, row.results === 'f' ? 4 : 8);
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
    let check = 0;
    for (const { kind, pointer, factor, of } of row.in) {
      const parts =
        kind === 'iov' ? this.#buffers(args, pointer) : [[args[pointer] >>> 0, factor * (args[of] >>> 0)]];
      for (const [address, length] of parts) {
        if (address + length <= this.#bytes.length) {
          check = crc(check, this.#bytes.subarray(address, address + length));
        }
      }
    }
    return folded(check);
  }

  /** What the host has written, by the table. */
  #writes(row, args, result, buffers) {
    // A host of JavaScript may also succeed by returning nothing.
    if ((result | 0) !== 0) return [];
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
 *   the exit code, if the program ends itself.
 * @param options those of `Recorder`
 * @returns the recording, what `run` returned, and what it threw
 */
export async function record(bytes, imports, run, options) {
  const recorder = new Recorder(bytes, options);
  const module = await WebAssembly.compile(bytes);
  const instance = recorder.attach(await WebAssembly.instantiate(module, recorder.wrap(imports)));
  const entry = options?.entry ?? (instance.exports._start ? '_start' : 'main');
  let returned;
  let thrown;
  try {
    returned = (run ?? ((ready) => ready.exports[entry]()))(instance);
    recorder.finish('returned');
  } catch (error) {
    thrown = error;
    recorder.finish('trapped');
  }
  return { recording: recorder.take(), returned, thrown };
}
