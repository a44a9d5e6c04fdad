//! Conditions that somebody watches: where a path stops, their truth is decided, and ways on which it differs part there.

use borges_board::{BoardState, PrimitiveId};
use borges_vm::num::NumericOp as N;
use borges_vm::{Machine, ValType};
use serde::{Deserialize, Serialize};

use super::aged::FAR_BACK;
use super::numbers::{Looked, Numbers, Open};
use super::{Explorer, Feasible, State, Waiting, narrow};
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr, LookupTable};
use crate::set::{Set, combination, combinations};
use crate::shadow::KNOWN;
use crate::standing::go_back;

/// So many combinations of inputs are tried for one condition at one stop.
const MOST_TRIED: u128 = 1 << 14;
/// The inputs of several of them lie at most so far apart.
const MOST_SPAN: usize = 1 << 14;
/// Places with at most so many values are split into them.
const MOST_SPLIT: u64 = 16;

/// What is said of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It does not hold.
    Fails,
    /// It holds.
    Holds,
    /// It means nothing here.
    Nothing,
    /// It means something, and what cannot be known.
    Unclear,
}

impl From<bool> for Said {
    fn from(holds: bool) -> Self {
        if holds { Said::Holds } else { Said::Fails }
    }
}

/// Conditions on a program's states, by numbers from 0 on; at most 64.
pub trait Watched {
    /// How many there are.
    fn count(&self) -> u32;

    /// What is said of one where a machine stands, and the board's model with it, as far as it is known. `looked` is given
    /// what that depends on in the machine.
    fn holds(&self, number: u32, at: (&Machine, &BoardState), looked: &mut Vec<Looked>) -> Said;

    /// The same, where `looked` is given what that may depend on besides, whatever is in the machine: of a condition with
    /// `&&` both sides.
    fn look(&self, number: u32, at: (&Machine, &BoardState), looked: &mut Vec<Looked>) -> Said {
        self.holds(number, at, looked)
    }

    /// [`Self::holds`] where what it depends on is not known but numbers that inputs decide: asked again whenever what it
    /// [asks](Open::Asks) was decided.
    ///
    /// # Errors
    /// [`Open`]: what must be decided first; or it is no matter of whole numbers, and [`Self::holds`] is asked for all
    /// combinations of inputs, if they are few.
    fn decide(
        &self,
        number: u32,
        numbers: &mut Numbers<'_>,
        looked: &mut Vec<Looked>,
    ) -> Result<Said, Open>;

    /// Whether every call of a primitive is a state of its own, for a condition may be about it.
    fn stops_before(&self, primitive: PrimitiveId) -> bool;
}

/// What is known of conditions, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Truths {
    /// The program has stopped somewhere: before, nothing is known of any.
    stopped: bool,
    holds: u64,
    fails: u64,
    unclear: u64,
}

impl Truths {
    /// Whether a condition holds; nothing where it means nothing, or [`Self::is_unclear`].
    #[must_use]
    pub fn of(&self, number: u32) -> Option<bool> {
        let has = |bits: u64| bits >> number & 1 != 0;
        (has(self.holds) || has(self.fails)).then_some(has(self.holds))
    }

    /// Whether the program has stopped anywhere since its start: conditions were looked at.
    #[must_use]
    pub fn have_begun(&self) -> bool {
        self.stopped
    }

    /// Whether a condition means something that cannot be known, or looks at more combinations of values than were tried.
    #[must_use]
    pub fn is_unclear(&self, number: u32) -> bool {
        self.unclear >> number & 1 != 0
    }

    /// Notes whether a condition holds where a machine stands.
    pub(crate) fn look(
        &mut self,
        watched: Option<&dyn Watched>,
        number: u32,
        at: (&Machine, &BoardState),
        looked: &mut Vec<Looked>,
    ) {
        let said = watched.map(|watched| watched.look(number, at, looked));
        self.set(number, said.unwrap_or(Said::Nothing));
    }

    fn set(&mut self, number: u32, said: Said) {
        self.stopped = true;
        let bit = 1 << number;
        for (class, bits) in [
            (Said::Holds, &mut self.holds),
            (Said::Fails, &mut self.fails),
            (Said::Unclear, &mut self.unclear),
        ] {
            match class == said {
                true => *bits |= bit,
                false => *bits &= !bit,
            }
        }
    }
}

/// Where ways part that could be one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parting<'p> {
    /// By conditions.
    pub(crate) watched: Option<&'p dyn Watched>,
    /// Before each of these calls, and wherever time passes.
    pub(crate) calls: &'p [PrimitiveId],
    /// Somebody else answers inputs, each with one value.
    pub(crate) is_answered: bool,
    /// By the values of what is live, where they are few.
    pub(crate) live: Option<&'p LiveExprs<'p>>,
    /// As soon as a round is over: else only what conditions look at is noted, and ways part when asked to.
    pub(crate) at_once: bool,
}

/// The expressions that are live where a machine stands.
pub(crate) type LiveExprs<'l> = dyn Fn(&Machine, &State, &mut Dag) -> Vec<Expr> + 'l;

impl Explorer<'_, '_> {
    /// Notes what conditions look at where paths stop.
    pub(super) fn note_looks<'w>(&mut self, stops: impl IntoIterator<Item = &'w mut Waiting>) {
        let Some(watched) = self.parting.watched else {
            return;
        };
        for Waiting {
            snapshot, state, ..
        } in stops
        {
            go_back(&mut self.machine, snapshot);
            self.patch(state);
            for number in 0..watched.count() {
                let at = (&self.machine, &state.outside.state);
                let _said = watched.look(number, at, &mut state.looked);
            }
        }
    }

    /// Stops, each as one, or as several that exclude each other.
    pub(super) fn parted(&mut self, stops: Vec<Waiting>) -> Vec<Waiting> {
        let Parting { watched, live, .. } = self.parting;
        if watched.is_none() && live.is_none() {
            return stops;
        }
        let mut all = Vec::new();
        for stop in stops {
            go_back(&mut self.machine, &stop.snapshot);
            let mut parts = vec![stop.state.clone()];
            for number in 0..watched.map_or(0, Watched::count) {
                let decide = |state| self.by_condition(state, number, stop.is_at_call);
                parts = parts.into_iter().flat_map(decide).collect();
            }
            if let Some(live) = live {
                let split = |state| self.by_values(state, live);
                parts = parts.into_iter().flat_map(split).collect();
            }
            let part = |state| Waiting {
                state,
                ..stop.clone()
            };
            all.extend(parts.into_iter().map(part));
        }
        all
    }

    /// A stop, apart by the truth of a condition; at a moment for events, what it looks at is noted and no more.
    fn by_condition(&mut self, mut state: State, number: u32, is_at_call: bool) -> Vec<State> {
        let Some(watched) = self.parting.watched else {
            return vec![state];
        };
        self.patch(&state);
        let mut looked = Vec::new();
        let at = (&self.machine, &state.outside.state);
        let _truth = watched.look(number, at, &mut looked);
        state.looked.append(&mut looked);
        if !is_at_call {
            return vec![state];
        }
        let mut parts = Vec::new();
        let mut open = vec![(state, Vec::new())];
        while let Some((mut state, decided)) = open.pop() {
            let mut looked = Vec::new();
            let mut numbers = Numbers {
                dag: &mut self.dag,
                shadow: &state.shadow,
                machine: &self.machine,
                decided: &decided,
            };
            let truth = watched.decide(number, &mut numbers, &mut looked);
            state.looked.append(&mut looked);
            match truth {
                Ok(said) => {
                    state.truths.set(number, said);
                    parts.push(state);
                }
                Err(Open::Unfit) => parts.extend(self.by_trying(state, number)),
                Err(Open::Asks(mut asked)) => {
                    if let Some(aged) = state.aged.clone() {
                        asked.expr = self.plain(&state, &aged, asked.expr);
                    }
                    let not = asked.allowed.complement(self.dag.ty(asked.expr));
                    for (holds, allowed) in [(false, &not), (true, &asked.allowed)] {
                        let condition = Constraint::new(asked.expr, allowed.clone());
                        let part = self.under(state.clone(), condition);
                        let mut decided = decided.clone();
                        decided.push((asked.clone(), holds));
                        open.extend(part.map(|part| (part, decided)));
                    }
                }
            }
        }
        parts
    }

    /// A stop, apart by the truth of a condition that is tried for all combinations of inputs.
    fn by_trying(&mut self, mut state: State, number: u32) -> Vec<State> {
        let Some(watched) = self.parting.watched else {
            return vec![state];
        };
        let mut looked = Vec::new();
        self.patch(&state);
        let at = (&self.machine, &state.outside.state);
        let now = watched.holds(number, at, &mut looked);
        let (classes, inputs) = self.each(&mut state, number, &mut looked);
        let is_aged = |at: &u32| {
            state
                .aged
                .as_ref()
                .is_some_and(|aged| aged.inputs.contains_key(at))
        };
        if inputs.iter().any(is_aged) {
            self.leave_out_once(FAR_BACK);
        }
        state.looked.append(&mut looked);
        let classes = match classes {
            None => vec![Said::Unclear],
            Some(classes) if classes.is_empty() => vec![now],
            Some(classes) => classes,
        };
        if classes.iter().all(|class| *class == classes[0]) {
            state.truths.set(number, classes[0]);
            return vec![state];
        }
        let mut parts = Vec::new();
        for class in [Said::Fails, Said::Holds, Said::Nothing, Said::Unclear] {
            let numbers = (0_u64..).zip(&classes).filter(|(_, of)| **of == class);
            let numbers: Vec<u64> = numbers.map(|(number, _)| number).collect();
            let Some(condition) = self.one_of(&state, &inputs, &numbers) else {
                state.truths.set(number, Said::Unclear);
                return vec![state];
            };
            let mut part = state.clone();
            part.truths.set(number, class);
            parts.extend(self.under(part, condition));
        }
        parts
    }

    /// What a condition comes to for every combination of the inputs on which it depends, and these inputs. All that it
    /// looks at then is noted.
    fn each(
        &mut self,
        state: &mut State,
        number: u32,
        looked: &mut Vec<Looked>,
    ) -> (Option<Vec<Said>>, Vec<u32>) {
        let first = state.model.clone();
        let found = loop {
            let inputs = self.inputs_of(state, looked);
            let known = looked.len();
            let classes = self.classes(state, &inputs, looked, number);
            looked.sort_unstable();
            looked.dedup();
            // With other values, it may look elsewhere.
            if looked.len() == known || classes.is_none() || self.inputs_of(state, looked) == inputs
            {
                break (classes, inputs);
            }
        };
        state.model = first;
        found
    }

    /// A stop, apart by the values of what is live.
    fn by_values(&mut self, state: State, live: &LiveExprs<'_>) -> Vec<State> {
        self.patch(&state);
        let exprs = live(&self.machine, &state, &mut self.dag);
        let mut parts = vec![state];
        for expr in exprs {
            let mut apart = Vec::new();
            for state in parts {
                match self.values(&state, expr, MOST_SPLIT) {
                    Some(values) if values.len() > 1 => {
                        for cell in values {
                            let constraint = Constraint::new(expr, Set::single(cell));
                            apart.extend(self.under(state.clone(), constraint));
                        }
                    }
                    _ => apart.push(state),
                }
            }
            parts = apart;
        }
        parts
    }

    /// A stop under one more condition, if it can hold.
    pub(super) fn under(&mut self, mut state: State, condition: Constraint) -> Option<State> {
        match self.feasible(&state, &[condition]) {
            Feasible::Yes(narrowed) => {
                narrow(&mut state, *narrowed);
                Some(state)
            }
            Feasible::No => None,
            Feasible::Unknown(reason) => {
                self.leave_out(&state, &reason);
                None
            }
        }
    }

    /// The inputs on which some places depend.
    fn inputs_of(&self, state: &State, looked: &[Looked]) -> Vec<u32> {
        let mut inputs = Vec::new();
        let mut add = |expr: Expr| {
            if expr != KNOWN {
                inputs.extend(self.dag.inputs(expr).iter());
            }
        };
        for place in looked {
            match place {
                Looked::Cell(at) => add(state.shadow.cell(*at)),
                Looked::Global(at) => add(state.shadow.global(*at)),
                Looked::Bytes(at, count) => {
                    let bytes = state
                        .shadow
                        .memory
                        .within(u64::from(*at), u64::from(*count));
                    bytes.into_iter().for_each(|(_, byte)| add(byte.value));
                }
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// What a condition comes to for every combination of some inputs; nothing if they are too many.
    fn classes(
        &mut self,
        state: &mut State,
        inputs: &[u32],
        looked: &mut Vec<Looked>,
        number: u32,
    ) -> Option<Vec<Said>> {
        let watched = self.parting.watched?;
        if inputs.is_empty() {
            return Some(Vec::new());
        }
        let domains: Vec<Set> = inputs
            .iter()
            .map(|place| state.reads[*place as usize].domain.clone())
            .collect();
        let combinations = combinations(&domains);
        if combinations > MOST_TRIED {
            return None;
        }
        let mut classes = Vec::new();
        for number_of in 0..combinations as u64 {
            if number_of % 256 == 255 && self.budget.is_spent() {
                return None;
            }
            let cells = combination(&domains, number_of);
            for (place, cell) in inputs.iter().zip(cells) {
                state.model[*place as usize] = cell?;
            }
            self.patch(state);
            let at = (&self.machine, &state.outside.state);
            classes.push(watched.holds(number, at, looked));
        }
        Some(classes)
    }

    /// What says that some inputs have one of these combinations, which are numbered as [`combination`] does; nothing if
    /// their values lie too far apart.
    fn one_of(&mut self, state: &State, inputs: &[u32], numbers: &[u64]) -> Option<Constraint> {
        if let [place] = inputs {
            let read = &state.reads[*place as usize];
            let cells = numbers.iter().filter_map(|number| read.domain.nth(*number));
            let cells = Set::of(cells.map(|cell| (cell, cell)).collect());
            let (place, ty) = (*place, read.ty);
            return Some(Constraint::new(self.dag.input(place, ty), cells));
        }
        let mut all = self.dag.constant(ValType::I32, 0);
        let mut stride = 1;
        for place in inputs {
            let domain = state.reads[*place as usize].domain.clone();
            if state.reads[*place as usize].ty != ValType::I32 {
                return None;
            }
            let sign = 1 << 31;
            // Of numbers of both signs, the least comes first.
            let base = domain.cells().find(|cell| *cell >= sign);
            let base = base.or(domain.bounds().map(|(least, _)| least))?;
            let from_base = |cell: u64| (cell as u32).wrapping_sub(base as u32) as usize;
            let span = domain.cells().map(from_base).max()? + 1;
            if span > MOST_SPAN {
                return None;
            }
            let mut values = vec![0; span];
            for (number, cell) in (0..).zip(domain.cells()) {
                values[from_base(cell)] = number * stride;
            }
            stride *= domain.count() as u64;
            let cells = values.into_iter();
            let values = cells
                .map(|cell| self.dag.constant(ValType::I32, cell))
                .collect();
            let (input, base) = (
                self.dag.input(*place, ValType::I32),
                self.dag.constant(ValType::I32, base),
            );
            let index = self.dag.binary(N::I32Sub, input, base);
            let part = self.dag.lookup(LookupTable { first: 0, values }, index);
            all = self.dag.binary(N::I32Add, all, part);
        }
        let numbers = numbers.iter().map(|number| (*number, *number)).collect();
        Some(Constraint::new(all, Set::of(numbers)))
    }
}
