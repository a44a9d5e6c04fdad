//! What is wrong in a board file: where, and what to write instead.

use alloc::{borrow::ToOwned, boxed::Box, string::String};
use core::fmt;

/// Something is wrong in a board file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardFileError(Box<FileFault>);

/// What is wrong, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFault {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The key at fault: `sources."chip_analog_read(0)".wave`.
    pub key: String,
    /// What is wrong.
    pub problem: String,
    /// What to write instead.
    pub hint: String,
    /// For a rule or another text with a grammar: the text, and which bytes of it are at fault.
    pub excerpt: Option<(String, usize, usize)>,
}

impl core::ops::Deref for BoardFileError {
    type Target = FileFault;

    fn deref(&self) -> &FileFault {
        &self.0
    }
}

impl BoardFileError {
    /// The same error, with an excerpt of the text that is at fault.
    pub(super) fn with_excerpt(mut self, text: &str, start: usize, end: usize) -> Self {
        self.0.excerpt = Some((text.to_owned(), start, end));
        self
    }
}

impl fmt::Display for BoardFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        writeln!(f, "{}", self.problem)?;
        if let Some((text, start, end)) = &self.excerpt {
            let before = text.get(..*start).map_or(0, |t| t.chars().count());
            let marked = text
                .get(*start..*end)
                .map_or(1, |t| t.chars().count().max(1));
            // A line end within the text would put the marks under something else.
            let line: String = text
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
            writeln!(f, "    {line}\n    {:before$}{:^<marked$}", "", "")?;
        }
        write!(f, "  {}", self.hint)
    }
}

impl core::error::Error for BoardFileError {}

/// Where text lies: the file's name and what is in it.
#[derive(Clone, Copy)]
pub(super) struct FileText<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

impl FileText<'_> {
    /// An error at a byte of the file.
    pub(super) fn error(
        &self,
        at: usize,
        key: impl Into<String>,
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> BoardFileError {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = self.text.get(..at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        BoardFileError(Box::new(FileFault {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).map_or(0, |l| l.chars().count()) + 1,
            key: key.into(),
            problem: problem.into(),
            hint: hint.into(),
            excerpt: None,
        }))
    }
}
