// node --test recorders/js/test.js: what the replay of real programs (scripts/recordings.sh) does not show.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Recorder, record } from './index.js';

// Imports env.fill (i32 i64 f32) -> i32 and env.back () -> (). main calls fill(8, -2, 1.5), fill(4, -1, 1.5), back();
// again calls fill(0, 0, 0).
const PROGRAM = Buffer.from(
  'AGFzbQEAAAABCwJgA39+fQF/YAAAAhcCA2VudgRmaWxsAAADZW52BGJhY2sAAQMDAgEBBQMBAAEHGQMGbWVtb3J5AgAEbWFpbgACBWFnYWluAAMK' +
    'LQIcAEEIQn5DAADAPxAAGkEEQn9DAADAPxAAGhABCw4AQQBCAEMAAAAAEAAaCwAOBG5hbWUBBwIAAWYBAWI=',
  'base64',
);
const FLOAT = [0, 0, 0xc0, 0x3f];

/** The check of bytes of which some, from one place to another, are checked by their sums. */
function checked(bytes, [from, to], check) {
  check = crc32(bytes.subarray(0, from), check);
  const sums = new Uint32Array(8);
  const whole = from + ((to - from) & ~15);
  const turned = (word, by) => (word << by) | (word >>> (32 - by));
  for (let at = from; at < whole; at += 4) {
    const lane = ((at - from) / 4) % 4;
    sums[lane] = turned(sums[lane], 7) + bytes.readUInt32LE(at);
    sums[4 + lane] = turned(sums[4 + lane], 12) + sums[lane];
  }
  return crc32(bytes.subarray(whole), crc32(new Uint8Array(sums.buffer), check));
}

/** Where calls begin: behind the check of what stands before them. */
function begin(bytes) {
  let [at, check] = [9, 0];
  do check = crc32(bytes.subarray(0, at++));
  while (bytes.readUInt32LE(at - 1) !== check);
  return at + 3;
}

/** The calls of a recording and its checks, which must hold. Of the first, `many` are checked by their sums. */
function calls(recording, lengths, many) {
  const bytes = Buffer.from(recording);
  let at = begin(bytes);
  let check = crc32(bytes.subarray(0, at - 4));
  assert.equal(bytes.readUInt32LE(at - 4), check);
  return lengths.map((length, nth) => {
    const call = bytes.subarray(at, (at += length));
    check = nth === 0 && many ? checked(call, many, check) : crc32(call, check);
    const last = nth === lengths.length - 1;
    assert.equal(last ? bytes.readUInt32LE(at) : bytes.readUInt16LE(at), last ? check : (check ^ (check >>> 16)) & 0xffff);
    at += last ? 4 : 2;
    if (last) assert.equal(at, bytes.length);
    return [...call];
  });
}

test('arguments are differences, and what an unknown import writes is found', async () => {
  let memory;
  const fill = (at) => {
    new Uint8Array(memory.buffer).fill(7, at, at + 2);
    return -at;
  };
  const { recording } = await record(PROGRAM, { env: { fill, back() {} } }, (instance) => {
    memory = instance.exports.memory;
    instance.exports.main();
  });
  assert.deepEqual(calls(recording, [15, 15, 2, 2]), [
    [1, 16, 3, ...FLOAT, 15, 1, 16, 8, 7, 7, 0, 0],
    [1, 7, 2, ...FLOAT, 7, 1, 7, 8, 7, 7, 0, 0],
    [2, 0],
    [0, 0],
  ]);
});

test('an import that says that it writes nothing is not looked at', async () => {
  const options = { writes: () => false };
  const { recording } = await record(PROGRAM, { env: { fill: () => 0, back() {} } }, undefined, options);
  assert.deepEqual(calls(recording, [9, 9, 2, 2])[0], [1, 16, 3, ...FLOAT, 0, 0]);
});

test('a host that calls the program from an import ends the recording', async () => {
  const env = { fill: () => 0, back: () => instance.exports.again() };
  const recorder = new Recorder(PROGRAM, { writes: () => false });
  const wrapped = recorder.wrap({ env });
  const { instance } = await WebAssembly.instantiate(PROGRAM, wrapped);
  recorder.attach(instance).exports.main();
  recorder.finish();
  assert.equal(recorder.calls, 2);
  assert.deepEqual(calls(recorder.take(), [9, 9, 2])[2], [0, 3]);
});

test('what a host throws is a trap, and is thrown on', async () => {
  const back = () => {
    throw new Error('no');
  };
  const { recording, thrown } = await record(PROGRAM, { env: { fill: () => 0, back } }, undefined, { writes: () => false });
  assert.equal(thrown.message, 'no');
  assert.deepEqual(calls(recording, [9, 9, 2])[2], [0, 2]);
});

test('a recording can be taken in parts', async () => {
  const parts = [];
  const env = { fill: () => 0, back() {} };
  const recorder = new Recorder(PROGRAM, { writes: () => false });
  const wrapped = recorder.wrap({ env });
  for (const [name, original] of Object.entries(wrapped.env)) {
    wrapped.env[name] = (...args) => {
      parts.push(recorder.take());
      return original(...args);
    };
  }
  const { instance } = await WebAssembly.instantiate(PROGRAM, wrapped);
  recorder.attach(instance).exports.main();
  recorder.finish();
  parts.push(recorder.take());
  assert.equal(parts.length, 4);
  calls(Buffer.concat(parts), [9, 9, 2, 2]);
});

/** The recording of a run whose two calls write these bytes, at 512 and at 256; `took` is called between them. */
async function writing(blocks, took = () => {}) {
  let memory;
  let recorder;
  const parts = [];
  const fill = (at) => {
    new Uint8Array(memory.buffer).set(blocks[at === 8 ? 0 : 1], 64 * at);
    if (at === 4 && took()) parts.push(recorder.take());
    return 0;
  };
  recorder = new Recorder(PROGRAM);
  const { instance } = await WebAssembly.instantiate(PROGRAM, recorder.wrap({ env: { fill, back() {} } }));
  memory = recorder.attach(instance).exports.memory;
  instance.exports.main();
  recorder.finish();
  parts.push(recorder.take());
  return Buffer.concat(parts);
}

test('many bytes stand in a recording once, and are checked by their sums', async () => {
  const written = Uint8Array.from({ length: 192 }, (_, nth) => 255 - nth);
  const [first, second] = calls(await writing([written, written]), [13 + 192, 15, 2, 2], [13, 13 + 192]);
  assert.deepEqual(first, [1, 16, 3, ...FLOAT, 0, 1, 128, 8, 128, 3, ...written]);
  // 256 bytes before the last write; 192 bytes, which begin 205 before their number.
  assert.deepEqual(second, [1, 7, 2, ...FLOAT, 0, 1, 255, 3, 129, 3, 205, 1]);
});

test('bytes that were taken are not said by where they stand', async () => {
  const written = Uint8Array.from({ length: 192 }, (_, nth) => 255 - nth);
  const recording = await writing([written, written], () => true);
  assert.ok(recording.lastIndexOf(Buffer.from(written)) > recording.indexOf(Buffer.from(written)));
});

test('bytes that only have the sums of others are written', async () => {
  const turned = (word, by) => (word << by) | (word >>> (32 - by));
  const [one, other] = [new Uint32Array(16).fill(0x01020304), new Uint32Array(16).fill(0x01020304)];
  // Of the first of four lanes: what its sums are after each word of one, and what they may be instead.
  const sums = [one[0], turned(one[0], 7) + one[4]];
  sums.push(turned(sums[1], 7) + one[8]);
  const changed = [sums[0] ^ 0x10];
  changed.push(sums[1] + turned(sums[0], 12) - turned(changed[0], 12));
  other[0] = changed[0];
  other[4] = changed[1] - turned(changed[0], 7);
  other[8] = sums[2] - turned(changed[1], 7);
  const blocks = [one, other].map((words) => new Uint8Array(words.buffer));
  const check = (bytes) => checked(Buffer.from(bytes), [0, 64], 0);
  assert.notDeepEqual(blocks[0], blocks[1]);
  assert.equal(check(blocks[0]), check(blocks[1]));
  const recording = await writing(blocks);
  for (const block of blocks) assert.ok(recording.indexOf(Buffer.from(block)) > 0);
});

test('a library records which exports were called, and what its host wrote between', async () => {
  const program = readFileSync(new URL('../../examples/calculator/calculator.wasm', import.meta.url));
  let at;
  const { recording, returned } = await record(program, {}, ({ exports }) => {
    at = exports.input();
    new Uint8Array(exports.memory.buffer).set(Buffer.from('7 3 +'), at);
    return exports.evaluate(5);
  });
  assert.equal(returned, 10);
  const bytes = Buffer.from(recording);
  const signed = (number) => {
    const coded = [];
    for (let rest = 2 * number; ; rest >>= 7) {
      if (rest < 128) return [...coded, rest];
      coded.push((rest & 127) | 128);
    }
  };
  const name = (text) => [text.length, ...Buffer.from(text)];
  const parts = [
    [3, ...name('input'), ...name('>i'), 0],
    [4, ...signed(at)],
    [3, ...name('evaluate'), ...name('i>i'), 10, 1, ...signed(at), 16, ...Buffer.from('7 3 +\0\0\0')],
    [4, 20],
    [0, 0],
  ];
  const lengths = parts.map((part) => part.length);
  assert.deepEqual(calls(bytes, lengths), parts);
});

test('a host that says that it writes nothing between calls is not looked at', async () => {
  const program = readFileSync(new URL('../../examples/calculator/calculator.wasm', import.meta.url));
  const recorder = new Recorder(program, { between: false });
  const { instance } = await WebAssembly.instantiate(program, recorder.wrap({}));
  const { exports } = recorder.entries(instance);
  new Uint8Array(exports.memory.buffer).set(Buffer.from('1'), exports.input());
  assert.equal(exports.evaluate(1), 1);
  recorder.finish();
  const written = Buffer.from(recorder.take());
  assert.deepEqual([...written.subarray(written.indexOf('i>i') + 3).subarray(0, 2)], [2, 0]);
});
