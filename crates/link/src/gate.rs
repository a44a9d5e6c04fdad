//! A TCP port at which a device waits for its debugger.

use std::io::{Error, ErrorKind};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::time::Instant;

use borges_wire::Side;
use borges_wire::guard::Key;
use borges_wire::link::Link;
use thiserror::Error;

use crate::socket::{self, Socket};

/// How many may be proving at a time that they have the key; who comes then has to wait.
const KNOCKING: usize = 8;

/// There is no port to wait at.
#[derive(Debug, Error)]
pub enum GateError {
    /// It can be reached from other computers, and there is no key.
    #[error(
        "{0} can be reached from other computers: give a key with --key-file, or listen on 127.0.0.1"
    )]
    KeyNeeded(String),
    /// The network says so.
    #[error("nobody can be waited for at {address}: {source}; is another program listening there?")]
    Io {
        /// Where.
        address: String,
        /// Why.
        source: Error,
    },
}

/// What happened at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// A debugger is connected.
    Came(SocketAddr),
    /// It hung up, or another one with the key took its place.
    Left(SocketAddr),
    /// Somebody has not proved that they have the key.
    TurnedAway(SocketAddr),
}

/// A TCP port at which a device waits for its debugger, one at a time.
///
/// The device's end of a [`Link`]: while nobody is connected it takes nothing and nothing arrives.
pub struct Gate {
    listener: TcpListener,
    key: Option<Key>,
    /// Who is connected.
    visitor: Option<(Socket, SocketAddr)>,
    /// Who is proving that they have the key.
    knocking: Vec<(Socket, SocketAddr)>,
    visits: Vec<Visit>,
    beginning: Instant,
}

impl Gate {
    /// Waits at an address, such as `127.0.0.1:5555`; port 0 is any that is free.
    ///
    /// # Errors
    /// [`GateError`] if it cannot be listened there, or strangers could come and there is no key.
    pub fn open(address: &str, key: Option<Key>) -> Result<Self, GateError> {
        let failed = |source| GateError::Io {
            address: address.to_owned(),
            source,
        };
        let places: Vec<SocketAddr> = address.to_socket_addrs().map_err(failed)?.collect();
        if key.is_none() && !places.iter().all(|place| socket::is_loopback(*place)) {
            return Err(GateError::KeyNeeded(address.to_owned()));
        }
        let listener = TcpListener::bind(places.as_slice()).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        Ok(Self {
            listener,
            key,
            visitor: None,
            knocking: Vec::new(),
            visits: Vec::new(),
            beginning: Instant::now(),
        })
    }

    /// Where it really waits.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What happened since the last call.
    pub fn visits(&mut self) -> Vec<Visit> {
        std::mem::take(&mut self.visits)
    }

    /// Lets in who may come in.
    fn answer(&mut self) {
        while self.knocking.len() < KNOCKING
            && let Ok((stream, from)) = self.listener.accept()
        {
            // A connection that fails at once is none. Nobody waits for who has not proved anything yet: strangers must
            // not slow the device down.
            if let Ok(socket) = Socket::new(stream, Side::Device, self.key.as_ref())
                && socket.set_waiting(false).is_ok()
            {
                self.knocking.push((socket, from));
            }
        }
        let mut waiting = Vec::new();
        for (mut socket, from) in std::mem::take(&mut self.knocking) {
            let failed = !socket.is_open()
                && socket
                    .read(&mut [])
                    .is_err_and(|error| !socket::is_patient(&error));
            if failed {
                self.visits.push(Visit::TurnedAway(from));
            } else if socket.is_open() {
                self.let_in(socket, from);
            } else {
                waiting.push((socket, from));
            }
        }
        self.knocking = waiting;
    }

    fn let_in(&mut self, socket: Socket, from: SocketAddr) {
        if socket.set_waiting(true).is_err() {
            return;
        }
        match &self.visitor {
            // Who has the key and comes again has lost the old connection, though nobody told us that it broke. Without
            // a key both ends are on one computer, where a broken connection is noticed: this is somebody else.
            Some(_) if self.key.is_none() => return,
            Some((_, old)) => self.visits.push(Visit::Left(*old)),
            None => {}
        }
        self.visits.push(Visit::Came(from));
        self.visitor = Some((socket, from));
    }

    /// What came out of reading or writing: how many bytes, or that the visitor left.
    fn passed(&mut self, result: std::io::Result<usize>) -> usize {
        match result {
            Ok(length) => length,
            Err(error) if socket::is_patient(&error) => 0,
            Err(_) => {
                let left = self.visitor.take().map(|(_, from)| Visit::Left(from));
                self.visits.extend(left);
                0
            }
        }
    }
}

impl Link for Gate {
    fn send(&mut self, bytes: &[u8]) -> usize {
        let result = match &mut self.visitor {
            Some((socket, _)) => socket.write(bytes),
            None => Err(ErrorKind::WouldBlock.into()),
        };
        self.passed(result)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        let result = match &mut self.visitor {
            Some((socket, _)) => socket.read(buffer),
            None => Err(ErrorKind::WouldBlock.into()),
        };
        let length = self.passed(result);
        self.answer();
        if self.visitor.is_none() {
            std::thread::sleep(socket::WAIT);
        }
        length
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.beginning.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}
