//! What everybody sees, made of the answers of a session.

use std::collections::BTreeMap;
use std::mem::discriminant;

use borges_session::command::{Flow, Look, Reply, Stop};
use borges_session::listing::{FunctionListing, Info, LiveListing, VariableListing};
use borges_session::{Session, is_of_library};

use crate::protocol::{LineListing, Part, ProgramListing, RunningListing, WatchListing};

/// Watched expressions.
pub(crate) const MOST_WATCHES: usize = 64;
/// Bytes of the console that are shown.
const CONSOLE: usize = 64 << 10;

/// The parts as they were last sent.
#[derive(Default)]
pub(crate) struct Known(Vec<Part>);

impl Known {
    /// Takes the parts that are different from what is known.
    pub(crate) fn update(&mut self, mut parts: Vec<Part>) -> Vec<Part> {
        parts.retain(|part| {
            let same = |old: &&mut Part| discriminant(&**old) == discriminant(part);
            match self.0.iter_mut().find(same) {
                Some(old) if old == part => return false,
                Some(old) => old.clone_from(part),
                None => self.0.push(part.clone()),
            }
            true
        });
        parts
    }

    /// Forgets what was seen of a session: another takes its place.
    pub(crate) fn forget_session(&mut self) {
        self.0
            .retain(|part| matches!(part, Part::Shelf(_) | Part::Work(_) | Part::Pace(_)));
    }

    /// The facts as they were last sent.
    pub(crate) fn info(&self) -> Option<&Info> {
        self.0.iter().find_map(|part| match part {
            Part::Info(info) => info.as_deref(),
            _ => None,
        })
    }

    /// The program's file, as it was named.
    pub(crate) fn program(&self) -> Option<&str> {
        self.0.iter().find_map(|part| match part {
            Part::Info(info) => info.as_ref().map(|info| info.program.as_str()),
            Part::Model(model) => model.as_ref().map(|model| model.name.as_str()),
            _ => None,
        })
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Part> {
        self.0.clone()
    }

    /// The variables as they were last sent.
    pub(crate) fn variables(&self) -> Option<&VariableListing> {
        self.0.iter().find_map(|part| match part {
            Part::Variables(listing) => Some(listing),
            _ => None,
        })
    }

    /// The watches as they were last sent.
    pub(crate) fn watches(&self) -> &[WatchListing] {
        let watches = self.0.iter().find_map(|part| match part {
            Part::Watches(list) => Some(&**list),
            _ => None,
        });
        watches.unwrap_or_default()
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
        Part::Running(None),
        Part::Stop(stop.cloned().map(Box::new)),
        Part::Line(LineListing {
            branch: session.line(),
        }),
    ];
    let questions = [
        Look::Info,
        Look::Agents,
        Look::Stack { agent: None },
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
    parts.push(Part::Streams(match ask(session, Look::Streams) {
        Some(Reply::Streams(streams)) => Some(streams),
        _ => None,
    }));
    parts.push(Part::Variables(variables(session, known)));
    parts.push(Part::Watches(watches(session, watched, known)));
    parts
}

/// What a running program shows.
pub(crate) fn live(picture: LiveListing, watched: &[String], known: &Known) -> Vec<Part> {
    let LiveListing {
        at,
        line,
        entries,
        board,
        stack,
        mut variables,
        values,
        console,
        tail: last,
        ..
    } = picture;
    mark_globals(&mut variables, known);
    let watches = watched.iter().zip(values).map(|(expression, found)| {
        let old = known.watches().iter();
        let old = old.rev().find(|old| old.expression == *expression);
        WatchListing {
            changed: old.is_some_and(|old| old.value != found.value),
            expression: expression.clone(),
            value: found.value,
            type_name: found.type_name,
            ok: found.ok,
        }
    });
    let running = RunningListing {
        universe: at.universe,
        steps: at.steps,
        clock_us: board.clock_us,
        entries,
        tail: last,
    };
    let facts = known.info().map(|info| {
        let device_at = match at.device_elsewhere {
            true => info.device_at.clone(),
            false => at.clone(),
        };
        Box::new(Info {
            device_at,
            here: at,
            entries,
            ..info.clone()
        })
    });
    let mut parts = vec![
        Part::Running(Some(Box::new(running))),
        Part::Info(facts),
        Part::Stop(None),
        Part::Line(LineListing { branch: line }),
        Part::Board(board),
        Part::Stack(stack),
        Part::Variables(variables),
        Part::Watches(watches.collect()),
    ];
    parts.extend(console.map(|text| Part::Console(tail(&text))));
    parts
}

fn part(reply: Reply) -> Option<Part> {
    Some(match reply {
        Reply::Info(info) => Part::Info(Some(info)),
        Reply::Agents { agents } => Part::Agents(agents),
        Reply::Stack(stack) => Part::Stack(stack),
        Reply::Breakpoints { breakpoints } => Part::Breakpoints(breakpoints),
        Reply::Mocks { mocks } => Part::Mocks(mocks),
        Reply::Notes { notes } => Part::Notes(notes),
        Reply::Board(board) => Part::Board(board),
        Reply::Console { text } => Part::Console(tail(&text)),
        Reply::Inputs { inputs } => Part::Inputs(inputs),
        other => {
            debug_assert!(false, "a part was asked for, and none shows {other:?}");
            return None;
        }
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
    let mut listing = match ask(session, Look::Variables { agent: None, frame }) {
        Some(Reply::Variables(listing)) => listing,
        _ => VariableListing::none(frame),
    };
    mark_globals(&mut listing, known);
    listing
}

fn mark_globals(listing: &mut VariableListing, known: &Known) {
    let before = known.variables().map_or(&[][..], |before| &before.globals);
    for global in &mut listing.globals {
        let old = before.iter().find(|old| old.name == global.name);
        global.changed = old.is_some_and(|old| old.value != global.value);
    }
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
    // Libraries last, however large they are.
    files.sort_by_key(|file| (is_of_library(file), std::cmp::Reverse(counts[file])));
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
