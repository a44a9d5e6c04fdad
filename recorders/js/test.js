// node --test recorders/js/test.js: what the replay of real programs (scripts/recordings.sh) does not show.

import assert from 'node:assert/strict';
import { test } from 'node:test';
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

/** The calls of a recording and its checks, which must hold. */
function calls(recording, lengths) {
  const bytes = Buffer.from(recording);
  let at = bytes.indexOf('back') + 4 + 1 + 1 + 1 + 4;
  let check = crc32(bytes.subarray(0, at - 4));
  assert.equal(bytes.readUInt32LE(at - 4), check);
  return lengths.map((length, nth) => {
    const call = bytes.subarray(at, (at += length));
    check = crc32(call, check);
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
    [1, 16, 3, ...FLOAT, 15, 1, 16, 4, 7, 7, 0, 0],
    [1, 7, 2, ...FLOAT, 7, 1, 7, 4, 7, 7, 0, 0],
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
