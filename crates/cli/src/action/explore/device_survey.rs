//! `borges explore PROGRAM.wasm --survey`: a device program's states without their graph.

use std::path::Path;

use borges_cluster::{Crew, Wanted};
use borges_commands::device::render;
use borges_session::suggest::{
    DeviceAsked, DeviceSurveyFile, DeviceSurveyors, SurveyedStates, survey_states,
};
use borges_session::survey::SurveyError;

use super::survey::{crew, hosts, keeping, not_kept, told};
use super::{device, refuse};
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Surveys a program.
pub(super) fn survey(
    options: &args::Explore,
    program: &Path,
    output: &mut Output,
) -> Result<Exit, Failure> {
    device::fits(options)?;
    fits(options)?;
    let board = options.board.as_deref();
    let within = options.within.asked()?;
    let hosts = hosts(options)?;
    let demands = device::demands(options);
    let asked = DeviceAsked::open(program, board, within, demands, options.survey.bits)?;
    let by = surveyors(options, &hosts, &asked, output)?;
    let keeping = keeping(options, None);
    let done = output.watch_states("states surveyed", |goes_on| {
        survey_states(&asked, by, keeping.as_ref(), goes_on)
    });
    let file = keeping.as_ref().map(|keeping| keeping.file.as_path());
    end(options, (done, &hosts, file), output)
}

/// Goes on with a survey that was kept.
pub(super) fn resume(
    options: &args::Explore,
    (file, kept): (&Path, Result<DeviceSurveyFile, SurveyError>),
    output: &mut Output,
) -> Result<Exit, Failure> {
    let hosts = hosts(options)?;
    let mut kept = kept.map_err(|error| told(error, &hosts, None))?;
    fits(options)?;
    let within = &options.within;
    let again = [
        ("--board", options.board.is_some()),
        ("--entry", !within.entry.entry.is_empty()),
        ("--link", !within.entry.linked.libraries.is_empty()),
        ("--solver", within.solver.is_some()),
        ("--events", within.events.is_some()),
        ("--any", !within.any.is_empty()),
    ];
    let next = "what was kept goes on as it began: with its board, its entry and its solver";
    refuse(&again, "surveys that begin", next)?;
    refuse(&within.system.all_given(), "surveys that begin", next)?;
    let asked = &mut kept.asked.options;
    (asked.states, asked.depth, asked.time) = (within.states, within.depth, within.time);
    let by = surveyors(options, &hosts, &kept.asked, output)?;
    let keeping = keeping(options, Some(file));
    let done = output.watch_states("states surveyed", |goes_on| {
        kept.go_on(by, keeping.as_ref(), goes_on)
    });
    end(options, (done, &hosts, Some(file)), output)
}

/// Who looks at states: this process, perhaps with workers.
fn surveyors(
    options: &args::Explore,
    hosts: &[String],
    asked: &DeviceAsked,
    output: &mut Output,
) -> Result<DeviceSurveyors, Failure> {
    let here = DeviceSurveyors::Here(options.within.cores);
    let crew = crew(options, hosts, Wanted::Device(asked), output)?;
    Ok(crew.map_or(here, Crew::device_surveyors))
}

/// What needs a graph is refused.
fn fits(options: &args::Explore) -> Result<(), Failure> {
    let graphs = [("--split", options.split)];
    let next = "a survey keeps no ways between states: without --survey states are divided by what their ways ask of them";
    refuse(&graphs, "graphs", next)
}

fn end(
    options: &args::Explore,
    (done, hosts, kept): (
        Result<SurveyedStates, SurveyError>,
        &[String],
        Option<&Path>,
    ),
    output: &mut Output,
) -> Result<Exit, Failure> {
    let done = done.map_err(|error| told(error, hosts, kept))?;
    output.say(&done, |paint| {
        render::surveyed(&done.report, &done.survey, paint)
    })?;
    let exit = device::exit(options, &done.report);
    done.unkept.map_or(Ok(()), not_kept)?;
    Ok(exit)
}
