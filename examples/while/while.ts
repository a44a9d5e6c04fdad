// Dims an LED by a light sensor, which is calibrated while a button is pressed.
import { analogRead, analogWrite, delay, digitalRead, map, pinMode, HIGH, OUTPUT } from "../wiring/wiring";

const SENSOR: i32 = 34;
const LED: i32 = 9;
const BUTTON: i32 = 2;

let darkest: i32 = 4095;
let brightest: i32 = 0;

function calibrate(): void {
  const reading = analogRead(SENSOR);
  if (reading > brightest) brightest = reading;
  if (reading < darkest) darkest = reading;
}

function limit(value: i32): i32 {
  if (value < 0) return 0;
  if (value > 255) return 255;
  return value;
}

export function main(): void {
  pinMode(LED, OUTPUT);
  while (true) {
    while (digitalRead(BUTTON) == HIGH) calibrate();
    analogWrite(LED, limit(map(analogRead(SENSOR), darkest, brightest, 0, 255)));
    delay(50);
  }
}
