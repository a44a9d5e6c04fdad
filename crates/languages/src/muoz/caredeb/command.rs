//! What CaReDeb can be told.

use borges_multiverse::walk::Chooser;

use crate::muoz::{Recording, ThreadName};

/// What a roll or a replay aims at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// So many steps of a thread; all if none is said.
    Steps {
        /// Whose.
        thread: ThreadName,
        /// How many.
        count: Option<u32>,
    },
    /// The binding of a variable.
    Variable(String),
    /// So many sends to a port.
    Sends {
        /// The port.
        port: String,
        /// How many.
        count: u32,
    },
    /// So many receives from a port.
    Receives {
        /// The port.
        port: String,
        /// How many.
        count: u32,
    },
    /// The creation of a thread.
    Thread(ThreadName),
    /// The send of a port's n-th message, counted from 1.
    Message {
        /// The port.
        port: String,
        /// Which message.
        number: u32,
    },
    /// Everything.
    All,
}

/// A command of CaReDeb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Takes steps of a thread.
    Forth {
        /// Whose.
        thread: ThreadName,
        /// How many.
        count: u32,
    },
    /// Runs until the end, a breakpoint, or so many steps.
    Run {
        /// Who goes on, in the order of their names.
        chooser: Chooser<ThreadName>,
        /// How many steps at most.
        steps: Option<u64>,
    },
    /// Runs by one step of each of these, in this order.
    ByHand(Vec<ThreadName>),
    /// Undoes one step of a thread, unless others depend on it.
    Back(ThreadName),
    /// Undoes the target and exactly its consequences.
    Roll(Target),
    /// The threads.
    Threads,
    /// The variables.
    Store,
    /// A variable, a queue, or the code of a thread.
    Print(String),
    /// What a thread did, or what went through a port.
    History(String),
    /// What else could have been received from a port, and by whom.
    Races(String),
    /// Who waits for whom.
    Waits,
    /// Where a thread stands in the source.
    Where(ThreadName),
    /// The variables in scope of a thread.
    Bindings(ThreadName),
    /// Keeps the run so far, or a given one, to be replayed.
    Record(Option<Recording>),
    /// Does the target of the recorded run and exactly its causes.
    Replay(Target),
    /// Shows another universe of the session, by its number.
    Jump(u32),
    /// Goes to where the first universe comes by one step of each of these threads, in this order.
    Follow(Vec<ThreadName>),
}
