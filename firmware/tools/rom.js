// What the RP2040's boot ROM offers to programs, of which the firmware's flash driver needs this. No image of the ROM is
// used: a function there is one instruction that the core does not know, which the emulator takes as the call.

/** Where the ROM says where its tables are (RP2040 datasheet, 2.8.3). */
const TABLES = 0x14;
/** Where our functions begin; four bytes each. */
const FUNCTIONS = 0x100;
/** `udf #0`, and behind it `bx lr`. */
const CALL = 0x4770de00;
const PAGE = 256;
const SECTOR = 4096;
/** What a Pico's flash takes for them in nanoseconds, typically (Winbond W25Q16JV). */
const PROGRAMMING = 400_000;
const ERASING = 45_000_000;

/** Two letters as the ROM's table has them. */
const code = (letters) => letters.charCodeAt(0) | (letters.charCodeAt(1) << 8);

/** The control of the cache before the flash, among the emulator's peripherals, which has none: nothing is under way. */
const CACHE = 0x14000;
const IDLE = { readUint32: () => 0, writeUint32Atomic: () => {} };

/** Gives a chip its ROM. `changed(offset, length)` is called when its flash was written. */
export function install(chip, changed) {
  const { registers } = chip.core;
  const nothing = () => {};
  const write = (offset, length, what, nanoseconds) => {
    if (offset + length > chip.flash.length) return;
    for (let i = offset; i < offset + length; i++) chip.flash[i] = what(chip.flash[i], i - offset);
    changed(offset, length);
    // Nothing but time goes on meanwhile: code is in flash, and interrupts are off.
    chip.clock.tick(nanoseconds);
  };
  const functions = {
    // The connection of flash and memory has no other state here.
    IF: nothing,
    EX: nothing,
    FC: nothing,
    CX: nothing,
    C4: () => {
      const [to, from, length] = registers;
      for (let i = 0; i < length; i += 4) chip.writeUint32(to + i, chip.readUint32(from + i));
    },
    RE: () => {
      const [offset, length] = registers;
      write(offset, length, () => 0xff, (length / SECTOR) * ERASING);
    },
    RP: () => {
      const [offset, from, length] = registers;
      const data = Array.from({ length }, (_, i) => chip.readUint8(from + i));
      // Flash only goes from one to zero.
      write(offset, length, (byte, i) => byte & data[i], (length / PAGE) * PROGRAMMING);
    },
  };
  const known = Object.keys(functions).map(code);
  const calls = Object.values(functions);
  const address = (index) => (FUNCTIONS + 4 * index) | 1;
  // The last one looks the others up.
  calls.push(() => (registers[0] = known.includes(registers[1]) ? address(known.indexOf(registers[1])) : 0));
  calls.forEach((_, index) => (chip.bootrom[FUNCTIONS / 4 + index] = CALL + index));
  chip.bootrom[TABLES / 4] = 0;
  chip.bootrom[TABLES / 4 + 1] = address(calls.length - 1);
  chip.peripherals[CACHE] = IDLE;
  chip.onBreak = (index) => {
    if (chip.core.PC < FUNCTIONS + 4 * calls.length) calls[index]();
  };
}
