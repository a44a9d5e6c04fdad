//! Recording at full speed, and reproducing a recording.

use borges_multiverse::tree::BranchId;
use borges_vm::StateHash;

use crate::command::Observer;
use crate::command::{Event, Flow, StopReason};
use crate::error::CommandError;
use crate::history::{SeekError, Stops};
use crate::record::file::Record;
use crate::session::Session;
use crate::stage::Stage;

/// A recording that was reproduced.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Replayed {
    /// All of them were; not if the observer paused before.
    pub complete: bool,
    /// Branches replayed from the start to their ends.
    pub branches: u32,
    /// Instructions executed for it.
    pub steps: u64,
    /// Branches whose last state was compared with the recorded hash, and was equal.
    pub compared: u32,
    /// The hash of the last state of each branch, as hexadecimal digits.
    pub states: Vec<String>,
}

impl Session {
    /// Runs the program on its device until it ends, until the step count `until`, or until the observer pauses it, and
    /// saves its trace as it goes.
    ///
    /// # Errors
    /// [`CommandError`] if device or session file fail; what was recorded before is kept.
    pub fn record(
        &mut self,
        until: Option<u64>,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        loop {
            if let Some(ended) = self.stage.ended() {
                self.save()?;
                return Ok(ended);
            }
            if until.is_some_and(|until| self.stage.history.here().steps >= until) {
                return Ok(StopReason::Bound);
            }
            let paused = self.device_run(&Stops::default(), until, observer)?;
            self.save()?;
            if paused.reason == borges_wire::PauseReason::Requested && !paused.full {
                return Ok(StopReason::Paused);
            }
        }
    }

    /// Replays every branch from the start of the program to its end, on the twin, and compares the last states with the
    /// recorded hashes.
    ///
    /// # Errors
    /// [`CommandError::Divergence`] names the first step that went another way; [`CommandError::Invalid`] a state that
    /// differs.
    pub fn replay(&mut self, observer: Observer<'_>) -> Result<Replayed, CommandError> {
        let mut replayed = Replayed {
            complete: true,
            branches: 0,
            steps: 0,
            compared: 0,
            states: Vec::new(),
        };
        let record = self.record.as_ref();
        self.stage
            .elsewhere(|stage| replay_branches(stage, record, &mut replayed, observer))?;
        Ok(replayed)
    }

    /// The hash of the state here, if here is the end of a branch: what a later replay is compared with.
    pub(crate) fn hash_to_keep(&self) -> Option<(BranchId, u64, u64)> {
        let here = self.stage.history.here();
        let branch = here.place.branch;
        // Where a damaged file cuts a branch short, it did not end.
        let at_end =
            self.stage.history.tip_of(branch) == here && !self.stage.history.tree.is_closed(branch);
        at_end.then(|| (branch, here.steps, self.stage.history.twin.hash().0))
    }
}

fn replay_branches(
    stage: &mut Stage,
    record: Option<&Record>,
    replayed: &mut Replayed,
    observer: Observer<'_>,
) -> Result<(), CommandError> {
    let recorded_hash = |branch| record.map_or(Ok(None), |record| record.hash_of(branch));
    let branches: Vec<BranchId> = stage.history.tree.branches().collect();
    for branch in branches {
        let tip = stage.history.tip_of(branch);
        // Branches that were added but never taken have nothing to replay to.
        let total = Some(tip.steps);
        let progress = Event::Progress {
            what: format!("replaying branch {}", branch.0),
            done: 0,
            total,
        };
        let sought = match observer(progress) {
            Flow::Pause => Err(SeekError::Paused),
            Flow::Continue => stage.history.seek_afresh(tip, observer),
        };
        if sought == Err(SeekError::Paused) {
            replayed.complete = false;
            return Ok(());
        }
        sought?;
        let StateHash(state) = stage.history.twin.hash();
        if let Some((steps, recorded)) = recorded_hash(branch)? {
            if steps == tip.steps && recorded != state {
                let text = format!(
                    "branch {} ends in state {state:016x} at step {steps}, recorded was {recorded:016x}: \
                     another version of Borges, or a damaged file",
                    branch.0
                );
                return Err(CommandError::Invalid(text));
            }
            replayed.compared += u32::from(steps == tip.steps);
        }
        replayed.branches += 1;
        replayed.steps += tip.steps;
        replayed.states.push(format!("{state:016x}"));
    }
    Ok(())
}
