//! `borges explore --survey`: all states without their graph, kept in a file to be gone on with.

use std::path::Path;

use borges_languages::model::{Explore, Model};
use borges_session::survey::{
    Keeping, SurveyAsked, SurveyDone, SurveyError, SurveyFile, survey as surveyed,
};

use super::{goals, say};
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Surveys a program.
pub(super) fn survey(
    options: &args::Explore,
    name: String,
    model: Model,
    asked: Explore,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let races = asked.goals.iter().find(|goal| goal.looks_at_steps());
    if let (Some(goal), true) = (races, options.survey.checkpoint.is_some()) {
        return Err(Failure::usage(
            format!("--checkpoint keeps no pairs of steps: '{}'", goal.text()),
            "without --checkpoint, or without that goal, it is surveyed",
        ));
    }
    let told = options.survey.bits;
    let asked = SurveyAsked {
        name,
        model,
        options: bounded(asked, options),
        told,
    };
    let keeping = keeping(options, None);
    let done = output.watch_states("states surveyed", |goes_on| {
        surveyed(&asked, cores(options), keeping.as_ref(), goes_on)
    });
    end(options, &asked.name, done, output)
}

/// Goes on with a survey that was kept.
pub(super) fn resume(
    options: &args::Explore,
    file: &Path,
    output: &mut Output,
) -> Result<Exit, Failure> {
    super::refuse_of_models(&options.within, options.board.is_some())?;
    let mut kept = SurveyFile::open(file).map_err(told)?;
    kept.asked.options = bounded(kept.asked.options, options);
    let (name, keeping) = (kept.asked.name.clone(), keeping(options, Some(file)));
    let done = output.watch_states("states surveyed", |goes_on| {
        kept.go_on(cores(options), keeping.as_ref(), goes_on)
    });
    end(options, &name, done, output)
}

fn end(
    options: &args::Explore,
    program: &str,
    done: Result<SurveyDone, SurveyError>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let SurveyDone { mut report, unkept } = done.map_err(told)?;
    say(options, program, &mut report, output)?;
    match unkept {
        Some(error) => Err(Failure::Told {
            exit: Exit::Device,
            message: format!("what was found is above, and was not kept: {error}"),
            next: "see whether there is room where --checkpoint keeps it".to_owned(),
        }),
        None => Ok(goals::exit(&report)),
    }
}

/// Without a limit of states, unless one is given.
fn bounded(asked: Explore, options: &args::Explore) -> Explore {
    Explore {
        states: options.within.states.unwrap_or(usize::MAX),
        depth: options.within.depth.unwrap_or(u32::MAX),
        time: options.within.time,
        ..asked
    }
}

fn cores(options: &args::Explore) -> Option<usize> {
    options.survey.cores.map(usize::from)
}

/// Where it is kept: in the file that it was kept in, if nothing is said.
fn keeping(options: &args::Explore, before: Option<&Path>) -> Option<Keeping> {
    let file = options.survey.checkpoint.as_deref().or(before)?;
    Some(Keeping {
        file: file.to_owned(),
        every: options.survey.every,
    })
}

/// Options that say nothing without a survey are refused.
pub(super) fn refuse_alone(options: &args::Explore) -> Result<(), Failure> {
    let alone = [
        ("--cores", options.survey.cores.is_some()),
        ("--checkpoint", options.survey.checkpoint.is_some()),
    ];
    let next = "--survey counts all states without keeping their graph";
    super::refuse(&alone, "surveys", next)
}

fn told(error: SurveyError) -> Failure {
    let next = match &error {
        SurveyError::Io(..) => "see whether the folder exists, and has room",
        SurveyError::Other(_) => "--checkpoint FILE keeps one",
        SurveyError::Damaged(..) | SurveyError::Program(..) | SurveyError::Foreign(_) => {
            "survey the program anew: --survey --checkpoint FILE"
        }
    };
    Failure::input(error.to_string(), next)
}
