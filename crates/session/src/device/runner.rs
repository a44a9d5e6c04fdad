//! What runs the program: the device of a session, from before there is one until it is gone.

use borges_sim::{SimBoard, SimHandle};
use borges_stub::Mocks;
use borges_wire::link::Link;
use borges_wire::{Mock, Overflow};

use super::simulated::simulated;
use super::{Device, DeviceError, Task};
use crate::command::{Event, Observer, unobserved};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::options::Options;
use crate::stage::Stage;

/// The device of a session, which is made or connected to when it is first needed (a recording can be looked at without
/// one), and what it has to know once it is there.
#[derive(Default)]
pub(crate) struct Runner {
    device: Option<Device>,
    /// The same from behind, if it is a simulated one.
    simulated: Option<SimHandle<SimBoard>>,
    /// Where an earlier session left the device.
    left: Option<Moment>,
    /// What was found on the device, until the user is told.
    notice: Option<String>,
    /// The mocks as the device will have them; how much is used up, the device's own list knows.
    mocks: Vec<Mock>,
    follows: bool,
}

impl Runner {
    /// Where an earlier session left the device, if there was one.
    pub(crate) fn was_left(&mut self, at: Option<Moment>) {
        self.left = at;
    }

    /// Where the program stands on the device, if there is one.
    pub(crate) fn state(&self) -> Option<Moment> {
        self.device.as_ref().map(|device| device.state)
    }

    /// [`Self::state`], unless the device was left between two places, or owes an answer.
    pub(crate) fn settled(&self) -> Option<Moment> {
        let device = self.device.as_ref()?;
        let is_there = device.effects == device.state.place && device.owes_nothing();
        is_there.then_some(device.state)
    }

    /// What the device calls itself.
    pub(crate) fn name(&self) -> Option<&str> {
        self.device.as_ref().map(|device| device.name.as_str())
    }

    /// Bytes sent, bytes received, frames sent again.
    pub(crate) fn traffic(&mut self) -> (u64, u64, u64) {
        self.device
            .as_mut()
            .map_or((0, 0, 0), |device| device.traffic())
    }

    pub(crate) fn simulated(&self) -> Option<&SimHandle<SimBoard>> {
        self.simulated.as_ref()
    }

    /// Whether the device comes along wherever the user goes.
    pub(crate) fn follows(&self) -> bool {
        self.follows
    }

    pub(crate) fn follow(&mut self, always: bool) {
        self.follows = always;
    }

    /// The user has to hear this with the next command.
    pub(crate) fn notice(&mut self, text: String) {
        self.notice = Some(text);
    }

    /// Says what was found on the device, once.
    pub(crate) fn tell(&mut self, observer: Observer<'_>) {
        if let Some(text) = self.notice.take() {
            observer(Event::Warning { text });
        }
    }

    /// Lets go of the device. The next time that one is needed, it begins at the program's start.
    pub(crate) fn let_go(&mut self) {
        (self.device, self.simulated) = (None, None);
    }

    /// Connects to the device, or makes a simulated one, if that has not happened yet.
    fn ensure(
        &mut self,
        stage: &mut Stage,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<&mut Device, CommandError> {
        if self.device.is_none() {
            match &options.device {
                None => {
                    let (link, handle) = simulated(options, stage.loaded.board_file());
                    self.connect(link, stage, options, observer)?;
                    self.simulated = Some(handle);
                }
                Some(address) => {
                    let line = borges_link::open(address, options.device_key.as_ref())?;
                    self.connect(line, stage, options, observer)?;
                }
            }
        }
        self.device()
    }

    /// Loads the program into the device at the other end of a link.
    pub(crate) fn connect(
        &mut self,
        link: Box<dyn Link>,
        stage: &mut Stage,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<(), CommandError> {
        let (loaded, history) = (&stage.loaded, &mut stage.history);
        let here = history.hold();
        history.seek(Moment::START, &mut unobserved)?;
        let faults = options.faults.as_ref();
        let seed = faults.map_or_else(std::process::id, |(_, seed)| *seed as u32);
        let task = Task {
            program: loaded.program(),
            board: &loaded.board_file().portable(),
            entry: loaded.entry().clone(),
        };
        let connected = Device::connect(link, seed, task, history, self.left, observer);
        let back = history.seek(here, &mut unobserved);
        history.release();
        back?;
        if !matches!(connected, Err(DeviceError::Paused)) {
            self.left = None;
        }
        let mut device = connected?;
        self.notice = device.notice.take();
        if options.stop_recording_when_slow {
            device.when_slow(Overflow::StopRecording, observer)?;
        }
        if !self.mocks.is_empty() {
            device.set_mocks(self.mocks.clone(), observer)?;
        }
        self.device = Some(device);
        Ok(())
    }

    /// Brings the device to the moment shown; what was done, in words.
    pub(crate) fn bring(
        &mut self,
        stage: &mut Stage,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<String, CommandError> {
        let device = self.ensure(stage, options, observer)?;
        let history = &mut stage.history;
        let here = history.here();
        let join = history.tree().join(device.effects, here.place);
        let join = join.unwrap_or(here.place);
        let outputs = |to| {
            let entries = history.tree().between(join, to).into_iter().flatten();
            entries.filter(|(_, entry)| entry.is_output()).count()
        };
        let (undo, redo) = (outputs(device.effects), outputs(here.place));
        let was = (device.state, device.effects);
        let brought = device.bring(history, here, observer);
        self.unless_gone(brought)?;
        if was == (here, here.place) {
            return Ok("it was already".to_owned());
        }
        let plural = if undo == 1 { "" } else { "s" };
        Ok(format!(
            "{undo} output{plural} undone, {redo} performed again"
        ))
    }

    /// The device, once it was brought somewhere.
    pub(crate) fn device(&mut self) -> Result<&mut Device, CommandError> {
        let none = || CommandError::Invalid("there is no device".to_owned());
        self.device.as_mut().ok_or_else(none)
    }

    /// Compares the device's state with the twin's where it stands; the steps there, and the state's hash.
    pub(crate) fn verify(
        &mut self,
        stage: &mut Stage,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<(u64, u64), CommandError> {
        let device = self.ensure(stage, options, observer)?;
        let verified = device.verify(&mut stage.history, observer);
        self.unless_gone(verified)
    }

    /// The mocks as they were set.
    pub(crate) fn mocks(&self) -> &[Mock] {
        &self.mocks
    }

    /// Replaces all mocks, on the device too, if there is one.
    pub(super) fn adopt_mocks(
        &mut self,
        mocks: Vec<Mock>,
        observer: Observer<'_>,
    ) -> Result<(), CommandError> {
        if let Some(device) = &mut self.device {
            device.set_mocks(mocks.clone(), observer)?;
        }
        self.mocks = mocks;
        Ok(())
    }

    /// The mocks with how much of each is used up.
    pub(crate) fn mocks_in_force(&self) -> Mocks {
        match &self.device {
            Some(device) => device.mocks().clone(),
            None => Mocks::new(self.mocks.clone()),
        }
    }

    /// A device of which nobody knows where it stands is none any more: another connection begins with its start.
    pub(crate) fn unless_gone<T>(
        &mut self,
        result: Result<T, DeviceError>,
    ) -> Result<T, CommandError> {
        if result.as_ref().is_err_and(DeviceError::is_gone) {
            self.let_go();
        }
        Ok(result?)
    }
}
