//! Snapshots of the twin along the multiverse, thinned so that memory stays bounded.
//!
//! Invariants:
//! - The start of the program always has its keyframe, so every moment can be reached.
//! - Keyframes of one branch are at least one *spacing* of work apart, but for the start. When the bytes pass the budget
//!   the spacing doubles and what has become too dense goes.
//! - A keyframe is on the path to a moment exactly if a replay from it leads there: same branch line, not later, and not
//!   inside a run that the path leaves before (an event ends a run at its own step).

use std::collections::{BTreeMap, HashSet};

use borges_multiverse::tree::{Place, Tree};

use crate::history::entry::{Entry, Moment};

/// An entry costs about as much to replay as this many instructions.
const ENTRY_WORK: u64 = 64;

/// Copying this much takes no time beside the work of the usual spacing.
const LITTLE: usize = 32 << 10;

/// Work in which a run should not copy more than a byte, its first write to a page included: keyframes then take about a
/// quarter of its time.
const WORK_OF_A_BYTE: u64 = 2;

/// Spacings that a frame may claim at the most, because it changed much.
const SPREAD: u64 = 8;

/// What can be kept as a keyframe.
pub(crate) trait Keyframe: Clone {
    /// Visits what it holds: addresses with sizes in bytes. What frames share has the same address; what a piece holds
    /// is only visited if the answer is yes.
    fn for_each_piece(&self, visit: &mut dyn FnMut(usize, usize) -> bool);

    /// Bytes that it adds to the frames before it, at the most.
    fn bytes(&self) -> usize;

    /// Bytes that were copied for it.
    fn copied(&self) -> usize;
}

/// Keyframes of one multiverse.
#[derive(Debug)]
pub(crate) struct Keyframes<F> {
    frames: BTreeMap<Moment, F>,
    /// What they hold, at the most: what turns out to be shared is found when they are counted again.
    at_most: usize,
    budget: usize,
    spacing: u64,
    /// Work after which the next frame is worth what the last one cost.
    pause: u64,
}

/// How much work a replay from the program's start costs, roughly: distances are what matters.
fn work(at: Moment) -> u64 {
    at.steps + u64::from(at.place.index) * ENTRY_WORK
}

/// Whether two moments lie on one branch, nearer to each other than `spacing`.
fn dense(one: Moment, other: Moment, spacing: u64) -> bool {
    one.place.branch == other.place.branch && work(one).abs_diff(work(other)) < spacing
}

impl<F: Keyframe> Keyframes<F> {
    /// Keyframes of at most `budget` bytes, at first one every `spacing` units of work.
    pub(crate) fn new(start: F, budget: usize, spacing: u64) -> Self {
        let mut frames = BTreeMap::new();
        let at_most = start.bytes();
        frames.insert(Moment::START, start);
        Self {
            frames,
            at_most,
            budget,
            spacing,
            pause: 0,
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    /// What they hold: every piece once, by however many frames it is held.
    pub(crate) fn bytes(&self) -> usize {
        let (mut seen, mut bytes) = (HashSet::new(), 0);
        for frame in self.frames.values() {
            frame.for_each_piece(&mut |address, size| {
                let new = seen.insert(address);
                bytes += if new { size } else { 0 };
                new
            });
        }
        bytes
    }

    /// Work units between two keyframes now.
    pub(crate) fn spacing(&self) -> u64 {
        self.spacing
    }

    /// Whether a keyframe at `at` would not be too dense. `at` must be canonical.
    pub(crate) fn wants(&self, at: Moment) -> bool {
        let spacing = self
            .spacing
            .max(self.pause.min(self.spacing.saturating_mul(SPREAD)));
        let near = |other: &Moment| dense(*other, at, spacing);
        let before = self.frames.range(..=at).next_back();
        let after = self.frames.range(at..).next();
        !before.is_some_and(|(k, _)| near(k)) && !after.is_some_and(|(k, _)| near(k))
    }

    /// Keeps a keyframe, and thins all of them if the budget is passed.
    pub(crate) fn insert(&mut self, at: Moment, frame: F) {
        self.at_most += frame.bytes();
        let copied = Some(frame.copied()).filter(|copied| *copied > LITTLE);
        self.pause = copied.unwrap_or(0) as u64 * WORK_OF_A_BYTE;
        self.frames.insert(at, frame);
        if self.at_most <= self.budget {
            return;
        }
        self.at_most = self.bytes();
        // Room is made for a while, so that counting stays rare.
        while self.at_most > self.budget / 4 * 3 && self.frames.len() > 2 {
            self.spacing *= 2;
            self.thin();
            self.at_most = self.bytes();
        }
    }

    /// The last keyframe on the path to `target`.
    pub(crate) fn nearest(&self, tree: &Tree<Entry>, target: Moment) -> (Moment, &F) {
        let (mut place, mut limit) = (target.place, target.steps);
        loop {
            let branch = place.branch;
            let low = Moment::of(Place { branch, index: 0 }, 0);
            let high = Moment::of(place, limit);
            // A run may have gone on where this path has its next entry: an event that did not come that time.
            let leads_on = |at: &Moment| {
                let index = at.place.index + 1;
                let next = Place { branch, index };
                let next = (index <= place.index).then(|| tree.entry(next)).flatten();
                next.is_none_or(|entry| at.steps <= entry.step_before())
            };
            let mut frames = self.frames.range(low..=high).rev();
            if let Some((at, frame)) = frames.find(|(at, _)| leads_on(at)) {
                return (*at, frame);
            }
            let fork = tree.fork_of(place.branch);
            let first = fork.and_then(|at| {
                tree.entry(Place {
                    branch: place.branch,
                    index: at.index + 1,
                })
            });
            match (fork.and_then(|at| tree.canonical(at)), first) {
                (Some(at), Some(first)) => (place, limit) = (at, first.step_before()),
                _ => return self.start(),
            }
        }
    }

    /// Forgets the keyframes of all moments to which the path leads through `place`: they show what is no longer so.
    pub(crate) fn forget_after(&mut self, tree: &Tree<Entry>, place: Place) {
        let start = Moment::START;
        self.frames
            .retain(|at, _| *at == start || !tree.is_on_path(place, at.place));
        self.at_most = self.bytes();
    }

    fn start(&self) -> (Moment, &F) {
        let start = self.frames.get(&Moment::START);
        (
            Moment::START,
            start.expect("the start's keyframe is never removed"),
        )
    }

    fn thin(&mut self) {
        let (spacing, mut last) = (self.spacing, None);
        self.frames.retain(|at, _| {
            let keep = !last.is_some_and(|kept| dense(kept, *at, spacing));
            if keep {
                last = Some(*at);
            }
            keep
        });
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use borges_multiverse::tree::BranchId;

    use super::*;

    /// Pieces of memory that frames may share.
    impl Keyframe for Vec<Rc<[u8]>> {
        fn for_each_piece(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
            for piece in self {
                visit(Rc::as_ptr(piece).cast::<u8>() as usize, piece.len());
            }
        }

        fn bytes(&self) -> usize {
            self.iter().map(|piece| piece.len()).sum()
        }

        fn copied(&self) -> usize {
            self.len() * 1000
        }
    }

    fn at(index: u32, steps: u64) -> Moment {
        let branch = BranchId::ROOT;
        Moment::of(Place { branch, index }, steps)
    }

    /// What the frames hold, counted another way.
    fn held(keyframes: &Keyframes<Vec<Rc<[u8]>>>) -> usize {
        let pieces = keyframes.frames.values().flatten();
        let mut all: Vec<(*const u8, usize)> =
            pieces.map(|piece| (piece.as_ptr(), piece.len())).collect();
        all.sort_unstable();
        all.dedup();
        all.iter().map(|(_, length)| length).sum()
    }

    #[test]
    fn the_budget_holds_also_when_what_was_shared_is_left_to_one() {
        const BUDGET: usize = 20 * 16 * 100;
        let start = vec![Rc::from(vec![0; 100]); 16];
        let mut keyframes = Keyframes::new(start.clone(), BUDGET, 10);
        let mut state = start;
        for number in 1..5000_u64 {
            // Each frame changes one piece of sixteen: when the frames between go, the others hold all of theirs.
            state[number as usize % 16] = Rc::from(vec![number as u8; 100]);
            let here = at(number as u32, number * 1000);
            if keyframes.wants(here) {
                keyframes.insert(here, state.clone());
            }
            let held = held(&keyframes);
            assert!(held <= BUDGET, "{held} bytes after {number}");
            assert_eq!(keyframes.bytes(), held);
            assert!(keyframes.at_most >= held, "counts less than there is");
        }
        assert!(keyframes.len() > 6, "{} frames", keyframes.len());
        assert_eq!(keyframes.nearest(&Tree::new(), at(0, 5)).0, Moment::START);
        // They are spread over the whole recording.
        let last = keyframes.frames.keys().next_back().map(|key| key.steps);
        assert!(last > Some(4_000_000), "{last:?}");
    }

    #[test]
    fn frames_that_cost_more_are_farther_from_each_other() {
        // Spacing, thousands of bytes copied for each frame, and how far apart they are then.
        for (spacing, copied, apart) in [
            (1000, 1, 1000),
            (1000, 32, 1000),
            (1000, 33, 8000),
            (100_000, 60, 120_000),
            (200_000, 33, 200_000),
        ] {
            let frame = vec![Rc::from(vec![0; 1]); copied];
            let mut keyframes = Keyframes::new(frame.clone(), 1 << 20, spacing);
            for steps in (0..4_000_000).step_by(1000) {
                if keyframes.wants(at(0, steps)) {
                    keyframes.insert(at(0, steps), frame.clone());
                }
            }
            let steps: Vec<u64> = keyframes.frames.keys().map(|key| key.steps).collect();
            // The first costs nothing: it is there already.
            let found = steps.windows(2).skip(1).map(|pair| pair[1] - pair[0]);
            assert!(
                found.clone().all(|found| found == apart),
                "{spacing} {copied}: {steps:?}"
            );
            assert!(found.count() > 8);
        }
    }
}
