//! Connections between our own processes: whole messages, in both directions at the same time.

use std::io::{Error, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use borges_wire::Side;
use borges_wire::guard::{Guard, Key};

use crate::gate::{self, GateError};
use crate::line::{self, LineOpenError};
use crate::socket::{self, HANDSHAKE, Socket};

/// A message says its length first, in so many bytes.
const LENGTH_BYTES: usize = 4;
/// How much is read at a time.
const READ_BYTES: usize = 1 << 16;
/// Of what was read so much may be left in front before it is moved away.
const LEFT: usize = 1 << 20;

/// A connection to another process of ours. One thread may write while another one reads.
pub struct Pipe {
    stream: TcpStream,
    guard: Option<Mutex<Guard>>,
    reading: Mutex<Reading>,
    writing: Mutex<Vec<u8>>,
}

/// What has arrived and was not taken yet.
#[derive(Default)]
struct Reading {
    bytes: Vec<u8>,
    /// How many of the bytes in front were taken.
    taken: usize,
}

/// Where other processes of ours can connect to.
pub struct Door {
    listener: TcpListener,
    key: Option<Key>,
}

/// Somebody who has connected, and has proved nothing yet.
pub struct Knock {
    stream: TcpStream,
    /// From where.
    pub from: SocketAddr,
    key: Option<Key>,
}

impl Door {
    /// Waits at an address, such as `127.0.0.1:7070`; port 0 is any that is free.
    ///
    /// # Errors
    /// [`GateError`] if it cannot be listened there, or strangers could come and there is no key.
    pub fn open(address: &str, key: Option<Key>) -> Result<Self, GateError> {
        let listener = gate::listen(address, key.as_ref())?;
        Ok(Self { listener, key })
    }

    /// Where it really waits.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits for somebody.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn accept(&self) -> std::io::Result<Knock> {
        let (stream, from) = self.listener.accept()?;
        let key = self.key.clone();
        Ok(Knock { stream, from, key })
    }
}

impl Knock {
    /// Waits until they have proved that they have the key, if there is one.
    ///
    /// # Errors
    /// They have not, or do not say anything.
    pub fn open(self) -> std::io::Result<Pipe> {
        let socket = Socket::new(self.stream, Side::Device, self.key.as_ref())?;
        Pipe::of(socket)
    }
}

impl Pipe {
    /// Connects to where a [`Door`] is open. Without a key, that must be this computer.
    ///
    /// # Errors
    /// [`LineOpenError`] if nobody listens there, or one end does not take the other's key.
    pub fn connect(address: &str, key: Option<&Key>) -> Result<Self, LineOpenError> {
        let socket = line::connect_to(address, key)?;
        Self::of(socket).map_err(|error| line::refused(address.to_owned(), &error))
    }

    fn of(mut socket: Socket) -> std::io::Result<Self> {
        socket.wait_open()?;
        let (stream, guarded) = socket.into_parts();
        stream.set_read_timeout(Some(HANDSHAKE))?;
        stream.set_write_timeout(Some(HANDSHAKE))?;
        let (guard, bytes) = guarded.unzip();
        let bytes = bytes.unwrap_or_default();
        Ok(Self {
            stream,
            guard: guard.map(Mutex::new),
            reading: Mutex::new(Reading { bytes, taken: 0 }),
            writing: Mutex::new(Vec::new()),
        })
    }

    /// Sets how long nothing may arrive, or nothing be taken, before the connection is over: five seconds if nothing is said.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn set_patience(&self, patience: Duration) -> std::io::Result<()> {
        self.stream.set_read_timeout(Some(patience))?;
        self.stream.set_write_timeout(Some(patience))
    }

    /// Sends a message; how many bytes that took.
    ///
    /// # Errors
    /// The connection is over, or the message is longer than 4 GiB.
    pub fn send(&self, message: &[u8]) -> std::io::Result<usize> {
        let length = u32::try_from(message.len()).map_err(Error::other)?;
        let mut writing = lock(&self.writing);
        writing.clear();
        let Some(guard) = &self.guard else {
            writing.extend_from_slice(&length.to_le_bytes());
            writing.extend_from_slice(message);
            (&self.stream).write_all(&writing)?;
            return Ok(writing.len());
        };
        let mut sent = 0;
        for mut bytes in [&length.to_le_bytes()[..], message] {
            while !bytes.is_empty() {
                let mut guard = lock(guard);
                let taken = guard.seal(bytes);
                bytes = &bytes[taken..];
                writing.append(guard.outgoing());
                drop(guard);
                if writing.len() > READ_BYTES {
                    (&self.stream).write_all(&writing)?;
                    sent += writing.len();
                    writing.clear();
                }
            }
        }
        (&self.stream).write_all(&writing)?;
        Ok(sent + writing.len())
    }

    /// Waits for the next message, of at most so many bytes.
    ///
    /// # Errors
    /// The connection is over: it ended, nothing has arrived for too long, or what arrived is no message.
    pub fn next(&self, most: usize) -> std::io::Result<Vec<u8>> {
        let mut reading = lock(&self.reading);
        self.fill(&mut reading, LENGTH_BYTES)?;
        let mut length = [0; LENGTH_BYTES];
        length.copy_from_slice(&reading.take(LENGTH_BYTES));
        let length = u32::from_le_bytes(length) as usize;
        if length > most {
            let long = format!("a message of {length} bytes, where {most} are the most");
            return Err(Error::new(ErrorKind::InvalidData, long));
        }
        self.fill(&mut reading, length)?;
        Ok(reading.take(length))
    }

    /// Says that nothing more comes from here; what the other end still sends can be read.
    pub fn end(&self) {
        // It may have ended already.
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Reads until there are so many bytes.
    fn fill(&self, reading: &mut Reading, length: usize) -> std::io::Result<()> {
        let mut buffer = [0; READ_BYTES];
        while reading.bytes.len() - reading.taken < length {
            let began = Instant::now();
            let read = match (&self.stream).read(&mut buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if socket::is_patient(&error) => {
                    let silent = format!("it was silent for {} s", began.elapsed().as_secs());
                    return Err(Error::new(ErrorKind::TimedOut, silent));
                }
                read => socket::ended(read?)?,
            };
            let arrived = &buffer[..read];
            match &self.guard {
                None => reading.bytes.extend_from_slice(arrived),
                Some(guard) => lock(guard)
                    .take(arrived, &mut reading.bytes)
                    .map_err(|intrusion| Error::new(ErrorKind::InvalidData, intrusion))?,
            }
        }
        Ok(())
    }
}

impl Reading {
    fn take(&mut self, length: usize) -> Vec<u8> {
        let taken = self.bytes[self.taken..self.taken + length].to_vec();
        self.taken += length;
        if self.taken == self.bytes.len() {
            self.bytes.clear();
            self.taken = 0;
        } else if self.taken > LEFT {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
        taken
    }
}

fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What two ends say to each other.
    fn pair(
        ours: Option<Key>,
        theirs: Option<Key>,
    ) -> (std::io::Result<Pipe>, Result<Pipe, LineOpenError>) {
        let ours_is_needed = ours.is_some();
        let port = Door::open("127.0.0.1:0", ours).unwrap();
        let address = port.address().unwrap().to_string();
        std::thread::scope(|scope| {
            let connected = scope.spawn(|| {
                let connected = Pipe::connect(&address, theirs.as_ref())?;
                if ours_is_needed && theirs.is_none() {
                    // Who asks for no key speaks at once.
                    connected.send(b"here I am").unwrap();
                }
                Ok(connected)
            });
            let accepted = port.accept().unwrap().open();
            (accepted, connected.join().unwrap())
        })
    }

    fn key(text: &str) -> Key {
        Key::new(text.as_bytes()).unwrap()
    }

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn messages_of_any_length_pass_in_both_directions() {
        for guarded in [false, true] {
            let key = guarded.then(|| key(KEY));
            let (one, other) = pair(key.clone(), key);
            let (one, other) = (one.unwrap(), other.unwrap());
            let message = |length: usize| (0..length).map(|nth| nth as u8).collect::<Vec<_>>();
            let lengths = [0, 1, 1023, 1024, 1025, 100_000, 3_000_000];
            std::thread::scope(|scope| {
                for (from, to) in [(&one, &other), (&other, &one)] {
                    scope.spawn(move || {
                        for length in lengths {
                            assert!(from.send(&message(length)).unwrap() > length);
                        }
                    });
                    scope.spawn(move || {
                        for length in lengths {
                            assert_eq!(to.next(3_000_000).unwrap(), message(length));
                        }
                    });
                }
            });
            one.send(&message(11)).unwrap();
            assert_eq!(other.next(10).unwrap_err().kind(), ErrorKind::InvalidData);
            one.end();
            assert!(other.next(10).is_err());
        }
    }

    #[test]
    fn who_has_another_key_or_none_is_not_let_in() {
        let other = "00000000000000000000000000000000";
        for theirs in [Some(key(other)), None] {
            let (one, other) = pair(Some(key(KEY)), theirs);
            // Who asks for no key believes that it is connected until it is hung up on.
            assert!(one.is_err() || other.is_err());
            assert!(other.is_err() || other.unwrap().next(10).is_err());
        }
    }

    #[test]
    fn silence_ends_a_connection() {
        let (one, other) = pair(None, None);
        let (one, _other) = (one.unwrap(), other.unwrap());
        one.set_patience(Duration::from_millis(20)).unwrap();
        let error = one.next(10).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[test]
    fn beyond_this_computer_a_key_is_needed() {
        assert!(matches!(
            Door::open("0.0.0.0:0", None),
            Err(GateError::KeyNeeded(_))
        ));
        assert!(Door::open("0.0.0.0:0", Some(key(KEY))).is_ok());
    }
}
