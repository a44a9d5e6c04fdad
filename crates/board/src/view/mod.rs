//! The board at a moment, as plain data: for the terminal, for JSON, for a web page.

mod lines;

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::{Deserialize, Serialize};

use crate::{Board, BoardState, Display, Pin};

/// The board at a moment: only what something was done to, or what has a label.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct BoardView {
    /// The board's name.
    pub name: String,
    /// Pins.
    pub pins: Vec<PinView>,
    /// Motors.
    pub motors: Vec<MotorView>,
    /// Sensors that were given a mode.
    pub sensors: Vec<SensorView>,
    /// The tone that sounds, in Hz.
    pub tone_hz: Option<i32>,
    /// The pixel strip.
    pub strip: Option<StripView>,
    /// The display.
    pub display: Option<DisplayView>,
    /// What events the program has subscribed to.
    pub events: Vec<EventView>,
    /// The last calls of declared outputs.
    pub outputs: Vec<String>,
    /// How long the program has waited, in microseconds.
    pub waited_us: u64,
    /// Printed text.
    pub console: ConsoleView,
}

/// A pin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct PinView {
    /// Its number.
    pub pin: u8,
    /// What is connected to it.
    pub label: Option<String>,
    /// `input`, `output`, or the mode's number.
    pub mode: Option<String>,
    /// Its level.
    pub high: bool,
    /// Whether the program has written the level; if not, it is what the board starts with.
    pub written: bool,
    /// How much power it gives, from 0 to 1, if it was given a duty.
    pub duty: Option<f32>,
}

/// A motor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct MotorView {
    /// Its number.
    pub motor: u8,
    /// Its speed, ±10,000 being full.
    pub speed: i32,
    /// Its angle in degrees.
    pub degrees: f64,
    /// An arrow that points where a needle on it would; at 0 degrees up, then clockwise.
    pub needle: char,
}

/// A sensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SensorView {
    /// Its port.
    pub port: u8,
    /// Its mode.
    pub mode: i32,
}

/// The pixel strip: colours as `0xRRGGBB`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct StripView {
    /// What can be seen.
    pub shown: Vec<u32>,
    /// What will be seen once it is shown.
    pub buffer: Vec<u32>,
}

/// The display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct DisplayView {
    /// Width in pixels.
    pub width: u16,
    /// Height in pixels.
    pub height: u16,
    /// Whether it is switched on.
    pub lit: bool,
    /// How it is turned.
    pub orientation: i32,
    /// The visible pixels, row by row from the upper left: how many of which colour (`0xRRGGBB`).
    pub runs: Vec<(u32, u32)>,
}

/// Something that a program has subscribed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct EventView {
    /// What happens: `pin 4 falling`, `every 1000 us`.
    pub event: String,
    /// The handler, as an index into the program's table.
    pub handler: u32,
}

/// Printed text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ConsoleView {
    /// How many bytes were ever printed.
    pub printed: u64,
    /// The last lines.
    pub tail: String,
}

impl BoardState {
    /// The board at this moment, with so many lines of printed text.
    pub fn view(&self, board: &Board, console_lines: usize) -> BoardView {
        let console = self
            .console()
            .map_or_else(ConsoleView::default, |console| ConsoleView {
                printed: console.printed(),
                tail: if console_lines == 0 {
                    String::new()
                } else {
                    console.tail(console_lines)
                },
            });
        BoardView {
            name: board.name.clone(),
            pins: self.pin_views(board),
            motors: self.motor_views(),
            sensors: self
                .sensor_modes()
                .map(|(port, mode)| SensorView {
                    port: *port,
                    mode: *mode,
                })
                .collect(),
            tone_hz: self.tone(),
            strip: self
                .pixels()
                .filter(|p| p.ready || p.buffer.iter().chain(&p.shown).any(|c| *c != 0))
                .map(|p| StripView {
                    shown: p.shown.clone(),
                    buffer: p.buffer.clone(),
                }),
            display: self.display().and_then(display_view),
            events: self.event_views(),
            outputs: self.output_views(board),
            waited_us: self.elapsed_us(),
            console,
        }
    }

    /// The board at this moment as lines of text.
    pub fn render(&self, board: &Board) -> Vec<String> {
        self.view(board, 8).lines()
    }

    fn pin_views(&self, board: &Board) -> Vec<PinView> {
        let mut pins: Vec<u8> = self.pins().map(|(pin, _)| *pin).collect();
        pins.extend(board.labels.iter().map(|(pin, _)| *pin));
        pins.sort_unstable();
        pins.dedup();
        pins.into_iter()
            .map(|pin| {
                let state = self.pin(pin);
                PinView {
                    pin,
                    label: board.labels.get(&pin).cloned(),
                    mode: state.mode.map(mode_name),
                    high: self.level(board, pin),
                    written: state.level.is_some(),
                    duty: self.duty(state),
                }
            })
            .collect()
    }

    fn duty(&self, pin: Pin) -> Option<f32> {
        let of_channel = |wanted| {
            self.channels()
                .find(|(channel, _)| *channel == wanted)
                .map(|(_, c)| c.duty)
        };
        match pin.channel {
            Some(channel) => Some(f32::from(of_channel(channel).unwrap_or(0)) / 4095.0),
            None => pin.duty.map(|duty| f32::from(duty) / 255.0),
        }
    }

    fn motor_views(&self) -> Vec<MotorView> {
        let used = self
            .motors()
            .iter()
            .enumerate()
            .filter(|(_, m)| m.speed != 0 || m.angle.0 != 0);
        used.map(|(i, m)| MotorView {
            motor: i as u8,
            speed: m.speed,
            degrees: m.angle.0 as f64 / 1e6,
            needle: needle(m.angle.degrees()),
        })
        .collect()
    }

    fn event_views(&self) -> Vec<EventView> {
        let pins = self.subscriptions().map(|(pin, subscription)| {
            let change = match subscription.mode {
                2 => "falling",
                3 => "rising",
                _ => "changing",
            };
            EventView {
                event: format!("pin {pin} {change}"),
                handler: subscription.handler,
            }
        });
        let timer = self.timer().map(|t| EventView {
            event: format!("every {} us", t.period_us),
            handler: t.handler,
        });
        pins.chain(timer).collect()
    }

    fn output_views(&self, board: &Board) -> Vec<String> {
        self.registers()
            .filter_map(|(id, _, args)| {
                let args: Vec<String> = args.iter().map(ToString::to_string).collect();
                Some(format!(
                    "{}({})",
                    board.primitive(id)?.name,
                    args.join(", ")
                ))
            })
            .collect()
    }
}

fn mode_name(mode: i32) -> String {
    match mode {
        0 => "input".into(),
        2 => "output".into(),
        other => format!("mode {other}"),
    }
}

/// An arrow for an angle: at 0 degrees up, then clockwise.
fn needle(degrees: i64) -> char {
    let eighth = (degrees.rem_euclid(360) * 2 + 45) / 90 % 8;
    ['↑', '↗', '→', '↘', '↓', '↙', '←', '↖']
        .get(eighth as usize)
        .copied()
        .unwrap_or('↑')
}

fn display_view(display: &Display) -> Option<DisplayView> {
    let frame = display.frame();
    let (width, height) = (frame.width(), frame.height());
    let touched =
        display.is_lit() || (0..height).any(|y| frame.row(y).iter().any(|colour| *colour != 0));
    if !touched {
        return None;
    }
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let rgb = rgb888(display.visible(x, y));
            match runs.last_mut() {
                Some((count, colour)) if *colour == rgb => *count += 1,
                _ => runs.push((1, rgb)),
            }
        }
    }
    let panel = display.panel();
    Some(DisplayView {
        width,
        height,
        lit: display.is_lit(),
        orientation: panel.orientation,
        runs,
    })
}

/// 5-6-5 to eight bits a colour.
fn rgb888(colour: u16) -> u32 {
    let colour = u32::from(colour);
    let (r, g, b) = (colour >> 11, colour >> 5 & 63, colour & 31);
    (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2)
}
