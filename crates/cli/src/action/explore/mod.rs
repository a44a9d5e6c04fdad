//! `borges explore`: everything that a program can come to.

mod device;
mod device_survey;
mod goals;
mod survey;

use borges_commands::model::questions::{More, outcomes};
use borges_languages::model::{Aspect, Explore, Lead, Model, Order, Report, Schedules, Selection};
use borges_session::model::{AskError, ModelSession};
use borges_session::suggest::DeviceSurveyFile;
use borges_session::survey::SurveyError;
use serde::Serialize;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// One object for scripts.
#[derive(Serialize)]
struct Explored<'a> {
    program: &'a str,
    #[serde(flatten)]
    report: &'a Report,
}

pub(crate) fn explore(options: &args::Explore, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(file) = &options.survey.resume {
        return match DeviceSurveyFile::open(file) {
            Err(SurveyError::Other(_)) => survey::resume(options, file, output),
            kept => device_survey::resume(options, (file, kept), output),
        };
    }
    let program = options.program.as_deref().unwrap_or_default();
    let Some(model) = super::model::named(program)? else {
        return match options.survey.survey {
            true => device_survey::survey(options, program.as_ref(), output),
            false => device::explore(options, program.as_ref(), output),
        };
    };
    refuse_of_models(&options.within, options.board.is_some())?;
    let demands = [
        ("--never", !options.never.is_empty()),
        ("--split", options.split),
        ("--arrivals", options.arrivals.is_some()),
        ("--always", !options.always.is_empty()),
    ];
    refuse(
        &demands,
        "device programs",
        "--forbid PREDICATE says what must not happen",
    )?;
    if options.symmetry && !model.program().has_symmetry() {
        return Err(Failure::usage(
            format!("{program} has no actors that could be alike"),
            "--symmetry is for actors; --keep says for every language what tells states apart",
        ));
    }
    let asked = as_asked(options, &model)?;
    let name = program.to_owned();
    if options.survey.survey {
        let next = "of a program of a model language, --forbid PREDICATE comes with a shortest way to where it holds";
        let toward = [("--toward", options.toward.is_some())];
        refuse(&toward, "graphs, and surveys of device programs", next)?;
        return survey::survey(options, name, model, asked, output);
    }
    survey::refuse_alone(options)?;
    refuse_cores(&options.within)?;
    let mut session = ModelSession::new(name, model, asked, options.session.clone());
    let report = output.watch_states("states explored", |goes_on| session.explore(goes_on));
    let unwritten = |error: AskError| {
        let file = options.session.as_deref().unwrap_or("".as_ref());
        Failure::input(format!("{}: {error}", file.display()), "")
    };
    let mut report = report.map_err(unwritten)?;
    if let (Some(name), Some(Schedules::Order(_))) = (report.unmet.first(), &options.schedule) {
        return Err(Failure::usage(
            format!("nobody called '{name}' can act in a state that was explored"),
            "--schedule order takes agents by the names that traces show, for example order:t2,-t1",
        ));
    }
    if let Some(nothing) = report.unmet_in_words() {
        let message = format!("{program}: {nothing}");
        return Err(Failure::usage(message, KEPT));
    }
    say(options, program, &mut report, output)?;
    if options.session.is_some() {
        let kept = output.watch_states("states to finish", |goes_on| session.write(goes_on));
        kept.map_err(unwritten)?;
    }
    session.end_of_process();
    Ok(goals::exit(&report))
}

/// Says what was found, and what became of the goals.
fn say(
    options: &args::Explore,
    program: &str,
    report: &mut Report,
    output: &mut Output,
) -> Result<(), Failure> {
    goals::judged(options, report)?;
    let report = &*report;
    output.say(&Explored { program, report }, |paint| {
        let more = More {
            values: options.verbose,
            ways: options.traces,
        };
        outcomes(report, more, paint) + &goals::shown(report, options, paint)
    })
}

/// What `--keep` takes.
const KEPT: &str =
    "--keep takes the names that outcomes show (x, acc.bal), and expressions (acc.bal > 3)";

/// Refuses what a program of a model language has not.
pub(super) fn refuse_of_models(within: &args::Forever, has_board: bool) -> Result<(), Failure> {
    let others = [
        ("--board", has_board),
        ("--entry", !within.entry.entry.is_empty()),
        ("--link", !within.entry.linked.libraries.is_empty()),
        ("--solver", within.solver.is_some()),
        ("--events", within.events.is_some()),
        ("--any", !within.any.is_empty()),
    ];
    let next = "a program of a model language has neither a board nor inputs";
    refuse(&others, "device programs", next)?;
    let next = "a program of a model language calls no operating system";
    refuse(&within.system.all_given(), "programs of WASI", next)
}

/// Refuses a number of cores where a graph is made on one.
pub(super) fn refuse_cores(within: &args::Forever) -> Result<(), Failure> {
    let given = [("--cores", within.cores.is_some())];
    let next =
        "--survey counts all states without keeping their graph, on as many cores as there are";
    refuse(&given, "surveys and device programs", next)
}

/// Refuses the options that were given and are for other programs.
fn refuse(options: &[(&str, bool)], others: &str, next: &str) -> Result<(), Failure> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => Err(Failure::usage(format!("{name} is for {others}"), next)),
    }
}

/// Which runs are looked at, if not all are.
fn schedule(options: &args::Explore) -> Option<Selection> {
    let (runs, seed) = (options.runs, options.seed);
    Some(match options.schedule.clone()? {
        Schedules::Order(order) => Selection::Order(order),
        Schedules::Sampled(by) => Selection::Sampled { by, runs, seed },
        Schedules::Preemptions(most) => Selection::Preemptions(most),
    })
}

fn as_asked(options: &args::Explore, model: &Model) -> Result<Explore, Failure> {
    let default = Explore::default();
    let order = match &options.toward {
        Some(spec) => Order::Toward {
            lead: Lead::parse(model, spec).map_err(|error| {
                Failure::usage(
                    error.to_string(),
                    "docs/actors.md has the catalogue of breakpoints",
                )
            })?,
            first: options.first,
        },
        None => match options.order {
            args::Order::Breadth => Order::BreadthFirst,
            args::Order::Depth => Order::DepthFirst,
            args::Order::Random => Order::Random(options.seed),
        },
    };
    let kept = options.keep.as_ref().map(|parts| {
        let parts = Aspect::list(model, &parts.join(","));
        parts.map_err(|error| Failure::usage(format!("--keep: {error}"), KEPT))
    });
    Ok(Explore {
        grain: options.steps.grain.unwrap_or_default(),
        delivery: options.steps.delivery,
        debugger: options.debugger,
        keep: kept.transpose()?,
        symmetry: options.symmetry,
        schedule: schedule(options),
        reduction: options.reduction,
        order,
        states: options.within.states.unwrap_or(default.states),
        depth: options.within.depth.unwrap_or(default.depth),
        time: options.within.time,
        goals: goals::of(options, model)?,
        ..default
    })
}
