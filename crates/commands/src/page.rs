//! All commands of all prompts, as a page of the documentation.

use crate::help::markdown;

/// `docs/commands.md`.
pub fn page() -> String {
    let mut text = String::from(
        "# Commands\n\n\
         This page is made from the tables that the debugger itself reads commands with; \
         `UPDATE=1 cargo test -p borges-commands` rewrites it.\n\n\
         A command can be shortened as long as it stays unambiguous. Small letters go forward, capitals backward \
         (CaReDeb's own commands keep the letters of the original). \
         An empty line repeats the last motion. Several commands fit on a line, separated by `;`; \
         `#` begins a comment. Strings may contain `\\\"`, `\\n` and `\\t`.\n\n",
    );
    text.push_str(&markdown(
        "A session with a program",
        crate::device::COMMANDS,
    ));
    text.push('\n');
    text.push_str(&markdown(
        "A walk through a program of a model language",
        crate::model::walk::COMMANDS,
    ));
    text.push('\n');
    text.push_str(&markdown(
        "Voyager: a session with a program of actors",
        crate::model::voyager::COMMANDS,
    ));
    text.push('\n');
    text.push_str(&markdown(
        "CaReDeb: a session with a μOz program",
        crate::model::caredeb::COMMANDS,
    ));
    text
}
