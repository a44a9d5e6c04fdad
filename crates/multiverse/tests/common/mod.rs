//! A language whose programs are arbitrary graphs, to test the core against naive algorithms.

use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Verdict};
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
            verdict: Verdict::Finished,
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
