//! Where a path has come to: what is live there, before what is known of its values is brought into one form.

use borges_board::BoardState;
use hashbrown::HashMap;

use super::controls::Controls;
use super::counting::raised;
use super::place::Place;
use crate::clocks::Clock;
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::explore::{Older, State as Path, Truths};
use crate::path::Read;
use crate::set::Set;

/// A live place, and what is compared of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    pub(super) place: Place,
    pub(super) expr: Expr,
    /// It holds a time of this clock, and the expression says how long ago that was.
    pub(super) clock: Option<u32>,
}

/// A path that has come to a stop: what is live, and all conditions of the way.
pub(super) struct Arrived {
    pub(super) controls: Controls,
    pub(super) columns: Vec<Column>,
    pub(super) clocks: Vec<Clock>,
    pub(super) board: BoardState,
    pub(super) reads: Vec<Read>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) model: Vec<u64>,
    pub(super) taints: Vec<u64>,
    /// Something was decided by what a clock shows.
    pub(super) is_timed: bool,
    pub(super) truths: Truths,
    /// What of the columns is where times are longer ago than is counted.
    pub(super) older: HashMap<Expr, Older>,
    /// What of the memory is left out, as in [`super::state::Before`].
    pub(super) left_out: Box<[(u32, u8)]>,
}

impl Arrived {
    /// Takes in what another way has come to, if the two differ in one condition alone: what holds for either then holds
    /// for both, exactly. Ways that part and meet again leave nothing behind like this.
    pub(super) fn join(&mut self, other: &Arrived, dag: &Dag) -> bool {
        let same = self.controls.place() == other.controls.place()
            && self.truths == other.truths
            && self.columns == other.columns
            && self.clocks == other.clocks
            && self.taints == other.taints
            && self.board == other.board
            && self.reads.len() == other.reads.len()
            && self.controls == other.controls;
        let is_same_input = |(ours, theirs): (&Read, &Read)| {
            (ours.primitive, &ours.args, ours.ty) == (theirs.primitive, &theirs.args, theirs.ty)
        };
        if !same || !self.reads.iter().zip(&other.reads).all(is_same_input) {
            return false;
        }
        let reads = self.reads.iter().zip(&other.reads);
        let domains: Vec<usize> = reads
            .enumerate()
            .filter(|(_, (ours, theirs))| ours.domain != theirs.domain)
            .map(|(at, _)| at)
            .collect();
        let missing = |of: &[Constraint], from: &[Constraint]| -> Vec<Constraint> {
            let of = of.iter().filter(|constraint| !from.contains(constraint));
            of.cloned().collect()
        };
        let ours = missing(&self.constraints, &other.constraints);
        let theirs = missing(&other.constraints, &self.constraints);
        match (&*domains, &*ours, &*theirs) {
            // One of them says less: it holds for the other as well.
            ([], _, []) => self.constraints.clone_from(&other.constraints),
            ([], [], _) => {}
            ([], [a], [b]) if a.expr == b.expr => {
                let either = a.allowed.union(&b.allowed);
                let all = Set::range(0, dag.greatest(a.expr));
                self.constraints.retain(|constraint| constraint != a);
                if either.intersect(&all) != all {
                    self.constraints.push(Constraint::new(a.expr, either));
                }
            }
            ([at], [], []) => {
                let theirs = &other.reads[*at].domain;
                self.reads[*at].domain = self.reads[*at].domain.union(theirs);
            }
            _ => return false,
        }
        self.is_timed |= other.is_timed;
        self.older.extend(&other.older);
        true
    }
}

impl Arrived {
    /// How long ago is as good as longer ago, by column; not of what is also something else than a time.
    pub(super) fn floors(&self) -> HashMap<Expr, i64> {
        if self.clocks.is_empty() {
            return HashMap::new();
        }
        let times = self.columns.iter().filter_map(|column| {
            let clock = self.clocks.get(column.clock? as usize)?;
            Some((column.expr, clock.floor()))
        });
        let mut floors: HashMap<Expr, i64> = times.collect();
        let others = self.columns.iter().filter(|column| column.clock.is_none());
        others.for_each(|column| {
            floors.remove(&column.expr);
        });
        floors
    }

    /// So long ago (as a negative number), as the time that a clock showed then.
    pub(super) fn shown(&self, dag: &mut Dag, (ago, clock): (Expr, u32)) -> Expr {
        let ty = dag.ty(ago);
        let ago = match (dag.as_const(ago), self.clocks.get(clock as usize)) {
            (Some(cell), Some(clock)) => {
                let cell = raised(ty, cell, Some(clock.floor()));
                dag.constant(ty, cell)
            }
            _ => ago,
        };
        let origin = dag.input(clock, ty);
        dag.plus(origin, ago)
    }

    /// The clocks of the state that begins here.
    pub(super) fn begun(&self, dag: &mut Dag) -> Box<[Clock]> {
        let clocks = self.clocks.iter().enumerate();
        let begun = clocks.map(|(at, clock)| {
            let origin = dag.input(at as u32, dag.ty(clock.origin));
            clock.begun(origin)
        });
        begun.collect()
    }
}

/// Whether something was decided by what a clock shows, besides how much time has passed.
pub(super) fn is_timed(dag: &Dag, path: &Path, clocks: &[Clock]) -> bool {
    let mut origins = path.reads.iter().take(clocks.len());
    origins.any(|origin| origin.domain != Set::all(origin.ty))
        || path
            .constraints
            .iter()
            .any(|known| dag.has_base(known.expr))
}

/// What ways have come to, with those that part and meet again as one.
pub(super) fn joined(mut arrived: Vec<Arrived>, dag: &Dag) -> Vec<Arrived> {
    let mut at = 0;
    while at < arrived.len() {
        let (first, rest) = arrived.split_at_mut(at + 1);
        match rest.iter().position(|other| first[at].join(other, dag)) {
            Some(other) => {
                arrived.remove(at + 1 + other);
                // What was joined may be joined with those before it.
                at = 0;
            }
            None => at += 1,
        }
    }
    arrived
}

/// What of these places, where a path stops, depends on how long ago times were that are longer ago than is counted (but
/// for times, which are so themselves); all of them, and what is known of the path, over what is known of these times.
pub(super) fn with_ages(
    dag: &mut Dag,
    path: &mut Path,
    places: &mut [(Place, Expr)],
) -> HashMap<Expr, Older> {
    let mut found = HashMap::new();
    let Some(aged) = path.aged.take() else {
        return found;
    };
    for (_, expr) in places {
        let older = match dag.has_base(*expr) {
            true => None,
            false => aged.older(dag, path, *expr),
        };
        *expr = aged.plain(dag, *expr);
        found.extend(older.map(|older| (*expr, older)));
    }
    for known in &mut path.constraints {
        known.expr = aged.plain(dag, known.expr);
    }
    found
}
