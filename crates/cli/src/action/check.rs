//! `borges check`: says whether files are what they should be, and what is wrong with them.

use std::path::Path;

use borges_session::{Flow, Library, contents};
use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use borges_commands::message;
use borges_commands::paint::count;

use super::{claim, has_extension, model};

/// Checks files.
///
/// # Errors
/// Only if writing failed: what is wrong with a file is a result.
pub(crate) fn check(options: &args::Check, output: &mut Output) -> Result<Exit, Failure> {
    if let [program, formula] = &*options.files
        && let Some(formula) = claim::as_formula(formula)
    {
        return claim::claim(options, (program, formula), output);
    }
    if options.fair {
        return Err(Failure::usage(
            "--fair is for a formula",
            "for example: borges check --fair program.oz 'F {x == 2}'",
        ));
    }
    let mut exit = Exit::Ok;
    let mut results = Vec::new();
    let libraries = &options.within.entry.linked.libraries;
    for file in &options.files {
        let result = check_file(file, libraries, options.board.as_deref());
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
                output.text(&format!("{}: {name}: {summary}\n", paint.good("ok")))?;
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

fn check_file(file: &Path, libraries: &[Library], board: Option<&Path>) -> Result<String, Failure> {
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
        return Ok(model::described(&kept, true));
    }
    if super::is_session(file) {
        let mut session = super::record::resume_with(file, &mut |_| Flow::Continue)?;
        let replayed = session.replay(&mut |_| Flow::Continue);
        let replayed = replayed.map_err(|error| Failure::new(Exit::Failed, error, ""))?;
        let branches = count(u64::from(replayed.branches), "branch");
        if !session.damage().is_empty() {
            let damage = session.damage().join("\n");
            let message = format!("{damage}\nwhat is left of {branches} replays");
            let next = "what is damaged is not shown and stays in the file; a copy of the file may still have it";
            return Err(Failure::new(Exit::Failed, message, next));
        }
        return Ok(format!("a session with {branches}; every branch replays"));
    }
    contents::check_program(file, libraries, board).map_err(|error| super::unopened(&error))
}
