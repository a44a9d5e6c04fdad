// What the C examples import from the board.
// Each declaration is a primitive of module "env"; board.toml says what it may return.
#ifndef WIRING_H
#define WIRING_H

// Own names for the types, so that the debug information needs no file of the compiler's.
typedef int i32;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef _Bool bool;

#define PRIMITIVE(name) __attribute__((import_module("env"), import_name(#name)))
#define NOINLINE __attribute__((noinline))
#define ENTRY __attribute__((export_name("main")))

enum { LOW = 0, HIGH = 1 };
enum { INPUT = 0, OUTPUT = 2 };

PRIMITIVE(chip_pin_mode) void chip_pin_mode(i32 pin, i32 mode);
PRIMITIVE(chip_digital_write) void chip_digital_write(i32 pin, i32 level);
PRIMITIVE(chip_digital_read) i32 chip_digital_read(i32 pin);
PRIMITIVE(chip_analog_read) i32 chip_analog_read(i32 pin);
PRIMITIVE(chip_delay) void chip_delay(i32 ms);
PRIMITIVE(drive_motor_degrees) void drive_motor_degrees(i32 port, i32 speed, i32 degrees);
PRIMITIVE(print_int) void print_int(i32 value);

#endif
