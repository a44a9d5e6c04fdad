//! What a face can ask of a session, and what it is told.
//!
//! There is one command type, one reply type and one event type for the terminal, the page and the
//! editor protocol. All of them are data: a command can be typed, scripted, logged and sent over a socket.

pub mod broker;
pub mod listing;
pub(crate) mod picture;
pub mod played;
pub(crate) mod proof;
pub(crate) mod question;
pub mod surveying;

use borges_languages::model::{Progress as Explored, SurveyProgress};
use serde::{Deserialize, Serialize};

use listing::{
    AgentView, BoardListing, BreakpointListing, Disassembly, EntryListing, ExaminedListing,
    ExpandedListing, FileContents, FoundListing, FunctionListing, Info, InputListing, LiveListing,
    MemoryListing, MockListing, MultiverseListing, NoteListing, PathListing, PlaceView,
    SeriesListing, SourceListing, StackListing, StreamsListing, TableListing, TreeListing,
    UniverseDifference, VariableListing, Written,
};

use played::{DensityListing, HitsListing, LeavesListing, PlayUntil, PlayedListing};
use question::{Question, SuggestionListing, Within};
use surveying::{StatesSurvey, SurveyListing};

/// A number that names a universe for as long as the session file lives: the place after entry `index` of `branch`.
///
/// Faces print it as `branch.index`, and as `branch.index+steps` for a moment inside the run that follows;
/// `branch.index+agent:steps` if the steps are those of another agent than the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct UniverseId {
    /// The branch of the multiverse, 0 for the first run.
    pub branch: u32,
    /// How many entries lie before it on the way from the root.
    pub index: u32,
    /// Whose steps `offset` counts.
    #[serde(default)]
    pub agent: AgentNumber,
    /// Steps that the agent has executed since the last entry.
    pub offset: u64,
}

/// Which agent of a program, in the order in which they began.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AgentNumber(pub u32);

impl AgentNumber {
    /// The first one: in a device program there is no other.
    pub const ONLY: Self = Self(0);
}

/// Which way to move along the current path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Towards what the program does next.
    Forward,
    /// Towards the start.
    Backward,
}

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum StepSize {
    /// One WebAssembly instruction.
    Instruction,
    /// To another source line, entering calls.
    Into,
    /// To another source line of this frame, or out of it.
    Over,
    /// Out of this function (forwards: after the call; backwards: before it).
    Out,
    /// To the next (last) input, output or event.
    Entry,
}

/// A place in the program as a user names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum CodePlace {
    /// A line of a source file; the file may be left out or shortened to its end.
    Line {
        /// The end of the file's path, or nothing for the file shown now.
        file: Option<String>,
        /// 1-based.
        line: u32,
    },
    /// The start of a function, by name.
    Function(String),
    /// A byte offset in the module.
    Offset(u32),
}

/// What a breakpoint waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum StopKind {
    /// The program is about to execute this place.
    Code(CodePlace),
    /// A variable, global or memory range was written (any write, also of the same value).
    Write(String),
    /// A primitive is about to be called; the condition may use `arg0`, `arg1`, … .
    Primitive(String),
    /// The program trapped.
    Trap,
    /// An interrupt or timer is about to be delivered.
    Event,
    /// A call that breaks a limit of the board is about to be made.
    Limit,
}

/// A breakpoint as the user gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct NewBreakpoint {
    /// What it waits for.
    pub kind: StopKind,
    /// Only in this agent; in any if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only when this expression is true (not zero).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Only from the n-th time on that the rest holds; 0 and 1 mean the first.
    #[serde(default)]
    pub hits: u64,
    /// Print this instead of stopping; `{expression}` is replaced by its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
}

/// So many bytes can be brought by all mocks together: texts that inputs bring, and what is put in files.
pub const MOST_MOCKED: usize = 512 << 10;

/// The values of a mock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum MockValues {
    /// These in turn, then the last one again and again.
    Sequence(Vec<String>),
    /// These in turn, then the real input again.
    Then(Vec<String>),
}

/// A command of the user: one that only looks, or one that acts.
///
/// Whoever may watch a session but not steer it may give the first kind; and only after the second kind has anybody
/// else something new to see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Command {
    /// One that only looks.
    Look(Look),
    /// One that acts.
    Act(Act),
}

impl Command {
    /// It as data, for a session that is somewhere else.
    ///
    /// # Errors
    /// It is about files, which would be read or written there for somebody here; in words.
    pub fn to_value(&self) -> Result<serde_json::Value, String> {
        if matches!(self, Self::Look(Look::Survey { survey }) if survey.has_files()) {
            let message = "a survey is kept in files where the session is: say it there, or without checkpoint= and resume=";
            return Err(message.to_owned());
        }
        serde_json::to_value(self).map_err(|error| error.to_string())
    }

    /// Whose it is, if it names an agent.
    pub(crate) fn agent(&self) -> Option<&str> {
        match self {
            Self::Look(Look::Variables { agent, .. } | Look::Stack { agent })
            | Self::Act(Act::Step { agent, .. } | Act::Break(NewBreakpoint { agent, .. })) => {
                agent.as_deref()
            }
            _ => None,
        }
    }
}

impl From<Look> for Command {
    fn from(look: Look) -> Self {
        Self::Look(look)
    }
}

impl From<Act> for Command {
    fn from(act: Act) -> Self {
        Self::Act(act)
    }
}

/// A command that moves, sets or writes something: the view, the device, what is recorded, what is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Act {
    /// *run / play* (and its mirror image): until a breakpoint, the end, or a pause.
    Continue {
        /// Which way.
        direction: Direction,
    },
    /// *run / play*, and where the recording ends, the device goes on: until a breakpoint, the program's end, or a pause.
    RunOn,
    /// *step-forwards*, *step-back*, *step-back-compensate*.
    Step {
        /// Whose: the only agent, or the one that is next, if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        agent: Option<String>,
        /// Which way.
        direction: Direction,
        /// How far one step goes.
        size: StepSize,
        /// How many.
        count: u64,
    },
    /// Runs forward until `place` is about to be executed.
    RunTo {
        /// Where to.
        place: CodePlace,
        /// Which way.
        direction: Direction,
    },
    /// Shows the start of the program; nothing on the device moves.
    Restart,
    /// Shows another universe. The device does not move.
    Jump {
        /// `branch.index[+steps]`, a bookmark's name, `start`, `tip`, `device`, or a moment string.
        target: String,
    },
    /// Brings the device to the place shown (MIO, algorithm 1), now or always.
    Follow {
        /// `None`: once, now. `Some`: after every command from now on, or no longer.
        always: Option<bool>,
    },
    /// Leaves the recorded future: the next step forward is taken by the device, live, as a branch of its own.
    Fork,
    /// *register-mock*: replaces a mock with the same primitive and arguments.
    Mock {
        /// `name(arg, …)`; `_` stands for any argument; no parentheses: any arguments.
        call: String,
        /// What the calls yield.
        values: MockValues,
    },
    /// *unregister-mock*; does nothing if there is none.
    Unmock {
        /// As in [`Act::Mock`]; `None` removes all.
        call: Option<String>,
    },
    /// Adds a branch for every value to the next input of this universe, unexplored until somebody goes there.
    Branches {
        /// `lo..hi` (both included), `a, b, c`, or a mixture.
        values: String,
    },
    /// Plays futures out: adds a branch for each of some values of an input, and lets each run on until something comes.
    /// With one value the view goes there; with several it stays.
    Play {
        /// The universe right before the input, or right after it; the one shown if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        at: Option<String>,
        /// As in [`Act::Branches`]; or `sets`: one value of each set that leads to a path of its own.
        values: String,
        /// Until what.
        #[serde(flatten)]
        until: PlayUntil,
    },
    /// Adds a breakpoint.
    Break(NewBreakpoint),
    /// Removes breakpoints, all of them if none is named.
    DeleteBreakpoints {
        /// Their numbers.
        ids: Vec<u32>,
    },
    /// Switches a breakpoint on or off.
    EnableBreakpoint {
        /// Its number.
        id: u32,
        /// On or off.
        enabled: bool,
    },
    /// How many times as fast as the clock on the wall the board's clock goes, at most, while the program runs: on what is
    /// recorded and on a simulated device. A real one has a clock of its own.
    Pace {
        /// Nothing for as fast as possible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        times: Option<u32>,
    },
    /// Goes back to the last write of a variable, global or memory range: who wrote this value? Or of a file: who changed it?
    Who {
        /// A variable or place expression, or the path of a file.
        what: String,
    },
    /// Writes a note on the universe shown; an empty text removes it.
    Note {
        /// The text.
        text: String,
    },
    /// Names the universe shown, so that [`Act::Jump`] finds it.
    Bookmark {
        /// The name.
        name: String,
    },
    /// Replaces the program by a rebuilt one; the multiverse so far is kept, marked as another version's.
    Upload {
        /// The module's file.
        program: String,
    },
    /// Compares the device's state with the twin's.
    Verify,
}

/// A command that only looks: whoever else watches sees nothing change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Look {
    /// Evaluates an expression in a frame of the universe shown.
    Print {
        /// The expression.
        expression: String,
        /// 0 is the innermost frame.
        frame: u32,
    },
    /// Who acts in the program, what each is up to, and where.
    Agents,
    /// Variables of a frame.
    Variables {
        /// Whose: the only agent, or the one that is next, if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        agent: Option<String>,
        /// 0 is the innermost frame.
        frame: u32,
    },
    /// What a value has in it: fields, elements, what it points to.
    Expand {
        /// Which value.
        of: Whole,
        /// The frame that it is looked at in; 0 is the innermost.
        frame: u32,
        /// The numbers on the way from the value to the part of it that is meant; none if it is meant itself.
        #[serde(default)]
        path: Vec<u64>,
        /// The number of the first child that is wanted.
        #[serde(default)]
        from: u64,
        /// How many at the most; at most 1,000.
        count: u64,
    },
    /// The call stack.
    Stack {
        /// Whose: the only agent, or the one that is next, if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        agent: Option<String>,
    },
    /// Bytes of the program's memory.
    Memory {
        /// An expression for the address.
        address: String,
        /// How many bytes.
        length: u32,
        /// Of which memory, where the program has several; of that which the address is in, if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        memory: Option<u32>,
    },
    /// Memory as numbers or texts, as gdb's `x` has it.
    Examine {
        /// How many, which notation, which size: `4xw`. Notations are `x`, `d`, `u`, `t`, `o`, `c`, `f` and `s` (texts
        /// that end with a zero); sizes `b` (1 byte), `h` (2), `w` (4) and `g` (8).
        layout: String,
        /// An expression for the address.
        address: String,
        /// Of which memory, where the program has several; of that which the address is in, if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        memory: Option<u32>,
    },
    /// Source lines around a place (the place shown if none is given).
    List {
        /// Where.
        place: Option<CodePlace>,
        /// How many lines before and after.
        around: u32,
    },
    /// Disassembly around a place.
    Disassemble {
        /// Where.
        place: Option<CodePlace>,
        /// How many instructions before and after; the whole function if 0.
        around: u32,
    },
    /// Functions of the program whose name contains the text.
    Functions {
        /// Part of the name.
        containing: String,
    },
    /// The multiverse as text.
    Tree {
        /// How many lines at the most.
        lines: u32,
    },
    /// The shape of the multiverse as data.
    Multiverse,
    /// Entries of one branch as data.
    Entries {
        /// The branch.
        branch: u32,
        /// The index of the place before the first of them.
        from: u32,
        /// How many at the most.
        count: u32,
        /// With the arguments of calls, which takes a replay.
        calls: bool,
    },
    /// The universes that a text leads to: a primitive's name, a value, the words of a trap; whatever its case.
    Find {
        /// The text.
        text: String,
        /// How many to list; at most 1,000.
        most: u32,
    },
    /// Many universes at a glance: what came of each, its board, what expressions come to there.
    Leaves {
        /// Which; those at the ends of all branches if none is named.
        #[serde(default)]
        universes: Vec<UniverseId>,
        /// What to evaluate in each: an expression of the source, in which `motor N` is an angle in degrees, `pin N` a level
        /// and `clock` the board's time in milliseconds.
        #[serde(default)]
        expressions: Vec<String>,
        /// What decides whether a universe is painted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        paint: Option<String>,
        /// Whether to show the boards.
        #[serde(default)]
        boards: bool,
        /// The number of the first one that is wanted.
        #[serde(default)]
        from: u32,
        /// How many at the most; at most 4,096.
        most: u32,
    },
    /// What an expression was each time that a place was passed on the current path, all of it.
    Hits {
        /// The place.
        place: CodePlace,
        /// The expression.
        expression: String,
        /// The first step that is looked at.
        #[serde(default)]
        from: u64,
        /// How many to list; at most 10,000.
        most: u32,
    },
    /// How many inputs, outputs and events lie in each of so many equally long stretches of the current path.
    Density {
        /// How many; at most 8,192.
        stretches: u32,
    },
    /// The calls that are about to happen in some universes.
    Calls {
        /// Which; at most 256.
        universes: Vec<UniverseId>,
    },
    /// The inputs that the program can read, and what they may answer here.
    Inputs,
    /// The values of expressions along the current path.
    Series {
        /// What to evaluate, in the innermost frame that knows it.
        expressions: Vec<String>,
        /// At how many moments at the most.
        samples: u32,
    },
    /// Inputs, outputs and events around the place shown.
    Path {
        /// How many before and after.
        around: u32,
    },
    /// The mocks.
    Mocks,
    /// The breakpoints.
    Breakpoints,
    /// The board at the moment shown.
    Board,
    /// What the program printed up to the moment shown.
    Console,
    /// Where the user and the device are, what is attached, how large everything is.
    Info,
    /// Asks about the futures of the universe shown; nothing moves.
    Suggest {
        /// What.
        question: Question,
        /// How far to look.
        #[serde(default)]
        within: Within,
    },
    /// Counts all states that follow the universe shown, without keeping them; nothing moves.
    Survey {
        /// How.
        #[serde(default)]
        survey: Box<StatesSurvey>,
    },
    /// The notes and bookmarks.
    Notes,
    /// The moment shown as a string that names it in every session of the same program.
    Moment,
    /// The files of a program of an operating system, with what changed; or what is in one of them.
    Files {
        /// The file to show; without one, all are listed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        path: Option<String>,
        /// The universe to compare with; without one, the start.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional = nullable))]
        since: Option<String>,
    },
    /// What a program of an operating system has open: descriptors, what they lead to, and where they stand.
    Descriptors,
    /// What a program of an operating system has written to standard output and error up to the moment shown, and with
    /// which code it ended.
    Streams,
    /// Compares two universes: the first difference of their paths, and what differs in the states.
    Compare {
        /// As in [`Act::Jump`].
        left: String,
        /// As in [`Act::Jump`].
        right: String,
    },
    /// Asks the session file a question in SQL.
    Query {
        /// One `SELECT`; docs/session-files.md lists tables and views.
        sql: String,
    },
}

/// A value of the program that is looked into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Whole {
    /// A parameter or local, in the order of [`Look::Variables`].
    Local {
        /// Its number, from 0.
        number: u32,
    },
    /// A global, in the order of [`Look::Variables`].
    Global {
        /// Its number, from 0.
        number: u32,
    },
    /// What an expression comes to.
    Expression {
        /// The expression.
        text: String,
    },
}

impl Look {
    /// Whether it may take long, and is of use also when it was cut short: nobody who acts has to wait for it.
    #[must_use]
    pub fn gives_way(&self) -> bool {
        matches!(
            self,
            Self::Series { .. }
                | Self::Find { .. }
                | Self::Leaves { .. }
                | Self::Hits { .. }
                | Self::Density { .. }
        )
    }
}

/// A value in a table of [`Look::Query`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Cell {
    /// Nothing.
    Null,
    /// An integer.
    Integer(i64),
    /// A float.
    Real(f64),
    /// A text; bytes as hexadecimal digits.
    Text(String),
}

/// Why the view or the device stands where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum StopReason {
    /// A step or a jump came to its end.
    Done,
    /// A breakpoint.
    Breakpoint {
        /// Its number.
        id: u32,
    },
    /// The call that comes next would break a limit of the board.
    Limit {
        /// Which, and what it would be.
        limit: String,
    },
    /// The program returned these values.
    Finished {
        /// As text.
        results: Vec<String>,
    },
    /// The program trapped.
    Trapped {
        /// Which trap, and what the program said of it.
        trap: String,
    },
    /// The user paused it.
    Paused,
    /// The start of the program: nothing lies before.
    Start,
    /// The end of what is recorded of this path: beyond it, the device would have to go on.
    Tip,
    /// A search backwards or a temporary stop found nothing; the view has not moved.
    NotFound,
    /// A bound was reached before the stop: the steps that were asked for, or the entries that one live run may record.
    Bound,
}

/// A stop: why and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Stop {
    /// Why.
    #[serde(flatten)]
    pub reason: StopReason,
    /// Where.
    pub at: PlaceView,
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// The view moved (or did not, and says why).
    Stopped(Stop),
    /// Done, in words.
    Done {
        /// What was done.
        message: String,
    },
    /// A breakpoint was set.
    BreakpointSet(BreakpointListing),
    /// The breakpoints.
    Breakpoints {
        /// In order of their numbers.
        breakpoints: Vec<BreakpointListing>,
    },
    /// The mocks.
    Mocks {
        /// In the order of registration.
        mocks: Vec<MockListing>,
    },
    /// A value.
    Value {
        /// What was asked.
        expression: String,
        /// Its value.
        value: String,
        /// Its type, if known.
        #[serde(rename = "type")]
        type_name: String,
    },
    /// Variables.
    Variables(VariableListing),
    /// What a value has in it.
    Expanded(ExpandedListing),
    /// Agents.
    Agents {
        /// In the order of their births.
        agents: Vec<AgentView>,
    },
    /// The call stack.
    Stack(StackListing),
    /// Memory.
    Memory(MemoryListing),
    /// Memory as numbers or texts.
    Examined(ExaminedListing),
    /// Source text.
    Source(SourceListing),
    /// Disassembly.
    Disassembly(Disassembly),
    /// Functions.
    Functions(FunctionListing),
    /// The multiverse.
    Tree(TreeListing),
    /// The shape of the multiverse.
    Multiverse(MultiverseListing),
    /// Entries of a branch.
    Entries(EntryListing),
    /// Universes that a text leads to.
    Found(FoundListing),
    /// Futures that were played out.
    Played(Box<PlayedListing>),
    /// Universes at a glance.
    Leaves(LeavesListing),
    /// What an expression was each time that a place was passed.
    Hits(HitsListing),
    /// How densely entries lie on the current path.
    Density(DensityListing),
    /// The calls about to happen; nothing where none is.
    Calls {
        /// In the order of the question.
        calls: Vec<Option<String>>,
    },
    /// Inputs.
    Inputs {
        /// In the order in which the program imports them.
        inputs: Vec<InputListing>,
    },
    /// Values along the current path.
    Series(SeriesListing),
    /// A path.
    Path(PathListing),
    /// The board.
    Board(BoardListing),
    /// The console.
    Console {
        /// All that was printed on this path.
        text: String,
    },
    /// What is in a file of a program of an operating system.
    File(FileContents),
    /// What a program of an operating system has written.
    Streams(StreamsListing),
    /// Facts about the session.
    Info(Box<Info>),
    /// Notes and bookmarks.
    Notes {
        /// In the order of the multiverse.
        notes: Vec<NoteListing>,
    },
    /// A moment.
    Moment {
        /// Its string.
        moment: String,
        /// Its number in this session.
        universe: UniverseId,
    },
    /// Two universes compared.
    Difference(Box<UniverseDifference>),
    /// The last write of a place.
    Written(Box<Written>),
    /// The answer to a question.
    Table(TableListing),
    /// Futures.
    Suggestions(Box<SuggestionListing>),
    /// What a survey came to.
    Surveyed(Box<SurveyListing>),
}

impl Reply {
    /// A reply in words.
    pub(crate) fn done(message: &str) -> Self {
        Self::Done {
            message: message.to_owned(),
        }
    }
}

/// What happens while a command is carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The program printed something, on the device, live.
    Console {
        /// The text.
        text: String,
    },
    /// A program of an operating system wrote to its standard output or error, in a plain run.
    Stream {
        /// Whether it is standard error.
        is_error: bool,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A log message of a breakpoint.
    Log {
        /// The breakpoint.
        id: u32,
        /// The text.
        text: String,
    },
    /// How far a long piece of work has come.
    Progress {
        /// What is being done.
        what: String,
        /// Steps done.
        done: u64,
        /// Steps in all, if known.
        total: Option<u64>,
    },
    /// How far a survey has come, of which more is known than a number.
    Surveying {
        /// How many states there are so far.
        states: u64,
        /// What else is known.
        survey: SurveyProgress,
    },
    /// What there is to be seen while the program runs, some times in a second, for whoever wants to see it
    /// ([`crate::Session::look_on`]).
    Live(Box<LiveListing>),
    /// Something the user should know that is no failure of the command.
    Warning {
        /// The text.
        text: String,
    },
}

impl Event {
    /// How far what goes from state to state has come, in its words if there is no more to say.
    #[must_use]
    pub fn exploring(what: &str, come: &Explored) -> Self {
        let states = come.states;
        match come.survey {
            Some(survey) => Self::Surveying { states, survey },
            None => Self::Progress {
                what: what.to_owned(),
                done: states,
                total: None,
            },
        }
    }
}

/// Whether the work should go on: what an observer of [`Event`]s answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Pause or cancel as soon as the state is sound.
    Pause,
}

/// Hears what happens during a command, and may pause it.
pub type Observer<'o> = &'o mut dyn FnMut(Event) -> Flow;

/// An observer for what must not be left half-way.
pub(crate) fn unobserved(_: Event) -> Flow {
    Flow::Continue
}
