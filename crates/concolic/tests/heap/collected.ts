// Readings are objects in a list that has at most three; who holds none any more is collected at once.
@external("env", "chip_analog_read")
declare function analogRead(pin: i32): i32;
@external("env", "chip_digital_write")
declare function digitalWrite(pin: i32, level: i32): void;

class Reading {
  constructor(public value: i32, public before: Reading | null) {}
}

let last: Reading | null = null;

function greatest(): i32 {
  let most = 0;
  let at = last;
  while (at !== null) {
    most = max(most, at.value);
    at = at.before;
  }
  return most;
}

export function main(): void {
  for (;;) {
    const reading = analogRead(34);
    if (reading === 0) {
      last = null;
    } else {
      last = new Reading(reading, last);
      const second = last!.before;
      if (second !== null) {
        const third = second.before;
        if (third !== null) third.before = null;
      }
    }
    digitalWrite(13, greatest());
    __collect();
  }
}
