//! Abstractions that the user asks for: which states are taken for one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use borges_multiverse::adapt::Abstracted;
use borges_multiverse::debug::Arrival;
use borges_multiverse::language::Verdict;

use super::debug::Refused;
use super::lead::Lead;
use super::reported::{
    Remains, Reported, handed_on, meets_handed_on, messages_handed_on, steps_handed_on,
};

use crate::datum::Datum;

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
        values: Vec<Option<Datum>>,
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
            Some(value.clone())
        };
        Key::Parts {
            next: next.collect(),
            end: choices.is_empty().then_some(outcome.verdict),
            values: keep.iter().map(value).collect(),
        }
    }
}

/// A program through a lens.
pub(super) type Seen<L> = Abstracted<L, Key<<L as borges_multiverse::language::Language>::State>>;

/// The program through the lens.
pub(super) fn seen<L: Reported<State: 'static> + 'static>(language: L, lens: &Lens) -> Seen<L> {
    let (of, lens) = (language.clone(), lens.clone());
    let name = lens.name();
    Abstracted::new(language, name, move |state| lens.key(&of, state))
}

impl<L: Reported<State: 'static>> Reported for Seen<L> {
    handed_on!(self => self.inner(), seen => &seen.state);
    messages_handed_on!(self => self.inner());
    steps_handed_on!(self => self.inner(), seen => &seen.state);
    meets_handed_on!(self => self.inner(), seen => &seen.state);

    fn exact(&self) -> Self {
        self.over(self.inner().exact())
    }
}
