//! Whoever waits for a long look at a graph is asked from time to time whether it goes on.

use std::convert::Infallible;

/// How many steps lie between two questions.
const BEAT: u32 = 1024;

/// Told of every node that is looked at.
pub trait Heed {
    /// Why no more is looked at.
    type Stop;

    /// One more was looked at.
    ///
    /// # Errors
    /// That was enough: what was found so far is no answer.
    fn step(&mut self) -> Result<(), Self::Stop>;
}

/// Waits as long as it takes: `let Ok(found) = look(&mut Patient)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patient;

impl Heed for Patient {
    type Stop = Infallible;

    fn step(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// It was stopped before there was an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was stopped before there was an answer")]
pub struct Enough;

/// Waits until `keep_going` returns false.
pub struct Impatient<'k> {
    keep_going: &'k mut dyn FnMut() -> bool,
    since: u32,
}

impl<'k> Impatient<'k> {
    /// Asks at the first step already: who was told to stop before need not begin.
    pub fn new(keep_going: &'k mut dyn FnMut() -> bool) -> Self {
        Self {
            keep_going,
            since: BEAT - 1,
        }
    }
}

impl Heed for Impatient<'_> {
    type Stop = Enough;

    fn step(&mut self) -> Result<(), Enough> {
        self.since += 1;
        if self.since < BEAT {
            return Ok(());
        }
        self.since = 0;
        (self.keep_going)().then_some(()).ok_or(Enough)
    }
}
