//! What is shown, in words: moments, entries, events.

use borges_board::{Payload, PrimitiveId, Yield, choice_text, replaced_before};
use borges_vm::Value;

use super::{Sight, Stage, universe_id};
use crate::command::listing::{EntryClass, EntryRow, PlaceView};
use crate::history::entry::{Called, Entry, EntryKind, Moment};
use crate::scene::Scene;
use crate::values::show_yield;

impl Sight<'_> {
    /// [`Stage::scene`].
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene {
            program: self.loaded.program(),
            info: self.loaded.info(),
            machine: &self.history.twin().machine,
        }
    }

    /// A moment with its place in the source; `device` is where one stands, if there is one. `at` must be where the twin
    /// stands for the call to be known.
    pub(crate) fn view(&self, at: Moment, device: Option<Moment>) -> PlaceView {
        let location = self.history.twin().machine.location();
        let offset = location.map(|location| location.offset);
        let scene = self.scene();
        let frame = scene.own_frame();
        let shown = scene.shown_frame();
        let place = shown.as_ref().and_then(|shown| shown.place);
        let file = place.and_then(|place| self.loaded.info().file(place.file));
        let text = file
            .zip(place)
            .and_then(|(file, place)| file.line(place.line));
        PlaceView {
            universe: universe_id(self.history, at),
            steps: at.steps,
            frame,
            function: shown.map(|shown| shown.function),
            file: file.map(|file| file.path.clone()),
            line: place.map(|place| place.line),
            text: text.map(|text| text.trim_end().to_owned()),
            offset: offset.map(|offset| offset.0),
            call: self.pending_call(),
            device_elsewhere: device.is_some_and(|device| device != at),
            futures: self.history.tree().children(at.place).count() as u32,
        }
    }

    /// What an input yielded, as text: an error of an operating system by its name.
    pub(crate) fn yield_text(&self, id: PrimitiveId, value: Value, bytes: &Payload) -> String {
        let yielded = Yield {
            value,
            bytes: bytes.clone(),
        };
        if let Some((files, then)) = replaced_before(&yielded) {
            let came = then.map(|then| self.yield_text(id, then.value, &then.bytes));
            let came = came.unwrap_or_else(|| "ok".to_owned());
            return format!("{came}, after {} was replaced", files.join(", "));
        }
        let is_choice = self.loaded.board().system_function(id).is_some();
        match choice_text(&yielded).filter(|_| is_choice) {
            Some(text) => text.to_owned(),
            None => show_yield(value, bytes),
        }
    }

    /// A call, with what it is about.
    pub(crate) fn called_text(&self, call: &Called) -> String {
        let text = self.scene().call_text(call.primitive, &call.args);
        match &call.subject {
            Some(subject) => format!("{text} on {subject}"),
            None => text,
        }
    }

    /// The call that is about to happen.
    pub(crate) fn pending_call(&self) -> Option<String> {
        let machine = &self.history.twin().machine;
        let call = machine.pending()?;
        let primitive = self.loaded.program().primitive(call.func.0)?;
        let board = &self.history.twin().board;
        let subject =
            board.call_subject(self.loaded.board(), primitive, &call.args, machine.memory());
        Some(self.called_text(&Called {
            primitive,
            args: call.args,
            subject,
        }))
    }

    /// An entry with the call that it was, if that is known.
    pub(crate) fn row(&self, entry: &Entry, call: Option<&Called>) -> EntryRow {
        let named = |id: PrimitiveId| match call {
            Some(call) => self.called_text(call),
            None => self.primitive_name(id),
        };
        let (kind, call, value, mocked) = match &entry.kind {
            EntryKind::Input {
                primitive,
                value,
                bytes,
                mocked,
            } => (
                EntryClass::Input,
                named(*primitive),
                Some(self.yield_text(*primitive, *value, bytes)),
                *mocked,
            ),
            EntryKind::Output { primitive, .. } => {
                (EntryClass::Output, named(*primitive), None, false)
            }
            EntryKind::Event(event) => (EntryClass::Event, event_text(event), None, false),
        };
        EntryRow {
            kind,
            steps: entry.step_before(),
            call,
            value,
            mocked,
        }
    }

    /// What a primitive is called.
    pub(crate) fn primitive_name(&self, id: PrimitiveId) -> String {
        self.loaded
            .board()
            .primitive(id)
            .map_or_else(|| "?".to_owned(), |primitive| primitive.name.to_string())
    }
}

impl Stage {
    /// [`Sight::view`].
    pub(crate) fn view(&self, at: Moment, device: Option<Moment>) -> PlaceView {
        self.sight().view(at, device)
    }

    /// [`Sight::yield_text`].
    pub(crate) fn yield_text(&self, id: PrimitiveId, value: Value, bytes: &Payload) -> String {
        self.sight().yield_text(id, value, bytes)
    }

    /// An entry in words, without the arguments that only a replay knows.
    pub(crate) fn entry_text(&self, entry: &Entry) -> String {
        match &entry.kind {
            EntryKind::Input {
                primitive,
                value,
                bytes,
                mocked,
            } => {
                let how = if *mocked { " (mocked)" } else { "" };
                let name = self.primitive_name(*primitive);
                format!(
                    "{name} = {}{how}",
                    self.yield_text(*primitive, *value, bytes)
                )
            }
            EntryKind::Output { primitive, .. } => self.primitive_name(*primitive),
            EntryKind::Event(event) => event_text(event),
        }
    }

    /// [`Sight::called_text`].
    pub(crate) fn called_text(&self, call: &Called) -> String {
        self.sight().called_text(call)
    }

    /// [`Sight::pending_call`].
    pub(crate) fn pending_call(&self) -> Option<String> {
        self.sight().pending_call()
    }

    /// [`Sight::row`].
    pub(crate) fn row(&self, entry: &Entry, call: Option<&Called>) -> EntryRow {
        self.sight().row(entry, call)
    }

    /// [`Sight::primitive_name`].
    pub(crate) fn primitive_name(&self, id: PrimitiveId) -> String {
        self.sight().primitive_name(id)
    }
}

pub(crate) fn event_text(event: &borges_board::Event) -> String {
    match event.source {
        borges_board::EventSource::Pin(pin) => format!("interrupt of pin {pin}"),
        borges_board::EventSource::Timer => "timer".to_owned(),
    }
}
