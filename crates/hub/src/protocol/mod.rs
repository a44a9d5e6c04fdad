//! What goes over the socket: text messages as JSON, and binary frames (`frames.rs` says which).

pub(crate) mod model;

use borges_session::command::{Event, Reply, Stop, UniverseId};
use borges_session::listing::{
    AgentView, BoardListing, BreakpointListing, EntryRow, FunctionEntry, Info, InputListing,
    MockListing, NoteListing, StackListing, StreamsListing, VariableListing,
};
use borges_session::suggest::{Question, SuggestionListing, Within};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use model::{ModelListing, ModelReply, TextListing};

/// The version of this protocol: a page of another build reloads itself.
pub const VERSION: u32 = 6;

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Ask {
    /// A command of the session: which there are depends on what is debugged.
    Command {
        /// Comes back with the answer.
        id: u32,
        /// What to do.
        #[cfg_attr(test, ts(type = "Command | import(\"../model/types\").ModelCommand"))]
        command: Value,
    },
    /// Entries of a branch, as a binary frame.
    Entries {
        /// Comes back with the frame.
        id: u32,
        /// The branch.
        branch: u32,
        /// The index of the place before the first of them.
        from: u32,
        /// How many at the most.
        count: u32,
        /// With the arguments of calls, which takes a replay.
        calls: bool,
    },
    /// Pauses or cancels what is being done and what waits in line, whoever asked for it.
    Pause,
    /// How many times as fast as the clock on the wall the board's clock goes, at most, while the program runs. Does not
    /// wait in line.
    Pace {
        /// Nothing for as fast as possible.
        #[serde(default)]
        times: Option<u32>,
    },
    /// Watches these expressions, for everybody who looks.
    Watch {
        /// All of them.
        expressions: Vec<String>,
    },
    /// Uploads the program by itself whenever its file changes.
    FollowFile {
        /// On or off.
        on: bool,
    },
    /// Opens another program or session for everybody who looks.
    Open {
        /// Comes back with the answer.
        id: u32,
        /// A file.
        path: String,
    },
    /// Asks about the futures of the universe shown; answers arrive as a part, for everybody, while one works.
    Suggest {
        /// Comes back when the search has begun.
        id: u32,
        /// What.
        question: Question,
        /// How far to look.
        within: Box<Within>,
        /// Nobody asked for it: it ends, and what it found is forgotten, when a command acts.
        #[serde(default)]
        quiet: bool,
    },
    /// Ends the search: what was found is kept. Forgets it if it has ended.
    EndSuggestions,
    /// Sends the snapshot again.
    Resync,
}

impl Ask {
    /// What comes back with the answer; nothing if there is none.
    pub(crate) fn id(&self) -> Option<u32> {
        match self {
            Self::Command { id, .. }
            | Self::Entries { id, .. }
            | Self::Open { id, .. }
            | Self::Suggest { id, .. } => Some(*id),
            _ => None,
        }
    }
}

/// What a client is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "tell", rename_all = "kebab-case")]
pub enum Tell {
    /// Everything, and the number that the next patch continues from.
    Snapshot {
        /// [`VERSION`].
        version: u32,
        /// The number.
        number: u32,
        /// All parts.
        parts: Vec<Part>,
    },
    /// What has changed.
    Patch {
        /// One more than that of the last patch or snapshot.
        number: u32,
        /// The parts that are different now.
        parts: Vec<Part>,
    },
    /// The answer to a command.
    Reply {
        /// That of the question.
        id: u32,
        /// The answer.
        #[cfg_attr(test, ts(type = "Reply | import(\"../model/types\").ModelReply"))]
        reply: Replied,
    },
    /// A command could not be carried out.
    Failed {
        /// That of the question.
        id: u32,
        /// Why, and what to do.
        message: String,
    },
    /// Something happened meanwhile.
    Event {
        /// What.
        event: Event,
    },
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Replied {
    /// Of a device program.
    Device(Box<Reply>),
    /// Of a program of a model language. Words in its rows are `'static`: it is never read back.
    #[serde(skip_deserializing)]
    Model(Box<ModelReply>),
}

/// A part of what everybody sees. Each is sent when it has changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "part", content = "is", rename_all = "kebab-case")]
pub enum Part {
    /// What can be opened.
    Shelf(ShelfListing),
    /// Facts about the session of a device program; nothing while none is open.
    Info(Option<Box<Info>>),
    /// Facts about the session of a program of a model language; nothing while none is open.
    Model(Option<ModelListing>),
    /// The text of a program of a model language, and its breakpoints.
    Text(TextListing),
    /// The tour that leads through the program, if it is an example.
    Tour(Option<TourListing>),
    /// Files and functions of the program.
    Program(ProgramListing),
    /// Why the view stands where it stands.
    Stop(Option<Box<Stop>>),
    /// Who acts.
    Agents(Vec<AgentView>),
    /// The call stack.
    Stack(StackListing),
    /// Variables of the frame shown and globals.
    Variables(VariableListing),
    /// Watched expressions.
    Watches(Vec<WatchListing>),
    /// Breakpoints.
    Breakpoints(Vec<BreakpointListing>),
    /// Mocks.
    Mocks(Vec<MockListing>),
    /// Notes and bookmarks.
    Notes(Vec<NoteListing>),
    /// The board.
    Board(BoardListing),
    /// All that the program printed up to here, the end of it if it is long.
    Console(String),
    /// What a program of an operating system has written; nothing for others.
    Streams(Option<StreamsListing>),
    /// What the program can read.
    Inputs(Vec<InputListing>),
    /// The current path: the branch that motions forward follow.
    Line(LineListing),
    /// Futures that were asked for; nothing if none were.
    Suggestions(Option<Box<SuggestionListing>>),
    /// What is being done.
    Work(WorkListing),
    /// Where the program is, while it runs: then this comes with the parts that have changed, 10 to 20 times a second.
    /// Nothing while it stands still.
    Running(Option<Box<RunningListing>>),
    /// How fast the board's clock goes while the program runs.
    Pace(PaceListing),
    /// The program's file.
    File(FileListing),
}

/// The program for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ProgramListing {
    /// Source files, those with most functions first.
    pub files: Vec<String>,
    /// Its functions.
    pub functions: Vec<FunctionEntry>,
    /// What was left out of the debug information because it is broken.
    pub warnings: Vec<String>,
}

/// The current path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LineListing {
    /// The branch whose tip is the end of the path.
    pub branch: u32,
}

/// A watched expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct WatchListing {
    /// What is watched.
    pub expression: String,
    /// Its value, or why it has none.
    pub value: String,
    /// Its type, if known.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Whether it has a value.
    pub ok: bool,
    /// Whether it differs from the last stop.
    pub changed: bool,
}

/// What is being done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct WorkListing {
    /// In words; nothing while all is quiet.
    pub doing: Option<String>,
}

/// Where a running program is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct RunningListing {
    /// The universe.
    pub universe: UniverseId,
    /// Steps since the program's start.
    pub steps: u64,
    /// What the board's clock shows, in microseconds.
    pub clock_us: u64,
    /// Entries in all branches.
    pub entries: u64,
    /// The last entries on the way, earliest first: the last of them is the one before the universe.
    pub tail: Vec<EntryRow>,
}

/// How fast the board's clock goes while the program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct PaceListing {
    /// At most so many times as fast as the clock on the wall; nothing for as fast as possible.
    pub times: Option<u32>,
}

/// The program's file, which somebody may rebuild.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FileListing {
    /// It is not what is being debugged any more.
    pub changed: bool,
    /// It is uploaded by itself when it changes.
    pub followed: bool,
}

/// What can be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ShelfListing {
    /// Programs to try.
    pub examples: Vec<ShelfEntry>,
    /// Sessions, the latest first.
    pub recent: Vec<ShelfEntry>,
}

/// A tour of an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TourListing {
    /// Its steps, as the page reads them (ui/src/tour).
    #[cfg_attr(test, ts(type = "unknown"))]
    pub steps: serde_json::Value,
}

/// Something that can be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ShelfEntry {
    /// Its name.
    pub name: String,
    /// The file to open.
    pub path: String,
    /// A line about it.
    pub about: String,
    /// The language that it is written in, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// What a picture of it would show: `dial`, `display`, `pixels`, `serial`, `lights`, `terminal`, `actors`, `threads`,
    /// `choices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}
