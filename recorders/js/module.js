// What a recording says of a module: its imported functions and exported ones with their types. WebAssembly.Module.imports
// names no types.

const LETTERS = { 0x7f: 'i', 0x7e: 'I', 0x7d: 'f', 0x7c: 'F' };

class Reader {
  at = 8;

  constructor(bytes) {
    this.bytes = bytes;
  }

  byte() {
    return this.bytes[this.at++];
  }

  number() {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const next = this.byte();
      result += (next & 0x7f) * 2 ** shift;
      if (next < 0x80) return result;
    }
  }

  text() {
    const length = this.number();
    return new TextDecoder().decode(this.bytes.subarray(this.at, (this.at += length)));
  }

  list(read) {
    return Array.from({ length: this.number() }, read);
  }

  valueType() {
    const type = this.byte();
    // Typed references have a heap type behind them.
    if (type === 0x63 || type === 0x64) this.number();
    return LETTERS[type] ?? 'r';
  }

  limits() {
    const flags = this.byte();
    this.number();
    if (flags & 1) this.number();
  }

  functionType() {
    if (this.byte() !== 0x60) throw new Error('this module has types that are no functions: it cannot be recorded');
    const [params, results] = [0, 1].map(() => this.list(() => this.valueType()).join(''));
    return { params, results };
  }
}

/** The sections of a module, each read when it comes. */
function read(bytes, readers) {
  const reader = new Reader(bytes);
  while (reader.at < bytes.length) {
    const section = reader.byte();
    const length = reader.number();
    const end = reader.at + length;
    readers[section]?.(reader);
    reader.at = end;
  }
}

/** The imported functions of a module: names, and the letters of their types. */
export function importsOf(bytes) {
  let types = [];
  const imports = [];
  const one = (reader) => {
    const [module, name, kind] = [reader.text(), reader.text(), reader.byte()];
    if (kind === 0) imports.push({ module, name, ...types[reader.number()] });
    else if (kind === 1) (reader.valueType(), reader.limits());
    else if (kind === 2) reader.limits();
    else if (kind === 3) (reader.valueType(), reader.byte());
    else (reader.byte(), reader.number());
  };
  read(bytes, {
    1: (reader) => (types = reader.list(() => reader.functionType())),
    2: (reader) => reader.list(() => one(reader)),
  });
  return imports;
}

/** The exported functions of a module that imports those. */
export function exportsOf(bytes, imports) {
  let types = [];
  let functions = [];
  const exports = [];
  const one = (reader) => {
    const [name, kind, index] = [reader.text(), reader.byte(), reader.number()];
    if (kind === 0) exports.push({ ...(imports[index] ?? types[functions[index - imports.length]]), name });
  };
  read(bytes, {
    1: (reader) => (types = reader.list(() => reader.functionType())),
    3: (reader) => (functions = reader.list(() => reader.number())),
    7: (reader) => reader.list(() => one(reader)),
  });
  return exports;
}
