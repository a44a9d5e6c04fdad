//! Clocks whose times are kept relative to each other.
//!
//! What a clock shows grows for ever, but a program mostly asks how much of it has passed. So the time of a state is an
//! *origin*, a number that may be anything, and a reading is the origin and what has passed since. In a difference of two
//! times the origin is gone ([`crate::sum`]); where it is not, the absolute time matters.

use std::hash::{Hash, Hasher};

use borges_board::{Board, Codomain, PrimitiveId};
use borges_vm::ValType;
use serde::{Deserialize, Serialize};

use crate::constraint::Constraint;
use crate::dag::{Dag, Expr, Node};
use crate::path::{Path, Read};
use crate::set::{Set, cell_of, greatest, of_whole, whole};

/// What has passed since an origin is known up to here, at most.
const MOST_SINCE: u64 = 1 << 30;

/// A clock, and where its times begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Clock {
    pub(crate) id: PrimitiveId,
    /// Its unit in microseconds, if it is known.
    unit_us: Option<u64>,
    /// At most so many units pass between two readings besides those that the program waits, and what is longer ago is as
    /// good as that long ago.
    pub(crate) most: u64,
    /// And so many at least.
    pub(crate) least: u64,
    /// The time at which a state begins.
    pub(crate) origin: Expr,
    /// The last reading since then: what had passed, and how long the program had waited for certain, in microseconds.
    last: Option<(Expr, u64)>,
    /// It was read some time.
    pub(crate) is_read: bool,
}

impl Clock {
    /// Those of a board's clocks that are told apart by their primitive alone and count in whole numbers; their origins are
    /// the first inputs. `most` units pass between two readings.
    pub(crate) fn all(
        board: &Board,
        primitives: &[PrimitiveId],
        most: u64,
        dag: &mut Dag,
    ) -> Vec<Clock> {
        let mut clocks: Vec<Clock> = Vec::new();
        for id in primitives {
            let is_plain = board
                .primitive(*id)
                .is_some_and(|found| found.params.is_empty());
            let Codomain::NotBeforeLast(ty @ (ValType::I32 | ValType::I64)) =
                board.codomain(*id, &[])
            else {
                continue;
            };
            let is_known = clocks.iter().any(|clock| clock.id == *id);
            // What rules say of it is said of the times that it shows.
            let unit_us = board.clock_unit_us(*id);
            let may_be_asked = unit_us.is_some() || !board.rules.is_empty();
            let is_ruled = board.narrows(*id, &[]) || may_be_asked && board.remembers(*id, &[]);
            if is_plain && !is_known && !is_ruled {
                clocks.push(Clock {
                    id: *id,
                    unit_us,
                    most,
                    least: 0,
                    origin: dag.input(clocks.len() as u32, ty),
                    last: None,
                    is_read: false,
                });
            }
        }
        clocks
    }

    /// How long ago the last time is that is told from those before it, as a negative number.
    pub(crate) fn floor(&self) -> i64 {
        -(self.most as i64)
    }

    /// The same as a cell of a type.
    pub(crate) fn floor_cell(&self, ty: ValType) -> u64 {
        cell_of(of_whole(ty, self.floor()))
    }

    /// What had passed since the origin at the last reading, and what the program has waited since for certain, in units:
    /// together, how much later it is by now at least.
    pub(crate) fn since(&self, waited_us: u64) -> (Option<Expr>, u64) {
        let (last, at_us) = match self.last {
            Some((last, at_us)) => (Some(last), at_us),
            None => (None, 0),
        };
        let waited = waited_us.saturating_sub(at_us);
        (
            last,
            self.unit_us.map_or(0, |unit| waited / unit).min(self.most),
        )
    }

    /// Whether the program has waited for longer since the last reading than is counted.
    pub(crate) fn is_behind(&self, waited_us: u64) -> bool {
        let at_us = self.last.map_or(0, |(_, at_us)| at_us);
        let waited = waited_us.saturating_sub(at_us);
        self.unit_us.is_some_and(|unit| waited / unit > self.most)
    }

    /// What may have passed since the origin when it is read, and what relates that to the reading before: `answer` is the
    /// expression of it, `reads` are the inputs before it, and so long has the program waited for certain.
    pub(crate) fn elapses(
        &self,
        waited_us: u64,
        dag: &mut Dag,
        (reads, answer): (&[Read], Expr),
    ) -> (Set, Vec<Constraint>) {
        let (last, waited) = self.since(waited_us);
        let may_pass = Set::range(waited + self.least, waited + self.most);
        let Some(last) = last else {
            return (may_pass, Vec::new());
        };
        let bounds = match dag.node(last) {
            Node::Const(cell) => Some((cell, cell)),
            Node::Input(place) => reads
                .get(place as usize)
                .and_then(|read| read.domain.bounds()),
            _ => None,
        };
        let (least, most) = bounds.unwrap_or((0, MOST_SINCE));
        let passed = dag.minus(answer, last);
        let (least, most) = (
            least + waited + self.least,
            (most + waited + self.most).min(MOST_SINCE),
        );
        (
            Set::range(least, most),
            vec![Constraint::new(passed, may_pass)],
        )
    }

    /// Takes note of a reading: what had passed since the origin. What it shows then.
    pub(crate) fn read(&mut self, since: Expr, waited_us: u64, dag: &mut Dag) -> Expr {
        self.last = Some((since, waited_us));
        self.is_read = true;
        dag.plus(self.origin, since)
    }

    /// The expressions that it has.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = Expr> {
        let last = self.last.map(|(last, _)| last);
        std::iter::once(self.origin).chain(last)
    }

    /// The same with other numbers of its expressions.
    pub(crate) fn renumbered(&self, number: impl Fn(Expr) -> Expr) -> Self {
        Self {
            origin: number(self.origin),
            last: self.last.map(|(last, at_us)| (number(last), at_us)),
            ..self.clone()
        }
    }

    /// What it is, by content.
    pub(crate) fn hash_content<H: Hasher>(&self, dag: &Dag, state: &mut H) {
        let last = self.last.map(|(last, at_us)| (dag.content(last), at_us));
        (self.id, self.unit_us, self.most, self.least).hash(state);
        (dag.content(self.origin), last, self.is_read).hash(state);
    }

    /// The input that the origin is in every state.
    pub(crate) fn base(&self, dag: &Dag) -> Read {
        let ty = dag.ty(self.origin);
        Read::of_state(self.id, ty, Set::all(ty))
    }

    /// The same clock when the next state begins, with that as its origin.
    pub(crate) fn begun(&self, origin: Expr) -> Clock {
        Clock {
            last: None,
            least: 0,
            origin,
            ..self.clone()
        }
    }
}

/// A path with the times that its clocks showed, instead of what had passed since their origins, which are no inputs.
pub(crate) fn with_times(mut path: Path, clocks: &[Clock], dag: &Dag) -> Path {
    for way in &mut path.ways {
        let (origins, since) = (way.model.clone(), way.model.iter_mut());
        for (read, cell) in way.reads.iter_mut().zip(since) {
            if let Some(at) = clocks.iter().position(|clock| clock.id == read.primitive) {
                let shown = origins[at].wrapping_add(*cell) & greatest(dag.ty(clocks[at].origin));
                *cell = shown;
                read.domain = Set::single(shown);
            }
        }
        way.reads.drain(..clocks.len());
        way.model.drain(..clocks.len());
        if !clocks.is_empty() {
            // They are about what had passed.
            way.constraints.clear();
        }
    }
    for event in &mut path.events {
        event.place -= clocks.len() as u32;
    }
    path
}

/// What a clock of a board showed last or shows by now, whichever is more.
pub(crate) fn shown(board: &Board, state: &borges_board::BoardState, id: PrimitiveId) -> i64 {
    match board.clock_unit_us(id) {
        Some(unit) => (state.clock_floor_us() / unit) as i64,
        None => state.last_reading(id, &[]).and_then(whole).unwrap_or(0),
    }
}
