//! What the device was told about when to stop and what to read.

use borges_stub::Mocks;
use borges_vm::CodeOffset;
use borges_wire::{Command, Mock, PrimitiveStop, Watch, WatchAccess};

use super::{Device, DeviceError};
use crate::command::Observer;
use crate::history::Stops;

/// Where the device can be told to stop.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LiveStops {
    pub(crate) stops: Stops,
    /// Conditions on arguments that the device checks itself.
    pub(crate) primitives: Vec<PrimitiveStop>,
}

impl From<Stops> for LiveStops {
    fn from(stops: Stops) -> Self {
        let primitives = stops.primitives.iter().map(|id| PrimitiveStop {
            primitive: id.0,
            conditions: Vec::new(),
        });
        LiveStops {
            primitives: primitives.collect(),
            stops,
        }
    }
}

/// What the device was told about when to stop and what to read; nothing where that is not certain.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) code: Option<Vec<CodeOffset>>,
    pub(super) watches: Option<Vec<borges_vm::Watch>>,
    pub(super) primitives: Option<Vec<PrimitiveStop>>,
    pub(super) stop_on_events: Option<bool>,
    pub(super) board_events: Option<bool>,
    /// Its mocks are those that it should have.
    pub(super) mocks: bool,
}

impl Told {
    /// What a device knows after its power-on.
    pub(super) fn nothing() -> Self {
        Self {
            code: Some(Vec::new()),
            watches: Some(Vec::new()),
            primitives: Some(Vec::new()),
            stop_on_events: Some(false),
            board_events: Some(true),
            mocks: true,
        }
    }
}

impl Device {
    /// Replaces all mocks. If that fails, the old ones are in force, as soon as the device can be told.
    pub(crate) fn set_mocks(
        &mut self,
        list: Vec<Mock>,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        self.told.mocks = false;
        self.client.ask(Command::SetMocks(list.clone()), observer)?;
        self.mocks = Mocks::new(list);
        self.told.mocks = true;
        Ok(())
    }

    /// Tells the device of mocks that are not those in force.
    pub(crate) fn lend_mocks(
        &mut self,
        list: Vec<Mock>,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        self.told.mocks = false;
        self.client.ask(Command::SetMocks(list), observer)?;
        Ok(())
    }

    /// Tells the device where to stop and whether the board's events count, if it does not know already.
    pub(crate) fn arm(
        &mut self,
        stops: &LiveStops,
        board_events: bool,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        let LiveStops { stops, primitives } = stops;
        if self.told.code.as_ref() != Some(&stops.code) {
            self.told.code = None;
            let offsets = stops.code.iter().map(|offset| offset.0).collect();
            self.client
                .ask(Command::SetBreakpoints(offsets), observer)?;
            self.told.code = Some(stops.code.clone());
        }
        if self.told.watches.as_ref() != Some(&stops.watches) {
            self.told.watches = None;
            let watches = stops.watches.iter().map(wire_watch).collect();
            self.client.ask(Command::SetWatches(watches), observer)?;
            self.told.watches = Some(stops.watches.clone());
        }
        if self.told.primitives.as_ref() != Some(primitives) {
            self.told.primitives = None;
            self.client
                .ask(Command::SetPrimitiveStops(primitives.clone()), observer)?;
            self.told.primitives = Some(primitives.clone());
        }
        if self.told.stop_on_events != Some(stops.events) {
            self.told.stop_on_events = None;
            self.client
                .ask(Command::StopOnEvents(stops.events), observer)?;
            self.told.stop_on_events = Some(stops.events);
        }
        if self.told.board_events != Some(board_events) {
            self.told.board_events = None;
            self.client
                .ask(Command::BoardEvents(board_events), observer)?;
            self.told.board_events = Some(board_events);
        }
        Ok(())
    }
}

fn wire_watch(watch: &borges_vm::Watch) -> Watch {
    let access = WatchAccess::Write;
    match *watch {
        borges_vm::Watch::Memory {
            memory,
            start,
            length,
        } => Watch::Memory {
            memory,
            address: start,
            length,
            access,
        },
        borges_vm::Watch::Global(index) => Watch::Global { index, access },
        borges_vm::Watch::Local { frame, local } => Watch::Local {
            frame,
            index: local,
            access,
        },
    }
}
