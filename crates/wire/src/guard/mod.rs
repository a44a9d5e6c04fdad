//! A key for lines that strangers can reach: who does not have it gets nothing.
//!
//! A [`Guard`] stands between an endpoint and a line that loses nothing, such as a TCP connection; a new connection needs
//! a new guard. Like the endpoint it does no I/O: its owner moves the bytes.
//!
//! # How it goes
//!
//! | from | bytes |
//! |---|---|
//! | host | `BGK1`, 16 random bytes *H* |
//! | device | `BGK1`, 16 random bytes *D* |
//! | host | HMAC(key, "host" *H* *D*), 32 bytes |
//! | device | HMAC(key, "device" *H* *D*), 32 bytes |
//!
//! The device says nothing but random bytes before the host has proved that it has the key, and nothing at all if it
//! has not: whoever owns the guard closes the connection then. After that everything travels in records: length u16, as
//! many bytes, and the first 16 bytes of HMAC(session key, number u64, length, bytes). Each direction has its session
//! key, HMAC(key, "host session" or "device session" *H* *D*), and numbers its records from 0.
//!
//! # Invariants
//! - Not one byte reaches the endpoint before its sender has proved that it has the key.
//! - A record that was changed, repeated, left out or moved from another connection ends the connection.
//! - Nothing is secret: who can listen reads what is said. The key itself never travels.

mod key;
mod record;

use alloc::vec::Vec;

pub use key::{Key, KeyError};

use crate::Side;
use record::{Incoming, Outgoing};

/// Random bytes that make a connection unlike every other.
pub type Nonce = [u8; NONCE_BYTES];

/// How many random bytes each side contributes.
pub const NONCE_BYTES: usize = 16;

/// Begins the first message of both sides; the digit goes up when anything here changes.
const MAGIC: [u8; 4] = *b"BGK1";
const HELLO_BYTES: usize = MAGIC.len() + NONCE_BYTES;

/// Why a connection must be closed, without another word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Intrusion {
    /// The other end speaks without a key.
    #[error("the other end does not ask for a key")]
    Unguarded,
    /// The other end has another key.
    #[error("the other end has another key")]
    WrongKey,
    /// A record is not what the other end sent.
    #[error("what arrived is not what the other end sent")]
    Forged,
}

/// One end of a guarded connection.
#[derive(Debug)]
pub struct Guard {
    side: Side,
    key: Key,
    nonce: Nonce,
    phase: Phase,
    /// What arrived of a message that is not complete; shorter than the longest message of the phase.
    partial: Vec<u8>,
    /// What the line has to take.
    outgoing: Vec<u8>,
}

#[derive(Debug)]
enum Phase {
    /// Their random bytes are due.
    Hello,
    /// Their proof is due.
    Proof { theirs: Nonce },
    /// Both have proved that they have the key.
    Open {
        incoming: Incoming,
        outgoing: Outgoing,
    },
    /// The connection is over.
    Closed,
}

impl Guard {
    /// An end of a new connection. `nonce` must be random, and another one each time.
    pub fn new(side: Side, key: &Key, nonce: Nonce) -> Self {
        let mut guard = Self {
            side,
            key: key.clone(),
            nonce,
            phase: Phase::Hello,
            partial: Vec::new(),
            outgoing: Vec::new(),
        };
        // A device shows nothing, not even that it is one, before it was spoken to.
        if side == Side::Host {
            guard.say_hello();
        }
        guard
    }

    /// Whether the other end has proved that it has the key.
    pub fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open { .. })
    }

    /// What the line has to take, first byte first. Whoever sends some of it removes it.
    pub fn outgoing(&mut self) -> &mut Vec<u8> {
        &mut self.outgoing
    }

    /// Takes what has arrived, and appends to `plain` what the endpoint may have of it.
    ///
    /// # Errors
    /// The connection must be closed; nothing that arrives later is believed.
    pub fn take(&mut self, mut bytes: &[u8], plain: &mut Vec<u8>) -> Result<(), Intrusion> {
        while !bytes.is_empty() {
            let taken = match &mut self.phase {
                Phase::Hello => self.hear_hello(&mut bytes),
                Phase::Proof { theirs } => {
                    let theirs = *theirs;
                    self.hear_proof(theirs, &mut bytes)
                }
                Phase::Open { incoming, .. } => incoming.take(&mut self.partial, &mut bytes, plain),
                Phase::Closed => Err(Intrusion::Forged),
            };
            if let Err(intrusion) = taken {
                self.phase = Phase::Closed;
                self.outgoing.clear();
                return Err(intrusion);
            }
        }
        Ok(())
    }

    /// Takes bytes of the endpoint's from the front of `plain`, and says how many: none before the other end has proved
    /// that it has the key, or while the line has enough to do.
    pub fn seal(&mut self, plain: &[u8]) -> usize {
        match &mut self.phase {
            Phase::Open { outgoing, .. } => outgoing.seal(plain, &mut self.outgoing),
            _ => 0,
        }
    }

    fn say_hello(&mut self) {
        self.outgoing.extend_from_slice(&MAGIC);
        self.outgoing.extend_from_slice(&self.nonce);
    }

    fn hear_hello(&mut self, bytes: &mut &[u8]) -> Result<(), Intrusion> {
        let complete = fill(&mut self.partial, HELLO_BYTES, bytes);
        // As soon as it can be seen: who speaks without a key may never say as much as a hello has.
        if !self.partial.iter().zip(&MAGIC).all(|(a, b)| a == b) {
            return Err(Intrusion::Unguarded);
        }
        let Some(theirs) = self.partial.last_chunk().copied().filter(|_| complete) else {
            return Ok(());
        };
        self.partial.clear();
        match self.side {
            Side::Device => self.say_hello(),
            Side::Host => self.prove(theirs),
        }
        self.phase = Phase::Proof { theirs };
        Ok(())
    }

    fn prove(&mut self, theirs: Nonce) {
        let label = match self.side {
            Side::Host => "host",
            Side::Device => "device",
        };
        let proof = self.derive(label, theirs);
        self.outgoing.extend_from_slice(&proof);
    }

    fn hear_proof(&mut self, theirs: Nonce, bytes: &mut &[u8]) -> Result<(), Intrusion> {
        if !fill(&mut self.partial, key::MAC_BYTES, bytes) {
            return Ok(());
        }
        let label = match self.side {
            Side::Host => "device",
            Side::Device => "host",
        };
        let (host, device) = self.in_order(theirs);
        if !self
            .key
            .says(&[label.as_bytes(), &host, &device], &self.partial)
        {
            return Err(Intrusion::WrongKey);
        }
        self.partial.clear();
        if self.side == Side::Device {
            self.prove(theirs);
        }
        let host = self.derive("host session", theirs);
        let device = self.derive("device session", theirs);
        let (incoming, outgoing) = match self.side {
            Side::Host => (device, host),
            Side::Device => (host, device),
        };
        self.phase = Phase::Open {
            incoming: Incoming::new(incoming),
            outgoing: Outgoing::new(outgoing),
        };
        Ok(())
    }

    fn derive(&self, label: &str, theirs: Nonce) -> [u8; key::MAC_BYTES] {
        let (host, device) = self.in_order(theirs);
        self.key.mac(&[label.as_bytes(), &host, &device])
    }

    /// The host's random bytes, and the device's.
    fn in_order(&self, theirs: Nonce) -> (Nonce, Nonce) {
        match self.side {
            Side::Host => (self.nonce, theirs),
            Side::Device => (theirs, self.nonce),
        }
    }
}

/// Moves bytes from the front of `bytes` until `partial` has `length`; whether it has.
fn fill(partial: &mut Vec<u8>, length: usize, bytes: &mut &[u8]) -> bool {
    let missing = length.saturating_sub(partial.len()).min(bytes.len());
    let (now, later) = bytes.split_at(missing);
    partial.extend_from_slice(now);
    *bytes = later;
    partial.len() >= length
}
