//! Universes that have come to a state which another branch had: from there on, both can go on in the same ways.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use borges_concolic::{Bounds, Budget, Comparing, Device, DeviceState, Flow};
use borges_multiverse::tree::{BranchId, Place};
use borges_vm::Value;

use crate::command::listing::SameAs;
use crate::command::unobserved;
use crate::error::CommandError;
use crate::history::entry::{EntryKind, Moment};
use crate::stage::{Stage, universe_id};

/// Inputs of a branch that are looked at, from its beginning.
const MOST_OF_A_BRANCH: usize = 200;
/// Inputs of all branches.
const MOST: usize = 1_000;
/// Instructions from the start to the first input that are looked at to learn what a program has.
const STEPS: u64 = 1_000_000;
/// Time for that.
const TIME: Duration = Duration::from_secs(1);

/// What is known of universes that have come to the same state as another. It is found anew when more was recorded.
#[derive(Default)]
pub(crate) struct Reconverged {
    module: u64,
    looked: Vec<Looked>,
    found: Vec<SameAs>,
}

/// A moment before an input, and what was read then.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Looked {
    at: Moment,
    value: Value,
}

impl Reconverged {
    /// The moments before inputs at which a branch has come to a state that an earlier branch had, in the order of
    /// branches. Some may be missing: only the first inputs of a branch are looked at, and programs that read clocks are not.
    pub(crate) fn of(&mut self, stage: &mut Stage) -> &[SameAs] {
        let (module, looked) = (stage.program().module.hash(), inputs(stage));
        if (self.module, &self.looked) != (module, &looked) {
            (self.module, self.looked) = (module, looked);
            // The way to a recorded moment and back cannot diverge; if it does, nothing is said.
            self.found = same(stage, &self.looked).unwrap_or_default();
        }
        &self.found
    }
}

/// What is looked at; nothing if nothing has branched.
fn inputs(stage: &Stage) -> Vec<Looked> {
    let tree = stage.history.tree();
    let mut all = Vec::new();
    if tree.branches().nth(1).is_none() {
        return all;
    }
    for branch in tree.branches() {
        let first = tree.fork_of(branch).map_or(0, |fork| fork.index);
        let tip = tree.tip(branch).map_or(first, |tip| tip.index);
        // The first entry of a branch is decided on the branch that it leaves.
        let first = if branch == BranchId(0) {
            first
        } else {
            first + 1
        };
        let inputs = (first..tip).filter_map(|index| {
            let place = |index| Place { branch, index };
            let entry = tree.entry(place(index + 1))?;
            match entry.kind {
                EntryKind::Input { value, .. } => Some(Looked {
                    at: Moment::of(place(index), entry.step_before()),
                    value,
                }),
                _ => None,
            }
        });
        all.extend(inputs.take(MOST_OF_A_BRANCH));
        if all.len() >= MOST {
            all.truncate(MOST);
            break;
        }
    }
    all
}

fn same(stage: &mut Stage, looked: &[Looked]) -> Result<Vec<SameAs>, CommandError> {
    if looked.is_empty() {
        return Ok(Vec::new());
    }
    stage.elsewhere(|stage| {
        let began = Instant::now();
        let clock = || began.elapsed();
        let budget = Budget::new(TIME, &clock, &|_| Flow::Continue);
        stage.history.seek(Moment::START, &mut unobserved)?;
        let twin = stage.history.twin();
        let (machine, board) = (twin.machine.clone(), twin.board.clone());
        let start = super::start(stage.program(), machine, board);
        let bounds = Bounds {
            steps: STEPS,
            events: Some(u32::MAX),
            ..Bounds::default()
        };
        let device = Device::new(start, bounds, None, Comparing::default(), &budget);
        // Of times that are relative, two states of different runs tell nothing as they are.
        let Some(device) = device.filter(|device| !device.has_clocks()) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        let mut first: HashMap<DeviceState, Moment> = HashMap::new();
        for Looked { at, .. } in looked {
            stage.history.seek(*at, &mut unobserved)?;
            let twin = stage.history.twin();
            if twin.machine.in_handler() || twin.machine.pending().is_none() {
                continue;
            }
            let Some(state) = device.state_of(&twin.machine, &twin.board) else {
                continue;
            };
            let earlier = *first.entry(state).or_insert(*at);
            if earlier.place.branch != at.place.branch {
                found.push(SameAs {
                    at: universe_id(&stage.history, *at),
                    other: universe_id(&stage.history, earlier),
                });
            }
        }
        Ok(found)
    })
}
