//! A room with a heater: its temperature at any time follows from when the heater was on.

/// A room with a heater. It remembers when the heater changed, so that a debugger that goes back in time finds the
/// temperature of then, to the bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Room {
    /// The pin of the heater.
    pub heater: u8,
    ambient: f64,
    gain: f64,
    inertia_us: f64,
    /// Since when which power heats it, and the temperature at that moment. Times ascend, neighbours differ in power,
    /// and the first one is at time 0: so equal histories of the heater are equal here.
    phases: Vec<Phase>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Phase {
    since_us: u64,
    power: f64,
    temperature: f64,
}

impl Room {
    /// A room that has always been heated with this power.
    pub(crate) fn new(heater: u8, ambient: f64, gain: f64, inertia_us: u64, power: f64) -> Self {
        let start = Phase {
            since_us: 0,
            power,
            temperature: ambient + gain * power,
        };
        Room {
            heater,
            ambient,
            gain,
            inertia_us: inertia_us.max(1) as f64,
            phases: vec![start],
        }
    }

    /// The temperature at a time.
    pub fn temperature(&self, now_us: u64) -> f64 {
        let after = self.phases.partition_point(|p| p.since_us <= now_us);
        let Some(phase) = self.phases.get(after.saturating_sub(1)) else {
            return self.ambient;
        };
        self.temperature_in(phase, now_us)
    }

    /// From now on this power heats it. What was later than now never was.
    pub(crate) fn heat(&mut self, now_us: u64, power: f64) {
        while self.phases.len() > 1 && self.phases.last().is_some_and(|p| p.since_us >= now_us) {
            self.phases.pop();
        }
        let Some(last) = self.phases.last_mut() else {
            return;
        };
        if last.power == power {
            return;
        }
        if last.since_us >= now_us {
            // At time 0: the room was in this state from the beginning.
            *last = Phase { power, ..*last };
            return;
        }
        let phase = *last;
        let temperature = self.temperature_in(&phase, now_us);
        self.phases.push(Phase {
            since_us: now_us,
            power,
            temperature,
        });
    }

    fn temperature_in(&self, phase: &Phase, now_us: u64) -> f64 {
        let target = self.ambient + self.gain * phase.power;
        let passed = now_us.saturating_sub(phase.since_us) as f64 / self.inertia_us;
        target + (phase.temperature - target) * libm::exp(-passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_towards_where_it_would_end_up() {
        let mut room = Room::new(5, 20.0, 30.0, 1_000_000, 0.0);
        assert_eq!(room.temperature(5_000_000), 20.0);
        room.heat(5_000_000, 1.0);
        let after_one = room.temperature(6_000_000);
        assert!(
            (after_one - (50.0 - 30.0 / core::f64::consts::E)).abs() < 1e-9,
            "{after_one}"
        );
        assert!(room.temperature(60_000_000) > 49.99);
        room.heat(60_000_000, 0.0);
        assert!(room.temperature(61_000_000) < 32.0);
        assert_eq!(
            room.temperature(6_000_000),
            after_one,
            "the past does not change"
        );
    }

    #[test]
    fn going_back_leaves_no_trace() {
        let mut room = Room::new(5, 20.0, 30.0, 1_000_000, 0.0);
        room.heat(0, 1.0);
        room.heat(300, 0.5);
        let then = room.clone();
        room.heat(400, 1.0);
        room.heat(900, 0.0);
        room.heat(350, 0.5);
        assert_eq!(room, then);
        room.heat(300, 1.0);
        room.heat(0, 0.0);
        assert_eq!(room, Room::new(5, 20.0, 30.0, 1_000_000, 0.0));
    }
}
