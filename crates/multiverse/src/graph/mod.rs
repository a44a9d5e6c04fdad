//! The multiverse of a model language as data: nodes for universes, edges for steps.
//!
//! A graph either merges equal states (then it is the state graph) or does not (then it is a
//! tree). It is grown by an [`Exploration`] and may be incomplete at any time: a node says whether
//! its edges are known ([`Status`]), and no question treats the unknown as absent.
//!
//! [`NodeId`] and [`EdgeId`] are dense numbers of one graph in one process. What names a universe
//! elsewhere is its trace (the list of its choices); what names a state elsewhere, and decides
//! which of several workers owns it, is its [`Fingerprint`].

mod agents;
mod chunks;
mod cycles;
mod explore;
mod index;
mod paths;
mod reach;
mod refine;
mod survey;

use std::cell::RefCell;
use std::fmt;

pub(crate) use agents::AgentId;
use agents::Takers;
use chunks::Chunks;
pub use cycles::{Component, Components};
pub use explore::{Exploration, Limits, Pause, Progress, Score, Strategy};
use index::Index;
pub use paths::{CountError, PathCounts, ShortestPaths};
pub use reach::{DecisiveNode, Predecessors, Region};
pub use refine::{Refined, Refining, refine};
pub use survey::{
    Apart, Bell, Counts, EndNode, KeptShares, Leader, Letter, Member, News, NoWay, Onlooker, Post,
    Prefixes, Share, Sight, Survey, Surveyed, Tally, Unsure,
};

use crate::fingerprint::Fingerprint;
use crate::language::{Language, Next, Outcome};

/// A universe in one [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The initial state.
    pub const ROOT: Self = Self(0);
}

/// A step in one [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub u32);

/// A step between two universes. Its choice is [`Graph::choice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leaves.
    pub from: NodeId,
    /// Where it leads.
    pub to: NodeId,
    /// Which of the choices there was taken: a number, since the language says again which they
    /// are, and most of a large graph is its edges.
    pub option: u32,
    /// The rules applied on the way; more than 1 where deterministic runs are folded. More than
    /// `u32::MAX` count as that many.
    pub steps: u32,
}

/// What is known about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing but its state: its turn has not come.
    Waiting,
    /// Nothing but its state: it lies beyond the depth limit.
    Cut,
    /// All its edges.
    Expanded,
}

#[derive(Clone, Debug)]
struct Node {
    fingerprint: Fingerprint,
    first_edge: u32,
    edge_count: u32,
    /// The length of the shortest path known to the exploration.
    depth: u32,
    status: Status,
}

/// The universes of a program, as far as they are explored.
pub struct Graph<L: Language> {
    language: L,
    states: Chunks<L::State>,
    nodes: Chunks<Node>,
    /// The edges of one node lie side by side, in the order of its choices.
    edges: Chunks<Edge>,
    /// The edges that only some of a state's values take, in order: most graphs have none.
    partial: Vec<EdgeId>,
    /// Nodes by fingerprint; none where equal states stay apart.
    index: Option<Index>,
    /// Who takes the edges.
    takers: RefCell<Takers<L::Agent>>,
}

impl<L: Language> fmt::Debug for Graph<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut summary = f.debug_struct("Graph");
        summary
            .field("nodes", &self.len())
            .field("edges", &self.edge_count());
        summary.finish_non_exhaustive()
    }
}

impl<L: Language> Graph<L> {
    /// The graph of the initial state alone.
    fn new(language: L, start: L::State, merged: bool) -> Self {
        let mut graph = Self {
            language,
            states: Chunks::new(),
            nodes: Chunks::new(),
            edges: Chunks::new(),
            partial: Vec::new(),
            index: merged.then(Index::new),
            takers: RefCell::default(),
        };
        let start = graph.canonical(start);
        let fingerprint = Fingerprint::of(&start);
        graph.intern(start, fingerprint, 0);
        graph
    }

    /// The language of the program.
    pub const fn language(&self) -> &L {
        &self.language
    }

    /// Whether equal states are one node.
    #[must_use]
    pub const fn is_merged(&self) -> bool {
        self.index.is_some()
    }

    /// The number of nodes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is always the initial state.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// The number of edges.
    #[must_use]
    pub const fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All nodes, in the order of their discovery.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<L> {
        // `intern` keeps the number of nodes within u32.
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The state of `node`.
    #[must_use]
    pub fn state(&self, node: NodeId) -> Option<&L::State> {
        self.states.get(node.0 as usize)
    }

    /// What is known about `node`.
    #[must_use]
    pub fn status(&self, node: NodeId) -> Option<Status> {
        Some(self.nodes.get(node.0 as usize)?.status)
    }

    /// The length of the shortest path to `node` that the exploration met. Breadth first there is none shorter.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> Option<u32> {
        Some(self.nodes.get(node.0 as usize)?.depth)
    }

    /// The name of the node's state outside this process.
    #[must_use]
    pub fn fingerprint(&self, node: NodeId) -> Option<Fingerprint> {
        Some(self.nodes.get(node.0 as usize)?.fingerprint)
    }

    /// The node of `state`, where equal states are merged.
    #[must_use]
    pub fn find(&self, state: &L::State) -> Option<NodeId> {
        let state = self.canonical(state.clone());
        let hash = Fingerprint::of(&state).0;
        let same = |id: &u32| self.states.get(*id as usize) == Some(&state);
        self.index.as_ref()?.find(hash, same).map(NodeId)
    }

    /// An edge.
    #[must_use]
    pub fn edge(&self, edge: EdgeId) -> Option<Edge> {
        self.edges.get(edge.0 as usize).copied()
    }

    /// Whether an edge is open to some only of the values that its state stands for ([`Next::is_partial`]).
    #[must_use]
    pub fn is_partial(&self, edge: EdgeId) -> bool {
        self.partial.binary_search(&edge).is_ok()
    }

    /// The edges of which that is so, in order.
    #[must_use]
    pub fn partial(&self) -> &[EdgeId] {
        &self.partial
    }

    /// What was decided on an edge: asked of the language again.
    #[must_use]
    pub fn choice(&self, edge: EdgeId) -> Option<L::Choice> {
        let edge = self.edge(edge)?;
        let mut choices = Vec::new();
        self.language.enabled(self.state(edge.from)?, &mut choices);
        choices.into_iter().nth(edge.option as usize)
    }

    /// The edges that leave `node`, as far as they are known, in the order of its choices.
    pub fn edges_from(
        &self,
        node: NodeId,
    ) -> impl DoubleEndedIterator<Item = (EdgeId, Edge)> + ExactSizeIterator {
        let ids = self.nodes.get(node.0 as usize).map_or(0..0, |node| {
            node.first_edge..node.first_edge + node.edge_count
        });
        // `adopt` adds a node's edges before it counts them.
        ids.map(|id| (EdgeId(id), self.edges[id as usize]))
    }

    /// All edges.
    pub fn edges(&self) -> impl DoubleEndedIterator<Item = (EdgeId, Edge)> + ExactSizeIterator {
        // `adopt` keeps the number of edges within u32.
        (0..self.edges.len() as u32).map(|id| (EdgeId(id), self.edges[id as usize]))
    }

    /// Whether `node` is known to be an end: nothing is enabled in it.
    #[must_use]
    pub fn is_end(&self, node: NodeId) -> bool {
        let node = self.nodes.get(node.0 as usize);
        node.is_some_and(|node| node.status == Status::Expanded && node.edge_count == 0)
    }

    /// The ends, in the order of their discovery.
    pub fn ends(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes().filter(|node| self.is_end(*node))
    }

    /// The outcome of an end.
    #[must_use]
    pub fn outcome(&self, node: NodeId) -> Option<Outcome<L::Value>> {
        self.is_end(node)
            .then(|| self.state(node).map(|state| self.language.outcome(state)))?
    }

    /// Whether the edges of every node are known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.nodes
            .iter()
            .all(|node| node.status == Status::Expanded)
    }

    /// Bytes that the graph holds on the heap, without what states and choices own there.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.states.heap_bytes()
            + self.nodes.heap_bytes()
            + self.edges.heap_bytes()
            + self.index.as_ref().map_or(0, Index::heap_bytes)
    }

    /// The representative of `state`; where states stay apart they also stay as they are.
    fn canonical(&self, state: L::State) -> L::State {
        if self.is_merged() {
            self.language.canonical(state)
        } else {
            state
        }
    }

    /// The node of a canonical `state`, and whether it is new; none if the graph is full.
    fn intern(
        &mut self,
        state: L::State,
        fingerprint: Fingerprint,
        depth: u32,
    ) -> Option<(NodeId, bool)> {
        let id = u32::try_from(self.nodes.len())
            .ok()
            .filter(|id| *id < u32::MAX);
        if let Some(index) = &mut self.index {
            let (states, nodes) = (&self.states, &self.nodes);
            let same = |other: &u32| {
                nodes[*other as usize].fingerprint == fingerprint
                    && states[*other as usize] == state
            };
            if let Some(known) = index.find(fingerprint.0, same) {
                return Some((NodeId(known), false));
            }
            let hash = |other: &u32| nodes[*other as usize].fingerprint.0;
            index.insert(fingerprint.0, id?, hash);
        }
        let id = id?;
        self.states.push(state);
        let (first_edge, edge_count) = (0, 0);
        self.nodes.push(Node {
            fingerprint,
            first_edge,
            edge_count,
            depth,
            status: Status::Waiting,
        });
        Some((NodeId(id), true))
    }

    /// Gives a node its edges. Calls `met` with each target, its step's depth, and whether it is
    /// new. False if the graph is full; the node then stays as it was.
    fn adopt(
        &mut self,
        id: NodeId,
        found: &mut Vec<Successor<L>>,
        mut met: impl FnMut(&mut Self, NodeId, u32, bool),
    ) -> bool {
        let depth = self.nodes[id.0 as usize].depth.saturating_add(1);
        let first_edge = self.edges.len();
        if u32::try_from(first_edge + found.len()).is_err() {
            return false;
        }
        for next in found.drain(..) {
            let Some((to, new)) = self.intern(next.state, next.fingerprint, depth) else {
                self.edges.truncate(first_edge);
                self.partial.retain(|edge| (edge.0 as usize) < first_edge);
                return false;
            };
            if next.is_partial {
                self.partial.push(EdgeId(self.edges.len() as u32));
            }
            self.edges.push(Edge {
                from: id,
                to,
                option: next.option,
                steps: u32::try_from(next.steps).unwrap_or(u32::MAX),
            });
            met(self, to, depth, new);
        }
        let edge_count = (self.edges.len() - first_edge) as u32;
        let node = &mut self.nodes[id.0 as usize];
        node.first_edge = first_edge as u32;
        node.edge_count = edge_count;
        node.status = Status::Expanded;
        true
    }
}

/// A step from a node that has no edges yet.
struct Successor<L: Language> {
    option: u32,
    state: L::State,
    fingerprint: Fingerprint,
    steps: u64,
    is_partial: bool,
}

/// Steps from a state, as the language gives them.
type Steps<L> = Vec<(<L as Language>::Choice, Next<<L as Language>::State>)>;

impl<L: Language> Successor<L> {
    /// All steps from a state, in the order of its choices. `steps` is room for them.
    fn all(language: &L, merged: bool, state: &L::State, steps: &mut Steps<L>) -> Vec<Self> {
        steps.clear();
        language.expand(state, steps);
        let found = steps.drain(..).enumerate().map(|(option, (_, next))| {
            let state = if merged {
                language.canonical(next.state)
            } else {
                next.state
            };
            Self {
                fingerprint: Fingerprint::of(&state),
                // Their list is in memory: there are fewer than 2^32.
                option: option as u32,
                state,
                steps: next.steps,
                is_partial: next.is_partial,
            }
        });
        found.collect()
    }
}
