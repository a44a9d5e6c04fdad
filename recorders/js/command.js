#!/usr/bin/env node
// borges-record PROGRAM.wasm -o FILE [--dir HOST[::GUEST]]… [--env NAME=VALUE]… [--call 'EXPORT ARGUMENT…']… [-- ARGUMENT…]
// Runs a program of WASI preview 1 on Node and records it; the exit code is the program's. Of a module without _start, what
// --call names is called, one after the other.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { record } from './index.js';

// Node says with every use of its WASI that it is an experiment.
process.removeAllListeners('warning');
const { WASI } = await import('node:wasi');

const split = process.argv.indexOf('--');
const own = process.argv.slice(2, split < 0 ? undefined : split);
const several = { type: 'string', multiple: true, default: [] };
const options = { output: { type: 'string', short: 'o' }, dir: several, env: several, call: several };

/** Says why nothing is recorded, and ends. */
function refuse(why) {
  console.error(why);
  process.exit(2);
}

function asked() {
  const known = "[--dir HOST[::GUEST]] [--env NAME=VALUE] [--call 'EXPORT ARGUMENT…'] [-- ARGUMENT…]";
  const usage = `usage: borges-record PROGRAM.wasm -o FILE ${known}`;
  try {
    const asked = parseArgs({ args: own, allowPositionals: true, options });
    return asked.positionals.length === 1 && asked.values.output ? asked : refuse(usage);
  } catch (error) {
    return refuse(`${error.message}\n${usage}`);
  }
}

function read(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    return refuse(error.message);
  }
}

const { values, positionals } = asked();
const bytes = read(positionals[0]);
const pairs = (list, mark) => Object.fromEntries(list.map((text) => [...text.split(mark), text].slice(0, 2)));
const folders = values.dir.map((text) => text.split('::')).map(([host, guest]) => [guest ?? host, host]);
const wasi = new WASI({
  version: 'preview1',
  args: [basename(positionals[0]), ...(split < 0 ? [] : process.argv.slice(split + 1))],
  env: pairs(values.env, '='),
  preopens: Object.fromEntries(folders),
  returnOnExit: true,
});
const imports = { ...wasi.getImportObject(), wasi_unstable: wasi.wasiImport };
const run = (instance) => {
  if (instance.exports._start) return wasi.start(instance);
  // What --call names must be there before anything runs.
  const calls = values.call.map((text) => text.trim().split(/\s+/));
  const missing = calls.find(([name]) => typeof instance.exports[name] !== 'function');
  if (missing) throw new Error(`it exports no function '${missing[0]}'`);
  if (calls.length === 0) throw new Error("it has no _start: name what is called with --call 'EXPORT ARGUMENT…'");
  // Node wants a memory for it.
  if (instance.exports.memory) wasi.initialize(instance);
  for (const [name, ...args] of calls) console.log(String(instance.exports[name](...args) ?? ''));
  return 0;
};
const { recording, returned, thrown } = await record(bytes, imports, run);
writeFileSync(values.output, recording);
if (thrown) console.error(`${basename(positionals[0])}: ${thrown.message}`);
process.exitCode = thrown ? 134 : returned;
