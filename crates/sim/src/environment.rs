//! The environment of a simulated board: everything outside the program that outputs can change.

use std::fmt::Debug;

use borges_board::{
    Action, Angle, Board, Console, Display, Pixels, PrimitiveId, PwmChannel, Restore, VecMap,
    WorldModel,
};
use borges_vm::Value;

use crate::room::Room;

/// The state of everything outside the program that outputs can change.
///
/// Two environments are equal exactly if no program could tell them apart by what it reads from then on, given the same
/// sources: what theorem 3 (compensation soundness) compares. Where sources stand is no part of it: reading an input
/// changes nothing outside, and the world goes on whatever a debugger does.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// Modes of pins, where one was set.
    pub modes: VecMap<u8, i32>,
    /// The level that drives each pin.
    pub levels: Vec<bool>,
    /// Duties of pins, where one was set.
    pub duties: VecMap<u8, u8>,
    /// PWM channels of pins.
    pub pin_channels: VecMap<u8, u8>,
    /// PWM channels.
    pub channels: VecMap<u8, PwmChannel>,
    /// Motors: speed and angle of each.
    pub motors: Vec<(i32, Angle)>,
    /// The tone that sounds.
    pub tone: Option<i32>,
    /// Pins whose changes are events, with the mode.
    pub interrupts: VecMap<u8, i32>,
    /// Period of the timer.
    pub timer_us: Option<u32>,
    /// Modes of sensors.
    pub sensor_modes: VecMap<u8, i32>,
    /// Declared outputs: the arguments of the last call for each key.
    pub registers: VecMap<(PrimitiveId, Vec<Value>), Vec<Value>>,
    /// The pixel strip.
    pub pixels: Pixels,
    /// The display.
    pub display: Display,
    /// Printed text.
    pub console: Console,
    /// How long the program has waited.
    pub waited_us: u64,
    /// Rooms with a heater.
    pub rooms: Vec<Room>,
}

/// What is not the same, a sentence each.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn add(&mut self, what: &str, ours: &dyn Debug, theirs: &dyn Debug) {
        self.0.push(format!("{what}: {ours:?}, not {theirs:?}"));
    }

    fn compare<T: Debug + PartialEq>(&mut self, what: &str, ours: &T, theirs: &T) {
        if ours != theirs {
            self.add(what, ours, theirs);
        }
    }
}

impl Environment {
    /// The environment before anything has happened.
    pub(crate) fn new(board: &Board) -> Self {
        let high =
            |pin| board.high_pins.contains(&pin) != board.simulation.surprising_pins.contains(&pin);
        let mut environment = Environment {
            modes: VecMap::new(),
            levels: (0..=255).map(high).collect(),
            duties: VecMap::new(),
            pin_channels: VecMap::new(),
            channels: VecMap::new(),
            motors: vec![(0, Angle::default()); usize::from(board.motors)],
            tone: None,
            interrupts: VecMap::new(),
            timer_us: None,
            sensor_modes: VecMap::new(),
            registers: VecMap::new(),
            pixels: Pixels::new(board.pixels),
            display: Display::new(board.display),
            console: Console::new(board.console_bytes),
            waited_us: 0,
            rooms: Vec::new(),
        };
        for model in &board.simulation.models {
            if let WorldModel::Room {
                heater,
                ambient,
                gain,
                inertia_us,
                ..
            } = model
            {
                let power = environment.power(*heater);
                environment
                    .rooms
                    .push(Room::new(*heater, *ambient, *gain, *inertia_us, power));
            }
        }
        environment
    }

    /// What differs from another environment, in words: empty exactly if they are equal.
    pub fn differences(&self, other: &Environment) -> Vec<String> {
        // Destructured, so that a new field cannot be forgotten.
        let Environment {
            modes,
            levels,
            duties,
            pin_channels,
            channels,
            motors,
            tone,
            interrupts,
            timer_us,
            sensor_modes,
            registers,
            pixels,
            display,
            console,
            waited_us,
            rooms,
        } = self;
        let mut list = Differences::default();
        list.compare("modes", modes, &other.modes);
        for (pin, (ours, theirs)) in levels.iter().zip(&other.levels).enumerate() {
            list.compare(&format!("level of pin {pin}"), ours, theirs);
        }
        list.compare("duties", duties, &other.duties);
        list.compare("channels of pins", pin_channels, &other.pin_channels);
        list.compare("PWM channels", channels, &other.channels);
        list.compare("motors", motors, &other.motors);
        list.compare("tone", tone, &other.tone);
        list.compare("interrupts", interrupts, &other.interrupts);
        list.compare("timer", timer_us, &other.timer_us);
        list.compare("modes of sensors", sensor_modes, &other.sensor_modes);
        list.compare("declared outputs", registers, &other.registers);
        list.compare("pixel strip", pixels, &other.pixels);
        list.compare("display", display.panel(), other.display.panel());
        let (frame, theirs) = (display.frame(), other.display.frame());
        let rows = (0..frame.height()).filter(|y| frame.row(*y) != theirs.row(*y));
        let rows: Vec<u16> = rows.collect();
        if frame != theirs {
            list.add("rows of the display", &rows, &"these");
        }
        if *console != other.console {
            list.add("console", &console.tail(9), &other.console.tail(9));
        }
        list.compare("time waited", waited_us, &other.waited_us);
        list.compare("rooms", rooms, &other.rooms);
        list.0
    }

    /// The level that drives a pin.
    pub fn level(&self, pin: u8) -> bool {
        self.levels.get(usize::from(pin)).copied().unwrap_or(false)
    }

    /// How much power a pin gives, from 0 to 1.
    pub fn power(&self, pin: u8) -> f64 {
        if let Some(channel) = self.pin_channels.get(&pin) {
            return f64::from(self.channels.get(channel).map_or(0, |c| c.duty)) / 4095.0;
        }
        match self.duties.get(&pin) {
            Some(duty) => f64::from(*duty) / 255.0,
            None => f64::from(u8::from(self.level(pin))),
        }
    }

    /// Rooms follow their heaters.
    pub(crate) fn settle(&mut self, now_us: u64) {
        for i in 0..self.rooms.len() {
            let power = self.power(self.rooms[i].heater);
            self.rooms[i].heat(now_us, power);
        }
    }

    /// Where a motor stands.
    pub fn angle(&self, motor: u8) -> Angle {
        self.motors
            .get(usize::from(motor))
            .map_or(Angle::default(), |(_, angle)| *angle)
    }

    /// Performs what does not need the world to move: all but delays and motors.
    pub(crate) fn perform(&mut self, board: &Board, action: &Action<'_>) {
        match *action {
            Action::PinMode { pin, mode } => self.modes.set(pin, Some(mode)),
            Action::Level { pin, level } => self.set_level(pin, level),
            Action::Duty { pin, duty } => self.duties.set(pin, Some(duty)),
            Action::ChannelSetup {
                channel,
                frequency_hz,
                bits,
                pin,
            } => {
                self.channels.set(
                    channel,
                    Some(PwmChannel {
                        frequency_hz,
                        bits,
                        duty: 0,
                    }),
                );
                if let Some(pin) = pin {
                    self.pin_channels.set(pin, Some(channel));
                }
            }
            Action::ChannelAttach { pin, channel } => self.pin_channels.set(pin, Some(channel)),
            Action::ChannelDuty { channel, duty } => {
                let old = self.channels.get(&channel).copied().unwrap_or_default();
                self.channels.set(channel, Some(PwmChannel { duty, ..old }));
            }
            Action::MotorSpeed { motor, speed } => self.set_speed(motor, speed),
            Action::Number(number) => self.console.print(format!("{number}\n").as_bytes()),
            Action::Text(text) => self.console.print(text),
            Action::Tone(tone) => self.tone = tone,
            Action::PixelsInit
            | Action::PixelSet { .. }
            | Action::PixelsShow
            | Action::PixelsClear => {
                self.pixels.perform(action);
            }
            Action::DisplaySetup
            | Action::DisplayOrientation(_)
            | Action::DisplayFill { .. }
            | Action::DisplayText { .. }
            | Action::SpiByte(_)
            | Action::SpiWords { .. } => {
                let levels = &self.levels;
                self.display.perform(action, |pin| {
                    levels.get(usize::from(pin)).copied().unwrap_or(false)
                });
            }
            Action::Subscribe { pin, mode, .. } => self.interrupts.set(pin, Some(mode)),
            Action::Unsubscribe { pin } => self.interrupts.set(pin, None),
            Action::SubscribeTimer { period_us, .. } => self.timer_us = Some(period_us),
            Action::UnsubscribeTimer => self.timer_us = None,
            Action::SensorMode { port, mode } => self.sensor_modes.set(port, Some(mode)),
            Action::Declared { primitive, args } => {
                if let Some(key) = board.register_key(primitive, args) {
                    self.registers.set((primitive, key), Some(args.to_vec()));
                }
            }
            Action::Nothing | Action::SpiBegin => {}
            // The board moves these, see `SimBoard`.
            Action::Wait { .. } | Action::MotorFor { .. } | Action::MotorTurn { .. } => {}
        }
    }

    /// Restores one thing.
    pub(crate) fn restore(&mut self, restore: &Restore) {
        match restore {
            Restore::PinMode { pin, mode } => self.modes.set(*pin, *mode),
            Restore::Level { pin, level, .. } => {
                if let Some(place) = self.levels.get_mut(usize::from(*pin)) {
                    // What the display's reset pin did is restored with the display.
                    *place = *level;
                }
            }
            Restore::Duty { pin, duty } => self.duties.set(*pin, *duty),
            Restore::PinChannel { pin, channel } => self.pin_channels.set(*pin, *channel),
            Restore::Channel { channel, setting } => self.channels.set(*channel, *setting),
            Restore::Motors(motors) => {
                for was in motors {
                    if let Some(motor) = self.motors.get_mut(usize::from(was.motor)) {
                        *motor = (was.speed, was.target());
                    }
                }
            }
            Restore::Tone(tone) => self.tone = *tone,
            Restore::Interrupt { pin, subscription } => {
                self.interrupts.set(*pin, subscription.map(|s| s.mode))
            }
            Restore::Timer(timer) => self.timer_us = timer.map(|t| t.period_us),
            Restore::SensorMode { port, mode } => self.sensor_modes.set(*port, *mode),
            Restore::Register {
                primitive,
                key,
                args,
                written,
            } => {
                self.registers
                    .set((*primitive, key.clone()), written.then(|| args.clone()));
            }
            Restore::Reading { .. } => {}
            Restore::Time { elapsed_us, .. } => self.waited_us = *elapsed_us,
            Restore::Console(patch) => self.console.restore(patch),
            Restore::Pixels(patch) => self.pixels.restore(patch),
            Restore::Display(patch) => self.display.restore(patch),
        }
    }

    pub(crate) fn set_speed(&mut self, motor: u8, speed: i32) {
        if let Some(motor) = self.motors.get_mut(usize::from(motor)) {
            motor.0 = speed;
        }
    }

    fn set_level(&mut self, pin: u8, level: bool) {
        if let Some(place) = self.levels.get_mut(usize::from(pin)) {
            *place = level;
        }
        if self.display.resets_on(pin, level) {
            self.display.reset();
        }
    }
}
