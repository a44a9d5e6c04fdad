//! What arrives at an adapter: from the editor, from the session, from the debug console.

use borges_commands::completion::Completion;
use borges_commands::interpreter::Answer;
use borges_hub::Message;
use borges_session::command::Reply;
use serde_json::Value;

use crate::protocol::Request;

/// What arrives at an adapter, from both sides.
pub(crate) enum Arrival {
    /// The editor asks.
    Request(Request),
    /// The editor sent what is no request.
    Odd(String),
    /// The editor has gone, or nothing can be read of it any more, for this reason.
    Gone(Option<String>),
    /// The session tells.
    Told(Message),
    /// The session tells nothing any more.
    Lost,
    /// The debug console has come to something.
    Console(Said),
}

/// What the console has come to.
pub(crate) enum Said {
    Executed {
        request: Request,
        answer: Answer,
    },
    Completed {
        request: Request,
        line: String,
        at: usize,
        completion: Completion,
    },
}

/// The result of what was asked of the session.
pub(crate) type Replied = Result<Value, String>;

/// An answer of the session of a device program.
///
/// # Errors
/// It is of another version.
pub(crate) fn read_reply(reply: Value) -> Result<Reply, String> {
    serde_json::from_value(reply)
        .map_err(|error| format!("the session answered what is not understood here: {error}"))
}
