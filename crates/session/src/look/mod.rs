//! Commands that look or set something without moving anything.

mod code;
mod compare;
pub(crate) mod course;
mod find;
mod layout;
pub(crate) mod moments;
mod outline;
mod paths;
mod places;
mod state;

pub(crate) use paths::event_text;

use borges_multiverse::tree::{BranchId, Place};

use crate::command::Observer;
use crate::command::listing::{BoardListing, NoteListing, PlaceView};
use crate::command::{Look, Reply, UniverseId};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::record::notes::Note;
use crate::session::Session;

impl Session {
    /// Looks. The view may go elsewhere for it, and comes back.
    pub(crate) fn answer(
        &mut self,
        look: Look,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        match look {
            Look::Print { expression, frame } => {
                let (value, type_name) = self.scene().print(&expression, frame)?;
                Ok(Reply::Value {
                    expression,
                    value,
                    type_name,
                })
            }
            Look::Variables { frame } => self.variables(frame),
            Look::Stack => Ok(Reply::Stack(self.scene().stack())),
            Look::Memory { address, length } => self.memory(&address, length),
            Look::Examine { layout, address } => self.examine(&layout, &address),
            Look::List { place, around } => self.source(place.as_ref(), around),
            Look::Disassemble { place, around } => self.disassemble(place.as_ref(), around),
            Look::Functions { containing } => Ok(self.functions(&containing)),
            Look::Tree { lines } => Ok(self.tree(lines)),
            Look::Mocks => Ok(Reply::Mocks {
                mocks: self.mock_listings(),
            }),
            Look::Breakpoints => {
                let breakpoints = self
                    .breakpoints
                    .list()
                    .iter()
                    .map(|breakpoint| breakpoint.listing())
                    .collect();
                Ok(Reply::Breakpoints { breakpoints })
            }
            Look::Board => {
                let (board, state) = (self.board(), &self.history.twin.board);
                let view = state.view(board, 20);
                let data = serde_json::to_value(&view).unwrap_or_default();
                Ok(Reply::Board(BoardListing {
                    lines: view.lines(),
                    board: data,
                }))
            }
            Look::Console => {
                let text = self
                    .history
                    .twin
                    .board
                    .console()
                    .map(|console| console.bytes())
                    .unwrap_or_default();
                Ok(Reply::Console {
                    text: String::from_utf8_lossy(&text).into_owned(),
                })
            }
            Look::Info => Ok(Reply::Info(Box::new(self.facts()))),
            Look::Notes => {
                let listing = |(at, note): (Moment, Note)| {
                    let (name, text) = match note {
                        Note::Text(text) => (None, text),
                        Note::Name(name) => (Some(name), String::new()),
                    };
                    NoteListing {
                        universe: universe_id(&self.history, at),
                        steps: at.steps,
                        name,
                        text,
                    }
                };
                Ok(Reply::Notes {
                    notes: self.notes.all().into_iter().map(listing).collect(),
                })
            }
            Look::Moment => {
                let here = self.history.here();
                let universe = universe_id(&self.history, here);
                Ok(Reply::Moment {
                    moment: self.moment_text(here),
                    universe,
                })
            }
            Look::Compare { left, right } => self.compare(&left, &right, observer),
            Look::Query { sql } => self.query(&sql, observer),
            Look::Multiverse => Ok(self.multiverse()),
            Look::Entries {
                branch,
                from,
                count,
                calls,
            } => self.entries(branch, from, count, calls, observer),
            Look::Find { text, most } => self.find(&text, most, observer),
            Look::Calls { universes } => self.calls(&universes, observer),
            Look::Inputs => Ok(self.inputs()),
            Look::Path { around } => self.path(around, observer),
            Look::Series {
                expressions,
                samples,
            } => self.series(&expressions, samples, observer),
            Look::Suggest { question, within } => self.suggest(question, within, observer),
        }
    }

    /// A moment with its place in the source. `at` must be where the twin stands for the call to be known.
    pub(crate) fn view(&self, at: Moment) -> PlaceView {
        let location = self.history.twin.machine.location();
        let offset = location.map(|location| location.offset);
        let scene = self.scene();
        let frame = scene.own_frame();
        let shown = scene.shown_frame();
        let place = shown.as_ref().and_then(|shown| shown.place);
        let file = place.and_then(|place| self.info.file(place.file));
        let text = file
            .zip(place)
            .and_then(|(file, place)| file.line(place.line));
        let device = self.device.as_ref();
        PlaceView {
            universe: universe_id(&self.history, at),
            steps: at.steps,
            frame,
            function: shown.map(|shown| shown.function),
            file: file.map(|file| file.path.clone()),
            line: place.map(|place| place.line),
            text: text.map(|text| text.trim_end().to_owned()),
            offset: offset.map(|offset| offset.0),
            call: self.scene().pending_call(),
            device_elsewhere: device.is_some_and(|device| device.state != at),
            futures: self.history.tree.children(at.place).count() as u32,
        }
    }
}

/// The number of a moment in this session.
pub(crate) fn universe_id(history: &crate::history::History, at: Moment) -> UniverseId {
    let since = history.tree.step_of(at.place).unwrap_or(0);
    UniverseId {
        branch: at.place.branch.0,
        index: at.place.index,
        offset: at.steps.saturating_sub(since),
    }
}

/// The moment that a number names.
pub(crate) fn moment_of_id(history: &crate::history::History, id: UniverseId) -> Option<Moment> {
    let place = history.tree.canonical(Place {
        branch: BranchId(id.branch),
        index: id.index,
    })?;
    let steps = history.tree.step_of(place)?.checked_add(id.offset)?;
    Some(Moment { place, steps })
}
