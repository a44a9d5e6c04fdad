//! What an exploration found, as data for faces and other programs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use borges_concolic::{
    Budget, Cut, Delivered, End, Explored, Path as FoundPath, Set, SuggestionNode, Suggestions,
    value_of,
};
use borges_vm::{CodeOffset, ValType, Value};
use serde::Serialize;

use super::cuts::{self, Asked};
use super::export::{self, ExportError, Future, Launch};
use super::sets;
use super::walk::{self, Alarm, Check, Walk};
use super::{ProgramNames, Subject};
use crate::command::question::UnexploredReport;
use crate::scene::place_of;
use crate::values::json;

/// All paths that were found. The names are kept stable.
#[derive(Clone, Debug, Serialize)]
pub struct PathsReport {
    /// The program.
    #[serde(flatten)]
    pub about: ProgramNames,
    /// How many paths there are.
    pub paths: usize,
    /// The most options at one input.
    pub max_options: usize,
    /// Whether these are all paths within the bound on inputs and the place to stop at; false if another bound cut
    /// something off, or nobody could answer a question.
    pub complete: bool,
    /// What ended it before everything was looked at: `time`, `cancelled` or `paths`; nothing if nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// If not complete: all paths with so many inputs were looked at; nothing if not even those with none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked: Option<u32>,
    /// Paths that end in a trap.
    pub traps: usize,
    /// Questions that a solver was asked.
    pub solver_queries: u64,
    /// Questions answered by trying values.
    pub evaluations: u64,
    /// Time it took.
    pub seconds: f64,
    /// Instructions executed.
    pub steps: u64,
    /// What was left out, and why.
    pub unexplored: Vec<UnexploredReport>,
    /// What inputs answered before exploration began.
    pub before: Vec<serde_json::Value>,
    /// The paths, merged on what they share.
    pub tree: TreeReport,
    #[serde(skip)]
    pub(crate) futures: Vec<Future>,
}

impl PathsReport {
    /// Writes a file with a test for every path, for [`super::run_tests`].
    ///
    /// # Errors
    /// [`ExportError`].
    pub fn write_tests(&self, file: &Path, launch: Launch<'_>) -> Result<(), ExportError> {
        export::write_tests(file, launch, &self.futures)
    }

    /// Writes a session file for every path into a folder; their names.
    ///
    /// # Errors
    /// [`ExportError`].
    pub fn write_traces(
        &self,
        folder: &Path,
        launch: Launch<'_>,
    ) -> Result<Vec<PathBuf>, ExportError> {
        export::write_traces(folder, launch, &self.futures)
    }
}

/// A node of the tree: an input with its options, events that may arrive, or an end.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TreeReport {
    /// The input that is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputReport>,
    /// What it may answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<OptionReport>>,
    /// What else it may answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<RestReport>,
    /// Instead of an input: the events that may arrive before the next one, and that none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<ArrivalReport>>,
    /// How the path ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndReport>,
}

/// An input.
#[derive(Clone, Debug, Serialize)]
pub struct InputReport {
    /// The primitive's name.
    pub primitive: String,
    /// Its arguments.
    pub args: Vec<serde_json::Value>,
    /// Instructions retired before it.
    pub step: u64,
}

/// An answer of an input.
#[derive(Clone, Debug, Serialize)]
pub struct OptionReport {
    /// The representative.
    pub value: serde_json::Value,
    /// The values that can stand in for it, as closed intervals: with each of them, all paths behind it stay as they
    /// are; with no other do they all.
    pub set: Vec<[serde_json::Value; 2]>,
    /// The same in words.
    pub shown: String,
    /// Whether the set is all there is; if not, it took too long to find all.
    pub exact: bool,
    /// The input that is read next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtree: Option<Box<TreeReport>>,
    /// Or the end of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndReport>,
}

/// Answers of an input that stand in for no option: each keeps some of the paths behind one, not all.
#[derive(Clone, Debug, Serialize)]
pub struct RestReport {
    /// These, as closed intervals.
    pub set: Vec<[serde_json::Value; 2]>,
    /// The same in words.
    pub shown: String,
    /// The representatives of the options whose paths some of them keep.
    pub options: Vec<serde_json::Value>,
}

/// An event that arrives.
#[derive(Clone, Debug, Serialize)]
pub struct EventReport {
    /// `pin N` or `timer`.
    pub source: String,
    /// The handler, as an index into the program's table.
    pub handler: u32,
    /// Instructions retired before it.
    pub step: u64,
}

impl From<&Delivered> for EventReport {
    fn from(delivered: &Delivered) -> Self {
        EventReport {
            source: walk::source(delivered),
            handler: delivered.event.handler,
            step: delivered.step,
        }
    }
}

/// An event that may arrive, or none, with what follows.
#[derive(Clone, Debug, Serialize)]
pub struct ArrivalReport {
    /// The event; nothing if none arrives before the next input.
    pub event: Option<EventReport>,
    /// The input that is read next, or further events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtree: Option<Box<TreeReport>>,
    /// Or the end of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndReport>,
}

/// How a path ended.
#[derive(Clone, Debug, Serialize)]
pub struct EndReport {
    /// `returned`, `trapped`, `stopped` (at the given place), `inputs` (it would read one more than the bound), or
    /// `cut` (by another bound).
    pub kind: &'static str,
    /// Which trap, or what cut it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where in the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The path's number, from 0.
    pub path: usize,
    /// What its inputs answer, in order.
    pub inputs: Vec<serde_json::Value>,
    /// The events that arrive on it, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventReport>,
    /// What depends on inputs: a branch's offset and what was taken, or the offset of an instruction that was executed
    /// for one value at a time, and the value.
    pub branches: Vec<[u32; 2]>,
}

pub(crate) struct Reporter<'r> {
    pub(crate) subject: &'r Subject,
    pub(crate) explored: &'r Explored,
    pub(crate) suggestions: &'r Suggestions,
    pub(crate) proofs: &'r Proofs,
    pub(crate) asked: Asked,
}

impl Reporter<'_> {
    /// The report; paths are run again to check them as long as the budget lasts.
    pub(crate) fn paths(&self, budget: &Budget<'_>, took: impl Fn() -> Duration) -> PathsReport {
        let explored = self.explored;
        let effort = explored.effort();
        let trapped = explored.paths.iter();
        let trapped = trapped.filter(|path| matches!(path.end, End::Trapped(..)));
        let checked = self.checked(budget);
        let untrue = &checked.untrue;
        let untold = untrue.iter().map(|path| UnexploredReport {
            reason: walk::NOT_TRUE.to_owned(),
            place: None,
            inputs: self.answers(*path).into_iter().map(json).collect(),
            bound: None,
        });
        let mut unexplored: Vec<UnexploredReport> = untold.collect();
        unexplored.extend(cuts::left_out(&self.subject.info, explored, self.asked));
        let apart = self.suggestions.left_out.len();
        unexplored.extend(cuts::for_want_of_time(
            apart,
            "not in the tree: no value was found",
        ));
        unexplored.extend(cuts::for_want_of_time(checked.unchecked, walk::NOT_CHECKED));
        let complete = cuts::is_complete(explored, self.asked)
            && untrue.is_empty()
            && self.suggestions.left_out.is_empty();
        PathsReport {
            about: self.subject.named(),
            paths: explored.paths.len() - untrue.len(),
            max_options: self.suggestions.max_options(),
            complete,
            ended: cuts::ended(explored),
            looked: explored.looked.filter(|_| !complete),
            traps: trapped.count(),
            solver_queries: effort.solver_queries,
            evaluations: effort.evaluated,
            seconds: took().as_secs_f64(),
            steps: explored.steps,
            unexplored,
            before: self
                .subject
                .before
                .iter()
                .map(|value| json(*value))
                .collect(),
            tree: self.tree(&checked),
            futures: self.futures(&checked),
        }
    }

    fn checked(&self, budget: &Budget<'_>) -> Checked {
        let subject = self.subject;
        let (program, info, start) = (&subject.program, &subject.info, &subject.start);
        let mut checked = Checked::default();
        for (number, path) in self.explored.paths.iter().enumerate() {
            let answers = self.answers(number);
            if let Some(alarm) = self.proofs.alarm(number, &answers) {
                checked.alarms.extend(alarm.map(|alarm| (number, alarm)));
                continue;
            }
            match (Walk { path, answers }).check(program, info, start, budget) {
                Check::True(None) => {}
                Check::True(Some(alarm)) => {
                    checked.alarms.insert(number, alarm);
                }
                Check::Untrue => checked.untrue.push(number),
                Check::Unknown => checked.unchecked += 1,
            }
        }
        checked
    }

    /// The paths with all that is needed to run them again.
    fn futures(&self, checked: &Checked) -> Vec<Future> {
        let paths = self.explored.paths.iter().enumerate();
        paths
            .filter(|(number, _)| !checked.untrue.contains(number))
            .map(|(number, path)| {
                let (kind, reason, at) = ended(&path.end, checked.alarms.get(&number));
                let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                let at = at.map_or_else(String::new, |at| format!(" at {}", self.place(at)));
                let mut inputs = self.subject.before.clone();
                inputs.extend(self.answers(number));
                let name = format!("path {number} {kind}{reason}{at}");
                Future::new(name, inputs, path)
            })
            .collect()
    }

    /// Children come after their parents, so the tree is put together from its last node.
    fn tree(&self, checked: &Checked) -> TreeReport {
        let nodes = &self.suggestions.nodes;
        let mut done: Vec<Option<TreeReport>> = vec![None; nodes.len()];
        for (number, node) in nodes.iter().enumerate().rev() {
            let mut rest = |next: usize| match done.get_mut(next).and_then(Option::take) {
                Some(TreeReport { end: Some(end), .. }) => (None, Some(end)),
                next => (next.map(Box::new), None),
            };
            done[number] = Some(match node {
                SuggestionNode::End { path } if checked.untrue.contains(path) => Default::default(),
                SuggestionNode::End { path } => TreeReport {
                    end: Some(self.end(*path, checked.alarms.get(path))),
                    ..TreeReport::default()
                },
                SuggestionNode::Event { options } => {
                    let events = options.iter().map(|option| {
                        let (subtree, end) = rest(option.next);
                        ArrivalReport {
                            event: option.event.as_ref().map(EventReport::from),
                            subtree,
                            end,
                        }
                    });
                    TreeReport {
                        events: Some(events.collect()),
                        ..TreeReport::default()
                    }
                }
                SuggestionNode::Input {
                    primitive,
                    args,
                    ty,
                    step,
                    options,
                    rest: others,
                } => {
                    let value = |cell| json(value_of(*ty, cell));
                    let others = others.as_ref().map(|others| {
                        let shown = others.options.iter().map(|at| value(options[*at].cell));
                        RestReport {
                            set: intervals(&others.set, *ty),
                            shown: sets::describe(&others.set, *ty),
                            options: shown.collect(),
                        }
                    });
                    let found = self.subject.program.board.primitive(*primitive);
                    let options = options.iter().map(|option| {
                        let (subtree, end) = rest(option.next);
                        OptionReport {
                            value: value(option.cell),
                            set: intervals(&option.set, *ty),
                            shown: sets::describe(&option.set, *ty),
                            exact: option.is_exact,
                            subtree,
                            end,
                        }
                    });
                    TreeReport {
                        options: Some(options.collect()),
                        rest: others,
                        input: Some(InputReport {
                            primitive: found.map_or_else(String::new, |p| p.name.to_string()),
                            args: args.iter().map(|value| json(*value)).collect(),
                            step: *step,
                        }),
                        ..TreeReport::default()
                    }
                }
            });
        }
        done.into_iter().next().flatten().unwrap_or_default()
    }

    /// What the inputs of a path answer in the tree.
    pub(crate) fn answers(&self, path: usize) -> Vec<Value> {
        let found = &self.explored.paths[path];
        let answers = self.suggestions.answers.get(path).and_then(Option::as_ref);
        let way = found.ways.first();
        let cells = answers.or(way.map(|way| &way.model)).into_iter().flatten();
        let reads = way.map(|way| way.reads.as_slice()).unwrap_or_default();
        let values = reads.iter().zip(cells);
        values
            .map(|(read, cell)| value_of(read.ty, *cell))
            .collect()
    }

    fn end(&self, path: usize, alarm: Option<&Alarm>) -> EndReport {
        let found = &self.explored.paths[path];
        let (kind, reason, at) = ended(&found.end, alarm);
        let branches = found.outcomes.iter();
        EndReport {
            kind,
            reason,
            place: at.map(|at| self.place(at)),
            path,
            inputs: self.answers(path).into_iter().map(json).collect(),
            events: found.events.iter().map(EventReport::from).collect(),
            branches: branches
                .map(|outcome| [outcome.at.0, outcome.taken])
                .collect(),
        }
    }

    fn place(&self, at: CodeOffset) -> String {
        place_of(&self.subject.info, at)
    }
}

/// Paths that came true when they were run again, with the answers that they were found with: what is found is known to be
/// so at once, and whoever ends an exploration waits for little.
#[derive(Default)]
pub(crate) struct Proofs(Vec<Option<Proof>>);

/// The answers, and how the path traps if it does.
type Proof = (Vec<Value>, Option<Alarm>);

impl Proofs {
    /// Runs the path that was found after those that are here.
    pub(crate) fn add(&mut self, subject: &Subject, path: &FoundPath, budget: &Budget<'_>) {
        let (program, info, start) = (&subject.program, &subject.info, &subject.start);
        let proof =
            Walk::of(path).and_then(|walk| match walk.check(program, info, start, budget) {
                Check::True(alarm) => Some((walk.answers, alarm)),
                Check::Untrue | Check::Unknown => None,
            });
        self.0.push(proof);
    }

    /// How a path traps with these answers, if it does; nothing if it was not run with them.
    fn alarm(&self, number: usize, answers: &[Value]) -> Option<Option<Alarm>> {
        let (known, alarm) = self.0.get(number)?.as_ref()?;
        (known == answers).then(|| alarm.clone())
    }
}

/// What running the paths again came to.
#[derive(Default)]
struct Checked {
    /// Paths that do not come true: none, unless Borges is wrong about them.
    untrue: Vec<usize>,
    /// So many there was no time to run.
    unchecked: usize,
    /// By the paths that trap.
    alarms: HashMap<usize, Alarm>,
}

/// An end as faces name it: its kind, what it was, and where.
pub(super) fn ended(
    end: &End,
    alarm: Option<&Alarm>,
) -> (&'static str, Option<String>, Option<CodeOffset>) {
    match end {
        End::Returned => ("returned", None, None),
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
        End::Inputs => ("inputs", None, None),
        End::Cut(cut) => ("cut", Some(cut_by(*cut).to_owned()), None),
    }
}

fn cut_by(cut: Cut) -> &'static str {
    match cut {
        Cut::Steps => "the bound on steps",
        Cut::Rounds => "the bound on rounds of a loop",
        Cut::NoValue => "the board's rules leave no value for the next input",
        Cut::Waits => "exploration ended before",
    }
}

fn intervals(set: &Set, ty: ValType) -> Vec<[serde_json::Value; 2]> {
    let intervals = set.to_codomain(ty).intervals();
    let both = |(low, high)| [json(low), json(high)];
    intervals.into_iter().map(both).collect()
}
