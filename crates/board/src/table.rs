//! The listed primitives: names and types as the WARDuino VM has them, so that programs built for it run unchanged.
//!
//! Where that VM's ports or its libraries disagree about a type (`millis` as i32 or i64, a result that nobody
//! uses), each type has its own line.

use alloc::{borrow::Cow, vec::Vec};

use borges_vm::{ValType, Value};

use crate::{Codomain, Primitive, PrimitiveId, PrimitiveKind, primitive::Op};

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
const II: &[ValType] = &[ValType::I32; 2];
const III: &[ValType] = &[ValType::I32; 3];
const IIII: &[ValType] = &[ValType::I32; 4];
const IIIII: &[ValType] = &[ValType::I32; 5];
const IIIIIII: &[ValType] = &[ValType::I32; 7];

const NOTHING: Option<ValType> = None;
const INT: Option<ValType> = Some(ValType::I32);
const LONG: Option<ValType> = Some(ValType::I64);

const fn listed(
    name: &'static str,
    params: &'static [ValType],
    result: Option<ValType>,
    kind: PrimitiveKind,
    codomain: Codomain,
    op: Op,
) -> Primitive {
    Primitive {
        module: Cow::Borrowed("env"),
        name: Cow::Borrowed(name),
        params: Cow::Borrowed(params),
        result,
        kind,
        codomain,
        register: None,
        fills: None,
        op,
    }
}

const fn input(
    name: &'static str,
    params: &'static [ValType],
    result: Option<ValType>,
    codomain: Codomain,
    op: Op,
) -> Primitive {
    listed(name, params, result, PrimitiveKind::Input, codomain, op)
}

const fn output(
    name: &'static str,
    params: &'static [ValType],
    result: Option<ValType>,
    op: Op,
) -> Primitive {
    listed(name, params, result, PrimitiveKind::Output, ANY, op)
}

const fn constant(name: &'static str, value: i32, op: Op) -> Primitive {
    listed(
        name,
        NONE,
        INT,
        PrimitiveKind::Constant(Value::I32(value)),
        ANY,
        op,
    )
}

const fn trap(name: &'static str, params: &'static [ValType], op: Op) -> Primitive {
    listed(name, params, NOTHING, PrimitiveKind::Trap, ANY, op)
}

/// Every primitive of the default board. A static, so that a device keeps it in flash.
pub(crate) static LISTED: &[Primitive] = &[
    output("chip_pin_mode", II, NOTHING, Op::PinMode),
    output("chip_digital_write", II, NOTHING, Op::DigitalWrite),
    input("chip_digital_read", I, INT, BIT, Op::DigitalRead),
    input("chip_analog_read", I, INT, ANALOG, Op::AnalogRead),
    output("chip_analog_write", II, NOTHING, Op::AnalogWrite),
    output("chip_analog_write", II, INT, Op::AnalogWrite),
    output("chip_ledc_setup", III, NOTHING, Op::LedcSetup),
    output("chip_ledc_attach_pin", II, NOTHING, Op::LedcAttachPin),
    output("chip_ledc_attach", III, NOTHING, Op::LedcAttach),
    output("chip_ledc_set_duty", III, NOTHING, Op::LedcSetDuty),
    output("chip_delay", I, NOTHING, Op::DelayMs),
    output("chip_delay_us", I, NOTHING, Op::DelayUs),
    input("millis", NONE, INT, CLOCK32, Op::Millis),
    input("millis", NONE, LONG, CLOCK64, Op::Millis),
    input("micros", NONE, INT, CLOCK32, Op::Micros),
    input("micros", NONE, LONG, CLOCK64, Op::Micros),
    input("random_int", NONE, INT, ANY, Op::Random),
    input("random_int", I, INT, ANY, Op::RandomBelow),
    input("random_int", II, INT, ANY, Op::RandomBetween),
    input("color_sensor", I, INT, PERCENT, Op::ColorSensor),
    input("read_uart_sensor", I, INT, PERCENT, Op::ReadUartSensor),
    output("setup_uart_sensor", II, NOTHING, Op::SetupUartSensor),
    input("nxt_touch_sensor", I, INT, BIT, Op::NxtTouch),
    input("ev3_touch_sensor", I, INT, BIT, Op::Ev3Touch),
    output("drive_motor", II, NOTHING, Op::DriveMotor),
    output("drive_motor_ms", III, NOTHING, Op::DriveMotorMs),
    output("drive_motor_degrees", III, NOTHING, Op::DriveMotorDegrees),
    output("rotate", III, NOTHING, Op::Rotate),
    output("stop_motor", I, NOTHING, Op::StopMotor),
    output("print_int", I, NOTHING, Op::PrintInt),
    output("print_int", I, INT, Op::PrintInt),
    output("print_string", II, NOTHING, Op::PrintString),
    output("tone", I, NOTHING, Op::Tone),
    output("noTone", NONE, NOTHING, Op::NoTone),
    output("init_pixels", NONE, NOTHING, Op::InitPixels),
    output("set_pixel_color", IIII, NOTHING, Op::SetPixelColor),
    output("set_pixel_color", IIII, INT, Op::SetPixelColor),
    output("show_pixels", NONE, NOTHING, Op::ShowPixels),
    output("clear_pixels", NONE, NOTHING, Op::ClearPixels),
    output("display_setup", NONE, NOTHING, Op::DisplaySetup),
    output(
        "display_set_orientation",
        I,
        NOTHING,
        Op::DisplaySetOrientation,
    ),
    constant("display_width", 128, Op::DisplayWidth),
    constant("display_height", 160, Op::DisplayHeight),
    output("display_fill_rect", IIIII, NOTHING, Op::DisplayFillRect),
    output(
        "display_draw_string",
        IIIIIII,
        NOTHING,
        Op::DisplayDrawString,
    ),
    output("spi_begin", NONE, NOTHING, Op::SpiBegin),
    output("write_spi_byte", I, NOTHING, Op::SpiByte),
    output("write_spi_bytes_16", II, NOTHING, Op::SpiWords),
    output("subscribe_interrupt", III, NOTHING, Op::SubscribeInterrupt),
    output(
        "unsubscribe_interrupt",
        I,
        NOTHING,
        Op::UnsubscribeInterrupt,
    ),
    output("subscribe_timer", II, NOTHING, Op::SubscribeTimer),
    output("unsubscribe_timer", NONE, NOTHING, Op::UnsubscribeTimer),
    trap("abort", NONE, Op::Abort),
    trap("abort", IIII, Op::Abort),
];

/// The primitives of a board: the listed ones, which stay where they are (a copy takes 10 KiB of a device's memory), and
/// what the board has besides or instead.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Primitives {
    /// In place of listed ones.
    replaced: Vec<(PrimitiveId, Primitive)>,
    /// Their numbers follow those of the listed ones.
    declared: Vec<Primitive>,
}

impl Primitives {
    pub(crate) fn with_declared(declared: Vec<Primitive>) -> Self {
        Self {
            replaced: Vec::new(),
            declared,
        }
    }

    /// Adds primitives to those that are declared.
    #[cfg(feature = "host")]
    pub(crate) fn declare(&mut self, more: impl IntoIterator<Item = Primitive>) {
        self.declared.extend(more);
    }

    pub(crate) fn declared(&self) -> &[Primitive] {
        &self.declared
    }

    pub(crate) fn len(&self) -> usize {
        LISTED.len() + self.declared.len()
    }

    pub(crate) fn get(&self, id: PrimitiveId) -> Option<&Primitive> {
        let index = usize::from(id.0);
        let Some(listed) = LISTED.get(index) else {
            return self.declared.get(index - LISTED.len());
        };
        let replaced = self.replaced.iter().find(|(replaced, _)| *replaced == id);
        Some(replaced.map_or(listed, |(_, primitive)| primitive))
    }

    /// Sets what the constants `display_width` and `display_height` answer.
    pub(crate) fn set_display_size(&mut self, width: u16, height: u16) {
        self.replaced.clear();
        for (listed, id) in LISTED.iter().zip(0..) {
            let size = match listed.op {
                Op::DisplayWidth => width,
                Op::DisplayHeight => height,
                _ => continue,
            };
            let kind = PrimitiveKind::Constant(Value::I32(size.into()));
            if listed.kind != kind {
                let primitive = Primitive {
                    kind,
                    ..listed.clone()
                };
                self.replaced.push((PrimitiveId(id), primitive));
            }
        }
    }
}
