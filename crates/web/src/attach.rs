//! A terminal at a session that a server owns.

use std::net::TcpStream;

use borges_session::command::{Command, Event, Flow, Reply};
use thiserror::Error;
use tungstenite::protocol::WebSocket;

use crate::protocol::{Ask, Tell};

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum AttachError {
    /// The address is none of a page.
    #[error("'{0}' is no address of a page: it looks like http://127.0.0.1:PORT/TOKEN/")]
    Address(String),
    /// Nobody answers there.
    #[error("no server answers there: {0}")]
    Connect(String),
    /// The server has gone.
    #[error("the server has gone: {0}")]
    Lost(String),
    /// The command failed.
    #[error("{0}")]
    Failed(String),
}

/// A connection to a server.
pub struct Attached {
    socket: WebSocket<TcpStream>,
    next: u32,
}

impl Attached {
    /// Connects to the server whose page has this address.
    ///
    /// # Errors
    /// [`AttachError`].
    pub fn connect(url: &str) -> Result<Self, AttachError> {
        let wrong = || AttachError::Address(url.to_owned());
        let rest = url.trim().strip_prefix("http://").ok_or_else(wrong)?;
        let (host, path) = rest.split_once('/').ok_or_else(wrong)?;
        let token = path.split(['/', '#', '?']).next().filter(|t| !t.is_empty());
        let token = token.ok_or_else(wrong)?;
        let stream =
            TcpStream::connect(host).map_err(|error| AttachError::Connect(error.to_string()))?;
        let address = format!("ws://{host}/{token}/terminal");
        let (socket, _) = tungstenite::client(address, stream)
            .map_err(|error| AttachError::Connect(error.to_string()))?;
        Ok(Self { socket, next: 1 })
    }

    /// Has the server's session carry out a command. `observer` hears what happens meanwhile, and may pause.
    ///
    /// # Errors
    /// [`AttachError`].
    pub fn execute(
        &mut self,
        command: Command,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<Reply, AttachError> {
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        self.send(&Ask::Command { id, command })?;
        loop {
            match self.receive()? {
                Some(Tell::Reply { id: of, reply }) if of == id => return Ok(*reply),
                Some(Tell::Failed { id: of, message }) if of == id => {
                    return Err(AttachError::Failed(message));
                }
                Some(Tell::Event { event }) => {
                    let flow = observer(event);
                    if flow == Flow::Pause {
                        self.send(&Ask::Pause)?;
                    }
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, ask: &Ask) -> Result<(), AttachError> {
        let lost = |error: &dyn std::fmt::Display| AttachError::Lost(error.to_string());
        let text = serde_json::to_string(ask).map_err(|error| lost(&error))?;
        self.socket
            .send(tungstenite::Message::text(text))
            .map_err(|error| lost(&error))
    }

    fn receive(&mut self) -> Result<Option<Tell>, AttachError> {
        let message = self.socket.read();
        let message = message.map_err(|error| AttachError::Lost(error.to_string()))?;
        Ok(match message {
            tungstenite::Message::Text(text) => serde_json::from_str(&text).ok(),
            _ => None,
        })
    }
}
