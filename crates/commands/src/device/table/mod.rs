//! The commands of a debugging session, a module for each of their headings.

mod inputs;
mod keeping;
mod looking;
mod moving;
mod multiverse;
mod session;
mod stopping;
mod suggesting;

use borges_session::command::{CodePlace, Command};

use crate::arguments::code_place;
use crate::cursor::{Cursor, Misread};
use crate::interpreter::{Everywhere, shares};
use crate::table::{Completes, Group, Table};

/// What a typed line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A command of the session.
    Session(Command),
    /// A command on the frame chosen with `up`, `down` and `frame`.
    InFrame(FrameCommand),
    /// Chooses a frame.
    Frame(FrameChoice),
    /// Shows an expression at every stop; lists those that are if there is none.
    Watch(Option<String>),
    /// Shows an expression no longer; all if there is none.
    Unwatch(Option<String>),
    /// Compares the universe shown with another one.
    CompareHere(String),
    /// What every prompt understands.
    Everywhere(Everywhere),
}

shares!(Everywhere);

impl<T: Into<Command>> From<T> for Request {
    fn from(command: T) -> Self {
        Self::Session(command.into())
    }
}

/// A command that looks at the chosen frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameCommand {
    /// [`borges_session::command::Look::Print`].
    Print(String),
    /// [`borges_session::command::Look::Variables`], of an agent.
    Variables(Option<String>),
}

/// A choice of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameChoice {
    /// The caller.
    Up(u32),
    /// The callee.
    Down(u32),
    /// This one; 0 is the innermost.
    Number(u32),
}

const PLACES: &[Completes] = &[Completes::Line, Completes::Function];
const UNIVERSES: &[Completes] = &[Completes::Universe];
const PLACE_HELP: &str = "A PLACE is a line (19), a line of a file (color-dial.ts:19; the end of its path is enough), \
a function (turnTo) or the byte offset of an instruction (@0x1a3).";

/// Every command of a session, as help lists them.
pub const COMMANDS: Table<Request> = Table(&[
    Group::new("Moving", moving::COMMANDS),
    Group::new("The multiverse", multiverse::COMMANDS),
    Group::new("Futures", suggesting::COMMANDS),
    Group::new("Stopping", stopping::COMMANDS),
    Group::new("Inputs", inputs::COMMANDS),
    Group::new("Looking", looking::COMMANDS),
    Group::new("Notes", keeping::COMMANDS),
    Group::new("The session", session::COMMANDS),
]);

/// Reads a command that has no arguments.
macro_rules! bare {
    ($command:expr) => {
        |_| Ok(super::Request::from($command))
    };
}
use bare;

/// A place, unless the line ends or goes on with a number that is followed by nothing and cannot be one.
fn place_if_any(cursor: &mut Cursor<'_>) -> Result<Option<CodePlace>, Misread> {
    cursor.word().map(code_place).transpose()
}
