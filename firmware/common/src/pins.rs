//! The primitives on real pins.

use alloc::vec::Vec;

use borges_board::{
    Action, Angle, Board, EventSource, Hardware, Pixels, PwmChannel, Reading, Restore, Sensor,
    VecMap, scaled,
};
use borges_vm::{ValType, Value};

use crate::display::Display;
use crate::motor::Motors;
use crate::{Chip, Pwm};

/// Frequency of a duty written without a PWM channel, in Hz.
const DUTY_HZ: u32 = 1000;

/// Delays that are not waited for in one piece, in microseconds: so long may a device be deaf.
const LONG_DELAY_US: u64 = 2_000;

/// The hardware of a board: a chip and what hangs on it.
#[derive(Debug)]
pub struct Pins<C> {
    /// The chip.
    pub chip: C,
    motors: Motors,
    display: Display,
    strip: Pixels,
    /// What was set up for pins and channels, to bring one back without the other.
    duties: VecMap<u8, u8>,
    channels: VecMap<u8, PwmChannel>,
    pin_channels: VecMap<u8, u8>,
    timer: Option<Timer>,
    /// The end of the program's delay.
    delayed_until: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Timer {
    period_us: u64,
    next_us: u64,
}

impl<C: Chip> Pins<C> {
    /// A board to which nothing has been done.
    pub fn new(chip: C) -> Self {
        Self {
            chip,
            motors: Motors::new(C::WIRING.motors.len()),
            display: Display,
            strip: Pixels::new(0),
            duties: VecMap::new(),
            channels: VecMap::new(),
            pin_channels: VecMap::new(),
            timer: None,
            delayed_until: None,
        }
    }

    /// Lets what runs by itself go on: call it often.
    pub fn tick(&mut self) {
        self.motors.follow(&mut self.chip);
        self.chip.alive();
    }

    /// The program's delay: a long one passes while the device answers.
    fn delay(&mut self, us: u64) {
        // What motors did in a delay is measured at its end.
        if us >= LONG_DELAY_US && !self.motors.run() {
            self.delayed_until = Some(self.chip.now_us().saturating_add(us));
            return;
        }
        let start = self.chip.now_us();
        while self.chip.now_us().saturating_sub(start) < us {
            self.tick();
        }
    }

    /// Turns a motor from one angle to another in a time, and then it stands there exactly.
    fn turn(&mut self, motor: u8, from: Angle, travelled: i64, us: u64) {
        let start = self.chip.now_us();
        loop {
            let passed = self.chip.now_us().saturating_sub(start);
            if passed >= us {
                break;
            }
            let part = scaled(travelled, passed, us);
            self.motors.place(&mut self.chip, motor, from.plus(part));
            self.tick();
        }
        self.motors
            .place(&mut self.chip, motor, from.plus(travelled));
    }

    /// Gives a pin the modulation that its channel or its duty says.
    fn modulate(&mut self, pin: u8) {
        let channel = self.pin_channels.get(&pin);
        let pwm = match (channel, self.duties.get(&pin)) {
            (Some(channel), _) => self.channels.get(channel).map(|channel| Pwm {
                frequency_hz: channel.frequency_hz,
                duty: channel.duty,
            }),
            (None, Some(duty)) => Some(Pwm {
                frequency_hz: DUTY_HZ,
                duty: (u32::from(*duty) * 4095 / 255) as u16,
            }),
            (None, None) => None,
        };
        self.chip.pwm(pin, pwm);
    }

    fn set_channel(&mut self, channel: u8, setting: Option<PwmChannel>) {
        self.channels.set(channel, setting);
        let follow = |(pin, of): &(u8, u8)| (*of == channel).then_some(*pin);
        let pins: Vec<u8> = self.pin_channels.iter().filter_map(follow).collect();
        for pin in pins {
            self.modulate(pin);
        }
    }

    fn tone(&mut self, hz: Option<i32>) {
        let Some(buzzer) = C::WIRING.buzzer else {
            return;
        };
        let pwm = hz
            .and_then(|hz| u32::try_from(hz).ok())
            .filter(|hz| *hz > 0);
        let half = |frequency_hz| Pwm {
            frequency_hz,
            duty: 2048,
        };
        self.chip.pwm(buzzer, pwm.map(half));
    }

    fn set_timer(&mut self, period_us: Option<u32>) {
        let now_us = self.chip.now_us();
        self.timer = period_us.map(|period| {
            let period_us = u64::from(period.max(1));
            Timer {
                period_us,
                next_us: now_us + period_us,
            }
        });
    }

    fn show_pixels(&mut self) {
        self.chip.pixels(&self.strip.shown);
    }
}

impl<C: Chip> Hardware for Pins<C> {
    fn sense(&mut self, _board: &Board, reading: Reading<'_>) -> Value {
        let ty = reading.primitive.codomain.ty();
        let number = match reading.sensor {
            Sensor::Clock => return Value::I64(self.chip.now_us() as i64),
            Sensor::Random => self.chip.random() as i32,
            Sensor::Level(pin) => i32::from(self.chip.read(pin)),
            Sensor::Analog(pin) => i32::from(self.chip.analog(pin)),
            Sensor::Colour(port) | Sensor::Uart(port) => {
                i32::from(self.chip.sensor(port).unwrap_or(0))
            }
            Sensor::NxtTouch(port) | Sensor::Ev3Touch(port) => {
                let pin = C::WIRING.touch.get(usize::from(port));
                pin.map_or(0, |pin| i32::from(self.chip.read(*pin)))
            }
            // What the user declares has no place on a chip that was not built for it.
            Sensor::Declared => 0,
        };
        match ty {
            ValType::I64 => Value::I64(i64::from(number)),
            ValType::F32 => Value::F32((number as f32).to_bits()),
            ValType::F64 => Value::F64(f64::from(number).to_bits()),
            _ => Value::I32(number),
        }
    }

    fn perform(&mut self, board: &Board, action: &Action<'_>) {
        match *action {
            Action::PinMode { pin, mode } => self.chip.pin_mode(pin, Some(mode)),
            Action::Level { pin, level } => self.chip.write(pin, level),
            Action::Duty { pin, duty } => {
                self.duties.set(pin, Some(duty));
                self.modulate(pin);
            }
            Action::ChannelSetup {
                channel,
                frequency_hz,
                bits,
                pin,
            } => {
                if let Some(pin) = pin {
                    self.pin_channels.set(pin, Some(channel));
                }
                let duty = 0;
                let setting = PwmChannel {
                    frequency_hz,
                    bits,
                    duty,
                };
                self.set_channel(channel, Some(setting));
            }
            Action::ChannelAttach { pin, channel } => {
                self.pin_channels.set(pin, Some(channel));
                self.modulate(pin);
            }
            Action::ChannelDuty { channel, duty } => {
                let old = self.channels.get(&channel).copied().unwrap_or_default();
                self.set_channel(channel, Some(PwmChannel { duty, ..old }));
            }
            Action::Wait { us } => self.delay(us),
            Action::MotorSpeed { motor, speed } => {
                let now_us = self.chip.now_us();
                self.motors
                    .set_speed(motor, speed, board.degrees_per_second, now_us);
            }
            Action::MotorFor { motor, speed, us } => {
                let from = self.motors.angle(motor);
                self.motors.set_speed(motor, 0, 0, 0);
                self.turn(motor, from, board.travel(speed, us), us);
            }
            Action::MotorTurn {
                motor,
                speed,
                degrees,
            } => {
                let from = self.motors.angle(motor);
                self.motors.set_speed(motor, 0, 0, 0);
                let us = board.turning_time_us(speed, degrees);
                self.turn(motor, from, Angle::from_degrees(degrees).0, us);
            }
            Action::Tone(hz) => self.tone(hz),
            Action::PixelsInit => {
                self.strip = Pixels::new(board.pixels);
                self.strip.perform(action);
                self.show_pixels();
            }
            Action::PixelSet { .. } | Action::PixelsClear => self.strip.perform(action),
            Action::PixelsShow => {
                self.strip.perform(action);
                self.show_pixels();
            }
            Action::Subscribe { pin, mode, .. } => self.chip.watch_edges(pin, Some(mode)),
            Action::Unsubscribe { pin } => self.chip.watch_edges(pin, None),
            Action::SubscribeTimer { period_us, .. } => self.set_timer(Some(period_us)),
            Action::UnsubscribeTimer => self.set_timer(None),
            Action::SensorMode { port, mode } => self.chip.sensor_mode(port, mode as u8),
            Action::DisplaySetup
            | Action::DisplayOrientation(_)
            | Action::DisplayFill { .. }
            | Action::DisplayText { .. }
            | Action::SpiBegin
            | Action::SpiByte(_)
            | Action::SpiWords { .. } => self.display.perform(&mut self.chip, board, action),
            // What is printed is in the trace; a declared output has no place on a chip not built for it.
            Action::Nothing | Action::Number(_) | Action::Text(_) | Action::Declared { .. } => {}
        }
    }

    fn settled(&mut self) -> bool {
        let now_us = self.chip.now_us();
        self.delayed_until = self.delayed_until.filter(|until| now_us < *until);
        self.delayed_until.is_none()
    }

    fn restore(&mut self, board: &Board, restore: &Restore) {
        // The delay, too, is undone.
        self.delayed_until = None;
        match restore {
            Restore::PinMode { pin, mode } => self.chip.pin_mode(*pin, *mode),
            Restore::Level { pin, level, .. } => self.chip.write(*pin, *level),
            Restore::Duty { pin, duty } => {
                self.duties.set(*pin, *duty);
                self.modulate(*pin);
            }
            Restore::PinChannel { pin, channel } => {
                self.pin_channels.set(*pin, *channel);
                self.modulate(*pin);
            }
            Restore::Channel { channel, setting } => self.set_channel(*channel, *setting),
            Restore::Motors(motors) => {
                let now_us = self.chip.now_us();
                for was in motors {
                    let from = self.motors.angle(was.motor);
                    let travel = was.target().0.saturating_sub(from.0);
                    let degrees = (travel / 1_000_000).clamp(-1_000_000, 1_000_000) as i32;
                    self.motors.set_speed(was.motor, 0, 0, 0);
                    let us = board.turning_time_us(10_000, degrees);
                    self.turn(was.motor, from, travel, us);
                    self.motors
                        .set_speed(was.motor, was.speed, board.degrees_per_second, now_us);
                }
            }
            Restore::Tone(hz) => self.tone(*hz),
            Restore::Interrupt { pin, subscription } => {
                self.chip.watch_edges(*pin, subscription.map(|s| s.mode));
            }
            Restore::Timer(timer) => self.set_timer(timer.map(|t| t.period_us)),
            Restore::SensorMode { port, mode } => {
                self.chip.sensor_mode(*port, mode.unwrap_or(0) as u8);
            }
            Restore::Pixels(patch) => {
                self.strip.restore(patch);
                self.show_pixels();
            }
            Restore::Display(patch) => self.display.restore(&mut self.chip, board, patch),
            Restore::Register { .. }
            | Restore::Reading { .. }
            | Restore::Time { .. }
            | Restore::Console(_) => {}
        }
    }

    fn motor_angle(&mut self, motor: u8) -> Angle {
        self.motors.follow(&mut self.chip);
        self.motors.angle(motor)
    }

    fn pin_level(&mut self, pin: u8) -> bool {
        self.chip.read(pin)
    }

    fn poll_event(&mut self) -> Option<EventSource> {
        if let Some(pin) = self.chip.edge() {
            return Some(EventSource::Pin(pin));
        }
        let now_us = self.chip.now_us();
        let timer = self.timer.as_mut().filter(|t| t.next_us <= now_us)?;
        // One that has fired several times in one delay has fired once.
        let missed = (now_us - timer.next_us) / timer.period_us + 1;
        timer.next_us = timer
            .next_us
            .saturating_add(missed.saturating_mul(timer.period_us));
        Some(EventSource::Timer)
    }

    fn discard_events(&mut self) {
        while self.chip.edge().is_some() {}
        let now_us = self.chip.now_us();
        if let Some(timer) = &mut self.timer {
            timer.next_us = now_us + timer.period_us;
        }
    }
}
