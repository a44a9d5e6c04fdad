//! What a plain run reports.

use borges_vm::Value;
use serde::Serialize;

/// How a run ended. The names are kept stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunOutcome {
    /// The entry returned.
    Returned,
    /// The program ended itself, with a code.
    Exited,
    /// The program trapped.
    Trapped,
    /// The most steps (or entries) were reached.
    Budget,
    /// The program wants an input, and all that were given are used up.
    InputsExhausted,
    /// The user stopped it.
    Paused,
}

/// A performed output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutputDone {
    /// Steps before it.
    pub step: u64,
    /// The primitive's name.
    pub primitive: String,
    /// Its arguments; those that JSON has no number for as text.
    pub args: Vec<serde_json::Value>,
    /// What it answered, if it has a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
    /// The text that it printed or drew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// An input that was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InputRead {
    /// Steps before it.
    pub step: u64,
    /// The primitive's name.
    pub primitive: String,
    /// Its arguments.
    pub args: Vec<serde_json::Value>,
    /// The value.
    pub value: serde_json::Value,
    /// The bytes that it put into memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bytes: Vec<u8>,
    /// The value, exactly.
    #[serde(skip)]
    pub(crate) answer: Value,
}

/// An event whose handler was entered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventDelivered {
    /// Steps before it.
    pub step: u64,
    /// `pin 5` or `timer`.
    pub source: String,
    /// The handler's index in the program's table.
    pub handler: u32,
}

/// A trap, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrapAt {
    /// Which trap.
    pub reason: String,
    /// What the program or the board says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Byte offset of the instruction in the module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
}

/// A limit of the board that a run broke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitBroken {
    /// The limit, as the board file has it.
    pub limit: String,
    /// What the call that broke it made of what it is about.
    pub value: String,
    /// That call.
    pub call: String,
    /// Where it is made.
    #[serde(rename = "where")]
    pub place: String,
    /// Steps before it.
    pub step: u64,
    /// How often it was broken, having been kept in between; the rest is about the first time.
    pub times: u64,
}

/// All that a run did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// How it ended.
    pub outcome: RunOutcome,
    /// Instructions retired.
    pub steps: u64,
    /// The final state of the program, 16 hexadecimal digits.
    pub state_hash: String,
    /// What the entry returned.
    pub results: Vec<serde_json::Value>,
    /// The code with which it ended itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u32>,
    /// The trap, if it trapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trap: Option<TrapAt>,
    /// The limits of the board that it broke, in the order of the first time.
    pub limits: Vec<LimitBroken>,
    /// The performed outputs, in order.
    pub outputs: Vec<OutputDone>,
    /// The inputs, in order.
    pub inputs: Vec<InputRead>,
    /// The events, in order.
    pub events: Vec<EventDelivered>,
    /// All that was printed.
    pub console: String,
    /// The files and folders of the host that were written back, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<String>,
    /// Whether it calls an operating system.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub system: bool,
    /// The board's name.
    pub board: String,
    /// The board's file, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board_file: Option<String>,
    /// The function that was called.
    pub entry: String,
    /// The module's hash.
    #[serde(skip)]
    pub(crate) module: u64,
}

impl RunReport {
    /// How many inputs, outputs and events there were.
    pub(super) fn entries(&self) -> usize {
        self.outputs.len() + self.inputs.len() + self.events.len()
    }
}
