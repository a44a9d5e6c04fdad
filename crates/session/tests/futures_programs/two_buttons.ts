// Two buttons, each of which counts its presses and shows that on an LED of its own, beside a program that blinks.
@external("env", "subscribe_interrupt")
declare function subscribe(pin: i32, handler: i32, mode: i32): void;
@external("env", "chip_digital_write")
declare function write(pin: i32, level: i32): void;

let first: i32 = 0;
let second: i32 = 0;

function onFirst(): void {
  first++;
  write(21, first & 1);
}

function onSecond(): void {
  second++;
  write(22, second & 1);
}

export function main(): void {
  subscribe(4, onFirst.index, 1);
  subscribe(5, onSecond.index, 1);
  for (let blink = 0; blink < 4; blink++) write(23, blink & 1);
  // Nobody presses the first one three times.
  if (first == 3) unreachable();
}
