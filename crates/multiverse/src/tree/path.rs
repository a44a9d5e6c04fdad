//! Walking along paths, forwards and backwards, without a list of all entries.

use std::collections::VecDeque;
use std::iter::{FusedIterator, Rev};

use super::{BranchId, Entry, Place, Tree};

/// The entries between two places on one path, each with the place after it.
///
/// Goes forwards, and backwards with [`Iterator::rev`]. Holds one segment a branch.
#[derive(Clone, Debug)]
pub struct Path<'t, E: Entry> {
    tree: &'t Tree<E>,
    /// Never empty ones; the first is nearest to the root.
    segments: VecDeque<Segment>,
    remaining: usize,
}

/// The entries `start..end` (indices of the places before them) of one branch.
#[derive(Clone, Copy, Debug)]
struct Segment {
    branch: BranchId,
    start: u32,
    end: u32,
}

/// The way from one universe to another: back to where their paths join, then forwards.
#[derive(Clone, Debug)]
pub struct Route<'t, E: Entry> {
    /// The last place that both paths have in common.
    pub join: Place,
    /// What to undo, last first. The place beside an entry is the one *after* it.
    pub undo: Rev<Path<'t, E>>,
    /// What to redo, first first.
    pub redo: Path<'t, E>,
}

impl<E: Entry> Tree<E> {
    /// The entries from the start of the program to `target`.
    #[must_use]
    pub fn path(&self, target: Place) -> Option<Path<'_, E>> {
        self.between(Place::ROOT, target)
    }

    /// The entries after `start` up to `target`; none unless `start` lies on the path to `target`.
    #[must_use]
    pub fn between(&self, start: Place, target: Place) -> Option<Path<'_, E>> {
        let (start, target) = (self.canonical(start)?, self.canonical(target)?);
        if !self.is_on_path(start, target) {
            return None;
        }
        let mut segments = VecDeque::new();
        let mut upper = target;
        loop {
            let line = self.branch(upper.branch)?;
            let first = line.fork.max(start.index);
            if first < upper.index {
                segments.push_front(Segment {
                    branch: upper.branch,
                    start: first,
                    end: upper.index,
                });
            }
            if line.fork <= start.index {
                break;
            }
            upper = Place {
                branch: line.parent,
                index: line.fork,
            };
        }
        let remaining = (target.index - start.index) as usize;
        Some(Path {
            tree: self,
            segments,
            remaining,
        })
    }

    /// The way from `from` to `to`.
    #[must_use]
    pub fn route(&self, from: Place, to: Place) -> Option<Route<'_, E>> {
        let join = self.join(from, to)?;
        let undo = self.between(join, from)?.rev();
        let redo = self.between(join, to)?;
        Some(Route { join, undo, redo })
    }
}

impl<'t, E: Entry> Path<'t, E> {
    fn item(&self, branch: BranchId, index: u32) -> Option<(Place, &'t E)> {
        let entry = self.tree.branch(branch)?.entry_before(index)?;
        Some((Place { branch, index }, entry))
    }
}

impl<'t, E: Entry> Iterator for Path<'t, E> {
    type Item = (Place, &'t E);

    fn next(&mut self) -> Option<Self::Item> {
        let segment = self.segments.front_mut()?;
        segment.start += 1;
        let Segment { branch, start, end } = *segment;
        if start == end {
            self.segments.pop_front();
        }
        self.remaining -= 1;
        self.item(branch, start)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<E: Entry> DoubleEndedIterator for Path<'_, E> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let segment = self.segments.back_mut()?;
        let Segment { branch, start, end } = *segment;
        segment.end -= 1;
        if start == segment.end {
            self.segments.pop_back();
        }
        self.remaining -= 1;
        self.item(branch, end)
    }
}

impl<E: Entry> ExactSizeIterator for Path<'_, E> {}

impl<E: Entry> FusedIterator for Path<'_, E> {}
