//! Where jobs wait: who gathers puts them, and hears what came of them.

use std::time::Duration;

use borges_concolic::Prefix;
use serde::{Deserialize, Serialize};

/// A job's place among all: that of the job which left it, then its number among what that left. In this order they find
/// paths as one exploration does that goes depth first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct JobPlace(Vec<u32>);

impl JobPlace {
    /// The place of the first, second, … job that is left by the one here.
    pub(super) fn of_left(&self, number: u32) -> Self {
        let mut place = self.0.clone();
        place.push(number);
        JobPlace(place)
    }

    /// A name for it that no other one has.
    pub(super) fn name(&self) -> String {
        let numbers: Vec<String> = self.0.iter().map(u32::to_string).collect();
        numbers.join(".")
    }
}

/// Prefixes to go on from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    pub(super) place: JobPlace,
    pub(super) prefixes: Vec<Prefix>,
    /// More paths than these are not wanted.
    pub(super) paths: usize,
}

/// What became of a job.
pub(super) enum Became<T> {
    /// This came of it.
    Done(JobPlace, T),
    /// Nobody can do it, for this reason.
    GivenUp(Job, String),
}

/// Jobs that wait for workers.
pub(super) trait Queue<T> {
    fn put(&self, job: Job);

    /// What became of jobs since the last time; waits so long for something.
    ///
    /// # Errors
    /// The queue is gone: in words.
    fn gather(&self, wait: Duration) -> Result<Vec<Became<T>>, String>;

    /// Why nothing is heard of jobs, if there is a reason that whoever waits should know.
    fn complaint(&self) -> Option<String> {
        None
    }

    /// Takes back jobs of which nothing is going to be heard any more.
    fn drain(&self) -> Vec<Job>;
}
