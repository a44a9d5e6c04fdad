//! What a device's rounds are told, and the bench on which they are made.

use borges_vm::Machine;

use super::compared::Compared;
use super::forgetful::Forgetful;
use super::{Device, Passing};
use crate::budget::Budget;
use crate::dag::Dag;
use crate::explore::{Origin, Parting, Round, Rounds, State as Path, Workbench};
use crate::set::Set;

impl Device<'_> {
    /// What somebody does who takes the bench, unless it is taken.
    pub(super) fn at_bench<T>(
        &self,
        within: impl FnOnce(Workbench) -> (Workbench, T),
    ) -> Option<T> {
        let (bench, done) = within(self.bench.take()?);
        self.bench.replace(Some(bench));
        Some(done)
    }

    /// The same of somebody who does not need it whole.
    pub(super) fn with_bench<T>(&self, within: impl FnOnce(&mut Workbench) -> T) -> Option<T> {
        self.at_bench(|mut bench| {
            let done = within(&mut bench);
            (bench, done)
        })
    }

    /// From the start to the first stop; of a single run, states part at once.
    pub(super) fn begin(
        &self,
        mut bench: Workbench,
        budget: &Budget<'_>,
        run: Option<Passing>,
    ) -> (Workbench, Round) {
        bench.machine.clone_from(&self.start.machine);
        let mut path = Path::new(self.start.state.clone());
        path.choices = self.start.choices.of_states(false);
        let shown = self.shown(&self.start.state);
        self.compared(budget)
            .begin(&mut path, &mut bench.dag, &shown);
        if let Some(passing) = run {
            // Of the runs of a clock that may show anything at first, those in which it begins with 0 are as good.
            let origins = path.reads.iter_mut();
            origins.for_each(|origin| origin.domain = Set::single(0));
            let clocks = path.outside.clocks.iter_mut();
            clocks.for_each(|clock| clock.least = passing as u64);
        }
        let from = (path, Origin::Start);
        self.round(bench, budget, from, run.is_some())
    }

    /// From somewhere to the next stops: they part at once, or are left as they come.
    pub(super) fn round(
        &self,
        bench: Workbench,
        budget: &Budget<'_>,
        from: (Path, Origin),
        at_once: bool,
    ) -> (Workbench, Round) {
        self.rounds(budget, at_once, |rounds| bench.round(rounds, from))
    }

    /// What rounds are told: states part at once, or are left as they come.
    pub(super) fn rounds<T>(
        &self,
        budget: &Budget<'_>,
        at_once: bool,
        within: impl FnOnce(Rounds<'_>) -> T,
    ) -> T {
        let compared = self.compared(budget);
        let live =
            |machine: &Machine, path: &Path, dag: &mut Dag| compared.live_exprs(dag, machine, path);
        within(Rounds {
            start: &self.start,
            budget,
            bounds: &self.bounds,
            parting: Parting {
                watched: self.watched,
                calls: self.calls.as_deref().unwrap_or_default(),
                is_answered: self.calls.is_some(),
                live: self.is_split.then_some(&live),
                at_once,
            },
        })
    }

    pub(super) fn compared<'c>(&'c self, budget: &'c Budget<'c>) -> Compared<'c> {
        Compared {
            live: &self.live,
            board: &self.start.board,
            primitives: &self.start.primitives,
            choices: self.start.choices,
            words: &self.words,
            times: &self.times,
            found_times: &self.found_times,
            clocks: &self.clocks,
            are_clocks: self.are_clocks,
            is_interleaved: self.room.is_some(),
            most: self.most,
            tells_rows: self.watched.is_some() || !self.divided.borrow().is_empty(),
            unread: self.calls.is_none().then_some(&self.unread),
            begins: false,
            budget,
        }
    }

    /// What a look may spend.
    pub(super) fn budget(&self) -> &Budget<'_> {
        let forgetful = self.forgetful.as_ref();
        let unlimited = forgetful.and_then(Forgetful::unlimited);
        unlimited.unwrap_or(self.budget)
    }
}
