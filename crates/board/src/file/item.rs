//! Walking a TOML document with the place of everything at hand.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::ops::RangeInclusive;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    BoardFileError,
    error::FileText,
    text::{Number, TextError, printable},
};
use crate::bind::closest;

/// A longer text is not repeated in a message.
const LONGEST_EXCERPT: usize = 300;
/// More rules, ranges, sources or models than this are a mistake.
const MOST_ENTRIES: usize = 1000;
pub(super) type Result<T> = core::result::Result<T, BoardFileError>;

/// A value of the document, with its key and place.
#[derive(Clone)]
pub(super) struct Item<'a> {
    pub(super) place: FileText<'a>,
    pub(super) key: String,
    value: &'a Spanned<DeValue<'a>>,
}

/// A table of the document; it notes which keys were asked for, to find those that mean nothing.
pub(super) struct Section<'a> {
    place: FileText<'a>,
    key: String,
    start: usize,
    table: &'a DeTable<'a>,
    known: Vec<&'static str>,
}

impl<'a> Item<'a> {
    /// An error at this value.
    pub(super) fn error(
        &self,
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> BoardFileError {
        self.place
            .error(self.value.span().start, self.key.as_str(), problem, hint)
    }

    /// The byte of the file at which it stands.
    pub(super) fn start(&self) -> usize {
        self.value.span().start
    }

    /// An error within this value's text.
    pub(super) fn text_error(&self, text: &str, error: TextError) -> BoardFileError {
        let start = self.value.span().start;
        // Where the text is written without escapes, the error can be found in the file itself.
        let literal = self
            .place
            .text
            .get(start + 1..)
            .is_some_and(|rest| rest.starts_with(text));
        let at = if literal {
            start + 1 + error.start
        } else {
            start
        };
        let found = self
            .place
            .error(at, self.key.as_str(), error.problem, error.hint);
        if text.len() > LONGEST_EXCERPT {
            return found;
        }
        found.with_excerpt(text, error.start, error.end.max(error.start))
    }

    fn wrong_kind(&self, hint: impl Into<String>) -> BoardFileError {
        self.error(format!("this is {}", kind(self.value.get_ref())), hint)
    }

    /// Says what to write, for whatever else is here.
    pub(super) fn expected(&self, hint: impl Into<String>) -> BoardFileError {
        self.wrong_kind(hint)
    }

    pub(super) fn as_text(&self) -> Option<&'a str> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn text(&self, example: &str) -> Result<&'a str> {
        self.as_text()
            .ok_or_else(|| self.wrong_kind(format!("write a text, such as \"{example}\"")))
    }

    pub(super) fn bool(&self) -> Result<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(value) => Ok(*value),
            _ => Err(self.wrong_kind("write true or false")),
        }
    }

    pub(super) fn as_number(&self) -> Option<Number> {
        match self.value.get_ref() {
            DeValue::Integer(int) => i64::from_str_radix(int.as_str(), int.radix())
                .ok()
                .map(Number::Int),
            DeValue::Float(float) => float.as_str().parse().ok().map(Number::Float),
            _ => None,
        }
    }

    pub(super) fn float(&self) -> Result<f64> {
        match self.as_number() {
            Some(Number::Int(int)) => Ok(int as f64),
            Some(Number::Float(float)) if float.is_finite() => Ok(float),
            _ => Err(self.wrong_kind("write a number")),
        }
    }

    /// An integer within bounds.
    pub(super) fn int<T: TryFrom<i64>>(&self, bounds: RangeInclusive<i64>) -> Result<T> {
        let hint = || {
            format!(
                "write a whole number from {} to {}",
                bounds.start(),
                bounds.end()
            )
        };
        match self.as_number() {
            Some(Number::Int(int)) => bounds
                .contains(&int)
                .then(|| T::try_from(int).ok())
                .flatten()
                .ok_or_else(|| self.error(format!("{int} is out of range"), hint())),
            _ => Err(self.wrong_kind(hint())),
        }
    }

    /// The elements of an array.
    pub(super) fn array(&self, example: &str) -> Result<Vec<Item<'a>>> {
        match self.value.get_ref() {
            DeValue::Array(array) => Ok(array
                .iter()
                .enumerate()
                .map(|(i, value)| Item {
                    place: self.place,
                    key: format!("{}[{i}]", self.key),
                    value,
                })
                .collect()),
            _ => Err(self.wrong_kind(format!("write a list, such as {example}"))),
        }
    }

    /// The elements of an array that is no longer than anyone needs.
    pub(super) fn list(&self, example: &str) -> Result<Vec<Item<'a>>> {
        let list = self.array(example)?;
        match too_many(list.len()) {
            Some((problem, hint)) => Err(self.error(problem, hint)),
            None => Ok(list),
        }
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.value.get_ref(), DeValue::Array(_))
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.value.get_ref(), DeValue::Table(_))
    }

    /// The table that this is.
    pub(super) fn section(&self, example: &str) -> Result<Section<'a>> {
        match self.value.get_ref() {
            DeValue::Table(table) => Ok(Section {
                place: self.place,
                key: self.key.clone(),
                start: self.value.span().start,
                table,
                known: Vec::new(),
            }),
            _ => Err(self.wrong_kind(format!("write a table, such as {example}"))),
        }
    }
}

impl<'a> Section<'a> {
    /// The whole document.
    pub(super) fn document(place: FileText<'a>, table: &'a DeTable<'a>) -> Self {
        Section {
            place,
            key: String::new(),
            start: 0,
            table,
            known: Vec::new(),
        }
    }

    /// An error at the beginning of the table.
    pub(super) fn error(
        &self,
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> BoardFileError {
        self.place
            .error(self.start, self.key.as_str(), problem, hint)
    }

    /// The value at a key, if it is there.
    pub(super) fn get(&mut self, key: &'static str) -> Option<Item<'a>> {
        self.known.push(key);
        let value = self.table.get(key)?;
        Some(Item {
            place: self.place,
            key: self.path(key),
            value,
        })
    }

    /// The value at a key that must be there.
    pub(super) fn need(&mut self, key: &'static str, example: &str) -> Result<Item<'a>> {
        self.get(key).ok_or_else(|| {
            self.error(
                format!("`{key}` is missing"),
                format!("add `{key} = {example}`"),
            )
        })
    }

    /// An integer at a key.
    pub(super) fn int<T: TryFrom<i64>>(
        &mut self,
        key: &'static str,
        bounds: RangeInclusive<i64>,
    ) -> Result<Option<T>> {
        self.get(key).map(|item| item.int(bounds)).transpose()
    }

    /// Every entry, in the order of the file; for tables whose keys the user chooses.
    pub(super) fn entries(&self) -> Result<Vec<(&'a str, Item<'a>)>> {
        if let Some((problem, hint)) = too_many(self.table.len()) {
            return Err(self.error(problem, hint));
        }
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        Ok(entries
            .into_iter()
            .map(|(key, value)| {
                let name: &'a str = key.get_ref();
                (
                    name,
                    Item {
                        place: self.place,
                        key: self.path(name),
                        value,
                    },
                )
            })
            .collect())
    }

    /// Every entry that nobody asked for yet, as [`Self::entries`].
    pub(super) fn rest(&self) -> Result<Vec<(&'a str, Item<'a>)>> {
        let mut entries = self.entries()?;
        entries.retain(|(key, _)| !self.known.contains(key));
        Ok(entries)
    }

    /// Refuses keys that nobody asked for.
    pub(super) fn finish(self) -> Result<()> {
        for (key, _) in self.table.iter() {
            let name: &str = key.get_ref();
            if self.known.contains(&name) {
                continue;
            }
            let list = self
                .known
                .iter()
                .map(|k| format!("`{k}`"))
                .collect::<Vec<_>>()
                .join(", ");
            let hint = match closest(name, self.known.iter().copied()) {
                Some(meant) => format!("do you mean `{meant}`? Known here: {list}"),
                None => format!("known here: {list}"),
            };
            let problem = format!("there is no key `{}`", printable(name));
            return Err(self
                .place
                .error(key.span().start, self.path(name), problem, hint));
        }
        Ok(())
    }

    fn path(&self, key: &str) -> String {
        let bare = !key.is_empty()
            && key
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        let key = if bare {
            key.to_string()
        } else {
            format!("\"{}\"", printable(key))
        };
        if self.key.is_empty() {
            key
        } else {
            format!("{}.{key}", self.key)
        }
    }
}

/// What is wrong with so many entries and what to do about it, if anything is.
fn too_many(count: usize) -> Option<(String, String)> {
    (count > MOST_ENTRIES).then(|| {
        let problem = format!("there are {count} of these");
        (problem, format!("at most {MOST_ENTRIES} make sense"))
    })
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(int) if i64::from_str_radix(int.as_str(), int.radix()).is_err() => {
            "a number too large to read"
        }
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
