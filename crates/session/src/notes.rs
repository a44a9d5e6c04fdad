//! Notes and bookmarks.

use crate::entry::Moment;

/// What the user wrote on a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) name: Option<String>,
    pub(crate) text: String,
}

/// All notes, in the order of the multiverse.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    list: std::collections::BTreeMap<Moment, Note>,
}

impl Notes {
    pub(crate) fn all(&self) -> impl Iterator<Item = (Moment, &Note)> + '_ {
        self.list.iter().map(|(at, note)| (*at, note))
    }

    /// Writes or removes the text.
    pub(crate) fn write(&mut self, at: Moment, text: &str) {
        self.list.entry(at).or_default().text = text.to_owned();
        self.list
            .retain(|_, note| !note.text.is_empty() || note.name.is_some());
    }

    /// Names a moment; the name leaves the moment that had it before.
    pub(crate) fn name(&mut self, at: Moment, name: &str) {
        for note in self
            .list
            .values_mut()
            .filter(|note| note.name.as_deref() == Some(name))
        {
            note.name = None;
        }
        self.list.entry(at).or_default().name = Some(name.to_owned());
        self.list
            .retain(|_, note| !note.text.is_empty() || note.name.is_some());
    }

    pub(crate) fn named(&self, name: &str) -> Option<Moment> {
        self.all()
            .find(|(_, note)| note.name.as_deref() == Some(name))
            .map(|(at, _)| at)
    }

    pub(crate) fn restore(&mut self, at: Moment, note: Note) {
        self.list.insert(at, note);
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }
}
