//! Exploring again, with other eyes: what an exploration shows may be that the program was seen wrongly.
//!
//! A counter that nobody asks about keeps a graph from closing, and has to be taken for anything; a word that threads
//! race for was taken for private, and has to be seen. Both come to light only while states are found. The exploration
//! then begins anew with all changes so far, until none is wanted: the last graph is that of a program with these
//! changes from its start on, and who shows it names them.

use std::fmt;

use super::{Exploration, Graph, Limits, Pause, Progress, Strategy};
use crate::language::Language;

/// A program that may have to be seen otherwise than at first.
pub trait Refining {
    /// The program, as it is seen.
    type Program: Language;

    /// Something that is seen otherwise.
    type Change: PartialEq;

    /// The program with these changes; none if there is no program.
    fn program(&mut self, changes: &[Self::Change]) -> Option<Self::Program>;

    /// The order in which its states are explored.
    fn strategy(&self) -> Strategy<<Self::Program as Language>::State> {
        Strategy::BreadthFirst
    }

    /// States after which a growing graph is looked at, and again whenever there are twice as many.
    fn first_look(&self) -> usize {
        FIRST_LOOK
    }

    /// What more has to be changed, after a look at a graph that is still growing, or one that `rests`. A change that was
    /// made already is none.
    fn change(
        &mut self,
        graph: &Graph<Self::Program>,
        rests: Option<Pause>,
    ) -> Option<Self::Change>;
}

/// What came of exploring until no change was wanted.
pub struct Refined<R: Refining> {
    /// The last exploration.
    pub exploration: Exploration<R::Program>,
    /// The changes under which it saw the program, in the order in which they were wanted.
    pub changes: Vec<R::Change>,
    /// Why it returned.
    pub pause: Pause,
}

impl<R: Refining> fmt::Debug for Refined<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refined")
            .field("exploration", &self.exploration)
            .field("changes", &self.changes.len())
            .field("pause", &self.pause)
            .finish()
    }
}

/// States after which a growing graph is looked at, unless somebody wants it otherwise.
const FIRST_LOOK: usize = 125;

/// Explores a program, and again from its start whenever a change is wanted. Nothing if there is no program.
///
/// `keep_going` is asked before every state, with how far this exploration has come and the changes that were made: a
/// state of such programs takes longer than a look at a clock.
pub fn refine<R: Refining>(
    refining: &mut R,
    limits: &Limits,
    mut keep_going: impl FnMut(Progress, &[R::Change]) -> bool,
) -> Option<Refined<R>> {
    let mut changes = Vec::new();
    'anew: loop {
        let program = refining.program(&changes)?;
        let mut exploration = Exploration::new(program, refining.strategy());
        let mut look = refining.first_look();
        loop {
            let mut rests = None;
            if !keep_going(exploration.progress(), &changes) {
                rests = Some(Pause::Cancelled);
            } else if exploration.graph().len() < look {
                rests = exploration.advance(limits).err();
                if rests.is_none() {
                    continue;
                }
            } else {
                look *= 2;
            }
            let cancelled = rests == Some(Pause::Cancelled);
            let wanted = (!cancelled).then(|| refining.change(exploration.graph(), rests));
            if let Some(change) = wanted.flatten()
                && !changes.contains(&change)
            {
                changes.push(change);
                continue 'anew;
            }
            if let Some(pause) = rests {
                return Some(Refined {
                    exploration,
                    changes,
                    pause,
                });
            }
        }
    }
}
