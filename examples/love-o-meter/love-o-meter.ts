// A thermometer for a hand: none to three LEDs, by degrees above the room's temperature.
import { analogRead, delay, digitalWrite, pinMode, HIGH, LOW, OUTPUT } from "../wiring/wiring";

const SENSOR: i32 = 34;
const ROOM: f32 = 20.0;

function light(first: i32, second: i32, third: i32): void {
  digitalWrite(2, first);
  digitalWrite(3, second);
  digitalWrite(4, third);
}

export function main(): void {
  for (let pin = 2; pin < 5; pin++) {
    pinMode(pin, OUTPUT);
    digitalWrite(pin, LOW);
  }
  while (true) {
    const volts: f32 = (<f32>analogRead(SENSOR) / 4095.0) * 3.3;
    const celsius: f32 = (volts - 0.5) * 100.0;
    if (celsius < ROOM + 2.0) {
      light(LOW, LOW, LOW);
    } else if (celsius < ROOM + 4.0) {
      light(HIGH, LOW, LOW);
    } else if (celsius < ROOM + 6.0) {
      light(HIGH, HIGH, LOW);
    } else {
      light(HIGH, HIGH, HIGH);
    }
    delay(1);
  }
}
