//! How the command ends: exit codes, and failures told in words.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// What the exit code says ([`MEANINGS`]). Kept stable: scripts rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Ok,
    Failed,
    Usage,
    Input,
    Device,
    Unknown,
    Interrupted,
    /// A program of an operating system ended itself with this code, in `borges run`.
    Program(u8),
}

impl Exit {
    /// The number that the shell sees.
    #[must_use]
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Input => 3,
            Self::Device => 4,
            Self::Unknown => 5,
            Self::Interrupted => 130,
            Self::Program(code) => code,
        }
    }
}

/// Each code with its meaning, for the help text and the documentation.
pub(crate) const MEANINGS: &[(Exit, &str)] = &[
    (Exit::Ok, "it worked"),
    (
        Exit::Failed,
        "the program trapped, a check found a problem or a goal unmet, a replay differed, or a scripted command failed",
    ),
    (Exit::Usage, "the command line was wrong"),
    (
        Exit::Input,
        "a file could not be read, or is no valid program, board, session or script",
    ),
    (
        Exit::Device,
        "the device or the link to it failed, or a file could not be written",
    ),
    (
        Exit::Unknown,
        "neither yes nor no: nothing speaks against the goal, and not everything was looked at",
    ),
    (Exit::Interrupted, "ended by Ctrl-C"),
];

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// Why the command cannot go on.
#[derive(Debug)]
pub(crate) enum Failure {
    /// To be told to the user.
    Told {
        exit: Exit,
        /// What failed, and the likely cause.
        message: String,
        /// What to do or type next; may be empty.
        next: String,
    },
    /// Writing to standard output failed; a reader that went away is no failure.
    Output(io::Error),
}

impl Failure {
    /// A failure with a code and what to do next.
    pub(crate) fn new(exit: Exit, message: impl fmt::Display, next: impl Into<String>) -> Self {
        Self::Told {
            exit,
            message: message.to_string(),
            next: next.into(),
        }
    }

    /// A bad file.
    pub(crate) fn input(message: impl fmt::Display, next: impl Into<String>) -> Self {
        Self::new(Exit::Input, message, next)
    }

    /// A bad command line.
    pub(crate) fn usage(message: impl fmt::Display, next: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message, next)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
