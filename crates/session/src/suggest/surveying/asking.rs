//! Surveys that a session is asked for.

use std::path::Path;
use std::time::Duration;

use borges_concolic::Start;
use borges_languages::model::{DigestSize, Progress};

use super::{
    DeviceAsked, DeviceSurveyFile, DeviceSurveyors, Parcel, StatesOptions, Subject, SurveyedStates,
    survey_states,
};
use crate::command::proof::Demanded;
use crate::command::surveying::{MOST_CORES, StatesSurvey, SurveyListing};
use crate::command::{Event, Flow, Observer, Reply};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::record::kept::SurveyError;
use crate::stage::{Stage, universe_id};

/// Counts the states that follow the universe shown, which is where a program starts to be looked at; or goes on with what a
/// file keeps of the program.
///
/// # Errors
/// [`CommandError`]: something that is asked means nothing, or cannot be kept.
pub(in crate::suggest) fn survey(
    stage: &Stage,
    start: Start,
    survey: &StatesSurvey,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let within = &survey.within;
    let asked = asked(stage, start, survey)?;
    let mut memory_bytes = 0;
    let mut watch = |come: &Progress| {
        let bytes = come.survey.map_or(0, |survey| survey.memory_bytes);
        memory_bytes = memory_bytes.max(bytes);
        observer(Event::exploring("states surveyed", come)) == Flow::Continue
    };
    let cores = within.cores.map(|cores| cores.clamp(1, MOST_CORES));
    let by = DeviceSurveyors::Here(cores);
    let keeping = survey.keeping.as_ref();
    let here = stage.history.here();
    let (done, from) = match &within.resume {
        Some(file) => {
            let kept = resumed((&asked, file), survey)?;
            (kept.go_on(by, keeping, &mut watch), None)
        }
        None if keeping.is_some() && here != Moment::START => {
            let text = "what a file keeps begins at the program's start, and the program has gone on here: jump to 0.0, or \
                        survey without checkpoint=";
            return Err(CommandError::Invalid(text.to_owned()));
        }
        None => {
            let done = survey_states(&asked, by, keeping, &mut watch);
            (done, Some(universe_id(&stage.history, here)))
        }
    };
    let SurveyedStates {
        report,
        survey,
        unkept,
    } = done.map_err(told)?;
    Ok(Reply::Surveyed(Box::new(SurveyListing {
        report,
        survey,
        from,
        memory_bytes,
        unkept: unkept.map(|why| why.to_string()),
    })))
}

/// What is asked, of the program as the session has it.
fn asked(stage: &Stage, start: Start, survey: &StatesSurvey) -> Result<DeviceAsked, CommandError> {
    let read = |text: &String| {
        let wrong = || {
            format!(
                "'{text}' is nothing that a device program is held to: 'never heat && door', always or toward"
            )
        };
        Demanded::read(text).ok_or_else(|| CommandError::Invalid(wrong()))
    };
    let demands = survey.within.goals.iter().map(read);
    let demands: Vec<Demanded> = demands.collect::<Result<_, _>>()?;
    let options = bounded(
        survey,
        StatesOptions {
            without_events: survey.without_events,
            faults: survey.faults,
            piece: survey.pieces,
            solver: survey.solver.clone(),
            ..StatesOptions::default()
        },
    );
    let (loaded, program) = (&stage.loaded, stage.program());
    let entry = loaded.entry().0;
    let subject = Subject {
        path: loaded.path().to_owned(),
        program: program.clone(),
        info: loaded.shared_info(),
        start,
        entry: loaded.entry_name().to_owned(),
        before: Vec::new(),
    };
    let parcel = Parcel::of((loaded.path(), loaded.board_file()), (program, entry));
    let asked = DeviceAsked::of((subject, parcel), (options, demands), survey.within.told());
    asked.map_err(|error| CommandError::Invalid(error.to_string()))
}

/// As far as is said.
fn bounded(survey: &StatesSurvey, options: StatesOptions) -> StatesOptions {
    let within = &survey.within;
    let states = within
        .states
        .map(|states| usize::try_from(states).unwrap_or(usize::MAX));
    StatesOptions {
        states,
        depth: within.depth,
        time: within.time_ms.map(|ms| Duration::from_millis(ms.into())),
        ..options
    }
}

/// What a file keeps, if it is a survey of the program.
fn resumed(
    (asked, file): (&DeviceAsked, &Path),
    survey: &StatesSurvey,
) -> Result<DeviceSurveyFile, CommandError> {
    let mut kept = DeviceSurveyFile::open(file).map_err(told)?;
    let why = if !kept.asked.is_of(asked) {
        "it is a survey of another program, or on another board: 'borges explore --resume' goes on with any"
    } else if !survey.within.goals.is_empty() {
        "what was kept goes on with its own goals, and no others"
    } else if survey.without_events
        || survey.solver.is_some()
        || survey.faults
        || survey.pieces.is_some()
    {
        "what was kept goes on as it began, with its interrupts, its errors and its solver"
    } else if survey.within.wide && kept.asked.told != DigestSize::By128 {
        "64 bits stand for its states"
    } else {
        kept.asked.options = bounded(survey, kept.asked.options);
        return Ok(kept);
    };
    let text = format!("{}: {why}", file.display());
    Err(CommandError::Invalid(text))
}

fn told(error: SurveyError) -> CommandError {
    CommandError::Invalid(error.to_string())
}
