//! Reproducing a recording.

use borges_multiverse::tree::BranchId;
use borges_vm::StateHash;

use super::Record;
use crate::command::Observer;
use crate::command::{Event, Flow};
use crate::error::CommandError;
use crate::history::SeekError;
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

impl Record {
    /// Replays every branch from the start of the program to its end and compares the last states with the recorded
    /// hashes. The twin is elsewhere only until this returns.
    pub(crate) fn replay(
        &self,
        stage: &mut Stage,
        observer: Observer<'_>,
    ) -> Result<Replayed, CommandError> {
        let mut replayed = Replayed {
            complete: true,
            branches: 0,
            steps: 0,
            compared: 0,
            states: Vec::new(),
        };
        stage.elsewhere(|stage| replay_branches(stage, self, &mut replayed, observer))?;
        Ok(replayed)
    }
}

fn replay_branches(
    stage: &mut Stage,
    record: &Record,
    replayed: &mut Replayed,
    observer: Observer<'_>,
) -> Result<(), CommandError> {
    let branches: Vec<BranchId> = stage.history.tree().branches().collect();
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
        let StateHash(state) = stage.history.twin().hash();
        if let Some((steps, recorded)) = record.hash_of(branch)? {
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
