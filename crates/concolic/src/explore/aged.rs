//! Times of a state that may be longer ago than is counted, and what depends on how long ago they are.
//!
//! In a state, what is longer ago than some bound counts as that long ago ([`crate::clocks::Clock::most`]). That is
//! as good where everything decided later is the same for all longer times, up to the one at which the clock has gone
//! round. Whether it is so is looked at wherever something is decided, with all these times in place of the bound.

use std::collections::{BTreeMap, BTreeSet};

use borges_vm::ValType;
use hashbrown::HashMap;

use super::State;
use crate::dag::{Dag, Expr};
use crate::lanes::{Compiled, Step};
use crate::path::Read;
use crate::range::{self, Range};
use crate::set::greatest;

/// Why something is left out: a time that is compared was longer ago than is counted.
pub(crate) const FAR_BACK: &str = "the program compares times between which more than 2^29 units of a clock may lie (six days of milliseconds, nine minutes of microseconds), and how many there are makes a difference: what it does then is not known exactly";

/// As far as clocks of 64 bits go: none is ever so late.
const MOST_WIDE: u64 = 1 << 62;

/// What an input is, if what it comes from is as long ago as is counted or longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Older {
    /// A time: how long ago, as a negative number.
    Time,
    /// How much passed between two times.
    Duration,
    /// Something else, of which nothing is known.
    Anything,
}

/// In the marks of words that variables come from: it is an [`Older::Duration`].
pub(crate) const OLDER_DURATION: u64 = 1 << 62;
/// The same of [`Older::Anything`].
pub(crate) const OLDER: u64 = 1 << 63;

/// All of these marks; others are of words that are taken for anything.
pub(crate) const AGES: u64 = OLDER | OLDER_DURATION;

impl Older {
    /// What variables are marked with that are this.
    pub(crate) fn mark(self) -> u64 {
        match self {
            // It is known by what it is.
            Older::Time => 0,
            Older::Duration => OLDER_DURATION,
            Older::Anything => OLDER,
        }
    }
}

/// The inputs of a path that come from times that may be longer ago than is counted.
#[derive(Clone, Debug)]
pub(crate) struct Aged {
    /// Reads from this place on were made since the state.
    pub(crate) first: u32,
    /// What is longer ago than so many units counts as so long ago.
    pub(crate) most: u64,
    pub(crate) inputs: BTreeMap<u32, Older>,
    /// Those that are known to be just so long ago: the numbers that stand for them.
    pub(crate) known: BTreeMap<u32, Expr>,
    /// What has passed besides since such a time: it is a part of how long ago that was.
    pub(crate) passed: BTreeSet<u32>,
}

impl Aged {
    /// Whether an expression depends on such an input.
    pub(crate) fn touches(&self, dag: &Dag, expr: Expr) -> bool {
        let inputs = dag.inputs(expr).iter();
        inputs.into_iter().any(|at| self.inputs.contains_key(at))
    }

    /// The same expression, with what is known of it.
    pub(crate) fn plain(&self, dag: &mut Dag, expr: Expr) -> Expr {
        let is_known = |at: &u32| self.known.contains_key(at);
        match dag.inputs(expr).iter().any(is_known) {
            true => dag.renamed(expr, &self.known, &mut HashMap::new()),
            false => expr,
        }
    }

    /// What an expression is on a path if times are longer ago than is counted: nothing if it is one and the same then,
    /// however long ago they are.
    pub(crate) fn older(&self, dag: &Dag, state: &State, expr: Expr) -> Option<Older> {
        if !self.touches(dag, expr) {
            return None;
        }
        let is_clock = |read: &Read| {
            let mut clocks = state.outside.clocks.iter();
            clocks.any(|clock| clock.id == read.primitive)
        };
        let program = Compiled::new(dag, &[expr]);
        let mut ranges = Vec::new();
        let input = |at: usize| {
            let place = program.inputs[at];
            let read = &state.reads[place as usize];
            let anything = (0, greatest(read.ty));
            let (low, high) = match self.inputs.get(&place) {
                Some(Older::Time) => self.times(read.ty),
                Some(Older::Duration) => self.durations(read.ty),
                Some(Older::Anything) => anything,
                None if self.passed.contains(&place) => (0, 0),
                // What has passed since the state is a part of it, too.
                None if place >= self.first && is_clock(read) => (0, 0),
                None => read.domain.bounds().unwrap_or(anything),
            };
            range::of_cells(read.ty, low, high)
        };
        range::evaluate(dag, &program, input, &mut ranges);
        // Of each step: whether its range can be believed, and whether it is one value.
        let mut is_sure: Vec<bool> = Vec::new();
        let mut is_one: Vec<bool> = Vec::new();
        for (at, (step, expr)) in program.steps.iter().zip(&program.exprs).enumerate() {
            let inputs = dag.inputs(*expr).iter();
            let aged = inputs
                .filter(|place| self.inputs.contains_key(place))
                .count();
            let (mut sure, mut same) = (aged <= 1, true);
            step.operands(|operand| {
                sure &= is_sure[operand];
                same &= is_one[operand];
            });
            if let Step::Lookup(_, _, index) = step {
                // A row of combinations has no number for what is longer ago.
                sure &= is_one[*index];
            }
            let chosen = match step {
                Step::Choose(a, b, c) if is_one[*a] && is_sure[*a] => match only(ranges[*a]) {
                    Some(0) => is_one[*c],
                    Some(_) => is_one[*b],
                    None => false,
                },
                _ => false,
            };
            let is_input = matches!(step, Step::Input(_));
            let is_same = aged == 0 || same && !is_input || chosen;
            is_one.push(is_same || sure && only(ranges[at]).is_some());
            is_sure.push(sure);
        }
        let at = *program.outputs.first()?;
        if is_one[at] {
            return None;
        }
        let (low, high) = self.durations(dag.ty(expr));
        let is_duration = match ranges[at] {
            Range::Int { unsigned, .. } => is_sure[at] && low <= unsigned.0 && unsigned.1 <= high,
            _ => false,
        };
        Some(match is_duration {
            true => Older::Duration,
            false => Older::Anything,
        })
    }

    /// How long ago, as negative numbers.
    fn times(&self, ty: ValType) -> (u64, u64) {
        let most = greatest(ty) - self.most + 1;
        match ty {
            ValType::I64 => (greatest(ty) - MOST_WIDE, most),
            _ => (1, most),
        }
    }

    fn durations(&self, ty: ValType) -> (u64, u64) {
        match ty {
            ValType::I64 => (self.most, MOST_WIDE + 1),
            _ => (self.most, greatest(ty)),
        }
    }
}

fn only(range: Range) -> Option<u64> {
    match range {
        Range::Int { unsigned, .. } if unsigned.0 == unsigned.1 => Some(unsigned.0),
        Range::Int { signed, .. } if signed.0 == signed.1 => Some(signed.0 as u64),
        _ => None,
    }
}
