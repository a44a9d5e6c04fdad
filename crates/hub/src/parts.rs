//! What everybody sees, made of the answers of a session.

use std::collections::BTreeMap;

use borges_session::Session;
use borges_session::command::{Flow, Look, Reply, Stop};
use borges_session::listing::{FunctionListing, VariableListing};

use crate::hub::MOST_WATCHES;
use crate::protocol::{LineListing, Part, ProgramListing, WatchListing};

/// Bytes of the console that are shown.
const CONSOLE: usize = 64 << 10;

/// The parts as they were last sent, by name.
#[derive(Default)]
pub(crate) struct Known {
    /// The part with its JSON, which tells whether it has changed.
    parts: BTreeMap<&'static str, (String, Part)>,
}

impl Known {
    /// Takes the parts that are different from what is known.
    pub(crate) fn update(&mut self, parts: Vec<Part>) -> Vec<Part> {
        let mut changed = Vec::new();
        for part in parts {
            // Parts are plain data with text keys: they always have a JSON form.
            let json = serde_json::to_string(&part).unwrap_or_default();
            let name = name(&part);
            if self.parts.get(name).is_none_or(|(old, _)| *old != json) {
                self.parts.insert(name, (json, part.clone()));
                changed.push(part);
            }
        }
        changed
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Part> {
        self.parts.values().map(|(_, part)| part.clone()).collect()
    }

    /// The variables as they were last sent.
    pub(crate) fn variables(&self) -> Option<&VariableListing> {
        match self.parts.get("variables") {
            Some((_, Part::Variables(listing))) => Some(listing),
            _ => None,
        }
    }

    /// The watches as they were last sent.
    pub(crate) fn watches(&self) -> &[WatchListing] {
        match self.parts.get("watches") {
            Some((_, Part::Watches(list))) => list,
            _ => &[],
        }
    }
}

fn name(part: &Part) -> &'static str {
    match part {
        Part::Shelf(_) => "shelf",
        Part::Info(_) => "info",
        Part::Program(_) => "program",
        Part::Stop(_) => "stop",
        Part::Stack(_) => "stack",
        Part::Variables(_) => "variables",
        Part::Watches(_) => "watches",
        Part::Breakpoints(_) => "breakpoints",
        Part::Mocks(_) => "mocks",
        Part::Notes(_) => "notes",
        Part::Board(_) => "board",
        Part::Console(_) => "console",
        Part::Inputs(_) => "inputs",
        Part::Line(_) => "line",
        Part::Suggestions(_) => "suggestions",
        Part::Work(_) => "work",
        Part::File(_) => "file",
    }
}

/// The answer to a command that only looks; nothing if there is none here (no frame after the end, for instance).
pub(crate) fn ask(session: &mut Session, look: Look) -> Option<Reply> {
    session.execute(look, &mut |_| Flow::Continue).ok()
}

/// All parts that depend on where the session stands.
pub(crate) fn of(
    session: &mut Session,
    stop: Option<&Stop>,
    watched: &[String],
    known: &Known,
) -> Vec<Part> {
    let mut parts = vec![
        Part::Stop(stop.cloned().map(Box::new)),
        Part::Line(LineListing {
            branch: session.line(),
        }),
    ];
    let questions = [
        Look::Info,
        Look::Stack,
        Look::Breakpoints,
        Look::Mocks,
        Look::Notes,
        Look::Board,
        Look::Console,
        Look::Inputs,
    ];
    for question in questions {
        parts.extend(ask(session, question).and_then(part));
    }
    parts.push(Part::Variables(variables(session, known)));
    parts.push(Part::Watches(watches(session, watched, known)));
    parts
}

fn part(reply: Reply) -> Option<Part> {
    Some(match reply {
        Reply::Info(info) => Part::Info(Some(info)),
        Reply::Stack(stack) => Part::Stack(stack),
        Reply::Breakpoints { breakpoints } => Part::Breakpoints(breakpoints),
        Reply::Mocks { mocks } => Part::Mocks(mocks),
        Reply::Notes { notes } => Part::Notes(notes),
        Reply::Board(board) => Part::Board(board),
        Reply::Console { text } => Part::Console(tail(&text)),
        Reply::Inputs { inputs } => Part::Inputs(inputs),
        _ => return None,
    })
}

/// The end of a text, behind an ellipsis if that is not all of it.
fn tail(text: &str) -> String {
    let from = text.ceil_char_boundary(text.len().saturating_sub(CONSOLE));
    let cut = if from > 0 { "…" } else { "" };
    format!("{cut}{}", &text[from..])
}

/// Variables of the frame shown; globals that changed since they were last sent are marked as locals are.
fn variables(session: &mut Session, known: &Known) -> VariableListing {
    let frame = session.here().frame;
    let mut listing = match ask(session, Look::Variables { frame }) {
        Some(Reply::Variables(listing)) => listing,
        _ => VariableListing {
            frame,
            locals: Vec::new(),
            globals: Vec::new(),
            operands: Vec::new(),
        },
    };
    let before = known.variables().map_or(&[][..], |before| &before.globals);
    for global in &mut listing.globals {
        let old = before.iter().find(|old| old.name == global.name);
        global.changed = old.is_some_and(|old| old.value != global.value);
    }
    listing
}

fn watches(session: &mut Session, watched: &[String], known: &Known) -> Vec<WatchListing> {
    let before = known.watches();
    watched
        .iter()
        .enumerate()
        .map(|(number, expression)| {
            let print = Look::Print {
                expression: expression.clone(),
                frame: session.here().frame,
            };
            let looked =
                (number < MOST_WATCHES).then(|| session.execute(print, &mut |_| Flow::Continue));
            let (value, type_name, ok) = match looked {
                None => (
                    format!("not looked at: at most {MOST_WATCHES} expressions are watched"),
                    String::new(),
                    false,
                ),
                Some(Ok(Reply::Value {
                    value, type_name, ..
                })) => (value, type_name, true),
                Some(Ok(_)) => (String::new(), String::new(), false),
                Some(Err(error)) => (error.to_string(), String::new(), false),
            };
            let old = before.iter().find(|old| old.expression == *expression);
            WatchListing {
                changed: old.is_some_and(|old| old.value != value),
                expression: expression.clone(),
                value,
                type_name,
                ok,
            }
        })
        .collect()
}

/// Files and functions of the program.
pub(crate) fn program(session: &mut Session) -> ProgramListing {
    let all = Look::Functions {
        containing: String::new(),
    };
    let functions = match ask(session, all) {
        Some(Reply::Functions(FunctionListing { functions })) => functions,
        _ => Vec::new(),
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in functions
        .iter()
        .filter_map(|function| function.file.as_deref())
    {
        *counts.entry(file).or_default() += 1;
    }
    let mut files: Vec<&str> = counts.keys().copied().collect();
    // The compiler's library last, however large it is.
    files.sort_by_key(|file| (file.starts_with("~lib/"), std::cmp::Reverse(counts[file])));
    ProgramListing {
        files: files.into_iter().map(str::to_owned).collect(),
        warnings: session.warnings(),
        functions,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_console_is_cut_between_characters_and_shows_it() {
        let longest = "x".repeat(65_536);
        assert_eq!(tail(&longest), longest);
        assert_eq!(tail(&format!("y{longest}")), format!("…{longest}"));
        assert_eq!(
            tail(&format!("ß{}", &longest[1..])),
            format!("…{}", &longest[1..])
        );
    }
}
