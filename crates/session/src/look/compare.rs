//! Questions about two moments: how they differ, and where a value was written.

use borges_board::BoardState;
use borges_multiverse::tree::Place;

use crate::command::Observer;
use crate::command::Reply;
use crate::command::listing::{PlaceView, UniverseDifference, Written};
use crate::command::unobserved;
use crate::error::CommandError;
use crate::history::Stops;
use crate::history::entry::Moment;
use crate::session::{Session, done};

impl Session {
    pub(crate) fn compare(
        &mut self,
        left: &str,
        right: &str,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let left_at = self.moment_named(left, observer)?;
        let right_at = self.moment_named(right, observer)?;
        let join = self
            .history
            .tree
            .join(left_at.place, right_at.place)
            .unwrap_or(Place::ROOT);
        let choice = |session: &Self, to: Place| {
            let mut path = session.history.tree.between(join, to)?;
            path.next().map(|(_, entry)| session.entry_text(entry))
        };
        let (left_choice, right_choice) =
            (choice(self, left_at.place), choice(self, right_at.place));
        let join_at = self.history.moment_of(join).unwrap_or(Moment::START);
        let (l, r, join) = self.elsewhere(|session| {
            let l = session.sight_of(left_at, observer)?;
            let r = session.sight_of(right_at, observer)?;
            session.history.seek(join_at, observer)?;
            Ok((l, r, session.view(join_at)))
        })?;
        let mut variables = Vec::new();
        for (name, value) in &l.variables {
            let other = r
                .variables
                .iter()
                .find(|(other, _)| other == name)
                .map_or("–", |(_, value)| value.as_str());
            if other != value {
                variables.push((name.clone(), value.clone(), other.to_owned()));
            }
        }
        let rows = l.board.len().max(r.board.len());
        let row = |lines: &[String], n: usize| lines.get(n).cloned().unwrap_or_default();
        let board = (0..rows)
            .map(|n| (row(&l.board, n), row(&r.board, n)))
            .filter(|(a, b)| a != b)
            .collect();
        let memory_bytes = l
            .memory
            .iter()
            .zip(&r.memory)
            .filter(|(a, b)| a != b)
            .count() as u64
            + l.memory.len().abs_diff(r.memory.len()) as u64;
        Ok(Reply::Difference(Box::new(UniverseDifference {
            left: l.view,
            right: r.view,
            join,
            left_choice,
            right_choice,
            variables,
            board,
            memory_bytes,
        })))
    }

    fn sight_of(&mut self, at: Moment, observer: Observer<'_>) -> Result<Sight, CommandError> {
        self.history.seek(at, observer)?;
        let scene = self.scene();
        let locals = scene.locals(0).unwrap_or_default().into_iter();
        let variables = locals
            .chain(scene.globals())
            .map(|variable| (variable.name, variable.value))
            .collect();
        let state: &BoardState = &self.history.twin.board;
        Ok(Sight {
            view: self.view(self.history.here()),
            variables,
            board: state.render(self.board()),
            memory: self.history.twin.machine.memory().to_vec(),
        })
    }

    /// Goes back to the last write of a place.
    pub(crate) fn who(
        &mut self,
        what: &str,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let here = self.history.hold();
        let found = self.writer_of(what, here, observer);
        let back = match &found {
            Ok(Reply::Written(_)) => Ok(()),
            // Nothing was found, or the search was paused: the view stays.
            _ => self.history.seek(here, &mut unobserved),
        };
        self.history.release();
        back?;
        found
    }

    fn writer_of(
        &mut self,
        what: &str,
        here: Moment,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let scene = self.scene();
        let watches = scene.watches(what, scene.own_frame())?;
        // Of a local, the call that it belongs to: so many frames deep.
        let local = watches.iter().find_map(|watch| match watch {
            borges_vm::Watch::Local { frame, .. } => Some(*frame as usize + 1),
            _ => None,
        });
        let stops = Stops {
            watches,
            ..Stops::default()
        };
        let mut back_to = self.looked_back_to(here, &stops);
        let found = self.last_write(&mut back_to, &stops, local, observer);
        if matches!(found, Err(CommandError::Paused)) {
            let far = self.search_paused(here, stops, back_to);
            let text = format!("paused: {far}, and nothing wrote '{what}' since");
            return Ok(done(&text));
        }
        let Some(written) = found? else {
            let text = format!(
                "'{what}' was not written before here: it has had its value since the start"
            );
            return Ok(done(&text));
        };
        let value = |session: &Self| session.scene().watched(what);
        self.history.seek(written, observer)?;
        let after = value(self);
        let before_write = self.history.before(written).unwrap_or(Moment::START);
        self.history.seek(before_write, observer)?;
        let before = value(self);
        let at = self.here();
        Ok(Reply::Written(Box::new(Written {
            what: what.to_owned(),
            at,
            before,
            after,
        })))
    }
}

/// What a comparison needs of one universe.
struct Sight {
    view: PlaceView,
    variables: Vec<(String, String)>,
    board: Vec<String>,
    memory: Vec<u8>,
}
