// Numbers and bytes in a row, with their running check (docs/recordings.md).

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});
// Worth its call for many bytes only.
const native = globalThis.process?.getBuiltinModule?.('node:zlib')?.crc32;

/** CRC-32 of bytes behind those of another. */
export function crc(check, bytes) {
  if (native && bytes.length > 1000) return native(bytes, check >>> 0);
  check = ~check;
  for (let at = 0; at < bytes.length; at++) check = TABLE[(check ^ bytes[at]) & 0xff] ^ (check >>> 8);
  return ~check;
}

/** The 16 bits that stand for a check. */
export const folded = (check) => (check ^ (check >>> 16)) & 0xffff;

const CHUNK = 1 << 20;
const scratch = new DataView(new ArrayBuffer(8));

export class Stream {
  #full = [];
  #bytes = new Uint8Array(CHUNK);
  #length = 0;
  #checked = 0;
  #check = 0;

  #room(count) {
    if (this.#length + count <= this.#bytes.length) return;
    this.#sum();
    this.#full.push(this.#bytes.subarray(0, this.#length));
    this.#bytes = new Uint8Array(Math.max(CHUNK, count));
    this.#length = this.#checked = 0;
  }

  /** Brings the check up to here. */
  #sum() {
    this.#check = crc(this.#check, this.#bytes.subarray(this.#checked, this.#length));
    this.#checked = this.#length;
  }

  bytes(bytes) {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** LEB128 of a number from 0 to 2^53. */
  number(number) {
    this.#room(8);
    while (number >= 0x80) {
      this.#bytes[this.#length++] = (number & 0x7f) | 0x80;
      number = number < 0x80000000 ? number >>> 7 : Math.floor(number / 128);
    }
    this.#bytes[this.#length++] = number;
  }

  /** A signed number of 32 bits. */
  signed(number) {
    this.number(((number << 1) ^ (number >> 31)) >>> 0);
  }

  /** A signed number of 64 bits. */
  signedLong(number) {
    let rest = BigInt.asUintN(64, (number << 1n) ^ (number >> 63n));
    while (rest > 0x1fffffffffffffn) {
      this.bytes([Number(rest & 0x7fn) | 0x80]);
      rest >>= 7n;
    }
    this.number(Number(rest));
  }

  float(number, size) {
    if (size === 4) scratch.setFloat32(0, number, true);
    else scratch.setFloat64(0, number, true);
    this.bytes(new Uint8Array(scratch.buffer, 0, size));
  }

  fixed(number, size) {
    this.#room(size);
    for (let at = 0; at < size; at++) this.#bytes[this.#length++] = number >>> (8 * at);
  }

  text(text) {
    const bytes = new TextEncoder().encode(text);
    this.number(bytes.length);
    this.bytes(bytes);
  }

  /** Writes the check of all that came before: of 16 bits behind calls, which later checks leave out, else of 32. */
  check(size) {
    // Or a part of it would begin a new chunk, and the check with it.
    this.#room(size);
    this.#sum();
    this.fixed(size === 2 ? folded(this.#check) : this.#check, size);
    this.#checked = this.#length;
  }

  /** All that was written since the last time. */
  take() {
    const parts = [...this.#full, this.#bytes.subarray(0, this.#length)];
    const taken = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of parts) {
      taken.set(part, at);
      at += part.length;
    }
    this.#full = [];
    this.#length = this.#checked = 0;
    return taken;
  }
}
