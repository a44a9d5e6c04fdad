//! What a prompt or a script talks to: a session, or a walk through a model language.

use serde::Serialize;
use serde_json::Value;

use crate::exit::Failure;
use crate::output::Output;
use borges_commands::message;
use borges_commands::paint::Paint;

use borges_commands::cursor::Misread;
use borges_commands::help;
use borges_commands::table::{Completes, Table};

/// How a command went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was carried out.
    Done,
    /// It was not; the user has been told why.
    Failed,
    /// The user wants to leave.
    Quit,
}

/// Where a completion begins, and what it can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Byte offset of the word that is completed.
    pub start: usize,
    /// What it can become.
    pub candidates: Vec<String>,
}

/// Carries out commands.
pub trait Interpreter {
    /// What is said before the first command.
    fn greeting(&mut self, paint: &Paint) -> String;

    /// The prompt, without colours.
    fn prompt(&self) -> String;

    /// Carries out one command and writes what came of it, as text or as one JSON object.
    ///
    /// # Errors
    /// Only if writing failed; a command that fails is a [`Verdict`].
    fn execute(&mut self, line: &str, output: &mut Output) -> Result<Verdict, Failure>;

    /// Whether an empty line after `line` repeats it.
    fn repeats(&self, line: &str) -> bool;

    /// What the word that ends at `at` can become.
    fn complete(&mut self, line: &str, at: usize) -> Completion;
}

/// One command of a script as JSON.
#[derive(Debug, Serialize)]
pub struct Record<'a> {
    /// The line as it was typed.
    pub input: &'a str,
    /// Whether it was carried out.
    pub ok: bool,
    /// What it was read as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Value>,
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Value>,
    /// Why it was not carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorRecord>,
    /// What happened meanwhile.
    pub events: Vec<Value>,
}

/// An error as JSON.
#[derive(Debug, Serialize)]
pub struct ErrorRecord {
    /// What failed, and the likely cause.
    pub message: String,
    /// What to type instead.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// The column of the mistake in the line, in characters from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

impl<'a> Record<'a> {
    /// A command that was carried out.
    pub fn done(input: &'a str, reply: Value) -> Self {
        Self {
            input,
            ok: true,
            command: None,
            reply: Some(reply),
            error: None,
            events: Vec::new(),
        }
    }

    /// A command that was not carried out.
    pub fn failed(input: &'a str, error: ErrorRecord) -> Self {
        Self {
            input,
            ok: false,
            command: None,
            reply: None,
            error: Some(error),
            events: Vec::new(),
        }
    }
}

/// Tells of a line that could not be read.
///
/// # Errors
/// If writing failed.
pub fn tell_misread(
    line: &str,
    misread: &Misread,
    output: &mut Output,
) -> Result<Verdict, Failure> {
    if output.json {
        let error = ErrorRecord {
            message: misread.message.clone(),
            next: misread.hint.clone(),
            column: Some(misread.column(line)),
        };
        output.json(&Record::failed(line, error))?;
    } else {
        let paint = output.paint;
        output.text(&message::misread(line, misread, &paint))?;
    }
    Ok(Verdict::Failed)
}

/// Tells of a command that could not be carried out.
///
/// # Errors
/// If writing failed.
pub fn tell_error(line: &str, message: &str, output: &mut Output) -> Result<Verdict, Failure> {
    if output.json {
        let error = ErrorRecord {
            message: message.to_string(),
            next: String::new(),
            column: None,
        };
        output.json(&Record::failed(line, error))?;
    } else {
        let paint = output.paint;
        output.text(&message::error(message, "", &paint))?;
    }
    Ok(Verdict::Failed)
}

/// Tells of a command that was carried out: `text`, or `reply` as JSON.
///
/// # Errors
/// If writing failed.
pub fn tell(line: &str, text: &str, reply: Value, output: &mut Output) -> Result<Verdict, Failure> {
    if output.json {
        output.json(&Record::done(line, reply))?;
    } else {
        output.text(text)?;
    }
    Ok(Verdict::Done)
}

/// Answers `help` and `help COMMAND`.
///
/// # Errors
/// If writing failed.
pub fn tell_help<R>(
    line: &str,
    table: Table<R>,
    topic: Option<&str>,
    output: &mut Output,
) -> Result<Verdict, Failure> {
    let paint = output.paint;
    let (text, specs) = match topic {
        None => (help::overview(table, &paint), table.iter().collect()),
        Some(name) => match (
            help::topic(table, name, &paint),
            borges_commands::table::find(table, name),
        ) {
            (Ok(text), Ok(spec)) => (text, vec![spec]),
            (Err(unknown), _) | (_, Err(unknown)) => {
                let at = line.rfind(name).unwrap_or_default();
                let misread = Misread {
                    at,
                    length: name.len(),
                    message: unknown.message,
                    hint: unknown.hint,
                };
                return tell_misread(line, &misread, output);
            }
        },
    };
    let commands: Vec<Value> = specs
        .iter()
        .map(|spec| {
            serde_json::json!({
                "name": spec.name,
                "letters": spec.letters,
                "group": table.heading(spec),
                "usage": spec.usage(),
                "summary": spec.summary,
                "details": spec.details,
                "examples": spec.examples.iter().map(|(line, _)| line).collect::<Vec<_>>(),
            })
        })
        .collect();
    let reply = serde_json::json!({ "reply": "help", "commands": commands });
    tell(line, &text, reply, output)
}

/// Completes the word that ends at `at`: a command's name, or one of its arguments, which `candidates` lists.
pub fn complete<R>(
    table: Table<R>,
    line: &str,
    at: usize,
    mut candidates: impl FnMut(Completes) -> Vec<String>,
) -> Completion {
    let Some(typed) = line.get(..at) else {
        return Completion::default();
    };
    // Only the last of several commands on the line is being typed.
    let from = typed.rfind(';').map_or(0, |index| index + 1);
    let command = &typed[from..];
    let trimmed = command.trim_start();
    let start = at - trimmed.len();
    let Some((name, _)) = trimmed.split_once(char::is_whitespace) else {
        let names = table.iter().map(|spec| spec.name.to_string());
        return matching(start, trimmed, names.collect());
    };
    let Ok(spec) = borges_commands::table::find(table, name) else {
        return Completion::default();
    };
    let all: Vec<String> = spec
        .completes
        .iter()
        .flat_map(|kind| match kind {
            Completes::Command => table.iter().map(|s| s.name.to_string()).collect(),
            Completes::Words(words) => words.iter().map(ToString::to_string).collect(),
            other => candidates(*other),
        })
        .collect();
    // A word up to a space first (`color-dial.ts:2`), then one inside an expression (`a+cur`).
    let word = typed
        .rfind(char::is_whitespace)
        .map_or(at, |index| index + 1);
    let found = matching(word, &typed[word..], all.clone());
    if !found.candidates.is_empty() {
        return found;
    }
    let inner = typed
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .map_or(at, |index| {
            index + typed[index..].chars().next().map_or(1, char::len_utf8)
        });
    if inner > word && inner < at {
        matching(inner, &typed[inner..], all)
    } else {
        found
    }
}

fn matching(start: usize, prefix: &str, mut all: Vec<String>) -> Completion {
    all.retain(|candidate| candidate.starts_with(prefix));
    all.sort();
    all.dedup();
    Completion {
        start,
        candidates: all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use borges_commands::device::COMMANDS;

    fn check(line: &str, start: usize, expected: &[&str]) {
        let completion = complete(COMMANDS, line, line.len(), |kind| {
            let list: &[&str] = match kind {
                Completes::Variable => &["counter", "current", "state"],
                Completes::Line => &["color-dial.ts:21", "color-dial.ts:24"],
                Completes::Function => &["main", "turnTo"],
                _ => &[],
            };
            list.iter().map(ToString::to_string).collect()
        });
        assert_eq!(completion.candidates, expected, "{line}");
        if !expected.is_empty() {
            assert_eq!(completion.start, start, "{line}");
        }
    }

    #[test]
    fn commands_and_their_arguments_are_completed() {
        check("comp", 0, &["compare"]);
        check("B 1; unm", 5, &["unmock"]);
        check("p cu", 2, &["current"]);
        check("p 1+(cou", 5, &["counter"]);
        check(
            "B color-dial.ts:2",
            2,
            &["color-dial.ts:21", "color-dial.ts:24"],
        );
        check("until tu", 6, &["turnTo"]);
        check("follow a", 7, &["always"]);
        check("help reverse-f", 5, &["reverse-finish"]);
        check("nonsense x", 0, &[]);
        check("é", 0, &[]);
    }
}
