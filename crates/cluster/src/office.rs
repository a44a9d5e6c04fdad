//! Where letters arrive and leave.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use borges_languages::model::Pending;
use borges_multiverse::graph::{Apart, Letter, Post};

use crate::frame::Frame;
use crate::line::{Heard, Line};

/// The lines of one member to all others.
pub(crate) struct Office {
    lines: Vec<Option<Line>>,
    inbox: Receiver<Heard>,
}

impl Office {
    /// One without lines, and where what is heard goes.
    pub(crate) fn new() -> (Self, Sender<Heard>) {
        let (to, inbox) = channel();
        let lines = Vec::new();
        (Self { lines, inbox }, to)
    }

    /// The line to a member.
    pub(crate) fn put(&mut self, member: usize, line: Line) {
        self.lines
            .resize_with(self.lines.len().max(member + 1), || None);
        self.lines[member] = Some(line);
    }

    pub(crate) fn say(&self, to: usize, frame: &Frame) {
        if let Some(Some(line)) = self.lines.get(to) {
            line.say(frame);
        }
    }

    /// What is heard next, if anything is before that time is over.
    pub(crate) fn hear(&self, wait: Duration) -> Option<Heard> {
        match self.inbox.recv_timeout(wait) {
            Ok(heard) => Some(heard),
            // Without lines nobody is heard.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }
}

impl Post<Vec<Pending>> for Office {
    fn send(&mut self, to: usize, letter: Letter<Vec<Pending>>) {
        self.say(to, &Frame::Letter(letter));
    }

    fn next(&mut self, wait: Duration) -> Result<Option<(usize, Letter<Vec<Pending>>)>, Apart> {
        let until = Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.hear(left) {
                None => return Ok(None),
                Some((from, Ok(Frame::Letter(letter)))) => return Ok(Some((from, letter))),
                // Nothing else means anything among members.
                Some((_, Ok(_))) => {}
                Some((member, Err(why))) => return Err(Apart::Gone { member, why }),
            }
        }
    }
}
