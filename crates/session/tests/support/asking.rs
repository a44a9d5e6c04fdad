//! Commands to a session, and what it answers.

#![allow(
    unreachable_pub,
    reason = "each test binary includes it as a module of its own"
)]

use borges_session::command::{Command, Look};
use borges_session::{Flow, Reply, Session};

pub fn execute(session: &mut Session, command: impl Into<Command>) -> Result<Reply, String> {
    let reply = session.execute(command, &mut |_| Flow::Continue);
    reply.map_err(|error| error.to_string())
}

pub fn run(session: &mut Session, command: impl Into<Command>) -> Reply {
    execute(session, command).expect("the command is carried out")
}

/// The entries of the path, in words: those that are not thousands away.
pub fn path(session: &mut Session) -> Vec<String> {
    match run(session, Look::Path { around: 1000 }) {
        Reply::Path(path) => path.entries.into_iter().map(|entry| entry.text).collect(),
        other => panic!("{other:?}"),
    }
}
