//! What an expression was, each time that a place was passed: a log message for a path that was recorded without it. And
//! how densely entries lie on the path.

use borges_vm::CodeOffset;

use crate::command::listing::EntryClass;
use crate::command::played::{DensityListing, HitRow, HitsListing};
use crate::command::{CodePlace, Flow, Observer, Reply};
use crate::error::CommandError;
use crate::history::entry::{EntryKind, Moment};
use crate::history::{Found, SeekError, Stops};
use crate::stage::{Stage, universe_id};

/// Hits in one answer.
const MOST_HITS: u32 = 10_000;
/// Stretches in one answer.
const MOST_STRETCHES: u32 = 8_192;
/// Entries between two looks at whether to go on.
const BETWEEN_LOOKS: u64 = 65_536;

/// The hits from a step on; of many, the first.
pub(crate) fn hits(
    stage: &mut Stage,
    place: &CodePlace,
    expression: &str,
    (from, most): (u64, u32),
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let (offsets, words) = stage.resolve(place)?;
    // A name that means something nowhere there is refused before anything is replayed.
    stage
        .scene()
        .check_log(&format!("{{{expression}}}"), &offsets)?;
    let mut listing = HitsListing {
        place: words,
        expression: expression.to_owned(),
        hits: Vec::new(),
        next: None,
    };
    let most = most.clamp(1, MOST_HITS) as usize;
    stage.elsewhere(|stage| collect(stage, &offsets, (from, most), &mut listing, observer))?;
    Ok(Reply::Hits(listing))
}

fn collect(
    stage: &mut Stage,
    offsets: &[CodeOffset],
    (from, most): (u64, usize),
    listing: &mut HitsListing,
    observer: Observer<'_>,
) -> Result<(), CommandError> {
    let tip = stage.history.tip();
    let Some(place) = stage.history.tree().at_step(tip.place, from.min(tip.steps)) else {
        return Ok(());
    };
    let stops = Stops {
        code: offsets.to_vec(),
        ..Stops::default()
    };
    let mut from = Moment::of(place, from.min(tip.steps));
    match stage.history.seek(from, observer) {
        Err(SeekError::Paused) => {
            listing.next = Some(from.steps);
            return Ok(());
        }
        sought => sought?,
    }
    let mut found = stage.history.stop_here(&stops);
    loop {
        if found.is_some() {
            if listing.hits.len() == most {
                listing.next = Some(stage.history.here().steps);
                return Ok(());
            }
            let row = hit(stage, &listing.expression);
            listing.hits.push(row);
            from = stage.history.here();
            if listing.hits.len().is_multiple_of(256)
                && observer(stage.progress("looking at hits")) == Flow::Pause
            {
                listing.next = Some(from.steps + 1);
                return Ok(());
            }
        }
        if stage.history.here() == tip {
            return Ok(());
        }
        found = match stage.history.walk(tip, &stops, None, observer) {
            Ok(Found::Code(offset)) => Some(Found::Code(offset)),
            // The walk ends before it looks at the instruction there.
            Ok(_) => stage
                .history
                .stop_here(&stops)
                .filter(|_| stage.history.here() != from),
            Err(SeekError::Paused) => {
                listing.next = Some(stage.history.here().steps);
                return Ok(());
            }
            Err(SeekError::Diverged(divergence)) => return Err(divergence.into()),
        };
        if found.is_none() {
            return Ok(());
        }
    }
}

fn hit(stage: &Stage, expression: &str) -> HitRow {
    let here = stage.history.here();
    let value = stage.scene().print(expression, 0);
    HitRow {
        universe: universe_id(&stage.history, here),
        steps: here.steps,
        clock_us: stage.history.twin().clock_us(),
        ok: value.is_ok(),
        value: value.map_or_else(|error| error.to_string(), |(value, _)| value),
    }
}

/// How many entries lie in each of so many stretches of the current path.
pub(crate) fn density(
    stage: &Stage,
    stretches: u32,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let tip = stage.history.tip();
    let stretches = stretches.clamp(1, MOST_STRETCHES) as usize;
    let mut listing = DensityListing::empty(tip.steps.saturating_add(1), stretches);
    let path = stage.history.tree().path(tip.place).into_iter().flatten();
    for (nth, (_, entry)) in (1_u64..).zip(path) {
        let class = match &entry.kind {
            EntryKind::Input { .. } => EntryClass::Input,
            EntryKind::Output { .. } => EntryClass::Output,
            EntryKind::Event(_) => EntryClass::Event,
        };
        listing.count(entry.step_before(), class);
        if nth.is_multiple_of(BETWEEN_LOOKS) && observer(stage.progress("counting")) == Flow::Pause
        {
            return Err(CommandError::Paused);
        }
    }
    Ok(Reply::Density(listing))
}
