//! Languages made from languages.

use std::collections::BTreeSet;

use crate::common::{Digraph, digraph};
use crate::threads::{alike, threads};
use borges_multiverse::adapt::{
    Abstracted, Observed, Observer, Preempting, Runs, Stands, Stepping,
};
use borges_multiverse::graph::{Exploration, Graph, Limits, NodeId, Pause, Strategy as Order};
use borges_multiverse::heed::Patient;
use borges_multiverse::language::{Language, Waiting};
use proptest::prelude::*;

use crate::threads;

/// Counts the arrivals in a state, up to a bound.
struct Arrivals {
    state: usize,
    bound: u8,
}

impl Observer<&Digraph> for Arrivals {
    type Memory = u8;

    fn start(&self, _: &usize) -> u8 {
        0
    }

    fn observe(&self, memory: &u8, _: &usize, _: &usize, to: &usize) -> u8 {
        self.bound.min(memory + u8::from(*to == self.state))
    }
}

/// Remembers nothing.
struct Nothing;

impl<L: Language> Observer<L> for Nothing {
    type Memory = ();

    fn start(&self, _: &L::State) {}

    fn observe(&self, _: &(), _: &L::State, _: &L::Choice, _: &L::State) {}
}

fn waiting<L: Language>(language: &L, state: &L::State) -> Vec<Waiting<L::Agent, L::Resource>> {
    let mut waiting = Vec::new();
    language.waiting(state, &mut waiting);
    waiting
}

/// Asserts of every state that all its steps are its choices, each taken.
fn one_by_one<L: Language>(language: &L)
where
    L::State: std::fmt::Debug,
{
    let graph = explore(language);
    for node in graph.nodes() {
        let state = graph.state(node).unwrap();
        let (mut at_once, mut choices) = (Vec::new(), Vec::new());
        language.expand(state, &mut at_once);
        language.enabled(state, &mut choices);
        let singly: Vec<_> = choices
            .into_iter()
            .filter_map(|choice| language.apply(state, &choice).map(|next| (choice, next)))
            .collect();
        assert_eq!(at_once, singly, "{}", language.show(state));
    }
}

fn explore<L: Language>(language: L) -> Graph<L> {
    let mut exploration = Exploration::new(language, Order::BreadthFirst);
    assert_eq!(
        exploration.run(&Limits::default(), |_| true),
        Pause::Complete
    );
    exploration.into_graph()
}

fn ends<L: Language>(graph: &Graph<L>) -> BTreeSet<String> {
    graph
        .ends()
        .map(|end| graph.outcome(end).unwrap().to_string())
        .collect()
}

proptest! {
    #[test]
    fn observers_are_in_product_and_change_nothing(program in digraph(), a in 0..12_usize, b in 0..12_usize) {
        let observer = (Arrivals { state: a, bound: 2 }, Arrivals { state: b, bound: 1 });
        let observed = explore(Observed { program: &program, observer });
        // The product, plainly.
        let mut seen = BTreeSet::from([(0, 0, 0)]);
        let mut todo = vec![(0, 0, 0)];
        while let Some((state, m, n)) = todo.pop() {
            for to in &program.0[state] {
                let next = (*to, 2.min(m + u8::from(*to == a)), 1.min(n + u8::from(*to == b)));
                if seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        let states: BTreeSet<_> = observed.nodes()
            .map(|node| observed.state(node).unwrap())
            .map(|(state, (m, n))| (*state, *m, *n)).collect();
        prop_assert_eq!(states, seen);
        prop_assert_eq!(ends(&observed), ends(&explore(&program)));
    }

    #[test]
    fn a_second_arrival_is_seen_wherever_there_is_one(program in digraph(), state in 0..12_usize) {
        let observer = Arrivals { state, bound: 2 };
        let mut exploration =
            Exploration::new(Observed { program: &program, observer }, Order::DepthFirst);
        exploration.run(&Limits::default(), |_| true);
        // There is a second arrival if the state can be reached by a step and then reach itself.
        let comes = |from: usize| program.0[from].iter().any(|to| program.distances(*to).get(state).copied().flatten().is_some());
        let twice = state < program.0.len() && comes(0) && comes(state);
        prop_assert_eq!(exploration.graph().find(&(state, 2)).is_some(), twice);
    }

    #[test]
    fn grains_and_debuggers_keep_the_outcomes(program in threads(), limit in 1..5_u64) {
        let plain = explore(&program);
        let coarse = explore(Runs::new(&program, limit));
        prop_assert_eq!(ends(&coarse), ends(&plain));
        prop_assert!(coarse.len() <= plain.len());
        prop_assert_eq!(ends(&explore(Stepping(&program))), ends(&plain));
        // A run stops where something wants to see the state.
        let watched = explore(Runs::new(&program, limit).stopping(|_| true));
        prop_assert_eq!(watched.len(), plain.len());
    }

    #[test]
    fn an_abstraction_leaves_out_and_invents_nothing(program in digraph(), parts in 1..6_usize) {
        let seen = Abstracted::new(&program, "the state modulo so many", move |state| state % parts);
        let graph = explore(&seen);
        let keys: BTreeSet<_> = graph.nodes().map(|node| graph.state(node).unwrap().key).collect();
        prop_assert_eq!(keys.len(), graph.len());
        let shortest = graph.shortest_paths(NodeId::ROOT, &mut Patient).unwrap();
        for node in graph.nodes() {
            // What stands for others is reached by the very steps of the graph.
            let mut state = program.initial();
            for edge in shortest.path(&graph, node).unwrap() {
                state = program.apply(&state, &graph.choice(edge).unwrap()).unwrap().state;
            }
            let stands = graph.state(node).unwrap();
            prop_assert_eq!((stands.state, stands.key), (state, state % parts));
            let shown = seen.show(stands);
            prop_assert_eq!(shown, format!("[an abstraction: the state modulo so many] at {state}"));
        }
        // Where everything is kept, nothing is left out.
        let whole = explore(Abstracted::new(&program, "all", |state: &usize| *state));
        prop_assert_eq!(whole.len(), explore(&program).len());
        prop_assert_eq!(ends(&whole), ends(&explore(&program)));
    }

    /// There are two ways to ask for the steps from a state, and both say the same.
    #[test]
    fn steps_are_the_same_at_once_and_one_by_one(program in threads(), limit in 1..4_u64) {
        one_by_one(&program);
        one_by_one(&Observed { program: &program, observer: Nothing });
        one_by_one(&Abstracted::new(&program, "all", threads::World::clone));
        one_by_one(&Runs::new(&program, limit));
        one_by_one(&Stepping(&program));
        for times in 0..3 {
            one_by_one(&Preempting { program: &program, most: times });
        }
    }

    /// Whoever only looks on changes nothing of what a step touches, and of who waits for what.
    #[test]
    fn what_looks_on_keeps_what_is_said_of_steps(program in threads()) {
        let (observed, all) = (
            Observed { program: &program, observer: Nothing },
            Abstracted::new(&program, "all", threads::World::clone),
        );
        let graph = explore(&program);
        for node in graph.nodes() {
            let state = graph.state(node).unwrap();
            let stands = Stands { state: state.clone(), key: state.clone() };
            let seen = (state.clone(), ());
            for (_, edge) in graph.edges_from(node).map(|(id, _)| (id, graph.choice(id).unwrap())) {
                let footprint = program.footprint(state, &edge);
                prop_assert_eq!(&observed.footprint(&seen, &edge), &footprint);
                prop_assert_eq!(&all.footprint(&stands, &edge), &footprint);
                prop_assert_eq!(observed.label(&seen, &edge), program.label(state, &edge));
                prop_assert_eq!(all.label(&stands, &edge), program.label(state, &edge));
            }
            let waiting = waiting(&program, state);
            prop_assert_eq!(&self::waiting(&observed, &seen), &waiting);
            prop_assert_eq!(&self::waiting(&all, &stands), &waiting);
            prop_assert_eq!(observed.show(&seen), program.show(state));
        }
    }

    #[test]
    fn a_symmetry_keeps_the_outcomes_up_to_renaming(program in alike()) {
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let turn = |state: &threads::World, nth: usize| state.turned(&ORDERS[nth]);
        let symmetric = Abstracted::symmetry(&program, "threads alike", ORDERS.len(), Box::new(turn));
        let (few, all) = (explore(&symmetric), explore(&program));
        prop_assert!(few.len() <= all.len());
        let few: BTreeSet<_> = few.ends()
            .flat_map(|end| ORDERS.map(|order| few.state(end).unwrap().state.turned(&order)))
            .map(|world| program.show(&world))
            .collect();
        prop_assert_eq!(few, ends(&all).iter().map(|end| end.split_once(": ").unwrap().1.to_owned()).collect());
    }
}
