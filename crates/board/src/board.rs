//! The board: the description of what a program is connected to.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use borges_vm::{ValType, Value};

use crate::{
    Calls, Codomain, Limit, Primitive, PrimitiveId, Rule, Sampling, Simulation, VecMap,
    primitive::Op, table::Primitives,
};

/// How many bytes of printed text a board keeps, unless the board file says otherwise.
const CONSOLE_BYTES: u32 = 1 << 20;
/// Full speed of a motor, as the primitives count it.
pub(crate) const FULL_SPEED: i32 = 10_000;

/// The description of the outside: which primitives there are, what they may answer, what is connected to what.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// Its name.
    pub name: String,
    /// Limits for the program, where the board sets any.
    pub limits: ProgramLimits,
    /// How many pins there are, numbered from 0; at most 256.
    pub pins: u16,
    /// How many motors there are, numbered from 0.
    pub motors: u8,
    /// How fast a motor turns at full speed (10,000), in degrees a second.
    pub degrees_per_second: u32,
    /// How many sensor ports there are, numbered from 0.
    pub ports: u8,
    /// How many pixels the pixel strip has.
    pub pixels: u16,
    /// The display.
    pub display: DisplayBoard,
    /// How many bytes of printed text are kept; what is older can no longer be shown.
    pub console_bytes: u32,
    /// Levels of pins before anything is written to them, where they are not low.
    pub high_pins: Vec<u8>,
    /// What is connected to a pin, for showing: "red LED".
    pub labels: VecMap<u8, String>,
    /// Ranges for some arguments of an input, in place of the primitive's codomain.
    pub ranges: Vec<Range>,
    /// How to pick representative values, where not by their boundaries.
    pub samplings: Vec<(Calls, Sampling)>,
    /// Rules between outputs and inputs.
    pub rules: Vec<Rule>,
    /// What must be so whatever a program does; at most 32.
    pub invariants: Vec<Limit>,
    /// How a simulated board behaves.
    pub simulation: Simulation,
    pub(crate) primitives: Primitives,
    /// The operating system that programs call.
    #[cfg(feature = "host")]
    pub(crate) system: Option<crate::Shared<System>>,
}

/// Limits for the program; `None`: the VM's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProgramLimits {
    /// Pages of 64 KiB of memory.
    pub memory_pages: Option<u32>,
    /// Slots of the value stack.
    pub stack_slots: Option<u32>,
    /// Nested calls.
    pub call_depth: Option<u32>,
    /// Elements of a table.
    pub table_elements: Option<u32>,
    /// Bytes of a module.
    pub module_bytes: Option<u32>,
}

/// A display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DisplayBoard {
    /// Width in pixels.
    pub width: u16,
    /// Height in pixels.
    pub height: u16,
    /// How it hangs on the SPI bus, if it does.
    pub spi: Option<SpiWiring>,
}

/// How a display with an ST7735 controller hangs on the SPI bus. The program moves these pins itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SpiWiring {
    /// Low: a byte is a command; high: it is data.
    pub dc: u8,
    /// Low: the display listens. `None`: it always does.
    pub cs: Option<u8>,
    /// Low: the controller resets. `None`: not connected.
    pub reset: Option<u8>,
    /// The first column of the controller's memory that can be seen.
    pub column_offset: u16,
    /// The first row of the controller's memory that can be seen.
    pub row_offset: u16,
    /// Whether the panel's red and blue are swapped, which most programs set right by the BGR bit.
    pub bgr: bool,
}

/// A rectangle on the display, already clipped to it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Rect {
    /// Left edge.
    pub x: u16,
    /// Upper edge.
    pub y: u16,
    /// Width.
    pub w: u16,
    /// Height.
    pub h: u16,
}

/// How an operating system begins, and what programs call of it.
#[cfg(feature = "host")]
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SystemStart {
    /// Arguments, environment, files, input.
    pub setup: borges_wasi::Setup,
    /// The functions that the program imports.
    pub imports: Vec<borges_wasi::WasiImport>,
}

/// An operating system at its start.
#[cfg(feature = "host")]
#[derive(Debug, PartialEq)]
pub(crate) struct System {
    pub(crate) start: SystemStart,
    pub(crate) world: borges_wasi::World,
}

/// A codomain for some calls of an input: "on pin 12 only 0..1023".
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The calls.
    pub calls: Calls,
    /// What they may answer.
    pub codomain: Codomain,
}

impl Default for Board {
    fn default() -> Self {
        Board::default_board()
    }
}

impl Board {
    /// A board with all the listed primitives and something at every place: 128 pins, four motors, four ports,
    /// 64 pixels, and a display of 128 × 160 on the SPI bus.
    pub fn default_board() -> Self {
        Board {
            name: "default".to_owned(),
            limits: ProgramLimits::default(),
            pins: 128,
            motors: 4,
            degrees_per_second: 1000,
            ports: 4,
            pixels: 64,
            display: DisplayBoard::default(),
            console_bytes: CONSOLE_BYTES,
            high_pins: Vec::new(),
            labels: VecMap::new(),
            ranges: Vec::new(),
            samplings: Vec::new(),
            rules: Vec::new(),
            invariants: Vec::new(),
            simulation: Simulation::default(),
            primitives: Primitives::default(),
            #[cfg(feature = "host")]
            system: None,
        }
    }

    /// A board like the default one with these declared primitives besides.
    pub fn with_primitives(declared: Vec<Primitive>) -> Self {
        Board {
            primitives: Primitives::with_declared(declared),
            ..Board::default_board()
        }
    }

    /// All primitives, the listed ones first.
    pub fn primitives(&self) -> impl Iterator<Item = &Primitive> {
        self.ids().filter_map(|id| self.primitive(id))
    }

    /// The primitive with this number.
    pub fn primitive(&self, id: PrimitiveId) -> Option<&Primitive> {
        self.primitives.get(id)
    }

    /// The numbers of all primitives of this name, with whichever types.
    pub fn named<'a>(
        &'a self,
        module: &'a str,
        name: &'a str,
    ) -> impl Iterator<Item = PrimitiveId> + 'a {
        self.ids().filter(move |id| {
            self.primitive(*id)
                .is_some_and(|p| p.module == module && p.name == name)
        })
    }

    /// All numbers of primitives.
    pub fn ids(&self) -> impl Iterator<Item = PrimitiveId> + use<> {
        (0..self.primitives.len()).map(|i| PrimitiveId(i as u16))
    }

    /// What an input may answer for these arguments, before anything has happened: ranges, but no rules.
    pub fn codomain(&self, id: PrimitiveId, args: &[Value]) -> Codomain {
        let Some(primitive) = self.primitive(id) else {
            return Codomain::nothing(ValType::I32);
        };
        if primitive.fills.is_some() && primitive.accepts(args) {
            return self.within_room(id, args, self.ranged(primitive, id, args));
        }
        self.ranged(primitive, id, args)
    }

    fn ranged(&self, primitive: &Primitive, id: PrimitiveId, args: &[Value]) -> Codomain {
        let range = self.ranges.iter().find(|r| r.calls.include(id, args));
        match (range, primitive.op, args) {
            (Some(range), ..) => range.codomain.clone(),
            // Arduino's `random`: below a bound that allows nothing, the answer is 0, and an empty span gives its start.
            (None, Op::RandomBelow, [Value::I32(bound)]) => {
                Codomain::range(Value::I32(0), Value::I32(bound.saturating_sub(1).max(0)))
            }
            (None, Op::RandomBetween, [Value::I32(from), Value::I32(bound)]) => Codomain::range(
                Value::I32(*from),
                Value::I32(bound.saturating_sub(1).max(*from)),
            ),
            _ => primitive.codomain.clone(),
        }
    }

    /// Whether the codomain of this input depends on what has happened: on rules, or on a sensor's mode.
    pub fn narrows(&self, id: PrimitiveId, args: &[Value]) -> bool {
        let is_sensor = |p: &Primitive| matches!(p.op, Op::ColorSensor | Op::ReadUartSensor);
        self.primitive(id).is_some_and(is_sensor)
            || self
                .rules
                .iter()
                .any(|r| r.claims.iter().any(|c| c.call.is(id, args)))
    }

    /// Whether the model must remember the last reading of an input.
    pub fn remembers(&self, id: PrimitiveId, args: &[Value]) -> bool {
        let is_clock_of_the_user = || {
            self.primitive(id).is_some_and(|p| p.is_declared())
                && matches!(self.codomain(id, args), Codomain::NotBeforeLast(_))
        };
        is_clock_of_the_user()
            || self.rules.iter().any(|rule| {
                rule.claims
                    .iter()
                    .any(|c| c.bound.needs_last_reading() && c.call.is(id, args))
                    || rule
                        .conditions
                        .iter()
                        .any(|c| c.quantity.is_reading_of(id, args))
            })
    }

    /// In which unit a clock counts, in microseconds; nothing if the board does not know, or it is no clock.
    pub fn clock_unit_us(&self, id: PrimitiveId) -> Option<u64> {
        match self.primitive(id).map(|p| p.op) {
            Some(Op::Millis) => Some(1000),
            Some(Op::Micros) => Some(1),
            _ => None,
        }
    }

    /// How far a motor turns, in microdegrees: the ideal motor that models start from.
    pub fn travel(&self, speed: i32, us: u64) -> i64 {
        // Degrees a second are microdegrees a microsecond.
        let rate = i64::from(speed) * i64::from(self.degrees_per_second);
        scaled(rate, us, FULL_SPEED.unsigned_abs().into())
    }

    /// How long a motor takes to turn by an angle, in microseconds.
    pub fn turning_time_us(&self, speed: i32, degrees: i32) -> u64 {
        let rate =
            u64::from(speed.unsigned_abs().max(1)) * u64::from(self.degrees_per_second.max(1));
        let microdegrees = i64::from(degrees.unsigned_abs()) * 1_000_000;
        scaled(microdegrees, FULL_SPEED.unsigned_abs().into(), rate).unsigned_abs()
    }

    /// Sets the display's size, which the constants `display_width` and `display_height` answer.
    pub fn set_display(&mut self, display: DisplayBoard) {
        self.display = display;
        self.primitives
            .set_display_size(display.width, display.height);
    }
}

impl Default for DisplayBoard {
    fn default() -> Self {
        let wiring = SpiWiring {
            dc: 15,
            cs: Some(13),
            reset: Some(14),
            column_offset: 0,
            row_offset: 0,
            bgr: true,
        };
        DisplayBoard {
            width: 128,
            height: 160,
            spi: Some(wiring),
        }
    }
}

impl DisplayBoard {
    /// The part of a rectangle that can be seen; negative sizes count as none.
    pub fn clip(&self, x: i32, y: i32, w: i32, h: i32) -> Rect {
        let (left, width) = clip_span(x, w, self.width);
        let (top, height) = clip_span(y, h, self.height);
        if width == 0 || height == 0 {
            return Rect::default();
        }
        Rect {
            x: left,
            y: top,
            w: width,
            h: height,
        }
    }
}

/// `number * times / parts`, rounded toward zero, or the nearest number that there is. No parts count as one.
///
/// One function for all who need it: to divide numbers so wide takes a kilobyte of a small core's flash.
#[inline(never)]
pub fn scaled(number: i64, times: u64, parts: u64) -> i64 {
    let scaled = i128::from(number) * i128::from(times) / i128::from(parts.max(1));
    scaled.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// The part of `start..start + length` within `0..limit`, as start and length.
fn clip_span(start: i32, length: i32, limit: u16) -> (u16, u16) {
    let limit = i64::from(limit);
    let from = i64::from(start).clamp(0, limit);
    let to = (i64::from(start) + i64::from(length)).clamp(from, limit);
    (from as u16, (to - from) as u16)
}

pub(crate) fn ms_to_us(ms: u32) -> u64 {
    u64::from(ms) * 1000
}
