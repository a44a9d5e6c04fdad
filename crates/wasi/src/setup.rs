//! What a world begins with.

use crate::limits::WorldLimits;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A file, a folder or a symbolic link, as a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A folder.
    Folder(BTreeMap<String, Item>),
    /// A symbolic link to this path.
    Link(String),
}

/// Everything that a world begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The arguments; the first one is the program's name.
    pub arguments: Vec<String>,
    /// The environment.
    pub environment: Vec<(String, String)>,
    /// The folders that the program gets, each with the name that it sees for it. Descriptors 3, 4 and so on.
    pub folders: Vec<(String, BTreeMap<String, Item>)>,
    /// What [`World::usual`](crate::World::usual) answers for standard input.
    pub input: Vec<u8>,
    /// Which of standard input, output and error are terminals.
    pub terminals: [bool; 3],
    /// The time at the start, in nanoseconds since 1970: that of all files, too.
    pub start: u64,
    /// What the random bytes of [`World::usual`](crate::World::usual) depend on.
    pub seed: u64,
    /// How much the world may hold.
    pub limits: WorldLimits,
}

impl Default for Setup {
    /// A program without arguments, folders and input, in September 2001.
    fn default() -> Setup {
        Setup {
            arguments: Vec::new(),
            environment: Vec::new(),
            folders: Vec::new(),
            input: Vec::new(),
            terminals: [false; 3],
            start: 1_000_000_000_000_000_000,
            seed: 0,
            limits: WorldLimits::default(),
        }
    }
}

/// Why no world can begin so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// An argument or a part of the environment has a zero byte, or a variable's name is empty or has a `=`.
    #[error(
        "{0:?} cannot be an argument or a variable: it has a zero byte, or a name without letters or with '='"
    )]
    Text(String),
    /// A name that no file can have.
    #[error(
        "{0:?} cannot be the name of a file: it is empty, '.', '..', too long, or has a '/' or a zero byte"
    )]
    Name(String),
    /// Too many files or bytes for [`Setup::limits`].
    #[error("{what}: {count} are more than the limit, {most}")]
    TooMuch {
        /// Of what.
        what: &'static str,
        /// How many.
        count: u64,
        /// How many there may be.
        most: u64,
    },
}
