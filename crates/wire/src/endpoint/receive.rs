//! The receiving half of a connection: segments in, messages out.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{Channel, Message};

/// What became of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The next one, or one that fills a gap.
    InOrder,
    /// New, but an earlier one is missing.
    Early,
    /// We had it.
    Again,
    /// Beyond the window, or too long: the peer does not keep to what we told it.
    Refused,
}

/// The peer's stream is not a stream of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Violation;

#[derive(Debug)]
pub(super) struct Receiver {
    window: usize,
    segment_bytes: usize,
    message_bytes: usize,
    /// The segments from number `base` on, as far as they have arrived.
    segments: VecDeque<Option<Vec<u8>>>,
    base: u64,
    /// How much of the first segment is taken already.
    taken: usize,
    state: State,
}

/// Where in a message the stream stands.
#[derive(Debug)]
enum State {
    Header {
        word: u64,
        shift: u32,
    },
    Body {
        channel: Channel,
        length: usize,
        bytes: Vec<u8>,
    },
}

const START: State = State::Header { word: 0, shift: 0 };

impl Receiver {
    pub(super) fn new(window: u8, segment_bytes: u16, message_bytes: u32) -> Self {
        Self {
            window: window.into(),
            segment_bytes: segment_bytes.into(),
            message_bytes: message_bytes as usize,
            segments: VecDeque::new(),
            base: 0,
            taken: 0,
            state: START,
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let segments = self
            .segments
            .iter()
            .flatten()
            .map(Vec::capacity)
            .sum::<usize>();
        let partial = match &self.state {
            State::Header { .. } => 0,
            State::Body { bytes, .. } => bytes.capacity(),
        };
        segments + partial + self.segments.capacity() * size_of::<Option<Vec<u8>>>()
    }

    /// All segments below are consumed: the messages that end in them were taken.
    pub(super) fn consumed(&self) -> u64 {
        self.base
    }

    /// Bit i: segment `consumed + i` has arrived.
    pub(super) fn received(&self) -> u32 {
        let bits = self.segments.iter().enumerate();
        bits.fold(0, |word, (i, segment)| {
            word | u32::from(segment.is_some()) << i
        })
    }

    pub(super) fn insert(&mut self, sequence: u64, bytes: &[u8]) -> Arrival {
        let Some(index) = sequence.checked_sub(self.base) else {
            return Arrival::Again;
        };
        let index = match usize::try_from(index) {
            Ok(index) if index < self.window && bytes.len() <= self.segment_bytes => index,
            _ => return Arrival::Refused,
        };
        while self.segments.len() <= index {
            self.segments.push_back(None);
        }
        let in_order = self.segments.iter().take(index).all(Option::is_some);
        match self.segments.get_mut(index) {
            Some(slot @ None) => *slot = Some(bytes.to_vec()),
            _ => return Arrival::Again,
        }
        if in_order {
            Arrival::InOrder
        } else {
            Arrival::Early
        }
    }

    /// Takes the next message that has arrived as a whole and in order.
    pub(super) fn next(&mut self) -> Result<Option<Message>, Violation> {
        loop {
            let Some(Some(segment)) = self.segments.front() else {
                return Ok(None);
            };
            let rest = segment.get(self.taken..).unwrap_or_default();
            let (used, message) = self.state.advance(rest, self.message_bytes)?;
            self.taken += used;
            if self.taken >= segment.len() {
                self.segments.pop_front();
                self.base += 1;
                self.taken = 0;
            }
            if message.is_some() {
                return Ok(message);
            }
        }
    }
}

impl State {
    /// Reads on until a message is complete or `bytes` end; says how many it used.
    fn advance(
        &mut self,
        bytes: &[u8],
        limit: usize,
    ) -> Result<(usize, Option<Message>), Violation> {
        let mut used = 0;
        if let Self::Header { word, shift } = self {
            for &byte in bytes {
                used += 1;
                // Lengths have 28 bits at most, and two bits tell the channel.
                if *shift > 28 {
                    return Err(Violation);
                }
                *word |= u64::from(byte & 0x7f) << *shift;
                *shift += 7;
                if byte & 0x80 == 0 {
                    let channel = Channel::from_bits(*word & 3).ok_or(Violation)?;
                    let length = usize::try_from(*word >> 2).map_err(|_| Violation)?;
                    if length > limit {
                        return Err(Violation);
                    }
                    *self = Self::Body {
                        channel,
                        length,
                        bytes: Vec::new(),
                    };
                    break;
                }
            }
        }
        let Self::Body {
            channel,
            length,
            bytes: body,
        } = self
        else {
            return Ok((used, None));
        };
        let rest = bytes.get(used..).unwrap_or_default();
        let missing = length.saturating_sub(body.len()).min(rest.len());
        // The vector grows with what arrives, not with what was announced.
        body.extend_from_slice(rest.get(..missing).unwrap_or_default());
        used += missing;
        if body.len() < *length {
            return Ok((used, None));
        }
        let message = Message {
            channel: *channel,
            bytes: core::mem::take(body),
        };
        *self = START;
        Ok((used, Some(message)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_come_early_are_told_by_their_bits_and_others_refused() {
        let mut receiver = Receiver::new(8, 4, 100);
        assert_eq!(receiver.insert(3, b"abcd"), Arrival::Early);
        assert_eq!(receiver.insert(7, b""), Arrival::Early);
        assert_eq!(receiver.received(), 0b1000_1000);
        // One too long, one past the window.
        assert_eq!(receiver.insert(1, b"abcde"), Arrival::Refused);
        assert_eq!(receiver.insert(8, b"a"), Arrival::Refused);
        assert_eq!(receiver.insert(3, b"abcd"), Arrival::Again);
        assert_eq!(receiver.insert(0, b""), Arrival::InOrder);
        assert_eq!(receiver.received(), 0b1000_1001);
    }

    /// A header has 30 bits: five bytes of seven. More than that is no header, however small its number.
    #[test]
    fn a_header_has_five_bytes_at_most() {
        let after = |bytes: &[u8]| {
            let mut receiver = Receiver::new(8, 10, 100);
            receiver.insert(0, bytes);
            receiver.next().map(|_| ())
        };
        assert_eq!(after(&[0x80, 0x80, 0x80, 0x80, 0]), Ok(()));
        assert_eq!(after(&[0x80, 0x80, 0x80, 0x80, 0x80, 0]), Err(Violation));
    }
}
