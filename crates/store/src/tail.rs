//! The end of a branch that is being written, and what may follow it.

use crate::{KeptEntry, StoreError};

/// How many bytes one entry may carry, and how many arguments.
pub(crate) const ENTRY_BYTES: usize = 1 << 16;
const ARGUMENTS: usize = 1000;

/// The end of a branch that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    pub(crate) id: i64,
    /// The position of the branch's first entry, and of its next.
    pub(crate) fork: u32,
    pub(crate) next: u32,
    pub(crate) last_steps: u64,
    /// Whether the branch's row does not say yet how many entries there are.
    pub(crate) dirty: bool,
}

impl Tail {
    /// The row of the entry at `position`.
    pub(crate) fn row(&self, position: u32) -> i64 {
        self.id << 32 | i64::from(position)
    }

    /// Whether entries can follow.
    pub(crate) fn check(&self, entries: &[KeptEntry]) -> Result<(), StoreError> {
        let room = (u32::MAX - self.next) as usize;
        if entries.len() > room {
            return Err(StoreError::TooLarge("branch"));
        }
        let mut steps = self.last_steps;
        for entry in entries {
            if entry.steps < steps || i64::try_from(entry.steps).is_err() {
                return Err(StoreError::OutOfOrder);
            }
            if entry.data.len() > ENTRY_BYTES || entry.arguments.len() > ARGUMENTS {
                return Err(StoreError::TooLarge("entry"));
            }
            steps = entry.steps;
        }
        Ok(())
    }
}
