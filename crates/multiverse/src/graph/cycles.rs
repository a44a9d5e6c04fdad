//! Where a program can go round for ever.

use super::{Graph, NodeId};
use crate::language::Language;

/// A largest set of universes that can all reach each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its nodes.
    pub nodes: Vec<NodeId>,
    /// Whether a run can stay in it for ever.
    pub cyclic: bool,
    /// Whether no known edge leaves it. A cyclic component without an exit is a livelock (if all
    /// its nodes are expanded).
    pub closed: bool,
}

impl<L: Language> Graph<L> {
    /// The strongly connected components, each before those from which it is reached (Tarjan 1972,
    /// without recursion).
    #[must_use]
    pub fn components(&self) -> Vec<Component> {
        const NEW: u32 = u32::MAX;
        let mut found = Vec::new();
        // Numbers in order of first visit; the lowest number reachable; whether still on `open`.
        let mut number = vec![NEW; self.len()];
        let mut low = vec![0; self.len()];
        let mut is_open = vec![false; self.len()];
        let mut open = Vec::new();
        let mut next = 0;
        for root in self.nodes() {
            if number[root.0 as usize] != NEW {
                continue;
            }
            let mut calls = vec![(root, 0_u32)];
            while let Some((node, taken)) = calls.last_mut() {
                let (n, nth) = (node.0 as usize, *taken);
                if nth == 0 && number[n] == NEW {
                    (number[n], low[n], is_open[n]) = (next, next, true);
                    open.push(*node);
                    next += 1;
                }
                if let Some((_, edge)) = self.edges_from(*node).nth(nth as usize) {
                    *taken += 1;
                    let to = edge.to.0 as usize;
                    if number[to] == NEW {
                        calls.push((edge.to, 0));
                    } else if is_open[to] {
                        low[n] = low[n].min(number[to]);
                    }
                    continue;
                }
                let node = *node;
                calls.pop();
                if let Some((above, _)) = calls.last() {
                    let above = above.0 as usize;
                    low[above] = low[above].min(low[n]);
                }
                if low[n] == number[n] {
                    let first = open.iter().rposition(|other| *other == node).unwrap_or(0);
                    let nodes = open.split_off(first);
                    for node in &nodes {
                        is_open[node.0 as usize] = false;
                    }
                    found.push(nodes);
                }
            }
        }
        self.describe(found)
    }

    fn describe(&self, found: Vec<Vec<NodeId>>) -> Vec<Component> {
        let mut owner = vec![0; self.len()];
        for (id, nodes) in found.iter().enumerate() {
            for node in nodes {
                owner[node.0 as usize] = id;
            }
        }
        let describe = |nodes: Vec<NodeId>| {
            let (mut cyclic, mut closed) = (false, true);
            for node in &nodes {
                for (_, edge) in self.edges_from(*node) {
                    let stays = owner[edge.to.0 as usize] == owner[node.0 as usize];
                    cyclic |= stays;
                    closed &= stays;
                }
            }
            Component {
                nodes,
                cyclic,
                closed,
            }
        };
        found.into_iter().map(describe).collect()
    }
}
