//! What a paused search leaves for the next one.

use crate::command::NewBreakpoint;
use crate::history::Stops;
use crate::history::entry::Moment;

/// A search backwards that was paused: the same search goes on where it was.
#[derive(Debug)]
pub(crate) struct PausedSearch {
    pub(super) from: Moment,
    pub(super) stops: Stops,
    /// Conditions decide what counts as found.
    pub(super) breakpoints: Vec<NewBreakpoint>,
    /// All between here and `from` was looked at.
    pub(super) back_to: Moment,
}
