//! Growing a graph: in which order, how far, and for how long.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::fmt;

use super::{Graph, NodeId, Status, Steps, Successor};
use crate::fingerprint::Fingerprint;
use crate::language::Language;
use crate::random::Random;
use crate::workers::{Workers, map};

/// A rule that says which states are more interesting: higher first.
pub type Score<S> = Box<dyn Fn(&S) -> i64 + Send>;

/// The order in which universes are explored.
pub enum Strategy<S> {
    /// Nearest first: the path found first is a shortest one.
    BreadthFirst,
    /// Deepest first: reaches ends soon, needs the smallest frontier.
    DepthFirst,
    /// Any waiting universe, evenly.
    Random {
        /// The same seed gives the same order.
        seed: u64,
    },
    /// The most interesting first; among equals, the one discovered first.
    Guided(Score<S>),
}

impl<S> fmt::Debug for Strategy<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BreadthFirst => "BreadthFirst",
            Self::DepthFirst => "DepthFirst",
            Self::Random { seed } => return write!(f, "Random {{ seed: {seed} }}"),
            Self::Guided(_) => "Guided",
        })
    }
}

/// How far an exploration goes. What lies beyond is marked as unexplored, never missing silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pauses once there are this many nodes (a last expansion may add its choices on top).
    pub states: usize,
    /// Nodes further than this many edges from the start are not expanded.
    pub depth: u32,
}

impl Default for Limits {
    /// A million states, any depth.
    fn default() -> Self {
        Self {
            states: 1_000_000,
            depth: u32::MAX,
        }
    }
}

/// How far an exploration has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Nodes of the graph.
    pub states: usize,
    /// Edges of the graph.
    pub edges: usize,
    /// Nodes whose turn is still to come.
    pub waiting: usize,
    /// Ends found so far.
    pub ends: usize,
    /// Nodes beyond the depth limit.
    pub cut: usize,
    /// The greatest depth at which a node was expanded.
    pub depth: u32,
}

/// Why an exploration returned. It can always be run again, with the same or other limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Everything is explored.
    Complete,
    /// Everything within the depth limit is explored.
    Depth,
    /// Everything is explored that the language [follows](Language::is_followed).
    Unfollowed,
    /// The limit of states is reached.
    States,
    /// The caller asked to stop.
    Cancelled,
    /// The ids of nodes or edges are used up.
    Full,
}

/// How many nodes are expanded between two calls of `keep_going`.
const BEAT: u32 = 256;

/// The exploration of a program, to be run in as many slices as the caller likes.
///
/// ```text
/// let mut exploration = Exploration::new(program, Strategy::BreadthFirst);
/// let pause = exploration.run(&Limits::default(), |progress| clock.has_time());
/// ```
pub struct Exploration<L: Language> {
    graph: Graph<L>,
    frontier: Frontier<L::State>,
    cut: Vec<NodeId>,
    unfollowed: BTreeSet<NodeId>,
    ends: Vec<NodeId>,
    deepest: u32,
    /// Whether nodes may have been reached by detours: in any order but breadth first.
    detours: bool,
    /// The depth limit of the last run.
    depth: u32,
    /// Room for the steps of a universe.
    steps: Steps<L>,
}

impl<L: Language> Exploration<L> {
    /// Explores the state graph: equal states are one universe.
    pub fn new(language: L, strategy: Strategy<L::State>) -> Self {
        let start = language.initial();
        Self::from_state(language, start, strategy, true)
    }

    /// Explores the tree: every path leads to a universe of its own. Tests hold what merging leaves against it.
    pub fn unmerged(language: L, strategy: Strategy<L::State>) -> Self {
        let start = language.initial();
        Self::from_state(language, start, strategy, false)
    }

    /// Explores from any state.
    pub fn from_state(
        language: L,
        start: L::State,
        strategy: Strategy<L::State>,
        merged: bool,
    ) -> Self {
        let detours = merged && !matches!(strategy, Strategy::BreadthFirst);
        let mut exploration = Self {
            graph: Graph::new(language, start, merged),
            frontier: Frontier::new(strategy),
            cut: Vec::new(),
            unfollowed: BTreeSet::new(),
            ends: Vec::new(),
            deepest: 0,
            detours,
            depth: u32::MAX,
            steps: Vec::new(),
        };
        exploration.frontier.push(&exploration.graph, NodeId::ROOT);
        exploration
    }

    /// The language, to tell it more; what it says of states that are known must stay the same.
    pub const fn language_mut(&mut self) -> &mut L {
        &mut self.graph.language
    }

    /// Adds a universe to which no step of the language leads, as a debugger's command does. It is
    /// explored when an exploration is focused on it. Returns its node, and whether it is new; none
    /// if the graph is full.
    pub fn insert(&mut self, state: L::State) -> Option<(NodeId, bool)> {
        let state = self.graph.canonical(state);
        let fingerprint = Fingerprint::of(&state);
        self.graph.intern(state, fingerprint, 0)
    }

    /// From now on, explores only what can be reached from `from`, in another order if so wished.
    pub fn focus(&mut self, from: NodeId, strategy: Strategy<L::State>) {
        self.frontier = Frontier::new(strategy);
        self.detours = self.graph.is_merged();
        let waiting = self
            .graph
            .reachable(from)
            .filter(|id| self.graph.status(*id) != Some(Status::Expanded));
        for id in waiting.collect::<Vec<_>>() {
            self.enqueue(id);
        }
    }

    /// The ends that were found, in the order in which they were.
    #[must_use]
    pub fn ends(&self) -> &[NodeId] {
        &self.ends
    }

    /// The states that were found and that the language does not [follow](Language::is_followed).
    pub fn unfollowed(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.unfollowed.iter().copied()
    }

    /// What is explored so far.
    pub const fn graph(&self) -> &Graph<L> {
        &self.graph
    }

    /// Ends the exploration.
    pub fn into_graph(self) -> Graph<L> {
        self.graph
    }

    /// How far it has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            states: self.graph.len(),
            edges: self.graph.edge_count(),
            waiting: self.frontier.len(),
            ends: self.ends.len(),
            cut: self.cut.len(),
            depth: self.deepest,
        }
    }

    /// Explores until done, a limit is reached, or `keep_going` returns false.
    ///
    /// `keep_going` is asked every few hundred universes: it may look at a clock or a flag, or
    /// show the progress.
    pub fn run(&mut self, limits: &Limits, mut keep_going: impl FnMut(Progress) -> bool) -> Pause {
        self.change_depth(limits.depth);
        let mut beat = 0;
        loop {
            beat += 1;
            if beat == BEAT {
                beat = 0;
                if self.frontier.len() > 0 && !keep_going(self.progress()) {
                    return Pause::Cancelled;
                }
            }
            if let Err(pause) = self.advance(limits) {
                return pause;
            }
        }
    }

    /// Explores the one universe whose turn it is, and returns it; the reason if there is none.
    ///
    /// # Errors
    /// [`Pause`], never [`Pause::Cancelled`].
    pub fn advance(&mut self, limits: &Limits) -> Result<NodeId, Pause> {
        self.change_depth(limits.depth);
        let Some(id) = self.frontier.pop() else {
            return Err(self.rest());
        };
        let stop = if self.graph.len() >= limits.states {
            Some(Pause::States)
        } else if !self.expand(id) {
            Some(Pause::Full)
        } else {
            None
        };
        match stop {
            Some(pause) => {
                self.frontier.push_back_first(&self.graph, id);
                Err(pause)
            }
            None => Ok(id),
        }
    }

    /// As [`Exploration::run`], with the steps of many universes computed at the same time by
    /// `workers`.
    ///
    /// Breadth first, the graph is the same, down to its numbers, however many work on it; in other
    /// orders universes may be met in another order, and the limit of states is met a batch late.
    pub fn run_on(
        &mut self,
        workers: &dyn Workers,
        limits: &Limits,
        mut keep_going: impl FnMut(Progress) -> bool,
    ) -> Pause
    where
        L: Sync,
        L::State: Send + Sync,
        L::Choice: Send + Sync,
    {
        self.change_depth(limits.depth);
        loop {
            let mut batch = Vec::new();
            while batch.len() < workers.batch() {
                match self.frontier.pop() {
                    Some(id) if self.graph.status(id) == Some(Status::Expanded) => {}
                    Some(id) if self.leaves(id) => {}
                    Some(id) => batch.push(id),
                    None => break,
                }
            }
            if batch.is_empty() {
                return self.rest();
            }
            let stop = if self.graph.len() >= limits.states {
                Some(Pause::States)
            } else if !keep_going(self.progress()) {
                Some(Pause::Cancelled)
            } else {
                None
            };
            if let Some(pause) = stop {
                self.put_back(&batch);
                return pause;
            }
            let states: Vec<_> = batch
                .iter()
                .map(|id| &self.graph.states[id.0 as usize])
                .collect();
            let found = {
                let (language, merged) = (&self.graph.language, self.graph.is_merged());
                map(workers, &states, |state| {
                    Successor::all(language, merged, state, &mut Vec::new())
                })
            };
            let mut found = found.into_iter();
            for (nth, id) in batch.iter().enumerate() {
                let mut next = found.next().unwrap_or_default();
                if self.graph.len() >= limits.states {
                    self.put_back(&batch[nth..]);
                    return Pause::States;
                }
                // A universe may stand in a frontier twice.
                let known = self.graph.status(*id) == Some(Status::Expanded);
                if !known && !self.adopt(*id, &mut next) {
                    self.put_back(&batch[nth..]);
                    return Pause::Full;
                }
            }
        }
    }

    /// Returns universes whose turn had come, to be taken first again.
    fn put_back(&mut self, batch: &[NodeId]) {
        for id in batch.iter().rev() {
            self.frontier.push_back_first(&self.graph, *id);
        }
    }

    /// Why nothing is left to do.
    fn rest(&self) -> Pause {
        if !self.cut.is_empty() {
            Pause::Depth
        } else if !self.unfollowed.is_empty() {
            Pause::Unfollowed
        } else {
            Pause::Complete
        }
    }

    /// Explores one universe out of turn, as when the user opens it. False if it is not in the
    /// graph, or the graph is full.
    pub fn open(&mut self, id: NodeId) -> bool {
        match self.graph.status(id) {
            None => false,
            Some(Status::Expanded) => true,
            Some(_) => {
                self.detours = self.graph.is_merged();
                self.cut.retain(|other| *other != id);
                // The frontier skips what is expanded by the time its turn comes.
                self.expand(id)
            }
        }
    }

    fn expand(&mut self, id: NodeId) -> bool {
        if self.graph.status(id) == Some(Status::Expanded) || self.leaves(id) {
            return true;
        }
        let Some(state) = self.graph.state(id) else {
            return true;
        };
        let (language, merged) = (&self.graph.language, self.graph.is_merged());
        let mut found = Successor::all(language, merged, state, &mut self.steps);
        self.adopt(id, &mut found)
    }

    /// Whether the language does not follow a state, which is noted.
    fn leaves(&mut self, id: NodeId) -> bool {
        let state = self.graph.state(id);
        let leaves = state.is_some_and(|state| !self.graph.language.is_followed(state));
        if leaves {
            self.unfollowed.insert(id);
        }
        leaves
    }

    /// Adds the steps of a universe.
    fn adopt(&mut self, id: NodeId, found: &mut Vec<Successor<L>>) -> bool {
        let depth = self.graph.nodes[id.0 as usize].depth;
        self.deepest = self.deepest.max(depth);
        let mut fresh = Vec::new();
        let mut nearer = Vec::new();
        let done = self.graph.adopt(id, found, |graph, to, depth, new| {
            if new {
                fresh.push(to);
            } else if graph.nodes[to.0 as usize].depth > depth {
                nearer.push((to, depth));
            }
        });
        if matches!(self.frontier, Frontier::Stack(_)) {
            // The first choice is popped first.
            fresh.reverse();
        }
        for to in fresh {
            self.enqueue(to);
        }
        if self.detours {
            self.shorten(nearer);
        }
        if done && self.graph.is_end(id) {
            self.ends.push(id);
        }
        done
    }

    /// Queues a node, or cuts it off.
    fn enqueue(&mut self, id: NodeId) {
        let node = &mut self.graph.nodes[id.0 as usize];
        if node.depth > self.depth {
            node.status = Status::Cut;
            self.cut.push(id);
        } else {
            node.status = Status::Waiting;
            self.frontier.push(&self.graph, id);
        }
    }

    /// Passes on that nodes are nearer than they were thought to be, so that a depth limit cuts
    /// off the same universes in whatever order they are found.
    fn shorten(&mut self, mut nearer: Vec<(NodeId, u32)>) {
        if self.depth == u32::MAX {
            // Nothing is cut, so nobody asks how deep a node is.
            return;
        }
        let mut uncut = false;
        while let Some((id, depth)) = nearer.pop() {
            let node = &mut self.graph.nodes[id.0 as usize];
            if node.depth <= depth {
                continue;
            }
            node.depth = depth;
            match node.status {
                Status::Expanded => {
                    let targets = self
                        .graph
                        .edges_from(id)
                        .map(|(_, edge)| (edge.to, depth + 1));
                    nearer.extend(targets);
                }
                Status::Cut if depth <= self.depth => {
                    node.status = Status::Waiting;
                    self.frontier.push(&self.graph, id);
                    uncut = true;
                }
                Status::Cut | Status::Waiting => {}
            }
        }
        if uncut {
            self.cut
                .retain(|id| self.graph.status(*id) == Some(Status::Cut));
        }
    }

    /// Applies another depth limit to what is known.
    fn change_depth(&mut self, depth: u32) {
        if depth == self.depth {
            return;
        }
        if self.detours && self.depth == u32::MAX {
            self.measure();
        }
        self.depth = depth;
        let mut unexplored = self.frontier.drain();
        unexplored.append(&mut self.cut);
        unexplored.retain(|id| self.graph.status(*id) != Some(Status::Expanded));
        for id in unexplored {
            self.enqueue(id);
        }
    }

    /// Finds the true depth of every node.
    fn measure(&mut self) {
        for node in self.graph.nodes.iter_mut() {
            node.depth = u32::MAX;
        }
        let mut queue = VecDeque::from([(NodeId::ROOT, 0)]);
        while let Some((id, depth)) = queue.pop_front() {
            let node = &mut self.graph.nodes[id.0 as usize];
            if node.depth == u32::MAX {
                node.depth = depth;
                queue.extend(
                    self.graph
                        .edges_from(id)
                        .map(|(_, edge)| (edge.to, depth + 1)),
                );
            }
        }
    }
}

impl<L: Language> fmt::Debug for Exploration<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exploration")
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}

/// The nodes whose turn is to come.
enum Frontier<S> {
    Queue(VecDeque<NodeId>),
    Stack(Vec<NodeId>),
    Bag(Vec<NodeId>, Random),
    Heap(BinaryHeap<(i64, Reverse<NodeId>)>, Score<S>),
}

impl<S> Frontier<S> {
    fn new(strategy: Strategy<S>) -> Self {
        match strategy {
            Strategy::BreadthFirst => Self::Queue(VecDeque::new()),
            Strategy::DepthFirst => Self::Stack(Vec::new()),
            Strategy::Random { seed } => Self::Bag(Vec::new(), Random::from_seed(seed)),
            Strategy::Guided(score) => Self::Heap(BinaryHeap::new(), score),
        }
    }

    fn push<L: Language<State = S>>(&mut self, graph: &Graph<L>, id: NodeId) {
        match self {
            Self::Queue(queue) => queue.push_back(id),
            Self::Stack(nodes) | Self::Bag(nodes, _) => nodes.push(id),
            Self::Heap(heap, score) => {
                if let Some(state) = graph.state(id) {
                    heap.push((score(state), Reverse(id)));
                }
            }
        }
    }

    /// Returns what `pop` gave, to be popped again first (where the order is fixed).
    fn push_back_first<L: Language<State = S>>(&mut self, graph: &Graph<L>, id: NodeId) {
        match self {
            Self::Queue(queue) => queue.push_front(id),
            _ => self.push(graph, id),
        }
    }

    fn pop(&mut self) -> Option<NodeId> {
        match self {
            Self::Queue(queue) => queue.pop_front(),
            Self::Stack(nodes) => nodes.pop(),
            Self::Bag(nodes, random) => {
                let drawn = random.below(nodes.len());
                (!nodes.is_empty()).then(|| nodes.swap_remove(drawn))
            }
            Self::Heap(heap, _) => heap.pop().map(|(_, Reverse(id))| id),
        }
    }

    fn drain(&mut self) -> Vec<NodeId> {
        match self {
            Self::Queue(queue) => queue.drain(..).collect(),
            Self::Stack(nodes) | Self::Bag(nodes, _) => std::mem::take(nodes),
            Self::Heap(heap, _) => {
                let mut nodes: Vec<_> = heap.drain().map(|(_, Reverse(id))| id).collect();
                nodes.sort_unstable();
                nodes
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Queue(queue) => queue.len(),
            Self::Stack(nodes) | Self::Bag(nodes, _) => nodes.len(),
            Self::Heap(heap, _) => heap.len(),
        }
    }
}
