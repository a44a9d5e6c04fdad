//! Exploring again where a program was seen wrongly: what remains is the graph of the program as it is seen at last.

use std::collections::BTreeSet;

use crate::common::{Digraph, digraph};
use borges_multiverse::graph::{
    Exploration, Graph, Limits, Pause, Refining, Strategy as Order, refine,
};
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome};
use proptest::prelude::*;

/// What is seen otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// The counter is looked at no more.
    Uncounted,
    /// Which way led to a node is seen.
    Ways,
}

/// A graph that is walked; every step is counted, and nobody asks for the count.
struct Counting {
    program: Digraph,
    changes: Vec<Change>,
}

impl Language for Counting {
    /// The node, the count and the way that led here.
    type State = (usize, u64, usize);
    type Choice = usize;
    type Agent = &'static str;
    type Resource = ();
    type Value = usize;

    fn initial(&self) -> Self::State {
        (0, 0, 0)
    }

    fn enabled(&self, state: &Self::State, choices: &mut Vec<usize>) {
        self.program.enabled(&state.0, choices);
    }

    fn apply(&self, state: &Self::State, choice: &usize) -> Option<Next<Self::State>> {
        let to = self.program.apply(&state.0, choice)?.state;
        let is = |change| self.changes.contains(&change);
        let count = if is(Change::Uncounted) {
            0
        } else {
            state.1 + 1
        };
        let way = if is(Change::Ways) { *choice + 1 } else { 0 };
        Some(Next::one((to, count, way)))
    }

    fn outcome(&self, state: &Self::State) -> Outcome<usize> {
        self.program.outcome(&state.0)
    }

    fn agent(&self, state: &Self::State, choice: &usize) -> &'static str {
        self.program.agent(&state.0, choice)
    }

    fn label(&self, state: &Self::State, choice: &usize) -> Label {
        self.program.label(&state.0, choice)
    }

    fn footprint(&self, state: &Self::State, choice: &usize) -> Footprint<()> {
        self.program.footprint(&state.0, choice)
    }

    fn show(&self, state: &Self::State) -> String {
        self.program.show(&state.0)
    }
}

/// Sees to it that nothing counts for ever, and in the end that ways are told apart if that is `wanted`.
struct Seer {
    program: Digraph,
    wanted: bool,
    programs: usize,
}

impl Refining for Seer {
    type Program = Counting;
    type Change = Change;

    fn program(&mut self, changes: &[Change]) -> Option<Counting> {
        self.programs += 1;
        Some(Counting {
            program: self.program.clone(),
            changes: changes.to_vec(),
        })
    }

    fn change(&mut self, _: &Graph<Counting>, rests: Option<Pause>) -> Option<Change> {
        match rests {
            None => Some(Change::Uncounted),
            // Said again and again: a change that was made is none.
            Some(_) => self.wanted.then_some(Change::Ways),
        }
    }
}

fn nodes(graph: &Graph<Counting>) -> BTreeSet<(usize, u64, usize)> {
    let states = graph.nodes().map(|node| *graph.state(node).unwrap());
    states.collect()
}

fn explored(program: &Digraph, changes: &[Change]) -> BTreeSet<(usize, u64, usize)> {
    let counting = Counting {
        program: program.clone(),
        changes: changes.to_vec(),
    };
    let mut exploration = Exploration::new(counting, Order::BreadthFirst);
    assert_eq!(
        exploration.run(&Limits::default(), |_| true),
        Pause::Complete
    );
    nodes(exploration.graph())
}

proptest! {
    #[test]
    fn what_remains_is_the_graph_with_all_changes(program in digraph(), wanted in any::<bool>()) {
        let mut seer = Seer { program: program.clone(), wanted, programs: 0 };
        let refined = refine(&mut seer, &Limits::default(), |_, _| true).unwrap();
        prop_assert_eq!(refined.pause, Pause::Complete);
        prop_assert_eq!(nodes(refined.exploration.graph()), explored(&program, &refined.changes));
        prop_assert_eq!(seer.programs, 1 + refined.changes.len());
        // Where a cycle can be reached, the count keeps the graph from closing.
        let plain = |node: usize| program.distances(0)[node].is_some();
        let returns = |node: usize| program.0[node].iter().any(|to| program.distances(*to)[node].is_some());
        let endless = (0..program.0.len()).any(|node| plain(node) && returns(node));
        if endless {
            prop_assert!(refined.changes.contains(&Change::Uncounted));
        }
        prop_assert_eq!(refined.changes.contains(&Change::Ways), wanted);
    }
}

#[test]
fn it_is_told_what_was_changed_and_can_be_stopped() {
    let program = Digraph(vec![vec![0]]);
    let seer = || Seer {
        program: program.clone(),
        wanted: true,
        programs: 0,
    };
    let mut heard = Vec::new();
    let refined = refine(&mut seer(), &Limits::default(), |come, changes| {
        if heard.last() != Some(&changes.to_vec()) {
            assert_eq!(come.states, 1, "it begins anew");
            heard.push(changes.to_vec());
        }
        true
    });
    assert_eq!(refined.unwrap().exploration.graph().len(), 2);
    let first = vec![Change::Uncounted];
    assert_eq!(heard, [vec![], first.clone(), vec![first[0], Change::Ways]]);

    let refined = refine(&mut seer(), &Limits::default(), |come, _| come.states < 10).unwrap();
    assert_eq!(
        (refined.pause, refined.changes.len()),
        (Pause::Cancelled, 0)
    );
    // A limit of states is reached before anybody looks.
    let few = Limits {
        states: 100,
        ..Limits::default()
    };
    let refined = refine(&mut seer(), &few, |_, _| true).unwrap();
    assert_eq!(
        refined.changes,
        [Change::Ways],
        "seen where it came to rest"
    );
    assert_eq!(refined.pause, Pause::States);
}
