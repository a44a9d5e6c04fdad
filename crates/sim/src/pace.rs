//! How fast a simulated board's clock goes against the wall clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// So far the board's clock may lag behind what the wall clock allows before that counts as lost: a program that stood
/// still, or that computes for longer than it waits, does not hurry afterwards. In microseconds of the wall clock.
const SLACK_US: u64 = 100_000;

/// How many times as fast as the wall clock a board's clock may go, shared by whoever sets it and whoever keeps it.
///
/// It can be set while the program runs.
#[derive(Clone, Debug, Default)]
pub struct Pace(Arc<AtomicU32>);

impl Pace {
    /// At most `times` as fast; as fast as possible without one, or with 0.
    pub fn set(&self, times: Option<u32>) {
        self.0.store(times.unwrap_or(0), Ordering::Relaxed);
    }

    /// What was set.
    #[must_use]
    pub fn times(&self) -> Option<u32> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            times => Some(times),
        }
    }
}

/// Keeps a board's clock to a pace.
///
/// Only *when* a program goes on depends on it, never what it does.
#[derive(Clone, Debug, Default)]
pub struct Metronome {
    pace: Pace,
    begun: Option<Begun>,
}

/// Since when a pace is kept.
#[derive(Clone, Copy, Debug)]
struct Begun {
    times: u32,
    since: Instant,
    /// What the board's clock showed then, in microseconds.
    board_us: u64,
}

impl Metronome {
    /// Keeps a clock to a pace that others may change.
    #[must_use]
    pub fn new(pace: Pace) -> Self {
        Self { pace, begun: None }
    }

    /// How far the board's clock, which shows `board_us`, may go by now; nothing if it may go as far as it likes.
    pub fn allows_us(&mut self, board_us: u64) -> Option<u64> {
        self.pace.times()?;
        self.allows_at(board_us, Instant::now())
    }

    fn allows_at(&mut self, board_us: u64, now: Instant) -> Option<u64> {
        let times = self.pace.times()?;
        let allowed = |begun: Begun| {
            let passed = now.saturating_duration_since(begun.since);
            begun.board_us.saturating_add(scaled(passed, times))
        };
        let slack = SLACK_US.saturating_mul(times.into());
        let keeps = |begun: &Begun| {
            begun.times == times
                && board_us >= begun.board_us
                && allowed(*begun) <= board_us.saturating_add(slack)
        };
        let begun = self.begun.filter(keeps).unwrap_or(Begun {
            times,
            since: now,
            board_us,
        });
        self.begun = Some(begun);
        Some(allowed(begun))
    }
}

fn scaled(passed: Duration, times: u32) -> u64 {
    let us = u64::try_from(passed.as_micros()).unwrap_or(u64::MAX);
    us.saturating_mul(times.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_goes_as_fast_as_it_may_and_no_time_is_made_up_for() {
        let pace = Pace::default();
        let mut metronome = Metronome::new(pace.clone());
        let start = Instant::now();
        let after = |ms: u64| start + Duration::from_millis(ms);
        assert_eq!(metronome.allows_at(7, start), None);
        pace.set(Some(10));
        assert_eq!(metronome.allows_at(1_000, start), Some(1_000));
        // A delay of a second takes a tenth of one.
        assert_eq!(metronome.allows_at(1_001_000, after(50)), Some(501_000));
        assert_eq!(metronome.allows_at(1_001_000, after(100)), Some(1_001_000));
        // Another pace counts from here.
        pace.set(Some(1));
        assert_eq!(metronome.allows_at(1_001_000, after(100)), Some(1_001_000));
        assert_eq!(metronome.allows_at(1_101_000, after(150)), Some(1_051_000));
        // It stood still for a minute: that is not made up for. So it is at the slack and past it.
        assert_eq!(metronome.allows_at(1_101_000, after(300)), Some(1_201_000));
        assert_eq!(metronome.allows_at(1_101_000, after(301)), Some(1_101_000));
        // So it is where it went back.
        assert_eq!(metronome.allows_at(5, after(302)), Some(5));
        pace.set(None);
        assert_eq!(metronome.allows_at(5, after(400)), None);
    }
}
