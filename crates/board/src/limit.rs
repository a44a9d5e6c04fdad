//! Limits: what must be so whatever a program does with its outputs.
//!
//! A limit is an invariant of the board's model. It is looked at before an output is performed, so that whoever asks can
//! stop there, and only the call that breaks it counts: one that was broken before is not broken again.

#[cfg(feature = "host")]
use alloc::format;
use alloc::string::String;

use crate::{Codomain, Quantity};

/// A limit of a board, such as "motor 0 stays within 0..300".
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The limit as it was written.
    pub text: String,
    /// What must be so.
    pub bound: LimitBound,
}

/// What must be so.
#[derive(Clone, Debug, PartialEq)]
pub enum LimitBound {
    /// This quantity has one of these values, which are of its type (i64 for what no output was declared for). It is no
    /// reading; of an angle they are one range.
    Within(Quantity, Codomain),
    /// These two pins are never high at once: the levels that were written to them.
    NeverBoth(u8, u8),
    /// A rate: two changes of this quantity are at least so many microseconds apart. It is no reading, and of no motor.
    Apart(Quantity, u64),
    /// This pin is never high for longer than so many microseconds in which the program waits: the level that was written
    /// to it.
    HighAtMost(u8, u64),
    /// Of the time in which the program waits, this pin is high for at most a share of any window: the level that was
    /// written to it.
    HighShare(u8, TimeShare),
}

/// So much of any window of time, both in microseconds: more than nothing, and less than all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeShare {
    /// How much at most.
    pub most_us: u64,
    /// How long the window is.
    pub window_us: u64,
}

/// A limit that a call breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLimit {
    /// Its number in [`crate::Board::invariants`].
    pub limit: u32,
    /// What the quantity would be then, or both levels.
    pub value: String,
}

impl Limit {
    /// What it looks at.
    pub fn quantities(&self) -> impl Iterator<Item = Quantity> {
        let (first, second) = match &self.bound {
            LimitBound::Within(quantity, _) | LimitBound::Apart(quantity, _) => {
                (quantity.clone(), None)
            }
            LimitBound::HighAtMost(pin, _) | LimitBound::HighShare(pin, _) => {
                (Quantity::Level(*pin), None)
            }
            LimitBound::NeverBoth(a, b) => (Quantity::Level(*a), Some(Quantity::Level(*b))),
        };
        core::iter::once(first).chain(second)
    }
}

/// A time as it is shown: `20 ms`.
#[cfg(feature = "host")]
pub(crate) fn duration_text(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", us as f64 / 1e3),
        _ => format!("{} s", us as f64 / 1e6),
    }
}
