//! How many recordings took which way, in a multiverse that recordings were merged into.

use borges_multiverse::tree::{BranchId, Place, Tree};
use borges_store::KeptRuns;

use super::entry::Entry;

/// How many recordings took which way. What was added since, no recording has taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    branches: Vec<Taken>,
}

/// Of a branch.
#[derive(Clone, Debug, Default)]
struct Taken {
    /// The recordings that took its first entry; of the first branch, all.
    all: u64,
    /// Where some of them left it, onto another branch or because they end, earliest first: the position, and how many have
    /// left there or before.
    left: Vec<(u32, u64)>,
}

impl Counts {
    /// Counts the ways to the places where recordings ended.
    pub(crate) fn of(tree: &Tree<Entry>, runs: &[KeptRuns]) -> Self {
        let mut counts = Self::default();
        if runs.is_empty() {
            return counts;
        }
        let branches = tree.branches().last().map_or(0, |last| last.0 as usize + 1);
        counts.branches.resize_with(branches, Taken::default);
        for runs in runs {
            let (branch, position) = (BranchId(runs.branch), runs.position);
            let at = Place {
                branch,
                index: position,
            };
            if tree.canonical(at) == Some(at) {
                counts.leave(branch, position, runs.count);
            }
        }
        // A branch has a larger number than the one that it leaves: what left it is known by then.
        for branch in tree.branches().rev() {
            let fork = tree.fork_of(branch);
            let Some(taken) = counts.branches.get_mut(branch.0 as usize) else {
                continue;
            };
            taken.left.sort_unstable();
            for (_, left) in &mut taken.left {
                taken.all = taken.all.saturating_add(*left);
                *left = taken.all;
            }
            let all = taken.all;
            if let Some(fork) = fork.filter(|_| branch != BranchId::ROOT) {
                counts.leave(fork.branch, fork.index, all);
            }
        }
        counts
    }

    fn leave(&mut self, branch: BranchId, position: u32, count: u64) {
        if let Some(taken) = self.branches.get_mut(branch.0 as usize) {
            taken.left.push((position, count));
        }
    }

    /// How many recordings there are; nothing if none were merged.
    pub(crate) fn all(&self) -> Option<u64> {
        self.branches.first().map(|root| root.all)
    }

    /// How many recordings took the entry that leads to a place, which must be canonical; nothing if none were merged.
    pub(crate) fn taken(&self, place: Place) -> Option<u64> {
        self.all()?;
        let taken = self.branches.get(place.branch.0 as usize);
        let taken = taken.map_or(0, |taken| {
            let before = taken.left.partition_point(|(at, _)| *at < place.index);
            let left = before.checked_sub(1).and_then(|last| taken.left.get(last));
            taken.all - left.map_or(0, |(_, left)| *left)
        });
        Some(taken)
    }

    /// From which position on a branch is taken by how many recordings, earliest first; nothing if none were merged, or the
    /// branch was added since.
    pub(crate) fn along(&self, branch: BranchId, fork: u32) -> Vec<(u32, u64)> {
        let Some(taken) = self.branches.get(branch.0 as usize) else {
            return Vec::new();
        };
        let mut along = vec![(fork, taken.all)];
        for (position, left) in &taken.left {
            let rest = taken.all - left;
            match along.last_mut() {
                // Of several that leave at one place, the last knows of all; the first of all stays, for what there is.
                Some((at, known)) if at == position && *at != fork => *known = rest,
                _ => along.push((*position, rest)),
            }
        }
        along
    }
}

#[cfg(test)]
mod tests {
    use borges_board::PrimitiveId;
    use borges_store::KeptEnd;

    use super::*;
    use crate::history::entry::EntryKind;

    fn entry(step: u64, value: i32) -> Entry {
        let kind = EntryKind::Input {
            primitive: PrimitiveId(0),
            value: borges_vm::Value::I32(value),
            bytes: Default::default(),
            mocked: false,
        };
        Entry { step, kind }
    }

    fn runs(branch: u32, position: u32, count: u64) -> KeptRuns {
        KeptRuns {
            branch,
            position,
            end: KeptEnd::Open,
            reached: 9,
            count,
        }
    }

    /// Six entries; one branch leaves after two and has three, another leaves that after four.
    fn tree() -> Tree<Entry> {
        let mut tree = Tree::new();
        let mut at = Place::ROOT;
        for step in 1..=6 {
            at = tree.fork(at, entry(step, 0)).expect("it fits").place;
        }
        let place = |branch, index| Place {
            branch: BranchId(branch),
            index,
        };
        let mut at = place(0, 2);
        for step in 3..=5 {
            at = tree.fork(at, entry(step, 1)).expect("it fits").place;
        }
        tree.fork(place(1, 4), entry(5, 2)).expect("it fits");
        tree
    }

    #[test]
    fn counts_are_sums_over_the_ends_behind() {
        let tree = tree();
        let ends = [
            runs(0, 6, 10),
            runs(0, 4, 3),
            runs(1, 5, 4),
            runs(2, 5, 2),
            runs(0, 0, 1),
        ];
        let counts = Counts::of(&tree, &ends);
        assert_eq!(counts.all(), Some(20));
        let taken = |branch, index| {
            let branch = BranchId(branch);
            counts.taken(Place { branch, index })
        };
        // One ends before the first entry, six leave after the second, three end after the fourth.
        let along = [1, 2, 3, 4, 5, 6].map(|index| taken(0, index));
        assert_eq!(along, [19, 19, 13, 13, 10, 10].map(Some));
        assert_eq!([3, 4, 5].map(|index| taken(1, index)), [6, 6, 4].map(Some));
        assert_eq!(taken(2, 5), Some(2));
        assert_eq!(
            counts.along(BranchId(0), 0),
            [(0, 20), (0, 19), (2, 13), (4, 10), (6, 0)]
        );
        assert_eq!(counts.along(BranchId(1), 2), [(2, 6), (4, 4), (5, 0)]);
        // Added since: nobody has taken it.
        assert_eq!(taken(7, 9), Some(0));
        assert_eq!(counts.along(BranchId(7), 5), []);
    }

    #[test]
    fn without_recordings_nothing_is_counted_and_ends_elsewhere_are_not() {
        let tree = tree();
        let none = Counts::of(&tree, &[]);
        assert_eq!((none.all(), none.taken(Place::ROOT)), (None, None));
        // Of a hostile file: no such places, and more than there can be.
        let counts = Counts::of(&tree, &[runs(9, 1, 5), runs(0, 7, 5), runs(1, 1, 5)]);
        assert_eq!(counts.all(), Some(0));
        let counts = Counts::of(&tree, &[runs(0, 6, u64::MAX), runs(1, 5, u64::MAX)]);
        assert_eq!(counts.all(), Some(u64::MAX));
        let tip = tree.tip(BranchId(0)).expect("it is there");
        assert!(counts.taken(tip).is_some());
    }
}
