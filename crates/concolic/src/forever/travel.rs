//! States and what looks at them show, as they go from one device to another of the same program: looking takes long, so
//! that several look while one keeps account.
//!
//! Who looks learns nothing meanwhile ([`Device::telling`]): a look depends on the state alone, whoever looks and whatever
//! was looked at before. Who keeps account ([`super::FarDevice`]) hears of states in the order in which they are followed, so what
//! it then knows does not depend on how many look either.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use borges_multiverse::fingerprint::WideFingerprint;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::packed::{Packed, Packer};
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

/// A state as any [`Device`] of the same program can take it, in another process if it was [packed](Packer). Cloning it is
/// cheap. It is known by a name of 128 bits.
#[derive(Clone, Debug)]
pub struct SentState(Arc<Sent>);

#[derive(Debug)]
enum Sent {
    Here {
        /// Its expressions have the numbers of the cone.
        state: DeviceState,
        /// Nothing if it has none.
        cone: Option<Cone>,
    },
    Packed(Packed),
}

/// What a look at a state showed, for [whoever keeps account](super::FarDevice) of all.
#[derive(Debug, Serialize, Deserialize)]
pub struct Showing {
    /// What each way asks of the state's values, and where it leads.
    ways: Vec<(Asks, SentState)>,
    /// The expressions of what is asked.
    asked: Option<Cone>,
    taught: Taught,
}

/// What a look has taught of the program.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Taught {
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
        self.name().hash(state);
    }
}

/// Only one that was packed is of use elsewhere.
impl Serialize for SentState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &*self.0 {
            Sent::Packed(packed) => packed.serialize(serializer),
            Sent::Here { .. } => Err(S::Error::custom("a state travels packed")),
        }
    }
}

impl<'de> Deserialize<'de> for SentState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let packed = Packed::deserialize(deserializer)?;
        match packed.is_called_what_it_is() {
            true => Ok(Self(Arc::new(Sent::Packed(packed)))),
            false => Err(D::Error::custom("it is another end than it says")),
        }
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
        Self(Arc::new(Sent::Here {
            state: state.renumbered(before, |expr| numbers.of(expr)),
            cone: Some(cone),
        }))
    }

    /// One without expressions.
    fn bare(state: &DeviceState) -> Self {
        Self(Arc::new(Sent::Here {
            state: state.clone(),
            cone: None,
        }))
    }

    /// The same for another process; nothing if it cannot go there.
    #[must_use]
    pub fn packed(&self, packer: &Packer) -> Option<Self> {
        match &*self.0 {
            Sent::Packed(_) => Some(self.clone()),
            Sent::Here { state, cone } => {
                let packed = Packed::of(state, cone.as_ref(), packer)?;
                Some(Self(Arc::new(Sent::Packed(packed))))
            }
        }
    }

    /// What it is known by.
    #[must_use]
    pub fn name(&self) -> WideFingerprint {
        match &*self.0 {
            Sent::Here { state, .. } => state.0.content,
            Sent::Packed(packed) => packed.name(),
        }
    }

    /// How the program ended, if it did.
    #[must_use]
    pub fn end(&self) -> Option<&End> {
        match &*self.0 {
            Sent::Here { state, .. } => state.end(),
            Sent::Packed(packed) => packed.end(),
        }
    }

    /// As [`DeviceState::truths`].
    #[must_use]
    pub fn truths(&self) -> Truths {
        match &*self.0 {
            Sent::Here { state, .. } => state.truths(),
            Sent::Packed(packed) => packed.truths(),
        }
    }

    /// How many variables it has.
    fn variables(&self) -> usize {
        match &*self.0 {
            Sent::Here { state, .. } => match &state.0.stands {
                Stands::Before(before) => before.variables.len(),
                Stands::Ended(..) => 0,
            },
            Sent::Packed(packed) => packed.variables(),
        }
    }

    /// Whether it stands for several values.
    #[must_use]
    pub fn is_several(&self) -> bool {
        self.variables() > 0
    }
}

impl Showing {
    /// The same for another process; nothing if it cannot go there.
    #[must_use]
    pub fn packed(self, packer: &Packer) -> Option<Self> {
        let ways = self.ways.into_iter();
        let ways = ways.map(|(asks, to)| Some((asks, to.packed(packer)?)));
        Some(Self {
            ways: ways.collect::<Option<_>>()?,
            ..self
        })
    }

    /// What each way asks and where it leads, the expressions of what is asked, and what else was learnt.
    pub(super) fn into_parts(self) -> (Vec<(Asks, SentState)>, Option<Cone>, Taught) {
        (self.ways, self.asked, self.taught)
    }

    /// Whether a device with so many clocks may have seen that of a state with so many variables.
    fn makes_sense(&self, variables: usize, clocks: usize) -> bool {
        let conditions = self.ways.iter().flat_map(|(asks, _)| asks.conditions());
        let mut exprs = conditions.map(|known| known.expr);
        let are_known = match &self.asked {
            Some(cone) => cone.is_for(exprs, variables),
            None => exprs.next().is_none(),
        };
        let mut times = self.taught.times.iter();
        are_known && times.all(|(_, clock)| (*clock as usize) < clocks)
    }
}

impl DeviceState {
    /// The same with other numbers of its expressions.
    fn renumbered(&self, before: &Before, number: impl Fn(Expr) -> Expr) -> Self {
        DeviceState(Arc::new(Inner {
            content: self.0.content,
            stands: Stands::Before(Box::new(before.renumbered(number))),
            truths: self.0.truths,
        }))
    }
}

impl Before {
    /// The same with other numbers of its expressions.
    pub(super) fn renumbered(&self, number: impl Fn(Expr) -> Expr) -> Self {
        let places = self.places.iter();
        let constraints = self.constraints.iter();
        let clocks = self.clocks.iter();
        Before {
            places: places
                .map(|(place, expr)| (place.clone(), number(*expr)))
                .collect(),
            constraints: constraints
                .map(|known| Constraint::new(number(known.expr), known.allowed.clone()))
                .collect(),
            clocks: clocks.map(|clock| clock.renumbered(&number)).collect(),
            ..self.clone()
        }
    }

    /// All expressions that it has.
    pub(super) fn exprs(&self) -> Vec<Expr> {
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

    /// A state of another device. If what arrived is none of this program, the device [is misled](Self::is_misled) from
    /// then on.
    #[must_use]
    pub fn arrived(&self, state: &SentState) -> DeviceState {
        let mut bench = self.bench.borrow_mut();
        let Some(bench) = bench.as_mut() else {
            return DeviceState::not_followed();
        };
        match &*state.0 {
            Sent::Here { state, cone } => match (cone, &state.0.stands) {
                (Some(cone), Stands::Before(before)) => {
                    let made = bench.dag.take_in(cone);
                    state.renumbered(before, |expr| made[expr.index()])
                }
                _ => state.clone(),
            },
            Sent::Packed(packed) => self.unpacked(bench, packed).unwrap_or_else(|| {
                self.is_misled.set(true);
                DeviceState::not_followed()
            }),
        }
    }

    /// Whether something arrived from another process that is none of the program's: nothing that it said since is true.
    #[must_use]
    pub fn is_misled(&self) -> bool {
        self.is_misled.get()
    }

    /// Looks at a state for whoever keeps account; nothing if the budget was spent before all its ways were known. Of what
    /// it teaches, only what no look before it has taught. Only if it is [telling](Self::telling).
    #[must_use]
    pub fn showing(&self, state: &SentState) -> Option<Showing> {
        let look = self.look(&self.arrived(state), Look::default());
        if look.is_cut || self.is_misled() || self.budget.is_spent() {
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
            taught: Taught {
                steps: look.steps,
                unexplored: look.unexplored,
                lessons: self.unread.borrow_mut().lessons(),
                touched,
                influence: self.influence.get(),
                times,
            },
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
            // What does not say who takes a way says nothing elsewhere.
            None => (
                asked
                    .iter()
                    .map(|asks| asks.renumbered(|expr| expr))
                    .collect(),
                None,
            ),
        }
    }

    /// Keeps account of what a look at a state showed, which is the next that is followed, by whom ever: whether each of
    /// its ways is partial, and where it leads, which may be a state that is known and is all of the one that was found.
    pub(super) fn hear(&self, from: &SentState, showing: Showing) -> Vec<(bool, SentState)> {
        if !showing.makes_sense(from.variables(), self.clocks.len()) {
            self.is_misled.set(true);
            return Vec::new();
        }
        let look = self.taught(showing.taught);
        self.note(look);
        let mut is_other = false;
        let (mut asked, mut to): (Vec<Asks>, Vec<SentState>) = (Vec::new(), Vec::new());
        for (asks, found) in showing.ways {
            let known = self.once_of(&found);
            is_other |= known != found;
            asked.push(asks);
            to.push(known);
        }
        if is_other {
            let from = self.arrived(from);
            asked = self.asked_together(&from, &to, (asked, showing.asked.as_ref()));
        }
        let are_partial = asked.iter().map(|asks| *asks != Asks::Nothing);
        let ways: Vec<_> = are_partial.zip(to).collect();
        if let Some(forgetful) = &self.forgetful {
            let partial = ways.iter().filter(|(is_partial, _)| *is_partial);
            forgetful.count(partial.count() as u64);
        }
        ways
    }

    /// Learns what somebody else's look has taught: what is left of it to be noted.
    pub(super) fn taught(&self, taught: Taught) -> Look {
        let mut learning = self.unread.borrow_mut();
        let lessons = taught.lessons.into_iter();
        lessons.for_each(|lesson| learning.learn(lesson));
        drop(learning);
        if let Some(touched) = &taught.touched {
            self.see_touched(touched);
        }
        self.influence.set(self.influence.get() | taught.influence);
        self.found_times.borrow_mut().extend(taught.times);
        Look {
            steps: taught.steps,
            unexplored: taught.unexplored,
            ..Look::default()
        }
    }

    /// What ways ask, in the numbers of this device. Where they lead to one state, as it has turned out, they may together
    /// be open to all values.
    pub(super) fn asked_together<S: PartialEq>(
        &self,
        from: &DeviceState,
        to: &[S],
        (asked, cone): (Vec<Asks>, Option<&Cone>),
    ) -> Vec<Asks> {
        let mut bench = self.bench.borrow_mut();
        let (Stands::Before(before), Some(bench)) = (&from.0.stands, bench.as_mut()) else {
            return asked;
        };
        let made = cone.map_or_else(Vec::new, |cone| bench.dag.take_in(cone));
        let here = asked.iter();
        let here = here.map(|asks| asks.renumbered(|expr| made[expr.index()]));
        let mut asked: Vec<Asks> = here.collect();
        whole::together(&bench.dag, before, to, &mut asked);
        asked
    }

    /// As `once`, of a state that another device found.
    pub(super) fn once_arrived(&self, to: &SentState) -> DeviceState {
        let state = self.arrived(to);
        match self.bench.borrow().as_ref() {
            Some(bench) => self.once(&bench.dag, state, true),
            None => state,
        }
    }

    /// The same for other devices.
    fn once_of(&self, to: &SentState) -> SentState {
        if !to.is_several() {
            return to.clone();
        }
        let known = self.once_arrived(to);
        match known.0.content == to.name() {
            true => to.clone(),
            false => self.sent(&known),
        }
    }
}
