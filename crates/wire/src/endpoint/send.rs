//! The sending half of a connection: messages in, segments out.
//!
//! Messages form a stream of bytes (length and channel, then the content), which is cut into
//! numbered segments. A segment is sent again until the peer has it; its bytes are kept until the
//! peer has *consumed* the messages they belong to, so that after a restart of the peer it is known
//! exactly which messages may be lost.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{Channel, Message};
use crate::varint;

/// Below this distance in time a later segment's arrival says nothing about an earlier one's loss.
const REORDERING_US: u64 = 500;

/// One numbered piece of the stream.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Where it starts in the stream.
    start: u64,
    length: u16,
    sent_at: u64,
    /// How often it was sent.
    sent: u32,
    /// The peer has it.
    received: bool,
    /// It must be sent (again).
    due: bool,
}

/// Where a message ends in the stream, and what it is.
#[derive(Clone, Copy, Debug)]
struct Boundary {
    end: u64,
    header: u8,
    channel: Channel,
}

#[derive(Debug)]
pub(super) struct Sender {
    /// The stream from `start` on.
    bytes: VecDeque<u8>,
    start: u64,
    boundaries: VecDeque<Boundary>,
    /// The segments from number `base` on; together they are the stream from `start` to `cut`.
    segments: VecDeque<Segment>,
    base: u64,
    cut: u64,
    /// The stream up to here must not wait for company.
    flush_to: u64,
    /// Since when the first uncut byte waits.
    waiting_since: u64,
    /// How many segments the peer takes at a time, and how long.
    window: usize,
    segment_bytes: usize,
    timeout: Timeout,
    /// The latest time of sending among segments that arrived (sent once only).
    newest_arrival: u64,
}

impl Sender {
    pub(super) fn new(window: u8, segment_bytes: u16, timeout: Timeout) -> Self {
        Self {
            bytes: VecDeque::new(),
            start: 0,
            boundaries: VecDeque::new(),
            segments: VecDeque::new(),
            base: 0,
            cut: 0,
            flush_to: 0,
            waiting_since: 0,
            window: usize::from(window.max(1)),
            segment_bytes: usize::from(segment_bytes.max(1)),
            timeout,
            newest_arrival: 0,
        }
    }

    /// How many bytes wait until the peer has consumed them.
    pub(super) fn waiting(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes.capacity()
            + self.boundaries.capacity() * size_of::<Boundary>()
            + self.segments.capacity() * size_of::<Segment>()
    }

    /// The number of the first segment that is not consumed.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// What a message of this length takes.
    pub(super) fn cost(length: usize) -> usize {
        length + 5
    }

    pub(super) fn push(&mut self, channel: Channel, message: &[u8], now: u64, flush: bool) {
        if self.end() == self.cut {
            self.waiting_since = now;
        }
        let mut header = Vec::new();
        varint::write(&mut header, (message.len() as u64) << 2 | channel as u64);
        self.bytes.extend(&header);
        self.bytes.extend(message);
        let header = header.len() as u8;
        self.boundaries.push_back(Boundary {
            end: self.end(),
            header,
            channel,
        });
        if flush {
            self.flush();
        }
    }

    /// Lets nothing that was pushed so far wait for company.
    pub(super) fn flush(&mut self) {
        self.flush_to = self.end();
    }

    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Cuts the next segment off the stream, if the window has room and it need not wait.
    fn cut(&mut self, now: u64, batch_us: u64) {
        let uncut = self.end() - self.cut;
        if uncut == 0 || self.segments.len() >= self.window {
            return;
        }
        let full = uncut >= self.segment_bytes as u64;
        let waited = now.saturating_sub(self.waiting_since) >= batch_us;
        if !(full || waited || self.flush_to > self.cut) {
            return;
        }
        let length = uncut.min(self.segment_bytes as u64);
        self.segments.push_back(Segment {
            start: self.cut,
            length: length as u16,
            sent_at: 0,
            sent: 0,
            received: false,
            due: true,
        });
        self.cut += length;
        self.waiting_since = now;
    }

    /// The next segment to send now: its number, and whether it was sent before. Its bytes are
    /// appended to `out`.
    pub(super) fn next(
        &mut self,
        now: u64,
        batch_us: u64,
        out: &mut Vec<u8>,
    ) -> Option<(u64, bool)> {
        if !self.segments.iter().any(|segment| segment.due) {
            self.cut(now, batch_us);
        }
        let index = self.segments.iter().position(|segment| segment.due)?;
        let segment = self.segments.get_mut(index)?;
        let again = segment.sent > 0;
        segment.due = false;
        segment.sent = segment.sent.saturating_add(1);
        segment.sent_at = now;
        let from = (segment.start - self.start) as usize;
        out.extend(self.bytes.range(from..from + usize::from(segment.length)));
        Some((self.base + index as u64, again))
    }

    /// Whether [`Self::next`] has something, or when it will (if nothing else happens).
    pub(super) fn wake(&self, batch_us: u64) -> Option<u64> {
        if self.segments.iter().any(|segment| segment.due) {
            return Some(0);
        }
        let timeout = self
            .in_flight()
            .map(|s| s.sent_at.saturating_add(self.timeout.current()))
            .min();
        let uncut = self.end() - self.cut;
        let batch = if uncut == 0 || self.segments.len() >= self.window {
            None
        } else if uncut >= self.segment_bytes as u64 || self.flush_to > self.cut {
            Some(0)
        } else {
            Some(self.waiting_since.saturating_add(batch_us))
        };
        [timeout, batch].into_iter().flatten().min()
    }

    fn in_flight(&self) -> impl Iterator<Item = &Segment> {
        self.segments
            .iter()
            .filter(|segment| !segment.received && !segment.due)
    }

    /// Whether everything is received but the peer consumes nothing: the window may have opened
    /// again without our hearing of it.
    pub(super) fn is_stalled(&self) -> bool {
        self.segments.len() >= self.window && self.segments.iter().all(|segment| segment.received)
    }

    /// Marks what has been under way for too long as due again.
    pub(super) fn tick(&mut self, now: u64) {
        if self.segments.is_empty() {
            return;
        }
        let limit = self.timeout.current();
        let mut expired = false;
        for segment in &mut self.segments {
            if !segment.received && !segment.due && now.saturating_sub(segment.sent_at) >= limit {
                segment.due = true;
                expired = true;
            }
        }
        if expired {
            self.timeout.back_off();
        }
    }

    /// The peer has consumed all segments below `consumed`; bit i of `received` says that it has
    /// segment `consumed + i`. False if it acknowledges what was never sent.
    pub(super) fn acknowledge(&mut self, consumed: u64, received: u32, now: u64) -> bool {
        // An older acknowledgement that was overtaken: what it says about later segments holds still.
        let behind = self.base.saturating_sub(consumed);
        let received = u32::try_from(behind)
            .ok()
            .and_then(|n| received.checked_shr(n))
            .unwrap_or(0);
        let consumed = consumed.max(self.base);
        let sent = self
            .segments
            .iter()
            .take_while(|segment| segment.sent > 0)
            .count() as u64;
        if consumed > self.base + sent {
            return false;
        }
        let count = (consumed - self.base) as usize;
        for index in 0..self.segments.len() {
            let bit = index.checked_sub(count).map_or(1, |i| {
                u32::try_from(i)
                    .ok()
                    .and_then(|i| received.checked_shr(i))
                    .unwrap_or(0)
                    & 1
            });
            if bit == 1 {
                self.arrived(index, now);
            }
        }
        for _ in 0..count {
            self.segments.pop_front();
        }
        self.base = consumed;
        self.release();
        self.detect_loss();
        true
    }

    /// The peer has the segment at `index`.
    fn arrived(&mut self, index: usize, now: u64) {
        let Some(segment) = self.segments.get_mut(index) else {
            return;
        };
        if segment.received || segment.sent == 0 {
            return;
        }
        segment.received = true;
        segment.due = false;
        self.timeout.progress();
        // Karn's rule: of a segment that was sent twice nobody knows which one arrived.
        if segment.sent == 1 {
            self.timeout.sample(now.saturating_sub(segment.sent_at));
            self.newest_arrival = self.newest_arrival.max(segment.sent_at);
        }
    }

    /// A segment is lost if one that was sent clearly later has arrived.
    fn detect_loss(&mut self) {
        let margin = self.timeout.reordering();
        for segment in &mut self.segments {
            let overtaken = segment.sent_at.saturating_add(margin) < self.newest_arrival;
            if !segment.received && !segment.due && overtaken {
                segment.due = true;
            }
        }
    }

    /// Forgets the messages that are consumed as a whole.
    fn release(&mut self) {
        let consumed = self
            .segments
            .front()
            .map_or(self.cut, |segment| segment.start);
        while let Some(boundary) = self.boundaries.front().filter(|b| b.end <= consumed) {
            let length = (boundary.end - self.start) as usize;
            self.bytes.drain(..length);
            self.start = boundary.end;
            self.boundaries.pop_front();
        }
    }

    /// Takes all messages that are not consumed; the second list has those of which no byte was
    /// ever sent.
    pub(super) fn take_unconsumed(&mut self) -> (Vec<Message>, Vec<Message>) {
        let sent_to = self
            .segments
            .iter()
            .take_while(|segment| segment.sent > 0)
            .last()
            .map_or(self.start, |s| s.start + u64::from(s.length))
            .max(
                self.segments
                    .front()
                    .map_or(self.cut, |segment| segment.start),
            );
        let (mut sent, mut unsent) = (Vec::new(), Vec::new());
        let mut start = self.start;
        for boundary in self.boundaries.drain(..) {
            let length = (boundary.end - start) as usize;
            let mut bytes: Vec<u8> = self.bytes.drain(..length).collect();
            bytes.drain(..usize::from(boundary.header));
            let list = if start < sent_to {
                &mut sent
            } else {
                &mut unsent
            };
            list.push(Message {
                channel: boundary.channel,
                bytes,
            });
            start = boundary.end;
        }
        (sent, unsent)
    }
}

/// How long to wait for an acknowledgement: the smoothed round trip and four times its deviation
/// (RFC 6298), doubled while nothing arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeout {
    min_us: u64,
    max_us: u64,
    smoothed_us: Option<u64>,
    deviation_us: u64,
    backed_off: u32,
}

impl Timeout {
    pub(super) fn new(min_us: u32, max_us: u32) -> Self {
        Self {
            min_us: min_us.into(),
            max_us: max_us.into(),
            smoothed_us: None,
            deviation_us: 0,
            backed_off: 0,
        }
    }

    pub(super) fn current(&self) -> u64 {
        // Before the first sample a fifth of the maximum: long for USB, about right for radio.
        let base = match self.smoothed_us {
            Some(rtt) => rtt + 4 * self.deviation_us,
            None => self.max_us / 5,
        };
        (base.max(self.min_us) << self.backed_off).min(self.max_us)
    }

    fn sample(&mut self, rtt: u64) {
        let rtt = rtt.min(self.max_us);
        match self.smoothed_us {
            None => (self.smoothed_us, self.deviation_us) = (Some(rtt), rtt / 2),
            Some(smoothed) => {
                self.deviation_us = (3 * self.deviation_us + smoothed.abs_diff(rtt)) / 4;
                self.smoothed_us = Some((7 * smoothed + rtt) / 8);
            }
        }
    }

    fn back_off(&mut self) {
        self.backed_off = (self.backed_off + 1).min(16);
    }

    fn progress(&mut self) {
        self.backed_off = 0;
    }

    fn reordering(&self) -> u64 {
        self.smoothed_us.unwrap_or(self.min_us) / 4 + REORDERING_US
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a segment counts as lost when the next one, sent so much later, arrives before it.
    fn is_lost(gap_us: u64) -> bool {
        let mut sender = Sender::new(8, 16, Timeout::new(20_000, 1_000_000));
        let mut out = Vec::new();
        let mut send = |sender: &mut Sender, now| {
            sender.push(Channel::Control, &[0; 4], now, true);
            sender.next(now, 0, &mut out)
        };
        // A line that takes no time: what is left of the margin is the constant.
        assert_eq!(send(&mut sender, 1000), Some((0, false)));
        assert!(sender.acknowledge(1, 0, 1000));
        assert_eq!(send(&mut sender, 2000), Some((1, false)));
        assert_eq!(send(&mut sender, 2000 + gap_us), Some((2, false)));
        assert!(sender.acknowledge(1, 0b10, 2000 + gap_us));
        sender.next(2000 + gap_us, 0, &mut out).is_some()
    }

    #[test]
    fn a_little_disorder_is_no_loss() {
        assert!(!is_lost(REORDERING_US));
        assert!(is_lost(REORDERING_US + 1));
        assert_eq!(REORDERING_US, 500);
    }
}
