// cost.js plain|recorded PROGRAM.wasm FOLDER [ARGUMENT…]
// Runs a program of WASI on Node, with or without being recorded; its last line on standard error is @ and how long it took:
// by the clock and of processors' time, in milliseconds, from before the recording begins until all of it is there.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { record } from '../../recorders/js/index.js';

process.removeAllListeners('warning');
const { WASI } = await import('node:wasi');
const [how, program, folder, ...args] = process.argv.slice(2);
const preopens = { '/': folder };
const wasi = new WASI({ version: 'preview1', args: [basename(program), ...args], env: {}, preopens, returnOnExit: true });
const bytes = readFileSync(program);
const imports = wasi.getImportObject();
// The engine keeps what it has compiled while somebody has it; that is not what is measured.
globalThis.kept = await WebAssembly.compile(bytes);
const [cpu, begun] = [process.cpuUsage(), performance.now()];
if (how === 'recorded') await record(bytes, imports, (instance) => wasi.start(instance));
else wasi.start((await WebAssembly.instantiate(bytes, imports)).instance);
const [took, { user, system }] = [performance.now() - begun, process.cpuUsage(cpu)];
console.error(`\n@${JSON.stringify([took, (user + system) / 1000])}`);
