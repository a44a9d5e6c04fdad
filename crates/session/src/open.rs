//! Opening a session: what the user chose, and the device that it gets, a real one or a simulated one.

use borges_sim::{SimBoard, SimHandle};
use borges_wire::Overflow;
use borges_wire::link::Link;

use crate::command::Observer;
use crate::command::unobserved;
use crate::device::simulated::simulated;
use crate::device::{Device, DeviceError, Task};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::options::Options;
use crate::program::{Board, OpenError, Opened, read};
use crate::session::Session;
use crate::stage::Stage;

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
        let mut session = Self::start(options, board, &bytes, 0)?;
        if let Some(path) = &session.options.session_file {
            let path = path.clone();
            let record = &mut session.record;
            record.create(&path, &session.stage, &session.options, &bytes)?;
            session.save().map_err(|error| OpenError::Session {
                path,
                message: error.to_string(),
            })?;
        }
        Ok(session)
    }

    /// A session without a file, of a program before which `version` others were uploaded.
    pub(crate) fn start(
        options: Options,
        board: Board,
        bytes: &[u8],
        version: u32,
    ) -> Result<Self, OpenError> {
        let opened = Opened::on(board, &options.program, bytes, options.entry.as_deref())?;
        let stage = Stage::new(opened, version, &options);
        Ok(Self::assemble(options, stage))
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
                let (link, handle) = simulated(&self.options, self.stage.loaded.board_file());
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
        let here = self.stage.history.hold();
        self.stage.history.seek(Moment::START, &mut unobserved)?;
        let faults = self.options.faults.as_ref();
        let seed = faults.map_or_else(std::process::id, |(_, seed)| *seed as u32);
        let loaded = &self.stage.loaded;
        let task = Task {
            program: loaded.program(),
            board: &loaded.board_file().portable(),
            entry: loaded.entry().clone(),
        };
        let left = self.left_device;
        let connected = Device::connect(link, seed, task, &mut self.stage.history, left, observer);
        let back = self.stage.history.seek(here, &mut unobserved);
        self.stage.history.release();
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
