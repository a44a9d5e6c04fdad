//! Many runs, each with another seed: for programs that have too many universes.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use super::{Moment, Priorities, Schedule, Walk, WalkError};
use crate::language::{Language, Outcome};

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

/// What runs came to.
pub struct Sample<L: Language> {
    /// How far they came.
    pub come: Come,
    /// The outcomes.
    pub ends: Ends<L::Value, L::Choice>,
}

/// Outcomes: how many runs have each, and the shortest of them.
pub type Ends<V, C> = BTreeMap<Outcome<V>, (u64, Vec<C>)>;

/// How far a sample has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Come {
    /// Runs that were begun.
    pub runs: u64,
    /// States that they came through.
    pub states: u64,
    /// Runs that came to their end.
    pub ended: u64,
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

    /// Takes `runs` runs, each to its end or `steps` steps long, as [`Sampler::look`] takes them, and looks at every
    /// universe with `seen`. `keep_going` is asked before each run.
    pub fn ends<L: Language>(
        self,
        language: &L,
        bounds: (u64, u64, u64),
        mut seen: impl FnMut(&Walk<&L>),
        mut keep_going: impl FnMut(Come) -> bool,
    ) -> Sample<L> {
        let come = Cell::new(Come::default());
        let mut ends: Ends<L::Value, L::Choice> = BTreeMap::new();
        let note = |walk: &Walk<&L>| {
            seen(walk);
            let mut now = come.get();
            now.states += 1;
            now.runs += u64::from(walk.steps() == 0);
            if let Some(outcome) = walk.outcome() {
                now.ended += 1;
                let way = walk.choices();
                let (runs, shortest) = ends.entry(outcome).or_insert_with(|| (0, way.clone()));
                *runs += 1;
                if way.len() < shortest.len() {
                    *shortest = way;
                }
            }
            come.set(now);
            false
        };
        // A tree that is full ends a sample early, as its caller can.
        let _full = self.look(language, bounds, note, |_| keep_going(come.get()));
        let come = come.get();
        Sample { come, ends }
    }
}
