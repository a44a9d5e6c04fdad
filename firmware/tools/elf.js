// 32-bit little-endian ELF files, as far as firmware needs them (ELF specification 1.2, book I).

const LOAD = 1;
const SYMBOLS = 2;
const NO_BITS = 8;
const ALLOCATED = 2;

/** The parts that are loaded, by physical address: `{ address, bytes }`. */
export function segments(file) {
  check(file);
  const headers = table(file, 28, 42, 44).map((at) => {
    const [type, offset, , address, length] = words(file, at, 5);
    return { type, address, bytes: file.subarray(offset, offset + length) };
  });
  return headers.filter(({ type, bytes }) => type === LOAD && bytes.length > 0);
}

/** The sections that take memory: `{ name, address, size, empty }`, where an empty one has no bytes in the file. */
export function sections(file) {
  const all = headers(file);
  const names = all[file.readUInt16LE(50)];
  return all
    .filter(({ flags, size }) => flags & ALLOCATED && size > 0)
    .map(({ name, type, address, size }) => ({
      name: text(file, names.offset + name),
      address,
      size,
      empty: type === NO_BITS,
    }));
}

/** The symbols: `{ name, address, size }`. */
export function symbols(file) {
  const all = headers(file);
  return all
    .filter(({ type }) => type === SYMBOLS)
    .flatMap(({ offset, size, link }) => {
      const names = all[link].offset;
      return Array.from({ length: size / 16 }, (_, i) => {
        const [name, address, length] = words(file, offset + i * 16, 3);
        return { name: text(file, names + name), address, size: length };
      });
    });
}

function headers(file) {
  check(file);
  return table(file, 32, 46, 48).map((at) => {
    const [name, type, flags, address, offset, size, link] = words(file, at, 7);
    return { name, type, flags, address, offset, size, link };
  });
}

/** Where the entries of a table of headers are, given where the file says its place, entry size and length. */
function table(file, place, size, count) {
  const start = file.readUInt32LE(place);
  return Array.from({ length: file.readUInt16LE(count) }, (_, i) => start + i * file.readUInt16LE(size));
}

function words(file, at, count) {
  return Array.from({ length: count }, (_, i) => file.readUInt32LE(at + 4 * i));
}

function text(file, at) {
  return file.toString('latin1', at, file.indexOf(0, at));
}

function check(file) {
  const isElf = file.length > 52 && file.readUInt32BE(0) === 0x7f454c46;
  if (!isElf || file[4] !== 1 || file[5] !== 1) throw new Error('this is no 32-bit ELF file');
}
