//! Suggestions: paths merged on what they share, with as few values as possible at each input.

use borges_board::PrimitiveId;
use borges_vm::{ValType, Value};
use hashbrown::HashMap;

use crate::budget::Budget;
use crate::constraint::{Constraint, NO_TIME, Solution};
use crate::dag::Dag;
use crate::decide::Decider;
use crate::explore::Explored;
use crate::path::{Delivered, Path, Read, ReadPart, Way};
use crate::set::{Set, nice};

/// A node of a [`Suggestions`] tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// The program reads an input.
    Input {
        /// The primitive.
        primitive: PrimitiveId,
        /// Its arguments.
        args: Vec<Value>,
        /// What of the call it is.
        part: ReadPart,
        /// The type of its answer.
        ty: ValType,
        /// Instructions retired before it.
        step: u64,
        /// What it may answer: together these lead to every path through here.
        options: Vec<InputOption>,
        /// What else it may answer, if that is known: values that keep not all of the paths behind an option.
        rest: Option<OtherValues>,
    },
    /// Events may arrive before the next input.
    Event {
        /// What arrives: together these lead to every path through here.
        options: Vec<EventOption>,
    },
    /// A path has ended.
    End {
        /// Its number in [`Explored::paths`].
        path: usize,
    },
}

/// An event that arrives, or none.
#[derive(Clone, Debug, PartialEq)]
pub struct EventOption {
    /// Which, and when; nothing if none arrives before the next input.
    pub event: Option<Delivered>,
    /// The number of the node that follows.
    pub next: usize,
}

/// An answer of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputOption {
    /// The representative: a round value, or one at a boundary.
    pub cell: u64,
    /// The values that can stand in for it: the other inputs as they are, all paths behind it stay as they are, and with
    /// no other value do they all.
    pub set: Set,
    /// Whether the set is known to be all of them.
    pub is_exact: bool,
    /// The number of the node that follows.
    pub next: usize,
}

/// Values that stand in for no option of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherValues {
    /// These.
    pub set: Set,
    /// The options, by number, behind which some paths are kept by some of them. None where all that they lead to stands
    /// under other answers of the inputs before.
    pub options: Vec<usize>,
}

/// Paths as a tree of inputs. Node 0 is the root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suggestions {
    /// The nodes; children have greater numbers than their parents.
    pub nodes: Vec<Node>,
    /// For every path, the answers that lead to it in this tree.
    pub answers: Vec<Option<Vec<u64>>>,
    /// Paths that the tree leaves out because no value was found in time.
    pub left_out: Vec<usize>,
}

impl Suggestions {
    /// The most options at one input.
    #[must_use]
    pub fn max_options(&self) -> usize {
        let options = self.nodes.iter().map(|node| match node {
            Node::Input { options, .. } => options.len(),
            Node::Event { .. } | Node::End { .. } => 0,
        });
        options.max().unwrap_or(0)
    }
}

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

/// The values that an input may have on a path, the answers before it given.
struct Projection {
    path: usize,
    /// At most these.
    set: Set,
    /// Whether later inputs have a say as well.
    is_coupled: bool,
}

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

struct Builder<'b> {
    budget: &'b Budget<'b>,
    dag: &'b Dag,
    paths: &'b [Path],
    decider: &'b mut Decider,
    tree: Suggestions,
    /// For nodes that are inputs, the values that each path through them allows.
    projections: HashMap<usize, Vec<(usize, Set)>>,
}

/// Merges paths into a tree: on the values that most can share, as long as the budget lasts; otherwise on those that were
/// found with each path.
#[must_use]
pub fn suggest(explored: &mut Explored, budget: &Budget<'_>) -> Suggestions {
    let mut builder = Builder {
        budget,
        dag: &explored.dag,
        paths: &explored.paths,
        decider: &mut explored.decider,
        tree: Suggestions::default(),
        projections: HashMap::new(),
    };
    if !builder.build(Builder::expand) {
        builder.build(Builder::expand_as_found);
    }
    builder.find_sets();
    builder.tree
}

impl<'b> Builder<'b> {
    /// Builds the tree anew; false if the budget ended that.
    fn build(&mut self, expand: fn(&mut Self, Open, &mut Vec<Open>) -> bool) -> bool {
        self.projections.clear();
        self.tree = Suggestions {
            answers: vec![None; self.paths.len()],
            ..Suggestions::default()
        };
        if self.paths.is_empty() {
            return true;
        }
        self.tree.nodes.push(Node::End { path: 0 });
        let mut stack = vec![Open {
            node: 0,
            prefix: Vec::new(),
            events: 0,
            is_quiet: false,
            paths: (0..self.paths.len()).collect(),
        }];
        while let Some(open) = stack.pop() {
            if !expand(self, open, &mut stack) {
                return false;
            }
        }
        true
    }

    /// Makes a node of an input, or of an end, from the values that each path was found with.
    fn expand_as_found(&mut self, open: Open, stack: &mut Vec<Open>) -> bool {
        if !open.is_quiet && self.arrivals(&open, stack) {
            return true;
        }
        let place = open.prefix.len();
        let mut ended = Vec::new();
        let mut going = Vec::new();
        let mut input = None;
        for path in open.paths {
            let way = self.paths[path].ways.first();
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
        self.tree.left_out.extend(ended);
        going.sort_unstable();
        // Mostly there is one: thousands of nodes with room for four would be felt.
        let mut options = Vec::with_capacity(1);
        for same in going.chunk_by(|one, next| one.0 == next.0) {
            let covered = same.iter().map(|(_, path)| *path).collect();
            options.push(self.option(same[0].0, covered, &open.prefix, open.events, stack));
        }
        self.tree.nodes[open.node] = input_node(read, options);
        true
    }

    /// An end: the answers so far lead along the first of these paths, and so along no other.
    fn end(&mut self, node: usize, prefix: Vec<u64>, paths: &[usize]) {
        if let Some((first, others)) = paths.split_first() {
            self.tree.left_out.extend(others);
            self.tree.nodes[node] = Node::End { path: *first };
            self.tree.answers[*first] = Some(prefix);
        }
    }

    /// An answer that leads to these paths; what follows it is still to be built.
    fn option(
        &mut self,
        cell: u64,
        covered: Vec<usize>,
        prefix: &[u64],
        events: usize,
        stack: &mut Vec<Open>,
    ) -> InputOption {
        let next = self.tree.nodes.len();
        self.tree.nodes.push(Node::End { path: covered[0] });
        stack.push(Open {
            node: next,
            prefix: [prefix, &[cell]].concat(),
            events,
            is_quiet: false,
            paths: covered,
        });
        InputOption {
            cell,
            set: Set::single(cell),
            is_exact: false,
            next,
        }
    }

    /// Makes a node of an input, or of an end; false if the budget ended that.
    fn expand(&mut self, open: Open, stack: &mut Vec<Open>) -> bool {
        if !open.is_quiet && self.arrivals(&open, stack) {
            return true;
        }
        let place = open.prefix.len();
        let Some((first, way)) = open
            .paths
            .iter()
            .find_map(|path| Some((*path, self.way(*path, &open.prefix)?)))
        else {
            self.tree.left_out.extend(&open.paths);
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
        let mut uncovered = Vec::new();
        for path in &open.paths {
            if self.budget.is_spent() {
                return false;
            }
            match self.projection(*path, &open.prefix) {
                Some(projection) => uncovered.push(projection),
                None => self.tree.left_out.push(*path),
            }
        }
        let sets = uncovered
            .iter()
            .map(|p: &Projection| (p.path, p.set.clone()));
        self.projections.insert(open.node, sets.collect());
        while !uncovered.is_empty() {
            let Some((cell, covered)) = self.best(&uncovered, &open.prefix, read.ty) else {
                self.tree.left_out.extend(uncovered.iter().map(|p| p.path));
                break;
            };
            // They are in the same order.
            let mut next = covered.iter().peekable();
            uncovered.retain(|projection| next.next_if_eq(&&projection.path).is_none());
            options.push(self.option(cell, covered, &open.prefix, open.events, stack));
        }
        self.tree.nodes[open.node] = input_node(read, options);
        !self.budget.is_spent()
    }

    /// Makes a node of the events that arrive next; false if none does on any of the paths.
    fn arrivals(&mut self, open: &Open, stack: &mut Vec<Open>) -> bool {
        if open
            .paths
            .iter()
            .all(|path| self.paths[*path].events.len() <= open.events)
        {
            return false;
        }
        let mut by_event: Vec<(Option<Delivered>, Vec<usize>)> = Vec::new();
        for path in &open.paths {
            let next = next_event(&self.paths[*path], open.events, open.prefix.len());
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
            let next = self.tree.nodes.len();
            self.tree.nodes.push(Node::End { path: paths[0] });
            options.push(EventOption { event, next });
            stack.push(Open {
                node: next,
                prefix: open.prefix.clone(),
                events: open.events + usize::from(event.is_some()),
                is_quiet: event.is_none(),
                paths,
            });
        }
        self.tree.nodes[open.node] = Node::Event { options };
        true
    }

    /// A way along a path that these answers begin.
    fn way(&mut self, path: usize, prefix: &[u64]) -> Option<&'b Way> {
        let ways: &'b [Way] = &self.paths[path].ways;
        if let [only] = ways {
            return Some(only);
        }
        let (budget, dag, decider) = (self.budget, self.dag, &mut *self.decider);
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
        let ways = &self.paths[path].ways;
        for way in ways {
            let Some(read) = way.reads.get(prefix.len()) else {
                continue;
            };
            let alone = ways.len() == 1;
            if !alone && possible(self.budget, self.dag, self.decider, way, prefix) == Solution::No
            {
                continue;
            }
            let mut narrowing = Vec::new();
            for constraint in &way.constraints {
                let inputs = self.dag.inputs(constraint.expr);
                if !inputs.contains(&place) {
                    continue;
                }
                if inputs.last().is_some_and(|last| *last > place) {
                    is_coupled = true;
                } else {
                    narrowing.push(constraint.clone());
                }
            }
            let refined = self.decider.refine(
                self.budget,
                self.dag,
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
        for cell in candidates {
            if best.as_ref().is_some_and(|(known, _)| *known == cell) {
                continue;
            }
            if self.budget.is_spent() {
                break;
            }
            let mut with = prefix.to_vec();
            with.push(cell);
            let mut covered = Vec::new();
            for projection in uncovered {
                if !projection.set.contains(cell) {
                    continue;
                }
                let goes = !projection.is_coupled || self.goes(projection.path, &with);
                if goes {
                    covered.push(projection.path);
                }
            }
            if covered.len() > best.as_ref().map_or(0, |(_, covered)| covered.len()) {
                let all = covered.len() == uncovered.len();
                best = Some((cell, covered));
                if all {
                    break;
                }
            }
        }
        best
    }

    /// A value with which a path can go on.
    fn sample(&mut self, path: usize, prefix: &[u64]) -> Option<u64> {
        let place = prefix.len() as u32;
        for way in &self.paths[path].ways {
            if let Solution::Yes(values) =
                possible(self.budget, self.dag, self.decider, way, prefix)
            {
                let found = values.iter().find(|(at, _)| *at == place);
                let read = way.reads.get(prefix.len())?;
                return found.map(|(_, cell)| *cell).or(nice(&read.domain, read.ty));
            }
        }
        None
    }

    /// Whether a path can go on after these answers.
    fn goes(&mut self, path: usize, prefix: &[u64]) -> bool {
        let mut ways = self.paths[path].ways.iter();
        ways.any(|way| {
            matches!(
                possible(self.budget, self.dag, self.decider, way, prefix),
                Solution::Yes(_)
            )
        })
    }

    /// Fills in which values can stand in for each representative.
    fn find_sets(&mut self) {
        // Of what is not looked at, the representative is all that is known.
        if self.budget.is_spent() {
            return;
        }
        // Which paths are behind each node: children come after their parents.
        let mut behind: Vec<Vec<usize>> = vec![Vec::new(); self.tree.nodes.len()];
        for number in (0..self.tree.nodes.len()).rev() {
            match &self.tree.nodes[number] {
                Node::End { path } if self.tree.answers[*path].is_some() => {
                    behind[number] = vec![*path];
                }
                Node::End { .. } => {}
                Node::Input { options, .. } => {
                    let all = options
                        .iter()
                        .flat_map(|option| behind[option.next].clone());
                    behind[number] = all.collect();
                }
                Node::Event { options } => {
                    let all = options
                        .iter()
                        .flat_map(|option| behind[option.next].clone());
                    behind[number] = all.collect();
                }
            }
        }
        let mut comes: Vec<Comes> = vec![Comes::default(); self.tree.nodes.len()];
        for number in 0..self.tree.nodes.len() {
            // Nobody asks again how this one is come to.
            let here = std::mem::take(&mut comes[number]);
            let options = match &self.tree.nodes[number] {
                Node::Input { options, .. } => options,
                Node::Event { options } => {
                    for option in options {
                        comes[option.next] = here.with_event(option, self.paths);
                    }
                    continue;
                }
                Node::End { .. } => continue,
            };
            let mut options = options.clone();
            let place = here.answers.len() as u32;
            for option in &mut options {
                // Of what was not looked at, the representative is all that is known.
                if self.budget.is_spent() {
                    continue;
                }
                let (set, is_exact) = self.stand_ins(place, &behind[option.next]);
                (option.is_exact, option.set) = match set.contains(option.cell) {
                    true => (is_exact && !self.budget.is_spent(), set),
                    false => (false, Set::single(option.cell)),
                };
            }
            for option in &options {
                let siblings = options.iter().filter(|other| other.next != option.next);
                let siblings = siblings.flat_map(|other| &behind[other.next]);
                let others: Vec<usize> = here.elsewhere.iter().chain(siblings).copied().collect();
                comes[option.next] = self.comes(&here, option.cell, others);
            }
            let left = self.rest(number, &options, &behind, &here);
            if let Node::Input {
                options: kept,
                rest,
                ..
            } = &mut self.tree.nodes[number]
            {
                (*kept, *rest) = (options, left);
            }
        }
    }

    /// How a node is come to from one before it with an answer; of `others`, paths that stand under other options, those
    /// remain that these answers begin as well.
    fn comes(&mut self, before: &Comes, cell: u64, others: Vec<usize>) -> Comes {
        let answers = [&before.answers[..], &[cell]].concat();
        let mut elsewhere = others;
        elsewhere.retain(|path| {
            // What is not looked at is not said to be there.
            !self.budget.is_spent()
                && begun(self.dag, self.decider, &self.paths[*path], &answers)
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
    fn rest(
        &mut self,
        node: usize,
        options: &[InputOption],
        behind: &[Vec<usize>],
        here: &Comes,
    ) -> Option<OtherValues> {
        let projections = self.projections.get(&node)?;
        if projections.is_empty() || !options.iter().all(|option| option.is_exact) {
            return None;
        }
        let here_on = projections.iter().map(|(_, set)| set);
        let mut allowed = here_on.fold(Set::empty(), |all, set| all.union(set));
        // Also what only leads along paths that stand under other answers of the inputs before can be answered.
        for path in &here.elsewhere {
            let sets = begun(self.dag, self.decider, &self.paths[*path], &here.answers);
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
                behind[option.next].contains(path) && !allowed.intersect(&set).is_empty()
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
            let Some(answers) = self.tree.answers[*path].clone() else {
                continue;
            };
            let mut union = Set::empty();
            for way in &self.paths[*path].ways {
                let Some(read) = way.reads.get(place as usize) else {
                    continue;
                };
                if !others_fit(self.dag, self.decider, way, &answers, place) {
                    continue;
                }
                let concerned: Vec<Constraint> = way
                    .constraints
                    .iter()
                    .filter(|constraint| self.dag.inputs(constraint.expr).contains(&place))
                    .cloned()
                    .collect();
                let refined = self.decider.refine(
                    self.budget,
                    self.dag,
                    place,
                    &read.domain,
                    &concerned,
                    &answers,
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

/// Whether the other answers satisfy what does not concern the input at `place`.
fn others_fit(dag: &Dag, decider: &mut Decider, way: &Way, answers: &[u64], place: u32) -> bool {
    let fits =
        |(at, (read, cell)): (u32, (&Read, &u64))| at == place || read.domain.contains(*cell);
    if way.reads.len() != answers.len() || !(0..).zip(way.reads.iter().zip(answers)).all(fits) {
        return false;
    }
    decider.holds(
        dag,
        answers,
        |inputs| !inputs.contains(&place),
        &way.constraints,
    )
}

fn lie_before(inputs: &[u32], place: u32) -> bool {
    inputs.iter().all(|input| *input < place)
}

/// Whether a way begins with these answers, as far as they decide that.
fn begins(dag: &Dag, decider: &mut Decider, way: &Way, answers: &[u64]) -> bool {
    let place = answers.len() as u32;
    let mut given = way.reads.iter().zip(answers);
    answers.len() <= way.reads.len()
        && given.all(|(read, cell)| read.domain.contains(*cell))
        && decider.holds(
            dag,
            answers,
            |inputs| lie_before(inputs, place),
            &way.constraints,
        )
}

/// What the next input answers on a path that these answers begin, as far as it depends on it alone.
fn begun<'p>(
    dag: &Dag,
    decider: &mut Decider,
    path: &'p Path,
    answers: &[u64],
) -> impl Iterator<Item = &'p Set> {
    path.ways.iter().filter_map(move |way| {
        let next = way.reads.get(answers.len())?;
        begins(dag, decider, way, answers).then_some(&next.domain)
    })
}

/// What arrives on a path after so many events, before the input at a place.
fn next_event(path: &Path, events: usize, place: usize) -> Option<Delivered> {
    let next = path.events.get(events).copied();
    next.filter(|event| event.place as usize == place)
}

/// Whether a way can be gone on after these answers.
fn possible(
    budget: &Budget<'_>,
    dag: &Dag,
    decider: &mut Decider,
    way: &Way,
    prefix: &[u64],
) -> Solution {
    if budget.is_spent() {
        return Solution::Unknown(NO_TIME.into());
    }
    if !begins(dag, decider, way, prefix) {
        return Solution::No;
    }
    let place = prefix.len() as u32;
    let later: Vec<Constraint> = way
        .constraints
        .iter()
        .filter(|constraint| !lie_before(dag.inputs(constraint.expr), place))
        .cloned()
        .collect();
    if later.is_empty() {
        return Solution::Yes(Vec::new());
    }
    let mut values = Vec::new();
    for group in groups(dag, &later, place) {
        let mut places: Vec<u32> = Vec::new();
        for constraint in &group {
            places.extend(dag.inputs(constraint.expr).iter());
        }
        places.sort_unstable();
        places.dedup();
        let variables: Vec<(u32, Set)> = places
            .iter()
            .map(|at| {
                let set = match prefix.get(*at as usize) {
                    Some(cell) => Set::single(*cell),
                    None => way.reads[*at as usize].domain.clone(),
                };
                (*at, set)
            })
            .collect();
        match decider.solve(budget, dag, &variables, &group, &way.model) {
            Solution::Yes(found) => values.extend(found),
            other => return other,
        }
    }
    Solution::Yes(values)
}

/// Constraints in groups that share no input from `place` on.
fn groups(dag: &Dag, constraints: &[Constraint], place: u32) -> Vec<Vec<Constraint>> {
    let mut groups: Vec<(Vec<u32>, Vec<Constraint>)> = Vec::new();
    for constraint in constraints {
        let free = dag.inputs(constraint.expr).iter().copied();
        let mut inputs: Vec<u32> = free.filter(|input| *input >= place).collect();
        let mut members = vec![constraint.clone()];
        groups.retain_mut(|(known, group)| {
            let apart = !known.iter().any(|input| inputs.contains(input));
            if !apart {
                inputs.append(known);
                members.append(group);
            }
            apart
        });
        groups.push((inputs, members));
    }
    groups.into_iter().map(|(_, group)| group).collect()
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
