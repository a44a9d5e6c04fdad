//! All cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use borges_multiverse::workers::Workers;

/// Threads that share jobs out among themselves.
#[derive(Clone, Copy, Debug)]
pub struct Threads(NonZero<usize>);

impl Threads {
    /// So many threads, at least one.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self(NonZero::new(count).unwrap_or(NonZero::<usize>::MIN))
    }

    /// One for each core.
    #[must_use]
    pub fn all() -> Self {
        Self(std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN))
    }
}

impl Workers for Threads {
    fn count(&self) -> usize {
        self.0.get()
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let nth = next.fetch_add(1, Ordering::Relaxed);
                if nth >= jobs {
                    break;
                }
                job(nth);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.count().min(jobs) {
                scope.spawn(work);
            }
            work();
        });
    }
}
