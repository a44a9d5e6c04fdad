//! A terminal, or another face, at a session that a server owns.

use std::io::ErrorKind;
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::time::Duration;

use borges_hub::Message;
use borges_hub::protocol::{Ask, Replied, Tell};
use borges_session::command::{Command, Event, Flow, Reply};
use thiserror::Error;
use tungstenite::protocol::{Role, WebSocket};

/// How often the observer is asked while the server says nothing.
const LOOK_EVERY: Duration = Duration::from_millis(5);

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

/// Connects to one of the sockets of the server whose page has this address.
fn shake_hands(url: &str, place: &str) -> Result<WebSocket<TcpStream>, AttachError> {
    let wrong = || AttachError::Address(url.to_owned());
    let rest = url.trim().strip_prefix("http://").ok_or_else(wrong)?;
    let (host, path) = rest.split_once('/').ok_or_else(wrong)?;
    let token = path.split(['/', '#', '?']).next().filter(|t| !t.is_empty());
    let token = token.ok_or_else(wrong)?;
    let failed = |error: &dyn std::fmt::Display| AttachError::Connect(error.to_string());
    let stream = TcpStream::connect(host).map_err(|error| failed(&error))?;
    let _slower = stream.set_nodelay(true);
    let address = format!("ws://{host}/{token}/{place}");
    let (socket, _) = tungstenite::client(address, stream).map_err(|error| failed(&error))?;
    Ok(socket)
}

/// Somebody at a server's session, who is told what happens there as it happens; gone when this is dropped.
pub struct Joined {
    /// Only written to: what is read comes by a socket of its own, over the same stream.
    out: Mutex<WebSocket<TcpStream>>,
}

impl Joined {
    /// Joins the session of the server whose page has this address: to see everything, or for answers only. `told` is told
    /// until it answers false, on a thread of its own.
    ///
    /// # Errors
    /// [`AttachError`].
    pub fn join(
        url: &str,
        sees: bool,
        mut told: impl FnMut(Message) -> bool + Send + 'static,
    ) -> Result<Self, AttachError> {
        let mut socket = shake_hands(url, if sees { "socket" } else { "terminal" })?;
        let failed = |error: std::io::Error| AttachError::Connect(error.to_string());
        let stream = socket.get_ref().try_clone().map_err(failed)?;
        let out = WebSocket::from_raw_socket(stream, Role::Client, None);
        let reading = move || {
            loop {
                let message = match socket.read() {
                    Ok(tungstenite::Message::Text(text)) => Message::Text(text.as_str().into()),
                    Ok(tungstenite::Message::Binary(bytes)) => Message::Binary(bytes[..].into()),
                    Ok(_) => continue,
                    Err(_) => return,
                };
                if !told(message) {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("page".to_owned());
        thread.spawn(reading).map_err(failed)?;
        let out = Mutex::new(out);
        Ok(Self { out })
    }

    /// Asks. A server that has gone does not hear it: whoever is told nothing any more knows.
    pub fn ask(&self, ask: &Ask) {
        // Questions are plain data with text keys: they always have a JSON form.
        let text = serde_json::to_string(ask).unwrap_or_default();
        let mut out = self.out.lock().unwrap_or_else(|broken| broken.into_inner());
        let _gone = out.send(tungstenite::Message::text(text));
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        let out = self
            .out
            .get_mut()
            .unwrap_or_else(|broken| broken.into_inner());
        let _gone = out.get_ref().shutdown(Shutdown::Both);
    }
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
        let socket = shake_hands(url, "terminal")?;
        let timeout = socket.get_ref().set_read_timeout(Some(LOOK_EVERY));
        timeout.map_err(|error| AttachError::Connect(error.to_string()))?;
        Ok(Self { socket, next: 1 })
    }

    /// Has the server's session carry out a command. `observer` hears what happens meanwhile, and may pause.
    ///
    /// # Errors
    /// [`AttachError`].
    pub fn execute(
        &mut self,
        command: impl Into<Command>,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<Reply, AttachError> {
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        let command = command.into().to_value().map_err(AttachError::Failed)?;
        self.send(&Ask::Command { id, command })?;
        // What is known of the work, to be told again while the server says nothing.
        let mut progress = Event::Progress {
            what: "waiting for the session".to_owned(),
            done: 0,
            total: None,
        };
        let mut pausing = false;
        loop {
            let told = self.receive()?;
            let event = match &told {
                Some(Tell::Event { event }) => event,
                _ => &progress,
            };
            if observer(event.clone()) == Flow::Pause && !pausing {
                pausing = true;
                self.send(&Ask::Pause)?;
            }
            match told {
                Some(Tell::Reply {
                    id: of,
                    reply: Replied::Device(reply),
                }) if of == id => return Ok(*reply),
                Some(Tell::Failed { id: of, message }) if of == id => {
                    return Err(AttachError::Failed(message));
                }
                Some(Tell::Event {
                    event: event @ (Event::Progress { .. } | Event::Surveying { .. }),
                }) => progress = event,
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

    /// What the server says; nothing if it says nothing for a while, or nothing that means anything here.
    fn receive(&mut self) -> Result<Option<Tell>, AttachError> {
        let message = match self.socket.read() {
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                return Ok(None);
            }
            message => message.map_err(|error| AttachError::Lost(error.to_string()))?,
        };
        Ok(match message {
            tungstenite::Message::Text(text) => serde_json::from_str(&text).ok(),
            _ => None,
        })
    }
}
