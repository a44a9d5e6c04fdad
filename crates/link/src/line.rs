//! A line that is opened again when it breaks.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use borges_wire::guard::{Intrusion, Key};
use borges_wire::link::Link;
use serialport::SerialPort;
use thiserror::Error;

use crate::Address;
use crate::socket::{self, ConnectError, Socket, WAIT};

/// Between two attempts to open a broken line.
const RETRY: Duration = Duration::from_millis(200);
/// So often the other end may hang up before it has said anything, until that is taken for its answer.
const REBUFFS: u32 = 5;

/// A line cannot be opened.
#[derive(Debug, Error)]
pub enum LineOpenError {
    /// The serial port.
    #[error(
        "the serial port {port} cannot be opened: {source}; is the device plugged in, is another program using it, and may you use it (on Linux: group dialout)?"
    )]
    Serial {
        /// Its name.
        port: String,
        /// Why.
        source: serialport::Error,
    },
    /// The socket.
    #[error("nothing answers at {host}: {source}; is the device (or the emulator) running?")]
    Tcp {
        /// Where.
        host: String,
        /// Why.
        source: std::io::Error,
    },
    /// Another computer, without a key.
    #[error(
        "{host} is not on this computer: give the key of its board with --key-file, so that nobody else can speak for it, or to it"
    )]
    KeyNeeded {
        /// Where.
        host: String,
    },
    /// The other end hung up instead of proving that it has the key.
    #[error(
        "{host} does not take this key: it hung up. Is --key-file the file that the board was started with?"
    )]
    KeyRefused {
        /// Where.
        host: String,
    },
    /// The other end says nothing.
    #[error("{host} does not answer: is it a Borges board that was started with a key?")]
    KeyUnanswered {
        /// Where.
        host: String,
    },
    /// The other end speaks without a key.
    #[error(
        "{host} asks for no key, so it may be anybody: leave --key-file away if it is a device on this computer"
    )]
    NoKeyThere {
        /// Where.
        host: String,
    },
    /// The other end has another key.
    #[error(
        "{host} has another key than this one, so it may be anybody: nothing was told to it. Is --key-file the right one?"
    )]
    Impostor {
        /// Where.
        host: String,
    },
}

enum Stream {
    Serial(Box<dyn SerialPort>),
    Tcp(Socket),
}

/// A line that is opened again when it breaks.
pub(crate) struct Line {
    address: Address,
    key: Option<Key>,
    stream: Option<Stream>,
    last_attempt: Instant,
    beginning: Instant,
    /// How often the other end has hung up without a word; nothing once it has said something.
    rebuffs: Option<u32>,
}

impl Line {
    pub(crate) fn open(address: Address, key: Option<Key>) -> Result<Self, LineOpenError> {
        let mut stream = connect(&address, key.as_ref())?;
        if let (Address::Tcp { host }, Stream::Tcp(socket)) = (&address, &mut stream) {
            socket
                .wait_open()
                .map_err(|error| refused(host.clone(), &error))?;
        }
        let now = Instant::now();
        Ok(Self {
            address,
            key,
            stream: Some(stream),
            last_attempt: now,
            beginning: now,
            rebuffs: Some(0),
        })
    }

    /// The stream, opened anew if it broke and the time has come.
    fn stream(&mut self) -> Option<&mut Stream> {
        if self.stream.is_none() && self.last_attempt.elapsed() >= RETRY {
            self.last_attempt = Instant::now();
            self.stream = connect(&self.address, self.key.as_ref()).ok();
        }
        self.stream.as_mut()
    }

    /// What came out of reading or writing: how many bytes, or that the line broke.
    fn passed(&mut self, result: std::io::Result<usize>) -> usize {
        match result {
            Ok(length) => length,
            Err(error) if socket::is_patient(&error) => 0,
            Err(_) => {
                if let (Some(Stream::Tcp(socket)), Some(rebuffs)) =
                    (&self.stream, &mut self.rebuffs)
                    && !socket.heard
                {
                    *rebuffs += 1;
                }
                self.stream = None;
                self.last_attempt = Instant::now();
                0
            }
        }
    }
}

impl Link for Line {
    fn send(&mut self, bytes: &[u8]) -> usize {
        let result = match self.stream() {
            None => return 0,
            Some(Stream::Serial(port)) => port.write(bytes),
            Some(Stream::Tcp(socket)) => socket.write(bytes),
        };
        self.passed(result)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        let result = match self.stream() {
            None => {
                std::thread::sleep(WAIT);
                return 0;
            }
            // A serial port that has been pulled out reads nothing without an error, on some systems.
            Some(Stream::Serial(port)) => port.read(buffer).and_then(socket::ended),
            Some(Stream::Tcp(socket)) => socket.read(buffer),
        };
        let length = self.passed(result);
        if length > 0 {
            self.rebuffs = None;
        }
        length
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.beginning.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn trouble(&self) -> Option<&'static str> {
        let rebuffed = self.rebuffs.is_some_and(|rebuffs| rebuffs >= REBUFFS);
        rebuffed.then_some(
            "it hangs up without a word. Does it want a key (--key-file), or is another debugger connected?",
        )
    }
}

fn connect(address: &Address, key: Option<&Key>) -> Result<Stream, LineOpenError> {
    match address {
        Address::Serial { port, baud } => {
            let opened = serialport::new(port, *baud).timeout(WAIT).open();
            let failed = |source| LineOpenError::Serial {
                port: port.clone(),
                source,
            };
            opened.map(Stream::Serial).map_err(failed)
        }
        Address::Tcp { host } => connect_to(host, key).map(Stream::Tcp),
    }
}

/// Connects to a socket; whether the other end has the key is still to be seen.
pub(crate) fn connect_to(host: &str, key: Option<&Key>) -> Result<Socket, LineOpenError> {
    let connected = socket::connect(host, key);
    let host = host.to_owned();
    connected.map_err(|error| match error {
        ConnectError::KeyNeeded => LineOpenError::KeyNeeded { host },
        ConnectError::Io(source) => LineOpenError::Tcp { host, source },
    })
}

/// Why a connection ended before its other end had proved that it has the key.
pub(crate) fn refused(host: String, error: &std::io::Error) -> LineOpenError {
    match socket::intrusion(error) {
        Some(Intrusion::Unguarded) => LineOpenError::NoKeyThere { host },
        Some(Intrusion::WrongKey | Intrusion::Forged) => LineOpenError::Impostor { host },
        None if error.kind() == ErrorKind::ConnectionAborted => {
            LineOpenError::KeyUnanswered { host }
        }
        None => LineOpenError::KeyRefused { host },
    }
}
