//! Trees, paths, comparisons, notes, facts about the session.

use std::fmt::Write as _;

use borges_session::listing::{
    Info, NoteListing, PathEntry, PathListing, PlaceView, TreeListing, UniverseDifference,
};

use crate::paint::{Paint, Role, bytes, count, grouped, listed, printable};

use super::place::code_of;

/// The drawn tree, with its size below.
pub(super) fn tree(tree: &TreeListing, paint: &Paint) -> String {
    let mut text = super::lines(&tree.lines);
    let (branches, entries) = (tree.branches, tree.entries);
    let mut size = recorded(branches, entries);
    if let Some(recordings) = tree.recordings {
        let of = count(recordings, "recording");
        size += &format!("; ×N: so many of {of} went this way");
    }
    let _ = writeln!(text, "{}", paint.dim(size));
    text
}

/// How much was recorded.
fn recorded(branches: u32, entries: u64) -> String {
    let branches = count(u64::from(branches), "branch");
    format!("{branches}, {}", count(entries, "entry"))
}

/// Entries of a path, with a line where the place shown lies.
pub(super) fn path(path: &PathListing, paint: &Paint) -> String {
    let mut text = String::new();
    if path.before > 0 {
        let more = format!("  … {} before", count(path.before, "entry"));
        let _ = writeln!(text, "{}", paint.dim(more));
    }
    let here = format!("{}\n", paint.current("▶ here"));
    let mut marked = false;
    for entry in &path.entries {
        if entry.next && !marked {
            text.push_str(&here);
            marked = true;
        }
        text.push_str(&path_entry(entry, paint));
    }
    if !marked {
        text.push_str(&here);
    }
    if path.after > 0 {
        let more = format!("  … {} after", count(path.after, "entry"));
        let _ = writeln!(text, "{}", paint.dim(more));
    }
    text
}

fn path_entry(entry: &PathEntry, paint: &Paint) -> String {
    let mut notes = Vec::new();
    if entry.mocked {
        notes.push("mock".to_string());
    }
    if entry.alternatives > 0 {
        notes.push(count(u64::from(entry.alternatives), "alternative"));
    }
    let note = match notes.is_empty() {
        true => String::new(),
        false => paint.changed(format!("  ({})", notes.join(", "))),
    };
    let role = match entry.kind.as_str() {
        "input" => Role::Good,
        "event" => Role::Warning,
        _ => Role::Name,
    };
    let kind = paint.paint(role, format!("{:<6}", entry.kind));
    let (text, step) = (printable(&entry.text), step(entry.steps, paint));
    format!("  {:<9} {kind} {text}{note}  {step}\n", entry.universe)
}

/// So many steps from the start.
pub(super) fn step(steps: u64, paint: &Paint) -> String {
    paint.dim(format!("step {}", grouped(steps)))
}

/// Notes and bookmarks.
pub(super) fn notes(notes: &[NoteListing], paint: &Paint) -> String {
    let none = "no notes yet: 'note TEXT' and 'bookmark NAME' write on this universe";
    listed(notes, none, |note| {
        let name = note.name.as_deref().unwrap_or_default();
        let space = match name.is_empty() || note.text.is_empty() {
            true => "",
            false => ": ",
        };
        let (name, text) = (paint.name(name), printable(&note.text));
        let step = step(note.steps, paint);
        format!("{:<9} {name}{space}{text}  {step}", note.universe)
    })
}

/// Two universes compared.
pub(super) fn difference(difference: &UniverseDifference, paint: &Paint) -> String {
    let UniverseDifference {
        left,
        right,
        join,
        left_choice,
        right_choice,
        variables,
        board,
        memory_bytes,
    } = difference;
    let mut text = String::new();
    let _ = writeln!(text, "left   {}", short_place(left, paint));
    let _ = writeln!(text, "right  {}", short_place(right, paint));
    let _ = writeln!(text, "part   {}", short_place(join, paint));
    for (side, choice) in [("left", left_choice), ("right", right_choice)] {
        if let Some(choice) = choice {
            let _ = writeln!(text, "       {side}: {}", printable(choice));
        }
    }
    if variables.is_empty() && board.is_empty() && *memory_bytes == 0 {
        text.push_str("their states do not differ\n");
        return text;
    }
    for (name, left, right) in variables {
        let (name, left) = (paint.name(name), printable(left));
        let _ = writeln!(text, "  {name}  {left} | {}", paint.changed(right));
    }
    for (left, right) in board {
        let _ = writeln!(text, "  board  {} | {}", printable(left), printable(right));
    }
    if *memory_bytes > 0 {
        let _ = writeln!(text, "  memory  {} differ", count(*memory_bytes, "byte"));
    }
    text
}

/// `0.3+12  color-dial.ts:21 in turnTo  step 1,204`.
fn short_place(place: &PlaceView, paint: &Paint) -> String {
    let (at, step) = (paint.place(code_of(place)), step(place.steps, paint));
    format!("{:<9} {at}  {step}", place.universe)
}

/// What is said when a session opens.
pub fn greeting(info: &Info, paint: &Paint) -> String {
    let (board, device) = (printable(&info.board), printable(&info.device));
    let kept = match &info.file {
        Some(file) => format!("kept in {file}: {}", recorded(info.branches, info.entries)),
        None => "not kept: 'borges repl --session FILE' would keep everything you see".to_string(),
    };
    let (program, kept) = (paint.heading(&info.program), paint.dim(kept));
    format!("{program} on {board}, {device}\n{kept}\n")
}

/// Facts about the session.
pub(super) fn info(info: &Info, paint: &Paint) -> String {
    let mut here = short_place(&info.here, paint);
    if let Some(same) = info.same.iter().find(|same| same.at == info.here.universe) {
        here += &paint.dim(format!("  (as {})", same.other));
    }
    let file = info.file.as_deref().map(printable);
    let file = file.unwrap_or_else(|| "none: this session is forgotten when you quit".to_string());
    let follows = if info.follows { "  (follows)" } else { "" };
    let snapshots = grouped(u64::from(info.snapshots));
    let (sent, received) = (bytes(info.sent_bytes), bytes(info.received_bytes));
    let again = count(info.retransmissions, "retransmission");
    let program = printable(&info.program);
    let version = (info.version > 0).then(|| ("version", info.version.to_string()));
    let device_at = short_place(&info.device_at, paint);
    let rows = [("program", format!("{program} ({})", info.program_hash))]
        .into_iter()
        .chain(version)
        .chain([
            ("board", printable(&info.board)),
            ("device", printable(&info.device)),
            ("file", file),
            ("here", here),
            ("device at", format!("{device_at}{follows}")),
            ("recorded", recorded(info.branches, info.entries)),
            (
                "snapshots",
                format!("{snapshots}, {}", bytes(info.snapshot_bytes)),
            ),
            ("link", format!("{sent} sent, {received} received, {again}")),
        ]);
    let row = |(name, value)| format!("{} {value}\n", paint.dim(format!("{name:<9}")));
    rows.map(row).collect()
}
