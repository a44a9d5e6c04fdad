//! Whoever works: explores one job after the other, and leaves what others can do.

use std::cell::Cell;
use std::time::{Duration, Instant};

use borges_concolic::solver::Solver;
use borges_concolic::{
    Bounds, Budget, Explored, Findings, Flow, Learned, Prefix, Progress, Search, SearchOrder,
};

use serde::{Deserialize, Serialize};

use super::queue::Job;
use crate::suggest::options::solver_named;

/// Explores one job; what is said of each of its paths.
pub(in crate::suggest) type Explore<'j, P> =
    dyn Fn(Part<'_>, &Budget<'_>) -> (Explored, Vec<P>) + Sync + 'j;

/// What all jobs of one exploration have in common, beside the program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::suggest) struct Task {
    pub(in crate::suggest) bounds: Bounds,
    pub(in crate::suggest) order: SearchOrder,
    /// Its name: who answers what trying values cannot.
    pub(in crate::suggest) solver: Option<String>,
}

impl Task {
    /// Who answers what trying values cannot; the name was looked at before.
    pub(in crate::suggest) fn solver(&self) -> Option<Box<dyn Solver>> {
        solver_named(self.solver.as_deref())
    }
}

/// What one job looks at.
pub(in crate::suggest) struct Part<'p> {
    bounds: Bounds,
    prefixes: Vec<Prefix>,
    learned: Option<Learned>,
    pauses: &'p dyn Fn(Progress) -> bool,
}

impl Part<'_> {
    /// How it is to be looked at; `solver` makes one for whoever has none yet.
    pub(in crate::suggest) fn search<'s>(
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
pub(super) type Came<P> = (Findings, Vec<P>);

/// A job is gone on with for so many times the time that it takes to hand it on: of all work, that is the part lost.
const WORTHWHILE: u32 = 8;
/// No job is longer, if it can be handed on: what is found is seen, and who ends it does not lose more.
const LONGEST: Duration = Duration::from_secs(1);

/// Explores one job. `is_short` says whether somebody waits for jobs; `hears` is told how far it is, and may end it.
pub(super) fn explore_job<P>(
    (job, bounds): (Job, &Bounds),
    learned: &mut Option<Learned>,
    is_short: &dyn Fn() -> bool,
    hears: &dyn Fn(Progress) -> Flow,
    explore: &Explore<'_, P>,
) -> Came<P> {
    let began = Instant::now();
    let clock = || began.elapsed();
    let budget = Budget::new(Duration::MAX, &clock, hears);
    // About what it costs to come to where one prefix ends.
    let once = Cell::new(None);
    let pauses = |progress: Progress| {
        let elapsed = began.elapsed();
        let once = once.get().unwrap_or_else(|| {
            once.set(Some(elapsed));
            elapsed
        });
        let handing_on = once * u32::try_from(progress.waiting).unwrap_or(u32::MAX);
        let is_wanted = is_short() || elapsed >= LONGEST;
        progress.waiting > 1 && is_wanted && elapsed >= WORTHWHILE * handing_on
    };
    let before = learned.as_ref().map(Learned::effort).unwrap_or_default();
    let part = Part {
        bounds: Bounds {
            paths: job.paths,
            ..bounds.clone()
        },
        prefixes: job.prefixes,
        learned: learned.take(),
        pauses: &pauses,
    };
    let (explored, said) = explore(part, &budget);
    let (findings, more) = explored.into_findings(before);
    *learned = Some(more);
    (findings, said)
}
