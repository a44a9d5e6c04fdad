// A Pico: the emulated chip, with what the boot ROM and the reset line of a real one do.

import { LogLevel, RP2040, ConsoleLogger } from 'rp2040js';
import { segments } from './elf.js';
import { install } from './rom.js';
import { Cable } from './usb.js';

const FLASH = 0x10000000;
/** Behind the second stage of the boot loader. */
const VECTORS = 0x10000100;
const NANOSECONDS_A_CYCLE = 8;
/** Instructions between two ticks of the emulated clock. */
const TICK = 16;

/** The watchdog, which can restart the chip, among the emulator's peripherals. */
const WATCHDOG = 0x40058;

export class Board {
  #firmware;
  #flash;
  #hasUsb;
  #baud;
  #memory;
  /** What is in the USB port, if the host is there. */
  #cable;
  #chip;
  #sent = [];
  /** The watchdog or the reset button wants a restart. */
  #restart = false;
  /** The core is stuck: a bus that does not answer, a loop without an end. */
  #hangs = false;
  #executed = 0;
  /** How far the clock went in the last run, in nanoseconds. */
  #ran = 0;

  /** Is called with offset and bytes of what the firmware has changed in flash. */
  onFlash = (_offset, _bytes) => {};

  /**
   * A board with this ELF file in its flash, just started. What else is there, `flash` says; `usb`: the host is at the
   * USB port, and not at the serial line; `baud`: at that line, it has this speed; `memory` is told of every instruction.
   */
  constructor(elf, { flash = new Uint8Array(), usb = false, baud = null, memory = null } = {}) {
    this.#firmware = segments(elf);
    this.#flash = flash;
    this.#hasUsb = usb;
    this.#baud = baud;
    this.#memory = memory;
    this.#chip = this.#boot(null);
  }

  /** How many instructions were executed since the board was switched on. */
  get executed() {
    return this.#executed;
  }

  /** Gives bytes to the line; how many it took. */
  receive(bytes) {
    if (this.#cable) return this.#cable.receive(bytes);
    const line = this.#chip.uart[0];
    let taken = 0;
    while (taken < bytes.length && !line.rxFIFO.full) line.feedByte(this.#carried(bytes[taken++]));
    return taken;
  }

  /** What was sent on the line since the last call. */
  sent() {
    const bytes = Buffer.from(this.#sent);
    this.#sent = [];
    return bytes;
  }

  /** Executes so many instructions. The clock goes with them as on a real core, which is faster: `pass` makes up for it. */
  run(instructions) {
    let started = this.#chip.clock.nanos;
    for (let done = 0; done < instructions; done += TICK) {
      const { core, clock } = this.#chip;
      const end = Math.min(TICK, instructions - done);
      let cycles = this.#hangs ? end : 0;
      const memory = this.#memory;
      // Twice, because looking costs those who need not look a quarter of their time.
      if (memory) cycles += this.#executeWatched(end, core, memory);
      else for (let i = 0; i < end && !this.#hangs; i++) cycles += core.executeInstruction();
      clock.tick(cycles * NANOSECONDS_A_CYCLE);
      if (this.#restart) {
        this.#chip = this.#boot(this.#chip);
        started = 0;
      }
    }
    this.#executed += instructions;
    this.#ran = this.#chip.clock.nanos - started;
  }

  #executeWatched(count, core, memory) {
    let cycles = 0;
    for (let i = 0; i < count && !this.#hangs; i++) {
      const at = core.PC;
      cycles += core.executeInstruction();
      memory.after(at, core);
    }
    return cycles;
  }

  /** Presses the reset button. */
  reset() {
    this.#restart = true;
  }

  /** Stops the core until a restart; time goes on. */
  hang() {
    this.#hangs = true;
  }

  /** Lets time go on until this many milliseconds have passed since before the last run. */
  pass(milliseconds) {
    const behind = milliseconds * 1e6 - this.#ran;
    if (behind > 0) this.#chip.clock.tick(behind);
  }

  /** What becomes of a byte on the line: where the two ends differ by 3 % or more, something else. */
  #carried(byte) {
    const { baudRate } = this.#chip.uart[0];
    return this.#baud && Math.abs(baudRate / this.#baud - 1) > 0.03 ? (byte * 37 + 11) & 0xff : byte;
  }

  /** What the boot ROM does: starts what lies in flash. A restart leaves memory alone. */
  #boot(before) {
    const chip = new RP2040();
    chip.logger = new ConsoleLogger(LogLevel.Error, false);
    if (before) {
      chip.flash.set(before.flash);
      chip.sram.set(before.sram);
    } else {
      chip.flash.set(this.#flash);
      for (const { address, bytes } of this.#firmware) chip.flash.set(bytes, address - FLASH);
    }
    install(chip, (offset, length) => this.onFlash(offset, chip.flash.subarray(offset, offset + length)));
    chip.core.VTOR = VECTORS;
    chip.core.SP = chip.readUint32(VECTORS);
    chip.core.PC = chip.readUint32(VECTORS + 4) & ~1;
    if (this.#hasUsb) this.#cable = new Cable(chip, (bytes) => this.#sent.push(...bytes));
    else chip.uart[0].onByte = (byte) => this.#sent.push(this.#carried(byte));
    const watchdog = chip.peripherals[WATCHDOG];
    watchdog.onWatchdogTrigger = () => {
      // It would fire again at this very moment, for ever.
      watchdog.alarm.enable = false;
      // Between two instructions: this is called in the middle of one.
      this.#restart = true;
    };
    this.#restart = false;
    this.#hangs = false;
    this.#memory?.restarted();
    return chip;
  }
}
