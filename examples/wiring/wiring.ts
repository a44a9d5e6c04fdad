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
