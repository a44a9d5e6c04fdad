//! What an inquiry found, as data for faces.

use std::collections::HashSet;

use borges_concolic::{
    Budget, Dag, End, Explored, Path, Progress, ReadPart, SuggestionNode as Branching, Suggestions,
    value_of,
};

use super::cuts;
use super::exploring::tidying;
use super::inquiry::Inquiry;
use super::sets;
use super::tree::ended;
use super::walk::{self, Alarm, Check, Choice, EVENT, Rerun, Walk};
use crate::command::AgentNumber;
use crate::command::question::{
    FoundPath, RestListing, SuggestedOption, SuggestionListing, SuggestionNode, UnexploredReport,
};
use crate::scene::Scene;
use crate::scene::place_of;
use crate::stage::MomentText;
use crate::values::json;

/// Paths whose ends are told with their boards, at most.
const MOST_BOARDS: usize = 16;
/// Paths drawn while more are looked for.
const MOST_DRAWN: usize = 300;
/// Characters of moments in one listing; options beyond have none.
const MOST_MOMENTS: usize = 4 << 20;

/// Makes listings of one exploration, as long as the budget lasts.
pub(super) struct Lister<'l> {
    inquiry: &'l Inquiry,
    explored: &'l Explored,
    budget: &'l Budget<'l>,
}

impl<'l> Lister<'l> {
    pub(super) fn new(
        inquiry: &'l Inquiry,
        explored: &'l Explored,
        budget: &'l Budget<'l>,
    ) -> Self {
        Lister {
            inquiry,
            explored,
            budget,
        }
    }

    /// Numbers, and what was left out.
    pub(super) fn facts(&self) -> SuggestionListing {
        let (explored, inquiry) = (self.explored, self.inquiry);
        let effort = explored.effort();
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let traps = explored.paths.iter();
        let traps = traps.filter(|path| matches!(path.end, End::Trapped(..)));
        let complete = cuts::is_complete(explored, inquiry.asked());
        SuggestionListing {
            paths: small(explored.paths.len() as u64),
            complete,
            ended: cuts::ended(explored),
            looked: explored.looked.filter(|_| !complete),
            traps: small(traps.count() as u64),
            solver_queries: small(effort.solver_queries),
            evaluations: small(effort.evaluated),
            unexplored: cuts::left_out(&inquiry.info, explored, inquiry.asked()),
            ..SuggestionListing::default()
        }
    }

    /// The paths that meet the goal, those with fewest inputs first; of traps and broken limits one for each place of
    /// the program's own code.
    pub(super) fn goals(&self) -> SuggestionListing {
        let mut listing = self.facts();
        let met = self.explored.paths.iter();
        let met = met.filter(|path| self.inquiry.goal.is_met(&path.end));
        let mut walks: Vec<Walk<'_>> = met.filter_map(Walk::of).collect();
        walks.sort_by_key(|walk| (walk.answers.len(), walk.path.steps));
        let (mut walks, mut alarms) = self.checked(walks, &mut listing);
        // Instructions of which some run told whose they are.
        let told = walks
            .iter()
            .zip(&alarms)
            .filter(|(_, alarm)| alarm.is_some());
        let told: HashSet<&End> = told.map(|(walk, _)| &walk.path.end).collect();
        let mut places = HashSet::new();
        let mut is_fresh = Vec::new();
        for (walk, alarm) in walks.iter().zip(&alarms) {
            is_fresh.push(match &walk.path.end {
                // Where there was no time to run it, the instruction has to do: it may be a panic that many share, and
                // then nothing says that this is another one.
                end @ End::Trapped(trap, at) => {
                    let own = alarm.as_ref().and_then(|alarm| alarm.at);
                    let is_known = alarm.is_none() && told.contains(end);
                    !is_known && places.insert((Ok(*trap), own.or(*at)))
                }
                End::Broke(limit, at) => {
                    let own = alarm.as_ref().and_then(|alarm| alarm.at);
                    places.insert((Err(*limit), own.or(*at)))
                }
                _ => true,
            });
        }
        let mut kept = is_fresh.iter();
        walks.retain(|_| kept.next() == Some(&true));
        let mut kept = is_fresh.iter();
        alarms.retain(|_| kept.next() == Some(&true));
        listing.nodes = merged(self.inquiry, &walks, Some(&self.explored.dag));
        listing.max_options = options(&listing.nodes);
        listing.found = self.found(&walks, &alarms);
        listing
    }

    fn found(&self, walks: &[Walk<'_>], alarms: &[Option<Alarm>]) -> Vec<FoundPath> {
        let both = walks.iter().zip(alarms);
        let mut found: Vec<FoundPath> = both
            .map(|(walk, alarm)| found(self.inquiry, walk, alarm.as_ref()))
            .collect();
        if self.inquiry.within.boards && walks.len() <= MOST_BOARDS {
            for (path, walk) in found.iter_mut().zip(walks) {
                path.board = self.board(walk);
            }
        }
        found
    }

    /// The board at the end of a path, as the plain VM comes there.
    fn board(&self, walk: &Walk<'_>) -> Option<serde_json::Value> {
        let Inquiry { program, start, .. } = self.inquiry;
        let (_, state) = walk.replayed(program, start)?;
        serde_json::to_value(state.view(&program.board, 0)).ok()
    }

    /// All paths, as the tree says.
    pub(super) fn tree(&self, tree: &Suggestions) -> SuggestionListing {
        let mut listing = self.facts();
        listing.complete &= tree.left_out.is_empty();
        let apart = cuts::for_want_of_time(
            tree.left_out.len(),
            "not in the tree: no value was found",
            cuts::spent(self.explored),
        );
        listing.unexplored.extend(apart);
        let inquiry = self.inquiry;
        let mut walks = Vec::new();
        for (number, path) in self.explored.paths.iter().enumerate() {
            let Some(walk) = Walk::of(path) else { continue };
            let walk = match tree.answers.get(number).and_then(Option::as_ref) {
                Some(cells) => Walk::with(path, cells).unwrap_or(walk),
                None => walk,
            };
            walks.push(walk);
        }
        let (kept, alarms) = self.checked(walks, &mut listing);
        let mut number_of = vec![None; self.explored.paths.len()];
        let mut rest = (0..).zip(&kept).peekable();
        for (path, number) in self.explored.paths.iter().zip(&mut number_of) {
            let kept = rest.next_if(|(_, walk)| std::ptr::eq(walk.path, path));
            *number = kept.map(|(place, _)| place);
        }
        let nodes = tree.nodes.iter();
        listing.nodes = nodes.map(|node| self.node(node, &number_of)).collect();
        name_moments(inquiry, &kept, &mut listing.nodes, false);
        listing.max_options = options(&listing.nodes);
        listing.found = self.found(&kept, &alarms);
        listing
    }

    /// One node of a tree whose paths have these numbers.
    fn node(&self, node: &Branching, number_of: &[Option<u32>]) -> SuggestionNode {
        match node {
            Branching::End { path } => SuggestionNode {
                end: number_of.get(*path).copied().flatten(),
                ..SuggestionNode::default()
            },
            Branching::Event { options } => {
                let options = options.iter().map(|option| {
                    let text = option.event.as_ref().map_or(NO_EVENT.into(), walk::arrival);
                    SuggestedOption {
                        value: text.clone(),
                        set: text,
                        exact: true,
                        next: option.next as u32,
                        moment: String::new(),
                    }
                });
                SuggestionNode {
                    call: Some(EVENT.to_owned()),
                    options: options.collect(),
                    ..SuggestionNode::default()
                }
            }
            Branching::Input {
                primitive,
                args,
                part,
                ty,
                options,
                rest,
                ..
            } => {
                let value = |cell| sets::value(value_of(*ty, cell), part);
                let call = scene(self.inquiry).call_text(*primitive, args);
                let call = match part {
                    ReadPart::Byte(number) => format!("{call}, byte {number}"),
                    _ => call,
                };
                let rest = rest.as_ref().map(|rest| {
                    let shown = rest.options.iter().map(|at| value(options[*at].cell));
                    RestListing {
                        set: sets::of_part(&rest.set, *ty, part),
                        options: shown.collect(),
                    }
                });
                let options = options.iter().map(|option| SuggestedOption {
                    value: value(option.cell),
                    set: sets::of_part(&option.set, *ty, part),
                    exact: option.is_exact,
                    next: option.next as u32,
                    moment: String::new(),
                });
                SuggestionNode {
                    rest,
                    call: Some(call),
                    options: options.collect(),
                    end: None,
                }
            }
        }
    }

    /// A suggestion that does not come true when it is replayed is not shown. Those that are, and how they trap.
    fn checked<'w>(
        &self,
        walks: Vec<Walk<'w>>,
        listing: &mut SuggestionListing,
    ) -> (Vec<Walk<'w>>, Vec<Option<Alarm>>) {
        let Inquiry {
            program,
            info,
            start,
            ..
        } = self.inquiry;
        let mut rerun = Rerun::new(program, info, start);
        let mut unchecked = 0;
        let (mut kept, mut alarms) = (Vec::new(), Vec::new());
        // The nearest of each end is run even if the time is used up: it tells what the others are, too.
        let (tidying, mut ends) = (tidying(self.budget), HashSet::new());
        for walk in walks {
            let budget = match ends.insert(&walk.path.end) {
                true => &tidying,
                false => self.budget,
            };
            let alarm = match rerun.check(&walk, budget) {
                Check::True(alarm) => alarm,
                Check::Unknown => {
                    unchecked += 1;
                    None
                }
                Check::Untrue => {
                    listing.complete = false;
                    listing.unexplored.push(UnexploredReport {
                        reason: walk::NOT_TRUE.to_owned(),
                        place: None,
                        inputs: walk.answers.iter().map(|value| json(*value)).collect(),
                        bound: None,
                    });
                    continue;
                }
            };
            kept.push(walk);
            alarms.push(alarm);
        }
        let spent = cuts::spent(self.explored);
        let unchecked = cuts::for_want_of_time(unchecked, walk::NOT_CHECKED, spent);
        listing.unexplored.extend(unchecked);
        (kept, alarms)
    }
}

/// What was found so far, while more is looked for.
pub(super) struct Partial<'i> {
    inquiry: &'i Inquiry,
    paths: Vec<Path>,
}

impl<'i> Partial<'i> {
    pub(super) fn new(inquiry: &'i Inquiry) -> Self {
        Partial {
            inquiry,
            paths: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, path: &Path) {
        if self.paths.len() < MOST_DRAWN {
            self.paths.push(path.clone());
        }
    }

    pub(super) fn listing(&self, progress: Progress) -> SuggestionListing {
        let walks: Vec<Walk<'_>> = self.paths.iter().filter_map(Walk::of).collect();
        let nodes = merged(self.inquiry, &walks, None);
        SuggestionListing {
            question: self.inquiry.words.clone(),
            from: Some(self.inquiry.from),
            working: true,
            paths: progress.paths as u32,
            looked: Some(progress.inputs),
            max_options: options(&nodes),
            nodes,
            found: walks
                .iter()
                .map(|walk| found(self.inquiry, walk, None))
                .collect(),
            ..SuggestionListing::default()
        }
    }
}

pub(super) fn scene(inquiry: &Inquiry) -> Scene<'_> {
    Scene {
        program: &inquiry.program,
        info: &inquiry.info,
        machine: &inquiry.start.machine,
    }
}

/// The inputs of a path of which nothing depends on others: each may have any value of its own set, whatever the others
/// are. Nothing where a path can be taken in several ways.
fn free(path: &Path, dag: &Dag) -> Option<Vec<bool>> {
    let [way] = &*path.ways else {
        return None;
    };
    let mut free = vec![true; way.reads.len()];
    for constraint in &way.constraints {
        for place in dag.inputs(constraint.expr).iter() {
            if let Some(free) = free.get_mut(*place as usize) {
                *free = false;
            }
        }
    }
    Some(free)
}

fn options(nodes: &[SuggestionNode]) -> u32 {
    let inputs = nodes.iter();
    let inputs = inputs.filter(|node| node.call.as_deref() != Some(EVENT));
    let options = inputs.map(|node| node.options.len());
    options.max().unwrap_or(0) as u32
}

/// Paths merged on equal answers. With the expressions of their conditions, an answer stands for all that only they
/// decide about it.
fn merged(inquiry: &Inquiry, walks: &[Walk<'_>], dag: Option<&Dag>) -> Vec<SuggestionNode> {
    if walks.is_empty() {
        return Vec::new();
    }
    let mut nodes = vec![SuggestionNode::default()];
    for (number, walk) in (0..).zip(walks) {
        let free = dag.and_then(|dag| free(walk.path, dag));
        let (mut at, mut place) = (0, 0);
        for choice in walk.choices() {
            let read = match choice {
                Choice::Input(read, ..) => Some((place, read)),
                Choice::Event(_) => None,
            };
            place += usize::from(read.is_some());
            let Some(said) = choice.suggested(scene(inquiry)) else {
                continue;
            };
            let (call, text) = (said.call, said.value);
            let free = read.filter(|(place, read)| {
                let free = free.as_ref();
                !read.part.is_byte() && free.is_some_and(|free| free[*place])
            });
            let all = free.map(|(_, read)| sets::of_part(&read.domain, read.ty, &read.part));
            let (set, exact) = match all {
                Some(all) => (all, true),
                None => (text.clone(), false),
            };
            let fresh = nodes.len();
            let node = &mut nodes[at];
            node.call.get_or_insert(call);
            at = match node.options.iter_mut().find(|option| option.value == text) {
                Some(option) => {
                    if option.set != set {
                        // With the others, perhaps not both of the paths behind it stay as they are.
                        (option.set, option.exact) = (text, false);
                    }
                    option.next as usize
                }
                None => {
                    node.options.push(SuggestedOption {
                        value: text,
                        set,
                        exact,
                        next: fresh as u32,
                        moment: String::new(),
                    });
                    nodes.push(SuggestionNode::default());
                    fresh
                }
            };
        }
        nodes[at].end.get_or_insert(number);
    }
    name_moments(inquiry, walks, &mut nodes, true);
    nodes
}

/// Gives every option its universe; in a tree that was merged on whole calls, a call with its bytes is one option.
fn name_moments(
    inquiry: &Inquiry,
    walks: &[Walk<'_>],
    nodes: &mut [SuggestionNode],
    are_merged: bool,
) {
    let mut written = 0;
    let mut name = |option: &mut SuggestedOption, trace: &MomentText, steps: u64| {
        if option.moment.is_empty() && written < MOST_MOMENTS {
            option.moment = trace.clone().text(AgentNumber::ONLY, steps);
            written += option.moment.len();
        }
        option.next as usize
    };
    for walk in walks {
        let mut trace = inquiry.trace.clone();
        let mut at = 0;
        let mut choices = walk.choices();
        loop {
            let choice = choices.next();
            let (text, step) = match &choice {
                Some(Choice::Input(read, value, call)) => match call {
                    None if are_merged => continue,
                    Some(call) if are_merged && call.goes() => continue,
                    Some(call) if are_merged || call.is_fault => (walk::said(call), read.step),
                    _ => (sets::value(*value, &read.part), read.step),
                },
                Some(Choice::Event(event)) => (walk::arrival(event), event.step),
                None => (String::new(), end_of(walk.path)),
            };
            // In a tree, that no event arrives before the input (or the end) is an option of its own.
            if let Some(quiet) = quiet_option(nodes, at, &text) {
                at = name(quiet, &trace, step);
            }
            let after = match &choice {
                Some(Choice::Input(read, _, Some(call))) if !call.goes() => {
                    trace.input(read.step, &call.yielded);
                    step + 1
                }
                // No universe lies between the parts of a call: it is named as the one before.
                Some(Choice::Input(..)) => step,
                Some(Choice::Event(event)) => {
                    trace.event(event.step, &event.event);
                    step
                }
                None => break,
            };
            let options = nodes.get_mut(at).map(|node| &mut node.options);
            let option = options.and_then(|all| all.iter_mut().find(|o| o.value == text));
            let Some(option) = option else { break };
            at = name(option, &trace, after);
        }
    }
}

/// The option that no event arrives, where events may, and the choice is none of them.
fn quiet_option<'n>(
    nodes: &'n mut [SuggestionNode],
    at: usize,
    choice: &str,
) -> Option<&'n mut SuggestedOption> {
    let options = &mut nodes.get_mut(at)?.options;
    if options.iter().any(|option| option.value == choice) {
        return None;
    }
    options.iter_mut().find(|option| option.value == NO_EVENT)
}

/// The step at which a jump finds the end of a path: a trapping instruction is not retired, its attempt is one step more.
fn end_of(path: &Path) -> u64 {
    path.steps + u64::from(matches!(path.end, End::Trapped(..)))
}

/// The option that no event arrives before the next input.
const NO_EVENT: &str = "none";

fn found(inquiry: &Inquiry, walk: &Walk<'_>, alarm: Option<&Alarm>) -> FoundPath {
    let (kind, reason, at) = ended(&walk.path.end, alarm);
    let mut trace = inquiry.trace.clone();
    let mut inputs = Vec::new();
    for choice in walk.choices() {
        match &choice {
            Choice::Input(read, _, Some(call)) if !call.goes() => {
                trace.input(read.step, &call.yielded);
            }
            Choice::Input(..) => {}
            Choice::Event(event) => trace.event(event.step, &event.event),
        }
        inputs.extend(choice.suggested(scene(inquiry)));
    }
    FoundPath {
        kind: kind.to_owned(),
        reason,
        place: at.map(|at| place_of(&inquiry.info, at)),
        inputs,
        moment: trace.text(AgentNumber::ONLY, end_of(walk.path)),
        board: None,
    }
}
