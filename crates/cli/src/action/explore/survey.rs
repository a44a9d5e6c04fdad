//! `borges explore --survey`: all states without their graph, kept in a file to be gone on with.

use std::path::Path;

use borges_cluster::{Crew, GatherError, Hosts, HostsError, Wanted, gather};
use borges_languages::model::{Explore, Model, Surveyors};
use borges_multiverse::graph::Apart;
use borges_session::survey::{
    Keeping, SurveyAsked, SurveyDone, SurveyError, SurveyFile, survey as surveyed,
};

use super::{goals, say};
use crate::action::{target, worker};
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
    let hosts = hosts(options)?;
    if let Some(goal) = races {
        let alone = "without it, or without that goal, it is surveyed";
        let keeps = [
            ("--checkpoint", options.survey.checkpoint.is_some()),
            ("a survey among workers", !hosts.is_empty()),
        ];
        if let Some((what, _)) = keeps.iter().find(|(_, is_asked)| *is_asked) {
            let message = format!("{what} keeps no pairs of steps: '{}'", goal.text());
            return Err(Failure::usage(message, alone));
        }
    }
    let told = options.survey.bits;
    let asked = SurveyAsked {
        name,
        model,
        options: bounded(asked, options),
        told,
    };
    let keeping = keeping(options, None);
    let by = surveyors(options, &hosts, &asked, output)?;
    let done = output.watch_states("states surveyed", |goes_on| {
        surveyed(&asked, by, keeping.as_ref(), goes_on)
    });
    let file = keeping.as_ref().map(|keeping| keeping.file.as_path());
    end(options, &asked.name, (done, &hosts, file), output)
}

/// Goes on with a survey that was kept.
pub(super) fn resume(
    options: &args::Explore,
    file: &Path,
    output: &mut Output,
) -> Result<Exit, Failure> {
    super::refuse_of_models(&options.within, options.board.is_some())?;
    let hosts = hosts(options)?;
    let mut kept = SurveyFile::open(file).map_err(|error| told(error, &hosts, None))?;
    kept.asked.options = bounded(kept.asked.options, options);
    let (name, keeping) = (kept.asked.name.clone(), keeping(options, Some(file)));
    let by = surveyors(options, &hosts, &kept.asked, output)?;
    let done = output.watch_states("states surveyed", |goes_on| {
        kept.go_on(by, keeping.as_ref(), goes_on)
    });
    end(options, &name, (done, &hosts, Some(file)), output)
}

fn end(
    options: &args::Explore,
    program: &str,
    (done, hosts, kept): (Result<SurveyDone, SurveyError>, &[String], Option<&Path>),
    output: &mut Output,
) -> Result<Exit, Failure> {
    let done = done.map_err(|error| told(error, hosts, kept));
    let SurveyDone { mut report, unkept } = done?;
    say(options, program, &mut report, output)?;
    unkept.map_or(Ok(()), not_kept)?;
    Ok(goals::exit(&report))
}

/// What was found is told, and is not in a file.
pub(super) fn not_kept(error: SurveyError) -> Result<(), Failure> {
    Err(Failure::Told {
        exit: Exit::Device,
        message: format!("what was found is above, and was not kept: {error}"),
        next: "see whether there is room where --checkpoint keeps it".to_owned(),
    })
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

/// The workers that help; none if this process does all.
pub(super) fn hosts(options: &args::Explore) -> Result<Vec<String>, Failure> {
    let hosts = match (&options.survey.workers, &options.survey.hosts_from) {
        (Some(file), _) => Hosts::read(file),
        (None, Some(_)) => Hosts::of_slurm(|name| std::env::var(name).ok()),
        (None, None) => Ok(Hosts(Vec::new())),
    };
    let hosts = hosts.map_err(|error| {
        let next = match error {
            HostsError::Slurm(_) => "give the workers in a file: --workers FILE",
            _ => "a line for each worker, such as node7:7070",
        };
        Failure::input(error, next)
    });
    Ok(hosts?.0)
}

/// Who surveys: this process, perhaps with workers.
fn surveyors(
    options: &args::Explore,
    hosts: &[String],
    asked: &SurveyAsked,
    output: &mut Output,
) -> Result<Surveyors<'static>, Failure> {
    let here = Surveyors::Here(options.within.cores.map(usize::from));
    let crew = crew(options, hosts, Wanted::Model(asked), output)?;
    Ok(crew.map_or(here, Crew::surveyors))
}

/// The workers that help, once they have come; nobody if this process does all.
pub(super) fn crew(
    options: &args::Explore,
    hosts: &[String],
    wanted: Wanted<'_>,
    output: &mut Output,
) -> Result<Option<Crew>, Failure> {
    let survey = &options.survey;
    if hosts.is_empty() {
        return Ok(None);
    }
    let key = survey.key_file.as_deref().map(target::read_key);
    let key = key.transpose()?;
    let cores = worker::cores(options.within.cores);
    let gathered = output.counted("workers wanted", |goes_on| {
        let mut goes_on = || goes_on(hosts.len() as u64);
        gather(hosts, key.as_ref(), wanted, cores, &mut goes_on)
    });
    Ok(Some(gathered.map_err(ungathered)?))
}

fn ungathered(error: GatherError) -> Failure {
    let next = match &error {
        GatherError::Unreached { .. } => "start one there: borges worker --listen HOST:PORT",
        GatherError::KeyNeeded { .. } | GatherError::Key { .. } => {
            "'borges worker --key-file FILE' makes one: copy it to all computers"
        }
        GatherError::Refused { .. } | GatherError::Gone { .. } => "what it printed says more",
        GatherError::Stopped => {
            return Failure::new(Exit::Interrupted, error, "");
        }
        GatherError::Io(_) => "",
    };
    Failure::new(Exit::Device, error, next)
}

/// Where it is kept: in the file that it was kept in, if nothing is said.
pub(super) fn keeping(options: &args::Explore, before: Option<&Path>) -> Option<Keeping> {
    let file = options.survey.checkpoint.as_deref().or(before)?;
    Some(Keeping {
        file: file.to_owned(),
        every: options.survey.every,
    })
}

/// Options that say nothing without a survey are refused.
pub(super) fn refuse_alone(options: &args::Explore) -> Result<(), Failure> {
    let survey = &options.survey;
    let alone = [
        ("--checkpoint", survey.checkpoint.is_some()),
        ("--workers", survey.workers.is_some()),
        ("--hosts-from", survey.hosts_from.is_some()),
        ("--key-file", survey.key_file.is_some()),
    ];
    let next = "--survey counts all states without keeping their graph";
    super::refuse(&alone, "surveys", next)
}

/// Why there is no report; `kept` is where the survey is kept.
pub(super) fn told(error: SurveyError, hosts: &[String], kept: Option<&Path>) -> Failure {
    let next = match &error {
        SurveyError::Io(..) => "see whether the folder exists, and has room",
        SurveyError::Other(_) => "--checkpoint FILE keeps one",
        SurveyError::Refused(_) => "docs/languages.md says what surveys are asked",
        SurveyError::Damaged(..) | SurveyError::Program(..) | SurveyError::Foreign(_) => {
            "survey the program anew: --survey --checkpoint FILE"
        }
        SurveyError::Apart(apart) => return parted(apart, hosts, kept),
    };
    Failure::input(error.to_string(), next)
}

/// Why workers do not go on together.
fn parted(apart: &Apart, hosts: &[String], kept: Option<&Path>) -> Failure {
    let message = match apart {
        Apart::Gone { member, why } => {
            let host = member.checked_sub(1).and_then(|nth| hosts.get(nth));
            let host = host.map_or("nobody", String::as_str);
            format!("the worker at {host} is gone: {why}; without it states would be missing")
        }
        Apart::Foreign | Apart::Broken | Apart::Senseless => {
            format!("the workers do not agree: {apart}")
        }
    };
    let next = match kept.filter(|file| file.exists()) {
        Some(file) => format!(
            "go on from what was kept last: borges explore --resume {} --workers FILE",
            file.display()
        ),
        None => "--checkpoint FILE keeps what was found, to go on from".to_owned(),
    };
    Failure::Told {
        exit: Exit::Device,
        message,
        next,
    }
}
