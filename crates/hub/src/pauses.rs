//! Whose work a press of Pause ends.

use std::sync::atomic::{AtomicU64, Ordering};

use borges_session::command::Flow;

/// The place of what somebody asked in the order of everything that was asked.
pub(crate) type Turn = u64;

/// The turn of what is opened before anybody can ask.
pub(crate) const OPENING: Turn = 1;

/// Pauses what was asked before: what waits in line as well as what is under way.
#[derive(Default)]
pub(crate) struct Pauses {
    asked: AtomicU64,
    /// The last turn that is paused.
    paused: AtomicU64,
    /// How many wait in line that act.
    acts: AtomicU64,
}

impl Pauses {
    /// The turn of what is asked now.
    pub(crate) fn next_turn(&self) -> Turn {
        self.asked.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Pauses what was asked so far.
    pub(crate) fn pause(&self) {
        self.paused
            .store(self.asked.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    /// Somebody asked for something that acts: what only looks, and takes long, gives way.
    pub(crate) fn act(&self) {
        self.acts.fetch_add(1, Ordering::SeqCst);
    }

    /// One of those begins.
    pub(crate) fn begin_act(&self) {
        self.acts.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether something waits in line that acts.
    pub(crate) fn acts_wait(&self) -> bool {
        self.acts.load(Ordering::SeqCst) > 0
    }

    /// Also what is asked from now on.
    pub(crate) fn pause_for_good(&self) {
        self.paused.store(Turn::MAX, Ordering::SeqCst);
    }

    /// Whether what has this turn goes on.
    pub(crate) fn flow(&self, turn: Turn) -> Flow {
        match self.paused.load(Ordering::SeqCst) >= turn {
            true => Flow::Pause,
            false => Flow::Continue,
        }
    }
}
