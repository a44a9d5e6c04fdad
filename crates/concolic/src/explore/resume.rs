//! Going on from prefixes, and what an exploration leaves of them.

use super::order::Unvisited;
use super::prefix::{Followed, Prefix, Unsure, Until};
use super::{Ended, Explored, Explorer, Heard, Next, State, Waiting};
use crate::shadow::Decided;

/// Why something is left out that was to be gone on with.
const NOT_AGAIN: &str =
    "a path that was to be gone on with did not come about when it was run again";

/// What came of a prefix.
enum Come {
    /// The program stands where it ends.
    There(Box<State>, Option<Decided>),
    /// It leads nowhere.
    Nowhere,
    /// Nothing was left of the budget before.
    Spent,
}

impl Explorer<'_, '_> {
    /// Explores from one prefix after the other until nothing waits any more; or what ended it, with the inputs of the path
    /// that was under way.
    pub(super) fn run(&mut self, heard: Heard<'_>) -> Option<(Ended, Option<usize>)> {
        let mut is_first = true;
        while let Some(prefix) = self.origins.pop_front() {
            let ended = match std::mem::take(&mut is_first) {
                true => None,
                false => self.ends_between(),
            };
            if let Some(ended) = ended {
                self.origins.push_front(prefix);
                return Some((ended, None));
            }
            match self.come_to(&prefix) {
                Come::There(state, decided) => {
                    if let Some(ended) = self.run_from(*state, decided, false, heard) {
                        return Some(ended);
                    }
                }
                Come::Nowhere => {}
                Come::Spent => {
                    self.origins.push_front(prefix);
                    let spent = self.budget.spent()?;
                    return Some((Ended::Spent(spent), None));
                }
            }
        }
        None
    }

    /// What ends the exploration between two paths, if something does.
    pub(super) fn ends_between(&mut self) -> Option<Ended> {
        if let Some(spent) = self.budget.spent() {
            return Some(Ended::Spent(spent));
        }
        if self.found.paths.len() >= self.bounds.paths {
            return Some(Ended::Paths);
        }
        let progress = self.progress();
        let pauses = self.pauses.is_some_and(|pauses| pauses(progress));
        pauses.then_some(Ended::Enough)
    }

    /// Runs the program to where a prefix ends.
    fn come_to(&mut self, prefix: &Prefix) -> Come {
        self.machine.clone_from(&self.start.machine);
        self.followed = (prefix.turns > 0).then(|| Followed {
            inputs: prefix.inputs.clone(),
            until: Some(Until {
                events: prefix.events.clone(),
                turns: prefix.turns,
                is_lost: false,
            }),
        });
        let mut state = self.begun();
        self.after_call(&mut state, &[]);
        let mut decided = None;
        let is_there = loop {
            if state.turns >= prefix.turns {
                break true;
            }
            match self.advance(&mut state, decided.take(), false) {
                Next::Asked(ask) => {
                    let cases = self.cases(&state, ask.clone());
                    let Some((case, narrowed)) = self.taken(&state, cases) else {
                        break false;
                    };
                    decided = Some(self.take(&mut state, &ask, case, narrowed));
                }
                Next::Waits => break state.turns >= prefix.turns,
                Next::Spent | Next::End(_) => break false,
            }
        };
        let followed = self.followed.take();
        let is_lost = |followed: Followed| followed.until.is_some_and(|until| until.is_lost);
        if followed.is_some_and(is_lost) {
            return Come::Nowhere;
        }
        if is_there {
            return Come::There(Box::new(state), decided);
        }
        if self.budget.is_spent() {
            return Come::Spent;
        }
        self.leave_out(&state, NOT_AGAIN);
        Come::Nowhere
    }

    /// Whether a prefix is followed: stops that lie on it were no ends.
    pub(super) fn follows_prefix(&self) -> bool {
        let until = |followed: &Followed| followed.until.is_some();
        self.followed.as_ref().is_some_and(until)
    }

    /// A moment on a run that is followed: what arrives then, arrives. Whether it is where a prefix ends.
    pub(super) fn passes_moment(&mut self, state: &mut State) -> bool {
        state.is_moment = false;
        let until = self.followed.as_ref().and_then(|run| run.until.as_ref());
        let Some(until) = until else { return false };
        let turns = until.turns;
        let (step, place) = (self.machine.steps(), state.reads.len() as u32);
        let next = until.events.get(state.events.len()).copied();
        let arrives = next.filter(|next| (next.step, next.place) == (step, place));
        state.turns += 1;
        state.moments = state.moments.saturating_add(1);
        if let Some(arrives) = arrives
            && !self.arrive(state, arrives.event)
        {
            if let Some(until) = self.followed.as_mut().and_then(|run| run.until.as_mut()) {
                until.is_lost = true;
            }
            return true;
        }
        state.turns >= turns
    }

    /// Where a path stands before it is gone on with, to fall back to.
    pub(super) fn sure(&self, state: &State) -> Unsure {
        Unsure {
            prefix: state.prefix(),
            waiting: self.waiting.len(),
            frontier: self.levels.frontier.len(),
        }
    }
}

impl Explored {
    /// What was left of an exploration that ended early: all that there is within its bounds is found by going on from each
    /// of these, and nothing twice. Depth first, they come in the order in which it would have gone on.
    #[must_use]
    pub fn left(&self) -> Vec<Prefix> {
        let Unvisited {
            waiting,
            levels,
            unsure,
            origins,
        } = &self.unvisited;
        let sure = unsure
            .as_ref()
            .map_or(waiting.len(), |unsure| unsure.waiting);
        let under_way = unsure.iter().map(|unsure| unsure.prefix.clone());
        let waiting = waiting.iter().take(sure).rev().map(Waiting::prefix);
        let sure = unsure
            .as_ref()
            .map_or(levels.frontier.len(), |unsure| unsure.frontier);
        let frontier = levels.frontier.iter().take(sure).map(Waiting::prefix);
        under_way
            .chain(waiting)
            .chain(frontier)
            .chain(origins.iter().cloned())
            .collect()
    }
}
