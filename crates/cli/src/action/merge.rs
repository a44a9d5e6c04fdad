//! `borges merge`.

use borges_session::merge::{LeftOut, MergeError, MergeReport, merge as merged};

use super::record::watched;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use borges_commands::message;
use borges_commands::paint::{Paint, count};

/// Merges recordings into one session file. What was left out is named, and lets the command fail.
pub(crate) fn merge(options: &args::Merge, output: &mut Output) -> Result<Exit, Failure> {
    let path = &options.output;
    if path.exists() {
        return Err(Failure::usage(
            format!("{} exists already", path.display()),
            "give another name; a merged file can be merged again, with others: borges merge FILE NEW… -o OTHER",
        ));
    }
    let report = watched(output, |observer| merged(&options.sessions, path, observer))?;
    let report = match report {
        Ok(report) => report,
        Err(MergeError::Nothing(left_out)) => {
            name(&left_out, output);
            return Err(Failure::input(MergeError::Nothing(Vec::new()), ""));
        }
        Err(error @ MergeError::Output { .. }) => {
            return Err(Failure::new(Exit::Device, error, ""));
        }
    };
    let exit = match (report.complete, report.left_out.is_empty()) {
        (false, _) => Exit::Interrupted,
        (true, true) => Exit::Ok,
        (true, false) => Exit::Failed,
    };
    if output.json {
        let mut object = serde_json::to_value(&report).map_err(std::io::Error::other)?;
        object["session"] = serde_json::json!(path);
        output.json(&object)?;
        return Ok(exit);
    }
    name(&report.left_out, output);
    let said = said(&report, options.sessions.len() as u64, output.paint);
    let file = path.display();
    let next = format!("look at it with: borges debug {file}, or: borges repl {file}");
    let next = output.paint.dim(next);
    output.text(&format!("{said}kept in {file}\n{next}\n"))?;
    Ok(exit)
}

/// Says which files are not in the merged one, and why.
fn name(left_out: &[LeftOut], output: &Output) {
    for LeftOut { file, why, next } in left_out {
        let text = format!("{} is left out: {why}", file.display());
        let next = match next.is_empty() {
            true => String::new(),
            false => format!(" ({next})"),
        };
        let text = format!("{text}{next}");
        super::tell(&message::warning(&text, &output.error_paint));
    }
}

fn said(report: &MergeReport, given: u64, paint: Paint) -> String {
    let recordings = count(report.recordings, "recording");
    let of = match report.files == given {
        true => count(given, "file"),
        false => format!("{} of {}", report.files, count(given, "file")),
    };
    let head = format!("{recordings} of {} from {of}", report.program);
    let head = match (report.complete, report.left_out.is_empty()) {
        (false, _) => paint.warning(format!("stopped by Ctrl-C; merged so far: {head}")),
        (true, false) => paint.warning(head),
        (true, true) => paint.good(head),
    };
    let (entries, kept) = (count(report.entries, "entry"), count(report.kept, "entry"));
    format!("{head}\n{entries} are {kept} of one multiverse\n")
}
