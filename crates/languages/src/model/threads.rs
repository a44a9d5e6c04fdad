//! All cores.

use std::num::NonZero;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use borges_multiverse::workers::{BATCH, Workers};
use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// A batch takes so long: less is not worth waking threads up for, and for more whoever wants to stop them would wait.
const TIME: Range<Duration> = Duration::from_millis(2)..Duration::from_millis(6);
/// The fewest items of a batch, however long they take.
const FEWEST: usize = 64;

/// Threads that share jobs out among themselves.
#[derive(Debug)]
pub struct Threads {
    count: NonZero<usize>,
    /// Started when there is work: starting threads for each batch would cost as much as the batch.
    pool: OnceLock<Option<ThreadPool>>,
    /// Items that take about the right time.
    batch: AtomicUsize,
}

impl Threads {
    /// So many threads, at least one.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self {
            count: NonZero::new(count).unwrap_or(NonZero::<usize>::MIN),
            pool: OnceLock::new(),
            batch: AtomicUsize::new(BATCH / 4),
        }
    }

    /// One for each core.
    #[must_use]
    pub fn all() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, NonZero::get))
    }

    /// One for each of so many cores; for each there is, if nothing is said.
    #[must_use]
    pub fn on(cores: Option<usize>) -> Self {
        cores.map_or_else(Self::all, Self::new)
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
        // Its own job first: whoever has a job for each finds what it had the last time still near.
        let next = AtomicUsize::new(self.count());
        let work = |first: usize| {
            let mut nth = first;
            while nth < jobs {
                job(nth);
                nth = next.fetch_add(1, Ordering::Relaxed);
            }
        };
        match self.pool.get_or_init(|| pool(self.count())) {
            Some(pool) => drop(pool.broadcast(|thread| work(thread.index()))),
            None => (0..jobs).for_each(job),
        }
    }

    fn run_batch(&self, times: usize, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        let began = Instant::now();
        self.run(jobs, job);
        let (took, batch) = (began.elapsed() / times.max(1) as u32, self.batch());
        let better = match took {
            took if took < TIME.start => (2 * batch).min(BATCH),
            took if took > TIME.end => (batch / 2).max(FEWEST),
            _ => batch,
        };
        self.batch.store(better, Ordering::Relaxed);
    }
}

/// So many threads; none if one is enough, or the system has no more.
fn pool(threads: usize) -> Option<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    (threads > 1).then(|| pool.build().ok()).flatten()
}
