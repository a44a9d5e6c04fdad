//! The bodies of answers and events.

use serde::Serialize;
use serde_json::json;

use super::{Answer, Failure, body};

/// Why a request was not carried out.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorBody {
    error: ErrorMessage,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorMessage {
    id: i64,
    format: String,
    show_user: bool,
}

impl ErrorBody {
    pub(crate) fn new(failure: &Failure) -> Self {
        Self {
            error: ErrorMessage {
                id: 1,
                // In a format braces name variables, of which there are none.
                format: failure.message.replace('{', "(").replace('}', ")"),
                show_user: failure.shown,
            },
        }
    }
}

/// A filter of what is no place in the source.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Filter {
    pub(crate) filter: &'static str,
    pub(crate) label: &'static str,
    pub(crate) description: &'static str,
    pub(crate) default: bool,
    pub(crate) supports_condition: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) condition_description: Option<&'static str>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Source {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_reference: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) presentation_hint: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<&'static str>,
}

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Thread {
    pub(crate) id: i64,
    pub(crate) name: String,
}

/// A frame of a call stack.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StackFrame {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) line: i64,
    pub(crate) column: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instruction_pointer_reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) presentation_hint: Option<&'static str>,
    pub(crate) can_restart: bool,
}

/// Variables that belong together.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scope {
    pub(crate) name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) presentation_hint: Option<&'static str>,
    pub(crate) variables_reference: i64,
    pub(crate) expensive: bool,
}

/// A variable.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) type_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) presentation_hint: Option<Hint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evaluate_name: Option<String>,
    pub(crate) variables_reference: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) indexed_variables: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_reference: Option<String>,
}

/// How a variable is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Hint {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) attributes: Vec<&'static str>,
}

impl Hint {
    /// What only the program writes: nothing edits its state.
    pub(crate) fn read_only() -> Option<Self> {
        Some(Self {
            kind: None,
            attributes: vec!["readOnly"],
        })
    }
}

/// The value of an expression, or what a command says.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluated {
    pub(crate) result: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) type_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) presentation_hint: Option<Hint>,
    pub(crate) variables_reference: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) indexed_variables: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_reference: Option<String>,
}

/// A breakpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Breakpoint {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<i64>,
    pub(crate) verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instruction_reference: Option<String>,
}

impl Breakpoint {
    /// One that could not be set.
    pub(crate) fn refused(message: String) -> Self {
        Self {
            message: Some(message),
            ..Self::default()
        }
    }
}

/// The answer to a request for so many breakpoints of which none can be set.
pub(crate) fn all_refused(count: usize, why: &str) -> Answer {
    let one = Breakpoint::refused(why.to_owned());
    body(json!({ "breakpoints": vec![one; count] }))
}

/// The body of the event `stopped`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stopped {
    pub(crate) reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    pub(crate) thread_id: i64,
    pub(crate) all_threads_stopped: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) hit_breakpoint_ids: Vec<i64>,
}

/// The body of the event `output`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    pub(crate) category: &'static str,
    pub(crate) output: String,
}

/// A place that `goto` goes to.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GotoTarget {
    pub(crate) id: i64,
    pub(crate) label: String,
    pub(crate) line: i64,
}

/// A way that `stepIn` goes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StepInTarget {
    pub(crate) id: i64,
    pub(crate) label: String,
}

/// What a word of the debug console can become.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CompletionItem {
    pub(crate) label: String,
    /// In UTF-16 code units, as all columns.
    pub(crate) start: i64,
    pub(crate) length: i64,
}

/// An instruction.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Instruction {
    pub(crate) address: String,
    pub(crate) instruction: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) location: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) presentation_hint: Option<&'static str>,
}

/// The body of the events about progress.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Progress {
    pub(crate) progress_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cancellable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) percentage: Option<f64>,
}

/// A module of the program.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Module {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) version: String,
    pub(crate) symbol_status: &'static str,
}

/// The answer about what went wrong: its kind, all that is known of it, in a few words, and where, a line for each place.
pub(crate) fn exception(kind: &str, description: &str, message: &str, places: &[String]) -> Answer {
    body(json!({
        "exceptionId": kind,
        "description": description,
        "breakMode": "always",
        "details": { "message": message, "typeName": kind, "stackTrace": places.join("\n") },
    }))
}
