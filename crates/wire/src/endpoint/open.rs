//! A connection while it lasts.

use alloc::vec::Vec;

use super::frame::{Frame, Greet};
use super::receive::Receiver;
use super::send::Sender;
use super::{Config, Counters};

/// The state of a connection.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) connection: u32,
    pub(super) remote: Greet,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) ack_due: Option<u64>,
    pub(super) reply_due: bool,
    /// When we last asked for an acknowledgement.
    pub(super) asked_at: u64,
    /// Up to where we last told the peer that its segments are consumed.
    pub(super) told: u64,
    pub(super) last_sent: u64,
    pub(super) last_heard: u64,
    pub(super) quiet: bool,
    /// A frame of this connection has arrived: the peer is in it as well.
    pub(super) proved: bool,
}

impl Open {
    /// The next frame of the connection that is due; `piece` is where its bytes go.
    pub(super) fn frame<'a>(
        &mut self,
        now: u64,
        config: &Config,
        piece: &'a mut Vec<u8>,
        counters: &mut Counters,
    ) -> Option<Frame<'a>> {
        let consumed = self.receiver.consumed();
        let received = self.receiver.received();
        let stalled = self.sender.is_stalled()
            && now >= self.asked_at.saturating_add(config.max_timeout_us.into());
        let silent = now >= self.last_sent.saturating_add(config.keep_alive_us.into());
        if self.reply_due || self.ack_due.is_some_and(|at| now >= at) || stalled {
            self.reply_due = false;
            self.ack_due = None;
            self.told = consumed;
            if stalled {
                self.asked_at = now;
            }
            return Some(Frame::Ack {
                consumed,
                received,
                reply: stalled,
            });
        }
        if let Some((sequence, again)) = self.sender.next(now, config.batch_us.into(), piece) {
            counters.retransmissions += u64::from(again);
            self.told = consumed;
            if received == 0 {
                // The data says all that an acknowledgement would.
                self.ack_due = None;
            }
            return Some(Frame::Data {
                sequence,
                consumed,
                bytes: piece,
            });
        }
        if !silent {
            return None;
        }
        self.told = consumed;
        Some(Frame::Ack {
            consumed,
            received,
            reply: false,
        })
    }
}
