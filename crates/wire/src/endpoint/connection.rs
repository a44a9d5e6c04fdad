//! What the peer's frames mean for the connection: how it begins, goes on, and ends.

use alloc::boxed::Box;

use super::frame::{Frame, Greet};
use super::incoming::{Incoming, Lost, LostCause};
use super::open::Open;
use super::receive::{Arrival, Receiver};
use super::send::{Sender, Timeout};
use super::{Challenge, Endpoint, MAX_EVENTS, Phase};

impl Endpoint {
    pub(super) fn handle(&mut self, frame: Frame<'_>) {
        match frame {
            Frame::Greet(greet) => self.handle_greet(greet),
            Frame::Challenge { nonce } => self.answer_due = Some(nonce),
            Frame::Answer { nonce, open, word } => self.handle_answer(nonce, open, word),
            Frame::Data {
                sequence,
                consumed,
                bytes,
            } => {
                self.handle_progress(consumed, 0, false, Some((sequence, bytes)));
            }
            Frame::Ack {
                consumed,
                received,
                reply,
            } => {
                self.handle_progress(consumed, received, reply, None);
            }
        }
    }

    fn handle_greet(&mut self, greet: Greet) {
        let token = self.token();
        match &mut self.phase {
            Phase::Opening { heard, .. } => {
                *heard = Some(greet);
                let knows_us = greet.heard == Some(token);
                if knows_us {
                    self.open(greet);
                }
                // Who knows us but finds us busy with what the last connection left is greeted when it is time: two
                // such ends would greet each other as fast as the line can.
                let is_busy = knows_us && matches!(self.phase, Phase::Opening { .. });
                self.greet_due |= !greet.open && !is_busy;
            }
            Phase::Open(open) => {
                let same = greet.token == open.remote.token;
                if same && !open.proved {
                    self.greet_due |= !greet.open;
                } else if !(same && greet.open) {
                    // A peer that was in our connection greets as if it were not: an old greeting,
                    // or a restart.
                    self.challenge();
                }
            }
        }
    }

    fn handle_answer(&mut self, nonce: u32, peer_open: bool, word: u32) {
        if self
            .challenge
            .is_none_or(|challenge| challenge.nonce != nonce)
        {
            return;
        }
        self.challenge = None;
        let Phase::Open(open) = &mut self.phase else {
            return;
        };
        if peer_open && word == open.connection {
            return;
        }
        if !peer_open && word == open.remote.token && !open.proved {
            // It has not heard our last greeting yet.
            self.greet_due = true;
        } else {
            self.lose(LostCause::PeerRestarted);
        }
    }

    /// A frame of our connection has arrived.
    fn handle_progress(
        &mut self,
        consumed: u64,
        received: u32,
        reply: bool,
        segment: Option<(u64, &[u8])>,
    ) {
        if let Phase::Opening {
            heard: Some(greet), ..
        } = self.phase
        {
            // Only who heard our present token can name this connection.
            self.open(greet);
        }
        let Phase::Open(open) = &mut self.phase else {
            return;
        };
        open.proved = true;
        open.last_heard = self.now;
        if open.quiet && self.events.len() < MAX_EVENTS {
            open.quiet = false;
            self.events.push_back(Incoming::Back);
        }
        if !open.sender.acknowledge(consumed, received, self.now) {
            self.lose(LostCause::Violation);
            return;
        }
        open.reply_due |= reply;
        let Some((sequence, bytes)) = segment else {
            return;
        };
        let due = match open.receiver.insert(sequence, bytes) {
            Arrival::InOrder => self.now + u64::from(self.config.ack_delay_us),
            Arrival::Early => self.now,
            Arrival::Again => {
                self.counters.duplicates += 1;
                self.now
            }
            Arrival::Refused => {
                self.counters.stray_frames += 1;
                return;
            }
        };
        open.ack_due = Some(open.ack_due.map_or(due, |at| at.min(due)));
    }

    fn open(&mut self, remote: Greet) {
        // The program must first take what the last connection left.
        if self.draining.is_some() || self.events.len() >= MAX_EVENTS {
            return;
        }
        let segment = self.config.segment_bytes.min(remote.segment);
        let timeout = Timeout::new(self.config.min_timeout_us, self.config.max_timeout_us);
        let config = &self.config;
        let receiver = Receiver::new(config.window, config.segment_bytes, config.message_bytes);
        self.phase = Phase::Open(Box::new(Open {
            connection: self.connection_with(remote.token),
            remote,
            sender: Sender::new(remote.window.min(32), segment, timeout),
            receiver,
            ack_due: None,
            reply_due: false,
            asked_at: self.now,
            told: 0,
            last_sent: self.now,
            last_heard: self.now,
            quiet: false,
            proved: false,
        }));
        self.challenge = None;
        self.counters.connections += 1;
        self.events.push_back(Incoming::Connected);
    }

    /// Asks the peer whether it is still in our connection, unless we just did.
    pub(super) fn challenge(&mut self) {
        if !matches!(self.phase, Phase::Open(_)) {
            return;
        }
        let patience = u64::from(self.config.min_timeout_us);
        if self
            .challenge
            .is_some_and(|asked| self.now < asked.at + patience)
        {
            return;
        }
        self.next_nonce = self.next_nonce.wrapping_add(0x9e37_79b9);
        self.challenge = Some(Challenge {
            nonce: self.next_nonce,
            at: self.now,
        });
        self.challenge_due = true;
    }

    pub(super) fn lose(&mut self, cause: LostCause) {
        let greet_at = self.now;
        let interval = self.config.min_timeout_us.into();
        let opening = Phase::Opening {
            heard: None,
            greet_at,
            interval,
        };
        let Phase::Open(mut open) = core::mem::replace(&mut self.phase, opening) else {
            return;
        };
        let (sent, unsent) = open.sender.take_unconsumed();
        self.draining = Some(open.receiver);
        self.events.push_back(Incoming::Lost(Lost {
            cause,
            sent,
            unsent,
        }));
        self.generation = self.generation.wrapping_add(1);
        self.challenge = None;
        self.challenge_due = false;
        self.greet_due = true;
    }
}
