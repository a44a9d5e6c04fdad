// Lights the red LED while it is dark, the blue one otherwise, for ever.
import { colorSensor, delay, digitalWrite, pinMode, HIGH, LOW, OUTPUT } from "../wiring/wiring";

const SENSOR: i32 = 0;
const RED: i32 = 45;
const BLUE: i32 = 46;
const THRESHOLD: i32 = 50;

// Readings since the start that were too dark.
let darkReadings: i32 = 0;

function showLight(light: i32): void {
  const dark = light < THRESHOLD;
  if (dark) {
    darkReadings += 1;
    digitalWrite(BLUE, LOW);
    digitalWrite(RED, HIGH);
  } else {
    digitalWrite(RED, LOW);
    digitalWrite(BLUE, HIGH);
  }
}

export function main(): void {
  pinMode(RED, OUTPUT);
  pinMode(BLUE, OUTPUT);
  while (true) {
    const light = colorSensor(SENSOR);
    showLight(light);
    delay(1000);
  }
}
