//! Shortest paths, and how many paths there are.

use std::collections::VecDeque;

use num_bigint::BigUint;

use super::{EdgeId, Graph, NodeId};
use crate::heed::Heed;
use crate::language::Language;

/// The shortest paths from one node to all others, in edges.
#[derive(Clone, Debug)]
pub struct ShortestPaths {
    start: NodeId,
    /// The last edge of a path to each node; `u32::MAX` at the start and where none leads.
    last: Vec<u32>,
    /// The number of edges to each node; `u32::MAX` where no path leads.
    lengths: Vec<u32>,
}

impl ShortestPaths {
    /// The start of all the paths.
    #[must_use]
    pub const fn start(&self) -> NodeId {
        self.start
    }

    /// Whether a path leads to `node`.
    #[must_use]
    pub fn reaches(&self, node: NodeId) -> bool {
        node == self.start
            || self
                .last
                .get(node.0 as usize)
                .is_some_and(|edge| *edge != u32::MAX)
    }

    /// The number of edges of a shortest path to `node`; none if no path is known.
    #[must_use]
    pub fn length(&self, node: NodeId) -> Option<u32> {
        let length = self.lengths.get(node.0 as usize).copied();
        length.filter(|length| *length != u32::MAX)
    }

    /// The last edge of a shortest path to `node`; none at the start, and where no path leads.
    #[must_use]
    pub fn last_edge(&self, node: NodeId) -> Option<EdgeId> {
        let edge = self.last.get(node.0 as usize).copied();
        edge.filter(|edge| *edge != u32::MAX).map(EdgeId)
    }

    /// The edges of a shortest path to `node`; none if no path is known.
    #[must_use]
    pub fn path<L: Language>(&self, graph: &Graph<L>, node: NodeId) -> Option<Vec<EdgeId>> {
        let mut path = Vec::new();
        let mut at = node;
        while at != self.start {
            let edge = EdgeId(
                *self
                    .last
                    .get(at.0 as usize)
                    .filter(|edge| **edge != u32::MAX)?,
            );
            path.push(edge);
            at = graph.edge(edge)?.from;
        }
        path.reverse();
        Some(path)
    }
}

/// How many maximal paths lead to each end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathCounts {
    ends: Vec<(NodeId, BigUint)>,
}

impl PathCounts {
    /// The number of all maximal paths.
    #[must_use]
    pub fn total(&self) -> BigUint {
        self.ends.iter().map(|(_, count)| count).sum()
    }

    /// The ends, in the order of their discovery, with the number of paths to each.
    #[must_use]
    pub fn ends(&self) -> &[(NodeId, BigUint)] {
        &self.ends
    }
}

/// Why paths cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// A part of the graph is unexplored.
    #[error("the universes after node {} are not explored; explore further first", .0.0)]
    Unexplored(NodeId),
    /// The program can go round for ever.
    #[error("there are infinitely many paths: a cycle leads through node {}", .0.0)]
    Cyclic(NodeId),
    /// A state stands for several values, of which a way is open to some only.
    #[error("some ways from node {} are open to some of its values only; split the states first", .0.0)]
    Partial(NodeId),
}

impl<L: Language> Graph<L> {
    /// The shortest paths from `start` to everything.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn shortest_paths<H: Heed>(
        &self,
        start: NodeId,
        heed: &mut H,
    ) -> Result<ShortestPaths, H::Stop> {
        let mut last = vec![u32::MAX; self.len()];
        let mut lengths = vec![u32::MAX; self.len()];
        if let Some(length) = lengths.get_mut(start.0 as usize) {
            *length = 0;
        }
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            heed.step()?;
            for (id, edge) in self.edges_from(node) {
                let to = edge.to.0 as usize;
                if lengths[to] == u32::MAX {
                    last[to] = id.0;
                    lengths[to] = lengths[node.0 as usize] + 1;
                    queue.push_back(edge.to);
                }
            }
        }
        Ok(ShortestPaths {
            start,
            last,
            lengths,
        })
    }

    /// The edges of a shortest path from `start` to a node that `fits`, and that node.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn nearest<H: Heed>(
        &self,
        start: NodeId,
        mut fits: impl FnMut(NodeId) -> bool,
        heed: &mut H,
    ) -> Result<Option<(NodeId, Vec<EdgeId>)>, H::Stop> {
        // Depth of discovery says little about distance from `start`, so search breadth first.
        let mut seen = std::collections::HashMap::from([(start, None)]);
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            heed.step()?;
            if fits(node) && self.status(node).is_some() {
                let mut path = Vec::new();
                let mut via: Option<EdgeId> = seen.get(&node).copied().flatten();
                while let Some(edge) = via {
                    path.push(edge);
                    let Some(known) = self.edge(edge) else { break };
                    via = seen.get(&known.from).copied().flatten();
                }
                path.reverse();
                return Ok(Some((node, path)));
            }
            for (id, edge) in self.edges_from(node) {
                seen.entry(edge.to).or_insert_with(|| {
                    queue.push_back(edge.to);
                    Some(id)
                });
            }
        }
        Ok(None)
    }

    /// Counts the maximal paths exactly. Every choice counts, also one of several that lead to
    /// the same state. Inside, [`CountError::Unexplored`] if the graph is not complete,
    /// [`CountError::Cyclic`] if there are infinitely many, [`CountError::Partial`] if edges in a row
    /// need not be a run.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn count_paths<H: Heed>(
        &self,
        heed: &mut H,
    ) -> Result<Result<PathCounts, CountError>, H::Stop> {
        let unexplored = self.nodes().find(|node| {
            self.status(*node)
                .is_some_and(|status| status != super::Status::Expanded)
        });
        if let Some(node) = unexplored {
            return Ok(Err(CountError::Unexplored(node)));
        }
        if let Some(edge) = self.partial().first().and_then(|edge| self.edge(*edge)) {
            return Ok(Err(CountError::Partial(edge.from)));
        }
        let mut missing = vec![0_u32; self.len()];
        for (_, edge) in self.edges() {
            heed.step()?;
            missing[edge.to.0 as usize] += 1;
        }
        let mut counts = vec![BigUint::ZERO; self.len()];
        counts[NodeId::ROOT.0 as usize] = BigUint::from(1_u32);
        let mut ends = Vec::new();
        // Every node is reachable, so only the initial state can be without an edge to it.
        let mut ready: Vec<_> = self
            .nodes()
            .filter(|node| missing[node.0 as usize] == 0)
            .collect();
        let mut done = 0_usize;
        while let Some(node) = ready.pop() {
            heed.step()?;
            done += 1;
            // A count is not needed after its node: at most a frontier of them is alive.
            let count = std::mem::take(&mut counts[node.0 as usize]);
            for (_, edge) in self.edges_from(node) {
                let to = edge.to.0 as usize;
                counts[to] += &count;
                missing[to] -= 1;
                if missing[to] == 0 {
                    ready.push(edge.to);
                }
            }
            if self.is_end(node) {
                ends.push((node, count));
            }
        }
        if done < self.len() {
            let components = self.components(heed)?;
            let cyclic = components.iter().find(|component| component.cyclic);
            let node = cyclic.and_then(|c| c.nodes.first().copied());
            return Ok(Err(CountError::Cyclic(node.unwrap_or(NodeId::ROOT))));
        }
        ends.sort_unstable_by_key(|(node, _)| *node);
        Ok(Ok(PathCounts { ends }))
    }
}
