//! When a pin was high within a window of time that ends now.
//!
//! While a pin is high, what it was high for within the window only grows, and while it is low that only shrinks: so a limit
//! on it is broken, if at all, at the end of a wait.

use alloc::{format, string::String, vec::Vec};

use serde::{Deserialize, Serialize};

use crate::{TimeShare, duration_text};

/// So many times a pin may be high within a window: more are not kept, and so they are not allowed.
const MOST: usize = 1_000;

/// Lengths of time in microseconds, the oldest first: high and low by turns, beginning with high. None is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Pulses(Vec<u64>);

impl Pulses {
    /// Whether the pin was low for so long that it is as if it had never been high.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Time passes, in which the pin is high or low.
    pub(super) fn pass(&mut self, is_high: bool, us: u64, share: TimeShare) {
        let was_high = self.0.len() % 2 == 1;
        match self.0.last_mut() {
            _ if us == 0 => return,
            Some(last) if was_high == is_high => *last = last.saturating_add(us),
            None if !is_high => return,
            _ => self.0.push(us),
        }
        self.forget(share);
    }

    /// Forgets what cannot count any more: what is no longer in the window; what was before the pin was low for all that a
    /// window leaves, since a window that reaches so far back is within the limit whatever comes; and what is too much already.
    fn forget(&mut self, share: TimeShare) {
        let enough_us = share.window_us.saturating_sub(share.most_us);
        let (mut past_us, mut low_us, mut first) = (0_u64, 0_u64, self.0.len());
        for (at, us) in self.0.iter_mut().enumerate().rev() {
            if at % 2 == 0 {
                *us = (*us).min(share.window_us.saturating_sub(past_us));
                first = at;
            } else {
                low_us = low_us.saturating_add(*us);
            }
            past_us = past_us.saturating_add(*us);
            if past_us >= share.window_us || low_us >= enough_us {
                break;
            }
        }
        // One time too often says as much as many.
        let too_many = self.0.len().saturating_sub(2 * (MOST + 1));
        self.0.drain(..first.max(too_many.next_multiple_of(2)));
    }

    /// For how long the pin was high within the window.
    fn high_us(&self) -> u64 {
        let high = self.0.iter().step_by(2);
        high.fold(0, |sum, us| sum.saturating_add(*us))
    }

    fn is_too_often(&self) -> bool {
        self.0.len().div_ceil(2) > MOST
    }

    /// Whether a limit is kept.
    pub(crate) fn are_within(&self, share: TimeShare) -> bool {
        self.high_us() <= share.most_us && !self.is_too_often()
    }

    /// What is said where it is broken.
    pub(crate) fn told(&self, share: TimeShare) -> String {
        let window = duration_text(share.window_us);
        match self.high_us() {
            high_us if high_us > share.most_us => {
                format!("high for {} of {window}", duration_text(high_us))
            }
            _ => format!("high more than {MOST} times within {window}"),
        }
    }

    /// Whether they can be those of a limit.
    pub(super) fn are_of(&self, share: TimeShare) -> bool {
        let mut kept = self.clone();
        kept.forget(share);
        !self.0.is_empty() && !self.0.contains(&0) && kept == *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The level in each microsecond, the newest first: for how long it was high within the window.
    fn high_within(levels: &[bool], share: TimeShare) -> u64 {
        let window = levels.iter().take(share.window_us as usize);
        window.filter(|is_high| **is_high).count() as u64
    }

    fn levels(bits: u32, length: u32) -> Vec<bool> {
        (0..length).map(|at| bits >> at & 1 == 1).collect()
    }

    fn after(past: &[bool], share: TimeShare) -> Pulses {
        let mut pulses = Pulses::default();
        for is_high in past.iter().rev() {
            pulses.pass(*is_high, 1, share);
        }
        pulses
    }

    /// Of all pasts and all windows: what is kept says whether the limit is, and two pasts are kept as one exactly if no
    /// future tells them apart.
    #[test]
    fn what_is_kept_is_all_that_counts_and_no_more() {
        for window_us in 2..=5 {
            for most_us in 1..window_us {
                let share = TimeShare { most_us, window_us };
                let length = window_us as u32 + 2;
                let pasts: Vec<_> = (0..1 << length).map(|bits| levels(bits, length)).collect();
                // In which futures the limit is kept, at each of their microseconds; what is kept of the past follows.
                let kept_in = |past: &[bool]| -> Vec<bool> {
                    let futures =
                        (0..1_u32 << window_us).map(|bits| levels(bits, window_us as u32));
                    let told = futures.flat_map(|future| {
                        let (mut all, mut pulses) = (past.to_vec(), after(past, share));
                        let mut kept = Vec::new();
                        for is_high in future {
                            let is_kept = high_within(&all, share) <= most_us;
                            assert_eq!(pulses.are_within(share), is_kept, "{all:?} {share:?}");
                            kept.push(is_kept);
                            pulses.pass(is_high, 1, share);
                            all.insert(0, is_high);
                        }
                        kept
                    });
                    told.collect()
                };
                let told: Vec<_> = pasts
                    .iter()
                    .map(|past| (past, after(past, share), kept_in(past)))
                    .collect();
                for (a, kept_a, told_a) in &told {
                    for (b, kept_b, told_b) in &told {
                        let is_one = kept_a == kept_b;
                        if is_one {
                            assert_eq!(told_a, told_b, "{a:?} {b:?} {share:?}");
                        }
                        // Where a limit is broken already, what exactly is too much may be kept.
                        if told_a == told_b && told_a[0] {
                            assert!(is_one, "{a:?} {b:?} {share:?}");
                        }
                    }
                }
            }
        }
    }

    /// A wait is as good as many short ones.
    #[test]
    fn one_wait_is_many() {
        let share = TimeShare {
            most_us: 4,
            window_us: 9,
        };
        for bits in 0..1 << 10 {
            let past = levels(bits, 10);
            let mut long = Pulses::default();
            for part in past.chunk_by(|a, b| a == b).rev() {
                long.pass(part[0], part.len() as u64, share);
            }
            assert_eq!(long, after(&past, share));
        }
    }

    #[test]
    fn so_often_and_once_more() {
        let share = TimeShare {
            most_us: 1_000_000,
            window_us: 10_000_000,
        };
        let mut pulses = Pulses::default();
        for _ in 0..MOST {
            pulses.pass(true, 1, share);
            pulses.pass(false, 1, share);
        }
        assert!(pulses.are_within(share));
        pulses.pass(true, 1, share);
        assert!(!pulses.are_within(share));
        assert_eq!(pulses.told(share), "high more than 1000 times within 10 s");
        for _ in 0..MOST {
            pulses.pass(false, 1, share);
            pulses.pass(true, 1, share);
        }
        assert!(pulses.0.len() <= 2 * (MOST + 1) && pulses.are_of(share));
        pulses.pass(false, 8_000_000, share);
        assert!(!pulses.are_within(share));
        pulses.pass(false, 999_999, share);
        assert!(!pulses.is_empty());
        pulses.pass(false, 1, share);
        assert!(pulses.is_empty());
        pulses.pass(true, u64::MAX, share);
        assert_eq!(pulses.told(share), "high for 10 s of 10 s");
    }

    #[test]
    fn what_arrives_is_looked_at() {
        let share = TimeShare {
            most_us: 3,
            window_us: 10,
        };
        for (times, is_one) in [
            (&[3, 6, 1][..], true),
            (&[4, 6, 1], false),
            (&[2, 7, 1], false),
            (&[10], true),
            (&[11], false),
            (&[2, 0, 1], false),
            (&[u64::MAX, u64::MAX], false),
            (&[], false),
        ] {
            assert_eq!(Pulses(times.to_vec()).are_of(share), is_one, "{times:?}");
        }
    }
}
