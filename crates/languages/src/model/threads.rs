//! All cores.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use borges_multiverse::workers::{BATCH, Workers};

/// A batch takes so long: less is not worth waking threads up for, and for more whoever wants to stop them would wait.
const TIME: Range<Duration> = Duration::from_millis(2)..Duration::from_millis(6);
/// The fewest items of a batch, however long they take.
const FEWEST: usize = 64;

/// Threads that share jobs out among themselves.
#[derive(Debug)]
pub struct Threads {
    count: NonZero<usize>,
    /// Items that take about the right time.
    batch: AtomicUsize,
}

impl Threads {
    /// So many threads, at least one.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self {
            count: NonZero::new(count).unwrap_or(NonZero::<usize>::MIN),
            batch: AtomicUsize::new(BATCH / 4),
        }
    }

    /// One for each core.
    #[must_use]
    pub fn all() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, NonZero::get))
    }
}

impl Workers for Threads {
    fn count(&self) -> usize {
        self.count.get()
    }

    fn batch(&self) -> usize {
        self.batch.load(Ordering::Relaxed)
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        let began = Instant::now();
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
        let (took, batch) = (began.elapsed(), self.batch());
        let better = match took {
            took if took < TIME.start => (2 * batch).min(BATCH),
            took if took > TIME.end => (batch / 2).max(FEWEST),
            _ => batch,
        };
        self.batch.store(better, Ordering::Relaxed);
    }
}
