// Three LEDs show how hot it is: green below 50 °C, orange from 50 to 70, red above.
import { analogRead, delay, digitalWrite, pinMode, HIGH, LOW, OUTPUT } from "../wiring/wiring";

const SENSOR: i32 = 12;
const GREEN: i32 = 25;
const ORANGE: i32 = 26;
const RED: i32 = 27;

const WARM: f32 = 50.0;
const HOT: f32 = 70.0;

// The sensor gives 0 at -40 °C and 4095 at 125 °C, linear in between.
function readCelsius(): f32 {
  const reading = analogRead(SENSOR);
  return <f32>reading * (<f32>165.0 / <f32>4095.0) - <f32>40.0;
}

function light(green: i32, orange: i32, red: i32): void {
  digitalWrite(GREEN, green);
  digitalWrite(ORANGE, orange);
  digitalWrite(RED, red);
}

function showTemperature(): void {
  if (readCelsius() > HOT) {
    light(LOW, LOW, HIGH);
  } else if (readCelsius() >= WARM) {
    light(LOW, HIGH, LOW);
  } else {
    light(HIGH, LOW, LOW);
  }
}

export function main(): void {
  pinMode(GREEN, OUTPUT);
  pinMode(ORANGE, OUTPUT);
  pinMode(RED, OUTPUT);
  while (true) {
    showTemperature();
    delay(1000);
  }
}
