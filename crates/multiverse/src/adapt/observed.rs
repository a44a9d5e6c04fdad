//! Observers in product with a program.

use std::hash::Hash;

use crate::language::{Footprint, Label, Language, Next, Outcome, Waiting};

/// Something that watches a program and remembers: a breakpoint that counts, a property of runs.
///
/// Its memory stands beside the program's state, never in it, so it cannot disturb the program;
/// and two runs that the observer tells apart are never merged. A pair of observers is an observer.
pub trait Observer<L: Language> {
    /// What it remembers.
    type Memory: Clone + Eq + Hash;

    /// What it remembers when the program starts.
    fn start(&self, initial: &L::State) -> Self::Memory;

    /// What it remembers after a step.
    fn observe(
        &self,
        memory: &Self::Memory,
        from: &L::State,
        choice: &L::Choice,
        to: &L::State,
    ) -> Self::Memory;
}

impl<L: Language, A: Observer<L>, B: Observer<L>> Observer<L> for (A, B) {
    type Memory = (A::Memory, B::Memory);

    fn start(&self, initial: &L::State) -> Self::Memory {
        (self.0.start(initial), self.1.start(initial))
    }

    fn observe(
        &self,
        (a, b): &Self::Memory,
        from: &L::State,
        choice: &L::Choice,
        to: &L::State,
    ) -> Self::Memory {
        (
            self.0.observe(a, from, choice, to),
            self.1.observe(b, from, choice, to),
        )
    }
}

/// The program `L` watched by `O`.
///
/// States are merged only where they and what the observer remembers are equal; names that
/// [`Language::canonical`] changes must not occur in the memory.
#[derive(Clone, Debug)]
pub struct Observed<L, O> {
    /// The program.
    pub program: L,
    /// Who watches.
    pub observer: O,
}

impl<L: Language, O: Observer<L>> Language for Observed<L, O> {
    type State = (L::State, O::Memory);
    type Choice = L::Choice;
    type Agent = L::Agent;
    type Resource = L::Resource;
    type Value = L::Value;

    fn initial(&self) -> Self::State {
        let initial = self.program.initial();
        let memory = self.observer.start(&initial);
        (initial, memory)
    }

    fn enabled(&self, (state, _): &Self::State, choices: &mut Vec<L::Choice>) {
        self.program.enabled(state, choices);
    }

    fn apply(
        &self,
        (state, memory): &Self::State,
        choice: &L::Choice,
    ) -> Option<Next<Self::State>> {
        let next = self.program.apply(state, choice)?;
        let memory = self.observer.observe(memory, state, choice, &next.state);
        Some(next.map(|to| (to, memory)))
    }

    fn expand(
        &self,
        (state, memory): &Self::State,
        steps: &mut Vec<(L::Choice, Next<Self::State>)>,
    ) {
        let mut inner = Vec::new();
        self.program.expand(state, &mut inner);
        steps.extend(inner.into_iter().map(|(choice, next)| {
            let memory = self.observer.observe(memory, state, &choice, &next.state);
            (choice, next.map(|to| (to, memory)))
        }));
    }

    fn outcome(&self, (state, _): &Self::State) -> Outcome<L::Value> {
        self.program.outcome(state)
    }

    fn agent(&self, (state, _): &Self::State, choice: &L::Choice) -> L::Agent {
        self.program.agent(state, choice)
    }

    fn label(&self, (state, _): &Self::State, choice: &L::Choice) -> Label {
        self.program.label(state, choice)
    }

    fn footprint(&self, (state, _): &Self::State, choice: &L::Choice) -> Footprint<L::Resource> {
        self.program.footprint(state, choice)
    }

    fn waiting(&self, (state, _): &Self::State, waiting: &mut Vec<Waiting<L::Agent, L::Resource>>) {
        self.program.waiting(state, waiting);
    }

    fn canonical(&self, (state, memory): Self::State) -> Self::State {
        (self.program.canonical(state), memory)
    }

    fn is_followed(&self, (state, _): &Self::State) -> bool {
        self.program.is_followed(state)
    }

    fn recurring(&self, (state, memory): &Self::State) -> Self::State {
        (self.program.recurring(state), memory.clone())
    }

    fn show(&self, (state, _): &Self::State) -> String {
        self.program.show(state)
    }
}
