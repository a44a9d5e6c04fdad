//! Commands that look or set something without moving anything.

mod code;
mod compare;
mod layout;
mod paths;
mod places;
mod state;

pub(crate) use paths::event_text;

use borges_multiverse::tree::{BranchId, Place};

use crate::command::{Command, Reply, UniverseId};
use crate::entry::Moment;
use crate::error::CommandError;
use crate::listing::{BoardListing, NoteListing, PlaceView};
use crate::notes::Note;
use crate::session::{Session, done};

impl Session {
    /// Commands that only look.
    pub(crate) fn list(&mut self, command: Command) -> Result<Reply, CommandError> {
        match command {
            Command::Print { expression, frame } => {
                let (value, type_name) = self.look().print(&expression, frame)?;
                Ok(Reply::Value {
                    expression,
                    value,
                    type_name,
                })
            }
            Command::Variables { frame } => self.variables(frame),
            Command::Stack => Ok(Reply::Stack(self.look().stack())),
            Command::Memory { address, length } => self.memory(&address, length),
            Command::Examine { layout, address } => self.examine(&layout, &address),
            Command::List { place, around } => self.source(place.as_ref(), around),
            Command::Disassemble { place, around } => self.disassemble(place.as_ref(), around),
            Command::Functions { containing } => Ok(self.functions(&containing)),
            Command::Tree { lines } => Ok(self.tree(lines)),
            Command::Mocks => Ok(Reply::Mocks {
                mocks: self.mock_listings(),
            }),
            Command::Breakpoints => {
                let breakpoints = self
                    .breakpoints
                    .list()
                    .iter()
                    .map(|breakpoint| breakpoint.listing())
                    .collect();
                Ok(Reply::Breakpoints { breakpoints })
            }
            Command::Board => {
                let (board, state) = (self.board(), &self.history.twin.board);
                let view = state.view(board, 20);
                let data = serde_json::to_value(&view).unwrap_or_default();
                Ok(Reply::Board(BoardListing {
                    lines: view.lines(),
                    board: data,
                }))
            }
            Command::Console => {
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
            Command::Info => Ok(Reply::Info(Box::new(self.facts()))),
            Command::Note { text } => {
                self.notes.write(self.history.here(), &text);
                Ok(done(if text.is_empty() {
                    "the note is gone"
                } else {
                    "noted"
                }))
            }
            Command::Bookmark { name } => {
                self.notes.name(self.history.here(), &name);
                Ok(done(&format!("'jump {name}' comes back here")))
            }
            Command::Notes => {
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
            Command::Moment => {
                let here = self.history.here();
                let universe = universe_id(&self.history, here);
                Ok(Reply::Moment {
                    moment: self.moment_text(here),
                    universe,
                })
            }
            _ => Err(CommandError::Invalid(
                "this command does not list anything".to_owned(),
            )),
        }
    }

    /// A moment with its place in the source. `at` must be where the twin stands for the call to be known.
    pub(crate) fn view(&self, at: Moment) -> PlaceView {
        let location = self.history.twin.machine.location();
        let offset = location.map(|location| location.offset);
        let look = self.look();
        let frame = look.own_frame();
        let shown = look.shown_frame();
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
            call: self.look().pending_call(),
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
