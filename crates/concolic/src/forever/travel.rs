//! States and what looks at them show, as they go from one device to another of the same program: looking takes long, so
//! that several look while one keeps account.
//!
//! Who looks learns nothing meanwhile ([`Device::telling`]): a look depends on the state alone, whoever looks and whatever
//! was looked at before. Who keeps account ([`super::FarDevice`]) hears of states in the order in which they are followed, so what
//! it then knows does not depend on how many look either.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use borges_multiverse::fingerprint::WideFingerprint;

use super::state::{Before, DeviceState, Inner, Stands};
use super::times::TimeWord;
use super::unread::Lesson;
use super::whole::Asks;
use super::{Device, Look, whole};
use crate::constraint::Constraint;
use crate::dag::{Cone, Dag, Expr};
use crate::explore::Truths;
use crate::path::{End, Unexplored};
use crate::shadow::Touched;

/// A state as any [`Device`] of the same program can take it. Cloning it is cheap. It is known by a name of 128 bits.
#[derive(Clone, Debug)]
pub struct SentState(Arc<Sent>);

#[derive(Debug)]
struct Sent {
    /// Its expressions have the numbers of the cone.
    state: DeviceState,
    /// Nothing if it has none.
    cone: Option<Cone>,
}

/// What a look at a state showed, for [whoever keeps account](super::FarDevice) of all.
#[derive(Debug)]
pub struct Showing {
    /// What each way asks of the state's values, and where it leads.
    ways: Vec<(Asks, SentState)>,
    /// The expressions of what is asked.
    asked: Option<Cone>,
    /// Instructions executed for it.
    steps: u64,
    unexplored: Vec<Unexplored>,
    lessons: Vec<Lesson>,
    /// What handlers were seen to touch, if that was not told before.
    touched: Option<Touched>,
    influence: u64,
    /// All words that were found to hold times, if there are more than were told.
    times: Vec<TimeWord>,
}

impl PartialEq for SentState {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.name() == other.name()
    }
}

impl Eq for SentState {}

impl Hash for SentState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.state.hash(state);
    }
}

impl SentState {
    /// A state whose expressions are those of a device.
    fn of(dag: &Dag, state: &DeviceState) -> Self {
        let Stands::Before(before) = &state.0.stands else {
            return Self::bare(state);
        };
        let exprs = before.exprs();
        if exprs.is_empty() {
            return Self::bare(state);
        }
        let (cone, numbers) = dag.cut_out(&exprs);
        Self(Arc::new(Sent {
            state: state.renumbered(before, |expr| numbers.of(expr)),
            cone: Some(cone),
        }))
    }

    /// One without expressions.
    fn bare(state: &DeviceState) -> Self {
        Self(Arc::new(Sent {
            state: state.clone(),
            cone: None,
        }))
    }

    /// The state, with expressions of another device.
    fn arrived(&self, dag: &mut Dag) -> DeviceState {
        let state = &self.0.state;
        match (&self.0.cone, &state.0.stands) {
            (Some(cone), Stands::Before(before)) => {
                let made = dag.take_in(cone);
                state.renumbered(before, |expr| made[expr.index()])
            }
            _ => state.clone(),
        }
    }

    /// What it is known by.
    #[must_use]
    pub fn name(&self) -> WideFingerprint {
        self.0.state.0.content
    }

    /// How the program ended, if it did.
    #[must_use]
    pub fn end(&self) -> Option<&End> {
        self.0.state.end()
    }

    /// As [`DeviceState::truths`].
    #[must_use]
    pub fn truths(&self) -> Truths {
        self.0.state.truths()
    }

    /// Whether it stands for several values.
    #[must_use]
    pub fn is_several(&self) -> bool {
        match &self.0.state.0.stands {
            Stands::Before(before) => !before.variables.is_empty(),
            Stands::Ended(..) => false,
        }
    }
}

impl DeviceState {
    /// The same with other numbers of its expressions.
    fn renumbered(&self, before: &Before, number: impl Fn(Expr) -> Expr) -> Self {
        let places = before.places.iter();
        let constraints = before.constraints.iter();
        let clocks = before.clocks.iter();
        let before = Before {
            places: places
                .map(|(place, expr)| (place.clone(), number(*expr)))
                .collect(),
            constraints: constraints
                .map(|known| Constraint::new(number(known.expr), known.allowed.clone()))
                .collect(),
            clocks: clocks.map(|clock| clock.renumbered(&number)).collect(),
            ..before.clone()
        };
        DeviceState(Arc::new(Inner {
            content: self.0.content,
            stands: Stands::Before(Box::new(before)),
            truths: self.0.truths,
        }))
    }
}

impl Before {
    /// All expressions that it has.
    fn exprs(&self) -> Vec<Expr> {
        let places = self.places.iter().map(|(_, expr)| *expr);
        let constraints = self.constraints.iter().map(|known| known.expr);
        let clocks = self.clocks.iter().flat_map(|clock| clock.exprs());
        places.chain(constraints).chain(clocks).collect()
    }
}

impl Device<'_> {
    /// The same, but it remembers no states and learns nothing any more: it looks at states for another one.
    #[must_use]
    pub fn telling(self) -> Self {
        self.unread.borrow_mut().tell();
        self.forgetful()
    }

    /// A state for other devices.
    pub(super) fn sent(&self, state: &DeviceState) -> SentState {
        match &*self.bench.borrow() {
            Some(bench) => SentState::of(&bench.dag, state),
            None => SentState::bare(state),
        }
    }

    /// A state of another device.
    #[must_use]
    pub fn arrived(&self, state: &SentState) -> DeviceState {
        match &mut *self.bench.borrow_mut() {
            Some(bench) => state.arrived(&mut bench.dag),
            None => state.0.state.clone(),
        }
    }

    /// Looks at a state for whoever keeps account; nothing if the budget was spent before all its ways were known. Of what
    /// it teaches, only what no look before it has taught. Only if it is [telling](Self::telling).
    #[must_use]
    pub fn showing(&self, state: &SentState) -> Option<Showing> {
        let look = self.look(&self.arrived(state), Look::default());
        if look.is_cut || self.budget.is_spent() {
            return None;
        }
        let (asks, asked) = self.sent_asks(&look.asked);
        let to = look.ways.iter().map(|(_, to)| self.sent(to));
        let ways = asks.into_iter().zip(to).collect();
        let mut told = self.forgetful.as_ref()?.told.borrow_mut();
        let touched = self.touched_besides(&told.0);
        if let Some(touched) = &touched {
            told.0 = touched.clone();
        }
        let found = self.found_times.borrow();
        let times = match found.len() == told.1 {
            true => Vec::new(),
            false => found.iter().copied().collect(),
        };
        told.1 = found.len();
        Some(Showing {
            ways,
            asked,
            steps: look.steps,
            unexplored: look.unexplored,
            lessons: self.unread.borrow_mut().lessons(),
            touched,
            influence: self.influence.get(),
            times,
        })
    }

    /// What ways ask, for other devices.
    fn sent_asks(&self, asked: &[Asks]) -> (Vec<Asks>, Option<Cone>) {
        let conditions = asked.iter().flat_map(Asks::conditions);
        let exprs: Vec<Expr> = conditions.map(|known| known.expr).collect();
        let bench = self.bench.borrow();
        let cut_out = bench.as_ref().map(|bench| bench.dag.cut_out(&exprs));
        match cut_out.filter(|_| !exprs.is_empty()) {
            Some((cone, numbers)) => {
                let asks = asked.iter();
                let asks = asks.map(|asks| asks.renumbered(|expr| numbers.of(expr)));
                (asks.collect(), Some(cone))
            }
            None => (asked.to_vec(), None),
        }
    }

    /// Keeps account of what a look at a state showed, which is the next that is followed, by whom ever: whether each of
    /// its ways is partial, and where it leads, which may be a state that is known and is all of the one that was found.
    pub(super) fn hear(&self, from: &SentState, showing: Showing) -> Vec<(bool, SentState)> {
        self.note(Look {
            steps: showing.steps,
            unexplored: showing.unexplored,
            ..Look::default()
        });
        let mut learning = self.unread.borrow_mut();
        let lessons = showing.lessons.into_iter();
        lessons.for_each(|lesson| learning.learn(lesson));
        drop(learning);
        if let Some(touched) = &showing.touched {
            self.see_touched(touched);
        }
        self.influence.set(self.influence.get() | showing.influence);
        self.found_times.borrow_mut().extend(showing.times);
        let mut is_other = false;
        let (mut asked, mut to): (Vec<Asks>, Vec<SentState>) = (Vec::new(), Vec::new());
        for (asks, found) in showing.ways {
            let known = self.once_of(&found);
            is_other |= known != found;
            asked.push(asks);
            to.push(known);
        }
        if is_other {
            self.together_now(from, &to, (&mut asked, showing.asked.as_ref()));
        }
        let are_partial = asked.iter().map(|asks| *asks != Asks::Nothing);
        let ways: Vec<_> = are_partial.zip(to).collect();
        if let Some(forgetful) = &self.forgetful {
            let partial = ways.iter().filter(|(is_partial, _)| *is_partial);
            forgetful.count(partial.count() as u64);
        }
        ways
    }

    /// Where ways lead to one state, as it has turned out, they may together be open to all values.
    fn together_now(
        &self,
        from: &SentState,
        to: &[SentState],
        (asked, cone): (&mut Vec<Asks>, Option<&Cone>),
    ) {
        let from = self.arrived(from);
        let mut bench = self.bench.borrow_mut();
        if let (Stands::Before(before), Some(bench)) = (&from.0.stands, bench.as_mut()) {
            let made = cone.map_or_else(Vec::new, |cone| bench.dag.take_in(cone));
            let here = asked.iter();
            *asked = here
                .map(|asks| asks.renumbered(|expr| made[expr.index()]))
                .collect();
            whole::together(&bench.dag, before, to, asked);
        }
    }

    /// As `once`, of a state that another device found.
    fn once_of(&self, to: &SentState) -> SentState {
        if !to.is_several() {
            return to.clone();
        }
        let state = self.arrived(to);
        let bench = self.bench.borrow();
        let Some(bench) = bench.as_ref() else {
            return to.clone();
        };
        let known = self.once(&bench.dag, state, true);
        match known.0.content == to.name() {
            true => to.clone(),
            false => SentState::of(&bench.dag, &known),
        }
    }
}
