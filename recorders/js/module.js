// What a recording says of a module: its imported functions with their types. WebAssembly.Module.imports names no types.

const LETTERS = { 0x7f: 'i', 0x7e: 'I', 0x7d: 'f', 0x7c: 'F' };

/** The imported functions of a module: where from, and the letters of their types. */
export function importsOf(bytes) {
  let at = 8;
  const byte = () => bytes[at++];
  const number = () => {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const next = byte();
      result += (next & 0x7f) * 2 ** shift;
      if (next < 0x80) return result;
    }
  };
  const text = () => {
    const length = number();
    return new TextDecoder().decode(bytes.subarray(at, (at += length)));
  };
  const list = (read) => Array.from({ length: number() }, read);
  const valueType = () => {
    const type = byte();
    // Typed references have a heap type behind them.
    if (type === 0x63 || type === 0x64) number();
    return LETTERS[type] ?? 'r';
  };
  const limits = () => {
    const flags = byte();
    number();
    if (flags & 1) number();
  };
  const functionType = () => {
    if (byte() !== 0x60) throw new Error('this module has types that are no functions: it cannot be recorded');
    return { params: list(valueType).join(''), results: list(valueType).join('') };
  };

  let types = [];
  const functions = [];
  while (at < bytes.length) {
    const section = byte();
    const length = number();
    const end = at + length;
    if (section === 1) types = list(functionType);
    if (section === 2) {
      list(() => {
        const [module, name, kind] = [text(), text(), byte()];
        if (kind === 0) functions.push({ module, name, ...types[number()] });
        else if (kind === 1) (valueType(), limits());
        else if (kind === 2) limits();
        else if (kind === 3) (valueType(), byte());
        else (byte(), number());
      });
      break;
    }
    at = end;
  }
  return functions;
}
