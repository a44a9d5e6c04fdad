// Every reading is an object with samples of its own, and holds the one before it; the last two are kept. What nobody holds
// any more is collected, some time.
@external("env", "chip_analog_read")
declare function analogRead(pin: i32): i32;
@external("env", "chip_digital_write")
declare function digitalWrite(pin: i32, level: i32): void;

class Reading {
  samples: StaticArray<i32> = new StaticArray<i32>(1024);

  constructor(public before: Reading | null) {
    for (let at = 0; at < 2; at++) this.samples[at] = analogRead(34);
  }

  get sum(): i32 {
    return this.samples[0] + this.samples[1];
  }
}

let last: Reading | null = null;

export function main(): void {
  for (;;) {
    const reading = new Reading(last);
    const before = reading.before;
    if (before !== null) {
      digitalWrite(13, i32(before.sum < reading.sum));
      before.before = null;
    }
    last = reading;
  }
}
