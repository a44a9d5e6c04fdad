//! Notes and bookmarks.

use std::collections::BTreeMap;

use crate::history::entry::Moment;

/// Something that the user wrote on a moment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Note {
    Text(String),
    /// A bookmark.
    Name(String),
}

/// What the user wrote on moments, and what they call them: a moment can have any number of names, a name is that of
/// one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    texts: BTreeMap<Moment, String>,
    names: BTreeMap<String, Moment>,
}

impl Notes {
    /// All of them, in the order of the multiverse: a moment's text, then its names.
    pub(super) fn all(&self) -> Vec<(Moment, Note)> {
        let texts = self.texts.iter();
        let texts = texts.map(|(at, text)| (*at, Note::Text(text.clone())));
        let names = self.names.iter();
        let names = names.map(|(name, at)| (*at, Note::Name(name.clone())));
        let mut all: Vec<(Moment, Note)> = texts.chain(names).collect();
        all.sort();
        all
    }

    /// Writes or removes the text.
    pub(super) fn write(&mut self, at: Moment, text: &str) {
        if text.is_empty() {
            self.texts.remove(&at);
        } else {
            self.texts.insert(at, text.to_owned());
        }
    }

    /// Names a moment; the name leaves the moment that had it before.
    pub(super) fn name(&mut self, at: Moment, name: &str) {
        self.names.insert(name.to_owned(), at);
    }

    pub(super) fn named(&self, name: &str) -> Option<Moment> {
        self.names.get(name).copied()
    }
}
