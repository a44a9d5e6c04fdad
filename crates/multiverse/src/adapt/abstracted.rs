//! Reductions of the user's making: states taken for equal that are not.

use std::fmt;

use crate::fingerprint::Fingerprint;
use crate::language::{Footprint, Label, Language, Next, Outcome, Waiting};

/// The program `L` seen through an *abstraction*: every state is replaced by a representative that
/// the user chooses.
///
/// An abstraction leaves out universes, or adds some: unlike the core's own reductions it need not
/// keep the outcomes. So it has a name, and whatever shows it must show the name
/// ([`Abstracted::name`], [`Abstracted::show`]). Where it is a *symmetry* ([`Abstracted::symmetry`])
/// it keeps the outcomes up to renaming.
pub struct Abstracted<L: Language> {
    inner: L,
    name: String,
    representative: Box<Representative<L::State>>,
}

type Representative<S> = dyn Fn(S) -> S + Send + Sync;

/// Turns a state by one of a program's symmetries.
pub type Permute<S> = dyn Fn(&S, usize) -> S + Send + Sync;

impl<L: Language> Abstracted<L> {
    /// Replaces every state by `representative` of it.
    pub fn new(
        inner: L,
        name: impl Into<String>,
        representative: impl Fn(L::State) -> L::State + Send + Sync + 'static,
    ) -> Self {
        let representative = Box::new(representative);
        let name = name.into();
        Self {
            inner,
            name,
            representative,
        }
    }

    /// Takes states for equal that `permute`, with some number below `count`, turns into each other:
    /// philosophers round a table, clients of one server. The representative is the one with the
    /// least fingerprint. The permutations must form a group, and the program must not tell
    /// permuted states apart.
    pub fn symmetry(
        inner: L,
        name: impl Into<String>,
        count: usize,
        permute: Box<Permute<L::State>>,
    ) -> Self
    where
        L::State: 'static,
    {
        Self::new(inner, name, move |state: L::State| {
            let turned = (0..count).map(|nth| permute(&state, nth));
            let least = turned.min_by_key(Fingerprint::of);
            least.unwrap_or(state)
        })
    }

    /// The abstraction's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program itself.
    pub const fn inner(&self) -> &L {
        &self.inner
    }
}

impl<L: Language> fmt::Debug for Abstracted<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Abstracted")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<L: Language> Language for Abstracted<L> {
    type State = L::State;
    type Choice = L::Choice;
    type Agent = L::Agent;
    type Resource = L::Resource;
    type Value = L::Value;

    fn initial(&self) -> L::State {
        (self.representative)(self.inner.initial())
    }

    fn enabled(&self, state: &L::State, choices: &mut Vec<L::Choice>) {
        self.inner.enabled(state, choices);
    }

    /// The step's rules, and then the abstraction.
    fn apply(&self, state: &L::State, choice: &L::Choice) -> Option<Next<L::State>> {
        let Next { state, steps } = self.inner.apply(state, choice)?;
        Some(Next {
            state: (self.representative)(state),
            steps,
        })
    }

    fn outcome(&self, state: &L::State) -> Outcome<L::Value> {
        self.inner.outcome(state)
    }

    fn agent(&self, state: &L::State, choice: &L::Choice) -> L::Agent {
        self.inner.agent(state, choice)
    }

    fn label(&self, state: &L::State, choice: &L::Choice) -> Label {
        self.inner.label(state, choice)
    }

    fn footprint(&self, state: &L::State, choice: &L::Choice) -> Footprint<L::Resource> {
        self.inner.footprint(state, choice)
    }

    fn waiting(&self, state: &L::State, waiting: &mut Vec<Waiting<L::Agent, L::Resource>>) {
        self.inner.waiting(state, waiting);
    }

    fn canonical(&self, state: L::State) -> L::State {
        self.inner.canonical(state)
    }

    fn recurring(&self, state: &L::State) -> L::State {
        self.inner.recurring(state)
    }

    fn show(&self, state: &L::State) -> String {
        format!("[abstraction: {}] {}", self.name, self.inner.show(state))
    }
}
