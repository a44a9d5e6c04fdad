// A knock on a piezo element toggles an LED.
import { analogRead, delay, digitalWrite, pinMode, HIGH, LOW, OUTPUT } from "../wiring/wiring";

const PIEZO: i32 = 34;
const LED: i32 = 13;
const THRESHOLD: i32 = 100;

let lit: bool = false;

export function main(): void {
  pinMode(LED, OUTPUT);
  while (true) {
    if (analogRead(PIEZO) >= THRESHOLD) {
      lit = !lit;
      digitalWrite(LED, lit ? HIGH : LOW);
    }
    delay(100);
  }
}
