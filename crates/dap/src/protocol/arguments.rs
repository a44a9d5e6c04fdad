//! The arguments of requests: what Borges reads of them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// Of `initialize`: what the client is, and what it can.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(clippy::struct_excessive_bools)] // the protocol's own
pub(crate) struct Initialize {
    #[serde(rename = "linesStartAt1")]
    pub(crate) lines_start_at_1: bool,
    #[serde(rename = "columnsStartAt1")]
    pub(crate) columns_start_at_1: bool,
    pub(crate) path_format: Option<String>,
    pub(crate) supports_progress_reporting: bool,
    pub(crate) supports_invalidated_event: bool,
    #[serde(rename = "supportsANSIStyling")]
    pub(crate) supports_ansi_styling: bool,
    /// The secret of a server that listens, from clients that can say it here.
    pub(crate) token: Option<String>,
}

impl Default for Initialize {
    fn default() -> Self {
        Self {
            lines_start_at_1: true,
            columns_start_at_1: true,
            path_format: None,
            supports_progress_reporting: false,
            supports_invalidated_event: false,
            supports_ansi_styling: false,
            token: None,
        }
    }
}

/// Of `attach`: the session of a page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Attach {
    /// The page's address; the one of the command line if it is left out.
    pub(crate) url: Option<String>,
    pub(crate) token: Option<String>,
    pub(crate) source_map: BTreeMap<String, String>,
}

/// Of `disconnect`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Disconnect {
    pub(crate) restart: bool,
}

/// A file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Source {
    pub(crate) name: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) source_reference: Option<i64>,
}

/// Of `setBreakpoints`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SetBreakpoints {
    pub(crate) source: Source,
    #[serde(default)]
    pub(crate) breakpoints: Vec<SourceBreakpoint>,
}

/// A breakpoint on a line.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SourceBreakpoint {
    pub(crate) line: i64,
    pub(crate) condition: Option<String>,
    pub(crate) hit_condition: Option<String>,
    pub(crate) log_message: Option<String>,
}

/// Of the other requests that set breakpoints of one kind.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SetOthers<B> {
    pub(crate) breakpoints: Vec<B>,
}

/// A breakpoint at the start of a function.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FunctionBreakpoint {
    pub(crate) name: String,
    pub(crate) condition: Option<String>,
    pub(crate) hit_condition: Option<String>,
}

/// A breakpoint at an instruction.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstructionBreakpoint {
    pub(crate) instruction_reference: String,
    #[serde(default)]
    pub(crate) offset: i64,
    pub(crate) condition: Option<String>,
    pub(crate) hit_condition: Option<String>,
}

/// A text that was given, and says something.
pub(crate) fn given(text: Option<&String>) -> Option<String> {
    let text = text?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// From which time on a breakpoint stops: `5`, `>= 5` or `> 4`.
pub(crate) fn hit_count(text: &str) -> Result<u64, String> {
    let (number, more) = match (text.strip_prefix(">="), text.strip_prefix('>')) {
        (Some(rest), _) => (rest, 0),
        (None, Some(rest)) => (rest, 1),
        (None, None) => (text, 0),
    };
    let number = number.trim().parse::<u64>().ok();
    let number = number.and_then(|number| number.checked_add(more));
    number.ok_or_else(|| {
        format!("'{text}' is no count of hits: 5, >= 5 or > 4, for from the fifth time on")
    })
}

/// A breakpoint at a write.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataBreakpoint {
    pub(crate) data_id: String,
    pub(crate) access_type: Option<String>,
    pub(crate) condition: Option<String>,
    pub(crate) hit_condition: Option<String>,
}

/// Of `dataBreakpointInfo`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataBreakpointInfo {
    pub(crate) variables_reference: Option<i64>,
    pub(crate) name: String,
    pub(crate) bytes: Option<u32>,
    #[serde(default)]
    pub(crate) as_address: bool,
}

/// Of `setExceptionBreakpoints`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetExceptionBreakpoints {
    pub(crate) filters: Vec<String>,
    #[serde(default)]
    pub(crate) filter_options: Vec<FilterOption>,
}

/// An exception filter with a condition.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FilterOption {
    pub(crate) filter_id: String,
    pub(crate) condition: Option<String>,
}

/// Of `breakpointLocations`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BreakpointLocations {
    pub(crate) source: Source,
    pub(crate) line: i64,
    pub(crate) end_line: Option<i64>,
}

/// Of `next`, `stepIn`, `stepOut`, `stepBack`, `continue`, `reverseContinue` and `pause`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Step {
    pub(crate) thread_id: i64,
    pub(crate) target_id: Option<i64>,
    pub(crate) granularity: Option<String>,
}

/// Of what is about a frame.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfFrame {
    pub(crate) frame_id: i64,
}

/// Of `stackTrace`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StackTrace {
    pub(crate) thread_id: i64,
    pub(crate) start_frame: Option<u32>,
    pub(crate) levels: Option<u32>,
}

/// Of `variables`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variables {
    pub(crate) variables_reference: i64,
    pub(crate) start: Option<u64>,
    pub(crate) count: Option<u64>,
}

/// Of `setVariable`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetVariable {
    pub(crate) variables_reference: i64,
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Of `evaluate`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluate {
    pub(crate) expression: String,
    pub(crate) frame_id: Option<i64>,
    pub(crate) context: Option<String>,
}

/// Of `completions`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Completions {
    pub(crate) text: String,
    /// In UTF-16 code units, from 0 or 1 as all columns.
    pub(crate) column: i64,
    pub(crate) line: Option<i64>,
}

/// Of `gotoTargets`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct GotoTargets {
    pub(crate) source: Source,
    pub(crate) line: i64,
}

/// Of `goto`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Goto {
    pub(crate) target_id: i64,
}

/// Of `source`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfSource {
    pub(crate) source: Option<Source>,
    #[serde(default)]
    pub(crate) source_reference: i64,
}

/// Of `disassemble`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Disassemble {
    pub(crate) memory_reference: String,
    #[serde(default)]
    pub(crate) offset: i64,
    #[serde(default)]
    pub(crate) instruction_offset: i64,
    pub(crate) instruction_count: u32,
}

/// Of `readMemory`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadMemory {
    pub(crate) memory_reference: String,
    #[serde(default)]
    pub(crate) offset: i64,
    pub(crate) count: u64,
}

/// Of `cancel`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Cancel {
    pub(crate) request_id: Option<i64>,
    pub(crate) progress_id: Option<String>,
}

/// Of `borges/jump`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Jump {
    /// As the command `jump` names universes.
    pub(crate) universe: Value,
}

/// Of `borges/step`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct OwnStep {
    /// `forward` or `backward`.
    pub(crate) direction: borges_session::command::Direction,
    /// `instruction`, `into`, `over`, `out` or `entry`.
    pub(crate) size: borges_session::command::StepSize,
    #[serde(default)]
    pub(crate) count: Option<u64>,
}

/// Of `borges/command`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Line {
    /// A line of the command language.
    pub(crate) line: String,
}

/// Of `borges/session`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Own {
    /// A command of the session as data.
    pub(crate) command: Value,
}

/// Of `borges/upload`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Upload {
    /// The module's file; the program's own if it is left out.
    pub(crate) program: Option<String>,
}
