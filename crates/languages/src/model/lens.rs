//! Abstractions that the user asks for: which states are taken for one.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use borges_multiverse::adapt::Abstracted;
use borges_multiverse::causality;
use borges_multiverse::debug::Arrival;
use borges_multiverse::language::Verdicts;
use borges_multiverse::priority::foremost;
use borges_multiverse::walk;

use super::Model;
use super::debug::Refused;
use super::lead::Lead;
use super::reported::{
    Remains, Reported, handed_on, meets_handed_on, messages_handed_on, racing_freely,
    steps_handed_on,
};

use crate::datum::Datum;
use crate::predicate::{Kind, Predicate, PredicateError};

/// A part of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// A value, by the name that outcomes have for it.
    Value(String),
    /// Whether an expression holds.
    Holds(Predicate),
}

impl Aspect {
    /// The parts that a text names, with commas between them: values (`acc.bal`), or expressions that hold or not (`acc.bal > 3`).
    ///
    /// # Errors
    /// An expression that is none, or about what the program does not have.
    pub fn list(model: &Model, text: &str) -> Result<Vec<Self>, PredicateError> {
        let is_name = |part: &str| !part.contains(['=', '!', '<', '>', '(', ' ']);
        let part = |part: &str| match is_name(part) {
            true => Ok(Self::Value(part.to_owned())),
            false => model.program().predicate(part).map(Self::Holds),
        };
        let (mut depth, mut quoted) = (0, false);
        let parts = text.split(|c: char| {
            match c {
                '"' => quoted = !quoted,
                '(' if !quoted => depth += 1,
                ')' if !quoted => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0 && !quoted
        });
        let parts = parts.map(str::trim).filter(|part| !part.is_empty());
        parts.map(part).collect()
    }

    /// The names in it, and what each is for.
    fn names(&self) -> Vec<(Kind, &str)> {
        match self {
            Self::Value(name) => vec![(Kind::Value, name)],
            Self::Holds(predicate) => predicate.names(),
        }
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(name) => f.write_str(name),
            Self::Holds(predicate) => predicate.fmt(f),
        }
    }
}

/// What the user says matters in a state.
#[derive(Clone, Debug)]
pub(super) struct Lens {
    /// What matters besides what can happen next; none if all does.
    keep: Option<Vec<(Aspect, Vec<Name>)>>,
    /// Whether agents of one definition are alike.
    symmetry: bool,
    /// Who goes first, and who only where no other can; none if all are free.
    order: Option<(walk::Order<String>, Vec<Name>)>,
}

/// A name that the user said, and whether any state had it.
#[derive(Clone, Debug)]
struct Name {
    kind: Kind,
    name: String,
    met: Arc<AtomicBool>,
}

impl Name {
    fn new((kind, name): (Kind, &str)) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            met: Arc::default(),
        }
    }

    fn is_met(&self) -> bool {
        self.met.load(Ordering::Relaxed)
    }

    fn meet(&self) {
        self.met.store(true, Ordering::Relaxed);
    }
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
        keep: Option<&[Aspect]>,
        symmetry: bool,
        order: Option<&walk::Order<String>>,
    ) -> Option<Self> {
        let kept = |part: &Aspect| {
            let names = part.names().into_iter().map(Name::new);
            (part.clone(), names.collect())
        };
        let lens = Self {
            keep: keep.map(|parts| parts.iter().map(kept).collect()),
            symmetry,
            order: order.map(|order| {
                let agents = order.first.iter().chain(&order.held);
                let agents = agents.map(|agent| Name::new((Kind::Agent, agent)));
                (order.clone(), agents.collect())
            }),
        };
        (lens.keep.is_some() || symmetry || order.is_some()).then_some(lens)
    }

    pub(super) fn name(&self) -> String {
        let kept = self.keep.as_ref().map(|kept| {
            let parts = kept.iter().map(|(part, _)| part.to_string());
            let parts: Vec<_> = parts.collect();
            let parts = match &parts[..] {
                [] => String::new(),
                parts => format!("{} and ", parts.join(", ")),
            };
            format!("only {parts}what can happen next tell states apart")
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
        let kept = self.keep.iter().flatten().flat_map(|(_, names)| names);
        let unmet = kept.chain(agents).filter(|name| !name.is_met());
        unmet.map(|unmet| unmet.name.clone()).collect()
    }

    /// Leaves the choices of those who go before the others.
    fn leave<L: Reported>(&self, language: &L, state: &L::State, choices: &mut Vec<L::Choice>) {
        let Some((order, agents)) = &self.order else {
            return;
        };
        foremost(choices, |choice| {
            let agent = language.agent_name(state, &language.agent(state, choice));
            let known = agents.iter().find(|known| known.name == agent);
            known.inspect(|known| known.meet());
            Some(Reverse(order.rank(&agent)))
        });
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
        let value = |(part, names): &(Aspect, Vec<Name>)| match part {
            Aspect::Value(name) => {
                let value = values.get(name)?;
                names.iter().for_each(Name::meet);
                Some(value.clone())
            }
            Aspect::Holds(predicate) => {
                let unmet = names.iter().filter(|name| !name.is_met());
                let met = unmet.filter(|name| language.has(state, name.kind, &name.name));
                met.for_each(Name::meet);
                Some(Datum::Boolean(predicate.holds(language, state)))
            }
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
