//! The device that the command line names, and its key.

use std::path::Path;

use borges_session::{Address, Key, Options, Session};

use crate::args;
use crate::exit::Failure;

/// The device that the command line names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Target {
    /// Where it is; nothing for a simulated one.
    pub(crate) address: Option<Address>,
    pub(crate) key: Option<Key>,
    /// A program that is faster than the link goes on unrecorded.
    pub(crate) stop_recording_when_slow: bool,
}

impl Target {
    /// The device that these options name.
    ///
    /// # Errors
    /// The address names no device, or the key cannot be read.
    pub(crate) fn of(options: &args::Target) -> Result<Self, Failure> {
        let parse = |text: &String| text.parse::<Address>();
        let address = options.device.as_ref().map(parse).transpose();
        let named = address.map_err(|error| Failure::usage(error, "see 'borges repl --help'"))?;
        let address = match (named, options.baud) {
            (Some(address), Some(baud)) => Some(address.with_baud(baud).ok_or_else(|| {
                Failure::usage("only serial ports have a baud rate", "leave --baud away")
            })?),
            (named, _) => named,
        };
        let key = options.key_file.as_deref().map(read_key).transpose()?;
        Ok(Self {
            address,
            key,
            stop_recording_when_slow: options.when_slow,
        })
    }

    /// The options of a new session on it, with what the program finds.
    ///
    /// # Errors
    /// What the program finds cannot be read.
    pub(crate) fn options(
        &self,
        program: &Path,
        start: &args::Start,
        system: &args::System,
    ) -> Result<Options, Failure> {
        Ok(Options {
            device: self.address.clone(),
            device_key: self.key.clone(),
            stop_recording_when_slow: self.stop_recording_when_slow,
            board: start.board.clone(),
            libraries: start.entry.linked.libraries.clone(),
            entry: start.entry.script(),
            seed: start.seed,
            system: super::system::given(system, start.seed)?,
            ..Options::new(program)
        })
    }

    /// Goes on with a session that was kept: on this device, if one is named, otherwise where it was.
    #[must_use]
    pub(crate) fn on(&self, mut session: Session) -> Session {
        session.use_device(
            self.address.clone(),
            self.key.clone(),
            self.stop_recording_when_slow,
        );
        session
    }
}

/// The key that a file holds: its text, without blanks around it.
///
/// # Errors
/// It cannot be read, or is too short to be a key.
pub(crate) fn read_key(path: &Path) -> Result<Key, Failure> {
    let text = super::read_text(path)?;
    Key::new(text.trim().as_bytes()).map_err(|error| {
        Failure::input(
            format!("{}: {error}", path.display()),
            "'borges board --key-file FILE' makes a good one if there is no such file",
        )
    })
}
