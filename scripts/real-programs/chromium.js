// chromium.js PROGRAM.wasm -o FILE [--dir HOST::GUEST] [--env NAME=VALUE]… [-- ARGUMENT…]
// Runs a program of WASI in Chromium, on @bjorn3/browser_wasi_shim (in $SHIM), and records it. The folder is read in before
// and written after the run; the exit code is the program's. With --plain it is not recorded.
const { createRequire } = require('node:module');
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');

const TOP = path.join(__dirname, '../..');
const { chromium } = createRequire(path.join(TOP, 'ui/package.json'))('playwright-core');

const split = process.argv.indexOf('--');
const several = { type: 'string', multiple: true, default: [] };
const { values, positionals } = parseArgs({
  args: process.argv.slice(2, split < 0 ? undefined : split),
  allowPositionals: true,
  options: { output: { type: 'string', short: 'o' }, dir: several, env: several, plain: { type: 'boolean' } },
});
const [program] = positionals;
const [host, guest] = values.dir[0].split('::');

function read(folder) {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  return entries.map((entry) => {
    const name = path.join(folder, entry.name);
    return [entry.name, entry.isDirectory() ? read(name) : fs.readFileSync(name, 'base64')];
  });
}

function write(folder, entries) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, content] of entries) {
    const file = path.join(folder, name);
    if (typeof content === 'string') fs.writeFileSync(file, content, 'base64');
    else write(file, content);
  }
}

/** In the browser. */
async function run({ args, env, guest, folder, stdin, plain }) {
  const { record } = await import('http://files/recorders/index.js');
  const shim = await import('http://files/shim/index.js');
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const text = (given) => {
    let letters = '';
    for (let at = 0; at < given.length; at += 8192) letters += String.fromCharCode(...given.subarray(at, at + 8192));
    return btoa(letters);
  };
  const inward = (entries) =>
    new Map(
      entries.map(([name, content]) => [
        name,
        typeof content === 'string' ? new shim.File(bytes(content)) : new shim.Directory(inward(content)),
      ]),
    );
  const outward = (contents) =>
    [...contents].map(([name, inode]) => [name, inode.data ? text(inode.data) : outward(inode.contents)]);
  const printed = [[], []];
  const output = (parts) => new shim.ConsoleStdout((part) => parts.push(...part));
  const root = new shim.PreopenDirectory(guest, inward(folder));
  const fds = [new shim.OpenFile(new shim.File(bytes(stdin))), output(printed[0]), output(printed[1]), root];
  const wasi = new shim.WASI(args, env, fds, { debug: false });
  const program = new Uint8Array(await (await fetch('http://files/program')).arrayBuffer());
  const imports = { wasi_snapshot_preview1: wasi.wasiImport };
  const start = (instance) => wasi.start(instance);
  // What was compiled is kept while somebody has it; that is not what is measured.
  globalThis.kept = await WebAssembly.compile(program);
  const begun = performance.now();
  const { recording, returned, thrown } = plain
    ? { recording: new Uint8Array(0), returned: start((await WebAssembly.instantiate(program, imports)).instance) }
    : await record(program, imports, start);
  const took = performance.now() - begun;
  return {
    recording: text(recording),
    took,
    code: thrown ? 134 : returned,
    printed: printed.map((parts) => text(Uint8Array.from(parts))),
    folder: outward(root.dir.contents),
    thrown: thrown && String(thrown),
  };
}

(async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    await page.route('http://files/**', (route) => {
      const asked = new URL(route.request().url()).pathname;
      const folders = { '/recorders/': path.join(TOP, 'recorders/js'), '/shim/': process.env.SHIM };
      const [from] = Object.keys(folders).filter((start) => asked.startsWith(start));
      if (asked === '/program') return route.fulfill({ body: fs.readFileSync(program) });
      if (!from) return route.fulfill({ contentType: 'text/html', body: '' });
      const body = fs.readFileSync(path.join(folders[from], asked.slice(from.length)));
      return route.fulfill({ contentType: 'text/javascript', body });
    });
    await page.goto('http://files/');
    const done = await page.evaluate(run, {
      args: [path.basename(program), ...(split < 0 ? [] : process.argv.slice(split + 1))],
      env: values.env,
      plain: values.plain ?? false,
      guest,
      folder: read(host),
      stdin: fs.readFileSync(0, 'base64'),
    });
    write(host, done.folder);
    fs.writeFileSync(values.output, done.recording, 'base64');
    fs.writeSync(1, Buffer.from(done.printed[0], 'base64'));
    fs.writeSync(2, Buffer.from(done.printed[1], 'base64'));
    if (done.thrown) console.error(done.thrown);
    // For cost.py.
    if (process.env.COST) console.error(`\n@[${done.took}]`);
    process.exitCode = done.code;
  } finally {
    await browser.close();
  }
})();
