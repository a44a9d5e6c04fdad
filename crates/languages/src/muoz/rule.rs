//! The rules, and what a step by one does.

use std::fmt;

use super::name::{ThreadName, VariableName};
use super::state::Value;

/// A rule of the semantics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// `skip`.
    Skip,
    /// `<br>`, where a run stops.
    Break,
    /// `assert` of what is true.
    Assert,
    /// A variable with a simple value.
    Variable,
    /// A procedure.
    Procedure,
    /// A port with an empty queue.
    Port,
    /// `if`, to the first branch.
    Then,
    /// `if`, to the second branch.
    Else,
    /// A procedure call.
    Call,
    /// A new thread.
    Thread,
    /// A message enters a queue.
    Send,
    /// A message leaves a queue and gets a new name.
    Receive,
}

impl Rule {
    /// The rule's names: plain, forward with logging, backward.
    const fn names(self) -> [&'static str; 3] {
        match self {
            Self::Skip => ["R:skp", "R:fw:skp", "R:bk:skp"],
            Self::Break => ["R:brk", "R:fw:brk", "R:bk:brk"],
            Self::Assert => ["R:ast", "R:fw:ast", "R:bk:ast"],
            Self::Variable => ["R:var", "R:fw:var", "R:bk:var"],
            Self::Procedure => ["R:npr", "R:fw:npr", "R:bk:npr"],
            Self::Port => ["R:npt", "R:fw:npt", "R:bk:npt"],
            Self::Then => ["R:if1", "R:fw:if1", "R:bk:if1"],
            Self::Else => ["R:if2", "R:fw:if2", "R:bk:if2"],
            Self::Call => ["R:cal", "R:fw:cal", "R:bk:cal"],
            Self::Thread => ["R:nth", "R:fw:nth", "R:bk:nth"],
            Self::Send => ["R:snd", "R:fw:snd", "R:bk:snd"],
            Self::Receive => ["R:rcv", "R:fw:rcv", "R:bk:rcv"],
        }
    }

    /// The rule of the plain semantics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.names()[0]
    }

    /// The rule that also logs.
    #[must_use]
    pub const fn forward(self) -> &'static str {
        self.names()[1]
    }

    /// The rule that undoes it.
    #[must_use]
    pub const fn backward(self) -> &'static str {
        self.names()[2]
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// `skip`.
    Skip,
    /// `<br>`.
    Break,
    /// A passed `assert`.
    Assert,
    /// Bound a variable to a simple value.
    Variable {
        /// The variable.
        name: VariableName,
        /// What it is.
        value: Value,
    },
    /// Declared a procedure.
    Procedure(VariableName),
    /// Made a port.
    Port(VariableName),
    /// Took the first branch of an `if`.
    Then,
    /// Took the second branch.
    Else,
    /// Called a procedure.
    Call {
        /// The procedure.
        procedure: VariableName,
        /// What it was given.
        arguments: Vec<VariableName>,
    },
    /// Created a thread.
    Thread(ThreadName),
    /// Sent a message.
    Send {
        /// To this port.
        port: VariableName,
        /// This variable.
        message: VariableName,
        /// How many messages had been sent to the port before.
        number: u32,
    },
    /// Received a message.
    Receive {
        /// From this port.
        port: VariableName,
        /// The variable that was received.
        message: VariableName,
        /// How it is called from now on.
        variable: VariableName,
        /// What it is.
        value: Value,
        /// How many messages had been received from the port before.
        number: u32,
    },
}

impl Act {
    /// The rule that did it.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        match self {
            Self::Skip => Rule::Skip,
            Self::Break => Rule::Break,
            Self::Assert => Rule::Assert,
            Self::Variable { .. } => Rule::Variable,
            Self::Procedure(_) => Rule::Procedure,
            Self::Port(_) => Rule::Port,
            Self::Then => Rule::Then,
            Self::Else => Rule::Else,
            Self::Call { .. } => Rule::Call,
            Self::Thread(_) => Rule::Thread,
            Self::Send { .. } => Rule::Send,
            Self::Receive { .. } => Rule::Receive,
        }
    }

    /// The variable that it bound.
    #[must_use]
    pub const fn binds(&self) -> Option<&VariableName> {
        match self {
            Self::Variable { name, .. } | Self::Procedure(name) | Self::Port(name) => Some(name),
            Self::Receive { variable, .. } => Some(variable),
            _ => None,
        }
    }

    /// The thread that it created.
    #[must_use]
    pub const fn creates(&self) -> Option<&ThreadName> {
        match self {
            Self::Thread(child) => Some(child),
            _ => None,
        }
    }
}
