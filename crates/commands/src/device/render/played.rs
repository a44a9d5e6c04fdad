//! Futures that were played out, universes at a glance, and values at each time that a place was passed.

use std::fmt::Write as _;

use borges_session::command::played::{
    DensityListing, HitsListing, LeafOutcome, LeafRow, LeavesListing, PlayedListing, PlayedRow,
};

use crate::paint::{Paint, Role, count, printable};

use super::multiverse::step;
use super::place::reason;

/// A line for each future.
pub(super) fn played(listing: &PlayedListing, paint: &Paint) -> String {
    let call = paint.name(&listing.call);
    let branches = count(listing.wanted.into(), "branch");
    let mut text = format!("{branches} at {call}, {} new\n", listing.added);
    for row in &listing.played {
        let PlayedRow {
            value,
            universe,
            steps,
            ..
        } = row;
        let set = row.set.as_ref().filter(|set| *set != value);
        let set = set.map_or(String::new(), |set| format!("  ({})", printable(set)));
        let end = reason(&row.end, paint);
        let (end, steps) = (end.trim_end(), step(*steps, paint));
        let gap = if end.is_empty() { "" } else { "  " };
        let _ = writeln!(
            text,
            "{:<8} {universe:<9} {steps}{gap}{end}{set}",
            printable(value)
        );
    }
    let left = listing.wanted as usize - listing.played.len().min(listing.wanted as usize);
    if left > 0 {
        let rest = format!(
            "paused: {} not played out, say it again\n",
            count(left as u64, "branch")
        );
        text.push_str(&paint.paint(Role::Warning, rest));
    }
    text
}

/// A line for each universe.
pub(super) fn leaves(listing: &LeavesListing, paint: &Paint) -> String {
    let mut text = String::new();
    for row in &listing.leaves {
        let LeafRow {
            universe, painted, ..
        } = row;
        let mark = match painted {
            Some(true) => "●",
            Some(false) => "○",
            None => " ",
        };
        let values = row.values.iter();
        let values = values.map(|value| value.as_deref().map_or("–".to_owned(), printable));
        let values = values.collect::<Vec<_>>().join("  ");
        let outcome = outcome(&row.outcome, paint);
        let line = format!("{mark} {universe:<9} {outcome:<9} {values}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if let Some(next) = listing.next {
        let rest = listing.all.saturating_sub(next);
        text.push_str(&paint.dim(format!("… {} more\n", count(rest.into(), "universe"))));
    }
    text
}

fn outcome(outcome: &LeafOutcome, paint: &Paint) -> String {
    match outcome {
        LeafOutcome::Open => "open".to_owned(),
        LeafOutcome::Limit { limit } => {
            paint.paint(Role::Bad, format!("limit {}", printable(limit)))
        }
        LeafOutcome::Finished { .. } => paint.paint(Role::Good, "finished"),
        LeafOutcome::Exited { code: 0 } => paint.paint(Role::Good, "exit 0"),
        LeafOutcome::Exited { code } => paint.paint(Role::Bad, format!("exit {code}")),
        LeafOutcome::Trapped { trap } => {
            paint.paint(Role::Bad, format!("trap: {}", printable(trap)))
        }
    }
}

/// A line for each time.
pub(super) fn hits(listing: &HitsListing, paint: &Paint) -> String {
    let HitsListing { place, hits, .. } = listing;
    if hits.is_empty() {
        return format!("{place} is not passed on this path\n");
    }
    let mut text = String::new();
    for row in hits {
        let time = paint.dim(format!("{} ms", row.clock_us / 1_000));
        let value = match row.ok {
            true => printable(&row.value),
            false => paint.dim(&row.value),
        };
        let (universe, steps) = (row.universe, step(row.steps, paint));
        let _ = writeln!(text, "{universe:<12} {steps}  {time}  {value}");
    }
    if listing.next.is_some() {
        text.push_str(&paint.dim("… more\n"));
    }
    text
}

/// How many there are of each kind.
pub(super) fn density(listing: &DensityListing) -> String {
    let sum = |row: &[u32]| row.iter().copied().map(u64::from).sum();
    let inputs = count(sum(&listing.inputs), "input");
    let outputs = count(sum(&listing.outputs), "output");
    let events = count(sum(&listing.events), "event");
    format!("{inputs}, {outputs}, {events} on this path\n")
}
