//! Some runs of a program, where all are too many.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::str::FromStr;

use borges_multiverse::language::{Language, Outcome};
use borges_multiverse::walk::{Sampler, Walk};

/// Which runs are looked at, where not all are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All in which an agent that could go on makes room for another at most so many times.
    Preemptions(u32),
    /// Some.
    Sampled {
        /// How the agents of each are chosen.
        by: Sampler,
        /// How many.
        runs: u64,
        /// The same seed gives the same runs.
        seed: u64,
    },
}

/// How runs are chosen, as users say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedules {
    /// `preemptions:N`
    Preemptions(u32),
    /// `random`, `pct`, `pct:DEPTH`
    Sampled(Sampler),
}

impl FromStr for Schedules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let number = number.map(str::parse).transpose();
        let number = number.map_err(|_| "a number must stand after the colon".to_owned())?;
        match (name, number) {
            ("random", None) => Ok(Self::Sampled(Sampler::Random)),
            ("pct", depth) => {
                let depth = depth.unwrap_or(DEPTH);
                Ok(Self::Sampled(Sampler::Pct { depth }))
            }
            ("preemptions", Some(most)) => Ok(Self::Preemptions(most)),
            _ => Err("it is random, pct, pct:DEPTH or preemptions:N".to_owned()),
        }
    }
}

/// Most bugs need fewer orders of two steps.
const DEPTH: u32 = 3;

/// The longest run of a sample, if nothing else is said: some programs never end.
const LONGEST: u32 = 10_000;

/// The ends of one outcome.
pub(super) struct Ending<C> {
    pub(super) count: u64,
    /// A shortest way that is known.
    pub(super) way: C,
}

/// What runs came to.
pub(super) struct Sample<L: Language> {
    pub(super) found: BTreeMap<Outcome<L::Value>, Ending<Vec<L::Choice>>>,
    pub(super) come: Come,
}

/// How far a sample has come.
#[derive(Clone, Copy, Default)]
pub(super) struct Come {
    pub(super) runs: u64,
    pub(super) states: u64,
    pub(super) ends: u64,
}

/// Takes some runs, each to its end or as long as `longest`. `keep_going` is asked before each.
pub(super) fn sample<L: Language>(
    language: &L,
    by: Sampler,
    (runs, longest, seed): (u64, u32, u64),
    mut keep_going: impl FnMut(Come) -> bool,
) -> Sample<L> {
    let come = Cell::new(Come::default());
    let mut found: BTreeMap<_, Ending<Vec<L::Choice>>> = BTreeMap::new();
    let note = |walk: &Walk<&L>| {
        let mut now = come.get();
        now.states += 1;
        now.runs += u64::from(walk.steps() == 0);
        if let Some(outcome) = walk.outcome() {
            now.ends += 1;
            let path = walk.tree().path(walk.place()).into_iter().flatten();
            let way: Vec<_> = path.map(|(_, taken)| taken.choice.clone()).collect();
            let known = found.entry(outcome).or_insert_with(|| Ending {
                count: 0,
                way: way.clone(),
            });
            known.count += 1;
            if way.len() < known.way.len() {
                known.way = way;
            }
        }
        come.set(now);
        false
    };
    let longest = u64::from(longest.min(LONGEST));
    // A tree that is full ends a run as the limit does.
    let _full = by.look(language, (runs, longest, seed), note, |_| {
        keep_going(come.get())
    });
    let come = come.get();
    Sample { found, come }
}
