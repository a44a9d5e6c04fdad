//! The queue of jobs for workers that are elsewhere: a broker keeps them, and may give the same one to several.

use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::queue::{Became, Job, JobPlace, Queue};
use super::work::Task;
use crate::command::broker::JobRun;

/// If nothing at all is heard for so long, jobs may have been lost: they are put once more.
const AGAIN: Duration = Duration::from_secs(30);

/// A job as it travels.
#[derive(Serialize, Deserialize)]
pub(super) struct Sent<T> {
    /// From where: what the errand is about, or for a `why` the choice of this number on the way there.
    pub(super) turn: Option<u32>,
    pub(super) task: T,
    pub(super) job: Job,
}

/// What came of a job as it travels, or why nobody can do it.
#[derive(Serialize, Deserialize)]
pub(super) struct Answer<T> {
    pub(super) place: JobPlace,
    pub(super) came: Result<T, String>,
}

/// The jobs of one run.
pub(super) struct Away<'a, T> {
    turn: Option<u32>,
    task: &'a Task,
    state: RefCell<State>,
    what: PhantomData<T>,
}

struct State {
    run: Box<dyn JobRun>,
    /// Jobs of which nothing has come yet.
    open: HashMap<JobPlace, Job>,
    /// What went wrong when jobs were put.
    failed: Option<String>,
    heard: Instant,
}

impl<'a, T> Away<'a, T> {
    pub(super) fn new(run: Box<dyn JobRun>, turn: Option<u32>, task: &'a Task) -> Self {
        Away {
            turn,
            task,
            state: RefCell::new(State {
                run,
                open: HashMap::new(),
                failed: None,
                heard: Instant::now(),
            }),
            what: PhantomData,
        }
    }

    fn send(&self, state: &mut State, job: &Job) {
        let name = job.place.name();
        let sent = postcard::to_allocvec(&Sent {
            turn: self.turn,
            task: self.task,
            job: job.clone(),
        });
        let sent = sent.expect("memory does not run out of room");
        if let Err(why) = state.run.put(&name, &sent) {
            state.failed.get_or_insert(why);
        }
    }
}

impl<T: DeserializeOwned> Queue<T> for Away<'_, T> {
    fn put(&self, job: Job) {
        let state = &mut *self.state.borrow_mut();
        self.send(state, &job);
        state.open.insert(job.place.clone(), job);
    }

    fn gather(&self, wait: Duration) -> Result<Vec<Became<T>>, String> {
        let state = &mut *self.state.borrow_mut();
        if let Some(why) = &state.failed {
            return Err(why.clone());
        }
        // One at a time: what it left is put before the next one is read.
        let mut became = Vec::new();
        if let Some(bytes) = state.run.next(wait)? {
            state.heard = Instant::now();
            // Who has no key cannot say anything here, and all others are of one build. Another worker may have been faster.
            if let Ok(Answer { place, came }) = postcard::from_bytes::<Answer<T>>(&bytes)
                && let Some(job) = state.open.remove(&place)
            {
                became.push(match came {
                    Ok(came) => Became::Done(place, came),
                    Err(why) => Became::GivenUp(job, why),
                });
            }
        }
        if state.heard.elapsed() > AGAIN {
            state.heard = Instant::now();
            let open: Vec<Job> = state.open.values().cloned().collect();
            open.iter().for_each(|job| self.send(state, job));
        }
        Ok(became)
    }

    fn complaint(&self) -> Option<String> {
        let (workers, others) = self.state.borrow().run.workers();
        (workers == 0).then(|| {
            let nobody =
                "no worker takes jobs from the queue: start some with 'borges worker --queue'";
            let all = [nobody.to_owned()].into_iter().chain(others);
            all.collect::<Vec<_>>().join("; ")
        })
    }

    /// All of which nothing has come: nobody is waited for.
    fn drain(&self) -> Vec<Job> {
        let open = std::mem::take(&mut self.state.borrow_mut().open);
        let mut open: Vec<Job> = open.into_values().collect();
        open.sort_by(|a, b| a.place.cmp(&b.place));
        open
    }
}
