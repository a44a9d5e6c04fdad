//! `borges format`: lays out programs of model languages.

use std::path::Path;

use borges_languages::model::language;
use serde_json::json;

use super::model;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use borges_commands::paint::Role;

/// Formats files, or says which would change.
///
/// # Errors
/// The first file that is no program, or cannot be written; files before it are formatted.
pub(crate) fn format(options: &args::Format, output: &mut Output) -> Result<Exit, Failure> {
    let mut changed = Vec::new();
    for file in &options.files {
        if format_file(file, options.check)? {
            changed.push(file);
        }
    }
    let failed = options.check && !changed.is_empty();
    if output.json {
        output.json(&json!({ "ok": !failed, "changed": changed }))?;
    } else {
        let paint = output.paint;
        for file in &changed {
            let (role, what) = match options.check {
                true => (Role::Bad, "would be formatted"),
                false => (Role::Good, "formatted"),
            };
            output.text(&format!(
                "{}: {}\n",
                paint.paint(role, what),
                file.display()
            ))?;
        }
    }
    Ok(if failed { Exit::Failed } else { Exit::Ok })
}

/// Those of all languages with a layout: `.amb, .at and .oz`.
fn extensions() -> String {
    let all = language::all().into_iter().filter(|one| one.has_layout());
    let mut all: Vec<_> = all.map(|one| format!(".{}", one.extension())).collect();
    let last = all.pop().unwrap_or_default();
    format!("{} and {last}", all.join(", "))
}

/// Whether a file is not laid out in the usual way.
fn format_file(file: &Path, check: bool) -> Result<bool, Failure> {
    // An expression on the command line is a program too, but no file.
    let source = file
        .to_str()
        .filter(|path| language::of_path(path).is_some());
    let Some(program) = source.map(model::named).transpose()?.flatten() else {
        return Err(Failure::usage(
            format!("{} is of no model language", file.display()),
            format!("format takes {} files", extensions()),
        ));
    };
    let formatted = program.format();
    if formatted == program.text() {
        return Ok(false);
    }
    if !check {
        std::fs::write(file, formatted).map_err(|error| {
            Failure::input(format!("{} cannot be written: {error}", file.display()), "")
        })?;
    }
    Ok(true)
}
