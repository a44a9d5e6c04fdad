//! Session files: a multiverse in SQLite, crash-safe and readable by others.
//!
//! A [`Store`] is one open session file. It keeps the versions of the program, the branches of each
//! version's multiverse with their entries, and what the user added: notes, breakpoints, mocks,
//! settings. Its types are plain and its own: what they mean is the session's business.
//!
//! # Invariants
//!
//! - What [`Store::flush`] has returned from is in the file, also when the process is killed the
//!   next moment. What was written since is saved as a whole or not at all; [`Store::tick`] saves
//!   every [`GROUP_COMMIT`].
//! - Every row has a sum, and every table one over its rows (`seal`). All are looked at when a file is
//!   opened; a row that is not what was written is never returned by anything, stays in the file, and is
//!   named by [`Store::damage`]. The rest is there as ever.
//! - Entries are read when they are asked for, never all at once.
//! - At most one process writes a file; others may read it meanwhile.
//! - A file is hostile until proven otherwise: nothing in it is executed, and its size bounds the
//!   memory it can take.
#![forbid(unsafe_code)]

mod aside;
mod branches;
mod entry;
mod error;
mod keep;
mod lock;
mod merge;
mod migrate;
mod model;
mod open;
mod query;
mod runs;
mod schema;
mod seal;
mod store;
mod tail;
mod verify;

pub use branches::{BLOCK, Branch, Fork, KeptEnd};
pub use entry::{EntryKind, KeptEntry, KeptValue};
pub use error::{Damage, StoreError};
pub use keep::{
    KeptBreakpoint, KeptMock, KeptPrimitive, KeptProgram, NewProgram, Note, ProgramInfo, Who,
};
pub use merge::{Merge, MergeInput, Merged, Unmerged};
pub use model::{ModelEdge, ModelLabels, ModelOutcome, ModelProgram, ModelRows, ModelState};
pub use query::{QueryBounds, QueryCell, QueryTable};
pub use runs::KeptRuns;
pub use store::{Access, GROUP_COMMIT, Store};

/// A version of the program: how many were uploaded before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Upload(pub u32);

/// A moment in the multiverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeptPlace {
    /// Which version of the program.
    pub upload: Upload,
    /// The branch.
    pub branch: u32,
    /// How many entries lie before it, from the start of the program.
    pub position: u32,
    /// Whose steps are counted: the number of an agent of the program.
    pub agent: u32,
    /// The step count of the agent.
    pub steps: u64,
}
