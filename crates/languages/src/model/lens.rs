//! Abstractions that the user asks for: which states are taken for one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use borges_multiverse::adapt::Abstracted;
use borges_multiverse::causality;
use borges_multiverse::debug::Arrival;
use borges_multiverse::language::Verdicts;
use borges_multiverse::walk;

use super::debug::Refused;
use super::lead::Lead;
use super::reported::{
    Remains, Reported, handed_on, meets_handed_on, messages_handed_on, racing_freely,
    steps_handed_on,
};

use crate::datum::Datum;

/// What the user says matters in a state.
#[derive(Clone, Debug)]
pub(super) struct Lens {
    /// The values that matter besides what can happen next; none if all do.
    keep: Option<Vec<Kept>>,
    /// Whether agents of one definition are alike.
    symmetry: bool,
    /// Who goes first, and who only where no other can; none if all are free.
    order: Option<(walk::Order<String>, Vec<Kept>)>,
}

/// A value that matters, or an agent, by its name, and whether any state had it.
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
        end: Option<Verdicts>,
        values: Vec<Option<Datum>>,
    },
}

impl Lens {
    /// None if all that a state is matters.
    pub(super) fn new(
        keep: Option<&[String]>,
        symmetry: bool,
        order: Option<&walk::Order<String>>,
    ) -> Option<Self> {
        let kept = |name: &String| Kept {
            name: name.clone(),
            met: Arc::default(),
        };
        let all = |names: &[String]| names.iter().map(kept).collect();
        let lens = Self {
            keep: keep.map(all),
            symmetry,
            order: order.map(|order| {
                (
                    order.clone(),
                    all([&order.first[..], &order.held].concat().as_slice()),
                )
            }),
        };
        (lens.keep.is_some() || symmetry || order.is_some()).then_some(lens)
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
        let order = self.order.as_ref().map(|(order, _)| order.to_string());
        let parts: Vec<_> = kept.into_iter().chain(alike).chain(order).collect();
        parts.join("; ")
    }

    /// The names that had a value, or could act, in no state so far.
    pub(super) fn unmet(&self) -> Vec<String> {
        let agents = self.order.iter().flat_map(|(_, agents)| agents);
        let kept = self.keep.iter().flatten().chain(agents);
        let unmet = kept.filter(|kept| !kept.met.load(Ordering::Relaxed));
        unmet.map(|kept| kept.name.clone()).collect()
    }

    /// Leaves the choices of those who go before the others.
    fn leave<L: Reported>(&self, language: &L, state: &L::State, choices: &mut Vec<L::Choice>) {
        let Some((order, agents)) = &self.order else {
            return;
        };
        let rank = |choice: &L::Choice| {
            let agent = language.agent_name(state, &language.agent(state, choice));
            let known = agents.iter().find(|known| known.name == agent);
            known.inspect(|known| known.met.store(true, Ordering::Relaxed));
            order.rank(&agent)
        };
        let ranks: Vec<_> = choices.iter().map(rank).collect();
        let foremost = ranks.iter().min();
        let mut each = ranks.iter();
        choices.retain(|_| each.next() == foremost);
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
            end: choices.is_empty().then_some(outcome.verdicts),
            values: keep.iter().map(value).collect(),
        }
    }
}

/// A program through a lens.
pub(super) type Seen<L> = Abstracted<L, Key<<L as borges_multiverse::language::Language>::State>>;

/// The program through the lens.
pub(super) fn seen<L: Reported<State: 'static> + 'static>(language: L, lens: &Lens) -> Seen<L> {
    let (of, lens) = (language.clone(), lens.clone());
    let (name, choosy) = (lens.name(), lens.clone());
    let seen = Abstracted::new(language.clone(), name, move |state| lens.key(&of, state));
    match choosy.order {
        None => seen,
        Some(_) => seen.only(move |state, choices| choosy.leave(&language, state, choices)),
    }
}

impl<L: Reported<State: 'static>> Reported for Seen<L> {
    handed_on!(self => self.inner(), seen => &seen.state);
    messages_handed_on!(self => self.inner());
    steps_handed_on!(self => self.inner(), seen => &seen.state);
    meets_handed_on!(self => self.inner(), seen => &seen.state);

    fn exact(&self) -> Self {
        self.over(self.inner().exact())
    }

    fn racing(&self, seen: &Self::State) -> Vec<[u32; 2]> {
        match self.is_choosy() {
            true => racing_freely(self.inner(), &seen.state, (self, seen)),
            false => causality::racing(self, seen),
        }
    }
}
