// Dims an LED by a light sensor.
import { analogRead, analogWrite, delay, map, pinMode, OUTPUT } from "../wiring/wiring";

const SENSOR: i32 = 34;
const LED: i32 = 9;
const DARKEST: i32 = 400;
const BRIGHTEST: i32 = 3600;

function limit(value: i32): i32 {
  if (value < 0) return 0;
  if (value > 255) return 255;
  return value;
}

export function main(): void {
  pinMode(LED, OUTPUT);
  while (true) {
    analogWrite(LED, limit(map(analogRead(SENSOR), DARKEST, BRIGHTEST, 0, 255)));
    delay(50);
  }
}
