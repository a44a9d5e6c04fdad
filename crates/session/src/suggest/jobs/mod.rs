//! An exploration on several cores: in jobs, each of which goes on from prefixes that others left.
//!
//! Whoever explores a job gives up the rest of it when others have nothing to do, unless that costs more than it gains:
//! a prefix is run again from the start of the program. What is found does not depend on who explored what, nor on when;
//! which values stand for others, may. Who explores is a thread here, or a worker that takes jobs from a queue.

mod away;
mod local;
mod queue;
mod work;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use borges_concolic::solver::Solver;
use borges_concolic::{
    Budget, Delivered, End, Ended, Explored, Flow, Gathered, Learned, PULSE, Path, Prefix,
    Progress, Start,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::command::broker::JobQueue;
use away::{Answer, Away, Sent};
use local::Local;
use queue::{Became, Job, JobPlace, Queue};
use work::{Came, explore_job};

pub(super) use work::{Explore, Part, Task};

/// What an exploration of several jobs is about.
pub(super) struct Jobs<'j, P> {
    pub(super) start: &'j Start,
    pub(super) task: &'j Task,
    /// Who explores them.
    pub(super) workers: Workers<'j>,
    /// Explores one job; what it says of each path is kept with it.
    pub(super) explore: &'j Explore<'j, P>,
}

/// Who explores jobs.
pub(super) enum Workers<'j> {
    /// So many threads.
    Here(usize),
    /// Whoever takes jobs from a queue, and gets this errand with each; for a `why`, it starts at the choice of this number.
    Away(&'j JobQueue, Arc<[u8]>, Option<u32>),
}

impl Workers<'_> {
    /// So many threads, if that is more than one.
    pub(super) fn here(cores: u16) -> Option<Self> {
        (cores > 1).then(|| Workers::Here(cores.into()))
    }
}

/// What makes a path another one.
type Key = (u128, End, Vec<Delivered>);

/// No job leaves more than so many others: what is left of small subtrees stays together.
const MOST_LEFT: usize = 8;
/// But for one that is longer by itself, no job has more choices in its prefixes: it must fit a message of a queue.
const MOST_CHOICES: usize = 1 << 15;
/// What workers tell while they work.
#[derive(Default)]
struct Told {
    /// Leave everything, and come to an end.
    ends: AtomicBool,
    /// Of jobs under way.
    paths: AtomicUsize,
    waiting: AtomicUsize,
    steps: AtomicU64,
}

/// What one worker has told of the job under way: it is taken back when the job is done.
#[derive(Default)]
struct Shown(Progress);

impl Shown {
    fn show(&mut self, told: &Told, progress: Progress) {
        let replace = |all: &AtomicUsize, was: usize, is: usize| {
            all.fetch_add(is.wrapping_sub(was), Ordering::Relaxed);
        };
        replace(&told.paths, self.0.paths, progress.paths);
        replace(&told.waiting, self.0.waiting, progress.waiting);
        let steps = progress.steps.wrapping_sub(self.0.steps);
        told.steps.fetch_add(steps, Ordering::Relaxed);
        self.0 = progress;
    }
}

impl<P: Send + DeserializeOwned> Jobs<'_, P> {
    /// Explores until nothing is left, or the budget is spent, or `heard`, which is told of each path when it is gathered,
    /// has had enough. All that was found, and what was said of each path. `solver`: who answers what is asked of it later.
    pub(super) fn run(
        &self,
        budget: &Budget<'_>,
        solver: Option<Box<dyn Solver>>,
        heard: &mut dyn FnMut(&Path) -> Flow,
    ) -> (Explored, Vec<Option<P>>) {
        let told = Told::default();
        let mut gathering = Gathering::new(self);
        match &self.workers {
            Workers::Here(cores) => {
                let queue = Local::new();
                thread::scope(|scope| {
                    for _ in 0..*cores {
                        scope.spawn(|| self.work(&queue, &told));
                    }
                    gathering.gather(&queue, budget, &told, heard);
                    queue.end();
                });
            }
            Workers::Away(queue, errand, turn) => match queue.0.begin(Arc::clone(errand)) {
                Ok(run) => {
                    let queue = Away::new(run, *turn, self.task);
                    gathering.gather(&queue, budget, &told, heard);
                }
                Err(why) => gathering.give_up(vec![Prefix::default()], why),
            },
        }
        gathering.finish(solver)
    }

    /// Explores one job after the other.
    fn work(&self, queue: &Local<Came<P>>, told: &Told) {
        let mut learned = None;
        while let Some(job) = queue.take() {
            let place = job.place.clone();
            let shown = RefCell::new(Shown::default());
            let hears = |progress: Progress| {
                shown.borrow_mut().show(told, progress);
                match told.ends.load(Ordering::Relaxed) {
                    true => Flow::Stop,
                    false => Flow::Continue,
                }
            };
            let job = (job, &self.task.bounds);
            let is_short = || queue.is_short();
            let came = explore_job(job, &mut learned, &is_short, &hears, self.explore);
            shown.borrow_mut().show(told, Progress::default());
            queue.done(place, came);
        }
    }
}

/// A job from a queue that is elsewhere.
pub(super) struct Arrived {
    pub(super) turn: Option<u32>,
    pub(super) task: Task,
    job: Job,
}

impl Arrived {
    /// What was put into the queue; nothing if it is no job.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let Sent { turn, task, job } = postcard::from_bytes(bytes).ok()?;
        Some(Arrived { turn, task, job })
    }

    /// Says that nobody can do it.
    pub(super) fn give_up(self, why: String) -> Vec<u8> {
        let came: Result<Came<()>, String> = Err(why);
        bytes_of(self.job.place, came)
    }

    /// Explores it, as [`explore_job`] does; what came of it for whoever put it.
    pub(super) fn explore<P: Serialize>(
        self,
        learned: &mut Option<Learned>,
        is_short: &dyn Fn() -> bool,
        goes_on: &dyn Fn() -> bool,
        explore: &Explore<'_, P>,
    ) -> Vec<u8> {
        let place = self.job.place.clone();
        let hears = |_: Progress| match goes_on() {
            true => Flow::Continue,
            false => Flow::Stop,
        };
        let job = (self.job, &self.task.bounds);
        let came = explore_job(job, learned, is_short, &hears, explore);
        bytes_of(place, Ok(came))
    }
}

fn bytes_of<P: Serialize>(place: JobPlace, came: Result<Came<P>, String>) -> Vec<u8> {
    let answer = postcard::to_allocvec(&Answer { place, came });
    answer.expect("memory does not run out of room")
}

/// Puts jobs into a queue, and gathers what comes of them.
struct Gathering<'g, 'j, P> {
    jobs: &'g Jobs<'j, P>,
    /// What came of jobs that do not come before all that are open.
    came: BTreeMap<JobPlace, Came<P>>,
    /// All that comes before those, put together, and what was said of its paths.
    gathered: Gathered,
    said: Vec<Option<P>>,
    known: HashSet<Key>,
    /// Of jobs that are done.
    steps: u64,
    /// Jobs put, and not done.
    open: BTreeSet<JobPlace>,
    left: Vec<Prefix>,
    ended: Option<Ended>,
    /// Why some jobs are left undone, or all are.
    failed: Vec<String>,
}

impl<'g, 'j, P> Gathering<'g, 'j, P> {
    fn new(jobs: &'g Jobs<'j, P>) -> Self {
        Gathering {
            jobs,
            came: BTreeMap::new(),
            gathered: Gathered::new(jobs.start, jobs.task.bounds.clone()),
            said: Vec::new(),
            known: HashSet::new(),
            steps: 0,
            open: BTreeSet::new(),
            left: Vec::new(),
            ended: None,
            failed: Vec::new(),
        }
    }

    fn gather(
        &mut self,
        queue: &dyn Queue<Came<P>>,
        budget: &Budget<'_>,
        told: &Told,
        heard: &mut dyn FnMut(&Path) -> Flow,
    ) {
        self.put(queue, JobPlace::default(), vec![Prefix::default()]);
        while !self.open.is_empty() {
            match queue.gather(PULSE) {
                Ok(became) => {
                    for became in became {
                        match became {
                            Became::Done(place, came) => self.note(queue, place, came, heard),
                            Became::GivenUp(job, why) => {
                                self.open.remove(&job.place);
                                self.give_up(job.prefixes, why);
                            }
                        }
                    }
                    self.put_together();
                }
                Err(why) => {
                    let open = queue.drain().into_iter().flat_map(|job| job.prefixes);
                    self.give_up(open.collect(), why);
                    break;
                }
            }
            let paths = |all: &AtomicUsize| all.load(Ordering::Relaxed);
            budget.note(Progress {
                paths: self.known.len() + paths(&told.paths),
                states: 0,
                waiting: paths(&told.waiting) + self.open.len(),
                steps: self.steps + told.steps.load(Ordering::Relaxed),
                inputs: 0,
            });
            if self.ended.is_none() {
                self.ended = budget.spent().map(Ended::Spent);
            }
            if self.ended.is_some() {
                self.failed.extend(queue.complaint());
                told.ends.store(true, Ordering::Relaxed);
                for job in queue.drain() {
                    self.open.remove(&job.place);
                    self.left.extend(job.prefixes);
                }
            }
        }
        // What was the last path of all is no reason to end before others.
        if self.left.is_empty() && self.ended == Some(Ended::Paths) {
            self.ended = None;
        }
    }

    /// Leaves what nobody does, and says why.
    fn give_up(&mut self, prefixes: Vec<Prefix>, why: String) {
        self.left.extend(prefixes);
        if !self.failed.contains(&why) {
            self.failed.push(why);
        }
    }

    /// Notes what came of a job, and puts what it left.
    fn note(
        &mut self,
        queue: &dyn Queue<Came<P>>,
        place: JobPlace,
        mut came: Came<P>,
        heard: &mut dyn FnMut(&Path) -> Flow,
    ) {
        let findings = &mut came.0;
        for (trail, path) in findings.keyed() {
            let key = (trail, path.end.clone(), path.events.clone());
            if self.known.insert(key) && heard(path) == Flow::Stop {
                self.ended.get_or_insert(Ended::Enough);
            }
        }
        self.steps += findings.steps();
        if self.known.len() >= self.jobs.task.bounds.paths {
            self.ended.get_or_insert(Ended::Paths);
        }
        let left = std::mem::take(&mut findings.left);
        match self.ended {
            Some(_) => self.left.extend(left),
            None => {
                for (number, prefixes) in (0..).zip(together(left)) {
                    self.put(queue, place.of_left(number), prefixes);
                }
            }
        }
        self.open.remove(&place);
        self.came.insert(place, came);
    }

    /// Adds what came of those jobs that no open one comes before: meanwhile others explore.
    fn put_together(&mut self) {
        let open = self.open.first();
        while let Some(first) = self.came.first_entry()
            && open.is_none_or(|open| first.key() < open)
        {
            let (findings, of_paths) = first.remove();
            for (number, of_path) in self.gathered.add(findings).into_iter().zip(of_paths) {
                if matches!(number, Some((_, true))) {
                    self.said.push(Some(of_path));
                }
            }
        }
    }

    fn put(&mut self, queue: &dyn Queue<Came<P>>, place: JobPlace, prefixes: Vec<Prefix>) {
        self.open.insert(place.clone());
        queue.put(Job {
            place,
            prefixes,
            paths: self.jobs.task.bounds.paths.saturating_sub(self.known.len()),
        });
    }

    /// Everything as one exploration.
    fn finish(mut self, solver: Option<Box<dyn Solver>>) -> (Explored, Vec<Option<P>>) {
        // Of what is still open nothing will come.
        self.open.clear();
        self.put_together();
        let (mut gathered, mut said) = (self.gathered, self.said);
        self.failed.iter().for_each(|why| gathered.leave_out(why));
        let explored = gathered.into_explored(self.ended, &self.left, solver);
        said.resize_with(explored.paths.len(), || None);
        (explored, said)
    }
}

/// What a job left as few jobs in the same order: the last are those of the first branches, behind which lies most, and
/// stay alone.
fn together(mut left: Vec<Prefix>) -> Vec<Vec<Prefix>> {
    let alone = left.split_off(left.len().saturating_sub(MOST_LEFT - 1));
    let mut jobs: Vec<Vec<Prefix>> = Vec::new();
    let mut choices = 0;
    for prefix in left {
        let more = 1 + prefix.inputs.len() + prefix.events.len();
        choices += more;
        match jobs.last_mut().filter(|_| choices <= MOST_CHOICES) {
            Some(job) => job.push(prefix),
            None => {
                choices = more;
                jobs.push(vec![prefix]);
            }
        }
    }
    jobs.extend(alone.into_iter().map(|prefix| vec![prefix]));
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(count: u32) -> Vec<Prefix> {
        let prefix = |turns| Prefix {
            turns,
            ..Prefix::default()
        };
        (0..count).map(prefix).collect()
    }

    #[test]
    fn what_is_left_stays_in_order_and_makes_few_jobs() {
        for count in [0, 1, MOST_LEFT as u32 - 1, MOST_LEFT as u32, 100] {
            let jobs = together(left(count));
            assert!(jobs.len() <= MOST_LEFT, "{count}");
            assert!(jobs.iter().all(|job| !job.is_empty()), "{count}");
            assert_eq!(jobs.concat(), left(count));
        }
    }

    #[test]
    fn no_job_is_longer_than_a_message() {
        let prefix = |inputs| Prefix {
            inputs: vec![u64::MAX; inputs],
            ..Prefix::default()
        };
        // With one choice more than there may be, it is alone.
        for (inputs, is_one) in [(MOST_CHOICES - 2, true), (MOST_CHOICES - 1, false)] {
            let mut left = vec![prefix(inputs), prefix(0)];
            left.resize(MOST_LEFT + 1, prefix(1));
            let jobs = together(left.clone());
            assert_eq!(jobs.len(), MOST_LEFT - usize::from(is_one) + 1, "{inputs}");
            assert_eq!(jobs.concat(), left);
        }
        let jobs = together(vec![prefix(2 * MOST_CHOICES); MOST_LEFT + 3]);
        assert!(jobs.iter().all(|job| job.len() == 1));
    }

    #[test]
    fn jobs_are_in_the_order_in_which_one_exploration_goes() {
        let first = JobPlace::default();
        let (a, b) = (first.of_left(0), first.of_left(1));
        assert!(first < a && a < a.of_left(9) && a.of_left(9) < b);
    }
}
