//! The queue of jobs for workers that are threads.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::queue::{Became, Job, JobPlace, Queue};

/// Jobs that wait, and what came of others.
pub(super) struct Local<T> {
    state: Mutex<State<T>>,
    /// There is a job, or an end.
    for_workers: Condvar,
    /// Something came of a job.
    for_gatherer: Condvar,
    /// More workers wait than jobs do.
    is_short: AtomicBool,
}

struct State<T> {
    jobs: VecDeque<Job>,
    done: Vec<(JobPlace, T)>,
    idle: usize,
    has_ended: bool,
}

impl<T> Local<T> {
    pub(super) fn new() -> Self {
        Local {
            state: Mutex::new(State {
                jobs: VecDeque::new(),
                done: Vec::new(),
                idle: 0,
                has_ended: false,
            }),
            for_workers: Condvar::new(),
            for_gatherer: Condvar::new(),
            is_short: AtomicBool::new(false),
        }
    }

    /// What a worker that panicked left is whole: nothing here can panic half-way.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, state: &State<T>) {
        let is_short = state.idle > state.jobs.len();
        self.is_short.store(is_short, Ordering::Relaxed);
    }

    /// Waits for the next job; nothing when there will be none.
    pub(super) fn take(&self) -> Option<Job> {
        let mut state = self.state();
        state.idle += 1;
        self.note(&state);
        while state.jobs.is_empty() && !state.has_ended {
            let waited = self.for_workers.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.idle -= 1;
        let job = state.jobs.pop_front();
        self.note(&state);
        job
    }

    /// Whether somebody waits for a job in vain.
    pub(super) fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    /// Something came of a job.
    pub(super) fn done(&self, place: JobPlace, what: T) {
        self.state().done.push((place, what));
        self.for_gatherer.notify_one();
    }

    /// There will be no more jobs.
    pub(super) fn end(&self) {
        self.state().has_ended = true;
        self.for_workers.notify_all();
    }
}

impl<T> Queue<T> for Local<T> {
    fn put(&self, job: Job) {
        let mut state = self.state();
        state.jobs.push_back(job);
        self.note(&state);
        self.for_workers.notify_one();
    }

    fn gather(&self, wait: Duration) -> Result<Vec<Became<T>>, String> {
        let state = self.state();
        let waited = self
            .for_gatherer
            .wait_timeout_while(state, wait, |state| state.done.is_empty());
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let done = state.done.drain(..);
        Ok(done
            .map(|(place, what)| Became::Done(place, what))
            .collect())
    }

    /// The jobs that nobody has taken: all others come to an end.
    fn drain(&self) -> Vec<Job> {
        let mut state = self.state();
        let left = state.jobs.drain(..).collect();
        self.note(&state);
        left
    }
}
