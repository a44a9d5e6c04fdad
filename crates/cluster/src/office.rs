//! Where letters arrive and leave.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use borges_languages::model::Pending;
use borges_link::Pipe;
use borges_multiverse::graph::{Apart, Bell, Letter, Post};
use borges_session::suggest::LookLetter;

use crate::frame::Frame;
use crate::line::{Heard, Line};

/// The lines of one member to all others.
pub(crate) struct Office {
    lines: Vec<Option<Line>>,
    sent: Arc<AtomicU64>,
    inbox: Receiver<Heard>,
    /// Wakes whoever waits for the inbox.
    to: Sender<Heard>,
}

/// What members of a survey say to each other.
pub(crate) trait Said: Sized {
    fn into_frame(self) -> Frame;

    /// It, if that is what was said.
    fn of_frame(frame: Frame) -> Option<Self>;
}

impl Said for Letter<Vec<Pending>> {
    fn into_frame(self) -> Frame {
        Frame::Letter(self)
    }

    fn of_frame(frame: Frame) -> Option<Self> {
        match frame {
            Frame::Letter(letter) => Some(letter),
            _ => None,
        }
    }
}

impl Said for LookLetter {
    fn into_frame(self) -> Frame {
        Frame::Look(self)
    }

    fn of_frame(frame: Frame) -> Option<Self> {
        match frame {
            Frame::Look(letter) => Some(letter),
            _ => None,
        }
    }
}

impl Office {
    /// One without lines, and where what is heard goes.
    pub(crate) fn new() -> (Self, Sender<Heard>) {
        let (to, inbox) = channel();
        let office = Self {
            lines: Vec::new(),
            sent: Arc::default(),
            inbox,
            to: to.clone(),
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

impl<L: Said> Post<L> for Office {
    fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    fn send(&mut self, to: usize, letter: L) {
        self.say(to, &letter.into_frame());
    }

    fn next(&mut self, wait: Duration) -> Result<Option<(usize, L)>, Apart> {
        let until = Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.hear(left) {
                None | Some((_, Ok(Frame::Alive))) => return Ok(None),
                Some((from, Ok(frame))) => {
                    // Nothing else means anything among members.
                    if let Some(letter) = L::of_frame(frame) {
                        return Ok(Some((from, letter)));
                    }
                }
                Some((member, Err(why))) => return Err(Apart::Gone { member, why }),
            }
        }
    }

    /// That somebody lives is no news, and comes no further than the line: in the inbox it is the bell.
    fn bell(&self) -> Bell {
        let to = self.to.clone();
        Box::new(move || {
            // Who is gone need not be woken.
            let _ = to.send((0, Ok(Frame::Alive)));
        })
    }
}
