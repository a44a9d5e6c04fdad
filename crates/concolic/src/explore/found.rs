//! The paths that were found, each once.

use borges_vm::{CodeOffset, Machine};
use hashbrown::HashMap;

use super::{State, Waiting};
use crate::path::{Decision, Delivered, End, Path, Way};
use crate::standing::go_back;

/// What makes a path another one: all its branches, its end, its events. Which of the branches depend on inputs is no part
/// of it: where an instruction was executed for one value at a time, that may differ from way to way.
type PathKey = (u128, End, Vec<Delivered>);

/// Paths, each once: what leads along a known one is another way.
#[derive(Default)]
pub(super) struct Found {
    pub(super) paths: Vec<Path>,
    /// What their branches come to, path by path.
    pub(super) trails: Vec<u128>,
    known: HashMap<PathKey, usize>,
}

impl Found {
    /// Notes a path; its number, and whether it is a new one.
    pub(super) fn add(
        &mut self,
        state: &State,
        outcomes: Vec<Decision>,
        end: End,
        steps: u64,
    ) -> (usize, bool) {
        let path = Path {
            outcomes,
            end,
            ways: vec![state.way()],
            steps,
            events: state.events.clone(),
        };
        self.add_path(state.shadow.trail, path)
    }

    /// The same with what its branches come to.
    pub(super) fn add_path(&mut self, trail: u128, path: Path) -> (usize, bool) {
        let key = (trail, path.end.clone(), path.events.clone());
        let next = self.paths.len();
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            self.trails.push(trail);
            self.paths.push(path);
            return (number, true);
        }
        let ways = &mut self.paths[number].ways;
        for way in path.ways {
            let same =
                |known: &&mut Way| known.reads == way.reads && known.constraints == way.constraints;
            match ways.iter_mut().find(same) {
                // A run that was followed first may have had any values; those of a search are simple.
                Some(known) => known.model = way.model,
                None => ways.push(way),
            }
        }
        (number, false)
    }

    /// Whether a path is a known one.
    pub(super) fn has(&self, trail: u128, path: &Path) -> bool {
        let key = (trail, path.end.clone(), path.events.clone());
        self.known.contains_key(&key)
    }
}

impl State {
    /// Under which conditions the path was taken so far.
    fn way(&self) -> Way {
        Way {
            reads: self.reads.clone(),
            constraints: self.constraints.clone(),
            model: self.model.clone(),
        }
    }
}

impl Waiting {
    /// That a path is followed no further than to where it stands.
    pub(crate) fn stopped(&self, machine: &mut Machine) -> End {
        go_back(machine, &self.snapshot);
        let at = machine.location().map(|location| location.offset);
        End::Stopped(at.unwrap_or(CodeOffset(0)))
    }

    /// The path so far, as one that ended so where it stands.
    pub(crate) fn as_path(&self, end: End) -> Path {
        Path {
            outcomes: self.state.outcomes.clone(),
            end,
            ways: vec![self.state.way()],
            steps: self.snapshot.steps(),
            events: self.state.events.clone(),
        }
    }
}
