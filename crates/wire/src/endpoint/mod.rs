//! Reliable messages over an unreliable stream of bytes.
//!
//! An [`Endpoint`] has no clock and does no I/O: its owner feeds it what arrived
//! ([`Endpoint::feed`]), tells it the time ([`Endpoint::tick`]), and sends what it wants sent
//! ([`Endpoint::transmit`]).
//!
//! # What it promises
//!
//! - While a *connection* lasts, every message is delivered once and in order, over all channels.
//!   A connection outlasts any silence: when the line comes back, it goes on where it was.
//! - A connection ends only when the other end has forgotten it (it rebooted, or its process was
//!   killed). Then [`Incoming::Lost`] hands back exactly the messages whose fate is unknown, and
//!   those that were never sent.
//! - A message counts as consumed when [`Endpoint::receive`] has returned it *and* a frame says so.
//!   Who makes the message durable between `receive` and the next `transmit` can be killed at any
//!   moment: what was not yet durable is still with the peer.
//! - Memory is bounded by [`Config`], whatever arrives.
//!
//! # How a connection begins
//!
//! Each end has a *token*, which it changes whenever it forgets a connection. Ends greet until each
//! has heard the other say its present token: nothing stale can do that. The connection is named by
//! both tokens. An end that is in a connection and hears something strange (a greeting, a frame of
//! another connection) does not believe it: it challenges its peer with a fresh number, and gives
//! up the connection only if the answer to that very number says that the peer is not in it.

mod config;
mod connection;
mod frame;
mod incoming;
mod line;
mod open;
mod receive;
mod send;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

pub use config::{Config, Counters, Side};
pub use incoming::{Channel, ConnectionState, Incoming, Lost, LostCause, Message, SendError};

use frame::{Context, Frame, Greet, Refusal};
use line::Line;
use open::Open;
use receive::Receiver;
use send::Sender;

/// Events that may wait for the program; further ones happen once it has taken some.
const MAX_EVENTS: usize = 8;

/// One end of a line.
#[derive(Debug)]
pub struct Endpoint {
    config: Config,
    seed: u32,
    generation: u32,
    now: u64,
    phase: Phase,
    /// What is left to take of a connection that has ended.
    draining: Option<Receiver>,
    events: VecDeque<Incoming>,
    line: Line,
    challenge: Option<Challenge>,
    challenge_due: bool,
    next_nonce: u32,
    answer_due: Option<u32>,
    greet_due: bool,
    counters: Counters,
    scratch: Vec<u8>,
    piece: Vec<u8>,
    out: Vec<u8>,
}

#[derive(Debug)]
enum Phase {
    Opening {
        heard: Option<Greet>,
        greet_at: u64,
        interval: u64,
    },
    Open(Box<Open>),
}

/// What we asked the peer, to learn whether it is still in our connection.
#[derive(Clone, Copy, Debug)]
struct Challenge {
    nonce: u32,
    at: u64,
}

impl Endpoint {
    /// An end that begins to look for its peer at once.
    ///
    /// `seed` should differ from one start to the next (a random number, a boot counter); if it
    /// cannot, restarts are still noticed, but frames of the life before are told apart by the
    /// other end's seed alone.
    pub fn new(config: Config, seed: u32) -> Self {
        let config = config.sane();
        Self {
            config,
            seed,
            generation: 0,
            now: 0,
            phase: Phase::Opening {
                heard: None,
                greet_at: 0,
                interval: config.min_timeout_us.into(),
            },
            draining: None,
            events: VecDeque::new(),
            line: Line::new(&config),
            challenge: None,
            challenge_due: false,
            next_nonce: mix(seed ^ 0x5bd1_e995),
            answer_due: None,
            greet_due: false,
            counters: Counters::default(),
            scratch: Vec::new(),
            piece: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Whether there is a connection.
    pub fn state(&self) -> ConnectionState {
        match &self.phase {
            Phase::Opening { .. } => ConnectionState::Opening,
            Phase::Open(open) if open.quiet => ConnectionState::Quiet,
            Phase::Open(_) => ConnectionState::Open,
        }
    }

    /// What has happened so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The measures in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The longest message that the peer takes; `None` without a connection.
    pub fn longest_message(&self) -> Option<usize> {
        match &self.phase {
            Phase::Opening { .. } => None,
            Phase::Open(open) => Some(
                (open.remote.message as usize)
                    .min((self.config.send_bytes as usize).saturating_sub(Sender::cost(0))),
            ),
        }
    }

    /// Whether [`Self::send`] would take a message of `length` bytes now: for tests of windows, others just send.
    pub fn can_send(&self, length: usize) -> bool {
        self.check_send(length).is_ok()
    }

    /// How many bytes of messages wait until the peer has consumed them.
    pub fn waiting(&self) -> usize {
        match &self.phase {
            Phase::Opening { .. } => 0,
            Phase::Open(open) => open.sender.waiting(),
        }
    }

    /// How many bytes of memory the endpoint's buffers take now.
    pub fn memory_bytes(&self) -> usize {
        let lost = |lost: &Lost| {
            let messages = lost.sent.iter().chain(&lost.unsent);
            messages
                .map(|message| message.bytes.capacity() + size_of::<Message>())
                .sum::<usize>()
        };
        let events = self.events.iter().map(|event| match event {
            Incoming::Lost(event) => lost(event),
            _ => 0,
        });
        let open = match &self.phase {
            Phase::Opening { .. } => 0,
            Phase::Open(open) => {
                size_of::<Open>() + open.sender.memory_bytes() + open.receiver.memory_bytes()
            }
        };
        let buffers = [&self.scratch, &self.piece, &self.out];
        size_of::<Self>()
            + open
            + self.line.memory_bytes()
            + self.draining.as_ref().map_or(0, Receiver::memory_bytes)
            + self.events.capacity() * size_of::<Incoming>()
            + events.sum::<usize>()
            + buffers
                .iter()
                .map(|buffer| buffer.capacity())
                .sum::<usize>()
    }

    fn check_send(&self, length: usize) -> Result<(), SendError> {
        let limit = self.longest_message().ok_or(SendError::Closed)?;
        if length > limit {
            return Err(SendError::TooLong { limit });
        }
        if self.waiting() + Sender::cost(length) > self.config.send_bytes as usize {
            return Err(SendError::Full);
        }
        Ok(())
    }

    /// Queues a message. [`Channel::Control`] goes out at once (with all that waits before it), the
    /// others wait up to [`Config::batch_us`] for company.
    ///
    /// # Errors
    /// Nothing is queued then; see [`SendError`].
    pub fn send(&mut self, channel: Channel, message: &[u8]) -> Result<(), SendError> {
        self.check_send(message.len())?;
        if let Phase::Open(open) = &mut self.phase {
            open.sender
                .push(channel, message, self.now, channel == Channel::Control);
        }
        Ok(())
    }

    /// Lets nothing wait for company that was sent so far.
    pub fn flush(&mut self) {
        if let Phase::Open(open) = &mut self.phase {
            open.sender.flush();
        }
    }

    /// Forgets the connection, if there is one, and looks for the peer anew.
    pub fn restart(&mut self) {
        self.lose(LostCause::Restarted);
    }

    /// Takes what has arrived on the line, in pieces of any size.
    pub fn feed(&mut self, now_us: u64, bytes: &[u8]) {
        self.advance_clock(now_us);
        self.counters.bytes_received += bytes.len() as u64;
        let mut rest = bytes;
        while let Some(zero) = rest.iter().position(|&byte| byte == 0) {
            let (piece, after) = rest.split_at(zero);
            self.line.extend(self.now, piece, &mut self.counters);
            self.end_line();
            rest = after.get(1..).unwrap_or_default();
        }
        self.line.extend(self.now, rest, &mut self.counters);
    }

    /// What happened next, if anything did.
    pub fn receive(&mut self) -> Option<Incoming> {
        if let Some(old) = &mut self.draining {
            match old.next() {
                Ok(Some(message)) => return Some(Incoming::Message(message)),
                Ok(None) | Err(_) => {
                    self.draining = None;
                    // The peer need not wait for the next greeting.
                    self.greet_due |= matches!(self.phase, Phase::Opening { heard: Some(_), .. });
                }
            }
        }
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        if let Some(text) = self.line.text() {
            return Some(Incoming::Foreign(text));
        }
        let Phase::Open(open) = &mut self.phase else {
            return None;
        };
        let before = open.receiver.consumed();
        let message = open.receiver.next();
        let consumed = open.receiver.consumed();
        if consumed != before {
            // The peer may wait for room: no delay once half of the window is free again.
            let half = consumed - open.told >= u64::from(self.config.window.div_ceil(2));
            let delay = if half {
                0
            } else {
                u64::from(self.config.ack_delay_us)
            };
            let due = self.now + delay;
            open.ack_due = Some(open.ack_due.map_or(due, |at| at.min(due)));
        }
        match message {
            Ok(message) => message.map(Incoming::Message),
            Err(_) => {
                self.lose(LostCause::Violation);
                self.receive()
            }
        }
    }

    /// Tells the time, in µs from any beginning; it never goes back.
    pub fn tick(&mut self, now_us: u64) {
        self.advance_clock(now_us);
        let now = self.now;
        self.line.tick(now, &mut self.counters);
        let room = self.events.len() < MAX_EVENTS;
        match &mut self.phase {
            Phase::Opening {
                greet_at, interval, ..
            } => {
                if now >= *greet_at {
                    self.greet_due = true;
                    *greet_at = now + *interval;
                    *interval = (*interval * 2).min(self.config.max_timeout_us.into());
                }
            }
            Phase::Open(open) => {
                open.sender.tick(now);
                let silence = now.saturating_sub(open.last_heard);
                if !open.quiet && silence >= u64::from(self.config.quiet_us) && room {
                    open.quiet = true;
                    self.events.push_back(Incoming::Quiet);
                }
            }
        }
    }

    /// When [`Self::tick`] and [`Self::transmit`] should be called next, if nothing arrives or is
    /// sent before: for tests that let time pass in jumps.
    pub fn next_wake(&self) -> u64 {
        let now = self.now;
        if self.challenge_due || self.answer_due.is_some() || self.greet_due {
            return now;
        }
        let phase = match &self.phase {
            Phase::Opening { greet_at, .. } => *greet_at,
            Phase::Open(open) => {
                let mut wake = open.last_sent + u64::from(self.config.keep_alive_us);
                if !open.quiet {
                    wake = wake.min(open.last_heard + u64::from(self.config.quiet_us));
                }
                wake = wake.min(open.ack_due.unwrap_or(u64::MAX));
                wake = wake.min(
                    open.sender
                        .wake(self.config.batch_us.into())
                        .unwrap_or(u64::MAX),
                );
                if open.sender.is_stalled() {
                    wake = wake.min(open.asked_at + u64::from(self.config.max_timeout_us));
                }
                if open.reply_due { now } else { wake }
            }
        };
        phase.min(self.line.wake(now).unwrap_or(u64::MAX)).max(now)
    }

    /// The next frame to put on the line, if there is one now. Call until there is none.
    pub fn transmit(&mut self) -> Option<&[u8]> {
        self.out.clear();
        // The way on which nothing is sent is short: a device comes along it after every slice of its program.
        let frame = if core::mem::take(&mut self.challenge_due) {
            Frame::Challenge {
                nonce: self.challenge.map_or(0, |challenge| challenge.nonce),
            }
        } else if let Some(nonce) = self.answer_due.take() {
            let (open, word) = match &self.phase {
                Phase::Opening { .. } => (false, self.token()),
                Phase::Open(open) => (true, open.connection),
            };
            Frame::Answer { nonce, open, word }
        } else if core::mem::take(&mut self.greet_due) {
            Frame::Greet(self.greeting())
        } else {
            self.piece.clear();
            let Phase::Open(open) = &mut self.phase else {
                return None;
            };
            open.frame(self.now, &self.config, &mut self.piece, &mut self.counters)?
        };
        // Only frames of a connection refer to one.
        let connection = match &self.phase {
            Phase::Opening { .. } => 0,
            Phase::Open(open) => open.connection,
        };
        let device = self.config.side == Side::Device;
        frame::encode(&frame, device, connection, &mut self.scratch, &mut self.out);
        if let Phase::Open(open) = &mut self.phase {
            open.last_sent = self.now;
        }
        self.counters.frames_sent += 1;
        self.counters.bytes_sent += self.out.len() as u64;
        Some(&self.out)
    }

    fn advance_clock(&mut self, now_us: u64) {
        self.now = self.now.max(now_us);
    }

    fn token(&self) -> u32 {
        mix(self
            .seed
            .wrapping_add(self.generation.wrapping_mul(0x9e37_79b9)))
    }

    fn greeting(&self) -> Greet {
        let (heard, open) = match &self.phase {
            Phase::Opening { heard, .. } => (heard.map(|greet| greet.token), false),
            Phase::Open(open) => (Some(open.remote.token), true),
        };
        Greet {
            token: self.token(),
            heard,
            open,
            window: self.config.window,
            segment: self.config.segment_bytes,
            message: self.config.message_bytes,
        }
    }

    /// What data frames must refer to now; while opening, the connection that may be about to begin.
    fn context(&self) -> Option<Context> {
        match &self.phase {
            Phase::Opening { heard, .. } => heard.map(|greet| Context {
                connection: self.connection_with(greet.token),
                sequence: 0,
                consumed: 0,
            }),
            Phase::Open(open) => Some(Context {
                connection: open.connection,
                sequence: open.receiver.consumed(),
                consumed: open.sender.base(),
            }),
        }
    }

    fn connection_with(&self, remote: u32) -> u32 {
        let (host, device) = match self.config.side {
            Side::Host => (self.token(), remote),
            Side::Device => (remote, self.token()),
        };
        mix(host).wrapping_add(mix(device ^ 0x2545_f491))
    }

    fn end_line(&mut self) {
        let Some(bytes) = self.line.end() else { return };
        let context = self.context();
        let device = self.config.side == Side::Device;
        let mut scratch = core::mem::take(&mut self.scratch);
        let refusal = match frame::decode(&bytes, device, context, &mut scratch) {
            Ok(frame) => {
                self.counters.frames_received += 1;
                self.handle(frame);
                None
            }
            Err(refusal) => Some(refusal),
        };
        self.scratch = scratch;
        let damaged = refusal == Some(Refusal::Damaged);
        let text = self.line.ended(bytes, damaged, &mut self.counters);
        match refusal {
            None => {}
            Some(Refusal::Damaged) => self.counters.bad_frames += u64::from(!text),
            Some(Refusal::Echo) => self.counters.echoes += 1,
            Some(Refusal::Version) => self.counters.other_versions += 1,
            Some(Refusal::Connection) => {
                self.counters.stray_frames += 1;
                self.challenge();
            }
        }
    }
}

/// Spreads a number over all bits; a bijection.
fn mix(mut word: u32) -> u32 {
    word ^= word >> 16;
    word = word.wrapping_mul(0x7feb_352d);
    word ^= word >> 15;
    word = word.wrapping_mul(0x846c_a68b);
    word ^ (word >> 16)
}
