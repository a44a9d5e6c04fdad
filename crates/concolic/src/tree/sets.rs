//! Finds which values can stand in for each representative of a tree, and what else an input may answer.

use super::hands::Pieces;
use super::ways::{begun, next_event, others_fit};
use super::{
    Allowed, EventOption, Hand, InputOption, Known, Node, OtherValues, Suggestions, hands,
};
use crate::budget::Budget;
use crate::constraint::Constraint;
use crate::decide::Decider;
use crate::path::Path;
use crate::set::Set;

/// How a node of a tree is come to.
#[derive(Clone, Default)]
struct Comes {
    /// What the inputs before it answer.
    answers: Vec<u64>,
    /// So many events have arrived.
    events: usize,
    /// Paths that these answers begin too, and that stand under other options.
    elsewhere: Vec<usize>,
}

impl Comes {
    /// The same, with an event before the next input, or none.
    fn with_event(&self, option: &EventOption, paths: &[Path]) -> Self {
        let arrives = |path: &&usize| {
            next_event(&paths[**path], self.events, self.answers.len()) == option.event
        };
        Self {
            answers: self.answers.clone(),
            events: self.events + usize::from(option.event.is_some()),
            elsewhere: self.elsewhere.iter().filter(arrives).copied().collect(),
        }
    }
}

/// The paths of a tree in the order of their ends, and which of them are behind each node.
struct Behind {
    order: Vec<usize>,
    /// By nodes: from where in the order, and how many.
    parts: Vec<(usize, usize)>,
    /// By paths: where in the order it is, if it is in the tree.
    places: Vec<Option<usize>>,
}

impl Behind {
    fn new(tree: &Suggestions) -> Self {
        let nodes = &tree.nodes;
        let mut parts = vec![(0, 0); nodes.len()];
        // Children come after their parents.
        for (number, node) in nodes.iter().enumerate().rev() {
            parts[number].1 = match node {
                Node::End { path } => usize::from(tree.answers[*path].is_some()),
                inner => inner.next().map(|next| parts[next].1).sum(),
            };
        }
        let mut order = vec![0; parts.first().map_or(0, |all| all.1)];
        let mut places = vec![None; tree.answers.len()];
        for (number, node) in nodes.iter().enumerate() {
            let (mut from, count) = parts[number];
            match node {
                Node::End { path } if count > 0 => {
                    (order[from], places[*path]) = (*path, Some(from));
                }
                inner => {
                    for next in inner.next() {
                        parts[next].0 = from;
                        from += parts[next].1;
                    }
                }
            }
        }
        Behind {
            order,
            parts,
            places,
        }
    }

    /// The paths behind a node.
    fn paths(&self, node: usize) -> &[usize] {
        let (from, count) = self.parts[node];
        &self.order[from..from + count]
    }

    fn is(&self, path: usize, node: usize) -> bool {
        let (from, count) = self.parts[node];
        self.places[path].is_some_and(|at| (from..from + count).contains(&at))
    }
}

/// Looks at nodes, with one hand of several.
struct Finder<'f> {
    known: Known<'f>,
    budget: &'f Budget<'f>,
    tree: &'f Suggestions,
    /// For nodes that are inputs, the values that each path through them allows.
    projections: &'f [Allowed],
    behind: &'f Behind,
    decider: &'f mut Decider,
}

/// What was found of an input: its options with their sets, and what else it may answer.
pub(super) type Found = (usize, Vec<InputOption>, Option<OtherValues>);

/// Fills in which values can stand in for each representative.
pub(super) fn find_sets(
    known: Known<'_>,
    tree: &mut Suggestions,
    projections: &[Allowed],
    hands: &mut [Hand],
    budget: &Budget<'_>,
) {
    // Of what is not looked at, the representative is all that is known.
    if budget.is_spent() || tree.nodes.is_empty() {
        return;
    }
    let behind = Behind::new(tree);
    let (of, behind) = (&*tree, &behind);
    hands::work(
        hands,
        (0, Comes::default()),
        budget,
        &|hand, budget, piece, pieces| {
            let mut finder = Finder {
                known,
                budget,
                tree: of,
                projections,
                behind,
                decider: &mut hand.decider,
            };
            hand.found.extend(finder.look(piece, pieces));
            true
        },
    );
    for (node, found, left) in hands.iter_mut().flat_map(|hand| hand.found.drain(..)) {
        if let Node::Input { options, rest, .. } = &mut tree.nodes[node] {
            (*options, *rest) = (found, left);
        }
    }
}

impl Finder<'_> {
    /// Looks at a node that is come to so; what follows it is looked at later.
    fn look(
        &mut self,
        (number, here): (usize, Comes),
        pieces: &mut Pieces<'_, (usize, Comes)>,
    ) -> Option<Found> {
        let options = match &self.tree.nodes[number] {
            Node::Input { options, .. } => options,
            Node::Event { options } => {
                let comes = options
                    .iter()
                    .map(|option| (option.next, here.with_event(option, self.known.paths)));
                pieces.extend(comes);
                return None;
            }
            Node::End { .. } => return None,
        };
        let mut options = options.clone();
        let place = here.answers.len() as u32;
        for option in &mut options {
            // Of what was not looked at, the representative is all that is known.
            if self.budget.is_spent() {
                continue;
            }
            let (set, is_exact) = self.stand_ins(place, self.behind.paths(option.next));
            (option.is_exact, option.set) = match set.contains(option.cell) {
                true => (is_exact && !self.budget.is_spent(), set),
                false => (false, Set::single(option.cell)),
            };
        }
        for option in &options {
            let siblings = options.iter().filter(|other| other.next != option.next);
            let siblings = siblings.flat_map(|other| self.behind.paths(other.next));
            let others: Vec<usize> = here.elsewhere.iter().chain(siblings).copied().collect();
            pieces.push((option.next, self.comes(&here, option.cell, others)));
        }
        let left = self.rest(number, &options, &here);
        Some((number, options, left))
    }

    /// How a node is come to from one before it with an answer; of `others`, paths that stand under other options, those
    /// remain that these answers begin as well.
    fn comes(&mut self, before: &Comes, cell: u64, others: Vec<usize>) -> Comes {
        let answers = [&before.answers[..], &[cell]].concat();
        let mut elsewhere = others;
        elsewhere.retain(|path| {
            // What is not looked at is not said to be there.
            !self.budget.is_spent()
                && begun(
                    self.known.dag,
                    self.decider,
                    &self.known.paths[*path],
                    &answers,
                    before.answers.len(),
                )
                .next()
                .is_some()
        });
        Comes {
            answers,
            events: before.events,
            elsewhere,
        }
    }

    /// What an input may answer besides its options.
    fn rest(&mut self, node: usize, options: &[InputOption], here: &Comes) -> Option<OtherValues> {
        let projections = &self.projections[node];
        if projections.is_empty() || !options.iter().all(|option| option.is_exact) {
            return None;
        }
        let here_on = projections.iter().map(|(_, set)| set);
        let mut allowed = here_on.fold(Set::empty(), |all, set| all.union(set));
        // Also what only leads along paths that stand under other answers of the inputs before can be answered.
        for path in &here.elsewhere {
            let sets = begun(
                self.known.dag,
                self.decider,
                &self.known.paths[*path],
                &here.answers,
                here.answers.len(),
            );
            allowed = sets.fold(allowed, |all, set| all.union(set));
        }
        let taken = options
            .iter()
            .fold(Set::empty(), |all, option| all.union(&option.set));
        let set = allowed.without(&taken);
        if set.is_empty() {
            return None;
        }
        let keeps = |option: &InputOption| {
            projections.iter().any(|(path, allowed)| {
                self.behind.is(*path, option.next) && !allowed.intersect(&set).is_empty()
            })
        };
        let options = options.iter().enumerate();
        let options = options.filter(|(_, option)| keeps(option));
        Some(OtherValues {
            options: options.map(|(number, _)| number).collect(),
            set,
        })
    }

    /// The values of the input at `place` with which all these paths stay as they are, and whether these are all.
    fn stand_ins(&mut self, place: u32, paths: &[usize]) -> (Set, bool) {
        let mut common: Option<Set> = None;
        let mut is_exact = true;
        for path in paths {
            let Some(answers) = &self.tree.answers[*path] else {
                continue;
            };
            let mut union = Set::empty();
            let ways = &self.known.paths[*path].ways;
            for way in ways {
                let Some(read) = way.reads.get(place as usize) else {
                    continue;
                };
                // The answers are those of a way.
                let is_it = ways.len() == 1;
                if !is_it && !others_fit(self.known.dag, self.decider, way, answers, place) {
                    continue;
                }
                let concerned: Vec<Constraint> = way
                    .constraints
                    .iter()
                    .filter(|constraint| self.known.dag.inputs(constraint.expr).contains(&place))
                    .cloned()
                    .collect();
                let refined = self.decider.refine(
                    self.budget,
                    self.known.dag,
                    place,
                    &read.domain,
                    &concerned,
                    answers,
                );
                match refined {
                    Some(set) => union = union.union(&set),
                    None => is_exact = false,
                }
            }
            common = Some(match common {
                Some(common) => common.intersect(&union),
                None => union,
            });
        }
        (common.unwrap_or(Set::empty()), is_exact)
    }
}
