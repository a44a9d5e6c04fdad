//! Commands that keep notes.

use borges_session::command::Command;

use super::{Request, bare};
use crate::repl::spec::Spec;

pub(super) const COMMANDS: &[Spec<Request>] = &[
    Spec::new(
        "bookmark",
        "name this universe, so that jump finds it",
        |cursor| {
            let name = cursor.required("a name")?.text.to_string();
            Ok(Request::Session(Command::Bookmark { name }))
        },
    )
    .letters(&["mark"])
    .arguments("NAME"),
    Spec::new(
        "note",
        "write a note on this universe; no text removes it",
        |cursor| {
            Ok(Request::Session(Command::Note {
                text: cursor.quoted()?,
            }))
        },
    )
    .arguments("[TEXT]"),
    Spec::new("notes", "list notes and bookmarks", bare!(Command::Notes)),
];
