//! Paths that outlive the exploration: regression tests, and recordings.

use std::fs;
use std::path::{Component, Path, PathBuf};

use borges_board::{Event, Yield};
use borges_concolic::{self as concolic, Answered, End};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::command::{AgentNumber, Flow};
use crate::headless::{self, Events, Inputs, RunError, RunOptions, RunOutcome, RunReport};
use crate::program::{Library, OpenError};
use crate::stage::MomentText;
use crate::suggest::walk::said;

/// The version of test files.
const VERSION: u32 = 1;
/// Differences that are told of one test.
const MOST_TOLD: usize = 5;

/// Why a path cannot be exported, or a test file not be run.
#[derive(Debug, Error)]
pub enum ExportError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no test file.
    #[error("{}: {message}", path.display())]
    Test {
        /// Which.
        path: PathBuf,
        /// What is wrong with it, and where.
        message: String,
    },
    /// A program does not run with these inputs.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A session cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A recording cannot be made.
    #[error(transparent)]
    Command(#[from] crate::error::CommandError),
}

/// Where a program is, and how it is started.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'l> {
    /// The module.
    pub program: &'l Path,
    /// The board file, if one was named.
    pub board: Option<&'l Path>,
    /// The modules that it is linked with.
    pub libraries: &'l [Library],
    /// The exported function, if one was named.
    pub entry: Option<&'l str>,
}

/// A path to export.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Future {
    pub(crate) name: String,
    /// All inputs from the program's start.
    pub(crate) inputs: Vec<Answered>,
    /// The events that arrive, each after so many steps.
    pub(crate) events: Vec<(u64, Event)>,
    /// The step at which it ends, if nothing of the program's ends it.
    pub(crate) steps: Option<u64>,
}

impl Future {
    pub(crate) fn new(name: String, inputs: Vec<Answered>, path: &concolic::Path) -> Self {
        let cut = matches!(path.end, End::Stopped(_) | End::Cut(_));
        let events = path.events.iter().map(|event| (event.step, event.event));
        Future {
            name,
            inputs,
            events: events.collect(),
            steps: cut.then_some(path.steps),
        }
    }

    /// The inputs as texts.
    fn texts(&self) -> Vec<String> {
        self.inputs.iter().map(said).collect()
    }

    /// Where it ends, as a moment.
    pub(super) fn moment(&self, launch: Launch<'_>) -> Result<String, RunError> {
        moment(launch, &self.options(launch))
    }

    fn options(&self, launch: Launch<'_>) -> RunOptions {
        options(
            launch,
            Inputs::Texts(self.texts()),
            self.events.clone(),
            self.steps,
        )
    }
}

/// Tests of one program, as a file.
#[derive(Debug, Serialize, Deserialize)]
struct TestFile {
    /// [`VERSION`].
    borges_test: u32,
    /// The module, from the file's folder.
    program: PathBuf,
    /// The modules that it is linked with, from the file's folder too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    libraries: Vec<Library>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    board: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    tests: Vec<PathTest>,
}

/// What a program does with some inputs.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct PathTest {
    name: String,
    /// What inputs answer.
    inputs: Vec<String>,
    /// The events that arrive, each after so many steps: of this very module, as steps are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    events: Vec<(u64, Event)>,
    /// The most steps, if the program goes on by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    expect: Behaviour,
}

/// What a test expects.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Behaviour {
    /// The inputs as they are read.
    reads: Vec<String>,
    outputs: Vec<String>,
    /// How it ends.
    end: String,
}

/// How the tests of a file went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestReport {
    /// The file.
    pub file: String,
    /// Its tests, in order.
    pub tests: Vec<TestOutcome>,
}

/// How a test went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestOutcome {
    /// Its name.
    pub name: String,
    /// What was different; empty if it passed.
    pub differences: Vec<String>,
}

fn options(
    launch: Launch<'_>,
    inputs: Inputs,
    events: Vec<(u64, Event)>,
    steps: Option<u64>,
) -> RunOptions {
    RunOptions {
        libraries: launch.libraries.to_vec(),
        entry: launch.entry.map(str::to_owned),
        inputs,
        events: Events::At(events),
        steps,
        ..RunOptions::default()
    }
}

fn run(launch: Launch<'_>, options: &RunOptions) -> Result<RunReport, RunError> {
    headless::run(launch.program, launch.board, options, &mut |_| {
        Flow::Continue
    })
}

impl Behaviour {
    fn of(report: &RunReport) -> Self {
        let call = |name: &str, args: &[serde_json::Value]| {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            format!("{name}({})", args.join(", "))
        };
        let reads = report.inputs.iter();
        let outputs = report.outputs.iter();
        let end = match report.outcome {
            RunOutcome::Returned if report.results.is_empty() => "returns".to_owned(),
            RunOutcome::Returned => {
                let results: Vec<String> = report.results.iter().map(ToString::to_string).collect();
                format!("returns {}", results.join(", "))
            }
            RunOutcome::Exited => {
                format!("exits with {}", report.exit_code.unwrap_or_default())
            }
            RunOutcome::Trapped => {
                let reason = report.trap.as_ref().map_or("", |trap| &trap.reason);
                format!("traps: {reason}")
            }
            RunOutcome::InputsExhausted => "reads another input".to_owned(),
            RunOutcome::Budget | RunOutcome::Paused => "goes on".to_owned(),
        };
        Behaviour {
            reads: reads
                .map(|read| call(&read.primitive, &read.args))
                .collect(),
            outputs: outputs
                .map(|output| {
                    let text = output.text.as_ref();
                    let text = text.map_or_else(String::new, |text| format!(" {text:?}"));
                    format!("{}{text}", call(&output.primitive, &output.args))
                })
                .collect(),
            end,
        }
    }

    /// What is different now, in words.
    fn differences(&self, now: &Behaviour) -> Vec<String> {
        let mut found = Vec::new();
        for (what, expected, actual) in [
            ("input", &self.reads, &now.reads),
            ("output", &self.outputs, &now.outputs),
        ] {
            let differs = (0..expected.len().max(actual.len()))
                .filter(|at| expected.get(*at) != actual.get(*at));
            for at in differs.take(MOST_TOLD) {
                let text = |list: &Vec<String>| list.get(at).map_or("none", |t| t).to_owned();
                found.push(format!(
                    "{what} {}: expected {}, is {}",
                    at + 1,
                    text(expected),
                    text(actual)
                ));
            }
        }
        if self.end != now.end {
            found.push(format!("end: expected '{}', is '{}'", self.end, now.end));
        }
        found
    }
}

/// Writes a file with a test for every path up to where `goes_on` is false; how many.
pub(crate) fn write_tests(
    file: &Path,
    launch: Launch<'_>,
    futures: &[Future],
    goes_on: &mut dyn FnMut(usize) -> bool,
) -> Result<usize, ExportError> {
    let mut tests = Vec::new();
    for future in futures {
        if !goes_on(tests.len()) {
            break;
        }
        let report = run(launch, &future.options(launch))?;
        tests.push(PathTest {
            name: future.name.clone(),
            inputs: future.texts(),
            events: future.events.clone(),
            steps: future.steps,
            expect: Behaviour::of(&report),
        });
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let written = tests.len();
    let libraries = launch.libraries.iter().map(|library| Library {
        name: library.name.clone(),
        path: relative(&library.path, folder),
    });
    let tests = TestFile {
        borges_test: VERSION,
        program: relative(launch.program, folder),
        libraries: libraries.collect(),
        board: launch.board.map(|board| relative(board, folder)),
        entry: launch.entry.map(str::to_owned),
        tests,
    };
    // Plain data with text keys always has a JSON form.
    let text = serde_json::to_string_pretty(&tests).unwrap_or_default();
    write_private(file, &(text + "\n")).map_err(|source| ExportError::File {
        path: file.to_owned(),
        source,
    })?;
    Ok(written)
}

/// Runs the tests of a file.
///
/// # Errors
/// [`ExportError`]: it is no test file, or its program does not open. A test that fails is no error.
pub fn run_tests(file: &Path) -> Result<TestReport, ExportError> {
    let text = fs::read_to_string(file).map_err(|source| ExportError::File {
        path: file.to_owned(),
        source,
    })?;
    let wrong = |message: String| ExportError::Test {
        path: file.to_owned(),
        message,
    };
    let tests: TestFile = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if tests.borges_test != VERSION {
        return Err(wrong(format!(
            "it is of version {}, this Borges reads {VERSION}",
            tests.borges_test
        )));
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let (program, board) = (
        folder.join(&tests.program),
        tests.board.map(|b| folder.join(b)),
    );
    let libraries = tests.libraries.into_iter().map(|library| Library {
        path: folder.join(library.path),
        ..library
    });
    let libraries: Vec<Library> = libraries.collect();
    let launch = Launch {
        program: &program,
        libraries: &libraries,
        board: board.as_deref(),
        entry: tests.entry.as_deref(),
    };
    let mut outcomes = Vec::new();
    for test in tests.tests {
        let inputs = Inputs::Texts(test.inputs);
        let differences = match run(launch, &options(launch, inputs, test.events, test.steps)) {
            Ok(report) => test.expect.differences(&Behaviour::of(&report)),
            Err(RunError::Open(error)) => return Err(error.into()),
            // The program asks something else now.
            Err(error) => vec![error.to_string()],
        };
        outcomes.push(TestOutcome {
            name: test.name,
            differences,
        });
    }
    Ok(TestReport {
        file: file.display().to_string(),
        tests: outcomes,
    })
}

/// The moment to which some inputs lead.
///
/// # Errors
/// [`RunError`]: the program does not open, or an input is none there.
pub fn moment_after(launch: Launch<'_>, inputs: &[String]) -> Result<String, RunError> {
    let inputs = Inputs::Texts(inputs.to_vec());
    moment(launch, &options(launch, inputs, Vec::new(), None))
}

fn moment(launch: Launch<'_>, options: &RunOptions) -> Result<String, RunError> {
    let report = run(launch, options)?;
    let mut trace = MomentText::new(report.module);
    let events = match &options.events {
        Events::At(events) => events.as_slice(),
        Events::Board => &[],
    };
    let mut events = events.iter().peekable();
    for read in &report.inputs {
        while let Some((step, event)) = events.next_if(|(step, _)| *step <= read.step) {
            trace.event(*step, event);
        }
        let bytes = read.bytes.clone().into();
        let value = read.answer;
        trace.input(read.step, &Yield { value, bytes });
    }
    events.for_each(|(step, event)| trace.event(*step, event));
    // A trapping instruction is not retired: its attempt is one step more.
    let attempt = u64::from(report.outcome == RunOutcome::Trapped);
    Ok(trace.text(AgentNumber::ONLY, report.steps + attempt))
}

/// A path from a folder, as far as both are there.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let (Ok(path), Ok(folder)) = (fs::canonicalize(path), fs::canonicalize(folder)) else {
        return path.to_owned();
    };
    let shared = path.components().zip(folder.components());
    let shared = shared.take_while(|(a, b)| a == b).count();
    let up = folder
        .components()
        .skip(shared)
        .map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// Writes a file; a new one only its owner may read, where the system knows such files.
fn write_private(file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    std::io::Write::write_all(&mut options.open(file)?, text.as_bytes())
}
