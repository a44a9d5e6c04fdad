//! Runs from the start through states that a graph has.

use super::state::Stands;
use super::{Device, DeviceState};
use crate::budget::Budget;
use crate::clocks;
use crate::dag::Dag;
use crate::explore::{Explored, Waiting, Workbench};
use crate::path::Path as RunPath;
use crate::standing::go_back;

/// Of the runs that lead through the same states, so many are followed at once.
const MOST_ALONG: usize = 64;

/// A run through so many states is followed with all that is known of it first.
const MOST_AT_ONCE: usize = 24;
/// And takes at most this part of the time for it, in percent.
const PART: u32 = 5;

/// How much passes at least from one reading of a clock to the next on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// Nothing: clocks may stand still.
    Nothing = 0,
    /// A unit.
    AUnit = 1,
}

impl Device<'_> {
    /// Runs of this program as what an exploration of its paths found, which looked at everything.
    #[must_use]
    pub fn explored(&self, paths: Vec<RunPath>) -> Option<Explored> {
        self.with_bench(|bench| {
            let mut explored = Explored::of_paths(paths, self.bounds.clone());
            explored.dag.clone_from(&bench.dag);
            explored.coverage.clone_from(&bench.coverage);
            explored.steps = self.steps.get();
            explored
        })
    }

    /// A run from the start through these states, to the end that the last of them is or to where it stands: with all
    /// that was read on the way, and answers that lead along it. Nothing if no run takes just this way, or the budget is spent.
    #[must_use]
    pub fn run_through(
        &self,
        states: &[DeviceState],
        passing: Passing,
        budget: &Budget<'_>,
    ) -> Option<RunPath> {
        // Of few states, all that was read is kept as sets.
        let mut is_open = true;
        if states.len() <= MOST_AT_ONCE {
            let part = budget.part(PART);
            let found = self.run_at_once(states, passing, &part);
            if found.is_some() {
                return found;
            }
            is_open = part.is_spent();
        }
        let found = self.run_backwards(states, passing, budget);
        let once_more = || self.run_at_once(states, passing, budget);
        found.or_else(|| is_open.then(once_more).flatten())
    }

    /// The same with all that is known of the run at once.
    fn run_at_once(
        &self,
        states: &[DeviceState],
        passing: Passing,
        budget: &Budget<'_>,
    ) -> Option<RunPath> {
        self.at_bench(|bench| self.going_through(bench, states, passing, budget))?
    }

    fn going_through(
        &self,
        bench: Workbench,
        states: &[DeviceState],
        passing: Passing,
        budget: &Budget<'_>,
    ) -> (Workbench, Option<RunPath>) {
        let (mut bench, mut round) = self.begin(bench, budget, Some(passing));
        let mut found = None;
        for (at, state) in states.iter().enumerate() {
            if state.end().is_some() {
                let mut ended = round.ended.into_iter();
                let found_end = ended.find(|(end, _)| Some(end) == state.end());
                found = found_end.map(|(end, stop)| stop.as_path(end));
                break;
            }
            let stops = std::mem::take(&mut round.stops).into_iter();
            let mut stops: Vec<(Likeness, Waiting)> = stops
                .map(|stop| {
                    let reached = self.compared(budget).state(&mut bench, stop.clone());
                    (Likeness::of(&reached, state, &bench.dag), stop)
                })
                .filter(|(likeness, _)| *likeness != Likeness::Other)
                .collect();
            stops.sort_by_key(|(likeness, _)| *likeness);
            stops.truncate(MOST_ALONG);
            if at + 1 == states.len() {
                let first = stops.first();
                found = first.map(|(_, stop)| stop.as_path(stop.stopped(&mut bench.machine)));
                break;
            }
            let is_last = states.get(at + 1).is_some_and(|next| next.end().is_some());
            let Stands::Before(before) = &state.0.stands else {
                break;
            };
            let from = before.from(self.room.is_some());
            let goes = stops
                .iter()
                .flat_map(|(_, stop)| from.iter().map(move |from| (stop, *from)));
            for (stop, from) in goes {
                go_back(&mut bench.machine, &stop.snapshot);
                let mut path = stop.state.clone();
                path.waited.clear();
                path.looked.clear();
                path.marks = self.room.is_some().then(Box::default);
                let next;
                (bench, next) = self.round(bench, budget, (path, from), true);
                round.stops.extend(next.stops);
                if is_last {
                    round.ended.extend(next.ended);
                }
            }
        }
        let found = found.map(|path| clocks::with_times(path, &self.clocks, &bench.dag));
        (bench, found)
    }
}

/// Whether a run that has come to one state may go on as from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// It surely may.
    Part,
    /// All that is known of the other is so of it; what its values are together is not known to fit.
    Known,
    /// It stands where the other does.
    Place,
    Other,
}

impl Likeness {
    pub(super) fn of(reached: &DeviceState, state: &DeviceState, dag: &Dag) -> Self {
        let truths = (reached.truths(), state.truths());
        match (&reached.0.stands, &state.0.stands) {
            _ if reached == state => Likeness::Part,
            (Stands::Before(reached), Stands::Before(state))
                if state.place() == reached.place() =>
            {
                match truths.0 == truths.1 {
                    true if state.covers(reached, dag) => Likeness::Part,
                    true if state.controls == reached.controls => Likeness::Known,
                    // Of words that are taken for anything, conditions may hold that hold of no run.
                    _ => Likeness::Place,
                }
            }
            _ => Likeness::Other,
        }
    }
}
