//! One question about many paths, answered by whoever has nothing else to do: of a tree whose first inputs decide most, the
//! first nodes are most of the work, and come one after the other.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Which of some paths can be gone on with after some answers.
pub(super) struct Asking {
    /// The answers.
    pub(super) with: Vec<u64>,
    /// The paths, and what is known of each.
    paths: Vec<(usize, AtomicU8)>,
    /// The first one that nobody looks at yet.
    next: AtomicUsize,
    /// So many may not go on; with more, nobody wants to know of the others.
    spare: usize,
    /// So many do not.
    failed: AtomicUsize,
    /// Nothing was left to spend before it was known.
    is_cut: AtomicBool,
    /// So many others look at paths.
    helping: Mutex<usize>,
    /// One of them is done.
    left: Condvar,
}

const GOES: u8 = 1;

impl Asking {
    /// About these paths after these answers, as long as not more than so many of them do not go on.
    pub(super) fn new(with: &[u64], paths: impl Iterator<Item = usize>, spare: usize) -> Self {
        Asking {
            with: with.to_vec(),
            paths: paths.map(|path| (path, AtomicU8::new(0))).collect(),
            next: AtomicUsize::new(0),
            spare,
            failed: AtomicUsize::new(0),
            is_cut: AtomicBool::new(false),
            helping: Mutex::new(0),
            left: Condvar::new(),
        }
    }

    /// About how many paths.
    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether there are paths that nobody looks at yet.
    pub(super) fn has_more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.paths.len()
    }

    /// Looks at one path after the other until all have been looked at. `goes` says nothing where nothing is left to spend.
    fn look(&self, mut goes: impl FnMut(usize, &[u64]) -> Option<bool>) {
        while self.failed.load(Ordering::Relaxed) <= self.spare
            && !self.is_cut.load(Ordering::Relaxed)
        {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((path, known)) = self.paths.get(at) else {
                return;
            };
            match goes(*path, &self.with) {
                Some(true) => known.store(GOES, Ordering::Relaxed),
                Some(false) => {
                    self.failed.fetch_add(1, Ordering::Relaxed);
                }
                None => self.is_cut.store(true, Ordering::Relaxed),
            }
        }
    }

    /// Helps whoever asks.
    pub(super) fn help(&self, goes: impl FnMut(usize, &[u64]) -> Option<bool>) {
        *self.helping() += 1;
        let _helping = Helping(self);
        self.look(goes);
    }

    /// Looks, and waits for those who help: the paths that go on, in order, unless too many do not. Nothing if nothing was
    /// left to spend before that was known.
    pub(super) fn answer(
        &self,
        goes: impl FnMut(usize, &[u64]) -> Option<bool>,
    ) -> Option<Option<Vec<usize>>> {
        self.look(goes);
        // Who begins to help now finds nothing to do.
        self.next.store(self.paths.len(), Ordering::Relaxed);
        let mut helping = self.helping();
        while *helping > 0 {
            let waited = self.left.wait(helping);
            helping = waited.unwrap_or_else(PoisonError::into_inner);
        }
        drop(helping);
        if self.is_cut.load(Ordering::Relaxed) {
            return None;
        }
        let is_enough = self.failed.load(Ordering::Relaxed) <= self.spare;
        let goes = |(path, known): &(usize, AtomicU8)| {
            (known.load(Ordering::Relaxed) == GOES).then_some(*path)
        };
        Some(is_enough.then(|| self.paths.iter().filter_map(goes).collect()))
    }

    /// What one that panicked left is whole: it is a number.
    fn helping(&self) -> MutexGuard<'_, usize> {
        self.helping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nobody waits for one that panics.
struct Helping<'a>(&'a Asking);

impl Drop for Helping<'_> {
    fn drop(&mut self) {
        *self.0.helping() -= 1;
        self.0.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn asked(
        helpers: usize,
        spare: usize,
        goes: impl Fn(usize) -> bool + Sync,
    ) -> Option<Vec<usize>> {
        let asking = Asking::new(&[7], 0..1000, spare);
        let looks = AtomicUsize::new(0);
        let look = |path, with: &[u64]| {
            assert_eq!(with, [7]);
            looks.fetch_add(1, Ordering::Relaxed);
            Some(goes(path))
        };
        let answer = thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|| asking.help(look));
            }
            asking.answer(look)
        });
        assert!(looks.into_inner() <= 1000, "a path is looked at once");
        answer.unwrap()
    }

    #[test]
    fn it_does_not_matter_who_helps() {
        for helpers in [0, 1, 3] {
            let even = |path: usize| path.is_multiple_of(2);
            let all: Vec<usize> = (0..1000).filter(|path| even(*path)).collect();
            assert_eq!(asked(helpers, 500, even), Some(all), "{helpers}");
            assert_eq!(asked(helpers, 499, even), None, "{helpers}");
            assert_eq!(asked(helpers, 0, |_| true), Some((0..1000).collect()));
        }
    }

    #[test]
    fn nothing_is_believed_that_was_cut_off() {
        for helpers in [0, 2] {
            let asking = Asking::new(&[], 0..100, 100);
            let look = |path, _: &[u64]| (path != 50).then_some(true);
            let answer = thread::scope(|scope| {
                for _ in 0..helpers {
                    scope.spawn(|| asking.help(look));
                }
                asking.answer(look)
            });
            assert_eq!(answer, None);
        }
    }
}
