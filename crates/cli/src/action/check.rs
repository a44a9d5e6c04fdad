//! `borges check`: says whether files are what they should be, and what is wrong with them.

use std::path::Path;

use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::paint::Role;
use crate::render;

use super::repl::{has_extension, parse_amb};

/// Checks files.
///
/// # Errors
/// Only if writing failed: what is wrong with a file is a result.
pub fn check(options: &args::Check, output: &mut Output) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    let mut results = Vec::new();
    for file in &options.files {
        let result = check_file(file);
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
                output.text(&render::error(&format!("{name}: {message}"), &next, &paint))?;
            }
            Err(failure) => return Err(failure),
        }
    }
    if output.json {
        output.json(&json!({ "ok": exit == Exit::Ok, "files": results }))?;
    }
    Ok(exit)
}

/// A sentence about a good file.
fn check_file(file: &Path) -> Result<String, Failure> {
    if has_extension(file, "amb") {
        parse_amb(&super::read_text(file)?)?;
        return Ok("a λ_amb program".to_string());
    }
    Err(Failure::input(
        "this is no kind of file that can be checked",
        "λ_amb sources end in .amb",
    ))
}
