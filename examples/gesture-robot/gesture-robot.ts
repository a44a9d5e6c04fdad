// A robot that is steered by tilting a hand: the accelerometer is read anew for every question.
import { analogRead, delay, driveMotor } from "../wiring/wiring";

const X: i32 = 34;
const Y: i32 = 35;
const LOW_TILT: i32 = 1500;
const HIGH_TILT: i32 = 2500;

function drive(left: i32, right: i32): void {
  driveMotor(0, left);
  driveMotor(1, right);
}

export function main(): void {
  while (true) {
    if (analogRead(X) < LOW_TILT && analogRead(Y) < HIGH_TILT) {
      drive(8000, 8000);
    } else if (analogRead(X) > HIGH_TILT && analogRead(Y) < HIGH_TILT) {
      drive(-8000, -8000);
    } else if (analogRead(X) < HIGH_TILT && analogRead(Y) < LOW_TILT) {
      drive(-4000, 4000);
    } else if (analogRead(X) < HIGH_TILT && analogRead(Y) > HIGH_TILT) {
      drive(4000, -4000);
    } else {
      drive(0, 0);
    }
    delay(20);
  }
}
