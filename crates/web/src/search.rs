//! Questions about futures, answered on a thread of their own while the session goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};

use borges_session::command::Flow;
use borges_session::suggest::{Inquiry, SuggestionListing};

use crate::pauses::{Pauses, Turn};

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
            let answer = inquiry.answer(&mut |listing| {
                let heard = sender.send(listing).is_ok();
                match heard && !flag.load(Ordering::SeqCst) {
                    true => pauses.flow(turn),
                    false => Flow::Pause,
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
