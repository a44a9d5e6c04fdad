//! A TCP connection, with or without a key.

use std::io::{Error, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use borges_wire::Side;
use borges_wire::guard::{Guard, Intrusion, Key, NONCE_BYTES};

/// How long reading waits if nothing has arrived: short enough for anything that also has to be done.
pub(crate) const WAIT: Duration = Duration::from_millis(1);
/// How long somebody may take to connect, and to prove that they have the key.
pub(crate) const HANDSHAKE: Duration = Duration::from_secs(5);
/// How much is read at a time.
const READ_BYTES: usize = 4096;

/// A TCP connection, with or without a key.
pub(crate) struct Socket {
    stream: TcpStream,
    guard: Option<Box<Guarded>>,
    /// Whether anything has ever arrived.
    pub(crate) heard: bool,
}

struct Guarded {
    guard: Guard,
    since: Instant,
    /// What arrived with a proof and was not read yet.
    plain: Vec<u8>,
}

impl Socket {
    /// A connection that exists. With a key, nothing passes before the other end has proved that it has it too.
    pub(crate) fn new(stream: TcpStream, side: Side, key: Option<&Key>) -> std::io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(WAIT))?;
        stream.set_write_timeout(Some(WAIT))?;
        let guard = match key {
            None => None,
            Some(key) => {
                let mut nonce = [0; NONCE_BYTES];
                getrandom::fill(&mut nonce).map_err(Error::other)?;
                Some(Box::new(Guarded {
                    guard: Guard::new(side, key, nonce),
                    since: Instant::now(),
                    plain: Vec::new(),
                }))
            }
        };
        Ok(Self {
            stream,
            guard,
            heard: false,
        })
    }

    /// Whether reading and writing wait for a moment, or not at all.
    pub(crate) fn set_waiting(&self, waiting: bool) -> std::io::Result<()> {
        self.stream.set_nonblocking(!waiting)
    }

    /// Whether the other end may speak.
    pub(crate) fn is_open(&self) -> bool {
        self.guard.as_ref().is_none_or(|own| own.guard.is_open())
    }

    /// Whether the other end has proved that it has the key; without one, whether it has said anything. Waits for nothing
    /// if that was said with [`Self::set_waiting`]. After an error the connection is over.
    pub(crate) fn has_proved(&mut self) -> std::io::Result<bool> {
        let tried = match &self.guard {
            None => self.stream.peek(&mut [0]).and_then(ended),
            Some(_) => self.read(&mut []),
        };
        let is_proved = self.guard.is_some() && self.is_open();
        match tried {
            Ok(_) => Ok(self.is_open()),
            Err(error) if is_patient(&error) || is_proved => Ok(is_proved),
            Err(error) => Err(error),
        }
    }

    /// Reads what has arrived. What cannot be now is [`ErrorKind::WouldBlock`] or [`ErrorKind::TimedOut`]; after any
    /// other error the connection is over.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(own) = &mut self.guard else {
            let length = ended(self.stream.read(buffer)?)?;
            self.heard = true;
            return Ok(length);
        };
        if own.plain.is_empty() {
            own.send(&mut self.stream)?;
            if !own.guard.is_open() && own.since.elapsed() > HANDSHAKE {
                return Err(ErrorKind::ConnectionAborted.into());
            }
            let mut bytes = [0; READ_BYTES];
            let length = ended(self.stream.read(&mut bytes)?)?;
            self.heard = true;
            let arrived = bytes.get(..length).unwrap_or_default();
            let taken = own.guard.take(arrived, &mut own.plain);
            taken.map_err(|intrusion| Error::new(ErrorKind::InvalidData, intrusion))?;
            own.send(&mut self.stream)?;
        }
        let length = own.plain.len().min(buffer.len());
        if length == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        for (place, byte) in buffer.iter_mut().zip(own.plain.drain(..length)) {
            *place = byte;
        }
        Ok(length)
    }

    /// Writes as much as goes now; errors are those of [`Self::read`].
    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let Some(own) = &mut self.guard else {
            return self.stream.write(bytes);
        };
        let taken = own.guard.seal(bytes);
        own.send(&mut self.stream)?;
        Ok(taken)
    }

    /// The connection itself; with a key, what guards it and what arrived with a proof and was not read yet.
    pub(crate) fn into_parts(self) -> (TcpStream, Option<(Guard, Vec<u8>)>) {
        let guarded = self.guard.map(|own| (own.guard, own.plain));
        (self.stream, guarded)
    }

    /// Waits until the other end has proved that it has the key.
    pub(crate) fn wait_open(&mut self) -> std::io::Result<()> {
        while !self.is_open() {
            // Nothing is for us before it is open: there is no room for it.
            match self.read(&mut []) {
                Err(error) if !is_patient(&error) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Guarded {
    /// Gives the stream what the guard has for it, as far as it goes.
    fn send(&mut self, stream: &mut TcpStream) -> std::io::Result<()> {
        let waiting = self.guard.outgoing();
        while !waiting.is_empty() {
            match stream.write(waiting) {
                Ok(length) => drop(waiting.drain(..length)),
                Err(error) if is_patient(&error) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Connects to the first of a host's addresses that answers. Without a key, they must all be of this computer.
pub(crate) fn connect(host: &str, key: Option<&Key>) -> Result<Socket, ConnectError> {
    let addresses: Vec<SocketAddr> = host.to_socket_addrs()?.collect();
    if key.is_none() && !addresses.iter().all(|address| is_loopback(*address)) {
        return Err(ConnectError::KeyNeeded);
    }
    let mut failed = Error::from(ErrorKind::AddrNotAvailable);
    for address in addresses {
        match TcpStream::connect_timeout(&address, HANDSHAKE) {
            Ok(stream) => return Ok(Socket::new(stream, Side::Host, key)?),
            Err(error) => failed = error,
        }
    }
    Err(failed.into())
}

/// Whether only programs on this computer can be there.
pub fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

/// Why there is no connection.
pub(crate) enum ConnectError {
    /// The address is another computer's, and there is no key.
    KeyNeeded,
    /// The network says so.
    Io(Error),
}

impl From<Error> for ConnectError {
    fn from(error: Error) -> Self {
        Self::Io(error)
    }
}

/// Whether an error only says that it does not go now.
pub(crate) fn is_patient(error: &Error) -> bool {
    let kind = error.kind();
    matches!(
        kind,
        ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted
    )
}

/// What the guard had against a connection, if that was why it ended.
pub(crate) fn intrusion(error: &Error) -> Option<Intrusion> {
    error.get_ref()?.downcast_ref().copied()
}

/// A stream that has ended reads nothing without an error.
pub(crate) fn ended(length: usize) -> std::io::Result<usize> {
    match length {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        length => Ok(length),
    }
}
