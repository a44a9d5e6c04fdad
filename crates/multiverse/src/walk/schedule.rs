//! Who decides what the user does not.

use crate::language::Language;
use crate::random::Random;

/// A rule of one's own: the index of an option, or none to leave it to the user.
pub type Chooser<L> =
    dyn FnMut(&L, &<L as Language>::State, &[<L as Language>::Choice]) -> Option<usize>;

/// How a run chooses among several options. A single option is always taken.
pub enum Schedule<L: Language> {
    /// It leaves the choice to the user.
    Ask,
    /// The first option.
    First,
    /// Any option, evenly.
    Random(Random),
    /// The agents take turns in the order of their names; each takes its first option.
    RoundRobin {
        /// The agent whose turn it was last.
        last: Option<L::Agent>,
    },
    /// A rule of one's own.
    Custom(Box<Chooser<L>>),
}

impl<L: Language> Schedule<L> {
    /// Even choices from a seed.
    #[must_use]
    pub const fn random(seed: u64) -> Self {
        Self::Random(Random::from_seed(seed))
    }

    /// The agents in turn, from the first on.
    #[must_use]
    pub const fn round_robin() -> Self {
        Self::RoundRobin { last: None }
    }

    pub(super) fn pick(
        &mut self,
        language: &L,
        state: &L::State,
        options: &[L::Choice],
    ) -> Option<usize> {
        if let Self::RoundRobin { last } = self {
            let agents = options
                .iter()
                .map(|choice| language.agent(state, choice))
                .enumerate();
            // The next agent after the last, or else the first of all.
            let (option, agent) = agents.min_by(|(_, a), (_, b)| {
                let rank = |agent: &L::Agent| last.as_ref().is_some_and(|last| agent <= last);
                (rank(a), a).cmp(&(rank(b), b))
            })?;
            *last = Some(agent);
            return Some(option);
        }
        if options.len() == 1 {
            return Some(0);
        }
        match self {
            Self::Ask => None,
            Self::First | Self::RoundRobin { .. } => Some(0),
            Self::Random(random) => Some(random.below(options.len())),
            Self::Custom(pick) => pick(language, state, options),
        }
    }
}
