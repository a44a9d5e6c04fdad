//! What differs between two states, as what must be restored: the heart of compensation.

use alloc::vec::Vec;

use borges_vm::Value;

use super::{BoardState, Core};
use crate::{Board, Captured, MotorRestore, PrimitiveId, Restore, Shared};

impl BoardState {
    /// Everything that must be restored to get from `after` back to this state.
    pub(crate) fn differences(
        &self,
        board: &Board,
        after: &BoardState,
        captured: &Captured,
    ) -> Vec<Restore> {
        let mut list = Vec::new();
        if !Shared::ptr_eq(&self.core, &after.core) {
            self.core
                .differences(board, &after.core, captured, &mut list);
        }
        let (Some(was), Some(is)) = (&self.sights, &after.sights) else {
            return list;
        };
        list.extend(was.console.patch_from(&is.console).map(Restore::Console));
        if !Shared::ptr_eq(&was.pixels, &is.pixels) {
            list.extend(was.pixels.patch_from(&is.pixels).map(Restore::Pixels));
        }
        if !Shared::ptr_eq(&was.display, &is.display) {
            list.extend(was.display.patch_from(&is.display).map(Restore::Display));
        }
        list
    }
}

impl Core {
    /// About how many bytes hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        let calls = |key: &[Value], value: &[Value]| (key.len() + value.len()) * size_of::<Value>();
        let registers: usize = self
            .registers
            .iter()
            .map(|((_, key), args)| calls(key, args))
            .sum();
        let readings: usize = self
            .readings
            .iter()
            .map(|((_, args), _)| calls(args, &[]))
            .sum();
        let entries = 8 * self.pins.len()
            + 16 * self.channels.len()
            + size_of::<crate::Motor>() * self.motors.len()
            + 12 * self.interrupts.len()
            + 8 * self.sensor_modes.len()
            + 48 * (self.registers.len() + self.readings.len());
        registers + readings + entries
    }

    fn differences(
        &self,
        board: &Board,
        after: &Core,
        captured: &Captured,
        list: &mut Vec<Restore>,
    ) {
        self.motor_differences(after, captured, list);
        self.pin_differences(board, after, captured, list);
        for (channel, was, _) in self.channels.differences(&after.channels) {
            list.push(Restore::Channel {
                channel: *channel,
                setting: was.copied(),
            });
        }
        if self.tone != after.tone {
            list.push(Restore::Tone(self.tone));
        }
        for (pin, was, _) in self.interrupts.differences(&after.interrupts) {
            list.push(Restore::Interrupt {
                pin: *pin,
                subscription: was.copied(),
            });
        }
        if self.timer != after.timer {
            list.push(Restore::Timer(self.timer));
        }
        for (port, was, _) in self.sensor_modes.differences(&after.sensor_modes) {
            list.push(Restore::SensorMode {
                port: *port,
                mode: was.copied(),
            });
        }
        for ((id, key), was, _) in self.registers.differences(&after.registers) {
            let args = was
                .cloned()
                .or_else(|| board.initial_call(*id, key))
                .unwrap_or_default();
            list.push(Restore::Register {
                primitive: *id,
                key: key.clone(),
                args,
                written: was.is_some(),
            });
        }
        for ((id, args), was, _) in self.readings.differences(&after.readings) {
            list.push(Restore::Reading {
                primitive: *id,
                args: args.clone(),
                value: was.copied(),
            });
        }
        if (self.elapsed_us, self.clock_floor_us) != (after.elapsed_us, after.clock_floor_us) {
            list.push(Restore::Time {
                elapsed_us: self.elapsed_us,
                clock_floor_us: self.clock_floor_us,
            });
        }
    }

    fn pin_differences(
        &self,
        board: &Board,
        after: &Core,
        captured: &Captured,
        list: &mut Vec<Restore>,
    ) {
        for (pin, was, is) in self.pins.differences(&after.pins) {
            let (pin, was, is) = (
                *pin,
                was.copied().unwrap_or_default(),
                is.copied().unwrap_or_default(),
            );
            if was.level != is.level {
                // The level that the device found at the first write, or else the one that the model knows.
                let level = match (was.level, captured) {
                    (Some(level), _) => level,
                    (None, Captured::Level(level)) => *level,
                    (None, _) => board.high_pins.contains(&pin),
                };
                list.push(Restore::Level {
                    pin,
                    written: was.level,
                    level,
                });
            }
            if was.duty != is.duty {
                list.push(Restore::Duty {
                    pin,
                    duty: was.duty,
                });
            }
            if was.channel != is.channel {
                list.push(Restore::PinChannel {
                    pin,
                    channel: was.channel,
                });
            }
            if was.mode != is.mode {
                list.push(Restore::PinMode {
                    pin,
                    mode: was.mode,
                });
            }
        }
    }

    /// Motors go back to where the device saw them before the call; the model to what it thought then.
    fn motor_differences(&self, after: &Core, captured: &Captured, list: &mut Vec<Restore>) {
        let seen = |motor: u8| match captured {
            Captured::Motors(seen) => seen.iter().find(|m| m.motor == motor).copied(),
            _ => None,
        };
        let mut changed = Vec::new();
        for (i, (was, is)) in self.motors.iter().zip(&after.motors).enumerate() {
            let motor = i as u8;
            let seen = seen(motor);
            if was != is || seen.is_some() {
                let found = seen.and_then(|s| s.before).unwrap_or(was.angle);
                let drift = found.0.saturating_sub(was.angle.0);
                changed.push(MotorRestore {
                    motor,
                    speed: was.speed,
                    angle: was.angle,
                    drift,
                });
            }
        }
        if !changed.is_empty() {
            list.push(Restore::Motors(changed));
        }
    }
}

impl Board {
    /// The key under which a declared output sets state, if it sets any.
    pub fn register_key(&self, id: PrimitiveId, args: &[Value]) -> Option<Vec<Value>> {
        let register = self.primitive(id)?.register.as_ref()?;
        register
            .key
            .iter()
            .map(|position| args.get(usize::from(*position)).copied())
            .collect()
    }

    /// The call that would bring a declared output's state back to what it is before the first one.
    fn initial_call(&self, id: PrimitiveId, key: &[Value]) -> Option<Vec<Value>> {
        let primitive = self.primitive(id)?;
        let register = primitive.register.as_ref()?;
        let mut args: Vec<Value> = primitive
            .params
            .iter()
            .map(|ty| Value::default_of(*ty))
            .collect();
        let places = register
            .key
            .iter()
            .zip(key)
            .chain(register.state.iter().zip(&register.initial));
        for (position, value) in places {
            *args.get_mut(usize::from(*position))? = *value;
        }
        Some(args)
    }
}
