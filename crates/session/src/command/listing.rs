//! The tables that replies carry: plain data for every face to render.

use serde::{Deserialize, Serialize};

use crate::command::{Cell, MockValues, NewBreakpoint, UniverseId};

/// A moment of the program with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct PlaceView {
    /// The universe.
    pub universe: UniverseId,
    /// Steps executed since the program's start.
    pub steps: u64,
    /// The frame that is shown: 0 is the innermost. Where a library ended the program, the first one of the user's own
    /// code.
    #[serde(default, skip_serializing_if = "is_innermost")]
    pub frame: u32,
    /// The function, as the source calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The text of that line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Byte offset in the module of the next instruction; none after the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// The call that is about to happen, if the next instruction calls a primitive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The device stands elsewhere.
    pub device_elsewhere: bool,
    /// How many universes are recorded that go on from here.
    pub futures: u32,
}

fn is_innermost(frame: &u32) -> bool {
    *frame == 0
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// Its type as the source calls it.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Whether it differs from the last stop.
    pub changed: bool,
    /// Fields, elements, or what it points to, as far as they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Variable>,
}

/// Variables of a frame and the globals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct VariableListing {
    /// The frame.
    pub frame: u32,
    /// Parameters and locals.
    pub locals: Vec<Variable>,
    /// Globals of the user's own code.
    pub globals: Vec<Variable>,
    /// How many globals of libraries there are beside them: an expression may name each.
    pub of_libraries: u32,
    /// The operand stack, bottom first.
    pub operands: Vec<String>,
}

impl VariableListing {
    /// That of a frame which is not there.
    #[must_use]
    pub fn none(frame: u32) -> Self {
        Self {
            frame,
            locals: Vec::new(),
            globals: Vec::new(),
            of_libraries: 0,
            operands: Vec::new(),
        }
    }
}

/// What a value has in it, or some of that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ExpandedListing {
    /// How many children there are in all.
    pub count: u64,
    /// Where the value lies in memory, or what it points to; nothing if it is elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<u32>,
    /// In which memory, where the program has several.
    #[serde(default, skip_serializing_if = "is_first")]
    pub memory: u32,
    /// Those that were asked for.
    pub children: Vec<ChildListing>,
}

/// A field, an element, or what a value points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ChildListing {
    /// Its name: a field's, `[3]`, or `*` for what a pointer points to.
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// Its type as the source calls it.
    #[serde(rename = "type")]
    pub type_name: String,
    /// How many children it has itself.
    pub count: u64,
    /// Where it lies in memory, or what it points to; nothing if it is elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<u32>,
    /// In which memory, where the program has several.
    #[serde(default, skip_serializing_if = "is_first")]
    pub memory: u32,
}

/// What an agent is up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum AgentState {
    /// It can go on.
    Runs,
    /// It cannot go on now, or never more.
    Waits,
    /// It has come to its end.
    Ended,
    /// It trapped, or failed.
    Trapped,
}

/// Who acts in a program: a thread, an actor, or a device program as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct AgentView {
    /// Its name, which it has from its birth.
    pub name: String,
    /// What it is up to.
    pub state: AgentState,
    /// What it does next, what it waits for, how it ended, why it trapped; may be empty.
    pub about: String,
    /// The function that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The line that is next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// One frame of the call stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct StackFrame {
    /// 0 is the innermost.
    pub number: u32,
    /// The function's name.
    pub function: String,
    /// The source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Byte offset in the module.
    pub offset: u32,
    /// Whether the compiler inlined it into the next outer one.
    pub inlined: bool,
    /// Whether it is the handler of an interrupt.
    pub handler: bool,
}

/// The call stack, innermost first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct StackListing {
    /// The frames.
    pub frames: Vec<StackFrame>,
}

/// Bytes of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MemoryListing {
    /// Of the first byte.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// How many of them are the object that was named or pointed to; 0 where debug information knows of none.
    pub object_bytes: u32,
    /// Of which memory, where the program has several.
    #[serde(default, skip_serializing_if = "is_first")]
    pub memory: u32,
}

/// Whether that is the only memory of most programs.
fn is_first(memory: &u32) -> bool {
    *memory == 0
}

/// Memory as numbers or texts: what `x/4xw` shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ExaminedListing {
    /// Each unit with its address.
    pub units: Vec<ExaminedUnit>,
    /// How many of them faces put on a line.
    pub per_line: u32,
}

/// A number or text in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ExaminedUnit {
    /// Of its first byte.
    pub address: u32,
    /// As it is shown.
    pub value: String,
}

/// One source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SourceLine {
    /// 1-based.
    pub number: u32,
    /// Its text.
    pub text: String,
    /// The program stands here.
    pub current: bool,
    /// A breakpoint is set here.
    pub breakpoint: bool,
    /// Code was generated for it.
    pub code: bool,
}

/// Source text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SourceListing {
    /// The file.
    pub file: String,
    /// Some of its lines.
    pub lines: Vec<SourceLine>,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct InstructionListing {
    /// Byte offset in the module.
    pub offset: u32,
    /// Its text, indented by block depth.
    pub text: String,
    /// The program stands here.
    pub current: bool,
    /// A breakpoint is set here.
    pub breakpoint: bool,
    /// The source line it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Disassembly of (a part of) a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Disassembly {
    /// The function's name.
    pub function: String,
    /// The instructions.
    pub instructions: Vec<InstructionListing>,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FunctionEntry {
    /// Its name.
    pub name: String,
    /// Byte offset of its first instruction.
    pub offset: u32,
    /// Where it is in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FunctionListing {
    /// In the order of the module.
    pub functions: Vec<FunctionEntry>,
}

/// The multiverse as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct TreeListing {
    /// Drawn lines.
    pub lines: Vec<String>,
    /// How many branches there are.
    pub branches: u32,
    /// How many entries there are.
    pub entries: u64,
    /// How many recordings were merged into it, if any were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recordings: Option<u64>,
}

/// An input, output or event on a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct PathEntry {
    /// The universe just after it.
    pub universe: UniverseId,
    /// Steps before it.
    pub steps: u64,
    /// `input`, `output` or `event`.
    pub kind: String,
    /// As the program calls it, with arguments and the value.
    pub text: String,
    /// The value came from a mock.
    pub mocked: bool,
    /// Other recorded values at this choice point.
    pub alternatives: u32,
    /// The place shown lies just before it.
    pub next: bool,
}

/// A part of the current path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct PathListing {
    /// The entries, earliest first.
    pub entries: Vec<PathEntry>,
    /// How many come before the listed ones.
    pub before: u64,
    /// How many come after the listed ones.
    pub after: u64,
}

/// A breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct BreakpointListing {
    /// Its number.
    pub id: u32,
    /// As it was given.
    #[serde(flatten)]
    pub spec: NewBreakpoint,
    /// Where it really is, in words ("color_dial.ts:21"); empty if what was asked says it.
    pub resolved: String,
    /// What it waits for, in words, whatever its kind.
    #[serde(default)]
    pub what: String,
    /// Byte offsets in the module that it stops at.
    pub offsets: Vec<u32>,
    /// Switched on.
    pub enabled: bool,
    /// How often its place and condition held.
    pub count: u64,
}

/// A mock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct MockListing {
    /// `name(arg, …)`.
    pub call: String,
    /// Its values.
    pub values: MockValues,
}

/// What is in a file of a program of an operating system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FileContents {
    /// Its path.
    pub path: String,
    /// How many bytes it has.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub length: u64,
    /// The first of them, at most 64 KiB.
    pub bytes: Vec<u8>,
}

/// What a program of an operating system has written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct StreamsListing {
    /// To standard output; the last 64 KiB of it, behind an ellipsis if that is not all.
    pub output: String,
    /// To standard error, likewise.
    pub error: String,
    /// The code with which it ended, if it did.
    pub exit_code: Option<u32>,
}

/// The board at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct BoardListing {
    /// Drawn for a terminal.
    pub lines: Vec<String>,
    /// The same as data.
    #[cfg_attr(feature = "typescript", ts(type = "BoardView"))]
    pub board: serde_json::Value,
    /// What its clock shows, in microseconds: what the program waited and what its steps took.
    #[serde(default)]
    pub clock_us: u64,
}

/// A note or a bookmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct NoteListing {
    /// The universe.
    pub universe: UniverseId,
    /// Steps since the start.
    pub steps: u64,
    /// The bookmark's name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The note's text.
    pub text: String,
}

/// Facts about a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Info {
    /// The program's file.
    pub program: String,
    /// Hex hash of the module.
    pub program_hash: String,
    /// How often a changed program was uploaded.
    pub version: u32,
    /// The board's name.
    pub board: String,
    /// The device as it names itself.
    pub device: String,
    /// Where the session is written, if anywhere.
    pub file: Option<String>,
    /// Where the user looks.
    pub here: PlaceView,
    /// Where the device stands.
    pub device_at: PlaceView,
    /// The device follows every move.
    pub follows: bool,
    /// Branches of the multiverse.
    pub branches: u32,
    /// Entries in all branches.
    pub entries: u64,
    /// Snapshots held.
    pub snapshots: u32,
    /// Their memory, in bytes.
    pub snapshot_bytes: u64,
    /// Bytes sent to the device.
    pub sent_bytes: u64,
    /// Bytes received from the device.
    pub received_bytes: u64,
    /// Frames sent again because they were lost.
    pub retransmissions: u64,
    /// Where branches have come to a state that an earlier branch had: the first such moment of each, and the universe shown
    /// if it is one.
    pub same: Vec<SameAs>,
    /// What the board's file says must be so whatever the program does.
    #[serde(default)]
    pub limits: Vec<LimitRow>,
    /// The names of the program's memories, as far as it gives them some; nothing of a program without several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<Option<String>>,
}

/// A limit of the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LimitRow {
    /// As it was written.
    pub text: String,
    /// What of it has a row of its own: `pin 13`, `motor 0`, `speed of motor 0`.
    pub of: Vec<String>,
    /// The least and the greatest allowed level, duty, speed or angle (degrees), if it is about one such number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
}

/// A universe in the state of one that was recorded before: both can go on in the same ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SameAs {
    /// Right before it reads an input.
    pub at: UniverseId,
    /// The other, on an earlier branch.
    pub other: UniverseId,
}

/// Two universes compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct UniverseDifference {
    /// The left one.
    pub left: PlaceView,
    /// The right one.
    pub right: PlaceView,
    /// Where their paths part.
    pub join: PlaceView,
    /// What the left path has there.
    pub left_choice: Option<String>,
    /// What the right path has there.
    pub right_choice: Option<String>,
    /// Variables and globals that differ: name, left, right.
    pub variables: Vec<(String, String, String)>,
    /// Lines of the board that differ: left, right.
    pub board: Vec<(String, String)>,
    /// Memory bytes that differ.
    pub memory_bytes: u64,
}

/// The answer to a question in SQL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct TableListing {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// There were more rows than are listed.
    pub more: bool,
}

/// The last write of a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Written {
    /// What was asked for.
    pub what: String,
    /// The universe just before the write: the view stands here now.
    pub at: PlaceView,
    /// The value before.
    pub before: String,
    /// The value written.
    pub after: String,
}

/// How the last run of a branch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum BranchEnd {
    /// The program can go on.
    Open,
    /// The program returned.
    Finished,
    /// The program trapped.
    Trapped,
}

/// A branch of the multiverse: its entries are those after `fork`, up to `tip`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct BranchListing {
    /// Its number.
    pub branch: u32,
    /// The branch that it leaves; the first branch names itself.
    pub parent: u32,
    /// The index at which it leaves.
    pub fork: u32,
    /// The index after its last entry.
    pub tip: u32,
    /// Steps at the fork.
    pub begins: u64,
    /// Steps up to which the run after its last entry is known.
    pub reached: u64,
    /// How that run ended.
    pub end: BranchEnd,
    /// The trap, if it trapped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// From which index on how many of the recordings took it that were merged into the multiverse, earliest first: it is
    /// fewer behind every place where some end or go onto another branch. The first branch begins with how many there are.
    /// Nothing where none were merged, and of a branch that was added since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<(u32, u64)>,
}

/// The shape of the multiverse, without its entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct MultiverseListing {
    /// In the order in which they were made: a parent comes before its children.
    pub branches: Vec<BranchListing>,
}

/// What there is to be seen while the program runs: the twin at a moment that the device has passed. All of it is on disk,
/// where there is a session file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LiveListing {
    /// Where.
    pub at: PlaceView,
    /// The branch that the program is on, as it is known now.
    pub branch: BranchListing,
    /// The branch whose tip is the end of the current path.
    pub line: u32,
    /// Entries in all branches.
    pub entries: u64,
    /// The board, without the lines for a terminal.
    pub board: BoardListing,
    /// The call stack.
    pub stack: StackListing,
    /// Variables of the frame shown and globals; what is different from the last picture is marked.
    pub variables: VariableListing,
    /// What the expressions come to that were asked for, in their order; or why they have no value.
    pub values: Vec<LiveValue>,
    /// All that the program printed up to here, if it printed something since the last picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub console: Option<String>,
    /// The last entries on the way here, earliest first.
    pub tail: Vec<EntryRow>,
}

/// What an expression comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LiveValue {
    /// As text; or why there is no value.
    pub value: String,
    /// Its type, if known.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Whether it has a value.
    pub ok: bool,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum EntryClass {
    /// An input's value.
    Input,
    /// An output that was performed.
    Output,
    /// An interrupt or timer.
    Event,
}

/// An entry of a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct EntryRow {
    /// What it is.
    pub kind: EntryClass,
    /// Steps before it.
    pub steps: u64,
    /// The primitive, with its arguments if they were asked for; or the event.
    pub call: String,
    /// What an input yielded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The value came from a mock.
    pub mocked: bool,
}

/// Some entries of a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct EntryListing {
    /// The branch.
    pub branch: u32,
    /// The index of the place before the first of them.
    pub from: u32,
    /// Whether calls have their arguments.
    pub calls: bool,
    /// The entries.
    pub entries: Vec<EntryRow>,
}

/// A universe that a text leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FoundRow {
    /// The universe right after the entry, or at the trap.
    pub universe: UniverseId,
    /// The entry in words.
    pub text: String,
    /// Steps before it.
    pub steps: u64,
}

/// Universes that a text leads to, on all branches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FoundListing {
    /// The first of them, branch by branch.
    pub found: Vec<FoundRow>,
    /// How many there are.
    pub all: u64,
    /// False if the search was paused before its end.
    pub complete: bool,
}

/// An input that the program can read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct InputListing {
    /// `name(arg, …)` where the arguments are known, otherwise `name`.
    pub call: String,
    /// What it may answer here, in words.
    pub codomain: String,
    /// The least and the greatest value, if it is a range of numbers small enough to be set with a slider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
    /// All values, if they are few.
    pub values: Vec<String>,
    /// It is what the program reads next.
    pub next: bool,
    /// What it answered last on this path; nothing if that is not known without looking at the calls: where a primitive is
    /// called with several arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// What stands in for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mock: Option<MockValues>,
}

/// The values of expressions along the current path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SeriesListing {
    /// In the order of the expressions.
    pub curves: Vec<Curve>,
    /// Every write on the path was looked at. False where a pause or the length of the path left some out: no value is
    /// shown there.
    pub complete: bool,
}

/// How a value went: it is `values[n]` from `steps[n]` on, right after a write, until the next step listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Curve {
    /// When something changed, in order.
    pub steps: Vec<u64>,
    /// The value since then; nothing where there is none: no variable, no number, or nobody looked.
    pub values: Vec<Option<f64>>,
    /// Why there is no value at all, if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
