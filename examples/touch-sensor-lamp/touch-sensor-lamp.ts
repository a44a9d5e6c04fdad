// A touch on a capacitive sensor lights a lamp for as long as it lasts.
import { analogRead, delay, digitalWrite, pinMode, HIGH, LOW, OUTPUT } from "../wiring/wiring";

const SENSOR: i32 = 35;
const LAMP: i32 = 12;
const THRESHOLD: i32 = 1000;

export function main(): void {
  pinMode(LAMP, OUTPUT);
  while (true) {
    if (analogRead(SENSOR) > THRESHOLD) {
      digitalWrite(LAMP, HIGH);
    } else {
      digitalWrite(LAMP, LOW);
    }
    delay(10);
  }
}
