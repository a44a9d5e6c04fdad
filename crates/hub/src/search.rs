//! Questions about futures, answered on a thread of their own while the session goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use borges_session::command::Flow;
use borges_session::suggest::{Inquiry, SuggestionListing};

use crate::pauses::{Pauses, Turn};

/// Between two looks of the page at what was found so far.
const TELL: Duration = Duration::from_millis(150);

/// A question under way. Dropping it ends it.
pub(crate) struct Search {
    answers: Receiver<SuggestionListing>,
    ended: Arc<AtomicBool>,
}

impl Search {
    /// Begins to look for answers, until everything up to `turn` is paused.
    ///
    /// # Errors
    /// There is no thread for it.
    pub(crate) fn begin(inquiry: Inquiry, pauses: Arc<Pauses>, turn: Turn) -> Result<Self, String> {
        let (sender, answers) = mpsc::channel();
        let ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ended);
        let work = move || {
            let mut told = Instant::now();
            let answer = inquiry.answer(&mut |_, listing| {
                if flag.load(Ordering::SeqCst) || pauses.flow(turn) == Flow::Pause {
                    return Flow::Pause;
                }
                if told.elapsed() < TELL {
                    return Flow::Continue;
                }
                told = Instant::now();
                match sender.send(listing()) {
                    Ok(()) => Flow::Continue,
                    Err(_) => Flow::Pause,
                }
            });
            // Nobody may be waiting any more.
            let _gone = sender.send(answer);
        };
        let thread = std::thread::Builder::new().name("search".to_owned());
        thread.spawn(work).map_err(|error| error.to_string())?;
        Ok(Self { answers, ended })
    }

    /// Has it answer with what it has found.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    /// The latest that is known, if there is anything new.
    pub(crate) fn latest(&self) -> Option<SuggestionListing> {
        self.answers.try_iter().last()
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.end();
    }
}
