//! The multiverse as text: the tree, and the path through it.

use borges_board::PrimitiveId;
use borges_multiverse::tree::{Glyphs, Layout, Place, Words};

use super::universe_id;
use crate::command::Observer;
use crate::command::Reply;
use crate::command::listing::{PathEntry, PathListing, TreeListing};
use crate::error::CommandError;
use crate::history::entry::{Entry, EntryKind, Moment};
use crate::session::Session;
use crate::values::show;

impl Session {
    pub(super) fn tree(&self, rows: u32) -> Reply {
        let here = self.history.here();
        let mut markers = vec![(here.place, here.steps, "here")];
        if let Some(device) = self.device.as_ref().filter(|device| device.state != here) {
            markers.push((device.state.place, device.state.steps, "device"));
        }
        let label = |_: Place, entry: &Entry| self.entry_text(entry);
        let end = |end: &borges_multiverse::tree::End<String>| match end {
            borges_multiverse::tree::End::Open => String::new(),
            borges_multiverse::tree::End::Finished(text) if text.is_empty() => {
                "finished".to_owned()
            }
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
            glyphs: Glyphs::UNICODE,
            ..Layout::default()
        };
        let text = self.history.tree.render_text(&words, &layout);
        Reply::Tree(TreeListing {
            lines: text.lines().map(str::to_owned).collect(),
            branches: self.history.tree.branches().count() as u32,
            entries: self.history.tree.entry_count(),
        })
    }

    /// An entry in words, without the arguments that only a replay knows.
    pub(crate) fn entry_text(&self, entry: &Entry) -> String {
        let name = |id: PrimitiveId| {
            self.board()
                .primitive(id)
                .map_or("?", |primitive| &primitive.name)
        };
        match &entry.kind {
            EntryKind::Input {
                primitive,
                value,
                mocked,
            } => {
                let how = if *mocked { " (mocked)" } else { "" };
                format!("{} = {}{how}", name(*primitive), show(*value))
            }
            EntryKind::Output { primitive, .. } => name(*primitive).to_owned(),
            EntryKind::Event(event) => event_text(event),
        }
    }

    pub(crate) fn path(
        &mut self,
        around: u32,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let (here, tip) = (self.history.here(), self.history.tip());
        let index = here.place.index;
        let (first, last) = (
            index.saturating_sub(around),
            index.saturating_add(around).min(tip.place.index),
        );
        let from = self
            .history
            .tree
            .at_depth(tip.place, first)
            .unwrap_or(Place::ROOT);
        let to = self
            .history
            .tree
            .at_depth(tip.place, last)
            .unwrap_or(tip.place);
        let mut entries = Vec::new();
        let calls =
            self.elsewhere(|session| Ok(session.history.calls_between(from, to, observer)?))?;
        for (place, entry, call) in calls {
            let text = match (&entry.kind, call) {
                (EntryKind::Input { value, .. }, Some((id, args))) => {
                    format!("{} = {}", self.scene().call_text(id, &args), show(*value))
                }
                (EntryKind::Output { .. }, Some((id, args))) => self.scene().call_text(id, &args),
                _ => self.entry_text(&entry),
            };
            let before = self.history.tree.parent(place).unwrap_or(Place::ROOT);
            let kind = match entry.kind {
                EntryKind::Input { .. } => "input",
                EntryKind::Output { .. } => "output",
                EntryKind::Event(_) => "event",
            };
            entries.push(PathEntry {
                universe: universe_id(
                    &self.history,
                    Moment {
                        place,
                        steps: entry.step,
                    },
                ),
                steps: entry.step_before(),
                kind: kind.to_owned(),
                text,
                mocked: matches!(entry.kind, EntryKind::Input { mocked: true, .. }),
                alternatives: (self.history.tree.children(before).count() as u32).saturating_sub(1),
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
}

pub(crate) fn event_text(event: &borges_board::Event) -> String {
    match event.source {
        borges_board::EventSource::Pin(pin) => format!("interrupt of pin {pin}"),
        borges_board::EventSource::Timer => "timer".to_owned(),
    }
}
