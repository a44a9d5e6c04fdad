//! Removing what nobody wants to see any more.

use super::{BranchId, End, Entry, Place, Tree, TreeError};

/// What [`Tree::prune`] removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Branches that are gone entirely.
    pub branches: Vec<BranchId>,
    /// The number of entries removed in all.
    pub entries: u64,
    /// The place that the pruned edge left.
    pub parent: Place,
}

impl<E: Entry> Tree<E> {
    /// Removes the edge that leads to `place` and everything after it.
    ///
    /// # Errors
    /// [`TreeError::Unknown`] if `place` is not in the tree, [`TreeError::Root`] if no edge leads
    /// to it.
    pub fn prune(&mut self, place: Place) -> Result<Pruned, TreeError> {
        let place = self.canonical(place).ok_or(TreeError::Unknown)?;
        let parent = self.parent(place).ok_or(TreeError::Root)?;
        let line = self.branch_mut(place.branch).ok_or(TreeError::Unknown)?;
        let mut pruned = Pruned {
            branches: Vec::new(),
            entries: 0,
            parent,
        };

        let kept = (parent.index - line.fork) as usize;
        let mut doomed: Vec<BranchId>;
        if kept == 0 && place.branch != BranchId::ROOT {
            doomed = vec![place.branch];
            let (fork, upper) = (line.fork, line.parent);
            if let Some(upper) = self.branch_mut(upper) {
                upper.forks.remove(&(fork, place.branch));
            }
        } else {
            let cut = line.forks.split_off(&(place.index, BranchId(0)));
            doomed = cut.into_iter().map(|(_, id)| id).collect();
            pruned.entries = (line.entries.len() - kept) as u64;
            line.entries.truncate(kept);
            line.reached = line.entries.last().map_or(0, Entry::step);
            line.end = End::Open;
        }
        while let Some(id) = doomed.pop() {
            if let Some(gone) = self.branches.get_mut(id.0 as usize).and_then(Option::take) {
                pruned.entries += gone.entries.len() as u64;
                doomed.extend(gone.forks.iter().map(|&(_, fork)| fork));
                pruned.branches.push(id);
            }
        }
        pruned.branches.sort_unstable();
        self.forget_marks();
        Ok(pruned)
    }

    /// Drops the marks of universes that are no longer in the tree.
    fn forget_marks(&mut self) {
        let mut marks = std::mem::take(&mut self.marks);
        marks.retain(|(place, _), _| self.contains(*place));
        self.marks = marks;
    }
}
