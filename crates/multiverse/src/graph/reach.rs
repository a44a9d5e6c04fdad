//! Who can still reach what, where outcomes part, and when one has become inevitable.

use std::collections::VecDeque;

use super::{EdgeId, Graph, NodeId, Status};
use crate::heed::Heed;
use crate::language::Language;

/// The edges that lead to each node.
#[derive(Clone, Debug)]
pub struct Predecessors {
    /// Where the edges of each node begin, and of the node after the last.
    first: Vec<u32>,
    edges: Vec<EdgeId>,
}

impl Predecessors {
    /// The edges that lead to `node`.
    #[must_use]
    pub fn edges_to(&self, node: NodeId) -> &[EdgeId] {
        let at = node.0 as usize;
        match (self.first.get(at), self.first.get(at + 1)) {
            (Some(start), Some(end)) => &self.edges[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

/// A set of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    words: Vec<u64>,
}

impl Region {
    fn empty(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
        }
    }

    /// Whether `node` belongs to it.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.words
            .get(node.0 as usize / 64)
            .is_some_and(|word| word >> (node.0 % 64) & 1 == 1)
    }

    /// Its nodes, in the order of their discovery.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.words.len() as u32 * 64)
            .map(NodeId)
            .filter(|node| self.contains(*node))
    }

    /// The number of its nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether it has no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// True if `node` is new (and not out of range).
    fn insert(&mut self, node: NodeId) -> bool {
        let Some(word) = self.words.get_mut(node.0 as usize / 64) else {
            return false;
        };
        let bit = 1 << (node.0 % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

/// A universe in which a choice rules out one of two outcomes (or both).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisiveNode {
    /// The universe; both outcomes can still happen in it.
    pub node: NodeId,
    /// The choices after which only the first outcome can happen.
    pub first: Vec<EdgeId>,
    /// The choices after which only the second outcome can happen.
    pub second: Vec<EdgeId>,
    /// The choices after which both can still happen.
    pub both: Vec<EdgeId>,
    /// The choices after which neither can happen.
    pub neither: Vec<EdgeId>,
}

impl<L: Language> Graph<L> {
    /// `from` and all nodes to which known edges lead from there, nearest first.
    pub fn reachable(&self, from: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut seen = Region::empty(self.len());
        let start = self.state(from).map(|_| from);
        let mut queue: VecDeque<NodeId> = start
            .filter(|start| seen.insert(*start))
            .into_iter()
            .collect();
        std::iter::from_fn(move || {
            let node = queue.pop_front()?;
            let targets = self.edges_from(node).map(|(_, edge)| edge.to);
            queue.extend(targets.filter(|to| seen.insert(*to)));
            Some(node)
        })
    }

    /// Turns all edges round. Questions about the past need this, and it costs as much as a pass
    /// over the graph, so it is made once and passed in.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn predecessors<H: Heed>(&self, heed: &mut H) -> Result<Predecessors, H::Stop> {
        let mut first = vec![0_u32; self.len() + 1];
        for (_, edge) in self.edges() {
            heed.step()?;
            first[edge.to.0 as usize + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut next = first.clone();
        let mut edges = vec![EdgeId(0); self.edge_count()];
        for (id, edge) in self.edges() {
            heed.step()?;
            let place = &mut next[edge.to.0 as usize];
            edges[*place as usize] = id;
            *place += 1;
        }
        Ok(Predecessors { first, edges })
    }

    /// The universes from which a known path leads to one of `targets`.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn can_reach<H: Heed>(
        &self,
        predecessors: &Predecessors,
        targets: impl IntoIterator<Item = NodeId>,
        heed: &mut H,
    ) -> Result<Region, H::Stop> {
        let mut region = Region::empty(self.len());
        let mut todo: Vec<_> = targets
            .into_iter()
            .filter(|node| region.insert(*node))
            .collect();
        while let Some(node) = todo.pop() {
            heed.step()?;
            for id in predecessors.edges_to(node) {
                todo.extend(
                    self.edge(*id)
                        .map(|edge| edge.from)
                        .filter(|from| region.insert(*from)),
                );
            }
        }
        Ok(region)
    }

    /// The universes to which a known path leads from one of `starts`; they belong themselves.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn reached_from<H: Heed>(
        &self,
        starts: impl IntoIterator<Item = NodeId>,
        heed: &mut H,
    ) -> Result<Region, H::Stop> {
        let mut region = Region::empty(self.len());
        let mut todo: Vec<_> = starts
            .into_iter()
            .filter(|node| region.insert(*node))
            .collect();
        while let Some(node) = todo.pop() {
            heed.step()?;
            let targets = self.edges_from(node).map(|(_, edge)| edge.to);
            todo.extend(targets.filter(|to| region.insert(*to)));
        }
        Ok(region)
    }

    /// The universes on paths through `node`: all that can come before or after it, and itself.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn through<H: Heed>(
        &self,
        predecessors: &Predecessors,
        node: NodeId,
        heed: &mut H,
    ) -> Result<Region, H::Stop> {
        let mut region = self.can_reach(predecessors, [node], heed)?;
        let after = self.reached_from([node], heed)?;
        for (word, after) in region.words.iter_mut().zip(after.words) {
            *word |= after;
        }
        Ok(region)
    }

    /// The universes from which each of `nodes` can be reached, and of them the last ones: those
    /// with no step to another.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn common_ancestors<H: Heed>(
        &self,
        predecessors: &Predecessors,
        nodes: impl IntoIterator<Item = NodeId>,
        heed: &mut H,
    ) -> Result<(Region, Vec<NodeId>), H::Stop> {
        let mut common = self.reached_from([NodeId::ROOT], heed)?;
        for node in nodes {
            let before = self.can_reach(predecessors, [node], heed)?;
            for (word, before) in common.words.iter_mut().zip(before.words) {
                *word &= before;
            }
        }
        let goes_on = |node: &NodeId| {
            self.edges_from(*node)
                .any(|(_, edge)| edge.to != *node && common.contains(edge.to))
        };
        let mut last = Vec::new();
        for node in common.nodes() {
            heed.step()?;
            last.extend((!goes_on(&node)).then_some(node));
        }
        Ok((common, last))
    }

    /// As [`Graph::can_reach`], but what is unexplored is taken to lead anywhere.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn may_reach<H: Heed>(
        &self,
        predecessors: &Predecessors,
        targets: impl IntoIterator<Item = NodeId>,
        heed: &mut H,
    ) -> Result<Region, H::Stop> {
        let unexplored = self
            .nodes()
            .filter(|node| self.status(*node) != Some(Status::Expanded));
        self.can_reach(predecessors, targets.into_iter().chain(unexplored), heed)
    }

    /// The universes from which every run comes to one of `targets`, whatever is chosen.
    ///
    /// A universe from which a run can go round for ever without meeting a target does not belong,
    /// nor does one whose future is unexplored. Where edges are partial there may be more than these:
    /// a run of such edges keeps a universe out, also if the program does not take it.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn inevitable<H: Heed>(
        &self,
        predecessors: &Predecessors,
        targets: impl IntoIterator<Item = NodeId>,
        heed: &mut H,
    ) -> Result<Region, H::Stop> {
        let mut region = Region::empty(self.len());
        let mut todo: Vec<_> = targets
            .into_iter()
            .filter(|node| region.insert(*node))
            .collect();
        // How many edges of a node still lead elsewhere; unexplored nodes never come to 0.
        let mut elsewhere: Vec<_> = self.nodes.iter().map(|node| node.edge_count).collect();
        while let Some(node) = todo.pop() {
            heed.step()?;
            for id in predecessors.edges_to(node) {
                let Some(from) = self.edge(*id).map(|edge| edge.from) else {
                    continue;
                };
                let left = &mut elsewhere[from.0 as usize];
                *left -= 1;
                if *left == 0 && region.insert(from) {
                    todo.push(from);
                }
            }
        }
        Ok(region)
    }

    /// The universe nearest to the start in which a choice rules out one of two outcomes.
    ///
    /// # Errors
    /// `heed` had enough.
    pub fn first_divergence<H: Heed>(
        &self,
        predecessors: &Predecessors,
        first: &[NodeId],
        second: &[NodeId],
        heed: &mut H,
    ) -> Result<Option<DecisiveNode>, H::Stop> {
        let mut reach = |targets: &[NodeId]| {
            let targets = || targets.iter().copied();
            let can = self.can_reach(predecessors, targets(), heed)?;
            Ok((can, self.may_reach(predecessors, targets(), heed)?))
        };
        let (can_first, may_first) = reach(first)?;
        let (can_second, may_second) = reach(second)?;
        let split = |node: NodeId| {
            let mut split = DecisiveNode {
                node,
                first: Vec::new(),
                second: Vec::new(),
                both: Vec::new(),
                neither: Vec::new(),
            };
            for (id, edge) in self.edges_from(node) {
                match (may_first.contains(edge.to), may_second.contains(edge.to)) {
                    (true, true) => split.both.push(id),
                    (true, false) => split.first.push(id),
                    (false, true) => split.second.push(id),
                    (false, false) => split.neither.push(id),
                }
            }
            split
        };
        let parts = |node: NodeId| {
            can_first.contains(node)
                && can_second.contains(node)
                && self.edges_from(node).len() > split(node).both.len()
        };
        let nearest = self.nearest(NodeId::ROOT, parts, heed)?;
        Ok(nearest.map(|(node, _)| split(node)))
    }
}
