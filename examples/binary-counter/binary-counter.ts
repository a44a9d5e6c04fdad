// Counts presses of a button and shows the count in binary on four LEDs.
import {
  delay, digitalWrite, pinMode, subscribeInterrupt, HIGH, INPUT, LOW, OUTPUT, RISING,
} from "../wiring/wiring";

const BUTTON: i32 = 14;
const FIRST_LED: i32 = 16;
const LEDS: i32 = 4;

// Presses so far, modulo 16.
let count: i32 = 0;

// Called by the board between any two instructions when the button goes down.
function onPress(): void {
  count = (count + 1) & 0xf;
}

function showCount(): void {
  for (let led = 0; led < LEDS; led++) {
    const bit = (count >> led) & 1;
    digitalWrite(FIRST_LED + led, bit ? HIGH : LOW);
  }
}

export function main(): void {
  for (let led = 0; led < LEDS; led++) {
    pinMode(FIRST_LED + led, OUTPUT);
  }
  pinMode(BUTTON, INPUT);
  subscribeInterrupt(BUTTON, onPress.index, RISING);
  while (true) {
    showCount();
    delay(50);
  }
}
