//! The texts that an editor shows.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use borges_languages::model::{Dialect, language};
use borges_languages::text::{Gloss, Lexeme};
use borges_multiverse::language::Span;
use lsp_types::{Location, Position, Range, TextDocumentContentChangeEvent, Uri};

use crate::lines::Lines;

/// The longest text that is looked at, in bytes: it is read after every change, while somebody types.
pub(crate) const MOST_TEXT: usize = 1 << 20;
/// The most documents at a time.
pub(crate) const MOST_DOCUMENTS: usize = 1_000;

/// What editors call the languages, where it is not as files of theirs end.
const IDS: [(&str, &str); 5] = [
    ("borges-actors", "at"),
    ("ambienttalk", "at"),
    ("borges-oz", "oz"),
    ("borges-amb", "amb"),
    ("lambda-amb", "amb"),
];

/// A document of a model language.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) text: String,
    pub(crate) lines: Lines,
    gloss: OnceCell<Option<Gloss>>,
}

/// The documents that are open.
#[derive(Debug, Default)]
pub(crate) struct Documents(BTreeMap<String, Document>);

impl Documents {
    pub(crate) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.0.get(uri.as_str())
    }

    pub(crate) fn get_mut(&mut self, uri: &Uri) -> Option<&mut Document> {
        self.0.get_mut(uri.as_str())
    }

    /// Whether there is room for it.
    pub(crate) fn open(&mut self, document: Document) -> bool {
        let key = document.uri.as_str().to_owned();
        let has_room = self.0.len() < MOST_DOCUMENTS || self.0.contains_key(&key);
        if has_room {
            self.0.insert(key, document);
        }
        has_room
    }

    pub(crate) fn close(&mut self, uri: &Uri) -> bool {
        self.0.remove(uri.as_str()).is_some()
    }
}

impl Document {
    pub(crate) fn new(uri: Uri, version: i32, dialect: &'static dyn Dialect, text: String) -> Self {
        Self {
            uri,
            version,
            dialect,
            lines: Lines::of(&text),
            text,
            gloss: OnceCell::new(),
        }
    }

    /// The language of a document, by its name and else by what the editor calls it.
    pub(crate) fn dialect_of(uri: &Uri, id: &str) -> Option<&'static dyn Dialect> {
        let known = IDS.iter().find(|(name, _)| *name == id);
        let extension = known.map_or(id, |(_, extension)| extension);
        let by_id = || {
            let mut all = language::all().into_iter();
            all.find(|dialect| dialect.extension() == extension)
        };
        language::of_path(uri.path().as_str()).or_else(by_id)
    }

    /// The folder of its file, if it has one.
    pub(crate) fn folder(&self) -> PathBuf {
        let path = self.uri.path().as_estr().decode().into_string();
        let path = path.map(|path| PathBuf::from(path.as_ref()));
        let folder = path.ok().and_then(|path| path.parent().map(PathBuf::from));
        folder.unwrap_or_default()
    }

    /// Whether it is too long to be looked at.
    pub(crate) fn is_long(&self) -> bool {
        self.text.len() > MOST_TEXT
    }

    /// What its language says of it; nothing if it says nothing, or the text is too long.
    pub(crate) fn gloss(&self) -> Option<&Gloss> {
        let read = || match self.is_long() {
            true => None,
            false => self.dialect.gloss(&self.text),
        };
        self.gloss.get_or_init(read).as_ref()
    }

    /// Takes changes, one after the other.
    pub(crate) fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        self.version = version;
        for change in changes {
            match change.range {
                Some(range) => {
                    let start = self.lines.offset(&self.text, range.start);
                    let end = self.lines.offset(&self.text, range.end).max(start);
                    self.text.replace_range(start..end, &change.text);
                }
                None => self.text = change.text,
            }
            self.lines = Lines::of(&self.text);
        }
        self.gloss = OnceCell::new();
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        self.lines.range(&self.text, span)
    }

    pub(crate) fn location(&self, span: Span) -> Location {
        Location::new(self.uri.clone(), self.range(span))
    }

    /// A part of its text.
    pub(crate) fn slice(&self, span: Span) -> &str {
        let part = self.text.get(span.start as usize..span.end as usize);
        part.unwrap_or_default()
    }

    /// The byte at a place. Within u32: longer texts have no gloss.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        self.lines.offset(&self.text, position) as u32
    }

    /// What its language says of it, and the word at a place.
    pub(crate) fn word(&self, position: Position) -> Option<(&Gloss, &Lexeme)> {
        let gloss = self.gloss()?;
        let word = gloss.word_at(self.offset(position))?;
        Some((gloss, word))
    }
}
