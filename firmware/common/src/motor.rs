//! Motors: steppers with a driver that takes a pulse for each step and a level for the direction.
//!
//! They need no encoder: where they stand is how many pulses they got. Angles are microdegrees, as in the board's model.

use alloc::vec::Vec;

use borges_board::{Angle, scaled};

use crate::Chip;

/// One full turn.
const TURN: i64 = 360_000_000;

/// A stepper motor.
#[derive(Clone, Copy, Debug)]
pub struct Stepper {
    /// The pin on which each rising edge is a step.
    pub step: u8,
    /// The pin that is high for backwards.
    pub direction: u8,
    /// Steps of a full turn, with the driver's microsteps.
    pub steps_per_turn: u16,
}

/// Where a motor should be, and where its pulses have brought it.
#[derive(Clone, Copy, Debug, Default)]
struct Motion {
    /// What the board's model calls its angle.
    angle: i64,
    /// Microdegrees a microsecond times 10,000: the program's speed times the board's degrees a second.
    rate: i64,
    /// Steps that were really made.
    made: i64,
    since_us: u64,
}

/// All motors of a chip.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motors(Vec<Motion>);

impl Motors {
    pub(crate) fn new(count: usize) -> Self {
        Self(alloc::vec![Motion::default(); count])
    }

    pub(crate) fn angle(&self, motor: u8) -> Angle {
        Angle(self.0.get(usize::from(motor)).map_or(0, |m| m.angle))
    }

    /// Whether any motor turns by itself.
    pub(crate) fn run(&self) -> bool {
        self.0.iter().any(|motion| motion.rate != 0)
    }

    /// From now on a motor turns at this speed (±10,000 is full) of so many degrees a second.
    pub(crate) fn set_speed(
        &mut self,
        motor: u8,
        speed: i32,
        degrees_per_second: u32,
        now_us: u64,
    ) {
        if let Some(motion) = self.0.get_mut(usize::from(motor)) {
            motion.rate = i64::from(speed) * i64::from(degrees_per_second);
            motion.since_us = now_us;
        }
    }

    /// The motor is now so much further than its model says, whatever the clock says: the ends of timed movements are
    /// exact.
    pub(crate) fn place<C: Chip>(&mut self, chip: &mut C, motor: u8, angle: Angle) {
        if let Some(motion) = self.0.get_mut(usize::from(motor)) {
            motion.angle = angle.0;
        }
        self.step(chip);
    }

    /// Lets running motors follow the clock.
    pub(crate) fn follow<C: Chip>(&mut self, chip: &mut C) {
        let now_us = chip.now_us();
        for motion in &mut self.0 {
            let passed = now_us.saturating_sub(motion.since_us);
            if motion.rate != 0 && passed > 0 {
                let moved = scaled(motion.rate, passed, 10_000);
                motion.angle = motion.angle.saturating_add(moved);
                motion.since_us = now_us;
            }
        }
        self.step(chip);
    }

    /// Makes the pulses that are due.
    fn step<C: Chip>(&mut self, chip: &mut C) {
        for (motion, stepper) in self.0.iter_mut().zip(C::WIRING.motors) {
            let (turns, rest) = (motion.angle.div_euclid(TURN), motion.angle.rem_euclid(TURN));
            let steps = i64::from(stepper.steps_per_turn);
            let due = turns * steps + rest * steps / TURN;
            if due == motion.made {
                continue;
            }
            chip.write(stepper.direction, due < motion.made);
            while motion.made != due {
                chip.write(stepper.step, true);
                chip.write(stepper.step, false);
                motion.made += (due - motion.made).signum();
            }
        }
    }
}
