//! A device program's states without their graph, for programs of which that does not fit into memory.
//!
//! A small graph comes first: it shows what counts for ever, what handlers touch, and what is written before it is read.
//! With these facts the states are surveyed. What comes to light only then makes the survey begin again: what it counted
//! before may be wrong.

mod asking;
mod file;
mod helping;
mod running;
mod sighted;
mod told;

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

use borges_concolic::{Budget, Comparing, Facts, Flow as Goes};
use borges_languages::model::{DigestSize, Progress, SurveyNote};
use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Apart, Limits};
use serde::Serialize;

use super::claims::is_temporal;
use super::conditions::Conditions;
use super::evidence::Evidence;
use super::exploring::tidying;
use super::looking::Hands;
use super::looking::letters::LookPost;
use super::looking::others::Others;
use super::options::{StatesOptions, wrong};
use super::parcel::Parcel;
use super::study::Study;
use super::{Subject, demands};
use crate::command::proof::{Demand, Demanded, StatesReport};
use crate::command::surveying::Keeping;
use crate::program::{OpenError, Opened};
use crate::record::kept::SurveyError;

use file::{Before, Keeper};
use running::Run;

pub(super) use asking::survey;
pub use file::DeviceSurveyFile;

/// What a survey of a device program is asked.
pub struct DeviceAsked {
    subject: Subject,
    /// The same program at its start.
    program: Parcel,
    /// What is asked of conditions.
    demands: Vec<Demanded>,
    /// How far the survey goes, and how states are told apart.
    pub options: StatesOptions,
    /// What stands for a state.
    pub told: DigestSize,
}

/// Who looks at states.
pub enum DeviceSurveyors {
    /// This process, on so many cores; on all, if nothing is said.
    Here(Option<u16>),
    /// Several processes, of which this one keeps account.
    Leading {
        /// On how many cores each of them, this one first.
        cores: Vec<u32>,
        /// How they are reached.
        post: LookPost,
    },
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
        demands: Vec<Demanded>,
        told: DigestSize,
    ) -> Result<Self, OpenError> {
        let linked = (path, options.libraries.as_slice());
        let given = options.system.as_ref();
        let opened = Opened::read(linked, board, options.entry.as_deref(), given)?;
        let program = Parcel::of((path, &opened.board), (&opened.program, opened.entry.0));
        Self::of(
            (Subject::of(path, opened), program),
            (options, demands),
            told,
        )
    }

    /// About a program that stands somewhere.
    ///
    /// # Errors
    /// As [`DeviceAsked::open`].
    pub(super) fn of(
        (mut subject, program): (Subject, Parcel),
        (options, demands): (StatesOptions, Vec<Demanded>),
        told: DigestSize,
    ) -> Result<Self, OpenError> {
        let path = &subject.path;
        options.known_solver(path)?;
        options.fits(&subject)?;
        options.comparing(&subject, &Comparing::default())?;
        let asked = sensible(&study(&subject, &options, &demands));
        asked.map_err(|message| wrong(path, message))?;
        subject.start.choices = options.choices();
        Ok(Self {
            subject,
            program,
            demands,
            options,
            told,
        })
    }

    /// Whether this is a survey of the program that the other one is of.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        self.program.is_of(&other.program)
    }
}

/// Surveys the states of a device program and keeps the survey if that is asked for. What is found does not depend on who
/// looks, nor on how many cores they have. `keep_going` hears how far it has come, and may end it: what was found by
/// then is reported.
///
/// # Errors
/// [`SurveyError::Io`] if there is no room for it where it is to be kept, before anything is explored;
/// [`SurveyError::Apart`] if other processes do not go on: what was found by then is kept, if that was asked for.
pub fn survey_states(
    asked: &DeviceAsked,
    by: DeviceSurveyors,
    keeping: Option<&Keeping>,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Result<SurveyedStates, SurveyError> {
    run((asked, by), keeping, None, keep_going)
}

fn run(
    (asked, by): (&DeviceAsked, DeviceSurveyors),
    keeping: Option<&Keeping>,
    from: Option<Before<'_>>,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Result<SurveyedStates, SurveyError> {
    keeping.map_or(Ok(()), Keeping::try_room)?;
    let (cores, others) = match by {
        DeviceSurveyors::Here(cores) => (Hands::cores(cores), None),
        DeviceSurveyors::Leading { cores, post } => {
            let here = cores.first().map_or(1, |cores| *cores as usize);
            (here.max(1), Some(Others::new(cores, post)))
        }
    };
    let hands = Hands {
        cores,
        others: others.as_ref(),
    };
    let done = match asked.told {
        DigestSize::By64 => surveyed::<Fingerprint>((asked, hands), keeping, from, keep_going),
        DigestSize::By128 => surveyed::<WideFingerprint>((asked, hands), keeping, from, keep_going),
    };
    if let Some(others) = others.as_ref().filter(|others| !others.are_apart()) {
        others.end();
    }
    done.map_err(SurveyError::Apart)
}

fn surveyed<F: Digest>(
    (asked, hands): (&DeviceAsked, Hands<'_>),
    keeping: Option<&Keeping>,
    from: Option<Before<'_>>,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Result<SurveyedStates, Apart> {
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
    let conditions = asked.conditions();
    let about = asked.study().watching(&conditions);
    let mut run = Run {
        asked,
        about: &about,
        looking: &looking,
        come: &come,
        hands,
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
    let (asks, sent_bytes) = hands.others.map_or((0, 0), Others::told);
    Ok(SurveyedStates {
        report,
        survey: SurveyNote {
            bits: F::BITS,
            collision_risk: F::risk(states),
            depth: counts.depth,
            workers: hands.count(),
            asks,
            sent_bytes,
        },
        unkept,
    })
}

impl DeviceAsked {
    /// What the program is called.
    #[must_use]
    pub fn name(&self) -> String {
        self.subject.path.display().to_string()
    }

    /// Without a limit of states, unless one is given.
    fn limits(&self) -> Limits {
        Limits {
            states: self.options.states.unwrap_or(usize::MAX),
            depth: self.options.depth.unwrap_or(u32::MAX),
        }
    }

    /// What is looked at in each state: what something is asked of, and the limits of its board.
    fn study(&self) -> Study<'_> {
        study(&self.subject, &self.options, &self.demands)
    }

    /// The same, as conditions: they were looked at when it was opened.
    fn conditions(&self) -> Conditions<'_> {
        self.study().conditions()
    }

    /// What is demanded of each condition.
    fn demands(&self, conditions: &Conditions<'_>) -> Vec<(u32, Demand)> {
        let demands = self.demands.iter().map(|asked| asked.demand);
        demands::of_all(conditions, demands)
    }
}

fn study<'s>(subject: &'s Subject, options: &'s StatesOptions, demands: &[Demanded]) -> Study<'s> {
    Study {
        subject,
        options,
        texts: demands::texts(demands),
        has_limits: true,
        is_watched: false,
    }
}

/// Refuses what cannot be asked in each state.
///
/// # Errors
/// Why not.
fn sensible(study: &Study<'_>) -> Result<(), String> {
    study.made().map(drop).map_err(|why| {
        let mut texts = study.texts.iter();
        match texts.find(|text| is_temporal(text)) {
            Some(text) => format!(
                "'{text}' is a temporal formula, which is about what follows what: a survey keeps no edges, and 'check' asks \
                 the graph"
            ),
            None => why,
        }
    })
}
