//! A device program's states without their graph, for programs of which that does not fit into memory.
//!
//! A small graph comes first: it shows what counts for ever, what handlers touch, and what is written before it is read.
//! With these facts the states are surveyed. What comes to light only then makes the survey begin again: what it counted
//! before may be wrong.

mod crew;
mod file;
mod running;
mod sighted;
mod told;

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

use borges_concolic::{Budget, Comparing, Device, Facts, Flow as Goes, Watched};
use borges_languages::model::{DigestSize, Progress, SurveyNote};
use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Limits, NoWay};
use serde::Serialize;

use super::Subject;
use super::conditions::Conditions;
use super::evidence::Evidence;
use super::exploring::{StatesOptions, tidying, wrong};
use crate::command::proof::StatesReport;
use crate::program::{self, Board, OpenError, Opened};
use crate::record::kept::{Keeping, SurveyError};

use crew::Cores;
use file::{Before, Keeper};
use running::Run;

pub use file::DeviceSurveyFile;

/// What a survey of a device program is asked.
pub struct DeviceAsked {
    subject: Subject,
    /// The module, and the text of its board.
    module: Vec<u8>,
    board: String,
    /// How far the survey goes, and how states are told apart.
    pub options: StatesOptions,
    /// What stands for a state.
    pub told: DigestSize,
}

/// What came of a survey of a device program.
#[derive(Debug, Serialize)]
pub struct SurveyedStates {
    /// What is said of a graph too.
    #[serde(flatten)]
    pub report: StatesReport,
    /// What is said of surveys.
    pub survey: SurveyNote,
    /// Why it could not be kept at its end, if that was asked for.
    #[serde(skip)]
    pub unkept: Option<SurveyError>,
}

impl DeviceAsked {
    /// Opens a program.
    ///
    /// # Errors
    /// [`OpenError`]: it does not open, or something that is asked means nothing.
    pub fn open(
        path: &Path,
        board: Option<&Path>,
        options: StatesOptions,
        told: DigestSize,
    ) -> Result<Self, OpenError> {
        let module = program::read(path)?;
        let board = Board::find(path, board)?.kept();
        Self::of(path, (module, board), options, told)
    }

    fn of(
        path: &Path,
        (module, board): (Vec<u8>, String),
        options: StatesOptions,
        told: DigestSize,
    ) -> Result<Self, OpenError> {
        options.known_solver(path)?;
        let parsed = Board::parse(board.clone(), path)?;
        let opened = Opened::on(parsed, path, &module, options.entry.as_deref())?;
        let mut subject = Subject::of(path, opened);
        subject.start.choices = options.choices();
        options.comparing(&subject, &Comparing::default())?;
        limits_of_board(&subject).map_err(|message| wrong(path, message))?;
        Ok(Self {
            subject,
            module,
            board,
            options,
            told,
        })
    }
}

/// Surveys the states of a device program on so many cores, or on all, and keeps the survey if that is asked for. What is
/// found does not depend on how many they are. `keep_going` hears how far it has come, and may end it: what was found by
/// then is reported.
///
/// # Errors
/// [`SurveyError::Io`] if there is no room for it where it is to be kept, before anything is explored.
pub fn survey_states(
    asked: &DeviceAsked,
    cores: Option<u16>,
    keeping: Option<&Keeping>,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Result<SurveyedStates, SurveyError> {
    let done = run((asked, Cores::of(cores)), keeping, None, keep_going)?;
    Ok(done.unwrap_or_else(|NoWay| unreachable!("nothing was kept of it")))
}

/// Surveys; an error of its own if what was kept has no such states.
fn run(
    (asked, cores): (&DeviceAsked, Cores),
    keeping: Option<&Keeping>,
    from: Option<Before<'_>>,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Result<SurveyedStates, NoWay>, SurveyError> {
    keeping.map_or(Ok(()), Keeping::try_room)?;
    Ok(match asked.told {
        DigestSize::By64 => surveyed::<Fingerprint>((asked, cores), keeping, from, keep_going),
        DigestSize::By128 => surveyed::<WideFingerprint>((asked, cores), keeping, from, keep_going),
    })
}

fn surveyed<F: Digest>(
    (asked, cores): (&DeviceAsked, Cores),
    keeping: Option<&Keeping>,
    from: Option<Before<'_>>,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Result<SurveyedStates, NoWay> {
    let began = Instant::now();
    let clock = || began.elapsed();
    let come = RefCell::new(Progress::default());
    let keep_going = RefCell::new(keep_going);
    let heard = |_| match (keep_going.borrow_mut())(&come.borrow()) {
        true => Goes::Continue,
        false => Goes::Stop,
    };
    let time = asked.options.time.unwrap_or(Duration::MAX);
    let budget = Budget::new(time, &clock, &heard);
    let looking = budget.part(90);
    let subject = &asked.subject;
    let conditions = asked.limits_of_board();
    let about = watching(&conditions);
    let mut run = Run {
        asked,
        about: &about,
        looking: &looking,
        come: &come,
        cores,
        facts: Facts::default(),
    };
    let mut unkept = None;
    let mut keeper = keeping.map(|keeping| Keeper::new(asked, keeping, &mut unkept));
    let found =
        std::thread::scope(|scope| run.survey::<F>(scope, keeper.as_mut(), from, &conditions))?;
    drop(keeper);
    // One that has looked at nothing yet: what it shows depends on what was found alone.
    let device = run.device().telling();
    let evidence = Evidence {
        subject,
        device: &device,
        tidying: tidying(&budget),
    };
    let mut report = found.report(asked, (&evidence, &conditions), looking.spent());
    report.seconds = clock().as_secs_f64();
    let (states, counts) = (found.survey.states() as u64, found.survey.counts());
    Ok(SurveyedStates {
        report,
        survey: SurveyNote {
            bits: F::BITS,
            collision_risk: F::risk(states),
            depth: counts.depth,
            workers: cores.count(),
            asks: 0,
            sent_bytes: 0,
        },
        unkept,
    })
}

impl DeviceAsked {
    /// Without a limit of states, unless one is given.
    fn limits(&self) -> Limits {
        Limits {
            states: self.options.states.unwrap_or(usize::MAX),
            depth: self.options.depth.unwrap_or(u32::MAX),
        }
    }

    /// The limits of its board, as conditions.
    fn limits_of_board(&self) -> Conditions<'_> {
        let limits = limits_of_board(&self.subject);
        limits.expect("limits of the board were looked at when it was opened")
    }

    /// The program.
    fn device<'d>(&self, about: Comparing<'d>, budget: &'d Budget<'d>) -> Device<'d> {
        let (start, bounds) = (self.subject.start.clone(), self.options.bounds());
        let device = Device::new(start, bounds, self.options.solver(), about, budget);
        device.expect("it was opened, so there is a program at its start")
    }
}

fn limits_of_board(subject: &Subject) -> Result<Conditions<'_>, String> {
    Conditions::new(subject, &[]).and_then(Conditions::with_limits)
}

/// How states are compared where these conditions are watched.
fn watching<'c>(conditions: &'c Conditions<'_>) -> Comparing<'c> {
    Comparing {
        watched: (conditions.count() > 0).then_some(conditions as &dyn Watched),
        ..Comparing::default()
    }
}
