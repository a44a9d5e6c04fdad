// A crystal ball: tilt it, and one of eight answers appears.
import { delay, digitalRead, printInt, randomBelow, HIGH, LOW } from "../wiring/wiring";

const TILT: i32 = 6;

let last: i32 = HIGH;

export function main(): void {
  while (true) {
    const tilt = digitalRead(TILT);
    if (tilt != last) {
      if (tilt == LOW) {
        switch (randomBelow(8)) {
          case 0: printInt(100); break; // yes
          case 1: printInt(101); break; // most likely
          case 2: printInt(102); break; // certainly
          case 3: printInt(103); break; // outlook good
          case 4: printInt(104); break; // unsure
          case 5: printInt(105); break; // ask again
          case 6: printInt(106); break; // doubtful
          case 7: printInt(107); break; // no
        }
      }
    }
    last = tilt;
    delay(50);
  }
}
