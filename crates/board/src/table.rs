//! The listed primitives: names and types as the WARDuino VM has them, so that programs built for it run unchanged.
//!
//! Where that VM's ports or its libraries disagree about a type (`millis` as i32 or i64, a result that nobody
//! uses), each type has its own line.

use alloc::{borrow::Cow, vec::Vec};

use borges_vm::{ValType, Value};

use crate::{Codomain, Kind, Primitive, primitive::Op};

/// A digital level, a touch sensor: 0 or 1.
const BIT: Codomain = Codomain::Range {
    min: Value::I32(0),
    max: Value::I32(1),
};
/// A twelve-bit converter.
const ANALOG: Codomain = Codomain::Range {
    min: Value::I32(0),
    max: Value::I32(4095),
};
/// A colour sensor: 0..100 reflected or ambient light, 0..7 as a colour.
const PERCENT: Codomain = Codomain::Range {
    min: Value::I32(0),
    max: Value::I32(100),
};
const ANY: Codomain = Codomain::Full(ValType::I32);
const CLOCK32: Codomain = Codomain::NotBeforeLast(ValType::I32);
const CLOCK64: Codomain = Codomain::NotBeforeLast(ValType::I64);

const NONE: &[ValType] = &[];
const I: &[ValType] = &[ValType::I32];
const L: &[ValType] = &[ValType::I64];
const II: &[ValType] = &[ValType::I32; 2];
const III: &[ValType] = &[ValType::I32; 3];
const IIII: &[ValType] = &[ValType::I32; 4];
const IIIII: &[ValType] = &[ValType::I32; 5];
const IIIIIII: &[ValType] = &[ValType::I32; 7];

const fn listed(
    name: &'static str,
    params: &'static [ValType],
    results: &'static [ValType],
    kind: Kind,
    codomain: Codomain,
    op: Op,
) -> Primitive {
    Primitive {
        module: Cow::Borrowed("env"),
        name: Cow::Borrowed(name),
        params: Cow::Borrowed(params),
        results: Cow::Borrowed(results),
        kind,
        codomain,
        register: None,
        op,
    }
}

const fn input(
    name: &'static str,
    params: &'static [ValType],
    results: &'static [ValType],
    codomain: Codomain,
    op: Op,
) -> Primitive {
    listed(name, params, results, Kind::Input, codomain, op)
}

const fn output(
    name: &'static str,
    params: &'static [ValType],
    results: &'static [ValType],
    op: Op,
) -> Primitive {
    listed(name, params, results, Kind::Output, ANY, op)
}

const fn constant(name: &'static str, value: i32, op: Op) -> Primitive {
    listed(name, NONE, I, Kind::Constant(Value::I32(value)), ANY, op)
}

const fn trap(name: &'static str, params: &'static [ValType], op: Op) -> Primitive {
    listed(name, params, NONE, Kind::Trap, ANY, op)
}

/// Every primitive of the default board. A static, so that a device keeps it in flash.
pub(crate) static LISTED: &[Primitive] = &[
    output("chip_pin_mode", II, NONE, Op::PinMode),
    output("chip_digital_write", II, NONE, Op::DigitalWrite),
    input("chip_digital_read", I, I, BIT, Op::DigitalRead),
    input("chip_analog_read", I, I, ANALOG, Op::AnalogRead),
    output("chip_analog_write", II, NONE, Op::AnalogWrite),
    output("chip_analog_write", II, I, Op::AnalogWrite),
    output("chip_ledc_setup", III, NONE, Op::LedcSetup),
    output("chip_ledc_attach_pin", II, NONE, Op::LedcAttachPin),
    output("chip_ledc_attach", III, NONE, Op::LedcAttach),
    output("chip_ledc_set_duty", III, NONE, Op::LedcSetDuty),
    output("chip_delay", I, NONE, Op::DelayMs),
    output("chip_delay_us", I, NONE, Op::DelayUs),
    input("millis", NONE, I, CLOCK32, Op::Millis),
    input("millis", NONE, L, CLOCK64, Op::Millis),
    input("micros", NONE, I, CLOCK32, Op::Micros),
    input("micros", NONE, L, CLOCK64, Op::Micros),
    input("random_int", NONE, I, ANY, Op::Random),
    input("random_int", I, I, ANY, Op::RandomBelow),
    input("random_int", II, I, ANY, Op::RandomBetween),
    input("color_sensor", I, I, PERCENT, Op::ColorSensor),
    input("read_uart_sensor", I, I, PERCENT, Op::ReadUartSensor),
    output("setup_uart_sensor", II, NONE, Op::SetupUartSensor),
    input("nxt_touch_sensor", I, I, BIT, Op::NxtTouch),
    input("ev3_touch_sensor", I, I, BIT, Op::Ev3Touch),
    output("drive_motor", II, NONE, Op::DriveMotor),
    output("drive_motor_ms", III, NONE, Op::DriveMotorMs),
    output("drive_motor_degrees", III, NONE, Op::DriveMotorDegrees),
    output("rotate", III, NONE, Op::Rotate),
    output("stop_motor", I, NONE, Op::StopMotor),
    output("print_int", I, NONE, Op::PrintInt),
    output("print_int", I, I, Op::PrintInt),
    output("print_string", II, NONE, Op::PrintString),
    output("tone", I, NONE, Op::Tone),
    output("noTone", NONE, NONE, Op::NoTone),
    output("init_pixels", NONE, NONE, Op::InitPixels),
    output("set_pixel_color", IIII, NONE, Op::SetPixelColor),
    output("set_pixel_color", IIII, I, Op::SetPixelColor),
    output("show_pixels", NONE, NONE, Op::ShowPixels),
    output("clear_pixels", NONE, NONE, Op::ClearPixels),
    output("display_setup", NONE, NONE, Op::DisplaySetup),
    output(
        "display_set_orientation",
        I,
        NONE,
        Op::DisplaySetOrientation,
    ),
    constant("display_width", 128, Op::DisplayWidth),
    constant("display_height", 160, Op::DisplayHeight),
    output("display_fill_rect", IIIII, NONE, Op::DisplayFillRect),
    output("display_draw_string", IIIIIII, NONE, Op::DisplayDrawString),
    output("spi_begin", NONE, NONE, Op::SpiBegin),
    output("write_spi_byte", I, NONE, Op::SpiByte),
    output("write_spi_bytes_16", II, NONE, Op::SpiWords),
    output("subscribe_interrupt", III, NONE, Op::SubscribeInterrupt),
    output("unsubscribe_interrupt", I, NONE, Op::UnsubscribeInterrupt),
    output("subscribe_timer", II, NONE, Op::SubscribeTimer),
    output("unsubscribe_timer", NONE, NONE, Op::UnsubscribeTimer),
    trap("abort", NONE, Op::Abort),
    trap("abort", IIII, Op::Abort),
];

/// The listed primitives, ready for a board to add to.
pub(crate) fn listed_primitives() -> Cow<'static, [Primitive]> {
    Cow::Borrowed(LISTED)
}

/// All the listed ones and more.
pub(crate) fn with_declared(declared: Vec<Primitive>) -> Cow<'static, [Primitive]> {
    if declared.is_empty() {
        return listed_primitives();
    }
    let mut all = LISTED.to_vec();
    all.extend(declared);
    Cow::Owned(all)
}
