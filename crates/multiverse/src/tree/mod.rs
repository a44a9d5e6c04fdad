//! The multiverse of a program that runs on a device: a tree of branches.
//!
//! A trace is long and mostly straight: between two forks lie thousands of inputs. So a node per
//! entry would be waste; the tree is a set of *branches*, each a dense list of entries and the
//! place on another branch where it forks off. A [`Place`] names a universe right after an entry;
//! universes inside the deterministic run that follows are a place and a number of steps.
//!
//! Invariants:
//! - The steps of the entries on a path never decrease.
//! - No two edges that leave one place take the same choice ([`Entry::same_choice`]).
//! - Every branch but the root has at least one entry.
//! - Ids name places within one tree only; what leaves the process (a link, a session file) names a
//!   universe by its trace.
//!
//! Costs: with *n* entries and *b* branches, looking up or appending an entry is O(1), questions
//! about ancestors are O(log b), about steps O(log b + log n), and paths cost O(branches on them)
//! to set up. Nothing recurses.

mod ancestry;
mod draw;
mod entries;
mod path;
mod span;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

pub use draw::{Layout, Words};
use entries::Entries;
pub use entries::Load;
pub use path::{Path, Route};
pub use span::{Branching, render_graph};

/// One thing that entered or left the program: an input's value, an event, a performed output.
pub trait Entry: Clone + Debug + PartialEq {
    /// What is kept of a program that ended (its results, its trap).
    type Outcome: Clone + Debug + PartialEq;

    /// The absolute number of instructions retired once this entry has happened.
    fn step(&self) -> u64;

    /// Whether both entries, leaving one place, take the same edge of the multiverse.
    ///
    /// Must be an equivalence. It is coarser than `==` where an entry carries more than its choice,
    /// such as what an output captured.
    fn same_choice(&self, other: &Self) -> bool;
}

/// A branch of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BranchId(pub u32);

impl BranchId {
    /// The branch that starts with the program.
    pub const ROOT: Self = Self(0);
}

/// The universe after the first `index` entries of a path that ends on `branch`.
///
/// `index` counts from the start of the program, ancestors' entries included, so it is also the
/// depth of the place. Every method accepts any `index` up to the branch's tip and answers with the
/// *canonical* place, whose branch owns the last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The branch that owns the last entry before the place.
    pub branch: BranchId,
    /// The number of entries before the place.
    pub index: u32,
}

impl Place {
    /// The start of the program, before anything entered or left it.
    pub const ROOT: Self = Self {
        branch: BranchId::ROOT,
        index: 0,
    };

    /// The number of entries between the start of the program and this place.
    #[must_use]
    pub const fn depth(self) -> u32 {
        self.index
    }
}

/// How the last run of a branch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End<O> {
    /// The program can go on.
    Open,
    /// The program returned.
    Finished(O),
    /// The program trapped.
    Trapped(O),
}

/// How [`Tree::fork`] took an entry in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// An edge with the same choice was there already, and nothing changed.
    Followed,
    /// The branch of the place became longer.
    Appended,
    /// A new branch begins with the entry.
    Forked,
}

/// The edge that an entry took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The place after the entry.
    pub place: Place,
    /// Whether the edge is new.
    pub growth: Growth,
}

/// The last place of a branch from which no edge leads on, or whose own run was seen to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf<'t, O> {
    /// The tip of its branch.
    pub place: Place,
    /// The absolute step up to which the run after the tip is known.
    pub reached: u64,
    /// How the run ended, if it did.
    pub end: &'t End<O>,
}

/// Why a tree could not be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The place is not in the tree.
    #[error("no such place in the multiverse")]
    Unknown,
    /// The entry lies before something that already happened on its path.
    #[error("step {step} lies before step {reached}, which this universe has already passed")]
    Backwards {
        /// The step of the refused entry.
        step: u64,
        /// The step that the path had reached.
        reached: u64,
    },
    /// The program has ended on this branch.
    #[error("the program has ended in this universe; go back and fork before its end")]
    Ended,
    /// A branch or an index would not fit its id.
    #[error("the multiverse holds no more than 2^32 - 1 branches and entries on a path")]
    Full,
}

#[derive(Clone, Debug)]
struct Branch<E: Entry> {
    /// The branch that it leaves; the root's is the root itself.
    parent: BranchId,
    /// The index at which it leaves; its own entries are those from here on.
    fork: u32,
    /// The number of branches above it.
    rank: u32,
    /// An ancestor further up (see `ancestry`).
    jump: BranchId,
    entries: Entries<E>,
    /// The branches that leave this one, by the index at which they do.
    forks: BTreeSet<(u32, BranchId)>,
    /// The absolute step up to which the run after the last entry is known.
    reached: u64,
    end: End<E::Outcome>,
    /// Nothing is added to it any more.
    closed: bool,
}

impl<E: Entry> Branch<E> {
    /// The index after the last entry.
    fn tip(&self) -> u32 {
        // `push` keeps the sum within u32.
        self.fork + self.entries.len() as u32
    }

    /// The entry that leads to `index`, if this branch owns it.
    fn entry_before(&self, index: u32) -> Option<&E> {
        self.entries
            .get(index.checked_sub(self.fork)?.checked_sub(1)? as usize)
    }

    fn entry_before_mut(&mut self, index: u32) -> Option<&mut E> {
        let own = index.checked_sub(self.fork)?.checked_sub(1)?;
        self.entries.get_mut(own as usize)
    }

    fn forks_at(&self, index: u32) -> impl DoubleEndedIterator<Item = BranchId> + '_ {
        self.forks
            .range((index, BranchId(0))..=(index, BranchId(u32::MAX)))
            .map(|&(_, id)| id)
    }

    fn push(&mut self, entry: E) -> Result<u32, TreeError> {
        let index = self.tip().checked_add(1).ok_or(TreeError::Full)?;
        self.reached = entry.step();
        self.entries.push(entry);
        Ok(index)
    }
}

/// The multiverse of one program on one device, as far as it has been seen.
#[derive(Clone, Debug)]
pub struct Tree<E: Entry> {
    /// Indexed by [`BranchId`]; `None` where a branch was lost ([`Tree::skip_to`]).
    branches: Vec<Option<Branch<E>>>,
    /// Notes of the user, by place and absolute step.
    marks: BTreeMap<(Place, u64), String>,
}

impl<E: Entry> Default for Tree<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Entry> Tree<E> {
    /// A multiverse of which only the start is known.
    #[must_use]
    pub fn new() -> Self {
        let root = Branch {
            parent: BranchId::ROOT,
            fork: 0,
            rank: 0,
            jump: BranchId::ROOT,
            entries: Entries::new(),
            forks: BTreeSet::new(),
            reached: 0,
            end: End::Open,
            closed: false,
        };
        Self {
            branches: vec![Some(root)],
            marks: BTreeMap::new(),
        }
    }

    /// Appends what happened at the tip of a branch, as a device reports it.
    ///
    /// If another branch already leaves the tip with the same choice, that edge is followed.
    ///
    /// # Errors
    /// [`TreeError::Unknown`] for a branch that does not exist; [`TreeError::Ended`] if the program has ended
    /// there; [`TreeError::Backwards`] if the branch has already run past the entry (use
    /// [`Tree::fork`] to go on from an earlier moment); [`TreeError::Full`].
    pub fn append(&mut self, branch: BranchId, entry: E) -> Result<Edge, TreeError> {
        let line = self.branch_mut(branch).ok_or(TreeError::Unknown)?;
        if line.end != End::Open {
            return Err(TreeError::Ended);
        }
        let (step, reached) = (entry.step(), line.reached);
        if step < reached {
            return Err(TreeError::Backwards { step, reached });
        }
        let tip = line.tip();
        if line.closed || line.forks.last().is_some_and(|&(index, _)| index == tip) {
            return self.fork(Place { branch, index: tip }, entry);
        }
        let index = line.push(entry)?;
        Ok(Edge {
            place: Place { branch, index },
            growth: Growth::Appended,
        })
    }

    /// Lets `entry` happen at `at`, wherever that is.
    ///
    /// An edge with the same choice is followed. Otherwise the branch grows if `at` is its open tip
    /// and has not run past the entry; else a new branch forks. Costs O(edges that leave `at`).
    ///
    /// # Errors
    /// [`TreeError::Unknown`] if `at` is not in the tree; [`TreeError::Backwards`] if the entry's
    /// step lies before the place; [`TreeError::Full`].
    pub fn fork(&mut self, at: Place, entry: E) -> Result<Edge, TreeError> {
        let at = self.canonical(at).ok_or(TreeError::Unknown)?;
        let (step, reached) = (entry.step(), self.step_of(at).ok_or(TreeError::Unknown)?);
        if step < reached {
            return Err(TreeError::Backwards { step, reached });
        }
        if let Some(place) = self.child_by_choice(at, &entry) {
            return Ok(Edge {
                place,
                growth: Growth::Followed,
            });
        }
        let next_id = u32::try_from(self.branches.len());
        let line = self.branch_mut(at.branch).ok_or(TreeError::Unknown)?;
        let is_open = line.end == End::Open && !line.closed;
        if at.index == line.tip() && is_open && line.reached <= step {
            let index = line.push(entry)?;
            return Ok(Edge {
                place: Place { index, ..at },
                growth: Growth::Appended,
            });
        }
        let id = next_id
            .ok()
            .filter(|id| *id < u32::MAX)
            .map(BranchId)
            .ok_or(TreeError::Full)?;
        let rank = line.rank + 1;
        let mut fresh = Branch {
            parent: at.branch,
            fork: at.index,
            rank,
            jump: at.branch,
            entries: Entries::new(),
            forks: BTreeSet::new(),
            reached: step,
            end: End::Open,
            closed: false,
        };
        let index = fresh.push(entry)?;
        line.forks.insert((at.index, id));
        fresh.jump = self.jump_from(at.branch);
        self.branches.push(Some(fresh));
        Ok(Edge {
            place: Place { branch: id, index },
            growth: Growth::Forked,
        })
    }

    /// Adds a branch of `len` entries that are kept elsewhere, as a session file does, and are loaded when they are
    /// asked for. The root's place is [`Place::ROOT`], and its branch must still be empty.
    ///
    /// The entries are trusted: their steps must not decrease, nor the first take an edge that is there already.
    ///
    /// # Errors
    /// [`TreeError::Unknown`] if `at` is not in the tree, or the root has entries; [`TreeError::Full`].
    pub fn restore(
        &mut self,
        at: Place,
        len: u32,
        reached: u64,
        load: Load<E>,
    ) -> Result<BranchId, TreeError> {
        let at = self.canonical(at).ok_or(TreeError::Unknown)?;
        at.index.checked_add(len).ok_or(TreeError::Full)?;
        let entries = Entries::elsewhere(len as usize, load);
        let is_new = self.branches.len() == 1
            && self
                .branch(BranchId::ROOT)
                .is_some_and(|root| root.tip() == 0 && root.forks.is_empty());
        if at == Place::ROOT && is_new {
            let root = self.branch_mut(BranchId::ROOT).ok_or(TreeError::Unknown)?;
            (root.entries, root.reached) = (entries, reached);
            return Ok(BranchId::ROOT);
        }
        if len == 0 {
            return Err(TreeError::Unknown);
        }
        let id = u32::try_from(self.branches.len())
            .ok()
            .filter(|id| *id < u32::MAX);
        let id = id.map(BranchId).ok_or(TreeError::Full)?;
        let jump = self.jump_from(at.branch);
        let line = self.branch_mut(at.branch).ok_or(TreeError::Unknown)?;
        line.forks.insert((at.index, id));
        let rank = line.rank + 1;
        self.branches.push(Some(Branch {
            parent: at.branch,
            fork: at.index,
            rank,
            jump,
            entries,
            forks: BTreeSet::new(),
            reached,
            end: End::Open,
            closed: false,
        }));
        Ok(id)
    }

    /// Leaves out the ids before `next` that no branch has: no branch will get them.
    ///
    /// What was lost of a multiverse that is kept elsewhere keeps its names in this way.
    pub fn skip_to(&mut self, next: BranchId) {
        let length = self.branches.len().max(next.0 as usize);
        self.branches.resize(length, None);
    }

    /// Lets a branch grow no more: what happens at its tip begins a branch of its own, as everywhere else on it. For a
    /// branch of which the rest is lost.
    ///
    /// # Errors
    /// [`TreeError::Unknown`] for a branch that does not exist.
    pub fn close(&mut self, branch: BranchId) -> Result<(), TreeError> {
        let line = self.branch_mut(branch).ok_or(TreeError::Unknown)?;
        line.closed = true;
        Ok(())
    }

    /// Whether a branch does not grow any more.
    #[must_use]
    pub fn is_closed(&self, branch: BranchId) -> bool {
        self.branch(branch).is_some_and(|line| line.closed)
    }

    /// Notes that the run after the tip of `branch` is known up to `step`; never goes back.
    ///
    /// # Errors
    /// [`TreeError::Unknown`] for a branch that does not exist; [`TreeError::Ended`] if the program ended
    /// before `step`.
    pub fn reach(&mut self, branch: BranchId, step: u64) -> Result<(), TreeError> {
        let line = self.branch_mut(branch).ok_or(TreeError::Unknown)?;
        if step > line.reached {
            if line.end != End::Open {
                return Err(TreeError::Ended);
            }
            line.reached = step;
        }
        Ok(())
    }

    /// Notes that the program ended on `branch` at `step`. Saying the same again is harmless.
    ///
    /// # Errors
    /// [`TreeError::Unknown`] for a branch that does not exist; [`TreeError::Ended`] if it ended otherwise
    /// before; [`TreeError::Backwards`] if it has already run past `step`.
    pub fn finish(
        &mut self,
        branch: BranchId,
        step: u64,
        end: End<E::Outcome>,
    ) -> Result<(), TreeError> {
        let line = self.branch_mut(branch).ok_or(TreeError::Unknown)?;
        if line.end != End::Open {
            let same = line.end == end && line.reached == step;
            return if same { Ok(()) } else { Err(TreeError::Ended) };
        }
        if step < line.reached {
            return Err(TreeError::Backwards {
                step,
                reached: line.reached,
            });
        }
        line.reached = step;
        line.end = end;
        Ok(())
    }

    /// Replaces the entry that leads to `place` by one that takes the same edge but knows more, such as what an output
    /// captured when it was performed again. Returns whether there was one to replace.
    pub fn amend(&mut self, place: Place, entry: E) -> bool {
        let Some(place) = self.canonical(place) else {
            return false;
        };
        let line = self.branch_mut(place.branch);
        let old = line.and_then(|line| line.entry_before_mut(place.index));
        match old {
            Some(old) if old.same_choice(&entry) && old.step() == entry.step() => {
                *old = entry;
                true
            }
            _ => false,
        }
    }

    /// The entry that leads to `place`; none leads to the root.
    #[must_use]
    pub fn entry(&self, place: Place) -> Option<&E> {
        let place = self.canonical(place)?;
        self.branch(place.branch)?.entry_before(place.index)
    }

    /// The places one entry on: first the continuation on the same branch, then the forks in the
    /// order in which they were made.
    pub fn children(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let line = self
            .canonical(place)
            .and_then(|at| Some((at, self.branch(at.branch)?)));
        line.into_iter().flat_map(|(at, line)| {
            let onward = (at.index < line.tip()).then_some(at.branch);
            // A child's index exists, so adding one cannot overflow.
            let child = move |branch| Place {
                branch,
                index: at.index + 1,
            };
            onward.into_iter().chain(line.forks_at(at.index)).map(child)
        })
    }

    /// The place to which an edge with the same choice as `entry` leads from `place`.
    #[must_use]
    pub fn child_by_choice(&self, place: Place, entry: &E) -> Option<Place> {
        self.children(place).find(|child| {
            self.entry(*child)
                .is_some_and(|other| other.same_choice(entry))
        })
    }

    /// The place one entry back.
    #[must_use]
    pub fn parent(&self, place: Place) -> Option<Place> {
        let place = self.canonical(place)?;
        self.canonical(Place {
            index: place.index.checked_sub(1)?,
            ..place
        })
    }

    /// The absolute step of `place`, that of its last entry; 0 at the root.
    #[must_use]
    pub fn step_of(&self, place: Place) -> Option<u64> {
        let place = self.canonical(place)?;
        Some(
            self.branch(place.branch)?
                .entry_before(place.index)
                .map_or(0, Entry::step),
        )
    }

    /// The last place of `branch`.
    #[must_use]
    pub fn tip(&self, branch: BranchId) -> Option<Place> {
        Some(Place {
            branch,
            index: self.branch(branch)?.tip(),
        })
    }

    /// The place at which `branch` leaves its parent; none for the root.
    #[must_use]
    pub fn fork_of(&self, branch: BranchId) -> Option<Place> {
        let line = self.branch(branch)?;
        (branch != BranchId::ROOT).then_some(Place {
            branch: line.parent,
            index: line.fork,
        })
    }

    /// The absolute step up to which the run after the tip of `branch` is known.
    #[must_use]
    pub fn reached(&self, branch: BranchId) -> Option<u64> {
        Some(self.branch(branch)?.reached)
    }

    /// How the run after the tip of `branch` ended.
    #[must_use]
    pub fn end(&self, branch: BranchId) -> Option<&End<E::Outcome>> {
        Some(&self.branch(branch)?.end)
    }

    /// All branches in the order in which they were made; a parent comes before its children.
    pub fn branches(&self) -> impl DoubleEndedIterator<Item = BranchId> + '_ {
        // Ids fit, see `fork`.
        self.branches
            .iter()
            .enumerate()
            .filter_map(|(n, b)| b.as_ref().map(|_| BranchId(n as u32)))
    }

    /// The ends of everything that was seen, in the order of their branches.
    ///
    /// A branch that was left at its tip by a fork is no leaf, unless its program ended there or
    /// it ran on for longer than the fork needed.
    pub fn leaves(&self) -> impl Iterator<Item = Leaf<'_, E::Outcome>> + '_ {
        self.branches().filter_map(|id| {
            let line = self.branch(id)?;
            self.is_leaf(line).then_some(Leaf {
                place: Place {
                    branch: id,
                    index: line.tip(),
                },
                reached: line.reached,
                end: &line.end,
            })
        })
    }

    /// Marks the universe at absolute step `step` after `place`; replaces an older mark there.
    ///
    /// # Errors
    /// [`TreeError::Unknown`] if `place` is not in the tree; [`TreeError::Backwards`] if `step` lies
    /// before it.
    pub fn mark(&mut self, place: Place, step: u64, text: String) -> Result<(), TreeError> {
        let place = self.canonical(place).ok_or(TreeError::Unknown)?;
        let reached = self.step_of(place).ok_or(TreeError::Unknown)?;
        if step < reached {
            return Err(TreeError::Backwards { step, reached });
        }
        self.marks.insert((place, step), text);
        Ok(())
    }

    /// All marks: place, absolute step, text.
    pub fn marks(&self) -> impl Iterator<Item = (Place, u64, &str)> + '_ {
        self.marks
            .iter()
            .map(|((place, step), text)| (*place, *step, text.as_str()))
    }

    /// The number of entries in all branches.
    #[must_use]
    pub fn entry_count(&self) -> u64 {
        self.branches
            .iter()
            .flatten()
            .map(|line| line.entries.len() as u64)
            .sum()
    }

    /// Bytes that the tree holds on the heap, without what single entries own there.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let lines = self.branches.iter().flatten();
        let entries: usize = lines.map(|line| line.entries.heap_bytes()).sum();
        entries + self.branches.capacity() * size_of::<Option<Branch<E>>>()
    }

    /// See [`Tree::leaves`].
    fn is_leaf(&self, line: &Branch<E>) -> bool {
        let first_step = |fork| Some(self.branch(fork)?.entries.get(0)?.step());
        let last_fork = line.forks_at(line.tip()).filter_map(first_step).max();
        line.end != End::Open || last_fork.is_none_or(|step| step < line.reached)
    }

    fn branch(&self, id: BranchId) -> Option<&Branch<E>> {
        self.branches.get(id.0 as usize)?.as_ref()
    }

    fn branch_mut(&mut self, id: BranchId) -> Option<&mut Branch<E>> {
        self.branches.get_mut(id.0 as usize)?.as_mut()
    }
}
