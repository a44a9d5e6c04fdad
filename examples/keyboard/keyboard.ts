// Four keys on a ladder of resistors: one reading tells which key is pressed.
import { analogRead, delay, noTone, tone } from "../wiring/wiring";

const KEYS: i32 = 34;

export function main(): void {
  while (true) {
    const reading = analogRead(KEYS);
    if (reading > 4050) {
      tone(262);
    } else if (reading >= 3950) {
      tone(294);
    } else if (reading >= 2020) {
      tone(330);
    } else if (reading >= 20) {
      tone(349);
    } else {
      noTone();
    }
    delay(10);
  }
}
