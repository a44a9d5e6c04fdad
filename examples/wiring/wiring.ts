// What the AssemblyScript examples import from the board.
// Each declaration is a primitive of module "env"; board.toml says what it may return.

export const LOW: i32 = 0;
export const HIGH: i32 = 1;
export const INPUT: i32 = 0;
export const OUTPUT: i32 = 2;

// The modes of subscribeInterrupt.
export const CHANGE: i32 = 1;
export const FALLING: i32 = 2;
export const RISING: i32 = 3;

@external("env", "chip_pin_mode")
export declare function pinMode(pin: i32, mode: i32): void;

@external("env", "chip_digital_write")
export declare function digitalWrite(pin: i32, level: i32): void;

@external("env", "chip_digital_read")
export declare function digitalRead(pin: i32): i32;

@external("env", "chip_analog_read")
export declare function analogRead(pin: i32): i32;

@external("env", "chip_delay")
export declare function delay(ms: i32): void;

@external("env", "color_sensor")
export declare function colorSensor(port: i32): i32;

@external("env", "read_uart_sensor")
export declare function readUartSensor(port: i32): i32;

@external("env", "setup_uart_sensor")
export declare function setupUartSensor(port: i32, mode: i32): void;

@external("env", "drive_motor_degrees")
export declare function driveMotorDegrees(port: i32, speed: i32, degrees: i32): void;

@external("env", "print_int")
export declare function printInt(value: i32): void;

@external("env", "subscribe_interrupt")
export declare function subscribeInterrupt(pin: i32, handler: i32, mode: i32): void;

@external("env", "unsubscribe_interrupt")
export declare function unsubscribeInterrupt(pin: i32): void;

@external("env", "chip_analog_write")
export declare function analogWrite(pin: i32, duty: i32): void;

@external("env", "random_int")
export declare function randomBelow(bound: i32): i32;

@external("env", "tone")
export declare function tone(frequency: i32): void;

@external("env", "noTone")
export declare function noTone(): void;

@external("env", "drive_motor")
export declare function driveMotor(port: i32, speed: i32): void;

@external("env", "stop_motor")
export declare function stopMotor(port: i32): void;

@external("env", "spi_begin")
export declare function spiBegin(): void;

@external("env", "write_spi_byte")
export declare function writeSpiByte(byte: i32): void;

@external("env", "write_spi_bytes_16")
export declare function writeSpiWords(count: i32, colour: i32): void;

// Arduino's map: linear, with integers, and without clamping.
export function map(value: i32, fromLow: i32, fromHigh: i32, toLow: i32, toHigh: i32): i32 {
  return (value - fromLow) * (toHigh - toLow) / (fromHigh - fromLow) + toLow;
}
