//! Actions: what an output means, once its arguments have been looked at.
//!
//! Model and hardware both work from these, so that a primitive's arguments are interpreted in one place only.

use borges_vm::Value;
use thiserror::Error;

use crate::{
    Board, PrimitiveId, PrimitiveKind, Rect,
    board::{FULL_SPEED, ms_to_us},
    primitive::Op,
};

/// The slowest that a turn by an angle goes: slower would stall.
pub(crate) const LEAST_TURNING_SPEED: i32 = 100;
/// Twelve bits of duty.
const FULL_DUTY: u32 = 4095;

/// Why a call is refused. A refused call changes nothing and ends the program as a trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The program gave up: `abort`, or another primitive that is declared to trap.
    #[error("the program called abort")]
    Abort,
    /// No primitive has this number.
    #[error("this board has no such primitive")]
    UnknownPrimitive,
    /// An input was called as an output or the other way round.
    #[error("an input was called as an output, or an output as an input")]
    WrongKind,
    /// The arguments do not have the primitive's types.
    #[error("the arguments do not have the types that the primitive takes")]
    WrongArguments,
    /// The board has no such pin.
    #[error("this board has no pin {0}; set `pins` in the board file if it should")]
    NoSuchPin(i32),
    /// The board has no such PWM channel.
    #[error("there is no PWM channel {0}: channels are 0 to 255")]
    NoSuchChannel(i32),
    /// The board has no such motor.
    #[error("this board has no motor {0}; set `motors` in the board file if it should")]
    NoSuchMotor(i32),
    /// The board has no such sensor port.
    #[error("this board has no port {0}; set `ports` in the board file if it should")]
    NoSuchPort(i32),
    /// A text reaches outside the program's memory.
    #[error("the text of {length} bytes at address {address} reaches outside the program's memory")]
    TextOutsideMemory {
        /// Where the text begins.
        address: u32,
        /// Its length in bytes.
        length: u32,
    },
    /// The room that an input is given for bytes reaches outside the program's memory.
    #[error(
        "the room for {length} bytes at address {address} reaches outside the program's memory"
    )]
    RoomOutsideMemory {
        /// Where the room begins.
        address: u32,
        /// Its length in bytes.
        length: u32,
    },
    /// A duty relative to a maximum of zero.
    #[error("a duty was given as a part of zero")]
    ZeroMaximum,
    /// A timer of no period would fire for ever.
    #[error("a timer's period must be at least one microsecond")]
    ZeroPeriod,
    /// A handler is sought beyond the end of the program's table.
    #[error(
        "the program's table has {size} elements, and none at {index}: a handler is named by its index in the table \
         (in AssemblyScript `handler.index`; `handler` alone is the address of an object)"
    )]
    NoHandler {
        /// What it was sought at.
        index: u32,
        /// How many elements the table has.
        size: u32,
    },
    /// The element of the program's table that is to be a handler holds no function.
    #[error(
        "element {0} of the program's table is null: a handler is named by its index in the table (in \
         AssemblyScript `handler.index`; `handler` alone is the address of an object)"
    )]
    NullHandler(u32),
    /// The function that is to be a handler takes something else than a handler is given.
    #[error(
        "function {0} of the program's table cannot be a handler: one takes nothing, or the pin as an i32 first, and \
         is a function of the program itself"
    )]
    WrongHandler(u32),
    /// No such kind of change.
    #[error("there is no interrupt mode {0}: 1 is any change, 2 falling, 3 rising")]
    NoSuchMode(i32),
}

/// One output, understood and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// Nothing in the environment changes (a constant).
    Nothing,
    /// A pin becomes an input or an output.
    PinMode {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// The mode as the program gave it (0 input, 2 output).
        mode: i32,
    },
    /// A level is written to a pin.
    Level {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// High or low.
        level: bool,
    },
    /// A duty is written to a pin.
    Duty {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// The duty, of 255.
        duty: u8,
    },
    /// A PWM channel is set up; its duty becomes 0.
    ChannelSetup {
        /// Its number: any is a channel.
        channel: u8,
        /// Its frequency in Hz.
        frequency_hz: u32,
        /// Its resolution.
        bits: u32,
        /// A pin attached to it in the same call.
        pin: Option<u8>,
    },
    /// A pin follows a PWM channel.
    ChannelAttach {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// Its number: any is a channel.
        channel: u8,
    },
    /// A PWM channel gets a duty.
    ChannelDuty {
        /// Its number: any is a channel.
        channel: u8,
        /// The duty, of 4095.
        duty: u16,
    },
    /// Time passes.
    Wait {
        /// How much of it, in microseconds.
        us: u64,
    },
    /// A motor gets a speed and keeps it.
    MotorSpeed {
        /// Its number, below [`Board::motors`].
        motor: u8,
        /// Its speed, ±10,000 being full.
        speed: i32,
    },
    /// A motor runs for a time and stops.
    MotorFor {
        /// Its number, below [`Board::motors`].
        motor: u8,
        /// Its speed, ±10,000 being full.
        speed: i32,
        /// For how long, in microseconds.
        us: u64,
    },
    /// A motor turns by an angle from where it is and stops.
    MotorTurn {
        /// Its number, below [`Board::motors`].
        motor: u8,
        /// Its speed, 100 to 10,000.
        speed: i32,
        /// By how much.
        degrees: i32,
    },
    /// A number is printed, with a line end.
    Number(i32),
    /// A text is printed.
    Text(&'a [u8]),
    /// A tone sounds (Hz), or nothing does.
    Tone(Option<i32>),
    /// The pixel strip gets ready.
    PixelsInit,
    /// A pixel of the buffer gets a colour, `0xRRGGBB`.
    PixelSet {
        /// Its index; there may be no such pixel, as on real strips nothing happens then.
        index: u8,
        /// Red, green and blue, eight bits each.
        rgb: u32,
    },
    /// The buffer is shown.
    PixelsShow,
    /// The buffer is cleared.
    PixelsClear,
    /// The display gets ready: cleared and switched on.
    DisplaySetup,
    /// The display is turned.
    DisplayOrientation(i32),
    /// A rectangle of the display gets one colour.
    DisplayFill {
        /// Where, clipped to the display.
        rect: Rect,
        /// RGB 5-6-5.
        colour: u16,
    },
    /// A text is drawn on the display, in cells of 8 × 16 pixels times the scale.
    DisplayText {
        /// Left edge of the first cell; may lie outside the display.
        x: i32,
        /// Upper edge.
        y: i32,
        /// Its bytes, as the program has them: they need not be UTF-8.
        text: &'a [u8],
        /// Each dot is a square of so many pixels.
        scale: u16,
        /// Colour of the dots.
        foreground: u16,
        /// Colour between them.
        background: u16,
    },
    /// The SPI bus gets ready.
    SpiBegin,
    /// A byte goes out on the SPI bus.
    SpiByte(u8),
    /// A 16-bit word goes out on the SPI bus, several times, high byte first.
    SpiWords {
        /// How many times.
        count: u32,
        /// The same each time.
        word: u16,
    },
    /// Changes of a pin become events.
    Subscribe {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// The handler, as an index into the program's table.
        handler: u32,
        /// Which changes: 1 any, 2 falling, 3 rising.
        mode: i32,
    },
    /// Changes of a pin are no events any more.
    Unsubscribe {
        /// Its number, below [`Board::pins`].
        pin: u8,
    },
    /// The timer starts.
    SubscribeTimer {
        /// Its period in microseconds.
        period_us: u32,
        /// The handler, as an index into the program's table.
        handler: u32,
    },
    /// The timer stops.
    UnsubscribeTimer,
    /// A sensor gets a mode.
    SensorMode {
        /// Its number, below [`Board::ports`].
        port: u8,
        /// The mode (2: colours).
        mode: i32,
    },
    /// An output that the user declared.
    Declared {
        /// Which one.
        primitive: PrimitiveId,
        /// Its arguments.
        args: &'a [Value],
    },
}

impl Board {
    /// Which bytes of the memory a call shows as a text, from the first to the last; nothing if it shows none.
    pub fn text_span(&self, id: PrimitiveId, args: &[Value]) -> Option<(u64, u64)> {
        let a = Arguments(args);
        let first = match self.primitive(id)?.op {
            Op::PrintString => 0,
            Op::DisplayDrawString => 2,
            _ => return None,
        };
        let (address, length) = (
            u64::from(a.unsigned(first)),
            u64::from(a.unsigned(first + 1)),
        );
        Some((address, address + length.checked_sub(1)?))
    }

    /// What a call of an output means here.
    ///
    /// # Errors
    /// A [`Refusal`] if the arguments make no sense on this board; nothing must happen then.
    pub fn action<'a>(
        &self,
        id: PrimitiveId,
        args: &'a [Value],
        memory: &'a [u8],
    ) -> Result<Action<'a>, Refusal> {
        let primitive = self.primitive(id).ok_or(Refusal::UnknownPrimitive)?;
        if !primitive.accepts(args) {
            return Err(Refusal::WrongArguments);
        }
        match primitive.kind {
            PrimitiveKind::Input | PrimitiveKind::System => return Err(Refusal::WrongKind),
            PrimitiveKind::Trap => return Err(Refusal::Abort),
            PrimitiveKind::Constant(_) => return Ok(Action::Nothing),
            PrimitiveKind::Output => {}
        }
        let a = Arguments(args);
        let pin = |n| self.pin(a.int(n));
        let port = |n| self.port(a.int(n));
        let motor = |n| self.motor(a.int(n));
        Ok(match primitive.op {
            Op::PinMode => Action::PinMode {
                pin: pin(0)?,
                mode: a.int(1),
            },
            Op::DigitalWrite => Action::Level {
                pin: pin(0)?,
                level: a.int(1) != 0,
            },
            Op::AnalogWrite => Action::Duty {
                pin: pin(0)?,
                duty: a.int(1) as u8,
            },
            Op::LedcSetup => Action::ChannelSetup {
                channel: channel(a.int(0))?,
                frequency_hz: a.unsigned(1),
                bits: a.unsigned(2),
                pin: None,
            },
            Op::LedcAttach => {
                let pin = pin(0)?;
                Action::ChannelSetup {
                    channel: pin,
                    frequency_hz: a.unsigned(1),
                    bits: a.unsigned(2),
                    pin: Some(pin),
                }
            }
            Op::LedcAttachPin => Action::ChannelAttach {
                pin: pin(0)?,
                channel: channel(a.int(1))?,
            },
            Op::LedcSetDuty => {
                let (value, maximum) = (a.unsigned(1), a.unsigned(2));
                // As WARDuino computes it, rounding included.
                let unit = FULL_DUTY.checked_div(maximum).ok_or(Refusal::ZeroMaximum)?;
                Action::ChannelDuty {
                    channel: channel(a.int(0))?,
                    duty: (unit * value.min(maximum)) as u16,
                }
            }
            Op::DelayMs => Action::Wait {
                us: ms_to_us(a.unsigned(0)),
            },
            Op::DelayUs => Action::Wait {
                us: u64::from(a.unsigned(0)),
            },
            Op::DriveMotor => Action::MotorSpeed {
                motor: motor(0)?,
                speed: speed(a.int(1)),
            },
            Op::StopMotor => Action::MotorSpeed {
                motor: motor(0)?,
                speed: 0,
            },
            Op::DriveMotorMs => Action::MotorFor {
                motor: motor(0)?,
                speed: speed(a.int(1)),
                us: ms_to_us(a.unsigned(2)),
            },
            Op::DriveMotorDegrees => turn(motor(0)?, a.int(1), a.int(2)),
            Op::Rotate => turn(motor(0)?, a.int(2), a.int(1)),
            Op::PrintInt => Action::Number(a.int(0)),
            Op::PrintString => Action::Text(a.text(0, memory)?),
            Op::Tone => Action::Tone(Some(a.int(0))),
            Op::NoTone => Action::Tone(None),
            Op::InitPixels => Action::PixelsInit,
            Op::SetPixelColor => {
                let byte = |n| a.unsigned(n) & 0xff;
                Action::PixelSet {
                    index: a.int(0) as u8,
                    rgb: byte(1) << 16 | byte(2) << 8 | byte(3),
                }
            }
            Op::ShowPixels => Action::PixelsShow,
            Op::ClearPixels => Action::PixelsClear,
            Op::DisplaySetup => Action::DisplaySetup,
            Op::DisplaySetOrientation => Action::DisplayOrientation(a.int(0)),
            Op::DisplayFillRect => Action::DisplayFill {
                rect: self.display.clip(a.int(0), a.int(1), a.int(2), a.int(3)),
                colour: a.int(4) as u16,
            },
            Op::DisplayDrawString => Action::DisplayText {
                x: a.int(0),
                y: a.int(1),
                text: a.text(2, memory)?,
                scale: a.unsigned(4).clamp(1, u32::from(u16::MAX)) as u16,
                foreground: a.int(5) as u16,
                background: a.int(6) as u16,
            },
            Op::SpiBegin => Action::SpiBegin,
            Op::SpiByte => Action::SpiByte(a.int(0) as u8),
            // The original counts in a signed loop: a negative count sends nothing.
            Op::SpiWords => Action::SpiWords {
                count: a.int(0).max(0) as u32,
                word: a.int(1) as u16,
            },
            Op::SubscribeInterrupt => Action::Subscribe {
                pin: pin(0)?,
                handler: a.unsigned(1),
                mode: match a.int(2) {
                    mode @ 1..=3 => mode,
                    mode => return Err(Refusal::NoSuchMode(mode)),
                },
            },
            Op::UnsubscribeInterrupt => Action::Unsubscribe { pin: pin(0)? },
            Op::SubscribeTimer => match a.unsigned(0) {
                0 => return Err(Refusal::ZeroPeriod),
                period_us => Action::SubscribeTimer {
                    period_us,
                    handler: a.unsigned(1),
                },
            },
            Op::UnsubscribeTimer => Action::UnsubscribeTimer,
            Op::SetupUartSensor => Action::SensorMode {
                port: port(0)?,
                mode: a.int(1),
            },
            #[cfg(feature = "host")]
            Op::System(_) => return Err(Refusal::WrongKind),
            Op::Declared => Action::Declared {
                primitive: id,
                args,
            },
            // Inputs, constants and traps were sorted out above.
            Op::Abort
            | Op::AnalogRead
            | Op::ColorSensor
            | Op::DigitalRead
            | Op::DisplayHeight
            | Op::DisplayWidth
            | Op::Ev3Touch
            | Op::Micros
            | Op::Millis
            | Op::NxtTouch
            | Op::Random
            | Op::RandomBelow
            | Op::RandomBetween
            | Op::ReadUartSensor => return Err(Refusal::WrongKind),
        })
    }

    pub(crate) fn pin(&self, pin: i32) -> Result<u8, Refusal> {
        u8::try_from(pin)
            .ok()
            .filter(|p| u16::from(*p) < self.pins)
            .ok_or(Refusal::NoSuchPin(pin))
    }

    pub(crate) fn port(&self, port: i32) -> Result<u8, Refusal> {
        u8::try_from(port)
            .ok()
            .filter(|p| *p < self.ports)
            .ok_or(Refusal::NoSuchPort(port))
    }

    fn motor(&self, motor: i32) -> Result<u8, Refusal> {
        u8::try_from(motor)
            .ok()
            .filter(|m| *m < self.motors)
            .ok_or(Refusal::NoSuchMotor(motor))
    }
}

fn channel(channel: i32) -> Result<u8, Refusal> {
    u8::try_from(channel).map_err(|_| Refusal::NoSuchChannel(channel))
}

fn speed(speed: i32) -> i32 {
    speed.clamp(-FULL_SPEED, FULL_SPEED)
}

/// A turn goes the way of its angle, whatever the sign of the speed.
fn turn(motor: u8, speed: i32, degrees: i32) -> Action<'static> {
    let speed = speed
        .unsigned_abs()
        .clamp(LEAST_TURNING_SPEED as u32, FULL_SPEED as u32) as i32;
    Action::MotorTurn {
        motor,
        speed,
        degrees,
    }
}

/// Arguments whose types have been checked: all that the listed primitives take are i32.
struct Arguments<'a>(&'a [Value]);

impl<'a> Arguments<'a> {
    fn int(&self, n: usize) -> i32 {
        match self.0.get(n) {
            Some(Value::I32(v)) => *v,
            _ => 0,
        }
    }

    fn unsigned(&self, n: usize) -> u32 {
        self.int(n) as u32
    }

    /// The text whose address and length are arguments `n` and `n + 1`.
    fn text(&self, n: usize, memory: &'a [u8]) -> Result<&'a [u8], Refusal> {
        let (address, length) = (self.unsigned(n), self.unsigned(n + 1));
        let start = address as usize;
        start
            .checked_add(length as usize)
            .and_then(|end| memory.get(start..end))
            .ok_or(Refusal::TextOutsideMemory { address, length })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn call<'a>(board: &Board, name: &str, args: &'a [Value]) -> Result<Action<'a>, Refusal> {
        let found = board.named("env", name);
        let found = found.filter(|id| board.primitive(*id).is_some_and(|p| p.accepts(args)));
        let ids: Vec<PrimitiveId> = found.collect();
        board.action(ids[0], args, &[1, 2, 3])
    }

    fn numbers(numbers: &[i32]) -> Vec<Value> {
        numbers.iter().map(|number| Value::I32(*number)).collect()
    }

    #[test]
    fn a_duty_is_at_most_full() {
        let board = Board::default_board();
        let duty = |value: i32, maximum: i32| {
            let args = numbers(&[3, value, maximum]);
            match call(&board, "chip_ledc_set_duty", &args) {
                Ok(Action::ChannelDuty { channel: 3, duty }) => Ok(duty),
                Err(refusal) => Err(refusal),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(duty(0, 255), Ok(0));
        assert_eq!(duty(254, 255), Ok(16 * 254));
        assert_eq!(duty(255, 255), Ok(16 * 255));
        assert_eq!(duty(256, 255), Ok(16 * 255));
        assert_eq!(
            duty(-1, 255),
            Ok(16 * 255),
            "as a number without a sign it is large"
        );
        assert_eq!(duty(4095, 4095), Ok(4095));
        assert_eq!(duty(1, 4095), Ok(1));
        assert_eq!(duty(4096, 4096), Ok(0), "as the original rounds");
        assert_eq!(duty(1, 1), Ok(4095));
        assert_eq!(duty(1, 0), Err(Refusal::ZeroMaximum));
    }

    #[test]
    fn arguments_end_where_the_board_does() {
        let mut board = Board::default_board();
        (board.pins, board.motors, board.ports) = (40, 4, 3);
        let refused = |name: &str, args: &[i32]| call(&board, name, &numbers(args)).err();
        let cases: [(&str, &[i32], Option<Refusal>); 21] = [
            ("chip_digital_write", &[39, 1], None),
            ("chip_digital_write", &[40, 1], Some(Refusal::NoSuchPin(40))),
            ("chip_digital_write", &[-1, 1], Some(Refusal::NoSuchPin(-1))),
            (
                "chip_digital_write",
                &[256, 1],
                Some(Refusal::NoSuchPin(256)),
            ),
            ("drive_motor", &[3, 1], None),
            ("drive_motor", &[4, 1], Some(Refusal::NoSuchMotor(4))),
            ("setup_uart_sensor", &[2, 2], None),
            ("setup_uart_sensor", &[3, 2], Some(Refusal::NoSuchPort(3))),
            ("chip_ledc_setup", &[255, 1, 1], None),
            (
                "chip_ledc_setup",
                &[256, 1, 1],
                Some(Refusal::NoSuchChannel(256)),
            ),
            (
                "chip_ledc_setup",
                &[-1, 1, 1],
                Some(Refusal::NoSuchChannel(-1)),
            ),
            ("subscribe_timer", &[1, 0], None),
            ("subscribe_timer", &[0, 0], Some(Refusal::ZeroPeriod)),
            ("subscribe_interrupt", &[1, 0, 1], None),
            ("subscribe_interrupt", &[1, 0, 3], None),
            (
                "subscribe_interrupt",
                &[1, 0, 0],
                Some(Refusal::NoSuchMode(0)),
            ),
            (
                "subscribe_interrupt",
                &[1, 0, 4],
                Some(Refusal::NoSuchMode(4)),
            ),
            (
                "subscribe_interrupt",
                &[1, 0, 77],
                Some(Refusal::NoSuchMode(77)),
            ),
            ("print_string", &[0, 3], None),
            (
                "print_string",
                &[1, 3],
                Some(Refusal::TextOutsideMemory {
                    address: 1,
                    length: 3,
                }),
            ),
            (
                "print_string",
                &[-1, 1],
                Some(Refusal::TextOutsideMemory {
                    address: u32::MAX,
                    length: 1,
                }),
            ),
        ];
        for (name, args, expected) in cases {
            assert_eq!(refused(name, args), expected, "{name}{args:?}");
        }
    }

    #[test]
    fn speeds_end_at_full_and_at_what_does_not_stall() {
        let board = Board::default_board();
        for (asked, set) in [
            (9_999, 9_999),
            (10_000, 10_000),
            (10_001, 10_000),
            (-10_001, -10_000),
        ] {
            let args = numbers(&[0, asked]);
            let expected = Action::MotorSpeed {
                motor: 0,
                speed: set,
            };
            assert_eq!(call(&board, "drive_motor", &args), Ok(expected));
        }
        for (asked, set) in [
            (99, 100),
            (100, 100),
            (101, 101),
            (10_001, 10_000),
            (-5, 100),
        ] {
            let args = numbers(&[0, asked, 90]);
            let found = call(&board, "drive_motor_degrees", &args);
            let degrees = 90;
            let expected = Action::MotorTurn {
                motor: 0,
                speed: set,
                degrees,
            };
            assert_eq!(found, Ok(expected));
        }
    }
}
