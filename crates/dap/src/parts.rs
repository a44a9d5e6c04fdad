//! What everybody sees of a session, as it was last told: most of what an editor asks at a stop is answered from it.

use borges_hub::protocol::{FileListing, Part, ProgramListing, RunningListing};
use borges_hub::{ModelListing, TextListing};
use borges_session::command::{Event, Stop};
use borges_session::listing::{
    AgentView, BoardListing, BreakpointListing, Info, InputListing, StackFrame, StreamsListing,
    VariableListing,
};
use serde::Deserialize;
use serde_json::Value;

/// What is told: as the hub's protocol has it, with answers as data, for there are several kinds of them.
#[derive(Debug, Deserialize)]
#[serde(tag = "tell", rename_all = "kebab-case")]
pub(crate) enum Heard {
    Snapshot { parts: Vec<Part> },
    Patch { parts: Vec<Part> },
    Reply { id: u32, reply: Value },
    Failed { id: u32, message: String },
    Event { event: Event },
}

/// The parts.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) info: Option<Box<Info>>,
    pub(crate) model: Option<ModelListing>,
    pub(crate) text: Option<TextListing>,
    pub(crate) program: ProgramListing,
    pub(crate) stop: Option<Box<Stop>>,
    pub(crate) agents: Vec<AgentView>,
    /// The call stack, innermost first.
    pub(crate) frames: Vec<StackFrame>,
    pub(crate) variables: Option<VariableListing>,
    pub(crate) breakpoints: Vec<BreakpointListing>,
    pub(crate) board: Option<BoardListing>,
    pub(crate) streams: Option<StreamsListing>,
    pub(crate) inputs: Vec<InputListing>,
    /// What is being done, in words.
    pub(crate) doing: Option<String>,
    pub(crate) running: Option<Box<RunningListing>>,
    pub(crate) file: FileListing,
    /// Counts what inputs are and what they are answered by: variables of an editor that others can change.
    pub(crate) inputs_changed: u64,
}

impl Parts {
    /// Takes in what has changed.
    pub(crate) fn update(&mut self, parts: Vec<Part>) {
        for part in parts {
            match part {
                Part::Info(info) => self.info = info,
                Part::Model(model) => self.model = model,
                Part::Text(text) => self.text = Some(text),
                Part::Program(program) => self.program = program,
                Part::Stop(stop) => self.stop = stop,
                Part::Agents(agents) => self.agents = agents,
                Part::Stack(stack) => self.frames = stack.frames,
                Part::Variables(variables) => self.variables = Some(variables),
                Part::Breakpoints(breakpoints) => self.breakpoints = breakpoints,
                Part::Board(board) => self.board = Some(board),
                Part::Streams(streams) => self.streams = streams,
                Part::Inputs(inputs) => {
                    self.inputs = inputs;
                    self.inputs_changed += 1;
                }
                Part::Work(work) => self.doing = work.doing,
                Part::Running(running) => self.running = running,
                Part::File(file) => self.file = file,
                // An editor shows none of these, or asks for them by commands.
                Part::Shelf(_)
                | Part::Tour(_)
                | Part::Watches(_)
                | Part::Mocks(_)
                | Part::Notes(_)
                | Part::Console(_)
                | Part::Line(_)
                | Part::Suggestions(_)
                | Part::Pace(_) => {}
            }
        }
    }
}
