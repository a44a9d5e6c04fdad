//! The paths that were found, merged on what they share: kept as they were found, and put into words for whoever reads
//! them. Who ends an exploration waits for what is shown, and for nothing else.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use borges_board::PrimitiveId;
use borges_concolic::{
    Answered, Budget, End, Explored, InputOption, OtherValues, Path, ReadPart, Set, SuggestionNode,
    Suggestions, value_of,
};
use borges_multiverse::fingerprint::Fingerprint;
use borges_vm::{CodeOffset, ValType, Value};
use serde::{Serialize, Serializer};

use super::Subject;
use super::export::Future;
use super::nodes::{
    ArrivalReport, EndReport, Ending, EventReport, InputReport, OptionReport, RestReport,
    TreeReport,
};
use super::sets;
use super::walk::{Alarm, Check, Rerun, Walk, said};
use crate::scene::place_of;
use crate::values::json;

/// A thread of its own is worth its while for so many paths that are run again.
const FEW_WALKS: usize = 32;

/// Paths, merged on what they share. As data it is a [`TreeReport`].
pub struct PathsTree {
    pub(super) subject: Subject,
    pub(super) explored: Explored,
    pub(super) suggestions: Suggestions,
    pub(super) checked: Checked,
}

/// What is said of the nodes of a tree.
#[derive(Clone, Copy)]
pub(super) struct View<'t> {
    pub(super) subject: &'t Subject,
    pub(super) paths: &'t [Path],
    pub(super) suggestions: &'t Suggestions,
    pub(super) checked: &'t Checked,
}

impl View<'_> {
    pub(super) fn input(
        &self,
        (primitive, args): (PrimitiveId, &[Value]),
        part: &ReadPart,
        step: u64,
    ) -> InputReport {
        let found = self.subject.program.board.primitive(primitive);
        InputReport {
            primitive: found.map_or_else(String::new, |found| found.name.to_string()),
            args: args.iter().map(|value| json(*value)).collect(),
            byte: match part {
                ReadPart::Byte(number) => Some(*number),
                _ => None,
            },
            step,
        }
    }

    /// The path that ends at a node, if one does that comes true.
    pub(super) fn end_at(&self, node: usize) -> Option<usize> {
        match self.suggestions.nodes.get(node)? {
            SuggestionNode::End { path } if !self.checked.untrue.contains(path) => Some(*path),
            _ => None,
        }
    }

    pub(super) fn ending(&self, path: usize) -> Ending {
        let end = &self.paths[path].end;
        let (kind, reason, at) = ended(end, self.checked.alarms.get(&path));
        Ending {
            kind,
            reason,
            place: at.map(|at| place_of(&self.subject.info, at)),
        }
    }
}

impl Serialize for PathsTree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.report().serialize(serializer)
    }
}

impl PathsTree {
    /// Runs the paths again that were not run when they were found, on so many threads, as long as the budget lasts.
    pub(super) fn check(&mut self, proofs: &Proofs, threads: usize, budget: &Budget<'_>) {
        let mut checked = Checked::default();
        let mut open = Vec::new();
        for (number, path) in self.explored.paths.iter().enumerate() {
            let cells = self.cells(number);
            match proofs.alarm(number, cells) {
                Some(alarm) => checked.alarms.extend(alarm.map(|alarm| (number, alarm))),
                None => open.push((number, path, cells)),
            }
        }
        let checking = Checking {
            subject: &self.subject,
            open,
            next: AtomicUsize::new(0),
            is_spent: AtomicBool::new(false),
        };
        checked.add(checking.all(threads, budget));
        self.checked = checked;
    }

    /// What is said of its nodes.
    pub(super) fn view(&self) -> View<'_> {
        View {
            subject: &self.subject,
            paths: &self.explored.paths,
            suggestions: &self.suggestions,
            checked: &self.checked,
        }
    }

    /// The paths with all that is needed to run them again.
    pub(super) fn futures(&self) -> Vec<Future> {
        let paths = self.explored.paths.iter().enumerate();
        paths
            .filter(|(number, _)| !self.checked.untrue.contains(number))
            .map(|(number, path)| {
                let Ending {
                    kind,
                    reason,
                    place,
                } = self.view().ending(number);
                let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                let at = place.map_or_else(String::new, |place| format!(" at {place}"));
                let before = self.subject.before.iter().cloned();
                let inputs = before.chain(self.answers(number)).collect();
                let name = format!("path {number} {kind}{reason}{at}");
                Future::new(name, inputs, path)
            })
            .collect()
    }

    /// Children come after their parents, so the tree is put together from its last node.
    fn report(&self) -> TreeReport {
        let nodes = &self.suggestions.nodes;
        let mut done: Vec<Option<TreeReport>> = vec![None; nodes.len()];
        for (number, node) in nodes.iter().enumerate().rev() {
            let mut behind = |next: usize| match done.get_mut(next).and_then(Option::take) {
                Some(TreeReport { end: Some(end), .. }) => (None, Some(end)),
                next => (next.map(Box::new), None),
            };
            let mut report = TreeReport::default();
            match node {
                SuggestionNode::End { .. } => {
                    report.end = self.view().end_at(number).map(|path| self.end(path));
                }
                SuggestionNode::Event { options } => {
                    let events = options.iter().map(|option| {
                        let (subtree, end) = behind(option.next);
                        ArrivalReport {
                            event: option.event.as_ref().map(EventReport::from),
                            subtree,
                            end,
                        }
                    });
                    report.events = Some(events.collect());
                }
                SuggestionNode::Input {
                    primitive,
                    args,
                    part,
                    ty,
                    step,
                    options,
                    rest,
                } => {
                    report.input = Some(self.view().input((*primitive, &**args), part, *step));
                    report.rest = rest
                        .as_ref()
                        .map(|rest| rest_report(rest, options, (*ty, part)));
                    let options = options.iter().map(|option| {
                        let (subtree, end) = behind(option.next);
                        OptionReport {
                            value: json(value_of(*ty, option.cell)),
                            set: intervals(&option.set, *ty),
                            shown: sets::of_part(&option.set, *ty, part),
                            exact: option.is_exact,
                            subtree,
                            end,
                        }
                    });
                    report.options = Some(options.collect());
                }
            }
            done[number] = Some(report);
        }
        done.into_iter().next().flatten().unwrap_or_default()
    }

    fn end(&self, path: usize) -> EndReport {
        let found = &self.explored.paths[path];
        let branches = found.outcomes.iter();
        EndReport {
            ending: self.view().ending(path),
            path,
            inputs: self.answers(path).map(|call| told(&call)).collect(),
            events: found.events.iter().map(EventReport::from).collect(),
            branches: branches
                .map(|outcome| [outcome.at.0, outcome.taken])
                .collect(),
        }
    }

    /// What the inputs of a path answer in the tree, as cells.
    fn cells(&self, path: usize) -> &[u64] {
        let answers = self.suggestions.answers.get(path).and_then(Option::as_ref);
        let found = self.explored.paths[path].ways.first();
        let cells = answers.or(found.map(|way| &way.model));
        cells.map_or(&[], Vec::as_slice)
    }

    /// The same, call by call.
    pub(super) fn answers(&self, path: usize) -> impl Iterator<Item = Answered> {
        let way = self.explored.paths[path].ways.first();
        let reads = way.map(|way| way.reads.as_slice()).unwrap_or_default();
        Answered::of_cells(reads, self.cells(path))
    }
}

/// What a call yields, as data: a number, or a text where it brings bytes, or may fail.
pub(super) fn told(call: &Answered) -> serde_json::Value {
    match call.yielded.bytes.is_empty() && !call.is_fault {
        true => json(call.yielded.value),
        false => said(call).into(),
    }
}

pub(super) fn rest_report(
    rest: &OtherValues,
    options: &[InputOption],
    (ty, part): (ValType, &ReadPart),
) -> RestReport {
    let shown = rest.options.iter().map(|at| options[*at].cell);
    RestReport {
        set: intervals(&rest.set, ty),
        shown: sets::of_part(&rest.set, ty, part),
        options: shown.map(|cell| json(value_of(ty, cell))).collect(),
    }
}

/// Paths that came true when they were run again, with the answers that they were found with: what is found is known to be
/// so at once, and whoever ends an exploration waits for little.
pub(super) struct Proofs(Vec<Option<Proof>>);

/// A digest of the answers, and how the path traps if it does.
pub(super) type Proof = (u64, Option<Alarm>);

/// What stands for answers: whoever sends proofs sends the answers once, with the paths.
fn digest(cells: &[u64]) -> u64 {
    Fingerprint::of(cells).0
}

/// Runs a path that was found; nothing if it does not come true, or nothing is left to spend.
pub(super) fn proof(rerun: &mut Rerun<'_>, path: &Path, budget: &Budget<'_>) -> Option<Proof> {
    let way = path.ways.first()?;
    match rerun.check(&Walk::of(path)?, budget) {
        Check::True(alarm) => Some((digest(&way.model), alarm)),
        Check::Untrue | Check::Unknown => None,
    }
}

impl FromIterator<Option<Proof>> for Proofs {
    /// One for each path, in their order.
    fn from_iter<I: IntoIterator<Item = Option<Proof>>>(proofs: I) -> Self {
        Proofs(proofs.into_iter().collect())
    }
}

impl Proofs {
    /// How a path traps with these answers, if it does; nothing if it was not run with them.
    fn alarm(&self, number: usize, cells: &[u64]) -> Option<Option<Alarm>> {
        let (known, alarm) = self.0.get(number)?.as_ref()?;
        (*known == digest(cells)).then(|| alarm.clone())
    }
}

/// What running the paths again came to.
#[derive(Default)]
pub(super) struct Checked {
    /// Paths that do not come true: none, unless Borges is wrong about them.
    pub(super) untrue: Vec<usize>,
    /// So many there was no time to run.
    pub(super) unchecked: usize,
    /// By the paths that trap.
    alarms: HashMap<usize, Alarm>,
}

impl Checked {
    fn add(&mut self, more: Self) {
        self.untrue.extend(more.untrue);
        self.untrue.sort_unstable();
        self.unchecked += more.unchecked;
        self.alarms.extend(more.alarms);
    }
}

/// Paths that are run again, each by whichever thread comes to it first.
struct Checking<'c> {
    subject: &'c Subject,
    /// By number, with what their inputs answer.
    open: Vec<(usize, &'c Path, &'c [u64])>,
    next: AtomicUsize,
    /// Nothing is left to spend.
    is_spent: AtomicBool,
}

impl Checking<'_> {
    /// Runs all, on so many threads. The first one has this budget; the others have none left when it is spent.
    fn all(&self, threads: usize, budget: &Budget<'_>) -> Checked {
        let others = threads.min(self.open.len() / FEW_WALKS).saturating_sub(1);
        thread::scope(|scope| {
            let helping =
                |_| scope.spawn(|| Budget::until(&self.is_spent, |budget| self.turn(budget)));
            let helping: Vec<_> = (0..others).map(helping).collect();
            let mut checked = self.turn(budget);
            for helped in helping {
                match helped.join() {
                    Ok(helped) => checked.add(helped),
                    Err(panic) => resume_unwind(panic),
                }
            }
            checked
        })
    }

    fn turn(&self, budget: &Budget<'_>) -> Checked {
        let subject = self.subject;
        let mut rerun = Rerun::new(&subject.program, &subject.info, &subject.start);
        let mut checked = Checked::default();
        while let Some((number, path, cells)) =
            self.open.get(self.next.fetch_add(1, Ordering::Relaxed))
        {
            let check = match Walk::with(path, cells) {
                Some(walk) => rerun.check(&walk, budget),
                None => Check::Untrue,
            };
            match check {
                Check::True(None) => {}
                Check::True(Some(alarm)) => {
                    checked.alarms.insert(*number, alarm);
                }
                Check::Untrue => checked.untrue.push(*number),
                Check::Unknown => {
                    self.is_spent.store(true, Ordering::Relaxed);
                    checked.unchecked += 1;
                }
            }
        }
        checked
    }
}

/// An end as faces name it: its kind, what it was, and where.
pub(super) fn ended(
    end: &End,
    alarm: Option<&Alarm>,
) -> (&'static str, Option<String>, Option<CodeOffset>) {
    match end {
        End::Returned => ("returned", None, None),
        End::Exited(code) => ("returned", Some(format!("exit code {code}")), None),
        End::Trapped(trap, at) => {
            let words = alarm.and_then(|alarm| alarm.words.as_ref());
            let trap = words.map_or(trap.to_string(), |words| format!("{trap}: {words}"));
            (
                "trapped",
                Some(trap),
                alarm.and_then(|alarm| alarm.at).or(*at),
            )
        }
        End::Stopped(at) => ("stopped", None, Some(*at)),
        End::Broke(_, at) => (
            "broke",
            alarm.and_then(|alarm| alarm.words.clone()),
            alarm.and_then(|alarm| alarm.at).or(*at),
        ),
        End::Inputs => ("inputs", None, None),
        End::Cut(cut) => ("cut", Some(cut.words().to_owned()), None),
    }
}

fn intervals(set: &Set, ty: ValType) -> Vec<[serde_json::Value; 2]> {
    let intervals = set.to_codomain(ty).intervals();
    let both = |(low, high)| [json(low), json(high)];
    intervals.into_iter().map(both).collect()
}
