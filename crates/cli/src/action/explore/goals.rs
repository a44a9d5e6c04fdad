//! Goals: what the program is held to, and how the command ends.

use borges_languages::model::{Finding, Goal, Model, Report, Schedules, Why};

use crate::args;
use crate::exit::{Exit, Failure};
use borges_commands::model::questions;
use borges_commands::paint::Paint;

/// The goal that the breakpoint of `--toward` is met.
const MET: &str = "met";

/// The goals of the command line, before anything is explored.
///
/// # Errors
/// One that says nothing about this program.
pub(super) fn of(options: &args::Explore, model: &Model) -> Result<Vec<Goal>, Failure> {
    if options.expect.iter().any(|goal| goal == MET) && options.toward.is_none() {
        return Err(Failure::usage(
            "--expect met says nothing without --toward",
            "name the breakpoint that must be met: --toward 'receiver getResult' --expect met",
        ));
    }
    let expected = options.expect.iter().filter(|goal| *goal != MET);
    let expected = expected.map(|text| ("--expect", text, Goal::expect(model, text)));
    let forbidden = options.forbid.iter();
    let forbidden = forbidden.map(|text| ("--forbid", text, Goal::forbid(model, text)));
    expected
        .chain(forbidden)
        .map(|(flag, text, goal)| {
            goal.map_err(|error| {
                Failure::usage(
                    format!("{flag} '{text}': {error}"),
                    "docs/languages.md has the predicates",
                )
            })
        })
        .collect()
}

/// Adds what became of the goal that a breakpoint is met.
///
/// # Errors
/// A goal names what no state has.
pub(super) fn judged(options: &args::Explore, report: &mut Report) -> Result<(), Failure> {
    if let Some(refused) = &report.refused {
        let next = "docs/languages.md has the predicates";
        return Err(Failure::usage(refused, next));
    }
    if options.expect.iter().any(|goal| goal == MET) {
        let holds = match (&report.met, report.complete) {
            (Some(_), _) => Some(true),
            (None, true) => Some(false),
            (None, false) => None,
        };
        report.goals.push(Finding {
            goal: format!("expect {MET}"),
            holds,
            found: (holds == Some(false)).then(|| "no run comes to the breakpoint".to_owned()),
            state: None,
            trace: Vec::new(),
            races: Vec::new(),
        });
    }
    Ok(())
}

/// What became of the goals.
pub(super) fn shown(report: &Report, options: &args::Explore, paint: &Paint) -> String {
    let within = match options.schedule {
        Some(Schedules::Sampled(_)) => "in",
        _ => "where",
    };
    questions::judged(report, within, paint)
}

pub(super) fn exit(report: &Report) -> Exit {
    let any = |holds| report.goals.iter().any(|finding| finding.holds == holds);
    if any(Some(false)) {
        Exit::Failed
    } else if report.why == Some(Why::Cancelled) {
        Exit::Interrupted
    } else if any(None) {
        Exit::Unknown
    } else {
        Exit::Ok
    }
}
