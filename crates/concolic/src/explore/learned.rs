//! What explorations of a program learn that serves the next.

use crate::dag::Dag;
use crate::decide::{Decider, Effort};

/// What is learned of a program: it makes the next exploration of it faster, and changes nothing of what that finds but
/// which values stand for others.
pub struct Learned {
    pub(super) dag: Dag,
    pub(super) decider: Decider,
}

impl Learned {
    /// What deciding has cost so far.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.decider.effort
    }
}
