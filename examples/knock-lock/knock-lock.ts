// A box that opens after three knocks of the right strength; a button locks it.
import { analogRead, delay, digitalRead, digitalWrite, pinMode, HIGH, LOW, OUTPUT } from "../wiring/wiring";

const PIEZO: i32 = 34;
const BUTTON: i32 = 2;
const LOCK: i32 = 9;
const QUIET: i32 = 100;
const LOUD: i32 = 1000;

let locked: bool = false;
let knocks: i32 = 0;

function listen(): void {
  const strength = analogRead(PIEZO);
  if (strength <= QUIET) return;
  // Too hard is an attempt to force it.
  if (strength >= LOUD) return;
  knocks += 1;
  if (knocks >= 3) {
    locked = false;
    knocks = 0;
    digitalWrite(LOCK, LOW);
  }
}

export function main(): void {
  pinMode(LOCK, OUTPUT);
  while (true) {
    if (!locked) {
      if (digitalRead(BUTTON) == HIGH) {
        locked = true;
        digitalWrite(LOCK, HIGH);
      }
    }
    if (locked) listen();
    delay(20);
  }
}
