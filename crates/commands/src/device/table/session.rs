//! Commands on the session as a whole.

use borges_session::command::{Act, Look};

use super::{Request, bare};
use crate::interpreter::{help_row, quit_row};
use crate::table::{Completes, Spec};
use crate::words::query;

pub(super) const COMMANDS: &[Spec<Request>] = &[
    Spec::new("info", "program, board, device, sizes", bare!(Look::Info)).letters(&["i"]),
    Spec::new("upload", "go on with a rebuilt program", |cursor| {
        let program = cursor.text("the module's file")?;
        Ok(Act::Upload { program }.into())
    })
    .arguments("FILE")
    .details("The multiverse so far is kept, marked as another version's.")
    .completes(&[Completes::File]),
    query(|cursor| {
        let sql = cursor.all("a question, for example SELECT * FROM ends")?;
        Ok(Look::Query { sql }.into())
    })
    .details(
        "It is about the session file. Tables and views are in docs/session-files.md: \
entries, inputs, outputs, ends, traps, paths and more. Everything up to the end of the line \
belongs to the question; nothing can be changed.",
    )
    .examples(&[(
        "query SELECT name, count(*) FROM inputs GROUP BY name",
        "how often what was read",
    )]),
    Spec::new(
        "verify",
        "compare the device's state with the twin's",
        bare!(Act::Verify),
    ),
    help_row().examples(&[("help break", "what break can do"), ("?b", "the same")]),
    Spec {
        summary: "leave; a session file keeps everything",
        ..quit_row()
    },
];
