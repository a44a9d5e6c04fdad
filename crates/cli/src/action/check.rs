//! `borges check`: says whether files are what they should be, and what is wrong with them.

use std::path::Path;

use borges_commands::device::render;
use borges_session::suggest::{ClaimReport, Proved, check_program};
use borges_session::{Flow, contents};
use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::Pausable;
use crate::output::{Output, Progress};
use borges_commands::message;
use borges_commands::paint::{Paint, Role, count};

use super::{explore, has_extension, model};

/// Checks files.
///
/// # Errors
/// Only if writing failed: what is wrong with a file is a result.
pub fn check(options: &args::Check, quiet: bool, output: &mut Output) -> Result<Exit, Failure> {
    if let [program, formula] = &*options.files
        && let Some(formula) = as_formula(formula)
    {
        return claim(options, (program, formula), quiet, output);
    }
    let mut exit = Exit::Ok;
    let mut results = Vec::new();
    for file in &options.files {
        let result = check_file(file, options.board.as_deref());
        if result.is_err() {
            exit = Exit::Failed;
        }
        if output.json {
            let value = match result {
                Ok(summary) => json!({ "file": file, "ok": true, "summary": summary }),
                Err(Failure::Told { message, next, .. }) => {
                    json!({ "file": file, "ok": false, "message": message, "next": next })
                }
                Err(failure) => return Err(failure),
            };
            results.push(value);
            continue;
        }
        let paint = output.paint;
        let name = file.display();
        match result {
            Ok(summary) => {
                output.text(&format!(
                    "{}: {name}: {summary}\n",
                    paint.paint(Role::Good, "ok")
                ))?;
            }
            Err(Failure::Told { message, next, .. }) => {
                // Messages about what is in a file begin with its name already.
                let name = name.to_string();
                let message = if message.starts_with(&name) {
                    message
                } else {
                    format!("{name}: {message}")
                };
                output.text(&message::error(&message, &next, &paint))?;
            }
            Err(failure) => return Err(failure),
        }
    }
    if output.json {
        output.json(&json!({ "ok": exit == Exit::Ok, "files": results }))?;
    }
    Ok(exit)
}

/// What is no file, and reads like a formula.
fn as_formula(text: &Path) -> Option<&str> {
    let text = text.to_str().filter(|_| !text.exists())?;
    let begins = ["G", "F", "X", "fair"].iter().any(|word| {
        let rest = text.strip_prefix(word);
        rest.is_some_and(|rest| rest.starts_with([' ', '(', '{', '!']))
    });
    let has_operator = text.starts_with(['!', '(', '{'])
        || ["->", " U ", " R ", " & ", " | "]
            .iter()
            .any(|sign| text.contains(sign));
    (begins || has_operator).then_some(text)
}

/// Whether all runs of a program fulfil a formula.
fn claim(
    options: &args::Check,
    (program, formula): (&Path, &str),
    quiet: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if let Some(name) = program.to_str()
        && model::named(name)?.is_some()
    {
        return Err(Failure::usage(
            "formulas about programs of model languages are asked at the prompt",
            format!("borges repl {name}, then: explore, and check {formula}"),
        ));
    }
    let mut progress = Progress::new(quiet);
    let report = {
        let _pausable = Pausable::begin();
        let (board, asked) = (options.board.as_deref(), options.within.asked());
        check_program(program, board, formula, &asked, &mut |event| {
            progress.hear(event)
        })
    };
    progress.clear();
    let report = report.map_err(|error| super::unopened(&error))?;
    match output.json {
        true => output.json(&report)?,
        false => output.text(&claim_shown(&report, &output.paint))?,
    }
    Ok(match report.verdict {
        Proved::Holds => Exit::Ok,
        Proved::Fails => Exit::Failed,
        Proved::Maybe | Proved::Unknown => Exit::Unknown,
    })
}

fn claim_shown(report: &ClaimReport, paint: &Paint) -> String {
    let sizes = format!(
        "{}, {}",
        count(report.states as u64, "state"),
        count(report.edges as u64, "edge")
    );
    let (role, words) = match report.verdict {
        Proved::Holds => (
            Role::Good,
            format!("holds in all runs, over all inputs for ever: {sizes}"),
        ),
        Proved::Fails => (Role::Bad, format!("does not hold: {sizes}")),
        Proved::Maybe => (Role::Warning, format!("maybe: {sizes}")),
        Proved::Unknown => (Role::Warning, format!("nobody knows: {sizes}")),
    };
    let mut text = format!(
        "{}\n",
        paint.paint(role, format!("{} {words}", report.formula))
    );
    if report.verdict == Proved::Fails {
        text.push_str("a run that breaks it:\n");
        text.push_str(&explore::inputs(&report.prefix, paint));
        if let Some(end) = &report.end {
            text.push_str(&format!("and there it ends: {end}\n"));
        } else {
            text.push_str(match report.cycle.is_empty() {
                true => "and then for ever, without an input\n",
                false => "and then for ever:\n",
            });
            text.push_str(&explore::inputs(&report.cycle, paint));
        }
    }
    if let Some(note) = &report.note {
        text.push_str(&format!("{note}\n"));
    }
    for word in &report.maybe {
        text.push_str(&format!(
            "{word} grows for ever and was taken for anything, and something depends on it\n"
        ));
    }
    text.push_str(&render::left_out(&report.unexplored, paint));
    text
}

/// A sentence about a good file.
fn check_file(file: &Path, board: Option<&Path>) -> Result<String, Failure> {
    if let Some(model) = file.to_str().map(model::named).transpose()?.flatten() {
        return Ok(format!("a program in {}", model.dialect().name()));
    }
    if has_extension(file, "toml") {
        return contents::check_board(file).map_err(|error| super::unopened(&error));
    }
    let damage = model::damage(file)?;
    if !damage.is_empty() {
        return Err(Failure::new(Exit::Failed, damage.join("\n"), model::AGAIN));
    }
    if let Some(kept) = model::kept(file)? {
        return Ok(model::described(&kept));
    }
    if super::is_session(file) {
        let mut session = super::record::resume_with(file, &mut |_| Flow::Continue)?;
        let replayed = session.replay(&mut |_| Flow::Continue);
        let replayed = replayed.map_err(|error| Failure::new(Exit::Failed, error, ""))?;
        if !session.damage().is_empty() {
            let branches = count(u64::from(replayed.branches), "branch");
            return Err(Failure::new(
                Exit::Failed,
                format!(
                    "{}\nwhat is left of {branches} replays",
                    session.damage().join("\n")
                ),
                "what is damaged is not shown and stays in the file; a copy of the file may still have it",
            ));
        }
        return Ok(format!(
            "a session with {}; every branch replays",
            count(u64::from(replayed.branches), "branch")
        ));
    }
    contents::check_program(file, board).map_err(|error| super::unopened(&error))
}
