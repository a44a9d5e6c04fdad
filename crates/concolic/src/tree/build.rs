//! Makes the nodes of a tree, from the root to the ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use borges_vm::ValType;

use super::asking::Asking;
use super::hands::Pieces;
use super::ways::{goes_on, next_event, possible};
use super::{Allowed, EventOption, Hand, InputOption, Known, Node, hands};
use crate::budget::Budget;
use crate::constraint::Solution;
use crate::path::{Delivered, Read, Way};
use crate::set::{Set, nice};

/// Paths that go through a node.
struct Open {
    node: usize,
    prefix: Vec<u64>,
    /// So many events have arrived.
    events: usize,
    /// No further one does before the next input.
    is_quiet: bool,
    paths: Vec<usize>,
}

/// What a hand has to do.
enum Piece {
    /// Make a node.
    Open(Open),
    /// Help another one that makes a node.
    Help(Arc<Asking>),
}

/// The values that an input may have on a path, the answers before it given.
struct Projection {
    path: usize,
    /// At most these.
    set: Set,
    /// Whether later inputs have a say as well.
    is_coupled: bool,
}

/// Makes nodes, with one hand of several.
struct Builder<'b> {
    known: Known<'b>,
    budget: &'b Budget<'b>,
    /// So many nodes have a number.
    count: &'b AtomicUsize,
    hand: &'b mut Hand,
    /// Nothing was left to spend where others were asked.
    is_cut: bool,
}

/// How a node is made; false if the budget ended that.
type Expand = fn(&mut Builder<'_>, Open, &mut Pieces<'_, Piece>) -> bool;

/// Makes the nodes of all paths on the values that most can share; how many there are, or nothing if the budget ended that.
pub(super) fn build(known: Known<'_>, hands: &mut [Hand], budget: &Budget<'_>) -> Option<usize> {
    build_by(
        |builder, open, stack| builder.expand(open, stack),
        known,
        hands,
        budget,
    )
}

/// Makes the nodes of all paths on the values that each was found with, whatever is left of the budget.
pub(super) fn build_as_found(known: Known<'_>, hands: &mut [Hand], budget: &Budget<'_>) -> usize {
    let built = build_by(
        |builder, open, stack| builder.expand_as_found(open, stack),
        known,
        hands,
        budget,
    );
    built.expect("no budget ends that")
}

fn build_by(
    expand: Expand,
    known: Known<'_>,
    hands: &mut [Hand],
    budget: &Budget<'_>,
) -> Option<usize> {
    let count = AtomicUsize::new(1);
    let root = Open {
        node: 0,
        prefix: Vec::new(),
        events: 0,
        is_quiet: false,
        paths: (0..known.paths.len()).collect(),
    };
    let root = Piece::Open(root);
    let is_whole = hands::work(hands, root, budget, &|hand, budget, piece, stack| {
        let mut builder = Builder {
            known,
            budget,
            count: &count,
            hand,
            is_cut: false,
        };
        match piece {
            Piece::Open(open) => expand(&mut builder, open, stack),
            Piece::Help(asking) => {
                asking.help(|path, with| builder.known_to_go(path, with));
                true
            }
        }
    });
    is_whole.then(|| count.into_inner())
}

impl<'b> Builder<'b> {
    /// Makes a node of an input, or of an end, from the values that each path was found with.
    fn expand_as_found(&mut self, open: Open, stack: &mut Pieces<'_, Piece>) -> bool {
        if !open.is_quiet && self.arrivals(&open, stack) {
            return true;
        }
        let place = open.prefix.len();
        let mut ended = Vec::new();
        let mut going = Vec::new();
        let mut input = None;
        for path in open.paths {
            let way = self.known.paths[path].ways.first();
            match way.and_then(|way| way.reads.get(place).zip(way.model.get(place))) {
                Some((read, cell)) => {
                    input.get_or_insert(read);
                    going.push((*cell, path));
                }
                None => ended.push(path),
            }
        }
        let Some(read) = input else {
            self.end(open.node, open.prefix, &ended);
            return true;
        };
        self.hand.left_out.extend(ended);
        going.sort_unstable();
        // Mostly there is one: thousands of nodes with room for four would be felt.
        let mut options = Vec::with_capacity(1);
        for same in going.chunk_by(|one, next| one.0 == next.0) {
            let covered = same.iter().map(|(_, path)| *path).collect();
            options.push(self.option(same[0].0, covered, &open.prefix, open.events, stack));
        }
        self.made(open.node, input_node(read, options), Vec::new());
        true
    }

    /// A node is made, and what each path through it allows if it is an input.
    fn made(&mut self, number: usize, node: Node, allowed: Allowed) {
        self.hand.nodes.push((number, node, allowed));
    }

    /// An end: the answers so far lead along the first of these paths, and so along no other.
    fn end(&mut self, node: usize, prefix: Vec<u64>, paths: &[usize]) {
        if let Some((first, others)) = paths.split_first() {
            self.hand.left_out.extend(others);
            self.made(node, Node::End { path: *first }, Vec::new());
            self.hand.answers.push((*first, prefix));
        }
    }

    /// An answer that leads to these paths; what follows it is still to be built.
    fn option(
        &mut self,
        cell: u64,
        covered: Vec<usize>,
        prefix: &[u64],
        events: usize,
        stack: &mut Pieces<'_, Piece>,
    ) -> InputOption {
        let next = self.count.fetch_add(1, Ordering::Relaxed);
        stack.push(Piece::Open(Open {
            node: next,
            prefix: [prefix, &[cell]].concat(),
            events,
            is_quiet: false,
            paths: covered,
        }));
        InputOption {
            cell,
            set: Set::single(cell),
            is_exact: false,
            next,
        }
    }

    /// Makes a node of an input, or of an end; false if the budget ended that.
    fn expand(&mut self, open: Open, stack: &mut Pieces<'_, Piece>) -> bool {
        if !open.is_quiet && self.arrivals(&open, stack) {
            return true;
        }
        let place = open.prefix.len();
        let Some((first, way)) = open
            .paths
            .iter()
            .find_map(|path| Some((*path, self.way(*path, &open.prefix)?)))
        else {
            self.hand.left_out.extend(&open.paths);
            let path = open.paths[0];
            self.made(open.node, Node::End { path }, Vec::new());
            return !self.budget.is_spent();
        };
        let Some(read) = way.reads.get(place) else {
            let mut paths = open.paths;
            paths.retain(|path| *path != first);
            paths.insert(0, first);
            self.end(open.node, open.prefix, &paths);
            return true;
        };
        let mut options = Vec::new();
        let mut uncovered: Vec<Projection> = Vec::new();
        for path in &open.paths {
            if self.budget.is_spent() {
                return false;
            }
            match self.projection(*path, &open.prefix) {
                Some(projection) => uncovered.push(projection),
                None => self.hand.left_out.push(*path),
            }
        }
        let mut allowed = Vec::with_capacity(uncovered.len());
        while !uncovered.is_empty() {
            let best = self.best(&uncovered, &open.prefix, read.ty, stack);
            let Some((cell, covered)) = best else {
                self.hand.left_out.extend(uncovered.iter().map(|p| p.path));
                break;
            };
            // They are in the same order.
            let mut next = covered.iter().peekable();
            let mut is_left =
                |projection: &Projection| next.next_if_eq(&&projection.path).is_none();
            let (left, done): (Vec<_>, Vec<_>) = uncovered.into_iter().partition(&mut is_left);
            allowed.extend(
                done.into_iter()
                    .map(|projection| (projection.path, projection.set)),
            );
            uncovered = left;
            options.push(self.option(cell, covered, &open.prefix, open.events, stack));
        }
        let left = uncovered.into_iter();
        allowed.extend(left.map(|projection| (projection.path, projection.set)));
        self.made(open.node, input_node(read, options), allowed);
        !self.is_cut && !self.budget.is_spent()
    }

    /// Makes a node of the events that arrive next; false if none does on any of the paths.
    fn arrivals(&mut self, open: &Open, stack: &mut Pieces<'_, Piece>) -> bool {
        if open
            .paths
            .iter()
            .all(|path| self.known.paths[*path].events.len() <= open.events)
        {
            return false;
        }
        let mut by_event: Vec<(Option<Delivered>, Vec<usize>)> = Vec::new();
        for path in &open.paths {
            let next = next_event(&self.known.paths[*path], open.events, open.prefix.len());
            match by_event.iter_mut().find(|(known, _)| *known == next) {
                Some((_, paths)) => paths.push(*path),
                None => by_event.push((next, vec![*path])),
            }
        }
        if matches!(by_event.as_slice(), [] | [(None, _)]) {
            return false;
        }
        by_event.sort_by_key(|(event, _)| event.map(|event| (event.step, event.event.source)));
        let mut options = Vec::new();
        for (event, paths) in by_event {
            let next = self.count.fetch_add(1, Ordering::Relaxed);
            options.push(EventOption { event, next });
            stack.push(Piece::Open(Open {
                node: next,
                prefix: open.prefix.clone(),
                events: open.events + usize::from(event.is_some()),
                is_quiet: event.is_none(),
                paths,
            }));
        }
        self.made(open.node, Node::Event { options }, Vec::new());
        true
    }

    /// A way along a path that these answers begin.
    fn way(&mut self, path: usize, prefix: &[u64]) -> Option<&'b Way> {
        let ways: &'b [Way] = &self.known.paths[path].ways;
        if let [only] = ways {
            return Some(only);
        }
        let (budget, dag, decider) = (self.budget, self.known.dag, &mut self.hand.decider);
        ways.iter().find(|way| {
            matches!(
                possible(budget, dag, decider, way, prefix),
                Solution::Yes(_)
            )
        })
    }

    fn projection(&mut self, path: usize, prefix: &[u64]) -> Option<Projection> {
        let place = prefix.len() as u32;
        let mut set = Set::empty();
        let mut is_coupled = false;
        let ways = &self.known.paths[path].ways;
        for way in ways {
            let Some(read) = way.reads.get(prefix.len()) else {
                continue;
            };
            let alone = ways.len() == 1;
            if !alone
                && possible(
                    self.budget,
                    self.known.dag,
                    &mut self.hand.decider,
                    way,
                    prefix,
                ) == Solution::No
            {
                continue;
            }
            let mut narrowing = Vec::new();
            for constraint in &way.constraints {
                let inputs = self.known.dag.inputs(constraint.expr);
                if !inputs.contains(&place) {
                    continue;
                }
                if inputs.last().is_some_and(|last| *last > place) {
                    is_coupled = true;
                } else {
                    narrowing.push(constraint.clone());
                }
            }
            let refined = self.hand.decider.refine(
                self.budget,
                self.known.dag,
                place,
                &read.domain,
                &narrowing,
                prefix,
            );
            let refined = refined.unwrap_or_else(|| {
                is_coupled = true;
                read.domain.clone()
            });
            set = set.union(&refined);
        }
        (!set.is_empty()).then_some(Projection {
            path,
            set,
            is_coupled,
        })
    }

    /// The value that most of these paths can share, and those that do.
    fn best(
        &mut self,
        uncovered: &[Projection],
        prefix: &[u64],
        ty: ValType,
        stack: &Pieces<'_, Piece>,
    ) -> Option<(u64, Vec<usize>)> {
        let shared = most_shared(uncovered);
        let mut candidates = vec![nice(&shared, ty)?];
        if uncovered.iter().any(|projection| projection.is_coupled) {
            let (low, high) = shared.bounds()?;
            let count = u64::try_from(shared.count()).unwrap_or(u64::MAX);
            candidates.extend([low, high]);
            candidates.extend((1..8).filter_map(|part| shared.nth(count / 8 * part)));
            for projection in uncovered.iter().take(12) {
                candidates.extend(nice(&projection.set, ty));
                candidates.extend(self.sample(projection.path, prefix));
            }
        }
        let mut best: Option<(u64, Vec<usize>)> = None;
        for (number, cell) in candidates.iter().enumerate() {
            if candidates[..number].contains(cell) {
                continue;
            }
            if self.budget.is_spent() {
                break;
            }
            let known = best.as_ref().map_or(0, |(_, covered)| covered.len());
            let with = [prefix, &[*cell]].concat();
            if let Some(covered) = self.covered(uncovered, &with, known, stack) {
                let all = covered.len() == uncovered.len();
                best = Some((*cell, covered));
                if all {
                    break;
                }
            }
        }
        best
    }

    /// Those of these paths that can go on after these answers, if they are more than so many.
    fn covered(
        &mut self,
        uncovered: &[Projection],
        with: &[u64],
        least: usize,
        stack: &Pieces<'_, Piece>,
    ) -> Option<Vec<usize>> {
        let cell = with.last()?;
        let allows = |projection: &&Projection| projection.set.contains(*cell);
        let allowing = uncovered.iter().filter(allows).count();
        // Most values are soon known to be no better than another.
        let spare = allowing.checked_sub(least + 1)?;
        let coupled = uncovered.iter().filter(allows).filter(|p| p.is_coupled);
        let asking = Asking::new(with, coupled.map(|projection| projection.path), spare);
        let asking = Arc::new(asking);
        // One who is given something wants nothing.
        let helpers = (1..asking.len()).take_while(|_| stack.are_wanted());
        helpers.for_each(|_| stack.give(Piece::Help(Arc::clone(&asking))));
        let goes = asking.answer(|path, with| {
            // Who has come to an end meanwhile: a question can take longer than all others.
            if asking.has_more() && stack.are_wanted() {
                stack.give(Piece::Help(Arc::clone(&asking)));
            }
            self.known_to_go(path, with)
        });
        self.is_cut |= goes.is_none();
        let mut goes = goes??.into_iter().peekable();
        let covered = uncovered.iter().filter(allows).filter(|projection| {
            // They are in the same order.
            !projection.is_coupled || goes.next_if_eq(&projection.path).is_some()
        });
        Some(covered.map(|projection| projection.path).collect())
    }

    /// A value with which a path can go on.
    fn sample(&mut self, path: usize, prefix: &[u64]) -> Option<u64> {
        let place = prefix.len() as u32;
        for way in &self.known.paths[path].ways {
            if let Solution::Yes(values) = possible(
                self.budget,
                self.known.dag,
                &mut self.hand.decider,
                way,
                prefix,
            ) {
                let found = values.iter().find(|(at, _)| *at == place);
                let read = way.reads.get(prefix.len())?;
                return found.map(|(_, cell)| *cell).or(nice(&read.domain, read.ty));
            }
        }
        None
    }

    /// Whether a path can go on after these answers, of which all but the last are known to begin it; nothing if nothing is
    /// left to spend.
    fn known_to_go(&mut self, path: usize, prefix: &[u64]) -> Option<bool> {
        let (budget, dag, decider) = (self.budget, self.known.dag, &mut self.hand.decider);
        let goes = goes_on(budget, dag, decider, &self.known.paths[path], prefix);
        (goes || !budget.is_spent()).then_some(goes)
    }
}

fn input_node(read: &Read, options: Vec<InputOption>) -> Node {
    Node::Input {
        primitive: read.primitive,
        args: read.args.clone(),
        part: read.part.clone(),
        ty: read.ty,
        step: read.step,
        options,
        rest: None,
    }
}

/// The values that are in the most sets.
fn most_shared(projections: &[Projection]) -> Set {
    let mut edges: Vec<(u64, bool)> = Vec::new();
    for projection in projections {
        for (low, high) in projection.set.intervals() {
            edges.push((*low, true));
            if let Some(past) = high.checked_add(1) {
                edges.push((past, false));
            }
        }
    }
    // At one value, ends come before starts.
    edges.sort_unstable();
    let (mut count, mut most) = (0_usize, 0_usize);
    let mut best: Vec<(u64, u64)> = Vec::new();
    let mut at = 0;
    while at < edges.len() {
        let value = edges[at].0;
        while let Some((_, starts)) = edges.get(at).filter(|edge| edge.0 == value) {
            if *starts {
                count += 1;
            } else {
                count -= 1;
            }
            at += 1;
        }
        let end = edges.get(at).map_or(u64::MAX, |edge| edge.0 - 1);
        if count > most {
            most = count;
            best.clear();
        }
        if count == most && count > 0 {
            best.push((value, end));
        }
    }
    Set::of(best)
}
