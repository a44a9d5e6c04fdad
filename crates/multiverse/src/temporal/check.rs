//! Formulas against graphs: a tableau in product with the multiverse.
//!
//! A node of the product is a universe with the formulas that the run from there still owes. Atoms
//! are decided at once; what is owed of an until is put off to the next universe. A run is a witness
//! if it ends owing nothing, or goes round a cycle on which no until is put off for ever
//! (Gerth, Peled, Vardi, Wolper: *Simple On-the-fly Automatic Verification of Linear Temporal
//! Logic*, 1995; here with acceptance on edges).
//!
//! Where only fair runs count, a cycle must besides, for each agent, have a step of it or pass a
//! universe in which it cannot act. Both kinds of demand are met by arcs, so one search serves both.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::{Fairness, Formula};
use crate::graph::{AgentId, Edge, EdgeId, Graph, NodeId, Status};
use crate::heed::{Enough, Heed as _, Impatient};
use crate::language::Language;

/// A run of the program: to an end, or to a cycle and then round it for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// From the start.
    pub stem: Vec<EdgeId>,
    /// The cycle; empty if the run ends.
    pub cycle: Vec<EdgeId>,
}

/// An answer about all runs of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It is so; for [`may`], with a run that fulfils the formula.
    Yes(Option<Run>),
    /// It is not so; for [`must`], with a run that breaks the formula.
    No(Option<Run>),
    /// This run decides it, and not all of its steps are open to all that their universes stand for
    /// ([`Graph::is_partial`]): perhaps the program takes no such run.
    Maybe(Run),
    /// It depends on universes that are not explored, or the search was stopped.
    Unknown,
}

/// Whether some run of the program (among those that count) fulfils `formula`. Gives up when `keep_going` returns false.
///
/// Where fairness is asked for, the graph's steps must be steps of one agent each: what
/// [`crate::adapt::Runs`] folds hides who could act in between.
pub fn may<L: Language, A>(
    graph: &Graph<L>,
    formula: &Formula<A>,
    fairness: Fairness,
    holds: impl Fn(&A, &L::State) -> bool,
    keep_going: &mut dyn FnMut() -> bool,
) -> Truth {
    match search(graph, formula, true, fairness, &holds, keep_going) {
        Search::Found(run) => Truth::Yes(Some(run)),
        Search::Perhaps(run) => Truth::Maybe(run),
        Search::Nothing => Truth::No(None),
        Search::Unknown => Truth::Unknown,
    }
}

/// Whether all runs of the program (that count) fulfil `formula`; on fairness and `keep_going` see [`may`].
pub fn must<L: Language, A>(
    graph: &Graph<L>,
    formula: &Formula<A>,
    fairness: Fairness,
    holds: impl Fn(&A, &L::State) -> bool,
    keep_going: &mut dyn FnMut() -> bool,
) -> Truth {
    match search(graph, formula, false, fairness, &holds, keep_going) {
        Search::Found(run) => Truth::No(Some(run)),
        Search::Perhaps(run) => Truth::Maybe(run),
        Search::Nothing => Truth::Yes(None),
        Search::Unknown => Truth::Unknown,
    }
}

enum Search {
    Found(Run),
    /// One with partial edges.
    Perhaps(Run),
    Nothing,
    Unknown,
}

/// A formula with negations at atoms only, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Constant(bool),
    Atom(usize, bool),
    And(usize, usize),
    Or(usize, usize),
    /// Strong: there must be a next state; weak otherwise.
    Next(usize, bool),
    Until(usize, usize),
    Release(usize, usize),
}

struct Tableau<'f, A> {
    nodes: Vec<Node>,
    atoms: Vec<&'f A>,
    /// The untils, each with its place in acceptance sets.
    untils: Vec<usize>,
}

/// What remains to be fulfilled in the next state.
type Owed = BTreeSet<usize>;

/// A way to fulfil obligations in a state.
struct Way {
    owed: Owed,
    /// Whether there must be a next state.
    strong: bool,
    /// The untils that are put off, by their places.
    postponed: BTreeSet<usize>,
}

impl<'f, A> Tableau<'f, A> {
    fn new() -> Self {
        Tableau {
            nodes: Vec::new(),
            atoms: Vec::new(),
            untils: Vec::new(),
        }
    }

    fn add(&mut self, formula: &'f Formula<A>, positive: bool) -> usize {
        let node = match formula {
            Formula::Constant(value) => Node::Constant(*value == positive),
            Formula::Atom(atom) => {
                self.atoms.push(atom);
                Node::Atom(self.atoms.len() - 1, positive)
            }
            Formula::Not(inner) => return self.add(inner, !positive),
            Formula::And(parts) | Formula::Or(parts) => {
                let (a, b) = (self.add(&parts.0, positive), self.add(&parts.1, positive));
                if matches!(formula, Formula::And(_)) == positive {
                    Node::And(a, b)
                } else {
                    Node::Or(a, b)
                }
            }
            Formula::Next(inner) => Node::Next(self.add(inner, positive), positive),
            Formula::Until(parts) => {
                let (a, b) = (self.add(&parts.0, positive), self.add(&parts.1, positive));
                if positive {
                    self.untils.push(self.nodes.len());
                    Node::Until(a, b)
                } else {
                    Node::Release(a, b)
                }
            }
        };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// All ways to fulfil `owed` in a state in which atoms are as `holds` says.
    fn ways(&self, owed: &Owed, holds: &dyn Fn(&A) -> bool) -> Vec<Way> {
        let mut ways = Vec::new();
        let start = Way {
            owed: Owed::new(),
            strong: false,
            postponed: BTreeSet::new(),
        };
        let mut branches = vec![(
            owed.iter().copied().collect::<Vec<_>>(),
            BTreeSet::new(),
            start,
        )];
        'branch: while let Some((mut todo, mut done, mut way)) = branches.pop() {
            while let Some(id) = todo.pop() {
                if !done.insert(id) {
                    continue;
                }
                match self.nodes[id] {
                    Node::Constant(true) => {}
                    Node::Constant(false) => continue 'branch,
                    Node::Atom(atom, positive) => {
                        if holds(self.atoms[atom]) != positive {
                            continue 'branch;
                        }
                    }
                    Node::And(a, b) => todo.extend([a, b]),
                    Node::Or(a, b) => {
                        branches.push((pushed(&todo, b), done.clone(), way.clone()));
                        todo.push(a);
                    }
                    Node::Next(inner, strong) => {
                        way.owed.insert(inner);
                        way.strong |= strong;
                    }
                    Node::Until(a, b) => {
                        let mut later = way.clone();
                        later.owed.insert(id);
                        later.strong = true;
                        later
                            .postponed
                            .extend(self.untils.iter().position(|u| *u == id));
                        branches.push((pushed(&todo, a), done.clone(), later));
                        todo.push(b);
                    }
                    Node::Release(a, b) => {
                        todo.push(b);
                        let mut later = way.clone();
                        later.owed.insert(id);
                        branches.push((todo.clone(), done.clone(), later));
                        todo.push(a);
                    }
                }
            }
            ways.push(way);
        }
        ways
    }
}

impl Clone for Way {
    fn clone(&self) -> Self {
        Self {
            owed: self.owed.clone(),
            strong: self.strong,
            postponed: self.postponed.clone(),
        }
    }
}

fn pushed(todo: &[usize], id: usize) -> Vec<usize> {
    let mut longer = todo.to_vec();
    longer.push(id);
    longer
}

/// An edge of the product.
struct Arc {
    to: usize,
    edge: EdgeId,
    postponed: BTreeSet<usize>,
}

struct Product {
    arcs: Vec<Vec<Arc>>,
    /// The arc by which each node was found: from where, and the edge.
    found: Vec<Option<(usize, EdgeId)>>,
}

/// What a cycle must have for a run that goes round it to count.
#[derive(Clone, Copy)]
enum Demand {
    /// An arc on which the until with this place is not put off.
    Until(usize),
    /// A step of this agent, or a universe in which it cannot act.
    Agent(AgentId),
}

fn search<L: Language, A>(
    graph: &Graph<L>,
    formula: &Formula<A>,
    positive: bool,
    fairness: Fairness,
    holds: &dyn Fn(&A, &L::State) -> bool,
    keep_going: &mut dyn FnMut() -> bool,
) -> Search {
    let mut heed = Impatient::new(keep_going);
    let mut search = |only_whole| {
        let which = (fairness, only_whole);
        let found = search_product(graph, formula, positive, which, holds, &mut heed);
        found.unwrap_or(Search::Unknown)
    };
    if graph.partial().is_empty() {
        return search(false);
    }
    // A run of edges that are open to all is one of the program's.
    match (search(true), search(false)) {
        (Search::Found(run), _) => Search::Found(run),
        (_, Search::Found(run)) => Search::Perhaps(run),
        (_, other) => other,
    }
}

fn search_product<L: Language, A>(
    graph: &Graph<L>,
    formula: &Formula<A>,
    positive: bool,
    (fairness, only_whole): (Fairness, bool),
    holds: &dyn Fn(&A, &L::State) -> bool,
    heed: &mut Impatient<'_>,
) -> Result<Search, Enough> {
    let is_open = |(edge, _): &(EdgeId, Edge)| !(only_whole && graph.is_partial(*edge));
    let mut tableau = Tableau::new();
    let root = tableau.add(formula, positive);
    let mut product = Product {
        arcs: Vec::new(),
        found: vec![None],
    };
    let mut owed_sets: Vec<Owed> = vec![Owed::from([root])];
    let mut sets: HashMap<Owed, usize> = HashMap::from([(owed_sets[0].clone(), 0)]);
    let mut index: HashMap<(NodeId, usize), usize> = HashMap::from([((NodeId::ROOT, 0), 0)]);
    let mut queue = VecDeque::from([(NodeId::ROOT, 0_usize)]);
    let mut unknown = false;
    while let Some((universe, set)) = queue.pop_front() {
        heed.step()?;
        let here = product.arcs.len();
        product.arcs.push(Vec::new());
        let Some(state) = graph.state(universe) else {
            continue;
        };
        let ways = tableau.ways(&owed_sets[set], &|atom| holds(atom, state));
        if graph.status(universe) != Some(Status::Expanded) {
            unknown |= !ways.is_empty();
            continue;
        }
        if graph.is_end(universe) {
            if ways.iter().any(|way| !way.strong) {
                let stem = product.stem(here);
                return Ok(Search::Found(Run {
                    stem,
                    cycle: Vec::new(),
                }));
            }
            continue;
        }
        if fairness == Fairness::Weak {
            graph.note_agents(universe);
        }
        for way in ways {
            let next_set = *sets.entry(way.owed.clone()).or_insert_with(|| {
                owed_sets.push(way.owed.clone());
                owed_sets.len() - 1
            });
            for (edge, step) in graph.edges_from(universe).filter(is_open) {
                let to = *index.entry((step.to, next_set)).or_insert_with(|| {
                    queue.push_back((step.to, next_set));
                    product.found.push(Some((here, edge)));
                    product.found.len() - 1
                });
                product.arcs[here].push(Arc {
                    to,
                    edge,
                    postponed: way.postponed.clone(),
                });
            }
        }
    }
    let untils = (0..tableau.untils.len()).map(Demand::Until);
    let agents = graph.agents().map(Demand::Agent);
    let demands: Vec<_> = match fairness {
        Fairness::Weak => untils.chain(agents).collect(),
        Fairness::None => untils.collect(),
    };
    Ok(match product.lasso(graph, &demands, heed)? {
        Some(run) => Search::Found(run),
        None if unknown => Search::Unknown,
        None => Search::Nothing,
    })
}

impl Product {
    /// A shortest way to a node.
    fn stem(&self, node: usize) -> Vec<EdgeId> {
        let mut stem = Vec::new();
        let mut at = node;
        while let Some((from, edge)) = self.found[at] {
            stem.push(edge);
            at = from;
        }
        stem.reverse();
        stem
    }

    /// A way to a cycle on which no until is put off for ever and no agent is kept waiting.
    fn lasso<L: Language>(
        &self,
        graph: &Graph<L>,
        demands: &[Demand],
        heed: &mut Impatient<'_>,
    ) -> Result<Option<Run>, Enough> {
        for component in self.components(heed)? {
            heed.step()?;
            let members: BTreeSet<_> = component.iter().copied().collect();
            let meets = |demand: Demand, arc: &Arc| match demand {
                Demand::Until(until) => !arc.postponed.contains(&until),
                Demand::Agent(agent) => graph.is_served(agent, arc.edge),
            };
            let inner = |from: usize| {
                let arcs = self.arcs[from].iter();
                arcs.filter(|arc| members.contains(&arc.to))
            };
            let cyclic = component.iter().any(|from| inner(*from).next().is_some());
            let can_meet = |demand: &Demand| {
                let mut from = component.iter();
                from.any(|from| inner(*from).any(|arc| meets(*demand, arc)))
            };
            if !cyclic || !demands.iter().all(can_meet) {
                continue;
            }
            // None is empty.
            let Some(start) = component.iter().min().copied() else {
                continue;
            };
            let mut cycle: Vec<&Arc> = Vec::new();
            let mut at = start;
            for demand in demands {
                if cycle.iter().any(|arc| meets(*demand, arc)) {
                    continue;
                }
                let wanted = |arc: &Arc| meets(*demand, arc);
                cycle.extend(self.through(&members, at, wanted, heed)?);
                at = cycle.last().map_or(start, |arc| arc.to);
            }
            // Back, and at least one step in all.
            if at != start || cycle.is_empty() {
                let back = |arc: &Arc| arc.to == start;
                cycle.extend(self.through(&members, at, back, heed)?);
            }
            let stem = self.stem(start);
            let cycle = cycle.into_iter().map(|arc| arc.edge).collect();
            return Ok(Some(Run { stem, cycle }));
        }
        Ok(None)
    }

    /// A shortest way within `members` that ends with a wanted arc, of which there is one: in a component everything is
    /// reached from everywhere.
    fn through(
        &self,
        members: &BTreeSet<usize>,
        start: usize,
        wanted: impl Fn(&Arc) -> bool,
        heed: &mut Impatient<'_>,
    ) -> Result<Vec<&Arc>, Enough> {
        let mut came: HashMap<usize, (usize, &Arc)> = HashMap::new();
        let mut seen = BTreeSet::from([start]);
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            heed.step()?;
            for arc in self.arcs[at].iter().filter(|arc| members.contains(&arc.to)) {
                if wanted(arc) {
                    let mut path = vec![arc];
                    let mut back = at;
                    while let Some((from, arc)) = came.get(&back) {
                        path.push(*arc);
                        back = *from;
                    }
                    path.reverse();
                    return Ok(path);
                }
                if seen.insert(arc.to) {
                    came.insert(arc.to, (at, arc));
                    queue.push_back(arc.to);
                }
            }
        }
        Ok(Vec::new())
    }

    /// The strongly connected components (Tarjan 1972, without recursion).
    fn components(&self, heed: &mut Impatient<'_>) -> Result<Vec<Vec<usize>>, Enough> {
        const UNSEEN: usize = usize::MAX;
        let count = self.arcs.len();
        let (mut order, mut low) = (vec![UNSEEN; count], vec![0; count]);
        let (mut on_stack, mut stack) = (vec![false; count], Vec::new());
        let mut components = Vec::new();
        let mut next = 0;
        for root in 0..count {
            if order[root] != UNSEEN {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some((node, nth)) = calls.pop() {
                if nth == 0 {
                    heed.step()?;
                    order[node] = next;
                    low[node] = next;
                    next += 1;
                    stack.push(node);
                    on_stack[node] = true;
                }
                if let Some(arc) = self.arcs[node].get(nth) {
                    calls.push((node, nth + 1));
                    if order[arc.to] == UNSEEN {
                        calls.push((arc.to, 0));
                    } else if on_stack[arc.to] {
                        low[node] = low[node].min(order[arc.to]);
                    }
                    continue;
                }
                if let Some((parent, _)) = calls.last() {
                    low[*parent] = low[*parent].min(low[node]);
                }
                if low[node] == order[node] {
                    let at = stack.iter().rposition(|other| *other == node).unwrap_or(0);
                    let component = stack.split_off(at);
                    for member in &component {
                        on_stack[*member] = false;
                    }
                    components.push(component);
                }
            }
        }
        Ok(components)
    }
}
