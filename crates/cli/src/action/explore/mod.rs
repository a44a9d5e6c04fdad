//! `borges explore`: everything that a program can come to.

mod device;
mod goals;
mod outcomes;

use borges_languages::model::{
    Explore, Lead, Model, Order, Reduction, Report, Schedules, Selection,
};
use borges_session::model::{AskError, ModelSession};
use serde::Serialize;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::{self, Pausable};
use crate::output::{Output, Progress};

/// One object for scripts.
#[derive(Serialize)]
struct Explored<'a> {
    program: &'a str,
    #[serde(flatten)]
    report: &'a Report,
}

/// Explores a program.
///
/// # Errors
/// What the user is told.
pub fn explore(options: &args::Explore, quiet: bool, output: &mut Output) -> Result<Exit, Failure> {
    let Some(model) = super::model::named(&options.program)? else {
        return device::explore(options, options.program.as_ref(), quiet, output);
    };
    refuse_of_models(&options.within, options.board.is_some())?;
    let demands = [
        ("--never", !options.never.is_empty()),
        ("--split", options.split),
        ("--always", !options.always.is_empty()),
    ];
    refuse(
        &demands,
        "device programs",
        "--forbid PREDICATE says what must not happen",
    )?;
    if options.symmetry && !model.program().has_symmetry() {
        return Err(Failure::usage(
            format!("{} has no actors that could be alike", options.program),
            "--symmetry is for AmbientTalk; --keep says for every language what tells states apart",
        ));
    }
    let asked = as_asked(options, &model)?;
    let name = options.program.clone();
    let mut session = ModelSession::new(name, model, asked, options.session.clone());
    let report = {
        let (_pausable, mut progress) = (Pausable::begin(), Progress::new(quiet));
        session.explore(|come| {
            progress.update("states explored", come.states, None);
            !interrupt::pressed()
        })
    };
    let unwritten = |error: AskError| {
        let file = options.session.as_deref().unwrap_or("".as_ref());
        Failure::input(format!("{}: {error}", file.display()), "")
    };
    let mut report = report.map_err(unwritten)?;
    if let Some(name) = report.unmet.first() {
        return Err(Failure::usage(
            format!(
                "no state of {} that was explored has a value called '{name}'",
                options.program
            ),
            "--keep takes the names that outcomes show, for example x, acc.bal",
        ));
    }
    goals::judged(options, &mut report)?;
    if output.json {
        output.json(&Explored {
            program: &options.program,
            report: &report,
        })?;
    } else {
        let text = outcomes::shown(&report, options, &output.paint);
        output.text(&text)?;
        let text = goals::shown(&report, options, &output.paint);
        output.text(&text)?;
    }
    if options.session.is_some() {
        let (_pausable, mut progress) = (Pausable::begin(), Progress::new(quiet));
        let kept = session.write(|come| {
            progress.update("states to finish", come.states, None);
            !interrupt::pressed()
        });
        kept.map_err(unwritten)?;
    }
    session.end_of_process();
    Ok(goals::exit(&report))
}

/// Refuses what a program of a model language has not.
pub(super) fn refuse_of_models(within: &args::Forever, has_board: bool) -> Result<(), Failure> {
    let others = [
        ("--board", has_board),
        ("--entry", !within.entry.entry.is_empty()),
        ("--solver", within.solver.is_some()),
        ("--events", within.events.is_some()),
        ("--any", !within.any.is_empty()),
    ];
    let next = "a program of a model language has neither a board nor inputs";
    refuse(&others, "device programs", next)
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
    Some(match options.schedule? {
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
    Ok(Explore {
        grain: options.steps.grain().into(),
        delivery: options.steps.delivery.into(),
        debugger: options.debugger,
        keep: options.keep.as_ref().map(|names| {
            let names = names.iter().map(|name| name.trim());
            let named = names.filter(|name| !name.is_empty());
            named.map(str::to_string).collect()
        }),
        symmetry: options.symmetry,
        schedule: schedule(options),
        reduction: match options.reduction {
            args::Reduction::None => Reduction::None,
            args::Reduction::Dpor => Reduction::Dpor,
        },
        order,
        states: options.within.states.unwrap_or(default.states),
        depth: options.within.depth.unwrap_or(default.depth),
        time: options.within.time,
        goals: goals::of(options, model)?,
        ..default
    })
}
