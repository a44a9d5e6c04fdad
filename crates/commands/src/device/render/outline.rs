//! Inputs, entries and courses of variables.

use std::fmt::Write as _;

use borges_session::listing::{
    BranchEnd, EntryListing, FoundListing, InputListing, MultiverseListing, SeriesListing,
};

use crate::paint::{Paint, Role, count, grouped, printable};

/// What the program can read, one input a line.
pub(super) fn inputs(inputs: &[InputListing], paint: &Paint) -> String {
    if inputs.is_empty() {
        return "the program reads no inputs\n".to_owned();
    }
    let mut text = String::new();
    for input in inputs {
        let next = if input.next { "▶" } else { " " };
        let last = input.last.as_ref().map(|last| format!(", last {last}"));
        let mock = input.mock.as_ref().map(|_| ", mocked");
        let _ = writeln!(
            text,
            "{next} {}  {}{}{}",
            paint.paint(Role::Name, printable(&input.call)),
            printable(&input.codomain),
            last.unwrap_or_default(),
            mock.unwrap_or_default()
        );
    }
    text
}

/// Branches, one a line.
pub(super) fn branches(listing: &MultiverseListing) -> String {
    let mut text = String::new();
    for row in &listing.branches {
        let end = match row.end {
            BranchEnd::Open => "open",
            BranchEnd::Finished => "finished",
            BranchEnd::Trapped => "trapped",
        };
        let _ = writeln!(
            text,
            "{}  {} entries, from {}.{}, {end} at step {}",
            row.branch,
            row.tip - row.fork,
            row.parent,
            row.fork,
            row.reached
        );
    }
    text
}

/// Entries of a branch, one a line.
pub(super) fn entries(listing: &EntryListing, paint: &Paint) -> String {
    let mut text = String::new();
    for (n, row) in listing.entries.iter().enumerate() {
        let value = row.value.as_ref().map(|value| format!(" = {value}"));
        let place = format!("{}.{}", listing.branch, listing.from as usize + n + 1);
        let _ = writeln!(
            text,
            "{}  step {}  {}{}",
            paint.paint(Role::Dim, place),
            row.steps,
            printable(&row.call),
            value.unwrap_or_default()
        );
    }
    text
}

/// A line for each universe that was found.
pub(super) fn found(listing: &FoundListing, paint: &Paint) -> String {
    let mut text = String::new();
    for row in &listing.found {
        let steps = paint.paint(Role::Dim, format!("step {}", grouped(row.steps)));
        let place = row.universe;
        let _ = writeln!(text, "{place:<9} {}  {steps}", printable(&row.text));
    }
    let more = listing.all - listing.found.len() as u64;
    let last = match (more, listing.complete) {
        (0, true) if listing.all == 0 => "nothing in the multiverse mentions it\n".to_owned(),
        (0, true) => return text,
        (0, false) => "paused before all was looked through\n".to_owned(),
        (more, true) => format!("… {} more\n", count(more, "universe")),
        (more, false) => format!("… {} more so far, then paused\n", count(more, "universe")),
    };
    text.push_str(&paint.paint(Role::Dim, last));
    text
}

/// Values of a course that are few enough to be written out.
const FEW_VALUES: usize = 16;
/// Bars of a line at the most.
const BARS_PER_LINE: usize = 60;

/// One line of bars for each expression: a bar for each value in turn, a space for a gap.
pub(super) fn series(listing: &SeriesListing, paint: &Paint) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let mut text = String::new();
    for curve in &listing.curves {
        let known: Vec<f64> = curve.values.iter().flatten().copied().collect();
        let low = known.iter().copied().fold(f64::INFINITY, f64::min);
        let high = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let bar = |value: &Option<f64>| match value {
            None => ' ',
            Some(value) => {
                let part = (value - low) / (high - low).max(f64::MIN_POSITIVE);
                BARS[((part * 7.0).round() as usize).min(7)]
            }
        };
        let stretch = curve.values.len().div_ceil(BARS_PER_LINE).max(1);
        // Of values that share a bar, the last is shown.
        let shown = curve
            .values
            .chunks(stretch)
            .filter_map(|values| values.last());
        let bars: String = shown.map(bar).collect();
        let words = match known.len() {
            0 => curve
                .why
                .as_ref()
                .map_or("no numbers".to_owned(), |why| format!("no numbers: {why}")),
            1..=FEW_VALUES => {
                let values: Vec<String> = known.iter().map(ToString::to_string).collect();
                values.join(", ")
            }
            many => format!("{low}..{high}, {}", count(many as u64, "value")),
        };
        let _ = writeln!(
            text,
            "{}  {}",
            bars.trim_end(),
            paint.paint(Role::Dim, words)
        );
    }
    if !listing.complete {
        let part = "only a part of the path was looked at; no value is shown elsewhere\n";
        text.push_str(&paint.paint(Role::Dim, part));
    }
    text
}
