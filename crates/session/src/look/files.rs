//! The files of a program of an operating system, and how they changed.

use std::collections::BTreeMap;

use borges_wasi::{FileChangeKind, Item, OpenDescriptor, World};

use crate::command::listing::TableListing;
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
    let since = since.unwrap_or(Moment::START);
    let before = stage.elsewhere(|stage| {
        stage.history.seek(since, observer)?;
        system(stage)
    })?;
    let mut rows = BTreeMap::new();
    for (name, items) in now.folders() {
        list(&name, &items, &mut rows);
    }
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
            Cell::Text(flags(open.flags)),
        ]
    };
    Ok(Reply::Table(TableListing {
        columns: ["descriptor", "on", "at byte", "flags"]
            .map(str::to_owned)
            .to_vec(),
        rows: open.into_iter().take(MOST_ROWS).map(row).collect(),
        more,
    }))
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

/// What is in a file where the user stands: its first 64 KiB.
pub(crate) fn contents(stage: &Stage, path: &str) -> Result<Reply, CommandError> {
    let world = system(stage)?;
    for (name, items) in world.folders() {
        let inside = path.strip_prefix(&name).unwrap_or_default();
        if let Some(bytes) = file(items, inside) {
            let shown = bytes.get(..MOST_BYTES).unwrap_or(&bytes);
            let text = String::from_utf8_lossy(shown).into_owned();
            return Ok(Reply::Console { text });
        }
    }
    Err(CommandError::NoSuch(format!(
        "there is no file {path} here: 'files' lists them"
    )))
}

/// The bytes of a file below a folder.
fn file(mut items: BTreeMap<String, Item>, path: &str) -> Option<Vec<u8>> {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    loop {
        match (items.remove(parts.next()?)?, parts.clone().next()) {
            (Item::Folder(inside), Some(_)) => items = inside,
            (Item::File(bytes), None) => return Some(bytes),
            _ => return None,
        }
    }
}

fn system(stage: &Stage) -> Result<World, CommandError> {
    stage.history.twin.board.system().cloned().ok_or_else(|| {
        let text = "this program calls no operating system, so it has no files";
        CommandError::Invalid(text.to_owned())
    })
}

/// Adds what is in a folder, each with its size in bytes.
fn list(folder: &str, items: &BTreeMap<String, Item>, rows: &mut BTreeMap<String, (Cell, String)>) {
    for (name, item) in items {
        let path = format!("{}/{name}", folder.trim_end_matches('/'));
        let size = match item {
            Item::File(bytes) => Cell::Integer(bytes.len() as i64),
            Item::Link(target) => Cell::Text(format!("-> {target}")),
            Item::Folder(items) => {
                list(&path, items, rows);
                Cell::Text("folder".to_owned())
            }
        };
        rows.insert(path, (size, String::new()));
    }
}
