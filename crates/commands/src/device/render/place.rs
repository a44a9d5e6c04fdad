//! Where the program stands: stops, source text, the last write of a value.

use std::fmt::Write as _;

use borges_session::command::{Stop, StopReason};
use borges_session::listing::{PlaceView, SourceListing, Written};

use crate::paint::{Paint, Role, count, grouped, printable};

/// A stop: why, where, the source around it (or at least the line), and what comes next.
pub fn stop(stop: &Stop, around: Option<&SourceListing>, paint: &Paint) -> String {
    let mut text = reason(&stop.reason, paint);
    text.push_str(&place_line(&stop.at, paint));
    match around {
        Some(listing) => text.push_str(&source_lines(listing, paint)),
        None => text.push_str(&own_line(&stop.at, paint)),
    }
    text.push_str(&ahead(&stop.at, paint));
    if stop.at.frame > 0 {
        let inner = format!(
            "frame {} is shown, of your own code; 'stack' lists those that it called",
            stop.at.frame
        );
        let _ = writeln!(text, "{}", paint.paint(Role::Dim, inner));
    }
    text
}

fn reason(reason: &StopReason, paint: &Paint) -> String {
    let (role, words) = match reason {
        StopReason::Done => return String::new(),
        StopReason::Breakpoint { id } => (Role::Heading, format!("breakpoint {id}")),
        StopReason::Finished { results } if results.iter().any(|text| text.starts_with("exit")) => {
            (
                Role::Good,
                format!("the program ended with {}", results.join(", ")),
            )
        }
        StopReason::Finished { results } if results.is_empty() => {
            (Role::Good, "the program returned".to_string())
        }
        StopReason::Finished { results } => (
            Role::Good,
            format!("the program returned {}", results.join(", ")),
        ),
        StopReason::Trapped { trap } => (Role::Bad, format!("trap: {}", printable(trap))),
        StopReason::Limit { limit } => (Role::Bad, format!("limit {}", printable(limit))),
        StopReason::Paused => (Role::Heading, "paused".to_string()),
        StopReason::Start => (
            Role::Heading,
            "the start of the program: nothing lies before it".to_string(),
        ),
        StopReason::Tip => (
            Role::Heading,
            "the end of what is recorded here; the next step forward is live".to_string(),
        ),
        StopReason::NotFound => (
            Role::Warning,
            "not found on this path; the view has not moved".to_string(),
        ),
        StopReason::Bound => (
            Role::Warning,
            "paused, because this run has recorded as much as one run may; continue goes on"
                .to_string(),
        ),
    };
    format!("{}\n", paint.paint(role, words))
}

/// `color-dial.ts:21 in turnTo          universe 0.3+12, step 1,204`.
pub fn place_line(place: &PlaceView, paint: &Paint) -> String {
    let mut left = String::new();
    if let (Some(file), Some(line)) = (&place.file, place.line) {
        let _ = write!(left, "{}:{line}", printable(file));
    } else if let Some(offset) = place.offset {
        let _ = write!(left, "@{offset:#x}");
    } else {
        left.push_str("the end");
    }
    if let Some(function) = &place.function {
        let _ = write!(left, " in {}", printable(function));
    }
    let right = format!("universe {}, step {}", place.universe, grouped(place.steps));
    let columns = left.chars().count() + right.chars().count();
    let gap = if columns + 2 <= paint.width {
        " ".repeat(paint.width - columns)
    } else {
        "\n  ".to_string()
    };
    format!(
        "{}{gap}{}\n",
        paint.paint(Role::Place, left),
        paint.paint(Role::Dim, right)
    )
}

/// The line of the place itself, where no listing is at hand.
fn own_line(place: &PlaceView, paint: &Paint) -> String {
    match (place.line, &place.text) {
        (Some(line), Some(text)) => format!(
            "{} {}\n",
            paint.paint(Role::Current, format!("▶{line:>5} │")),
            paint.fit(&printable(text), paint.width.saturating_sub(9))
        ),
        _ => String::new(),
    }
}

/// What the next instruction calls, and what else is known of the future.
fn ahead(place: &PlaceView, paint: &Paint) -> String {
    let mut text = String::new();
    if let Some(call) = &place.call {
        let _ = writeln!(
            text,
            "{} {}",
            paint.paint(Role::Dim, "about to call"),
            printable(call)
        );
    }
    let mut facts = Vec::new();
    if place.futures > 1 {
        facts.push(format!(
            "{} recorded",
            count(u64::from(place.futures), "future")
        ));
    }
    if place.device_elsewhere {
        facts.push("the device stands elsewhere".to_string());
    }
    if !facts.is_empty() {
        let _ = writeln!(text, "{}", paint.paint(Role::Dim, facts.join("; ")));
    }
    text
}

/// Source text under its file's name.
pub fn source(listing: &SourceListing, paint: &Paint) -> String {
    let mut text = format!("{}\n", paint.paint(Role::Place, printable(&listing.file)));
    text.push_str(&source_lines(listing, paint));
    text
}

/// `▶   21 ●│ text`: the mark of the place, the number, the mark of a breakpoint.
fn source_lines(listing: &SourceListing, paint: &Paint) -> String {
    let mut text = String::new();
    for line in &listing.lines {
        let number = margin(line.current, &format!("{:>5}", line.number), paint);
        let bar = bar(line.breakpoint, line.code, paint);
        let code = printable(&line.text).replace('\t', "    ");
        let code = paint.fit(&code, paint.width.saturating_sub(9));
        let row = format!("{number}{bar} {code}");
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text
}

/// What stands before a line of code: the mark of the place, and the line's number or offset.
pub(super) fn margin(is_here: bool, number: &str, paint: &Paint) -> String {
    match is_here {
        true => paint.paint(Role::Current, format!("▶{number} ")),
        false => paint.paint(Role::Dim, format!(" {number} ")),
    }
}

/// What stands between that and the line: the mark of a breakpoint, or else whether there is code.
pub(super) fn bar(has_breakpoint: bool, has_code: bool, paint: &Paint) -> String {
    match (has_breakpoint, has_code) {
        (true, _) => paint.paint(Role::Bad, "●"),
        (false, true) => "│".to_string(),
        (false, false) => paint.paint(Role::Dim, "┊"),
    }
}

/// Who wrote a value.
pub(super) fn written(written: &Written, paint: &Paint) -> String {
    let mut text = format!(
        "{} {} → {}\n",
        paint.paint(Role::Name, printable(&written.what)),
        printable(&written.before),
        paint.paint(Role::Changed, printable(&written.after)),
    );
    text.push_str(&place_line(&written.at, paint));
    text.push_str(&own_line(&written.at, paint));
    text.push_str(&ahead(&written.at, paint));
    text
}
