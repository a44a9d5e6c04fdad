//! Replies and events as text for a terminal of 80 columns.

mod left_out;
mod listing;
mod multiverse;
mod outline;
mod place;
mod played;
mod proofs;
mod suggestions;

use borges_session::command::{Event, MockValues, Reply};
use borges_session::listing::StreamsListing;

use crate::message::warning;
use crate::paint::{Paint, printable};

pub use left_out::left_out;
pub use listing::{stack, table};
pub use multiverse::greeting;
pub use place::{at, place_line, source, stop};
pub use proofs::{claim, orders, states, surveyed};
pub use suggestions::{rest, suggestions};

/// A reply, ending with a line break unless it is empty.
pub fn reply(reply: &Reply, paint: &Paint) -> String {
    match reply {
        Reply::Stopped(stopped) => stop(stopped, None, paint),
        Reply::Done { message } => sentence(message),
        Reply::BreakpointSet(one) => listing::breakpoint(one, paint) + "\n",
        Reply::Breakpoints { breakpoints } => listing::breakpoints(breakpoints, paint),
        Reply::Mocks { mocks } => listing::mocks(mocks, paint),
        Reply::Value {
            expression,
            value,
            type_name,
        } => listing::value(expression, value, type_name, paint),
        Reply::Variables(variables) => listing::variables(variables, paint),
        Reply::Expanded(listing) => listing::expanded(listing, paint),
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
        Reply::Calls { calls } => {
            let shown = |call: &Option<String>| call.clone().unwrap_or_else(|| "–".to_owned());
            lines(&calls.iter().map(shown).collect::<Vec<_>>())
        }
        Reply::Played(listing) => played::played(listing, paint),
        Reply::Leaves(listing) => played::leaves(listing, paint),
        Reply::Hits(listing) => played::hits(listing, paint),
        Reply::Density(listing) => played::density(listing),
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
        Reply::Moment { moment, universe } => {
            let names = paint.dim(format!("names universe {universe}"));
            format!("{moment}\n{names}\n")
        }
        Reply::Difference(difference) => multiverse::difference(difference, paint),
        Reply::Written(written) => place::written(written, paint),
        Reply::Table(table) => listing::table(table, paint),
        Reply::Suggestions(listing) => suggestions::suggestions(listing, paint),
        Reply::Surveyed(listing) => {
            let mut text = surveyed(&listing.report, &listing.survey, paint);
            if let Some(why) = &listing.unkept {
                text += &warning(&format!("what was found was not kept: {why}"), paint);
            }
            text
        }
    }
}

/// What happened while a command was carried out; progress is shown elsewhere.
pub fn event(event: &Event, paint: &Paint) -> String {
    match event {
        Event::Console { text } => gutter(text, paint),
        Event::Log { id, text } => {
            let log = paint.dim(format!("log {id}:"));
            format!("{log} {}\n", printable(text))
        }
        Event::Stream { bytes, .. } => gutter(&String::from_utf8_lossy(bytes), paint),
        Event::Progress { .. } | Event::Surveying { .. } | Event::Live(_) => String::new(),
        Event::Warning { text } => warning(text, paint),
    }
}

/// What the program printed, with a bar before each line, so that it cannot be taken for the debugger's words.
fn gutter(text: &str, paint: &Paint) -> String {
    let bar = paint.dim("│");
    let line = |line: &str| format!("{bar} {line}\n");
    printable(text).lines().map(line).collect()
}

fn console(text: &str, paint: &Paint) -> String {
    match text {
        "" => sentence("the program has printed nothing yet"),
        text => gutter(text, paint),
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
        text += &sentence(&format!("exit code {code}"));
    }
    text
}

fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| sentence(line)).collect()
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
