//! Suggested paths: all futures of a program within a bound, and the inputs that lead to each.

mod answering;
pub(crate) mod ask;
mod claims;
mod conditions;
mod cover;
mod cuts;
mod demands;
mod drawing;
mod errand;
mod evidence;
mod exploring;
mod export;
mod forever;
mod helper;
mod inquiry;
mod jobs;
mod listing;
mod looking;
mod nodes;
mod options;
mod orders;
mod parcel;
mod picture;
mod proving;
mod report;
mod runs;
pub(crate) mod same;
mod sets;
mod states;
mod study;
pub(crate) mod surveying;
mod tree;
mod walk;
mod why;
mod words;

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use borges_board::{BoardState, Driver, PrimitiveId, SystemCall};
use borges_concolic::{
    Answered, Bounds, Budget, Explored, Flow as Goes, MOST_INPUTS, Progress, Search, SearchOrder,
    Start, suggest_on,
};
use borges_debuginfo::DebugInfo;
use borges_sim::SimBoard;
use borges_stub::{Answer, Call, Program, World, execute};
use borges_vm::{CodeOffset, ExternType, Machine};

pub use crate::command::picture::{PictureState, PictureWay, StateKind, StatesPicture};
pub use crate::command::proof::{
    ClaimReport, Demand, DemandReport, Demanded, OrdersReport, ProgramNames, Proved, StatesReport,
    TrapReport,
};
pub use crate::command::question::{
    CoverListing, CoveredLine, Destination, FoundPath, MOST_STDIN, OneSided, Order, Question,
    RestListing, SuggestedInput, SuggestedOption, SuggestionListing, SuggestionNode, Turn,
    UnexploredReport, WhyListing, Within,
};
pub use answering::Listener;
pub use borges_concolic::SystemChoices;
pub use claims::check_program;
use cuts::Asked;
pub use drawing::Line;
use errand::About;
pub use export::{ExportError, Launch, TestOutcome, TestReport, moment_after, run_tests};
pub use helper::{Helper, HelperMemory};
pub use inquiry::Inquiry;
pub use looking::letters::{LookLetter, LookPost};
pub use nodes::{
    ArrivalReport, EndReport, Ending, EventReport, InputReport, OptionReport, RestReport,
    TreeReport,
};
pub use options::StatesOptions;
pub use orders::orders_of_program;
pub use report::PathsReport;
pub use states::states_of_program;
pub use surveying::{
    DeviceAsked, DeviceSurveyFile, DeviceSurveyors, SurveyedStates, survey_states,
};
pub use tree::PathsTree;

use crate::command::broker::Seekers;
use crate::command::{Event, Flow};
use crate::program::{Library, OpenError, Opened, Provided};
use crate::scene::Scene;
use jobs::{Jobs, Task, Workers};
use walk::Rerun;

/// How far to explore. What is left out has no bound but the defaults of an exploration.
#[derive(Clone, Debug, Default)]
pub struct SuggestOptions {
    /// The modules that the program is linked with.
    pub libraries: Vec<Library>,
    /// The exported function to call; without one, `main` or `_start`.
    pub entry: Option<String>,
    /// Inputs that the board's sources answer before exploration begins.
    pub after: u32,
    /// Inputs on a path.
    pub inputs: Option<u32>,
    /// Events on a path; without a bound none arrive.
    pub events: Option<u32>,
    /// Instructions on a path.
    pub steps: Option<u64>,
    /// Paths in all.
    pub paths: Option<usize>,
    /// Rounds of each loop on a path.
    pub rounds: Option<u32>,
    /// A place before which paths end: a line (`12`, `file:12`), a function, or an offset.
    pub stop: Option<String>,
    /// Time for all of it.
    pub seconds: Option<f64>,
    /// In which order.
    pub order: Order,
    /// Whether a `select` counts as a branch.
    pub selects: bool,
    /// Who answers what trying values cannot: `none`, `z3`, `bitwuzla`, `cvc5`; without one, the best there is.
    pub solver: Option<String>,
    /// What a program finds that calls an operating system; without it, its name is all.
    pub system: Option<Provided>,
    /// What is looked at of what that may come to.
    pub choices: SystemChoices,
    /// Who looks for paths, if there is a bound on inputs; nothing for one thread.
    pub seekers: Option<Seekers>,
}

/// Time without a bound of the caller's.
const SECONDS: f64 = 10.0;

/// A program to explore, opened without a session.
pub(crate) struct Subject {
    pub(crate) path: PathBuf,
    pub(crate) program: Program,
    pub(crate) info: Arc<DebugInfo>,
    pub(crate) start: Start,
    pub(crate) entry: String,
    /// What inputs answered before exploration begins.
    pub(crate) before: Vec<Answered>,
}

impl Subject {
    /// Opens a program at its start.
    pub(crate) fn open(
        (path, libraries): (&Path, &[Library]),
        named: Option<&Path>,
        entry: Option<&str>,
        given: Option<&Provided>,
    ) -> Result<Self, OpenError> {
        let opened = Opened::read((path, libraries), named, entry, given)?;
        Ok(Self::of(path, opened))
    }

    /// One that was opened.
    fn of(path: &Path, opened: Opened) -> Self {
        let board = BoardState::lean(&opened.program.board);
        Self {
            path: path.to_owned(),
            entry: opened.entry_name,
            start: start(&opened.program, opened.machine, board),
            program: opened.program,
            info: Arc::new(opened.info),
            before: Vec::new(),
        }
    }

    /// A machine of the program, to look into.
    fn scene<'s>(&'s self, machine: &'s Machine) -> Scene<'s> {
        Scene {
            program: &self.program,
            info: &self.info,
            machine,
        }
    }

    /// What it is called in reports.
    fn named(&self) -> ProgramNames {
        ProgramNames {
            program: self.path.display().to_string(),
            hash: format!("{:016x}", self.program.module.hash()),
            board: self.program.board.name.to_string(),
            entry: self.entry.clone(),
        }
    }
}

/// Inputs come from the board's sources, as many as are left.
struct Sources<'s> {
    program: &'s Program,
    driver: &'s mut Driver<SimBoard>,
    left: u32,
    given: Vec<Answered>,
}

impl World for Sources<'_> {
    fn input(&mut self, call: &Call<'_>) -> Answer {
        let Some(left) = self.left.checked_sub(1) else {
            return Answer::Leave;
        };
        self.left = left;
        self.driver.at(call.steps);
        let (board, memory) = (&self.program.board, call.memory.len());
        match self.driver.input(board, call.primitive, call.args, memory) {
            Ok(yielded) => {
                let answer = Answer::brought(board, call, &yielded);
                self.given.push(Answered {
                    primitive: call.primitive,
                    args: call.args.to_vec(),
                    yielded,
                    is_fault: false,
                });
                answer
            }
            Err(_) => Answer::Trap,
        }
    }

    fn system(&mut self, call: &Call<'_>) -> Answer {
        let (board, id, args) = (&self.program.board, call.primitive, call.args);
        let mut tried = self.driver.state().clone();
        let called = tried.call_system(board, id, args, call.memory, None);
        if matches!(called, Ok(SystemCall::Wants(_))) {
            let Some(left) = self.left.checked_sub(1) else {
                return Answer::Leave;
            };
            self.left = left;
        }
        match self.driver.system(board, id, args, call.memory, None) {
            Ok((called, _)) => called.into(),
            Err(_) => Answer::Trap,
        }
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        self.driver.at(call.steps);
        let board = &self.program.board;
        match self
            .driver
            .output(board, call.primitive, call.args, call.memory)
        {
            Ok(done) => Answer::Value(done.result),
            Err(_) => Answer::Trap,
        }
    }
}

impl Subject {
    /// Lets the program read so many inputs from the board's sources, and stops before the next.
    fn run_until_input(&mut self, after: u32) {
        if after == 0 {
            return;
        }
        let hardware = SimBoard::new(&self.program.board);
        let mut driver = Driver::new(&self.program.board, hardware);
        let mut world = Sources {
            program: &self.program,
            driver: &mut driver,
            left: after,
            given: Vec::new(),
        };
        let most = MOST_STEPS_BEFORE;
        execute(&mut self.start.machine, &self.program, &mut world, most);
        self.before = world.given;
        self.start.state = driver.state().clone();
    }
}

/// Steps in which the inputs before exploration must come.
const MOST_STEPS_BEFORE: u64 = 1_000_000_000;

/// A place to explore from.
pub(crate) fn start(program: &Program, machine: Machine, state: BoardState) -> Start {
    let functions = program.module.imports();
    let functions = functions.filter(|import| matches!(import.ty, ExternType::Func(_)));
    let primitives = (0..functions.count() as u32)
        .map(|import| program.primitive(import).unwrap_or(PrimitiveId(u16::MAX)))
        .collect();
    Start {
        machine,
        board: program.board.clone(),
        primitives,
        state,
        choices: SystemChoices::default(),
    }
}

/// Explores a program from its start.
///
/// `observer` hears how far it has come and may end it: what was found by then is reported.
///
/// # Errors
/// [`OpenError`]: the program does not open, or there is no such place to stop at.
pub fn of_program(
    path: &Path,
    board: Option<&Path>,
    options: &SuggestOptions,
    observer: &mut dyn FnMut(Event) -> Flow,
) -> Result<PathsReport, OpenError> {
    if let Err(message) = borges_concolic::solver::named(options.solver.as_deref(), Duration::ZERO)
    {
        let path = path.to_owned();
        return Err(OpenError::Session { path, message });
    }
    let given = options.system.as_ref();
    let linked = (path, options.libraries.as_slice());
    let opened = Opened::read(linked, board, options.entry.as_deref(), given)?;
    let workers = options.workers(&opened);
    let mut subject = Subject::of(path, opened);
    let choices = options.choices;
    let is_asked = choices.stdin.is_some() || choices.faults > 0;
    options::has_system(is_asked, subject.start.board.system())
        .map_err(|message| options::wrong(path, message))?;
    subject.start.choices = choices;
    subject.run_until_input(options.after);
    let stops = match &options.stop {
        Some(place) => places(&subject, place)?,
        None => Vec::new(),
    };
    let began = Instant::now();
    let clock = || began.elapsed();
    let heard = telling(observer, &clock, |progress| {
        progress_event("paths", progress)
    });
    let seconds = options.seconds.unwrap_or(SECONDS).clamp(0.0, 1e9);
    let time = Duration::from_secs_f64(seconds);
    let budget = Budget::new(time, &clock, &heard);
    let (mut explored, proofs) = explore(&subject, stops, (options, workers), &budget.part(75));
    let threads = options.seekers.as_ref().map_or(1, Seekers::threads);
    let solver = || options::solver_named(options.solver.as_deref());
    let suggestions = suggest_on(&mut explored, threads, &solver, &budget.part(80));
    let mut tree = PathsTree {
        subject,
        explored,
        suggestions,
        checked: tree::Checked::default(),
    };
    tree.check(&proofs, threads, &exploring::tidying(&budget));
    let asked = Asked {
        bounds_inputs: options.inputs.is_some(),
        time,
    };
    Ok(PathsReport::new(tree, asked, clock))
}

/// Between two looks at whether the user has had enough.
const TELL: Duration = Duration::from_millis(2);

/// Tells an observer every now and then how far it has come; what that says ends the work.
fn telling<'t>(
    observer: &'t mut dyn FnMut(Event) -> Flow,
    clock: &'t dyn Fn() -> Duration,
    event: impl Fn(Progress) -> Event + 't,
) -> impl Fn(Progress) -> Goes + 't {
    let (observer, last) = (RefCell::new(observer), Cell::new(Duration::ZERO));
    move |progress| {
        let now = clock();
        if now - last.get() < TELL {
            return Goes::Continue;
        }
        last.set(now);
        match (observer.borrow_mut())(event(progress)) {
            Flow::Continue => Goes::Continue,
            Flow::Pause => Goes::Stop,
        }
    }
}

/// How far it has come, for people.
fn progress_event(what: &str, progress: Progress) -> Event {
    let paths = progress.paths as u64;
    match (progress.states, progress.inputs) {
        (0, 0) => counted(what, paths),
        (0, inputs) => counted(
            format!("{what} (all of up to {inputs} inputs looked at)"),
            paths,
        ),
        (states, _) => counted(format!("{what} (states)"), states as u64),
    }
}

/// So many of something, of which nobody knows how many there will be.
fn counted(what: impl Into<String>, done: u64) -> Event {
    Event::Progress {
        what: what.into(),
        done,
        total: None,
    }
}

impl SuggestOptions {
    /// Who looks for paths, if that is not this thread alone.
    fn workers(&self, opened: &Opened) -> Option<Workers<'_>> {
        let queue = match (self.inputs?, self.seekers.as_ref()?) {
            (_, Seekers::Cores(cores)) => return Workers::here(*cores),
            (_, Seekers::Queue(queue)) => queue,
        };
        let SystemChoices {
            stdin,
            faults,
            more,
            ..
        } = self.choices;
        let about = About::Paths {
            after: self.after,
            stdin,
            faults,
            more,
        };
        let (board, program) = (&opened.board, &opened.program);
        let errand = errand::errand(&opened.path, board, program, opened.entry.0, about);
        Some(Workers::Away(queue, errand, None))
    }
}

/// Explores a program, by several workers if there are some.
fn explore(
    subject: &Subject,
    stops: Vec<CodeOffset>,
    (options, workers): (&SuggestOptions, Option<Workers<'_>>),
    budget: &Budget<'_>,
) -> (Explored, tree::Proofs) {
    let usual = Bounds::default();
    let bounds = Bounds {
        inputs: options.inputs.unwrap_or(MOST_INPUTS),
        events: options.events,
        steps: options.steps.unwrap_or(usual.steps),
        paths: options.paths.unwrap_or(usual.paths),
        rounds: options.rounds,
        stops,
        selects_fork: options.selects,
        ..usual
    };
    let strategy = match options.order {
        Order::Depth if options.inputs.is_some() || options.steps.is_some() => {
            SearchOrder::DepthFirst
        }
        // Without a bound on paths, most device programs never end: depth first would see one path only.
        Order::Depth | Order::Breadth => SearchOrder::BreadthFirst,
        Order::Coverage => SearchOrder::CoverageFirst,
        Order::Random(seed) => SearchOrder::Random(seed),
    };
    let task = Task {
        bounds,
        order: strategy,
        solver: options.solver.clone(),
    };
    if let Some(workers) = workers {
        let jobs = Jobs {
            start: &subject.start,
            task: &task,
            workers,
            explore: &|part, budget| {
                let search = part.search(&task.order, || task.solver());
                explore_proving(subject, search, budget)
            },
        };
        let (explored, proofs) = jobs.run(budget, task.solver(), &mut |_| Goes::Continue);
        return (explored, proofs.into_iter().map(Option::flatten).collect());
    }
    let search = Search {
        solver: task.solver(),
        bounds: task.bounds,
        strategy: task.order,
        ..Search::default()
    };
    let (explored, proofs) = explore_proving(subject, search, budget);
    (explored, proofs.into_iter().collect())
}

/// Explores, and runs each path again when it is found.
fn explore_proving<'s>(
    subject: &'s Subject,
    search: Search<'s>,
    budget: &Budget<'_>,
) -> (Explored, Vec<Option<tree::Proof>>) {
    let mut proofs = Vec::new();
    let mut rerun = Rerun::new(&subject.program, &subject.info, &subject.start);
    let mut replay = |path: &borges_concolic::Path| {
        proofs.push(tree::proof(&mut rerun, path, budget));
        Goes::Continue
    };
    let explored = borges_concolic::explore(&subject.start, search, budget, &mut replay);
    (explored, proofs)
}

/// The instructions that a place means.
pub(crate) fn places(subject: &Subject, text: &str) -> Result<Vec<CodeOffset>, OpenError> {
    let info = &subject.info;
    let unknown = |message: String| OpenError::Session {
        path: subject.path.clone(),
        message,
    };
    let (file, line) = match text.rsplit_once(':') {
        Some((file, line)) => (Some(file), line),
        None => (None, text),
    };
    if let Some(digits) = text.strip_prefix("0x")
        && let Ok(offset) = u32::from_str_radix(digits, 16)
    {
        let offset = CodeOffset(offset);
        if subject.program.module.is_instr_start(offset) {
            return Ok(vec![offset]);
        }
        return Err(unknown(format!("no instruction begins at offset {text}")));
    }
    if let Ok(line) = line.parse::<u32>() {
        let ours = |path: &str| match file {
            Some(file) => path.ends_with(file),
            None => !path.starts_with('~'),
        };
        for (number, known) in info.files().iter().enumerate() {
            if ours(&known.path)
                && let Ok(found) = info.break_at_line(borges_debuginfo::FileId(number as u32), line)
            {
                return Ok(found.offsets);
            }
        }
        return Err(unknown(format!("no code belongs to {text}")));
    }
    let offsets = info.break_at_function(text);
    if offsets.is_empty() {
        return Err(unknown(format!(
            "'{text}' is no line, no function and no offset: 'borges inspect' lists the functions"
        )));
    }
    Ok(offsets)
}
