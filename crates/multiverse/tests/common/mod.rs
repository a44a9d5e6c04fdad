//! A language whose programs are arbitrary graphs, to test the core against naive algorithms.

use std::cell::Cell;

use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Verdict, Waiting};
use borges_multiverse::workers::Workers;
use proptest::prelude::*;

/// Node 0 is the start; each node lists its successors.
#[derive(Clone, Debug)]
pub(crate) struct Digraph(pub(crate) Vec<Vec<usize>>);

impl Language for Digraph {
    type State = usize;
    type Choice = usize;
    type Agent = &'static str;
    type Resource = ();
    type Value = usize;

    fn initial(&self) -> usize {
        0
    }

    fn enabled(&self, state: &usize, choices: &mut Vec<usize>) {
        choices.extend(0..self.0[*state].len());
    }

    fn apply(&self, state: &usize, choice: &usize) -> Option<Next<usize>> {
        self.0[*state].get(*choice).copied().map(Next::one)
    }

    fn outcome(&self, state: &usize) -> Outcome<usize> {
        Outcome {
            verdicts: Verdict::Finished.into(),
            value: *state,
        }
    }

    fn agent(&self, _: &usize, _: &usize) -> &'static str {
        "walker"
    }

    fn label(&self, state: &usize, choice: &usize) -> Label {
        let text = format!("{state} to {}", self.0[*state][*choice]);
        Label {
            rule: "GO",
            text,
            span: None,
        }
    }

    fn footprint(&self, _: &usize, _: &usize) -> Footprint<()> {
        Footprint {
            reads: Vec::new(),
            writes: vec![()],
        }
    }

    fn show(&self, state: &usize) -> String {
        format!("at {state}")
    }
}

impl Digraph {
    /// The length of the shortest path from `a` to each node.
    pub(crate) fn distances(&self, a: usize) -> Vec<Option<u32>> {
        let mut distance = vec![None; self.0.len()];
        distance[a] = Some(0);
        // Bellman and Ford, as plainly as can be.
        for _ in 0..self.0.len() {
            for (from, tos) in self.0.iter().enumerate() {
                for to in tos {
                    let through = distance[from].map(|d| d + 1);
                    if let Some(d) = through.filter(|d| distance[*to].is_none_or(|old| *d < old)) {
                        distance[*to] = Some(d);
                    }
                }
            }
        }
        distance
    }
}

/// Small graphs, with cycles, parallel edges and unreachable parts.
pub(crate) fn digraph() -> impl Strategy<Value = Digraph> {
    (2..12_usize).prop_flat_map(|len| {
        prop::collection::vec(prop::collection::vec(0..len, 0..4), len).prop_map(Digraph)
    })
}

/// A program that counts how often a step of it is computed.
pub(crate) struct Counted<L> {
    pub(crate) program: L,
    pub(crate) applied: Cell<usize>,
}

impl<L: Language> Counted<L> {
    pub(crate) const fn new(program: L) -> Self {
        Self {
            program,
            applied: Cell::new(0),
        }
    }
}

impl<L: Language> Language for Counted<L> {
    type State = L::State;
    type Choice = L::Choice;
    type Agent = L::Agent;
    type Resource = L::Resource;
    type Value = L::Value;

    fn initial(&self) -> L::State {
        self.program.initial()
    }

    fn enabled(&self, state: &L::State, choices: &mut Vec<L::Choice>) {
        self.program.enabled(state, choices);
    }

    fn apply(&self, state: &L::State, choice: &L::Choice) -> Option<Next<L::State>> {
        self.applied.set(self.applied.get() + 1);
        self.program.apply(state, choice)
    }

    fn outcome(&self, state: &L::State) -> Outcome<L::Value> {
        self.program.outcome(state)
    }

    fn agent(&self, state: &L::State, choice: &L::Choice) -> L::Agent {
        self.program.agent(state, choice)
    }

    fn label(&self, state: &L::State, choice: &L::Choice) -> Label {
        self.program.label(state, choice)
    }

    fn footprint(&self, state: &L::State, choice: &L::Choice) -> Footprint<L::Resource> {
        self.program.footprint(state, choice)
    }

    fn waiting(&self, state: &L::State, waiting: &mut Vec<Waiting<L::Agent, L::Resource>>) {
        self.program.waiting(state, waiting);
    }

    fn recurring(&self, state: &L::State) -> L::State {
        self.program.recurring(state)
    }

    fn show(&self, state: &L::State) -> String {
        self.program.show(state)
    }
}

/// As many threads as it says.
pub(crate) struct Threads(pub(crate) usize);

impl Workers for Threads {
    fn count(&self) -> usize {
        self.0
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        let next = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.0 {
                scope.spawn(|| {
                    loop {
                        let nth = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if nth >= jobs {
                            break;
                        }
                        job(nth);
                    }
                });
            }
        });
    }
}
