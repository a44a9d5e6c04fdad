//! `borges check PROGRAM FORMULA`: whether all runs of a program fulfil a temporal formula.

use std::path::Path;

use borges_commands::device::render;
use borges_commands::model::questions;
use borges_languages::model::debug::{Judgement, Refused};
use borges_languages::model::{Explore, Model, Why};
use borges_session::suggest::{Proved, UnexploredReport, check_program};
use serde::Serialize;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

use super::{explore, model};

/// What is no file, and reads like a formula: it has signs that names of files have not, or begins with an operator.
pub(super) fn as_formula(text: &Path) -> Option<&str> {
    let text = text.to_str().filter(|_| !text.exists())?;
    let has_sign = text.contains(['{', '}', '(', ')', '!', '&', '|', '<', '>', '=']);
    let first = text.split_whitespace().next();
    let operators = ["G", "F", "X", "fair"];
    let begins = first != Some(text) && first.is_some_and(|word| operators.contains(&word));
    let is_between = [" U ", " R "].iter().any(|sign| text.contains(sign));
    (has_sign || begins || is_between).then_some(text)
}

/// Whether all runs of a program fulfil a formula.
pub(super) fn claim(
    options: &args::Check,
    (program, formula): (&Path, &str),
    output: &mut Output,
) -> Result<Exit, Failure> {
    let name = program.to_str().unwrap_or_default();
    let formula = &questions::about(formula, options.fair);
    let (verdict, cancelled) = match model::named(name)? {
        Some(model) => of_model(options, &model, (name, formula), output)?,
        None => of_device(options, (program, formula), output)?,
    };
    Ok(match verdict {
        Proved::Holds => Exit::Ok,
        Proved::Fails => Exit::Failed,
        Proved::Maybe | Proved::Unknown if cancelled => Exit::Interrupted,
        Proved::Maybe | Proved::Unknown => Exit::Unknown,
    })
}

/// The verdict, and whether the user ended the search for it.
fn of_device(
    options: &args::Check,
    (program, formula): (&Path, &str),
    output: &mut Output,
) -> Result<(Proved, bool), Failure> {
    let asked = options.within.asked()?;
    let report = output.watch(|observer| {
        let board = options.board.as_deref();
        check_program(program, board, formula, &asked, observer)
    })?;
    output.say(&report, |paint| render::claim(&report, paint))?;
    let mut left_out = report.unexplored.iter();
    let cancelled = left_out.any(UnexploredReport::is_cancelled);
    Ok((report.verdict, cancelled))
}

/// One object for scripts.
#[derive(Serialize)]
struct OfModel<'a> {
    program: &'a str,
    formula: &'a str,
    verdict: Proved,
    /// The steps of a run that breaks it, and those that it goes round for ever after them.
    prefix: &'a [String],
    cycle: &'a [String],
    states: u64,
    complete: bool,
}

fn of_model(
    options: &args::Check,
    model: &Model,
    (program, formula): (&str, &str),
    output: &mut Output,
) -> Result<(Proved, bool), Failure> {
    let within = &options.within;
    explore::refuse_of_models(within, options.board.is_some())?;
    explore::refuse_cores(within)?;
    let default = Explore::default();
    let mut multiverse = model.multiverse(&Explore {
        states: within.states.unwrap_or(default.states),
        depth: within.depth.unwrap_or(default.depth),
        time: within.time,
        ..default
    });
    let judged = output.watch_states("states explored", |goes_on| {
        // What cannot be read is said before anything is explored for it.
        match multiverse.check(formula, &mut |_| true) {
            // Of a name it is only known then whether any state has it.
            Ok(_) | Err(Refused::NotYet(..)) => {}
            Err(refused) => return Err(refused),
        }
        multiverse.explore(goes_on);
        multiverse.check(formula, goes_on)
    });
    let next = "for example: G (p -> F q); docs/languages.md has the predicates";
    let judged = judged.map_err(|error| Failure::usage(error.to_string(), next))?;
    let Judgement {
        must,
        states,
        partial,
        ..
    } = &judged;
    let verdict = match must.holds {
        Some(true) => Proved::Holds,
        Some(false) => Proved::Fails,
        None => Proved::Unknown,
    };
    let data = OfModel {
        program,
        formula,
        verdict,
        prefix: &must.steps,
        cycle: &must.cycle,
        states: *states,
        complete: partial.is_none(),
    };
    output.say(&data, |paint| questions::judgement(&judged, paint))?;
    // The process ends: the system takes its memory back at once.
    std::mem::forget(multiverse);
    Ok((verdict, *partial == Some(Why::Cancelled)))
}
