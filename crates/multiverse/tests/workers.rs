//! Work that is shared out finds what work that is not shared out finds.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

#[allow(dead_code)] // Each test file uses its part.
mod common;

use borges_multiverse::graph::{
    Exploration, Graph, Limits, NodeId, Pause, Strategy as Order, Survey,
};
use borges_multiverse::heed::Patient;
use borges_multiverse::language::Language;
use borges_multiverse::workers::{Alone, Workers};
use common::{Digraph, digraph};
use proptest::prelude::*;

/// As many threads as it says.
struct Threads(usize);

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

type Edges = Vec<(u32, u32, usize)>;

fn edges(graph: &Graph<&Digraph>) -> (Vec<usize>, Edges) {
    let states = graph.nodes().map(|node| *graph.state(node).unwrap());
    let edges = graph
        .edges()
        .map(|(_, edge)| (edge.from.0, edge.to.0, edge.option as usize));
    (states.collect(), edges.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn breadth_first_the_graph_is_the_same_to_its_numbers(program in digraph(), states in 1..20_usize) {
        let mut alone = Exploration::new(&program, Order::BreadthFirst);
        let mut shared = Exploration::new(&program, Order::BreadthFirst);
        let limits = Limits { states, ..Limits::default() };
        let pauses = (alone.run(&limits, |_| true), shared.run_on(&Threads(3), &limits, |_| true));
        prop_assert_eq!(pauses.0, pauses.1);
        prop_assert_eq!(edges(alone.graph()), edges(shared.graph()));
        // And on to the end, after a call that is cancelled at once.
        prop_assert_eq!(
            shared.run_on(&Alone, &Limits::default(), |_| false) == Pause::Cancelled,
            pauses.0 == Pause::States
        );
        alone.run(&Limits::default(), |_| true);
        prop_assert_eq!(shared.run_on(&Threads(2), &Limits::default(), |_| true), Pause::Complete);
        prop_assert_eq!(edges(alone.graph()), edges(shared.graph()));
    }

    #[test]
    fn other_orders_find_the_same_states(program in digraph(), seed: u64) {
        let find = |order| {
            let mut exploration = Exploration::new(&program, order);
            assert_eq!(exploration.run_on(&Threads(2), &Limits::default(), |_| true), Pause::Complete);
            let (mut states, edges) = edges(exploration.graph());
            states.sort_unstable();
            (states, edges.len())
        };
        let breadth = find(Order::BreadthFirst);
        prop_assert_eq!(&breadth, &find(Order::DepthFirst));
        prop_assert_eq!(&breadth, &find(Order::Random { seed }));
        prop_assert_eq!(&breadth, &find(Order::Guided(Box::new(|state| *state as i64))));
    }

    #[test]
    fn a_survey_finds_what_a_graph_finds(program in digraph(), depth in 0..6_u32) {
        let mut exploration = Exploration::new(&program, Order::BreadthFirst);
        exploration.run(&Limits::default(), |_| true);
        let graph = exploration.into_graph();
        let paths = graph.shortest_paths(NodeId::ROOT, &mut Patient).unwrap();
        let mut survey = Survey::new(&program);
        // In two parts, one of them shared out.
        let near = Limits { depth, ..Limits::default() };
        survey.run_on(&Threads(2), &near, |_, _| true);
        prop_assert_eq!(survey.run(&Limits::default(), |_, _| true), Pause::Complete);
        prop_assert_eq!(survey.states(), graph.len());
        prop_assert_eq!(survey.edges(), graph.edge_count() as u64);
        let ends: Vec<_> = graph.ends().collect();
        prop_assert_eq!(survey.ends().len(), ends.len());
        for end in ends {
            let found = &survey.ends()[&graph.outcome(end).unwrap()];
            prop_assert_eq!(found.states, 1);
            prop_assert_eq!(Some(found.depth), paths.length(end));
            // The way leads there.
            let mut state = program.initial();
            let way = survey.way(found);
            prop_assert_eq!(way.len() as u32, found.depth);
            for choice in way {
                state = program.apply(&state, &choice).unwrap().state;
            }
            prop_assert_eq!(Some(&state), graph.state(end));
        }
    }
}
