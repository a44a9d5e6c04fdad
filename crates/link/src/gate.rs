//! A TCP port at which a device waits for its debugger.
//!
//! Whoever connects and says nothing must not keep a debugger out. So a connection first *knocks*: with a key until it has
//! proved that it has it, without one until it has said something. It has a deadline for that, and where too many knock,
//! the one that has done so for longest goes. Without a key, a visitor of whom nobody vouches in the same time goes too.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::time::{Duration, Instant};

use borges_wire::Side;
use borges_wire::guard::Key;
use borges_wire::link::Link;
use thiserror::Error;

use crate::socket::{self, Socket};

/// How many may knock at a time.
const KNOCKING: usize = 32;
/// How many are heard at one look: strangers must not slow the device down.
const HEARD: usize = 64;

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
pub enum GateEvent {
    /// A debugger is connected.
    Came(SocketAddr),
    /// It hung up, or another one with the key took its place.
    Left(SocketAddr),
    /// Somebody has not proved that they have the key, or without one has said nothing.
    TurnedAway(SocketAddr),
}

/// A TCP port at which a device waits for its debugger, one at a time.
///
/// The device's end of a [`Link`]: while nobody is connected it takes nothing and nothing arrives.
pub struct Gate {
    listener: TcpListener,
    key: Option<Key>,
    /// Who is connected.
    visitor: Option<Visitor>,
    /// Who has to prove something first, longest ago first.
    knocking: VecDeque<Visitor>,
    /// How long that may take.
    patience: Duration,
    visits: Vec<GateEvent>,
    beginning: Instant,
}

struct Visitor {
    socket: Socket,
    from: SocketAddr,
    since: Instant,
    /// It is known to be a debugger.
    vouched: bool,
}

/// Listens at an address; where strangers could come, only with a key.
pub(crate) fn listen(address: &str, key: Option<&Key>) -> Result<TcpListener, GateError> {
    let failed = |source| unheard(address, source);
    let places: Vec<SocketAddr> = address.to_socket_addrs().map_err(failed)?.collect();
    if key.is_none() && !places.iter().all(|place| socket::is_loopback(*place)) {
        return Err(GateError::KeyNeeded(address.to_owned()));
    }
    TcpListener::bind(places.as_slice()).map_err(failed)
}

fn unheard(address: &str, source: Error) -> GateError {
    GateError::Io {
        address: address.to_owned(),
        source,
    }
}

impl Gate {
    /// Waits at an address, such as `127.0.0.1:5555`; port 0 is any that is free.
    ///
    /// # Errors
    /// [`GateError`] if it cannot be listened there, or strangers could come and there is no key.
    pub fn open(address: &str, key: Option<Key>) -> Result<Self, GateError> {
        let listener = listen(address, key.as_ref())?;
        let nonblocking = listener.set_nonblocking(true);
        nonblocking.map_err(|source| unheard(address, source))?;
        Ok(Self {
            listener,
            key,
            visitor: None,
            knocking: VecDeque::new(),
            patience: socket::HANDSHAKE,
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
    pub fn visits(&mut self) -> Vec<GateEvent> {
        std::mem::take(&mut self.visits)
    }

    /// Sets how long somebody may take to prove that they have the key, or without one to be known as a debugger; five
    /// seconds unless a test says otherwise.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The visitor speaks as a debugger does: it stays until it leaves.
    pub fn vouch(&mut self) {
        if let Some(visitor) = &mut self.visitor {
            visitor.vouched = true;
        }
    }

    /// Lets in who may come in.
    fn answer(&mut self) {
        for _ in 0..HEARD {
            let Ok((stream, from)) = self.listener.accept() else {
                break;
            };
            // A connection that fails at once is none. Nobody waits for who has not proved anything yet.
            if let Ok(socket) = Socket::new(stream, Side::Device, self.key.as_ref())
                && socket.set_waiting(false).is_ok()
            {
                if self.knocking.len() >= KNOCKING {
                    let longest = self.knocking.pop_front();
                    let turned = longest.map(|longest| GateEvent::TurnedAway(longest.from));
                    self.visits.extend(turned);
                }
                self.knocking.push_back(Visitor {
                    socket,
                    from,
                    since: Instant::now(),
                    vouched: self.key.is_some(),
                });
            }
        }
        for mut knocking in std::mem::take(&mut self.knocking) {
            match knocking.socket.has_proved() {
                Ok(true) => self.let_in(knocking),
                Ok(false) if knocking.since.elapsed() < self.patience => {
                    self.knocking.push_back(knocking);
                }
                Ok(false) | Err(_) => self.visits.push(GateEvent::TurnedAway(knocking.from)),
            }
        }
    }

    fn let_in(&mut self, mut visitor: Visitor) {
        if visitor.socket.set_waiting(true).is_err() {
            return;
        }
        match &self.visitor {
            // Who has the key and comes again has lost the old connection, though nobody told us that it broke. Without
            // a key both ends are on one computer, where a broken connection is noticed: this is somebody else, who
            // has to wait where it is not sure yet who is here.
            Some(here) if self.key.is_none() && here.vouched => return,
            Some(_) if self.key.is_none() => {
                if visitor.socket.set_waiting(false).is_ok() {
                    self.knocking.push_back(visitor);
                }
                return;
            }
            Some(old) => self.visits.push(GateEvent::Left(old.from)),
            None => {}
        }
        self.visits.push(GateEvent::Came(visitor.from));
        visitor.since = Instant::now();
        self.visitor = Some(visitor);
    }

    /// Without a key: who has come in and is still not known as a debugger leaves again.
    fn doubt(&mut self) {
        let doubted = self
            .visitor
            .take_if(|visitor| !visitor.vouched && visitor.since.elapsed() >= self.patience);
        self.visits
            .extend(doubted.map(|doubted| GateEvent::TurnedAway(doubted.from)));
    }

    /// What came out of reading or writing: how many bytes, or that the visitor left.
    fn passed(&mut self, result: std::io::Result<usize>) -> usize {
        match result {
            Ok(length) => length,
            Err(error) if socket::is_patient(&error) => 0,
            Err(_) => {
                let left = self.visitor.take().map(|old| GateEvent::Left(old.from));
                self.visits.extend(left);
                0
            }
        }
    }
}

impl Link for Gate {
    fn send(&mut self, bytes: &[u8]) -> usize {
        let result = match &mut self.visitor {
            Some(visitor) => visitor.socket.write(bytes),
            None => Err(ErrorKind::WouldBlock.into()),
        };
        self.passed(result)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        let result = match &mut self.visitor {
            Some(visitor) => visitor.socket.read(buffer),
            None => Err(ErrorKind::WouldBlock.into()),
        };
        let length = self.passed(result);
        self.doubt();
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

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use super::*;

    /// What a debugger says first, as far as a gate is concerned.
    const HELLO: &[u8] = b"hello";

    fn connect(gate: &Gate) -> TcpStream {
        let stream = TcpStream::connect(gate.address().unwrap()).unwrap();
        stream.set_nonblocking(false).unwrap();
        stream
    }

    /// Works until `done`, as a board does.
    fn work(gate: &mut Gate, done: impl Fn(&Gate, &[u8]) -> bool) -> Vec<GateEvent> {
        let (mut heard, mut visits) = (Vec::new(), Vec::new());
        let mut buffer = [0; 64];
        let begun = Instant::now();
        loop {
            let length = gate.receive(&mut buffer);
            heard.extend_from_slice(&buffer[..length]);
            visits.extend(gate.visits());
            if done(gate, &heard) {
                return visits;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{visits:?}");
        }
    }

    /// As many silent ones as `count`, then a debugger.
    fn comes_in_behind(count: usize, patience: Duration) -> Vec<GateEvent> {
        let gate = Gate::open("127.0.0.1:0", None).unwrap();
        let mut gate = gate.with_patience(patience);
        let mut silent = Vec::new();
        let mut visits = Vec::new();
        for number in 0..count {
            silent.push(connect(&gate));
            // The operating system lets only so many wait for us.
            if number % 50 == 49 {
                visits.extend(work(&mut gate, |gate, _| !gate.knocking.is_empty()));
            }
        }
        let mut debugger = connect(&gate);
        debugger.write_all(HELLO).unwrap();
        visits.extend(work(&mut gate, |_, heard| heard == HELLO));
        gate.vouch();
        assert_eq!(gate.send(b"board"), 5);
        let mut answer = [0; 5];
        debugger.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"board");
        assert!(gate.knocking.len() <= KNOCKING);
        visits
    }

    #[test]
    fn silent_connections_keep_nobody_out() {
        let long = Duration::from_secs(3600);
        let turned_away = |visits: &[GateEvent]| {
            let turned = visits.iter();
            turned
                .filter(|visit| matches!(visit, GateEvent::TurnedAway(_)))
                .count()
        };
        // Where there is room for all of them, and for one more: nobody has to go.
        assert_eq!(turned_away(&comes_in_behind(3, long)), 0);
        assert_eq!(turned_away(&comes_in_behind(KNOCKING - 1, long)), 0);
        // One past it, the first one goes; and with very many.
        assert_eq!(turned_away(&comes_in_behind(KNOCKING, long)), 1);
        assert_eq!(turned_away(&comes_in_behind(300, long)), 301 - KNOCKING);
    }

    #[test]
    fn who_says_nothing_has_to_go_in_the_end() {
        let gate = Gate::open("127.0.0.1:0", None).unwrap();
        let mut gate = gate.with_patience(Duration::from_millis(20));
        let silent: Vec<TcpStream> = (0..5).map(|_| connect(&gate)).collect();
        let mut visits = work(&mut gate, |gate, _| gate.knocking.len() == silent.len());
        visits.extend(work(&mut gate, |gate, _| gate.knocking.is_empty()));
        assert_eq!(visits.len(), silent.len(), "{visits:?}");
        let is_turned_away = |visit: &GateEvent| matches!(visit, GateEvent::TurnedAway(_));
        assert!(visits.iter().all(is_turned_away), "{visits:?}");
    }

    #[test]
    fn who_says_what_no_debugger_says_gives_way() {
        let gate = Gate::open("127.0.0.1:0", None).unwrap();
        let mut gate = gate.with_patience(Duration::from_millis(20));
        let mut noisy = connect(&gate);
        noisy.write_all(b"noise").unwrap();
        work(&mut gate, |_, heard| heard == b"noise");
        let mut debugger = connect(&gate);
        debugger.write_all(HELLO).unwrap();
        let visits = work(&mut gate, |_, heard| heard == HELLO);
        let noisy = noisy.local_addr().unwrap();
        let debugger = debugger.local_addr().unwrap();
        assert_eq!(
            visits,
            [GateEvent::TurnedAway(noisy), GateEvent::Came(debugger)]
        );
        gate.vouch();
        // Who is known stays, and who comes now is sent away, whatever it says.
        let mut other = connect(&gate);
        other.write_all(b"other").unwrap();
        other.set_nonblocking(true).unwrap();
        work(&mut gate, |_, _| match (&other).read(&mut [0]) {
            Ok(length) => length == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        });
    }

    #[test]
    fn with_a_key_too() {
        let key = Key::new(b"a key of sixteen bytes or more").unwrap();
        for count in [3, KNOCKING, 150] {
            let long = Duration::from_secs(3600);
            let gate = Gate::open("127.0.0.1:0", Some(key.clone())).unwrap();
            let mut gate = gate.with_patience(long);
            let address = gate.address().unwrap();
            let mut silent = Vec::new();
            for number in 0..count {
                silent.push(connect(&gate));
                if number % 50 == 49 {
                    work(&mut gate, |gate, _| !gate.knocking.is_empty());
                }
            }
            let key = key.clone();
            let debugger = std::thread::spawn(move || {
                let stream = TcpStream::connect(address).unwrap();
                let mut socket = Socket::new(stream, Side::Host, Some(&key)).unwrap();
                socket.wait_open().map(|()| socket)
            });
            work(&mut gate, |gate, _| gate.visitor.is_some());
            assert!(debugger.join().unwrap().is_ok());
        }
        let gate = Gate::open("127.0.0.1:0", Some(key)).unwrap();
        let mut gate = gate.with_patience(Duration::from_millis(20));
        let _silent = connect(&gate);
        work(&mut gate, |gate, _| !gate.knocking.is_empty());
        let visits = work(&mut gate, |gate, _| gate.knocking.is_empty());
        assert!(
            matches!(visits[..], [GateEvent::TurnedAway(_)]),
            "{visits:?}"
        );
    }
}
