//! Trees, paths, comparisons, notes, facts about the session.

use std::fmt::Write as _;

use borges_session::listing::{
    Info, NoteListing, PathEntry, PathListing, PlaceView, TreeListing, UniverseDifference,
};

use crate::paint::{Paint, Role, bytes, count, grouped, printable};

/// The drawn tree, with its size below.
pub(super) fn tree(tree: &TreeListing, paint: &Paint) -> String {
    let mut text = super::lines(&tree.lines);
    let size = format!(
        "{}, {}",
        count(u64::from(tree.branches), "branch"),
        count(tree.entries, "entry")
    );
    let _ = writeln!(text, "{}", paint.paint(Role::Dim, size));
    text
}

/// Entries of a path, with a line where the place shown lies.
pub(super) fn path(path: &PathListing, paint: &Paint) -> String {
    let mut text = String::new();
    if path.before > 0 {
        let more = format!("  … {} before", count(path.before, "entry"));
        let _ = writeln!(text, "{}", paint.paint(Role::Dim, more));
    }
    let here = format!("{}\n", paint.paint(Role::Current, "▶ here"));
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
        let _ = writeln!(text, "{}", paint.paint(Role::Dim, more));
    }
    text
}

fn path_entry(entry: &PathEntry, paint: &Paint) -> String {
    let mut notes = Vec::new();
    if entry.mocked {
        notes.push("mock".to_string());
    }
    if entry.alternatives > 0 {
        let others = count(u64::from(entry.alternatives), "alternative");
        notes.push(others);
    }
    let note = if notes.is_empty() {
        String::new()
    } else {
        format!("  ({})", notes.join(", "))
    };
    let kind = format!("{:<6}", entry.kind);
    let role = match entry.kind.as_str() {
        "input" => Role::Good,
        "event" => Role::Warning,
        _ => Role::Name,
    };
    format!(
        "  {:<9} {} {}{}  {}\n",
        entry.universe,
        paint.paint(role, kind),
        printable(&entry.text),
        paint.paint(Role::Changed, note),
        paint.paint(Role::Dim, format!("step {}", grouped(entry.steps))),
    )
}

/// Notes and bookmarks.
pub(super) fn notes(notes: &[NoteListing], paint: &Paint) -> String {
    if notes.is_empty() {
        return "no notes yet: 'note TEXT' and 'bookmark NAME' write on this universe\n"
            .to_string();
    }
    let mut text = String::new();
    for note in notes {
        let name = note.name.as_deref().unwrap_or_default();
        let space = if name.is_empty() || note.text.is_empty() {
            ""
        } else {
            ": "
        };
        let _ = writeln!(
            text,
            "{:<9} {}{space}{}  {}",
            note.universe,
            paint.paint(Role::Name, printable(name)),
            printable(&note.text),
            paint.paint(Role::Dim, format!("step {}", grouped(note.steps))),
        );
    }
    text
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
        let _ = writeln!(
            text,
            "  {}  {} | {}",
            paint.paint(Role::Name, printable(name)),
            printable(left),
            paint.paint(Role::Changed, printable(right)),
        );
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
    let mut at = match (&place.file, place.line, place.offset) {
        (Some(file), Some(line), _) => format!("{}:{line}", printable(file)),
        (_, _, Some(offset)) => format!("@{offset:#x}"),
        _ => "the end".to_string(),
    };
    if let Some(function) = &place.function {
        let _ = write!(at, " in {}", printable(function));
    }
    format!(
        "{:<9} {}  {}",
        place.universe,
        paint.paint(Role::Place, at),
        paint.paint(Role::Dim, format!("step {}", grouped(place.steps)))
    )
}

/// What is said when a session opens.
pub fn greeting(info: &Info, paint: &Paint) -> String {
    let mut text = format!(
        "{} on {}, {}\n",
        paint.paint(Role::Heading, printable(&info.program)),
        printable(&info.board),
        printable(&info.device)
    );
    let kept = match &info.file {
        Some(file) => format!(
            "kept in {}: {}, {}",
            printable(file),
            count(u64::from(info.branches), "branch"),
            count(info.entries, "entry")
        ),
        None => "not kept: 'borges repl --session FILE' would keep everything you see".to_string(),
    };
    let _ = writeln!(text, "{}", paint.paint(Role::Dim, kept));
    text
}

/// Facts about the session.
pub(super) fn info(info: &Info, paint: &Paint) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(
            text,
            "{} {value}",
            paint.paint(Role::Dim, format!("{name:<9}"))
        );
    };
    row(
        "program",
        format!("{} ({})", printable(&info.program), info.program_hash),
    );
    if info.version > 0 {
        row("version", format!("{}", info.version));
    }
    row("board", printable(&info.board));
    row("device", printable(&info.device));
    row(
        "file",
        match &info.file {
            Some(file) => printable(file),
            None => "none: this session is forgotten when you quit".to_string(),
        },
    );
    let mut here = short_place(&info.here, paint);
    if let Some(same) = info.same.iter().find(|same| same.at == info.here.universe) {
        let words = paint.paint(Role::Dim, format!("  (as {})", same.other));
        here.push_str(&words);
    }
    row("here", here);
    let follows = if info.follows { "  (follows)" } else { "" };
    row(
        "device at",
        format!("{}{follows}", short_place(&info.device_at, paint)),
    );
    row(
        "recorded",
        format!(
            "{}, {}",
            count(u64::from(info.branches), "branch"),
            count(info.entries, "entry")
        ),
    );
    row(
        "snapshots",
        format!(
            "{}, {}",
            grouped(u64::from(info.snapshots)),
            bytes(info.snapshot_bytes)
        ),
    );
    row(
        "link",
        format!(
            "{} sent, {} received, {}",
            bytes(info.sent_bytes),
            bytes(info.received_bytes),
            count(info.retransmissions, "retransmission")
        ),
    );
    text
}
