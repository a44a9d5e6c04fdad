//! The queue of jobs: who explores takes from it, who gathers puts into it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use borges_concolic::Prefix;

/// A job's place among all: that of the job which left it, then its number among what that left. In this order they find
/// paths as one exploration does that goes depth first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct JobPlace(Vec<u32>);

impl JobPlace {
    /// The place of the first, second, … job that is left by the one here.
    pub(super) fn of_left(&self, number: u32) -> Self {
        let mut place = self.0.clone();
        place.push(number);
        JobPlace(place)
    }
}

/// Prefixes to go on from.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) place: JobPlace,
    pub(super) prefixes: Vec<Prefix>,
    /// More paths than these are not wanted.
    pub(super) paths: usize,
}

/// Jobs that wait, and what came of others.
pub(super) struct Queue<T> {
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

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        Queue {
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

    pub(super) fn put(&self, job: Job) {
        let mut state = self.state();
        state.jobs.push_back(job);
        self.note(&state);
        self.for_workers.notify_one();
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

    /// What came of jobs since the last time; waits so long for something.
    pub(super) fn gather(&self, wait: Duration) -> Vec<(JobPlace, T)> {
        let state = self.state();
        let waited = self
            .for_gatherer
            .wait_timeout_while(state, wait, |state| state.done.is_empty());
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.done)
    }

    /// The jobs that nobody has taken.
    pub(super) fn drain(&self) -> Vec<Job> {
        let mut state = self.state();
        let left = state.jobs.drain(..).collect();
        self.note(&state);
        left
    }

    /// There will be no more jobs.
    pub(super) fn end(&self) {
        self.state().has_ended = true;
        self.for_workers.notify_all();
    }
}
