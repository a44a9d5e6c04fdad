//! What to debug, and how.

use std::path::PathBuf;

use borges_sim::{Faults, Pace};

use crate::program::{Library, Provided};

/// Work between two keyframes at first: a replay of this length takes well under a millisecond.
const KEYFRAME_SPACING: u64 = 250_000;

/// Well under a millisecond too, and a few where breakpoints slow the replay down.
const LOOK_EVERY: u64 = 250_000;

/// Enough for hours of a program that waits between its readings, and a few seconds of one that does not.
const LIVE_ENTRIES: u64 = 1_000_000;

/// What to debug, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The WebAssembly module.
    pub program: PathBuf,
    /// The modules that it is linked with.
    pub libraries: Vec<Library>,
    /// The board file; without one, `board.toml` beside the program, or else the default board.
    pub board: Option<PathBuf>,
    /// The exported function to start with; without one, `main` or `_start`.
    pub entry: Option<String>,
    /// What a program finds that calls an operating system; without it, its name is all.
    pub system: Option<Provided>,
    /// Where to keep the session; without one, nothing is kept.
    pub session_file: Option<PathBuf>,
    /// Seed of everything random in a simulated board; without one, the board file's.
    pub seed: Option<u64>,
    /// The real device to run it on; without one, a simulated one.
    pub device: Option<borges_link::Address>,
    /// The key that the device has; one on another computer needs one.
    pub device_key: Option<borges_link::Key>,
    /// Whether a program goes on unrecorded where the link is slower than it is; otherwise it waits for the link.
    pub stop_recording_when_slow: bool,
    /// Faults of the simulated link, with their seed.
    pub faults: Option<(Faults, u64)>,
    /// Whether the simulated device takes differences of states; if not, it is moved by restart.
    pub device_takes_differences: bool,
    /// Memory for snapshots, in bytes.
    pub keyframe_bytes: usize,
    /// Work between two snapshots at first: a step counts 1, an entry about as much as 64.
    pub keyframe_spacing: u64,
    /// Steps that a replay takes between two looks at whether to pause.
    pub look_every: u64,
    /// Steps that the simulated device takes between two looks at its link.
    pub device_slice: u64,
    /// Inputs, outputs and events after which a live run pauses by itself: a program that runs for ever at full speed
    /// would otherwise fill the memory.
    pub live_entries: u64,
    /// How fast the board's clock goes while the program runs, on what is recorded and on a simulated device. A real one
    /// has a clock of its own.
    pub pace: Pace,
}

impl Options {
    /// The usual ones for a program.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            libraries: Vec::new(),
            board: None,
            entry: None,
            system: None,
            session_file: None,
            seed: None,
            device: None,
            device_key: None,
            stop_recording_when_slow: false,
            faults: None,
            device_takes_differences: true,
            keyframe_bytes: 256 << 20,
            keyframe_spacing: KEYFRAME_SPACING,
            look_every: LOOK_EVERY,
            device_slice: 125_000,
            live_entries: LIVE_ENTRIES,
            pace: Pace::default(),
        }
    }
}
