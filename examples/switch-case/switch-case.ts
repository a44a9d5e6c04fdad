// How bright is it? Four answers, by a switch over the mapped reading.
import { analogRead, delay, map, printInt } from "../wiring/wiring";

const SENSOR: i32 = 36;
// The brightest reading that was seen when this was written.
const BRIGHTEST: i32 = 600;

export function main(): void {
  while (true) {
    switch (map(analogRead(SENSOR), 0, BRIGHTEST, 0, 3)) {
      case 0: printInt(0); break; // dark
      case 1: printInt(1); break; // dim
      case 2: printInt(2); break; // medium
      case 3: printInt(3); break; // bright
    }
    delay(1);
  }
}
