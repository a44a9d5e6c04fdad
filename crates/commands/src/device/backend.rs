//! The session behind a prompt.

use borges_session::command::{Command, Reply};
use borges_session::listing::PlaceView;
use borges_session::{Observer, Session};

/// Where a prompt's session is: in this process, or behind a socket.
pub trait Backend {
    /// Carries out a command. `observer` hears of what happens meanwhile, and may pause.
    ///
    /// # Errors
    /// Why it failed, for people.
    fn execute(&mut self, command: Command, observer: Observer<'_>) -> Result<Reply, String>;

    /// The moment shown, as far as this prompt knows: others may have moved it since.
    fn here(&self) -> PlaceView;
}

impl Backend for Session {
    fn execute(&mut self, command: Command, observer: Observer<'_>) -> Result<Reply, String> {
        let reply = Session::execute(self, command, observer);
        reply.map_err(|error| error.to_string())
    }

    fn here(&self) -> PlaceView {
        Session::here(self)
    }
}
