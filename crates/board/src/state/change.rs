//! How calls and compensations change the model.

use borges_vm::Value;

use super::{Angle, BoardState, Motor, Pin, PwmChannel, Sights, Subscription, Timer};
use crate::{Action, Board, Captured, PrimitiveId, PrimitiveKind, Restore, Shared};

impl BoardState {
    /// Performs an action that has been checked against the board.
    pub(crate) fn perform(&mut self, board: &Board, action: &Action<'_>) {
        #[cfg(feature = "host")]
        let before = self.before_ageing(board);
        self.change(board, action);
        #[cfg(feature = "host")]
        if let Some(before) = before {
            self.age(board, &before);
        }
    }

    fn change(&mut self, board: &Board, action: &Action<'_>) {
        match *action {
            Action::Nothing => {}
            Action::PinMode { pin, mode } => self.change_pin(pin, |p| p.mode = Some(mode)),
            Action::Level { pin, level } => self.change_pin(pin, |p| p.level = Some(level)),
            Action::Duty { pin, duty } => self.change_pin(pin, |p| p.duty = Some(duty)),
            Action::ChannelSetup {
                channel,
                frequency_hz,
                bits,
                pin,
            } => {
                self.change_channel(channel, |c| {
                    *c = PwmChannel {
                        frequency_hz,
                        bits,
                        duty: 0,
                    }
                });
                if let Some(pin) = pin {
                    self.change_pin(pin, |p| p.channel = Some(channel));
                }
            }
            Action::ChannelAttach { pin, channel } => {
                self.change_pin(pin, |p| p.channel = Some(channel))
            }
            Action::ChannelDuty { channel, duty } => {
                self.change_channel(channel, |c| c.duty = duty)
            }
            Action::Wait { us } => {
                self.wait(board, us);
                self.advance_clock(us);
            }
            Action::MotorSpeed { motor, speed } => self.set_speed(motor, speed),
            Action::MotorFor { motor, speed, us } => {
                self.set_speed(motor, speed);
                self.wait(board, us);
                self.advance_clock(us);
                self.set_speed(motor, 0);
            }
            Action::MotorTurn {
                motor,
                speed,
                degrees,
            } => {
                self.set_speed(motor, 0);
                self.wait(board, board.turning_time_us(speed, degrees));
                if let Some(motor) = self.core_mut().motors.get_mut(usize::from(motor)) {
                    motor.angle = motor.angle.plus(Angle::from_degrees(degrees).0);
                }
            }
            Action::Tone(tone) => self.core_mut().tone = tone,
            Action::Subscribe { pin, handler, mode } => {
                self.core_mut()
                    .interrupts
                    .set(pin, Some(Subscription { handler, mode }));
            }
            Action::Unsubscribe { pin } => self.core_mut().interrupts.set(pin, None),
            Action::SubscribeTimer { period_us, handler } => {
                self.core_mut().timer = Some(Timer { period_us, handler });
            }
            Action::UnsubscribeTimer => self.core_mut().timer = None,
            Action::SensorMode { port, mode } => self.core_mut().sensor_modes.set(port, Some(mode)),
            Action::Declared { primitive, args } => {
                if let Some(key) = board.register_key(primitive, args) {
                    self.core_mut()
                        .registers
                        .set((primitive, key), Some(args.to_vec()));
                }
            }
            // These only show on screen, strip and console, see below.
            Action::Number(_)
            | Action::Text(_)
            | Action::PixelsInit
            | Action::PixelSet { .. }
            | Action::PixelsShow
            | Action::PixelsClear
            | Action::DisplaySetup
            | Action::DisplayOrientation(_)
            | Action::DisplayFill { .. }
            | Action::DisplayText { .. }
            | Action::SpiBegin
            | Action::SpiByte(_)
            | Action::SpiWords { .. } => {}
        }
        if let Some(sights) = &mut self.sights {
            let core = &self.core;
            let level = |pin| match core.pins.get(&pin).and_then(|p| p.level) {
                Some(level) => level,
                None => board.high_pins.contains(&pin),
            };
            sights.perform(action, level);
        }
    }

    /// Undoes in the model what a [`Restore`] undoes in the environment.
    pub(crate) fn restore(&mut self, restore: &Restore) {
        match restore {
            Restore::PinMode { pin, mode } => self.change_pin(*pin, |p| p.mode = *mode),
            Restore::Level { pin, written, .. } => self.change_pin(*pin, |p| p.level = *written),
            Restore::Duty { pin, duty } => self.change_pin(*pin, |p| p.duty = *duty),
            Restore::PinChannel { pin, channel } => self.change_pin(*pin, |p| p.channel = *channel),
            Restore::Channel { channel, setting } => {
                self.core_mut().channels.set(*channel, *setting)
            }
            Restore::Motors(motors) => {
                for was in motors {
                    if let Some(motor) = self.core_mut().motors.get_mut(usize::from(was.motor)) {
                        *motor = Motor {
                            speed: was.speed,
                            angle: was.angle,
                        };
                    }
                }
            }
            Restore::Tone(tone) => self.core_mut().tone = *tone,
            Restore::Interrupt { pin, subscription } => {
                self.core_mut().interrupts.set(*pin, *subscription)
            }
            Restore::Timer(timer) => self.core_mut().timer = *timer,
            Restore::SensorMode { port, mode } => self.core_mut().sensor_modes.set(*port, *mode),
            Restore::Register {
                primitive,
                key,
                args,
                written,
            } => {
                let kept = written.then(|| args.clone());
                self.core_mut()
                    .registers
                    .set((*primitive, key.clone()), kept);
            }
            Restore::Reading {
                primitive,
                args,
                value,
            } => {
                self.core_mut()
                    .readings
                    .set((*primitive, args.clone()), *value);
            }
            Restore::Time {
                elapsed_us,
                clock_floor_us,
            } => {
                let core = self.core_mut();
                core.elapsed_us = *elapsed_us;
                core.clock_floor_us = *clock_floor_us;
            }
            Restore::Console(patch) => {
                if let Some(sights) = &mut self.sights {
                    sights.console.restore(patch);
                }
            }
            Restore::Pixels(patch) => {
                if let Some(sights) = &mut self.sights {
                    Shared::make_mut(&mut sights.pixels).restore(patch);
                }
            }
            Restore::Display(patch) => {
                if let Some(sights) = &mut self.sights {
                    Shared::make_mut(&mut sights.display).restore(patch);
                }
            }
        }
    }

    fn change_pin(&mut self, pin: u8, change: impl FnOnce(&mut Pin)) {
        let mut state = self.pin(pin);
        change(&mut state);
        let kept = (state != Pin::default()).then_some(state);
        self.core_mut().pins.set(pin, kept);
    }

    /// Puts the model right where the device measured something else than it predicts.
    pub(super) fn correct(&mut self, captured: &Captured, after: bool) {
        let Captured::Motors(motors) = captured else {
            return;
        };
        for seen in motors {
            let angle = if after { seen.after } else { seen.before };
            if let (Some(angle), Some(motor)) = (
                angle,
                self.core_mut().motors.get_mut(usize::from(seen.motor)),
            ) {
                motor.angle = angle;
            }
        }
    }

    /// Sets motors to where their encoders stand.
    pub(crate) fn correct_motors(&mut self, angles: &[(u8, Angle)]) {
        for (motor, angle) in angles {
            if let Some(motor) = self.core_mut().motors.get_mut(usize::from(*motor)) {
                motor.angle = *angle;
            }
        }
    }

    /// Lets time pass: motors that have a speed move.
    fn wait(&mut self, board: &Board, us: u64) {
        let core = self.core_mut();
        core.elapsed_us = core.elapsed_us.saturating_add(us);
        for motor in core.motors.iter_mut().filter(|m| m.speed != 0) {
            motor.angle = motor.angle.plus(board.travel(motor.speed, us));
        }
    }

    fn set_speed(&mut self, motor: u8, speed: i32) {
        if let Some(motor) = self.core_mut().motors.get_mut(usize::from(motor)) {
            motor.speed = speed;
        }
    }

    /// Time that certainly passes: a clock cannot show less than before plus this.
    fn advance_clock(&mut self, us: u64) {
        let core = self.core_mut();
        core.clock_floor_us = core.clock_floor_us.saturating_add(us);
    }

    fn change_channel(&mut self, channel: u8, change: impl FnOnce(&mut PwmChannel)) {
        let mut setting = self
            .core
            .channels
            .get(&channel)
            .copied()
            .unwrap_or_default();
        change(&mut setting);
        self.core_mut().channels.set(channel, Some(setting));
    }
}

impl Sights {
    fn perform(&mut self, action: &Action<'_>, level: impl Fn(u8) -> bool) {
        match *action {
            Action::Number(n) => self.console.print(alloc::format!("{n}\n").as_bytes()),
            Action::Text(text) => self.console.print(text),
            Action::PixelsInit
            | Action::PixelSet { .. }
            | Action::PixelsShow
            | Action::PixelsClear => {
                Shared::make_mut(&mut self.pixels).perform(action);
            }
            Action::Level { pin, level } if self.display.resets_on(pin, level) => {
                Shared::make_mut(&mut self.display).reset();
            }
            Action::DisplaySetup
            | Action::DisplayOrientation(_)
            | Action::DisplayFill { .. }
            | Action::DisplayText { .. }
            | Action::SpiByte(_)
            | Action::SpiWords { .. } => Shared::make_mut(&mut self.display).perform(action, level),
            _ => {}
        }
    }
}

impl Board {
    /// What an output answers: a constant, or zero where a program expects a value that nobody defines.
    pub(crate) fn result(&self, id: PrimitiveId) -> Option<Value> {
        let primitive = self.primitive(id)?;
        match primitive.kind {
            PrimitiveKind::Constant(value) => Some(value),
            _ => primitive.result.map(Value::default_of),
        }
    }
}
