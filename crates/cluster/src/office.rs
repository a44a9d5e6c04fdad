//! Where letters arrive and leave.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use borges_languages::model::Pending;
use borges_link::Pipe;
use borges_multiverse::graph::{Apart, Letter, Post};

use crate::frame::Frame;
use crate::line::{Heard, Line};

/// The lines of one member to all others.
pub(crate) struct Office {
    lines: Vec<Option<Line>>,
    sent: Arc<AtomicU64>,
    inbox: Receiver<Heard>,
}

impl Office {
    /// One without lines, and where what is heard goes.
    pub(crate) fn new() -> (Self, Sender<Heard>) {
        let (to, inbox) = channel();
        let office = Self {
            lines: Vec::new(),
            sent: Arc::default(),
            inbox,
        };
        (office, to)
    }

    /// Starts the line to a member; what is heard of it goes to the inbox.
    pub(crate) fn join(
        &mut self,
        pipe: Pipe,
        member: usize,
        inbox: &Sender<Heard>,
    ) -> io::Result<()> {
        let line = Line::start(pipe, member, inbox.clone(), Arc::clone(&self.sent))?;
        let members = self.lines.len().max(member + 1);
        self.lines.resize_with(members, || None);
        self.lines[member] = Some(line);
        Ok(())
    }

    pub(crate) fn say(&self, to: usize, frame: &Frame) {
        if let Some(Some(line)) = self.lines.get(to) {
            line.say(frame);
        }
    }

    /// What is heard next, if anything is before that time is over.
    pub(crate) fn hear(&self, wait: Duration) -> Option<Heard> {
        // Without lines nobody is heard.
        self.inbox.recv_timeout(wait).ok()
    }
}

impl Post<Vec<Pending>> for Office {
    fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

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
