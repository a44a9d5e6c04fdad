//! Abstractions that the user asks for: which states are taken for one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use borges_multiverse::adapt::{Abstracted, Runs, Stands};
use borges_multiverse::graph::Score;
use borges_multiverse::language::Verdict;

use super::debug::Refused;
use super::lead::Lead;
use super::report::Datum;
use super::reported::{Remains, Reported};
use crate::amb::Amb;
use crate::ambienttalk::AmbientTalk;
use crate::muoz::MuOz;

/// What the user says matters in a state.
#[derive(Clone, Debug)]
pub(super) struct Lens {
    /// The values that matter besides what can happen next; none if all do.
    keep: Option<Vec<Kept>>,
    /// Whether agents of one definition are alike.
    symmetry: bool,
}

/// A value that matters, by the name that outcomes have for it, and whether any state had it.
#[derive(Clone, Debug)]
struct Kept {
    name: String,
    met: Arc<AtomicBool>,
}

/// What states that are taken for one have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key<S> {
    /// All of the state, but for the names of agents of one definition.
    Whole(S),
    /// What can happen next (or how it ended), and the values that matter.
    Parts {
        next: Vec<String>,
        end: Option<Verdict>,
        values: Vec<Option<String>>,
    },
}

impl Lens {
    /// None if all that a state is matters.
    pub(super) fn new(keep: Option<&[String]>, symmetry: bool) -> Option<Self> {
        let kept = |name: &String| Kept {
            name: name.clone(),
            met: Arc::default(),
        };
        let keep = keep.map(|names| names.iter().map(kept).collect());
        let lens = Self { keep, symmetry };
        (lens.keep.is_some() || symmetry).then_some(lens)
    }

    /// The abstraction in words.
    pub(super) fn name(&self) -> String {
        let kept = self.keep.as_ref().map(|kept| {
            let names = kept.iter().map(|kept| kept.name.as_str());
            let names: Vec<_> = names.collect();
            let values = match &names[..] {
                [] => String::new(),
                names => format!("{} and ", names.join(", ")),
            };
            format!("only {values}what can happen next tell states apart")
        });
        let alike = self
            .symmetry
            .then(|| "actors of one definition are alike".to_owned());
        let parts: Vec<_> = kept.into_iter().chain(alike).collect();
        parts.join("; ")
    }

    /// The names that had a value in no state so far.
    pub(super) fn unmet(&self) -> Vec<String> {
        let kept = self.keep.iter().flatten();
        let unmet = kept.filter(|kept| !kept.met.load(Ordering::Relaxed));
        unmet.map(|kept| kept.name.clone()).collect()
    }

    fn key<L: Reported>(&self, language: &L, state: &L::State) -> Key<L::State> {
        let turned = self.symmetry.then(|| language.turned(state)).flatten();
        let state = turned.as_ref().unwrap_or(state);
        let Some(keep) = &self.keep else {
            return Key::Whole(state.clone());
        };
        let mut choices = Vec::new();
        language.enabled(state, &mut choices);
        let next = choices.iter().map(|choice| {
            let label = language.label(state, choice);
            let agent = language.agent(state, choice);
            let at = label.span.map(|span| span.start);
            format!("{agent} {} {at:?}", label.rule)
        });
        let outcome = language.outcome(state);
        let values = language.remains(&outcome.value).values;
        let value = |kept: &Kept| {
            let value = values.get(&kept.name)?;
            kept.met.store(true, Ordering::Relaxed);
            Some(datum(value))
        };
        Key::Parts {
            next: next.collect(),
            end: choices.is_empty().then_some(outcome.verdict),
            values: keep.iter().map(value).collect(),
        }
    }
}

fn datum(value: &Datum) -> String {
    format!("{value:?}")
}

/// Gives the key of each state.
pub(super) type Keys<S> = Box<dyn Fn(&S) -> Key<S> + Send + Sync>;

/// A language that can be looked at through a [`Lens`].
pub(super) trait Lensed: Reported {
    /// The keys of its states.
    fn keys(&self, lens: &Lens) -> Keys<Self::State>;
}

macro_rules! lensed {
    ($($language:ty),*) => {$(
        impl Lensed for $language {
            fn keys(&self, lens: &Lens) -> Keys<Self::State> {
                let (language, lens) = (self.clone(), lens.clone());
                Box::new(move |state| lens.key(&language, state))
            }
        }
    )*};
}

lensed!(Amb, AmbientTalk, MuOz);

impl<L: Lensed> Lensed for &L {
    fn keys(&self, lens: &Lens) -> Keys<Self::State> {
        (**self).keys(lens)
    }
}

impl<L: Lensed> Lensed for Runs<L> {
    fn keys(&self, lens: &Lens) -> Keys<Self::State> {
        self.inner().keys(lens)
    }
}

/// A program through a lens.
pub(super) type Seen<L> = Abstracted<L, Key<<L as borges_multiverse::language::Language>::State>>;

/// The program through the lens.
pub(super) fn seen<L: Lensed>(language: L, lens: &Lens) -> Seen<L>
where
    L::State: 'static,
{
    let keys = language.keys(lens);
    Abstracted::new(language, lens.name(), keys)
}

impl<L: Reported> Reported for Seen<L>
where
    L::State: 'static,
{
    fn exact(&self) -> Self {
        self.over(self.inner().exact())
    }

    fn has_messages(&self) -> bool {
        self.inner().has_messages()
    }

    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        self.inner().message(resource)
    }

    fn lead(&self, text: &str, spec: &str) -> Result<Lead, Refused> {
        self.inner().lead(text, spec)
    }

    fn begins(&self, lead: &Lead, start: &Self::State) -> bool {
        self.inner().begins(lead, &start.state)
    }

    fn nearness(&self, lead: &Lead) -> Score<Self::State> {
        let near = self.inner().nearness(lead);
        Box::new(move |seen: &Stands<_, _>| near(&seen.state))
    }

    fn meets(
        &self,
        lead: &Lead,
        before: &Self::State,
        choice: &Self::Choice,
        after: &Self::State,
    ) -> bool {
        let (before, after) = (&before.state, &after.state);
        self.inner().meets(lead, before, choice, after)
    }

    fn remains(&self, value: &Self::Value) -> Remains {
        self.inner().remains(value)
    }

    fn agent_name(&self, seen: &Self::State, agent: &Self::Agent) -> String {
        self.inner().agent_name(&seen.state, agent)
    }

    fn addressee(&self, seen: &Self::State, choice: &Self::Choice) -> Option<String> {
        self.inner().addressee(&seen.state, choice)
    }
}
