//! States that are known: each is kept once, and a machine is in one of them.

use borges_board::BoardState;
use borges_vm::Machine;

use super::compared::Compared;
use super::state::{DeviceState, Stands};
use super::times::TimeWord;
use super::{Device, MOST_COVERING};
use crate::clocks::{self, Clock};
use crate::dag::Dag;
use crate::explore::{State as Path, Waiting, Watched};

/// Of so many words it is tried whether they hold times or numbers.
const MOST_TIMES_CHOSEN: usize = 6;

impl Device<'_> {
    /// The state that is known to be equal, or to be all of this one and perhaps more; or this one, which it is too where
    /// nothing is joined.
    pub(super) fn once(&self, dag: &Dag, state: DeviceState, joins: bool) -> DeviceState {
        if !joins {
            return state;
        }
        let mut known = self.known.borrow_mut();
        if let Some(same) = known.get(&state) {
            return same.clone();
        }
        let forgets = self.forgetful.is_some();
        if let Stands::Before(before) = &state.0.stands
            && !before.variables.is_empty()
        {
            let mut wider = self.wider.borrow_mut();
            let here = wider.entry(before.place()).or_default();
            let covers = |known: &&DeviceState| match &known.0.stands {
                Stands::Before(wider) => {
                    known.truths() == state.truths() && wider.covers(before, dag)
                }
                Stands::Ended(..) => false,
            };
            let divided = self.divided.borrow();
            let mut known = here.iter().rev().take(MOST_COVERING);
            if let Some(known) = known.find(|known| covers(known) && !divided.contains_key(*known))
            {
                return known.clone();
            }
            here.push(state.clone());
            if forgets && here.len() == 2 * MOST_COVERING {
                here.drain(..MOST_COVERING);
            }
        }
        if !forgets {
            known.insert(state.clone());
            if let Some(ahead) = self.ahead.borrow_mut().as_mut() {
                ahead.comes(&state);
            }
        }
        state
    }

    /// The state of a machine that stands before a call, all of whose values are known: each word that has ever held a
    /// time does so here.
    #[must_use]
    pub fn state_of(&self, machine: &Machine, board: &BoardState) -> Option<DeviceState> {
        self.state_with(machine, board, &self.times_seen())
    }

    /// The same for each choice of words that hold times here: a word may also hold a number, which nobody can tell from a
    /// time by looking at it. The first of them is [`Device::state_of`].
    #[must_use]
    pub fn states_of(&self, machine: &Machine, board: &BoardState) -> Vec<DeviceState> {
        let times = self.times_seen();
        let chosen = |number: u64| -> Vec<TimeWord> {
            let here = |at: &usize| number >> at & 1 == 0;
            let here = (0..times.len()).filter(here);
            here.map(|at| times[at]).collect()
        };
        let choices = 0..1_u64 << times.len().min(MOST_TIMES_CHOSEN);
        let mut states: Vec<DeviceState> = Vec::new();
        for state in choices.filter_map(|number| self.state_with(machine, board, &chosen(number))) {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        states
    }

    pub(super) fn state_with(
        &self,
        machine: &Machine,
        board: &BoardState,
        times: &[TimeWord],
    ) -> Option<DeviceState> {
        self.with_bench(|bench| {
            let mut path = Path::new(board.clone());
            path.choices = self.start.choices.of_states(board.input_is_over());
            let shown = self.shown(board);
            self.compared(self.budget)
                .begin(&mut path, &mut bench.dag, &shown);
            for number in 0..self.watched.map_or(0, Watched::count) {
                path.truths
                    .look(self.watched, number, (machine, board), &mut path.looked);
            }
            let stop = Waiting::at(machine.snapshot(None), path, true);
            let compared = Compared {
                times,
                ..self.compared(self.budget)
            };
            compared.state(bench, stop)
        })
    }

    /// What each clock shows by now, as far as a board knows; nothing of those that were not read yet.
    pub(super) fn shown(&self, board: &BoardState) -> Vec<Option<i64>> {
        let shown = |clock: &Clock| {
            let is_read = board.last_reading(clock.id, &[]).is_some()
                || board.clock_floor_us() > board.elapsed_us();
            is_read.then(|| clocks::shown(&self.start.board, board, clock.id))
        };
        self.clocks.iter().map(shown).collect()
    }

    /// The states of known values that a state stands for; nothing if they are more than `most` combinations.
    #[must_use]
    pub fn stands_for(&self, state: &DeviceState, most: u64) -> Option<Vec<DeviceState>> {
        let Stands::Before(before) = &state.0.stands else {
            return Some(vec![state.clone()]);
        };
        self.with_bench(|bench| {
            let compared = self.compared(self.budget);
            compared.known(bench, (before, state.truths()), most)
        })?
    }
}
