//! Who does the work: the core starts no threads, its caller may.

use std::sync::Mutex;

/// Runs jobs, some at the same time if it can.
///
/// The core stays without threads: it cuts its work into jobs that do not depend on each other, and
/// what it makes of their results does not depend on who ran them, or when.
pub trait Workers {
    /// How many jobs can run at the same time.
    fn count(&self) -> usize;

    /// How many items are worth handing out at once: while they are done, nobody is asked whether to go on. Who has a
    /// clock can keep that time short.
    fn batch(&self) -> usize {
        BATCH
    }

    /// Calls `job` with every number below `jobs`, and returns when all calls have.
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync));

    /// As [`Workers::run`], where the jobs do so many times a [`Workers::batch`], or less: who has a clock learns how much
    /// that should be.
    fn run_batch(&self, _times: usize, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        self.run(jobs, job);
    }
}

/// The caller itself does everything, one job after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Workers for Alone {
    fn count(&self) -> usize {
        1
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..jobs).for_each(job);
    }
}

/// Items that are handed out at once, if nobody says how many.
pub const BATCH: usize = 2048;

/// Fewer items than this are not worth waking anybody up for.
const WORTHWHILE: usize = 64;

/// Maps `items` to results in their order.
pub(crate) fn map<T: Sync, R: Send>(
    workers: &dyn Workers,
    items: &[T],
    each: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let count = workers.count().max(1);
    if count == 1 || items.len() < WORTHWHILE {
        return items.iter().map(each).collect();
    }
    // Several chunks a worker, so that one who is done early helps the others.
    let size = items.len().div_ceil(count * 4).max(1);
    let chunks: Vec<_> = items.chunks(size).collect();
    let results: Vec<_> = chunks.iter().map(|_| Mutex::new(None)).collect();
    workers.run_batch(1, chunks.len(), &|nth| {
        if let (Some(chunk), Some(place)) = (chunks.get(nth), results.get(nth)) {
            let done: Vec<_> = chunk.iter().map(&each).collect();
            if let Ok(mut place) = place.lock() {
                *place = Some(done);
            }
        }
    });
    results
        .into_iter()
        .enumerate()
        .flat_map(|(nth, result)| {
            // Workers that leave out a job cost time, not results.
            let done = result.into_inner().ok().flatten();
            done.unwrap_or_else(|| chunks[nth].iter().map(&each).collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs jobs backwards, the first twice, and leaves out the last.
    struct Unreliable;

    impl Workers for Unreliable {
        fn count(&self) -> usize {
            3
        }

        fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
            (0..jobs.saturating_sub(1)).rev().chain([0]).for_each(job);
        }
    }

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<_> = (0..100).collect();
        for workers in [&Alone as &dyn Workers, &Unreliable] {
            assert_eq!(
                map(workers, &items, |item| item + 1),
                (1..101).collect::<Vec<_>>()
            );
            assert_eq!(map(workers, &items[..0], |item| item + 1), []);
        }
    }
}
