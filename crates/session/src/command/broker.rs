//! Jobs that wait for workers which may be anywhere: what a queue must do, whoever keeps it. Jobs are bytes here.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use borges_languages::model::Threads;
use borges_multiverse::workers::Workers;

/// Keeps jobs, and gives each to one worker at a time; again, if that one does not finish it.
pub trait Broker: Send + Sync {
    /// Begins a run of jobs. Whoever takes one of them is told the `errand` that they all are part of, as long as the run
    /// is not dropped.
    ///
    /// # Errors
    /// The queue cannot be reached, or does not take the run: in words.
    fn begin(&self, errand: Arc<[u8]>) -> Result<Box<dyn JobRun>, String>;
}

/// The jobs of one exploration. Dropped, it is over: jobs that nobody has begun are no more, and whoever works on one stops.
pub trait JobRun {
    /// Puts a job, now or when whoever keeps it is there again. One with the same name that is there already may be kept
    /// instead.
    ///
    /// # Errors
    /// It cannot be kept: in words.
    fn put(&mut self, name: &str, job: &[u8]) -> Result<(), String>;

    /// What came of a job next, if anything does before that time is over. It may come more than once.
    ///
    /// # Errors
    /// The queue is gone: in words.
    fn next(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, String>;

    /// How many workers were heard of lately, and why others do not help.
    fn workers(&self) -> (usize, Vec<String>);
}

/// Who looks for paths instead of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seekers {
    /// So many threads.
    Cores(u16),
    /// Workers that take jobs from here.
    Queue(JobQueue),
}

impl Seekers {
    /// On how many threads of this process what they find is put together: with a queue on all, for then nobody else here
    /// has anything to do.
    #[must_use]
    pub fn threads(&self) -> usize {
        match self {
            Seekers::Cores(cores) => usize::from(*cores),
            Seekers::Queue(_) => Threads::all().count(),
        }
    }
}

/// A queue that jobs can be put into. Two are equal if they are the same one.
#[derive(Clone)]
pub struct JobQueue(pub Arc<dyn Broker>);

impl PartialEq for JobQueue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for JobQueue {}

impl fmt::Debug for JobQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JobQueue(…)")
    }
}
