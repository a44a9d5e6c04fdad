//! Where a program can go round for ever.

use super::{Graph, NodeId};
use crate::heed::Heed;
use crate::language::Language;

/// A largest set of universes that can all reach each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component<'c> {
    /// Its nodes.
    pub nodes: &'c [NodeId],
    /// Whether a run can stay in it for ever.
    pub cyclic: bool,
    /// Whether no known edge leaves it. A cyclic component without an exit is a livelock (if all
    /// its nodes are expanded).
    pub closed: bool,
}

/// All of them, each before those from which it is reached.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// One component after the other. Most have one node: a list for each would take long to throw away.
    nodes: Vec<NodeId>,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    /// Where it ends in the list of nodes.
    end: usize,
    cyclic: bool,
    closed: bool,
}

impl Components {
    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = Component<'_>> {
        let mut start = 0;
        self.parts.iter().map(move |part| {
            let nodes = &self.nodes[start..part.end];
            start = part.end;
            Component {
                nodes,
                cyclic: part.cyclic,
                closed: part.closed,
            }
        })
    }
}

impl<L: Language> Graph<L> {
    /// The strongly connected components, each before those from which it is reached (Tarjan 1972,
    /// without recursion).
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn components<H: Heed>(&self, heed: &mut H) -> Result<Components, H::Stop> {
        const NEW: u32 = u32::MAX;
        let mut found = Components::default();
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
                    heed.step()?;
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
                    for node in open.drain(first..) {
                        is_open[node.0 as usize] = false;
                        found.nodes.push(node);
                    }
                    found.parts.push(Part {
                        end: found.nodes.len(),
                        cyclic: false,
                        closed: true,
                    });
                }
            }
        }
        self.describe(&mut found, heed)?;
        Ok(found)
    }

    fn describe<H: Heed>(&self, found: &mut Components, heed: &mut H) -> Result<(), H::Stop> {
        let mut owner = vec![0; self.len()];
        for (id, component) in found.iter().enumerate() {
            for node in component.nodes {
                heed.step()?;
                owner[node.0 as usize] = id;
            }
        }
        for node in &found.nodes {
            heed.step()?;
            let own = owner[node.0 as usize];
            let part = &mut found.parts[own];
            for (_, edge) in self.edges_from(*node) {
                let stays = owner[edge.to.0 as usize] == own;
                part.cyclic |= stays;
                part.closed &= stays;
            }
        }
        Ok(())
    }
}
