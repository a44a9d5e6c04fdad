//! Commands that keep notes.

use borges_session::command::{Act, Look};

use super::{Request, bare};
use crate::cursor::{Cursor, Misread};
use crate::table::Spec;
use crate::words::note;

/// A name. What can only be a place of the program is refused: other debuggers set a breakpoint with `b`.
fn bookmark(cursor: &mut Cursor<'_>) -> Result<String, Misread> {
    let word = cursor.required("a name")?;
    let name = word.text;
    if name.starts_with(|first: char| first == '@' || first.is_ascii_digit()) || name.contains(':')
    {
        let error = Misread::of(word, format!("'{name}' is a place, not a name"));
        return Err(error.hint(format!(
            "to set a breakpoint there: break {name}, or B {name}"
        )));
    }
    Ok(name.to_owned())
}

pub(super) const COMMANDS: &[Spec<Request>] = &[
    Spec::new(
        "bookmark",
        "name this universe, so that jump finds it",
        |cursor| {
            let name = bookmark(cursor)?;
            Ok(Act::Bookmark { name }.into())
        },
    )
    .letters(&["b", "mark"])
    .arguments("NAME")
    .examples(&[("b before", "'j before' comes back here")]),
    note(|cursor| {
        let text = cursor.quoted()?;
        Ok(Act::Note { text }.into())
    })
    .arguments("[TEXT]")
    .details("No text removes it."),
    Spec::new("notes", "list notes and bookmarks", bare!(Look::Notes)),
];
