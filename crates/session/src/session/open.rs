//! Opening a session: what the user chose, and the device that it gets, a real one or a simulated one.

use borges_sim::{SimBoard, SimHandle};

use crate::options::Options;
use crate::program::{Board, OpenError, Opened, read_linked};
use crate::session::Session;
use crate::stage::Stage;

impl Session {
    /// Opens a program for debugging; it stands at its start.
    ///
    /// # Errors
    /// [`OpenError`] names the file and the cause.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let mut board = Board::find(&options.program, options.board.as_deref())?
            .with_system(&options.program, options.system.as_ref())?;
        if options.device.is_some() {
            board.shrink();
        }
        let bytes = read_linked(&options.program, &options.libraries, &board)?;
        let mut session = Self::start(options, board, &bytes, 0)?;
        session.motion.watch_limits(&session.stage);
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
    pub(super) fn start(
        mut options: Options,
        board: Board,
        bytes: &[u8],
        version: u32,
    ) -> Result<Self, OpenError> {
        let opened = Opened::on(board, &options.program, bytes, options.entry.as_deref())?;
        // The state of an operating system does not travel: a device is brought elsewhere by running again.
        options.device_takes_differences &= opened.program.board.system().is_none();
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

    /// The simulated device, once there is one: to draw its hardware, and to turn its knobs.
    ///
    /// An upload puts another in its place.
    #[must_use]
    pub fn simulated(&self) -> Option<&SimHandle<SimBoard>> {
        self.runner.simulated()
    }
}
