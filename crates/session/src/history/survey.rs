//! Replays of a stretch of a path that somebody watches, and what they bring to light.

use borges_board::{Board, Captured, Event, Yield};
use borges_multiverse::tree::Place;
use borges_stub::{Asked, Call, Halt, encode_captured};

use super::entry::{Called, Entry, EntryKind};
use super::feeds::Replay;
use super::twin::{Before, Feed};
use super::{Divergence, History, SeekError, Stops};
use crate::command::{self, Flow, Observer};

/// An entry with the place after it and the call that it was, if it was one.
pub(crate) type PathCall = (Place, Entry, Option<Called>);

impl History {
    /// The entries between two places, each with the place after it and the call that it was.
    ///
    /// The twin is at `to` afterwards.
    pub(crate) fn calls_between(
        &mut self,
        from: Place,
        to: Place,
        observer: Observer<'_>,
    ) -> Result<Vec<PathCall>, SeekError> {
        let mut list = Vec::new();
        self.survey(from, to, observer, |board, place, entry, before| {
            let call = before.call.map(|call| Called {
                primitive: call.primitive,
                args: call.args.to_vec(),
                subject: before
                    .board
                    .call_subject(board, call.primitive, call.args, call.memory),
            });
            list.push((place, entry.clone(), call));
        })?;
        Ok(list)
    }

    /// Notes what an output captured when it was performed again.
    pub(crate) fn amend_captured(&mut self, place: Place, captured: Captured) {
        if self.replace_captured(place, captured) {
            self.doubt_after(place);
        }
    }

    /// Whether an output captured something else than `captured`.
    pub(super) fn captured_differs(&self, place: Place, captured: &Captured) -> bool {
        let old = self.tree.entry(place).map(|entry| &entry.kind);
        matches!(old, Some(EntryKind::Output { captured: old, .. }) if encode_captured(old) != encode_captured(captured))
    }

    /// Replaces what an output captured; whether that is something else than before.
    pub(super) fn replace_captured(&mut self, place: Place, captured: Captured) -> bool {
        let Some(mut entry) = self.tree.entry(place).cloned() else {
            return false;
        };
        let EntryKind::Output { captured: old, .. } = &mut entry.kind else {
            return false;
        };
        if encode_captured(old) == encode_captured(&captured) {
            return false;
        }
        *old = captured;
        self.tree.amend(place, entry);
        self.fresh.amended.extend(self.tree.canonical(place));
        // What was shown of the board after it is no longer what the board is like.
        self.forget_after(place);
        true
    }

    /// Replays from `from` to `to`, where the twin then stands, and shows each entry with what held before it.
    pub(crate) fn survey(
        &mut self,
        from: Place,
        to: Place,
        observer: Observer<'_>,
        visit: impl FnMut(&Board, Place, &Entry, &Before<'_>),
    ) -> Result<(), SeekError> {
        let lost = Divergence {
            steps: self.twin.steps(),
        };
        let (start, end) = (
            self.moment_of(from).ok_or(lost)?,
            self.moment_of(to).ok_or(lost)?,
        );
        self.seek(start, observer)?;
        let board = self.twin.program().board.clone();
        let path = self.tree.between(start.place, end.place).ok_or(lost)?;
        let stops = Stops::default();
        let replay = Replay::new(path, start.place, &stops, None, start);
        let mut surveyor = Surveyor {
            replay,
            board: &board,
            visit,
        };
        let (halt, paused) = loop {
            let until = end
                .steps
                .min(self.twin.steps().saturating_add(self.look_every));
            let halt = self.twin.run(&mut surveyor, until);
            if halt != Halt::Until || until == end.steps {
                break (halt, false);
            }
            let progress = command::Event::Progress {
                what: "replaying".to_owned(),
                done: until,
                total: Some(end.steps),
            };
            if observer(progress) == Flow::Pause {
                break (halt, true);
            }
        };
        let place = surveyor.replay.place();
        self.place = place;
        match halt {
            _ if paused => Err(SeekError::Paused),
            Halt::Until | Halt::Finished if place == end.place => Ok(()),
            _ => {
                let steps = self.twin.steps();
                Err(Divergence { steps }.into())
            }
        }
    }
}

/// A replay that somebody watches.
struct Surveyor<'a, V> {
    replay: Replay<'a>,
    board: &'a Board,
    visit: V,
}

impl<V: FnMut(&Board, Place, &Entry, &Before<'_>)> Feed for Surveyor<'_, V> {
    fn event_due(&self) -> Option<u64> {
        self.replay.event_due()
    }

    fn event(&mut self) -> Option<Event> {
        self.replay.event()
    }

    fn input(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<(Yield, bool)> {
        self.replay.input(call, asked)
    }

    fn captured(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<Captured> {
        self.replay.captured(call, asked)
    }

    fn happened(&mut self, entry: Entry, before: &Before<'_>) {
        self.replay.happened(entry.clone(), before);
        (self.visit)(self.board, self.replay.place(), &entry, before);
    }
}
