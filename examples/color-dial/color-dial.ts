// Turns the needle of a dial to the colour that the sensor sees, for ever.
import { delay, driveMotorDegrees, readUartSensor, setupUartSensor } from "../wiring/wiring";

const SENSOR: i32 = 0;
const COLOR_MODE: i32 = 2;
const MOTOR: i32 = 0;
// Full speed is 10,000.
const SPEED: i32 = 5000;

// The dial has a field every 45 degrees: none, black, blue, green, yellow, red, white.
const FIELD_DEGREES: i32 = 45;

// The colour that the needle points at.
let current: i32 = 0;

function turnTo(next: i32): void {
  const fields = next - current;
  const degrees = fields * FIELD_DEGREES;
  driveMotorDegrees(MOTOR, SPEED, degrees);
  current = next;
}

export function main(): void {
  setupUartSensor(SENSOR, COLOR_MODE);
  while (true) {
    const color = readUartSensor(SENSOR);
    if (color != current) {
      turnTo(color);
    }
    delay(100);
  }
}
