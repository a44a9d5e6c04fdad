//! Many runs, each with another seed: for programs that have too many universes.

use std::fmt;

use super::{Moment, Priorities, Schedule, Walk, WalkError};
use crate::language::Language;

/// How the agents of a sampled run are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampler {
    /// Any choice, evenly.
    Random,
    /// By priorities that change at few steps: see [`Priorities`].
    Pct {
        /// How many orders of two steps a bug may need.
        depth: u32,
    },
}

/// What was looked for, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The run that came there, from 1.
    pub run: u64,
    /// The universe: it is found again without seed and rule.
    pub moment: Moment,
}

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("each step chosen at random"),
            Self::Pct { depth } => write!(f, "by random priorities (pct, depth {depth})"),
        }
    }
}

impl Sampler {
    /// Takes `runs` runs of at most `steps` steps each, until one comes to a universe that `fits`; none if none did.
    /// The same seed gives the same runs. `keep_going` is asked before each.
    ///
    /// # Errors
    /// [`WalkError::Tree`] if a tree is full.
    pub fn look<'l, L: Language>(
        self,
        language: &'l L,
        (runs, steps, seed): (u64, u64, u64),
        mut fits: impl FnMut(&Walk<&'l L>) -> bool,
        mut keep_going: impl FnMut(u64) -> bool,
    ) -> Result<Option<Hit>, WalkError> {
        // How long runs are is learned from those before.
        let mut longest = 1;
        for run in 1..=runs {
            if !keep_going(run) {
                break;
            }
            let seed = seed.wrapping_add(run);
            let mut schedule = match self {
                Self::Random => Schedule::random(seed),
                Self::Pct { depth } => Schedule::Priorities(Priorities::new(depth, longest, seed)),
            };
            let mut walk = Walk::new(language);
            let mut taken = 0;
            let mut is_hit = fits(&walk);
            while !is_hit && taken < steps && !walk.options().is_empty() {
                walk.run(&mut schedule, 1, |_| true)?;
                taken += 1;
                is_hit = fits(&walk);
            }
            longest = longest.max(taken);
            if is_hit {
                let moment = walk.moment();
                return Ok(Some(Hit { run, moment }));
            }
        }
        Ok(None)
    }
}
