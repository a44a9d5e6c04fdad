//! Replies and events as text for a terminal of 80 columns.

mod listing;
mod multiverse;
mod outline;
mod place;
mod proofs;
mod suggestions;

use std::fmt::Write as _;

use borges_session::command::{Event, MockValues, Reply};
use borges_session::listing::StreamsListing;

use crate::message::warning;
use crate::paint::{Paint, Role, printable};

pub use listing::{stack, table};
pub use multiverse::greeting;
pub use place::{place_line, source, stop};
pub use proofs::{claim, states};
pub use suggestions::{left_out, rest, suggestions};

/// A reply, ending with a line break unless it is empty.
pub fn reply(reply: &Reply, paint: &Paint) -> String {
    match reply {
        Reply::Stopped(stopped) => stop(stopped, None, paint),
        Reply::Done { message } => sentence(message),
        Reply::BreakpointSet(breakpoint) => listing::breakpoint_set(breakpoint, paint),
        Reply::Breakpoints { breakpoints } => listing::breakpoints(breakpoints, paint),
        Reply::Mocks { mocks } => listing::mocks(mocks, paint),
        Reply::Value {
            expression,
            value,
            type_name,
        } => listing::value(expression, value, type_name, paint),
        Reply::Variables(variables) => listing::variables(variables, paint),
        Reply::Agents { agents } => crate::agents::text(agents, paint),
        Reply::Stack(stack) => listing::stack(stack, 0, paint),
        Reply::Memory(memory) => listing::memory(memory, paint),
        Reply::Examined(memory) => listing::examined(memory, paint),
        Reply::Source(listing) => source(listing, paint),
        Reply::Disassembly(code) => listing::disassembly(code, paint),
        Reply::Functions(functions) => listing::functions(functions, paint),
        Reply::Tree(tree) => multiverse::tree(tree, paint),
        Reply::Multiverse(branches) => outline::branches(branches),
        Reply::Entries(entries) => outline::entries(entries, paint),
        Reply::Found(listing) => outline::found(listing, paint),
        Reply::Calls { calls } => lines(
            &calls
                .iter()
                .map(|call| call.clone().unwrap_or_else(|| "–".to_owned()))
                .collect::<Vec<_>>(),
        ),
        Reply::Inputs { inputs } => outline::inputs(inputs, paint),
        Reply::Series(series) => outline::series(series, paint),
        Reply::Path(path) => multiverse::path(path, paint),
        Reply::Board(board) => lines(&board.lines),
        Reply::Console { text } => console(text, paint),
        Reply::File(file) => match &*file.bytes {
            [] => sentence("the file is empty"),
            bytes => gutter(&String::from_utf8_lossy(bytes), paint),
        },
        Reply::Streams(streams) => streams_of(streams, paint),
        Reply::Info(info) => multiverse::info(info, paint),
        Reply::Notes { notes } => multiverse::notes(notes, paint),
        Reply::Moment {
            moment,
            universe: id,
        } => {
            format!(
                "{moment}\n{}\n",
                paint.paint(Role::Dim, format!("names universe {id}"))
            )
        }
        Reply::Difference(difference) => multiverse::difference(difference, paint),
        Reply::Written(written) => place::written(written, paint),
        Reply::Table(table) => listing::table(table, paint),
        Reply::Suggestions(listing) => suggestions::suggestions(listing, paint),
    }
}

/// What happened while a command was carried out; progress is shown elsewhere.
pub fn event(event: &Event, paint: &Paint) -> String {
    match event {
        Event::Console { text } => gutter(text, paint),
        Event::Log { id, text } => format!(
            "{} {}\n",
            paint.paint(Role::Dim, format!("log {id}:")),
            printable(text)
        ),
        Event::Stream { bytes, .. } => gutter(&String::from_utf8_lossy(bytes), paint),
        Event::Progress { .. } => String::new(),
        Event::Warning { text } => warning(text, paint),
    }
}

/// What the program printed, with a bar before each line, so that it cannot be taken for the debugger's words.
fn gutter(text: &str, paint: &Paint) -> String {
    let bar = paint.paint(Role::Dim, "│");
    let mut out = String::new();
    for line in printable(text).lines() {
        let _ = writeln!(out, "{bar} {line}");
    }
    out
}

fn console(text: &str, paint: &Paint) -> String {
    if text.is_empty() {
        "the program has printed nothing yet\n".to_string()
    } else {
        gutter(text, paint)
    }
}

/// Standard output, standard error if there is any, and the code at the end.
fn streams_of(streams: &StreamsListing, paint: &Paint) -> String {
    let mut text = console(&streams.output, paint);
    if !streams.error.is_empty() {
        text.push_str("standard error:\n");
        text.push_str(&gutter(&streams.error, paint));
    }
    if let Some(code) = streams.exit_code {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "exit code {code}");
    }
    text
}

fn lines(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        text.push_str(&printable(line));
        text.push('\n');
        text
    })
}

fn sentence(message: &str) -> String {
    format!("{}\n", printable(message))
}

/// `3, 7 then live`.
fn mock_values(values: &MockValues) -> String {
    match values {
        MockValues::Sequence(values) => values.join(", "),
        MockValues::Then(values) => format!("{} then live", values.join(", ")),
    }
}
