//! Errors and warnings as text.

use std::fmt::Write as _;

use crate::cursor::Misread;
use crate::paint::{Paint, Role, printable};

/// Something the user should know.
pub fn warning(text: &str, paint: &Paint) -> String {
    labelled("warning", Role::Warning, text, paint)
}

/// What failed, and below it what to do.
pub fn error(message: &str, next: &str, paint: &Paint) -> String {
    let mut text = labelled("error", Role::Bad, message, paint);
    if !next.is_empty() {
        text.push_str(&labelled("next", Role::Good, next, paint));
    }
    text
}

fn labelled(label: &str, role: Role, text: &str, paint: &Paint) -> String {
    let indent = label.chars().count() + 2;
    let mut out = String::new();
    for (index, line) in paint.wrapped(&printable(text), indent).iter().enumerate() {
        if index == 0 {
            let _ = writeln!(out, "{} {line}", paint.paint(role, format!("{label}:")));
        } else {
            let _ = writeln!(out, "{:indent$}{line}", "");
        }
    }
    out
}

/// A line that could not be read, with a mark under the column.
pub fn misread(line: &str, misread: &Misread, paint: &Paint) -> String {
    let column = misread.column(line);
    let marked = line
        .get(misread.at..misread.at + misread.length)
        .map_or(1, |part| part.chars().count().max(1));
    let mut text = error(&misread.message, "", paint);
    let _ = writeln!(text, "  {}", printable(line));
    let _ = writeln!(
        text,
        "  {:2$}{1}",
        "",
        paint.paint(Role::Bad, "^".repeat(marked)),
        column - 1
    );
    if !misread.hint.is_empty() {
        text.push_str(&labelled("next", Role::Good, &misread.hint, paint));
    }
    text
}
