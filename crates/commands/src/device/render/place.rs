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
        let frame = stop.at.frame;
        let inner = "is shown, of your own code; 'stack' lists those that it called";
        let _ = writeln!(text, "{}", paint.dim(format!("frame {frame} {inner}")));
    }
    text
}

/// Why the program stands there; nothing where it came to what was wanted.
pub(super) fn reason(reason: &StopReason, paint: &Paint) -> String {
    let role = match reason {
        StopReason::Finished { .. } => Role::Good,
        StopReason::Trapped { .. } | StopReason::Limit { .. } => Role::Bad,
        StopReason::NotFound | StopReason::Bound => Role::Warning,
        _ => Role::Heading,
    };
    let words = match reason {
        StopReason::Done => return String::new(),
        StopReason::Breakpoint { id } => &format!("breakpoint {id}"),
        StopReason::Finished { results } => {
            let how = match results.first() {
                Some(_) if results.iter().any(|text| text.starts_with("exit")) => "ended with ",
                Some(_) => "returned ",
                None => "returned",
            };
            &format!("the program {how}{}", results.join(", "))
        }
        StopReason::Trapped { trap } => &format!("trap: {trap}"),
        StopReason::Limit { limit } => &format!("limit {limit}"),
        StopReason::Paused => "paused",
        StopReason::Start => "the start of the program: nothing lies before it",
        StopReason::Tip => "the end of what is recorded here; the next step forward is live",
        StopReason::NotFound => "not found on this path; the view has not moved",
        StopReason::Bound => {
            "paused, because this run has recorded as much as one run may; continue goes on"
        }
    };
    format!("{}\n", paint.paint(role, words))
}

/// `color-dial.ts:21`, or else the offset of an instruction.
pub fn at(file: &Option<String>, line: Option<u32>, offset: Option<u32>) -> String {
    match (file, line, offset) {
        (Some(file), Some(line), _) => format!("{}:{line}", printable(file)),
        (_, _, Some(offset)) => format!("@{offset:#x}"),
        _ => "the end".to_string(),
    }
}

/// The same of a place, with its function.
pub(super) fn code_of(place: &PlaceView) -> String {
    let at = at(&place.file, place.line, place.offset);
    match &place.function {
        Some(function) => format!("{at} in {}", printable(function)),
        None => at,
    }
}

/// `color-dial.ts:21 in turnTo          universe 0.3+12, step 1,204`.
pub fn place_line(place: &PlaceView, paint: &Paint) -> String {
    let left = code_of(place);
    let right = format!("universe {}, step {}", place.universe, grouped(place.steps));
    let columns = left.chars().count() + right.chars().count();
    let gap = match columns + 2 <= paint.width {
        true => " ".repeat(paint.width - columns),
        false => "\n  ".to_string(),
    };
    format!("{}{gap}{}\n", paint.place(left), paint.dim(right))
}

/// The line of the place itself, where no listing is at hand.
fn own_line(place: &PlaceView, paint: &Paint) -> String {
    let (Some(line), Some(text)) = (place.line, &place.text) else {
        return String::new();
    };
    let number = paint.current(format!("▶{line:>5} │"));
    let text = paint.fit(text, paint.width.saturating_sub(9));
    format!("{number} {text}\n")
}

/// What the next instruction calls, and what else is known of the future.
fn ahead(place: &PlaceView, paint: &Paint) -> String {
    let mut text = String::new();
    if let Some(call) = &place.call {
        let about = paint.dim("about to call");
        let _ = writeln!(text, "{about} {}", printable(call));
    }
    let mut facts = Vec::new();
    if place.futures > 1 {
        let futures = count(u64::from(place.futures), "future");
        facts.push(format!("{futures} recorded"));
    }
    if place.device_elsewhere {
        facts.push("the device stands elsewhere".to_string());
    }
    if !facts.is_empty() {
        let _ = writeln!(text, "{}", paint.dim(facts.join("; ")));
    }
    text
}

/// Source text under its file's name.
pub fn source(listing: &SourceListing, paint: &Paint) -> String {
    let mut text = format!("{}\n", paint.place(&listing.file));
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
        true => paint.current(format!("▶{number} ")),
        false => paint.dim(format!(" {number} ")),
    }
}

/// What stands between that and the line: the mark of a breakpoint, or else whether there is code.
pub(super) fn bar(has_breakpoint: bool, has_code: bool, paint: &Paint) -> String {
    match (has_breakpoint, has_code) {
        (true, _) => paint.bad("●"),
        (false, true) => "│".to_string(),
        (false, false) => paint.dim("┊"),
    }
}

/// Who wrote a value.
pub(super) fn written(written: &Written, paint: &Paint) -> String {
    let (what, before) = (paint.name(&written.what), printable(&written.before));
    let mut text = format!("{what} {before} → {}\n", paint.changed(&written.after));
    text.push_str(&place_line(&written.at, paint));
    text.push_str(&own_line(&written.at, paint));
    text.push_str(&ahead(&written.at, paint));
    text
}
