#!/usr/bin/env node
// borges-record PROGRAM.wasm -o FILE [--dir HOST[::GUEST]]… [--env NAME=VALUE]… [-- ARGUMENT…]
// Runs a program of WASI preview 1 on Node and records it; the exit code is the program's.

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
const { values, positionals } = parseArgs({
  args: own,
  allowPositionals: true,
  options: { output: { type: 'string', short: 'o' }, dir: several, env: several },
});
if (positionals.length !== 1 || !values.output) {
  console.error('usage: borges-record PROGRAM.wasm -o FILE [--dir HOST[::GUEST]] [--env NAME=VALUE] [-- ARGUMENT…]');
  process.exit(2);
}
const pairs = (list, mark) => Object.fromEntries(list.map((text) => [...text.split(mark), text].slice(0, 2)));
const folders = values.dir.map((text) => text.split('::')).map(([host, guest]) => [guest ?? host, host]);
const wasi = new WASI({
  version: 'preview1',
  args: [basename(positionals[0]), ...(split < 0 ? [] : process.argv.slice(split + 1))],
  env: pairs(values.env, '='),
  preopens: Object.fromEntries(folders),
  returnOnExit: true,
});
const bytes = readFileSync(positionals[0]);
const imports = { ...wasi.getImportObject(), wasi_unstable: wasi.wasiImport };
const { recording, returned, thrown } = await record(bytes, imports, (instance) => wasi.start(instance));
writeFileSync(values.output, recording);
if (thrown) console.error(`${basename(positionals[0])}: ${thrown.message}`);
process.exitCode = thrown ? 134 : returned;
