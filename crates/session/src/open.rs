//! Opening a session: what the user chose, and the device that it gets, a real one or a simulated one.

use std::path::PathBuf;

use borges_sim::{Faults, SimBoard, SimDevice, SimHandle};
use borges_stub::Stub;
use borges_wire::link::Link;
use borges_wire::{ContentHash, DeviceLimits, Overflow};

use crate::device::{Device, DeviceError, Task};
use crate::entry::Moment;
use crate::error::CommandError;
use crate::history::{History, unobserved};
use crate::motion::Observer;
use crate::opened::{Board, OpenError, Opened, read};
use crate::session::Session;
use crate::twin::Twin;

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
    /// The board file; without one, `board.toml` beside the program, or else the default board.
    pub board: Option<PathBuf>,
    /// The exported function to start with; without one, `main` or `_start`.
    pub entry: Option<String>,
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
}

impl Options {
    /// The usual ones for a program.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            board: None,
            entry: None,
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
            device_slice: 500_000,
            live_entries: LIVE_ENTRIES,
        }
    }
}

impl Session {
    /// Opens a program for debugging; it stands at its start.
    ///
    /// # Errors
    /// [`OpenError`] names the file and the cause.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let bytes = read(&options.program)?;
        let mut board = Board::find(&options.program, options.board.as_deref())?;
        if options.device.is_some() {
            board.shrink();
        }
        let mut session = Self::start(options, board, &bytes)?;
        session.create_file(&bytes)?;
        Ok(session)
    }

    /// A session without a file.
    pub(crate) fn start(options: Options, board: Board, bytes: &[u8]) -> Result<Self, OpenError> {
        let opened = Opened::on(board, &options.program, bytes, options.entry.as_deref())?;
        let history = History::new(Twin::new(opened.program, opened.machine), &options);
        Ok(Self::assemble(
            options,
            opened.board,
            opened.entry,
            opened.info,
            history,
        ))
    }

    /// Runs a session that was kept on this device: the one it was on, at another address or with its key, or another of
    /// its kind.
    pub fn use_device(
        &mut self,
        address: Option<borges_link::Address>,
        key: Option<borges_link::Key>,
        stop_recording_when_slow: bool,
    ) {
        if address.is_some() {
            self.options.device = address;
        }
        self.options.device_key = key;
        self.options.stop_recording_when_slow = stop_recording_when_slow;
    }

    /// Connects to the device, or makes a simulated one, if that has not happened yet.
    pub(crate) fn ensure_device(&mut self, observer: Observer<'_>) -> Result<(), CommandError> {
        if self.device.is_some() {
            return Ok(());
        }
        match &self.options.device {
            None => {
                let (link, handle) = simulated(&self.options, &self.board);
                self.connect(link, observer)?;
                self.simulated = Some(handle);
            }
            Some(address) => {
                let line = borges_link::open(address, self.options.device_key.as_ref())?;
                self.connect(line, observer)?;
            }
        }
        Ok(())
    }

    /// Loads the program into the device at the other end of a link.
    pub(crate) fn connect(
        &mut self,
        link: Box<dyn Link>,
        observer: Observer<'_>,
    ) -> Result<(), CommandError> {
        let here = self.history.hold();
        self.history.seek(Moment::START, &mut unobserved)?;
        let faults = self.options.faults.as_ref();
        let seed = faults.map_or_else(std::process::id, |(_, seed)| *seed as u32);
        let program = self.history.twin.program().clone();
        let task = Task {
            program: &program,
            board: &self.board.portable(),
            entry: self.entry.clone(),
        };
        let left = self.left_device;
        let connected = Device::connect(link, seed, task, &mut self.history, left, observer);
        let back = self.history.seek(here, &mut unobserved);
        self.history.release();
        back?;
        if !matches!(connected, Err(DeviceError::Paused)) {
            self.left_device = None;
        }
        let mut device = connected?;
        self.notice = device.notice.take();
        if self.options.stop_recording_when_slow {
            device.when_slow(Overflow::StopRecording)?;
        }
        if !self.mocks.is_empty() {
            device.set_mocks(self.mocks.clone())?;
        }
        self.device = Some(device);
        Ok(())
    }

    /// The simulated device, once there is one: to draw its hardware, and to turn its knobs.
    ///
    /// An upload puts another in its place.
    #[must_use]
    pub fn simulated(&self) -> Option<&SimHandle<SimBoard>> {
        self.simulated.as_ref()
    }
}

/// A simulated device for a board.
pub(crate) fn simulated(options: &Options, board: &Board) -> (Box<dyn Link>, SimHandle<SimBoard>) {
    let stub = simulated_stub(options, board, 1);
    match &options.faults {
        None => {
            let (device, handle) = SimDevice::new(stub);
            (Box::new(device), handle)
        }
        Some((faults, seed)) => {
            let (device, handle) = SimDevice::lossy(stub, faults, *seed);
            (Box::new(device), handle)
        }
    }
}

/// The debug server of a simulated device; `boot` differs from one start to the next.
pub(crate) fn simulated_stub(options: &Options, board: &Board, boot: u32) -> Stub<SimBoard> {
    let mut description = board.description.clone();
    if let Some(seed) = options.seed {
        description.simulation.seed = seed;
    }
    let hardware = SimBoard::new(&description);
    let vm = board.vm_limits();
    let config = borges_stub::Config {
        name: format!("simulated board '{}'", description.name),
        limits: DeviceLimits {
            message_bytes: 1 << 16,
            program_bytes: vm.module_bytes,
            delta_bytes: if options.device_takes_differences {
                u32::MAX
            } else {
                0
            },
            memory_pages: vm.memory_pages,
            trace_bytes: 1 << 20,
            breakpoints: 1 << 16,
            watches: 256,
            mocks: 1 << 16,
        },
        vm,
        slice: options.device_slice,
        endpoint: borges_wire::Config {
            message_bytes: 1 << 20,
            send_bytes: 1 << 20,
            segment_bytes: 4096,
            window: 32,
            batch_us: 2_000,
            ..borges_wire::Config::device()
        },
        seed: boot,
    };
    Stub::new(
        config,
        borges_vm::Shared::new(description),
        ContentHash::of(&board.portable()),
        hardware,
    )
}
