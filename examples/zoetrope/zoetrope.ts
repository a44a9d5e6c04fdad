// A zoetrope: one button turns it on and off, another turns it round, a knob sets the speed.
import { analogRead, delay, digitalRead, driveMotor, stopMotor, HIGH } from "../wiring/wiring";

const ON_OFF: i32 = 4;
const DIRECTION: i32 = 5;
const KNOB: i32 = 34;
const MOTOR: i32 = 0;

let on: bool = false;
let clockwise: bool = true;
let lastOnOff: i32 = 0;
let lastDirection: i32 = 0;

export function main(): void {
  while (true) {
    const onOff = digitalRead(ON_OFF);
    const direction = digitalRead(DIRECTION);
    const speed = analogRead(KNOB);
    if (onOff != lastOnOff) {
      if (onOff == HIGH) on = !on;
    }
    if (direction != lastDirection) {
      if (direction == HIGH) clockwise = !clockwise;
    }
    if (on) {
      driveMotor(MOTOR, clockwise ? speed : -speed);
    } else {
      stopMotor(MOTOR);
    }
    lastOnOff = onOff;
    lastDirection = direction;
    delay(10);
  }
}
