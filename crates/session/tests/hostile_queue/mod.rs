//! A queue in this process that does what the worst one may do: jobs come in any order and more than once, workers die in
//! the middle of one, answers come late and twice.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use borges_session::command::broker::{Broker, JobQueue, JobRun};
use borges_session::suggest::{Helper, HelperMemory};
use fastrand::Rng;

/// A queue with so many workers.
pub(crate) fn hostile(workers: usize, seed: u64) -> JobQueue {
    JobQueue(Arc::new(Hostile { workers, seed }))
}

struct Hostile {
    workers: usize,
    seed: u64,
}

#[derive(Default)]
struct Kept {
    jobs: Vec<Vec<u8>>,
    answers: Vec<Vec<u8>>,
    is_over: bool,
}

type Shared = Arc<(Mutex<Kept>, Condvar)>;

fn lock(shared: &Shared) -> MutexGuard<'_, Kept> {
    shared.0.lock().expect("nobody panicked")
}

struct HostileRun {
    shared: Shared,
    random: Rng,
    threads: Vec<JoinHandle<()>>,
}

impl Broker for Hostile {
    fn begin(&self, errand: Arc<[u8]>) -> Result<Box<dyn JobRun>, String> {
        let shared = Shared::default();
        let threads = (0..self.workers).map(|number| {
            let (shared, errand) = (Arc::clone(&shared), Arc::clone(&errand));
            let random = Rng::with_seed(self.seed + number as u64);
            std::thread::spawn(move || work(&shared, &errand, random))
        });
        Ok(Box::new(HostileRun {
            threads: threads.collect(),
            shared,
            random: Rng::with_seed(self.seed),
        }))
    }
}

fn work(shared: &Shared, errand: &[u8], mut random: Rng) {
    let mut helper = None;
    loop {
        let mut kept = lock(shared);
        while kept.jobs.is_empty() && !kept.is_over {
            kept = shared.1.wait(kept).expect("nobody panicked");
        }
        if kept.is_over {
            return;
        }
        let any = random.usize(..kept.jobs.len());
        let job = kept.jobs.swap_remove(any);
        drop(kept);
        let (helper, memory) = helper.get_or_insert_with(|| {
            let read = Helper::of_bytes(errand).expect("an errand");
            (read, HelperMemory::default())
        });
        let dies = random.u8(..5) == 0;
        let patience = std::cell::Cell::new(match dies {
            true => random.u32(..4),
            false => u32::MAX,
        });
        let goes_on = || {
            patience.set(patience.get().saturating_sub(1));
            patience.get() > 0
        };
        let short = std::cell::RefCell::new(random.fork());
        let is_short = || short.borrow_mut().bool();
        let answer = helper.explore(&job, memory, &is_short, &goes_on);
        let answer = answer.expect("a job");
        let mut kept = lock(shared);
        if dies {
            kept.jobs.push(job);
            *memory = HelperMemory::default();
        } else {
            if random.u8(..4) == 0 {
                kept.answers.push(answer.clone());
            }
            if random.u8(..8) == 0 {
                kept.jobs.push(job);
            }
            kept.answers.push(answer);
        }
        shared.1.notify_all();
    }
}

impl JobRun for HostileRun {
    fn put(&mut self, _: &str, job: &[u8]) -> Result<(), String> {
        lock(&self.shared).jobs.push(job.to_vec());
        self.shared.1.notify_all();
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, String> {
        let kept = lock(&self.shared);
        let waited = self
            .shared
            .1
            .wait_timeout_while(kept, wait, |kept| kept.answers.is_empty());
        let (mut kept, _) = waited.expect("nobody panicked");
        let count = kept.answers.len();
        Ok((count > 0).then(|| {
            let any = self.random.usize(..count);
            kept.answers.swap_remove(any)
        }))
    }

    fn workers(&self) -> (usize, Vec<String>) {
        (self.threads.len(), Vec::new())
    }
}

impl Drop for HostileRun {
    fn drop(&mut self) {
        lock(&self.shared).is_over = true;
        self.shared.1.notify_all();
        for thread in self.threads.drain(..) {
            thread.join().expect("a worker does not panic");
        }
    }
}
