//! What arrives, between zeros: frames, and text that somebody prints on the same line.

use alloc::vec::Vec;

use super::{Config, Counters, frame};

/// Text without an end is handed out after a silence of this many µs.
const TEXT_GAP_US: u64 = 50_000;

/// The bytes since the last zero, and the text found so far.
#[derive(Debug)]
pub(super) struct Line {
    bytes: Vec<u8>,
    /// Too long for a frame: ignore the rest.
    overlong: bool,
    last_at: u64,
    longest: usize,
    foreign: Vec<u8>,
    foreign_limit: usize,
}

impl Line {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            bytes: Vec::new(),
            overlong: false,
            last_at: 0,
            longest: frame::longest(config.segment_bytes.into()),
            foreign: Vec::new(),
            foreign_limit: config.foreign_bytes as usize,
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.foreign.capacity()
    }

    /// Takes bytes that contain no zero.
    pub(super) fn extend(&mut self, now: u64, bytes: &[u8], counters: &mut Counters) {
        if bytes.is_empty() {
            return;
        }
        self.last_at = now;
        for chunk in bytes.chunks(self.longest) {
            if self.overlong {
                return;
            }
            if self.bytes.len() + chunk.len() > self.longest {
                // No frame is that long: a program prints, or a zero was lost.
                if is_text(&self.bytes) {
                    self.take_foreign(counters);
                } else {
                    counters.bad_frames += 1;
                    self.bytes.clear();
                    self.overlong = true;
                    return;
                }
            }
            self.bytes.extend_from_slice(chunk);
        }
    }

    /// A zero has arrived: what came since the last one, if anything did that may be a frame. Give
    /// it back with [`Self::ended`].
    pub(super) fn end(&mut self) -> Option<Vec<u8>> {
        if core::mem::take(&mut self.overlong) || self.bytes.is_empty() {
            return None;
        }
        Some(core::mem::take(&mut self.bytes))
    }

    /// Goes on after [`Self::end`]. `damaged` bytes may be text; false if they are not.
    pub(super) fn ended(&mut self, bytes: Vec<u8>, damaged: bool, counters: &mut Counters) -> bool {
        self.bytes = bytes;
        let text = damaged && is_text(&self.bytes);
        if text {
            self.take_foreign(counters);
        }
        self.bytes.clear();
        text
    }

    /// Hands out text that nothing follows.
    pub(super) fn tick(&mut self, now: u64, counters: &mut Counters) {
        let silent = now.saturating_sub(self.last_at) >= TEXT_GAP_US;
        if silent && !self.bytes.is_empty() && is_text(&self.bytes) {
            self.take_foreign(counters);
        }
    }

    /// When [`Self::tick`] may have something to do.
    pub(super) fn wake(&self, now: u64) -> Option<u64> {
        // Looked at once after the gap; if it is no text, it waits for its zero.
        let at = self.last_at + TEXT_GAP_US;
        (!self.bytes.is_empty() && at > now).then_some(at)
    }

    /// The text found so far, if there is any.
    pub(super) fn text(&mut self) -> Option<Vec<u8>> {
        (!self.foreign.is_empty()).then(|| core::mem::take(&mut self.foreign))
    }

    /// The bytes since the last zero are somebody's text.
    fn take_foreign(&mut self, counters: &mut Counters) {
        let room = self.foreign_limit.saturating_sub(self.foreign.len());
        let (kept, dropped) = self.bytes.split_at(room.min(self.bytes.len()));
        self.foreign.extend_from_slice(kept);
        counters.foreign_dropped += dropped.len() as u64;
        self.bytes.clear();
    }
}

/// Whether the bytes look like something that a program printed.
fn is_text(bytes: &[u8]) -> bool {
    let valid = match core::str::from_utf8(bytes) {
        Ok(_) => true,
        // A character may be cut off at the end.
        Err(error) => error.error_len().is_none(),
    };
    let printable = |&byte: &u8| byte >= 0x20 && byte != 0x7f || matches!(byte, 7..=13 | 27);
    valid && bytes.iter().all(printable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_between_two_zeros_is_nothing() {
        let mut line = Line::new(&Config::host());
        assert_eq!(line.end(), None);
        line.extend(5, b"abc", &mut Counters::default());
        assert_eq!(line.end().as_deref(), Some(&b"abc"[..]));
    }

    /// Text without an end wakes us when it has been silent for long enough, and not again.
    #[test]
    fn text_wakes_us_after_its_gap() {
        let (mut line, mut counters) = (Line::new(&Config::host()), Counters::default());
        assert_eq!(line.wake(0), None);
        line.extend(5, b"boot", &mut counters);
        assert_eq!(line.wake(5), Some(5 + TEXT_GAP_US));
        assert_eq!(line.wake(4 + TEXT_GAP_US), Some(5 + TEXT_GAP_US));
        assert_eq!(line.wake(5 + TEXT_GAP_US), None);
        line.tick(5 + TEXT_GAP_US, &mut counters);
        assert_eq!(line.text().as_deref(), Some(&b"boot"[..]));
    }
}
