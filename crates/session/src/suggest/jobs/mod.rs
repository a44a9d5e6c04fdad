//! An exploration on several cores: in jobs, each of which goes on from prefixes that others left.
//!
//! Whoever explores a job gives up the rest of it when others have nothing to do, unless that costs more than it gains:
//! a prefix is run again from the start of the program. What is found does not depend on who explored what, nor on when;
//! which values stand for others, may.

mod queue;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use borges_concolic::solver::Solver;
use borges_concolic::{
    Bounds, Budget, Delivered, End, Ended, Explored, Findings, Flow, Gathered, Learned, PULSE,
    Path, Prefix, Progress, Search, SearchOrder, Start,
};

use queue::{Job, JobPlace, Queue};

/// Explores one job; what is said of each of its paths.
type Explore<'j, P> = dyn Fn(Part<'_>, &Budget<'_>) -> (Explored, Vec<P>) + Sync + 'j;

/// What an exploration of several jobs is about.
pub(super) struct Jobs<'j, P> {
    pub(super) start: &'j Start,
    /// All have these bounds.
    pub(super) bounds: Bounds,
    /// So many explore at a time.
    pub(super) cores: usize,
    /// Explores one job; what it says of each path is kept with it.
    pub(super) explore: &'j Explore<'j, P>,
}

/// What one job looks at.
pub(super) struct Part<'p> {
    bounds: Bounds,
    prefixes: Vec<Prefix>,
    learned: Option<Learned>,
    pauses: &'p dyn Fn(Progress) -> bool,
}

impl Part<'_> {
    /// How it is to be looked at; `solver` makes one for whoever has none yet.
    pub(super) fn search<'s>(
        self,
        order: &SearchOrder,
        solver: impl Fn() -> Option<Box<dyn Solver>>,
    ) -> Search<'s>
    where
        Self: 's,
    {
        Search {
            bounds: self.bounds,
            prefixes: self.prefixes,
            solver: match &self.learned {
                Some(_) => None,
                None => solver(),
            },
            learned: self.learned,
            pauses: Some(self.pauses),
            // By levels goes only who has all of it.
            strategy: match order {
                SearchOrder::BreadthFirst => SearchOrder::DepthFirst,
                other => other.clone(),
            },
            ..Search::default()
        }
    }
}

/// What came of a job: its findings, and something about each path.
type Came<P> = (Findings, Vec<P>);

/// What makes a path another one.
type Key = (u128, End, Vec<Delivered>);

/// No job leaves more than so many others: what is left of small subtrees stays together.
const MOST_LEFT: usize = 8;
/// A job is gone on with for so many times the time that it takes to hand it on: of all work, that is the part lost.
const WORTHWHILE: u32 = 8;
/// No job is longer, if it can be handed on: what is found is seen, and who ends it does not lose more.
const LONGEST: Duration = Duration::from_secs(1);

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

impl<P: Send> Jobs<'_, P> {
    /// Explores until nothing is left, or the budget is spent, or `heard`, which is told of each path when it is gathered,
    /// has had enough. All that was found, and what was said of each path. `solver`: who answers what is asked of it later.
    pub(super) fn run(
        &self,
        budget: &Budget<'_>,
        solver: Option<Box<dyn Solver>>,
        heard: &mut dyn FnMut(&Path) -> Flow,
    ) -> (Explored, Vec<Option<P>>) {
        let queue = Queue::new();
        let told = Told::default();
        let mut gathering = Gathering::new(self, &queue);
        thread::scope(|scope| {
            for _ in 0..self.cores {
                scope.spawn(|| self.work(&queue, &told));
            }
            gathering.gather(budget, &told, heard);
            queue.end();
        });
        gathering.finish(solver)
    }

    /// Explores one job after the other.
    fn work(&self, queue: &Queue<Came<P>>, told: &Told) {
        let mut learned = None;
        while let Some(job) = queue.take() {
            let place = job.place.clone();
            let came = self.explore_job(job, &mut learned, queue, told);
            queue.done(place, came);
        }
    }

    fn explore_job(
        &self,
        job: Job,
        learned: &mut Option<Learned>,
        queue: &Queue<Came<P>>,
        told: &Told,
    ) -> Came<P> {
        let began = Instant::now();
        let clock = || began.elapsed();
        let shown = std::cell::RefCell::new(Shown::default());
        let heard = |progress: Progress| {
            shown.borrow_mut().show(told, progress);
            match told.ends.load(Ordering::Relaxed) {
                true => Flow::Stop,
                false => Flow::Continue,
            }
        };
        let budget = Budget::new(Duration::MAX, &clock, &heard);
        // About what it costs to come to where one prefix ends.
        let once = std::cell::Cell::new(None);
        let pauses = |progress: Progress| {
            let elapsed = began.elapsed();
            let once = once.get().unwrap_or_else(|| {
                once.set(Some(elapsed));
                elapsed
            });
            let handing_on = once * u32::try_from(progress.waiting).unwrap_or(u32::MAX);
            let is_wanted = queue.is_short() || elapsed >= LONGEST;
            progress.waiting > 1 && is_wanted && elapsed >= WORTHWHILE * handing_on
        };
        let before = learned.as_ref().map(Learned::effort).unwrap_or_default();
        let part = Part {
            bounds: Bounds {
                paths: job.paths,
                ..self.bounds.clone()
            },
            prefixes: job.prefixes,
            learned: learned.take(),
            pauses: &pauses,
        };
        let (explored, said) = (self.explore)(part, &budget);
        shown.borrow_mut().show(told, Progress::default());
        let (findings, more) = explored.into_findings(before);
        *learned = Some(more);
        (findings, said)
    }
}

/// Puts jobs into a queue, and gathers what comes of them.
struct Gathering<'g, 'j, P> {
    jobs: &'g Jobs<'j, P>,
    queue: &'g Queue<Came<P>>,
    came: Vec<(JobPlace, Came<P>)>,
    known: HashSet<Key>,
    /// Of jobs that are done.
    steps: u64,
    /// Jobs put, and not done.
    open: usize,
    left: Vec<Prefix>,
    ended: Option<Ended>,
}

impl<'g, 'j, P> Gathering<'g, 'j, P> {
    fn new(jobs: &'g Jobs<'j, P>, queue: &'g Queue<Came<P>>) -> Self {
        Gathering {
            jobs,
            queue,
            came: Vec::new(),
            known: HashSet::new(),
            steps: 0,
            open: 0,
            left: Vec::new(),
            ended: None,
        }
    }

    fn gather(&mut self, budget: &Budget<'_>, told: &Told, heard: &mut dyn FnMut(&Path) -> Flow) {
        self.put(JobPlace::default(), vec![Prefix::default()]);
        while self.open > 0 {
            for (place, came) in self.queue.gather(PULSE) {
                self.open -= 1;
                self.note(place, came, heard);
            }
            let paths = |all: &AtomicUsize| all.load(Ordering::Relaxed);
            budget.note(Progress {
                paths: self.known.len() + paths(&told.paths),
                waiting: paths(&told.waiting) + self.open,
                steps: self.steps + told.steps.load(Ordering::Relaxed),
                inputs: 0,
            });
            if self.ended.is_none() {
                self.ended = budget.spent().map(Ended::Spent);
            }
            if self.ended.is_some() {
                told.ends.store(true, Ordering::Relaxed);
                let given_up = self.queue.drain();
                self.open -= given_up.len();
                self.left
                    .extend(given_up.into_iter().flat_map(|job| job.prefixes));
            }
        }
        // What was the last path of all is no reason to end before others.
        if self.left.is_empty() && self.ended == Some(Ended::Paths) {
            self.ended = None;
        }
    }

    /// Notes what came of a job, and puts what it left.
    fn note(&mut self, place: JobPlace, mut came: Came<P>, heard: &mut dyn FnMut(&Path) -> Flow) {
        let findings = &mut came.0;
        for (trail, path) in findings.keyed() {
            let key = (trail, path.end.clone(), path.events.clone());
            if self.known.insert(key) && heard(path) == Flow::Stop {
                self.ended.get_or_insert(Ended::Enough);
            }
        }
        self.steps += findings.steps();
        if self.known.len() >= self.jobs.bounds.paths {
            self.ended.get_or_insert(Ended::Paths);
        }
        let left = std::mem::take(&mut findings.left);
        match self.ended {
            Some(_) => self.left.extend(left),
            None => {
                for (number, prefixes) in (0..).zip(together(left)) {
                    self.put(place.of_left(number), prefixes);
                }
            }
        }
        self.came.push((place, came));
    }

    fn put(&mut self, place: JobPlace, prefixes: Vec<Prefix>) {
        self.open += 1;
        self.queue.put(Job {
            place,
            prefixes,
            paths: self.jobs.bounds.paths.saturating_sub(self.known.len()),
        });
    }

    /// Everything as one exploration.
    fn finish(mut self, solver: Option<Box<dyn Solver>>) -> (Explored, Vec<Option<P>>) {
        self.came.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut gathered = Gathered::new(self.jobs.start, self.jobs.bounds.clone());
        let mut said = Vec::new();
        for (_, (findings, of_paths)) in self.came {
            for (number, of_path) in gathered.add(findings).into_iter().zip(of_paths) {
                if matches!(number, Some((_, true))) {
                    said.push(Some(of_path));
                }
            }
        }
        let explored = gathered.into_explored(self.ended, &self.left, solver);
        said.resize_with(explored.paths.len(), || None);
        (explored, said)
    }
}

/// What a job left as few jobs in the same order: the last are those of the first branches, behind which lies most, and
/// stay alone.
fn together(mut left: Vec<Prefix>) -> Vec<Vec<Prefix>> {
    let alone = left.split_off(left.len().saturating_sub(MOST_LEFT - 1));
    let first = Some(left).filter(|left| !left.is_empty());
    let alone = alone.into_iter().map(|prefix| vec![prefix]);
    first.into_iter().chain(alone).collect()
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
    fn jobs_are_in_the_order_in_which_one_exploration_goes() {
        let first = JobPlace::default();
        let (a, b) = (first.of_left(0), first.of_left(1));
        assert!(first < a && a < a.of_left(9) && a.of_left(9) < b);
    }
}
