//! Work that is shared out finds what work that is not shared out finds.

use crate::common::{Digraph, Threads, digraph};
use borges_multiverse::graph::{Exploration, Graph, Limits, Pause, Strategy as Order};
use borges_multiverse::workers::Alone;
use proptest::prelude::*;

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
}
