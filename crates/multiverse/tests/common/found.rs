//! What surveys must find: what a graph finds.

use std::collections::BTreeMap;

use borges_multiverse::graph::{Exploration, Limits, NodeId, Strategy};
use borges_multiverse::heed::Patient;
use borges_multiverse::random::Random;

use crate::common::Digraph;

/// States, edges, and of each end how many there are and how near: what does not depend on who explores.
pub(crate) type Found = (usize, u64, BTreeMap<usize, (u64, u32)>);

pub(crate) fn of_graph(program: &Digraph) -> Found {
    let mut exploration = Exploration::new(program, Strategy::BreadthFirst);
    exploration.run(&Limits::default(), |_| true);
    let graph = exploration.into_graph();
    let paths = graph.shortest_paths(NodeId::ROOT, &mut Patient).unwrap();
    let end = |end| (*graph.state(end).unwrap(), (1, paths.length(end).unwrap()));
    (
        graph.len(),
        graph.edge_count() as u64,
        graph.ends().map(end).collect(),
    )
}

/// A graph that is wide enough to be shared out, from a seed.
pub(crate) fn wide(seed: u64, len: usize) -> Digraph {
    let mut random = Random::from_seed(seed);
    let mut successors = |_| {
        let degree = [0, 1, 2, 3, 3, 4][random.below(6)];
        (0..degree).map(|_| random.below(len)).collect()
    };
    let mut nodes: Vec<Vec<usize>> = (0..len).map(&mut successors).collect();
    nodes[0] = (1..300).collect();
    Digraph(nodes)
}
