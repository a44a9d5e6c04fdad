//! Questions about ancestors in O(log branches).
//!
//! Each branch knows its parent and one ancestor further up, chosen as in a skew-binary number, so
//! that any ancestor is O(log) hops away (Myers 1983, *An applicative random-access stack*).

use super::{Branch, BranchId, Entry, Place, Tree};

impl<E: Entry> Tree<E> {
    /// The same place with the branch that owns its last entry; none if it is not in the tree.
    #[must_use]
    pub fn canonical(&self, place: Place) -> Option<Place> {
        let line = self.branch(place.branch)?;
        if place.index > line.tip() {
            return None;
        }
        let owner = self.climb(place.branch, |line| line.fork < place.index)?;
        Some(Place {
            branch: owner,
            ..place
        })
    }

    /// Whether `place` is in the tree.
    #[must_use]
    pub fn contains(&self, place: Place) -> bool {
        self.canonical(place).is_some()
    }

    /// The last place that the paths to `a` and `b` have in common.
    #[must_use]
    pub fn join(&self, a: Place, b: Place) -> Option<Place> {
        let (a, b) = (self.canonical(a)?, self.canonical(b)?);
        let (rank_a, rank_b) = (self.branch(a.branch)?.rank, self.branch(b.branch)?.rank);
        let common = rank_a.min(rank_b);
        let mut x = self.ancestor(a.branch, common)?;
        let mut y = self.ancestor(b.branch, common)?;
        while x != y {
            let (up, over) = (self.branch(x)?, self.branch(y)?);
            // Branches of equal rank jump to equal ranks.
            (x, y) = if up.jump == over.jump {
                (up.parent, over.parent)
            } else {
                (up.jump, over.jump)
            };
        }
        let index = self.limit_on_path(x, a)?.min(self.limit_on_path(x, b)?);
        Some(Place { branch: x, index })
    }

    /// Whether the path to `target` goes through `place` (or ends there).
    #[must_use]
    pub fn is_on_path(&self, place: Place, target: Place) -> bool {
        let place = self.canonical(place);
        place.is_some_and(|place| self.at_depth(target, place.index) == Some(place))
    }

    /// The place with `depth` entries before it on the path to `target`.
    #[must_use]
    pub fn at_depth(&self, target: Place, depth: u32) -> Option<Place> {
        let target = self.canonical(target)?;
        if depth > target.index {
            return None;
        }
        self.canonical(Place {
            index: depth,
            ..target
        })
    }

    /// The last place on the path to `target` whose step is at most `step`: the run that follows
    /// it, or the place itself, contains that moment of the path.
    #[must_use]
    pub fn at_step(&self, target: Place, step: u64) -> Option<Place> {
        let target = self.canonical(target)?;
        let owner = self.climb(target.branch, |line| {
            line.entries
                .get(0)
                .is_some_and(|first| first.step() <= step)
        })?;
        let line = self.branch(owner)?;
        let limit = self.limit_on_path(owner, target)?.saturating_sub(line.fork);
        let before = line
            .entries
            .partition_point(limit as usize, |entry| entry.step() <= step);
        // `before` is at most `limit`, which is a u32.
        self.canonical(Place {
            branch: owner,
            index: line.fork + before as u32,
        })
    }

    /// The index at which the path to `target` leaves `ancestor`, a branch on that path.
    fn limit_on_path(&self, ancestor: BranchId, target: Place) -> Option<u32> {
        if ancestor == target.branch {
            return Some(target.index);
        }
        let below = self.ancestor(target.branch, self.branch(ancestor)?.rank + 1)?;
        Some(self.branch(below)?.fork)
    }

    /// The ancestor of `from` (or itself) with `rank` branches above it.
    fn ancestor(&self, from: BranchId, rank: u32) -> Option<BranchId> {
        self.climb(from, |line| line.rank <= rank)
    }

    /// The nearest branch from `from` upwards that `fits`. Once a branch fits, all above it must;
    /// the root is taken to fit.
    fn climb(&self, from: BranchId, fits: impl Fn(&Branch<E>) -> bool) -> Option<BranchId> {
        let fits = |id: BranchId, line: &Branch<E>| id == BranchId::ROOT || fits(line);
        let mut id = from;
        let mut line = self.branch(id)?;
        while !fits(id, line) {
            let far = self.branch(line.jump)?;
            // Past a fitting branch a jump could miss the nearest one.
            id = if fits(line.jump, far) {
                line.parent
            } else {
                line.jump
            };
            line = self.branch(id)?;
        }
        Some(id)
    }

    /// The far ancestor that a new child of `parent` gets.
    pub(super) fn jump_from(&self, parent: BranchId) -> BranchId {
        let far = || {
            let line = self.branch(parent)?;
            let once = self.branch(line.jump)?;
            let twice = self.branch(once.jump)?;
            let equal = line.rank - once.rank == once.rank - twice.rank;
            // At the root both differences are 0, and its children jump to it either way.
            (equal && parent != BranchId::ROOT).then_some(once.jump)
        };
        far().unwrap_or(parent)
    }
}
