//! A path that has come to a stop, as a state: what the program can still read there, and what is known of it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use borges_board::{BoardState, Codomain, PrimitiveId, PrimitiveKind};
use borges_vm::num::NumericOp as N;
use borges_vm::{FrameView, Machine, ValType};
use hashbrown::HashMap;

use super::anything::{self, StateWord};
use super::arrived::{Arrived, Column, is_timed, with_ages};
use super::controls::{Control, Controls};
use super::live::{Dead, Live};
use super::place::{NextCall, Place};
use super::relation::{Known, Relation};
use super::state::{Before, DeviceState};
use super::times::{Stop, TimeWord, related, times_among};
use super::unread::Learning;
use crate::budget::Budget;
use crate::clocks::Clock;
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::explore::{Looked, State as Path, SystemChoices, Truths, Waiting, Workbench};
use crate::memory::Byte;
use crate::set::{Set, combination, combinations, value_of};
use crate::standing::go_back;
use crate::sum::Sum;

/// What has arrived, as a state.
pub(super) struct Settled {
    pub(super) state: DeviceState,
    /// What its variables are on the way there, as far as that can be said.
    pub(super) origins: Vec<Option<Expr>>,
    /// Conditions of the way were kept as they came about.
    pub(super) is_opaque: bool,
    /// Something has one value that depends on how long ago a time was that is longer ago than is counted.
    pub(super) is_aged: bool,
}

/// What a program's states are compared by, besides their cells.
pub(super) struct Compared<'c> {
    pub(super) live: &'c Live,
    pub(super) board: &'c borges_board::Board,
    pub(super) primitives: &'c [PrimitiveId],
    /// What is looked at of its operating system.
    pub(super) choices: SystemChoices,
    /// What is taken for anything.
    pub(super) words: &'c [StateWord],
    /// The words that hold times wherever they are, also where the program gave them a known number.
    pub(super) times: &'c [TimeWord],
    /// Those of which it has turned out.
    pub(super) found_times: &'c RefCell<BTreeSet<TimeWord>>,
    /// Clocks whose times are relative, as they are at the start.
    pub(super) clocks: &'c [Clock],
    /// There are others.
    pub(super) are_clocks: bool,
    /// Before a call, a state is no moment: events arrive in every state.
    pub(super) is_interleaved: bool,
    /// So many combinations of values are counted out.
    pub(super) most: u128,
    /// Somebody wants to know what a row of them is on the way.
    pub(super) tells_rows: bool,
    /// What of the memory is left out; nothing if all of it is compared.
    pub(super) unread: Option<&'c RefCell<Learning>>,
    /// A run has just begun, whose clocks begin with 0.
    pub(super) begins: bool,
    pub(super) budget: &'c Budget<'c>,
}

/// Where a path comes from: a state, or the start of the program.
#[derive(Clone, Copy)]
pub(super) struct Origins<'o> {
    /// Which of the words that are taken for anything each of its first reads comes from.
    pub(super) taints: &'o [u64],
    pub(super) before: Option<&'o Before>,
}

impl Compared<'_> {
    /// Gives a path its clocks, as far as it is known what they show: those that were not read yet may show anything.
    pub(super) fn begin(&self, path: &mut Path, dag: &mut Dag, shown: &[Option<i64>]) {
        path.outside.clocks = self.clocks.to_vec();
        for (clock, shown) in path.outside.clocks.iter_mut().zip(shown) {
            if let Some(time) = shown {
                let ty = dag.ty(clock.origin);
                clock.origin = dag.of_sum(&Sum::number(ty, *time));
                clock.is_read = true;
            }
        }
        // What was waited until now lies before the origins.
        path.outside.vague_us = path.outside.state.elapsed_us();
        path.reads
            .extend(self.clocks.iter().map(|clock| clock.base(dag)));
        path.model.resize(path.reads.len(), 0);
    }

    /// Which of the words that are taken for anything the origins of the clocks are.
    pub(super) fn taints(&self) -> Vec<u64> {
        (0..self.clocks.len()).map(|at| 1 << at).collect()
    }

    /// A path from the start that has come to a stop, as a state.
    pub(super) fn state(&self, bench: &mut Workbench, stop: Waiting) -> DeviceState {
        let taints = self.taints();
        let from = Origins {
            taints: &taints,
            before: None,
        };
        self.state_after(bench, stop, from)
    }

    /// A path that has come to a stop, as a state.
    pub(super) fn state_after(
        &self,
        bench: &mut Workbench,
        stop: Waiting,
        from: Origins<'_>,
    ) -> DeviceState {
        let arrival = self.arrival(bench, stop, from);
        self.settled(bench, &arrival).state
    }

    /// A path that has come to a stop, with what is live there.
    pub(super) fn arrival(
        &self,
        bench: &mut Workbench,
        stop: Waiting,
        from: Origins<'_>,
    ) -> Arrived {
        go_back(&mut bench.machine, &stop.snapshot);
        let mut is_moment = !stop.is_at_call;
        let board = &stop.state.outside.state;
        let call = self.next_call(&bench.machine, board);
        is_moment &= !self.is_interleaved || call.is_none();
        let call = call.filter(|_| !is_moment);
        let mut path = stop.state;
        let frames: Vec<FrameView> = bench.machine.frames().collect();
        let dead = self.dead(&frames, &path.looked);
        dead.fill(&mut bench.machine, 0);
        let fresh = anything::free(bench, &mut path, (self.live, &frames), self.words);
        let mut taints = from.taints.to_vec();
        for (read, taint) in fresh {
            taints.resize(read, 0);
            taints.push(taint);
        }
        let place = place_of(&bench.machine);
        let left_out = self.leave_out(bench, &mut path, place, from.before);
        let top = bench.machine.cells().len();
        let mut places = self.places(&mut bench.dag, top, &path, &dead);
        let older = with_ages(&mut bench.dag, &mut path, &mut places);
        self.note_reads(&bench.dag, &path, &places, from.before);
        let stop_here = Stop {
            bench,
            path: &mut path,
            frames: &frames,
            dead: &dead,
            taints: &mut taints,
            begins: self.begins,
        };
        let is_timed = is_timed(&stop_here.bench.dag, stop_here.path, self.clocks);
        let mut found = self.found_times.borrow_mut();
        let mut columns = related(stop_here, places, self.times, &mut found);
        drop(found);
        columns.sort_unstable_by(|a, b| (&a.place, a.expr).cmp(&(&b.place, b.expr)));
        columns
            .iter()
            .for_each(|column| put(bench, &column.place, 0));
        let snapshot = bench.machine.snapshot(bench.last_snapshot.as_ref());
        bench.last_snapshot = Some(snapshot.clone());
        let board = path.outside.state.influence(self.board, self.are_clocks);
        let board = board.with_system_influence(path.choices.input_is_over());
        // Most ways leave it as it was: then it is kept once.
        let as_before = from.before.map(|before| &before.board);
        let as_before = as_before.filter(|known| **known == board).cloned();
        let control = Control {
            snapshot,
            place,
            is_moment,
            call,
        };
        let controls = match from.before {
            Some(before) => before.controls.gone_on(0, control),
            None => Controls::of(control),
        };
        Arrived {
            controls,
            left_out,
            columns,
            older,
            clocks: path.outside.clocks,
            board: as_before.unwrap_or(board),
            reads: path.reads,
            constraints: path.constraints,
            model: path.model,
            taints,
            is_timed,
            truths: path.truths,
        }
    }

    /// The call before which a machine stands.
    pub(super) fn next_call(&self, machine: &Machine, board: &BoardState) -> Option<NextCall> {
        let call = machine.pending()?;
        let primitive = *self.primitives.get(call.func.0 as usize)?;
        let args = call.args.clone();
        let is_input = match self.board.primitive(primitive)?.kind {
            PrimitiveKind::Input => true,
            PrimitiveKind::System => {
                let memory = machine.memory();
                let wanted = || board.input_wanted(self.board, primitive, &args, memory);
                let is_anything = self.choices.stdin.is_some() && !board.input_is_over();
                is_anything && wanted().is_some()
            }
            _ => false,
        };
        Some(NextCall {
            primitive,
            args,
            is_input,
        })
    }

    /// What has arrived, as a state.
    pub(super) fn settled(&self, bench: &mut Workbench, arrived: &Arrived) -> Settled {
        let columns: Vec<Expr> = arrived.columns.iter().map(|column| column.expr).collect();
        let known = Known {
            reads: &arrived.reads,
            constraints: &arrived.constraints,
            model: &arrived.model,
            taints: &arrived.taints,
            most: self.most,
            budget: self.budget,
            bases: arrived.clocks.len() as u32,
            tells_rows: self.tells_rows,
            floors: &arrived.floors(),
            older: &arrived.older,
        };
        let relation = Relation::of(&mut bench.dag, &mut bench.point, &known, &columns);
        let (mut kept, mut constant, mut is_aged) = (Vec::new(), Vec::new(), false);
        for Column {
            place,
            expr: column,
            clock,
        } in &arrived.columns
        {
            let mut expr = relation.columns.get(column).copied().unwrap_or(*column);
            if let Some(clock) = clock {
                expr = arrived.shown(&mut bench.dag, (expr, *clock));
            }
            is_aged |= arrived.older.contains_key(column) && bench.dag.as_const(expr).is_some();
            match (bench.dag.as_const(expr), place) {
                (None, _) | (_, Place::Level(_)) => kept.push((place.clone(), expr)),
                (Some(cell), place) => constant.push((place, expr, cell)),
            }
        }
        let (mut controls, mut board) = (arrived.controls.clone(), arrived.board.clone());
        if !constant.is_empty() {
            let mut control = controls.program().clone();
            go_back(&mut bench.machine, &control.snapshot);
            for (place, expr, cell) in constant {
                put(bench, place, cell);
                if let Place::Reading(id, args) = place {
                    let value = value_of(bench.dag.ty(expr), cell);
                    board.observe(self.board, *id, args, value);
                }
            }
            control.snapshot = bench.machine.snapshot(Some(&control.snapshot));
            // Its arguments may be among what turned out to be constant.
            let call = control.call.take();
            control.call = call.and_then(|_| self.next_call(&bench.machine, &board));
            controls = controls.gone_on(0, control);
        }
        let before = Before {
            controls,
            places: kept.into(),
            variables: relation.variables.into(),
            constraints: relation.constraints.into(),
            board,
            model: relation.model.into(),
            taints: relation.taints.into(),
            clocks: arrived.begun(&mut bench.dag),
            left_out: arrived.left_out.clone(),
        };
        let state = DeviceState::before(&bench.dag, before, arrived.truths);
        Settled {
            state,
            origins: relation.origins,
            is_opaque: relation.is_opaque,
            is_aged,
        }
    }

    /// The states of known values that a state stands for, if that are at most so many combinations.
    pub(super) fn known(
        &self,
        bench: &mut Workbench,
        (before, truths): (&Before, Truths),
        most: u64,
    ) -> Option<Vec<DeviceState>> {
        // What a clock shows may be anything: 0 is as good.
        let zero = Set::single(0);
        let sets = || {
            let variables = before.variables.iter().enumerate();
            variables.map(|(at, (_, set))| match at < before.clocks.len() {
                true => &zero,
                false => set,
            })
        };
        let combinations = combinations(sets());
        if combinations > u128::from(most) {
            return None;
        }
        let mut states = Vec::new();
        for number in 0..combinations as u64 {
            let model: Option<Vec<u64>> = combination(sets(), number).collect();
            let model = model?;
            bench.point.reset(&bench.dag);
            let holds = |constraint: &Constraint| {
                let cell = bench.point.eval(&bench.dag, constraint.expr, &model);
                constraint.allowed.contains(cell)
            };
            if !before.constraints.iter().all(holds) {
                continue;
            }
            go_back(&mut bench.machine, before.snapshot());
            let mut path = before.begun(self.choices);
            path.truths = truths;
            let shown = before.clocks.iter().map(|clock| clock.is_read.then_some(0));
            let shown: Vec<Option<i64>> = shown.collect();
            self.begin(&mut path, &mut bench.dag, &shown);
            for (place, expr) in &before.places {
                let cell = bench.point.eval(&bench.dag, *expr, &model);
                put(bench, place, cell);
                if let Place::Reading(id, args) = place {
                    let value = value_of(bench.dag.ty(*expr), cell);
                    path.outside.state.observe(self.board, *id, args, value);
                }
            }
            let snapshot = bench.machine.snapshot(None);
            let stop = Waiting::at(snapshot, path, !before.is_moment());
            // A word may hold a time in one state and a number in another.
            let frames: Vec<FrameView> = bench.machine.frames().collect();
            let times = times_among(&bench.dag, &frames, &before.places);
            let compared = Compared {
                times: &times,
                ..*self
            };
            states.push(compared.state(bench, stop));
        }
        Some(states)
    }

    /// What is dead, but for what the conditions that are watched look at.
    fn dead(&self, frames: &[FrameView], looked: &[Looked]) -> Dead {
        let mut dead = self.live.dead(&[frames]);
        dead.cells.retain(|at| !looked.contains(&Looked::Cell(*at)));
        let is_looked_at = |at: &usize| looked.contains(&Looked::Global(*at as u32));
        dead.globals.retain(|at| !is_looked_at(at));
        dead
    }

    /// Gives all that is dead where a machine stands some value.
    pub(super) fn spoil(&self, machine: &mut Machine, garbage: u64) {
        let frames: Vec<FrameView> = machine.frames().collect();
        self.live.dead(&[&frames]).fill(machine, garbage);
    }

    /// The expressions that are live where a path stops.
    pub(super) fn live_exprs(&self, dag: &mut Dag, machine: &Machine, path: &Path) -> Vec<Expr> {
        let frames: Vec<FrameView> = machine.frames().collect();
        let dead = self.dead(&frames, &path.looked);
        let mut places = self.places(dag, machine.cells().len(), path, &dead);
        if let Some(learning) = self.unread {
            let (learning, here) = (learning.borrow(), place_of(machine));
            let is_left_out = |place: &Place| match place {
                Place::Byte(at, _) => learning.leaves_out((here, *at)),
                _ => false,
            };
            places.retain(|(place, _)| !is_left_out(place));
        }
        places.sort_unstable();
        places.into_iter().map(|(_, expr)| expr).collect()
    }

    /// All that is live and depends on inputs.
    fn places(&self, dag: &mut Dag, top: usize, path: &Path, dead: &Dead) -> Vec<(Place, Expr)> {
        let mut places = Vec::new();
        let cells = path
            .shadow
            .cells_in_use(top)
            .filter(|(at, _)| dead.cells.binary_search(at).is_err());
        places.extend(cells.map(|(at, expr)| (Place::Cell(at as u32), expr)));
        let globals = path
            .shadow
            .globals()
            .filter(|(at, _)| dead.globals.binary_search(&(*at as usize)).is_err());
        places.extend(globals.map(|(at, expr)| (Place::Global(at), expr)));
        let bytes: Vec<(u64, Byte)> = path.shadow.memory.bytes().collect();
        let mut spans: HashMap<Expr, (u8, u8)> = HashMap::new();
        for (_, Byte { value, number }) in &bytes {
            let (first, last) = spans.entry(*value).or_insert((*number, *number));
            (*first, *last) = ((*first).min(*number), (*last).max(*number));
        }
        for (at, Byte { value, number }) in bytes {
            // Of a value of which only some bytes are there, the others are history.
            let (first, last) = spans.get(&value).copied().unwrap_or((0, 7));
            let expr = part(dag, value, first, last);
            places.push((Place::Byte(at as u32, number - first), expr));
        }
        for (id, args, expr) in path.outside.readings.iter().rev() {
            let is_clock = || matches!(self.board.codomain(*id, args), Codomain::NotBeforeLast(_));
            let place = Place::Reading(*id, args.clone());
            let is_known = places.iter().any(|(known, _)| *known == place);
            // No rule is about the others.
            if !is_known && (self.board.remembers(*id, args) || is_clock()) {
                places.push((place, *expr));
            }
        }
        places.extend(
            path.outside
                .levels
                .iter()
                .map(|(pin, expr)| (Place::Level(*pin), *expr)),
        );
        places
    }
}

/// Where a machine stands: the functions on its stack, and their instructions.
pub(super) fn place_of(machine: &Machine) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    machine
        .standing()
        .for_each(|standing| standing.hash(&mut hasher));
    hasher.finish()
}

/// The bytes of a value from the first to the last of these.
fn part(dag: &mut Dag, value: Expr, first: u8, last: u8) -> Expr {
    let (ty, width, and, shift) = match dag.ty(value) {
        ValType::I64 => (ValType::I64, 8, N::I64And, N::I64ShrU),
        _ => (ValType::I32, 4, N::I32And, N::I32ShrU),
    };
    let by = dag.constant(ty, u64::from(first) * 8);
    let value = dag.binary(shift, value, by);
    let bytes = last + 1 - first;
    if bytes + first >= width {
        return value;
    }
    let mask = dag.constant(ty, (1 << (8 * bytes)) - 1);
    dag.binary(and, value, mask)
}

/// Puts a cell where a place of the machine is.
fn put(bench: &mut Workbench, place: &Place, cell: u64) {
    match place {
        Place::Cell(at) => {
            bench.machine.set_cell(*at as usize, cell);
        }
        Place::Global(at) => {
            bench.machine.set_global_cell(*at, cell);
        }
        Place::Byte(at, number) => {
            bench
                .machine
                .set_byte(*at as usize, (cell >> (8 * number)) as u8);
        }
        Place::Reading(..) | Place::Level(_) => {}
    }
}
