//! What a device was doing when the debugger came: it may have been running for somebody else, or for us.

use borges_vm::StateHash;
use borges_wire::{Command, ContentHash, DeviceLimits, DeviceStatus, Overflow, Report};

use super::told::Told;
use super::{Device, DeviceError};
use crate::command::Observer;
use crate::command::unobserved;
use crate::history::History;
use crate::history::entry::Moment;

/// How a device introduced itself.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) limits: DeviceLimits,
    pub(super) board: Option<ContentHash>,
    pub(super) program: Option<ContentHash>,
    status: DeviceStatus,
}

impl From<Report> for Found {
    fn from(welcome: Report) -> Self {
        match welcome {
            Report::Welcome {
                device,
                limits,
                board,
                program,
                status,
                ..
            } => Self {
                name: device,
                limits,
                board,
                program,
                status,
            },
            // Something else in answer to a greeting: the next question will be answered no better.
            _ => Self {
                name: String::new(),
                limits: DeviceLimits::default(),
                board: None,
                program: None,
                status: DeviceStatus::Idle,
            },
        }
    }
}

impl Device {
    /// Goes on where an earlier session left the device, if it is still there; whether that is so. Otherwise whatever
    /// ran on it is stopped and forgotten, and the user will hear of it.
    pub(super) fn take_over(
        &mut self,
        history: &mut History,
        found: &Found,
        left: Option<Moment>,
        observer: Observer<'_>,
    ) -> Result<bool, DeviceError> {
        let same = found.program == Some(self.program) && found.board == Some(self.board);
        if found.status == DeviceStatus::Idle {
            self.notice = left.filter(|left| left.steps > 0).map(|left| {
                format!(
                    "the device has restarted since the last session, which left it at step {}: the program is loaded again",
                    left.steps
                )
            });
            return Ok(false);
        }
        if found.status == DeviceStatus::Running {
            self.client.ask(Command::Pause, observer)?;
        }
        let (steps, state, next_record) = self.query(observer)?.unwrap_or_default();
        // What it still said of its way is of a session that nobody is in any more.
        self.forget_said();
        if let Some(left) = left.filter(|_| same) {
            history.seek(left, observer)?;
            if (steps, StateHash(state)) == (left.steps, history.twin().hash()) {
                (self.state, self.effects) = (left, left.place);
                self.frame = history.twin().frame(Some(&self.frame));
                (self.next_record, self.last_good) = (next_record, steps);
                // Nobody remembers what it was told of breakpoints, mocks and slow links.
                self.told = Told::default();
                self.when_slow(Overflow::Block, observer)?;
                self.notice = Some(format!(
                    "the device stands where the last session left it, at step {steps}: it goes on from there"
                ));
                return Ok(true);
            }
        }
        // A program that has taken no step has done nothing that could be missed.
        self.notice = (steps > 0).then(|| lost(found.status, same, steps, left));
        history.seek(Moment::START, &mut unobserved)?;
        self.client.ask(Command::Reset, observer)?;
        Ok(false)
    }
}

/// What is lost of a program that another session left on the device.
fn lost(status: DeviceStatus, same: bool, steps: u64, left: Option<Moment>) -> String {
    let was = match status {
        DeviceStatus::Running => "was running",
        DeviceStatus::Ended => "had ended",
        _ => "stood still",
    };
    let what = match (same, left) {
        (true, Some(left)) => format!(
            "this program {was} on the device, at step {steps}, and the last session recorded it up to step {}: what it \
             did in between is not recorded",
            left.steps
        ),
        (true, None) => format!(
            "this program {was} on the device, at step {steps}, for a session that is not this one"
        ),
        (false, _) => format!("another program {was} on the device, at step {steps}"),
    };
    format!(
        "{what}; it was stopped, and the program begins anew. What it has done to the outside stays as it is"
    )
}
