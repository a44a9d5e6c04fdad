//! Inputs, entries and courses of variables.

use std::fmt::Write as _;

use borges_session::listing::{
    BranchEnd, BranchListing, EntryListing, EntryRow, FoundListing, InputListing,
    MultiverseListing, SeriesListing,
};

use crate::paint::{Paint, count, listed, printable};

use super::multiverse::step;

/// What the program can read, one input a line.
pub(super) fn inputs(inputs: &[InputListing], paint: &Paint) -> String {
    listed(inputs, "the program reads no inputs", |input| {
        let next = if input.next { "▶" } else { " " };
        let last = input.last.as_ref().map(|last| format!(", last {last}"));
        let last = last.unwrap_or_default();
        let mock = input.mock.as_ref().map_or("", |_| ", mocked");
        let (call, codomain) = (paint.name(&input.call), printable(&input.codomain));
        format!("{next} {call}  {codomain}{last}{mock}")
    })
}

/// Branches, one a line.
pub(super) fn branches(listing: &MultiverseListing) -> String {
    let line = |row: &BranchListing| {
        let end = match row.end {
            BranchEnd::Open => "open",
            BranchEnd::Finished => "finished",
            BranchEnd::Trapped => "trapped",
        };
        let (branch, parent, fork) = (row.branch, row.parent, row.fork);
        let entries = format!("{} entries, from {parent}.{fork}", row.tip - fork);
        format!("{branch}  {entries}, {end} at step {}\n", row.reached)
    };
    listing.branches.iter().map(line).collect()
}

/// Entries of a branch, one a line.
pub(super) fn entries(listing: &EntryListing, paint: &Paint) -> String {
    let line = |(index, row): (usize, &EntryRow)| {
        let value = row.value.as_ref().map(|value| format!(" = {value}"));
        let value = value.unwrap_or_default();
        let place = paint.dim(format!("{}.{index}", listing.branch));
        let call = printable(&row.call);
        format!("{place}  step {}  {call}{value}\n", row.steps)
    };
    (listing.from as usize + 1..)
        .zip(&listing.entries)
        .map(line)
        .collect()
}

/// A line for each universe that was found.
pub(super) fn found(listing: &FoundListing, paint: &Paint) -> String {
    let mut text = String::new();
    for row in &listing.found {
        let steps = step(row.steps, paint);
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
    text.push_str(&paint.dim(last));
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
        let shown = curve.values.chunks(stretch);
        let shown = shown.filter_map(|values| values.last());
        let bars: String = shown.map(bar).collect();
        let why = || curve.why.as_ref().map(|why| format!(": {why}"));
        let words = match known.len() {
            0 => format!("no numbers{}", why().unwrap_or_default()),
            1..=FEW_VALUES => {
                let values: Vec<String> = known.iter().map(ToString::to_string).collect();
                values.join(", ")
            }
            many => format!("{low}..{high}, {}", count(many as u64, "value")),
        };
        let _ = writeln!(text, "{}  {}", bars.trim_end(), paint.dim(words));
    }
    if !listing.complete {
        let part = "only a part of the path was looked at; no value is shown elsewhere\n";
        text.push_str(&paint.dim(part));
    }
    text
}
