//! The files of a program of an operating system, and how they changed.

use std::collections::BTreeMap;

use borges_vm::Outcome;
use borges_wasi::{FileChangeKind, Listed, OpenDescriptor, Output, World};

use crate::command::listing::{FileContents, StreamsListing, TableListing};
use crate::command::{Cell, Observer, Reply};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::stage::Stage;

/// So many rows are listed.
const MOST_ROWS: usize = 1000;
/// So many bytes of a file are shown.
const MOST_BYTES: usize = 1 << 16;

/// The files where the user stands, with what changed since another moment, or since the start.
pub(crate) fn files(
    stage: &mut Stage,
    since: Option<Moment>,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let now = system(stage)?;
    let before = match since {
        None => stage.board().first_system().cloned(),
        Some(since) => Some(stage.elsewhere(|stage| {
            stage.history.seek(since, observer)?;
            system(stage)
        })?),
    };
    let before = before.unwrap_or_else(|| now.clone());
    let shown = |listed| match listed {
        Listed::File(bytes) => Cell::Integer(i64::try_from(bytes).unwrap_or(i64::MAX)),
        Listed::Link(target) => Cell::Text(format!("-> {target}")),
        Listed::Folder => Cell::Text("folder".to_owned()),
    };
    let rows = now.listed().into_iter();
    let mut rows: BTreeMap<_, _> = rows
        .map(|(path, listed)| (path, (shown(listed), String::new())))
        .collect();
    for change in before.changed_files(&now) {
        let what = match change.kind {
            FileChangeKind::Added => "added".to_owned(),
            FileChangeKind::Removed => "removed".to_owned(),
            FileChangeKind::Replaced => "replaced".to_owned(),
            FileChangeKind::Bytes { first, before, .. } => {
                format!("changed from byte {first} on, had {before}")
            }
        };
        rows.entry(change.path)
            .or_insert((Cell::Null, String::new()))
            .1 = what;
    }
    let more = rows.len() > MOST_ROWS;
    let row = |(path, (size, what))| vec![Cell::Text(path), size, Cell::Text(what)];
    Ok(Reply::Table(TableListing {
        columns: ["path", "bytes", "since"].map(str::to_owned).to_vec(),
        rows: rows.into_iter().take(MOST_ROWS).map(row).collect(),
        more,
    }))
}

/// What is open where the user stands.
pub(crate) fn descriptors(stage: &Stage) -> Result<Reply, CommandError> {
    let open = system(stage)?.descriptors();
    let more = open.len() > MOST_ROWS;
    let row = |open: OpenDescriptor| {
        // Streams have no place of their own.
        let is_stream = matches!(&*open.name, "stdin" | "stdout" | "stderr");
        vec![
            Cell::Integer(open.number.into()),
            Cell::Text(open.name),
            match is_stream {
                true => Cell::Null,
                false => Cell::Integer(i64::try_from(open.offset).unwrap_or(i64::MAX)),
            },
            Cell::Text(rights(open.rights)),
            Cell::Text(flags(open.flags)),
        ]
    };
    Ok(Reply::Table(TableListing {
        columns: ["descriptor", "on", "at byte", "rights", "flags"]
            .map(str::to_owned)
            .to_vec(),
        rows: open.into_iter().take(MOST_ROWS).map(row).collect(),
        more,
    }))
}

/// What can be done with a descriptor: the rights that tell descriptors apart, by the ends of their names in WASI.
fn rights(rights: u64) -> String {
    let names = [
        (1, "read"),
        (6, "write"),
        (2, "seek"),
        (14, "readdir"),
        (13, "open"),
        (10, "create"),
        (26, "unlink"),
    ];
    let set = names.iter().filter(|(bit, _)| rights >> bit & 1 == 1);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

/// The flags of a descriptor by their names in WASI.
fn flags(flags: u16) -> String {
    let names = ["append", "dsync", "nonblock", "rsync", "sync"];
    let set = names
        .iter()
        .enumerate()
        .filter(|(bit, _)| flags >> bit & 1 == 1);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

/// What is in a file where the user stands.
pub(crate) fn contents(stage: &Stage, path: &str) -> Result<Reply, CommandError> {
    let world = system(stage)?;
    let Some(content) = world.file(path) else {
        return Err(CommandError::NoSuch(format!(
            "there is no file {path} here: 'files' lists them"
        )));
    };
    Ok(Reply::File(FileContents {
        path: path.to_owned(),
        length: content.len(),
        bytes: content.read(0, MOST_BYTES),
    }))
}

/// What the program has written up to where the user stands.
pub(crate) fn streams(stage: &Stage) -> Result<Reply, CommandError> {
    let world = system(stage)?;
    let [output, error] = Output::ALL.map(|output| {
        let content = world.output(output);
        let from = content.len().saturating_sub(MOST_BYTES as u64);
        let text = content.read(from, MOST_BYTES);
        let cut = if from > 0 { "…" } else { "" };
        format!("{cut}{}", String::from_utf8_lossy(&text))
    });
    let exit_code = match stage.history.twin().machine.outcome() {
        Some(Outcome::Exited(code)) => Some(*code),
        _ => None,
    };
    Ok(Reply::Streams(StreamsListing {
        output,
        error,
        exit_code,
    }))
}

fn system(stage: &Stage) -> Result<World, CommandError> {
    stage.history.twin().board.system().cloned().ok_or_else(|| {
        let text = "this program calls no operating system, so it has no files";
        CommandError::Invalid(text.to_owned())
    })
}
