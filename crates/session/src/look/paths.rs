//! The multiverse as text: the tree, and the path through it.

use borges_multiverse::tree::{Layout, Place, Words};

use crate::command::Observer;
use crate::command::Reply;
use crate::command::listing::{PathEntry, PathListing, SameAs, TreeListing};
use crate::error::CommandError;
use crate::history::entry::{Entry, EntryKind, Moment};
use crate::stage::Stage;
use crate::stage::{moment_of_id, universe_id};

pub(crate) fn tree(stage: &Stage, device: Option<Moment>, same: &[SameAs], rows: u32) -> Reply {
    let here = stage.history.here();
    let mut markers = vec![(here.place, here.steps, "here")];
    if let Some(device) = device.filter(|device| *device != here) {
        markers.push((device.place, device.steps, "device"));
    }
    let names: Vec<String> = same
        .iter()
        .map(|same| format!("as {}", same.other))
        .collect();
    for (same, name) in same.iter().zip(&names) {
        let at = moment_of_id(&stage.history, same.at);
        markers.extend(at.map(|at| (at.place, at.steps, name.as_str())));
    }
    let (tree, counts) = (stage.history.tree(), stage.history.counts());
    // How many went which way is said where ways part, and at the first entry.
    let parts = |at: Place| {
        let before = tree.parent(at);
        at.index == 1 || before.is_some_and(|before| tree.children(before).nth(1).is_some())
    };
    let label = |at: Place, entry: &Entry| {
        let text = stage.entry_text(entry);
        match tree.canonical(at).and_then(|at| counts.taken(at)) {
            Some(taken) if parts(at) => format!("{text} ×{taken}"),
            _ => text,
        }
    };
    let end = |end: &borges_multiverse::tree::End<String>| match end {
        borges_multiverse::tree::End::Open => String::new(),
        borges_multiverse::tree::End::Finished(text) if text.is_empty() => "finished".to_owned(),
        borges_multiverse::tree::End::Finished(text) => format!("finished: {text}"),
        borges_multiverse::tree::End::Trapped(text) => format!("trapped: {text}"),
    };
    let words = Words {
        label: &label,
        end: &end,
        markers: &markers,
    };
    let layout = Layout {
        rows: rows as usize,
        ..Layout::default()
    };
    let text = stage.history.tree().render_text(&words, &layout);
    Reply::Tree(TreeListing {
        lines: text.lines().map(str::to_owned).collect(),
        branches: stage.history.tree().branches().count() as u32,
        entries: stage.history.tree().entry_count(),
        recordings: counts.all(),
    })
}

pub(crate) fn path(
    stage: &mut Stage,
    around: u32,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let (here, tip) = (stage.history.here(), stage.history.tip());
    let index = here.place.index;
    let (first, last) = (
        index.saturating_sub(around),
        index.saturating_add(around).min(tip.place.index),
    );
    let from = stage
        .history
        .tree()
        .at_depth(tip.place, first)
        .unwrap_or(Place::ROOT);
    let to = stage
        .history
        .tree()
        .at_depth(tip.place, last)
        .unwrap_or(tip.place);
    let mut entries = Vec::new();
    let calls = stage.elsewhere(|stage| Ok(stage.history.calls_between(from, to, observer)?))?;
    for (place, entry, call) in calls {
        let text = match (&entry.kind, call) {
            (EntryKind::Input { value, bytes, .. }, Some(call)) => {
                let value = stage.yield_text(call.primitive, *value, bytes);
                format!("{} = {value}", stage.called_text(&call))
            }
            (EntryKind::Output { .. }, Some(call)) => stage.called_text(&call),
            _ => stage.entry_text(&entry),
        };
        let before = stage.history.tree().parent(place).unwrap_or(Place::ROOT);
        let kind = match entry.kind {
            EntryKind::Input { .. } => "input",
            EntryKind::Output { .. } => "output",
            EntryKind::Event(_) => "event",
        };
        entries.push(PathEntry {
            universe: universe_id(&stage.history, Moment::of(place, entry.step)),
            steps: entry.step_before(),
            kind: kind.to_owned(),
            text,
            mocked: matches!(entry.kind, EntryKind::Input { mocked: true, .. }),
            alternatives: (stage.history.tree().children(before).count() as u32).saturating_sub(1),
            next: before == here.place,
        });
    }
    let (before, after) = (u64::from(first), u64::from(tip.place.index - last));
    Ok(Reply::Path(PathListing {
        entries,
        before,
        after,
    }))
}
