//! `borges import`.

use borges_session::import::{HostRecordingError, ImportError, Imported, import as replay};
use borges_session::{Options, Provided};

use super::record::watched;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use borges_commands::paint::{Paint, Role, count};

/// Replays what was recorded beside another engine, and writes it to a session file.
pub(crate) fn import(options: &args::Import, output: &mut Output) -> Result<Exit, Failure> {
    let given = options.output.clone();
    let path = given.unwrap_or_else(|| options.recording.with_extension("borges"));
    if path.exists() {
        return Err(Failure::usage(
            format!("{} exists already", path.display()),
            "give another name: -o FILE",
        ));
    }
    let unread = |error| format!("{}: {error}", options.recording.display());
    let bytes = std::fs::read(&options.recording);
    let bytes = bytes.map_err(|error| Failure::input(unread(error), ""))?;
    let session = Options {
        board: options.board.clone(),
        libraries: options.linked.libraries.clone(),
        session_file: Some(path.clone()),
        system: (!options.folders.is_empty()).then(|| Provided {
            folders: super::system::folders(&options.folders),
            ..Provided::default()
        }),
        ..Options::new(&options.program)
    };
    let imported = watched(output, |observer| {
        replay(&bytes, &session, options.partial, observer)
    })?;
    let imported = imported.map_err(|error| failure(&error))?;
    let exit = match imported.parted {
        Some(_) => Exit::Failed,
        None => Exit::Ok,
    };
    if output.json {
        let mut object = serde_json::to_value(&imported).map_err(std::io::Error::other)?;
        object["session"] = serde_json::json!(path);
        output.json(&object)?;
        return Ok(exit);
    }
    let said = said(&imported, output.paint);
    let file = path.display();
    let next = output
        .paint
        .dim(format!("look at it with: borges repl {file}"));
    output.text(&format!("{said}\nkept in {file}\n{next}\n"))?;
    Ok(exit)
}

fn said(imported: &Imported, paint: Paint) -> String {
    let role = match imported.parted {
        None => Role::Good,
        Some(_) => Role::Bad,
    };
    let (steps, calls) = (count(imported.steps, "step"), count(imported.calls, "call"));
    let mut lines = vec![
        paint.paint(role, &imported.ending),
        format!(
            "{steps}, {calls}, state {}; recorded on {}",
            imported.state, imported.engine
        ),
    ];
    if let Some(parted) = &imported.parted {
        lines.push(format!("what comes before this is kept: {parted}"));
    }
    if !imported.told.is_empty() {
        let told = imported.told.iter();
        let told: Vec<String> = told
            .map(|(name, times)| format!("{name} {times}"))
            .collect();
        lines.push(format!(
            "answered as recorded, which is not what Borges would have answered: {}",
            told.join(", ")
        ));
    }
    if !imported.unknown.is_empty() {
        lines.push(format!(
            "of these files no more was seen, and beside the recording the rest is zeros (--dir gives the files): {}",
            imported.unknown.join("; ")
        ));
    }
    lines.join("\n")
}

fn failure(error: &ImportError) -> Failure {
    match error {
        ImportError::Open(error) => super::unopened(error),
        ImportError::Paused => Failure::new(Exit::Interrupted, error, ""),
        ImportError::Diverged { .. }
        | ImportError::Recording(
            HostRecordingError::CutOff { .. }
            | HostRecordingError::Damaged { .. }
            | HostRecordingError::Threads { .. },
        ) => Failure::new(Exit::Failed, error, "'--partial' keeps what comes before"),
        _ => Failure::input(error, ""),
    }
}
