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
    let mut out = format!("{} ", paint.paint(role, format!("{label}:")));
    out += &paint
        .wrapped(text, indent)
        .join(&format!("\n{:indent$}", ""));
    out + "\n"
}

/// A line that could not be read, with a mark under the column.
pub fn misread(line: &str, misread: &Misread, paint: &Paint) -> String {
    let column = misread.column(line);
    let marked = line
        .get(misread.at..misread.at + misread.length)
        .map_or(1, |part| part.chars().count().max(1));
    let mut text = error(&misread.message, "", paint);
    let _ = writeln!(text, "  {}", printable(line));
    let marks = paint.bad("^".repeat(marked));
    let _ = writeln!(text, "  {:1$}{marks}", "", column - 1);
    if !misread.hint.is_empty() {
        text.push_str(&labelled("next", Role::Good, &misread.hint, paint));
    }
    text
}
