//! Times in a state: how long ago, instead of when.

use std::collections::BTreeSet;

use borges_board::PrimitiveId;
use borges_vm::{FrameView, ValType};
use hashbrown::HashMap;

use super::anything::{StateWord, cell_of_local, locals};
use super::arrived::Column;
use super::live::Dead;
use super::place::Place;
use crate::clocks::Clock;
use crate::dag::{Dag, Expr};
use crate::explore::{State as Path, Workbench};
use crate::path::Read;
use crate::set::{Set, cell_of};
use crate::sum::Sum;

/// A word that holds times of a clock, by the clock's number.
pub(super) type TimeWord = (StateWord, u32);

/// A path that has come to a stop, with what tells its state.
pub(super) struct Stop<'s> {
    pub(super) bench: &'s mut Workbench,
    pub(super) path: &'s mut Path,
    pub(super) frames: &'s [FrameView],
    pub(super) dead: &'s Dead,
    pub(super) taints: &'s mut Vec<u64>,
    /// A run has just begun, whose clocks begin with 0.
    pub(super) begins: bool,
}

impl Stop<'_> {
    /// An input that has not been there, which comes from what a clock shows (or may be what it is).
    fn fresh(&mut self, ty: ValType, domain: Set, (clock, taint): (PrimitiveId, u64)) -> Expr {
        let place = self.path.reads.len();
        let value = domain.bounds().map_or(0, |(_, most)| most);
        self.path.reads.push(Read::of_state(clock, ty, domain));
        self.path.model.push(value);
        self.taints.resize(place, 0);
        self.taints.push(taint);
        self.bench.dag.input(place as u32, ty)
    }
}

/// Makes times relative to now: places that hold one become columns of how long ago that was (as negative numbers),
/// and what depends on a time in another way is taken for anything. `times` are words that hold one wherever they are;
/// `found` notes which do.
pub(super) fn related(
    mut stop: Stop<'_>,
    places: Vec<(Place, Expr)>,
    times: &[TimeWord],
    found: &mut BTreeSet<TimeWord>,
) -> Vec<Column> {
    let clocks = stop.path.outside.clocks.clone();
    let plain = |(place, expr)| Column {
        place,
        expr,
        clock: None,
    };
    if clocks.is_empty() {
        return places.into_iter().map(plain).collect();
    }
    let waited_us = stop.path.outside.waited_us();
    let nows: Vec<Sum> = clocks
        .iter()
        .map(|clock| now(&stop, clock, waited_us))
        .collect();
    let words = locals(stop.frames);
    let mut anything: HashMap<Expr, Expr> = HashMap::new();
    let mut columns = Vec::new();
    for (place, expr) in places {
        if !stop.bench.dag.has_base(expr) {
            columns.push(plain((place, expr)));
        } else if let Some((clock, since)) = stop.bench.dag.since_base(expr) {
            let ago = since.plus(&nows[clock as usize], -1);
            let expr = stop.bench.dag.of_sum(&ago);
            found.extend(word_of(&words, &place).map(|word| (word, clock)));
            let clock = Some(clock);
            columns.push(Column { place, expr, clock });
        } else {
            let ty = stop.bench.dag.ty(expr);
            let taint = stop.bench.dag.inputs(expr).iter();
            let taint = taint.filter(|at| (**at as usize) < clocks.len());
            let taint = taint.fold(0, |all, at| all | 1 << at);
            let any = anything
                .entry(expr)
                .or_insert_with(|| stop.fresh(ty, Set::all(ty), (clocks[0].id, taint)));
            columns.push(plain((place, *any)));
        }
    }
    of_known_times(&mut stop, times, (&clocks, &nows), &mut columns);
    let dag = &stop.bench.dag;
    stop.path
        .constraints
        .retain(|known| !dag.has_base(known.expr));
    for read in stop.path.reads.iter_mut().take(clocks.len()) {
        read.domain = Set::all(read.ty);
    }
    columns
}

/// Words that hold times, but a known number here: how long ago that was depends on what the clock shows.
fn of_known_times(
    stop: &mut Stop<'_>,
    times: &[TimeWord],
    (clocks, nows): (&[Clock], &[Sum]),
    columns: &mut Vec<Column>,
) {
    // How long ago clocks showed some number.
    let mut asked: Vec<(u32, u64, Expr)> = Vec::new();
    for (word, number) in times {
        let clock = &clocks[*number as usize];
        let ty = stop.bench.dag.ty(clock.origin);
        let Some((places, is, cell)) = known_word(stop, *word, ty) else {
            continue;
        };
        let is_other = |place: &Place| columns.iter().any(|column| column.place == *place);
        if is != ty || places.iter().any(is_other) {
            continue;
        }
        let same = asked
            .iter()
            .find(|known| (known.0, known.1) == (*number, cell));
        let is_alone = !asked.iter().any(|known| known.0 == *number);
        let expr = match (same, stop.bench.dag.as_const(clock.origin)) {
            (Some((.., expr)), _) => *expr,
            (None, origin) if origin.is_some() || stop.begins => {
                let origin = origin.unwrap_or(0);
                let now = Sum::number(ty, origin as i64).plus(&nows[*number as usize], 1);
                let ago = Sum::number(ty, cell as i64).plus(&now, -1);
                stop.bench.dag.of_sum(&ago)
            }
            (None, _) => {
                // Before it is read, a clock may show anything; later that has been forgotten, and so has what lies
                // between two numbers.
                let is_forgotten = clock.is_read || !is_alone;
                let taint = u64::from(is_forgotten) << number;
                stop.fresh(ty, Set::whole(ty, clock.floor(), 0), (clock.id, taint))
            }
        };
        asked.push((*number, cell, expr));
        let clock = Some(*number);
        columns.extend(
            places
                .into_iter()
                .map(|place| Column { place, expr, clock }),
        );
    }
}

/// Where a word lies, its type (in memory: one that it may have) and its cell, if it is live.
fn known_word(stop: &Stop<'_>, word: StateWord, ty: ValType) -> Option<(Vec<Place>, ValType, u64)> {
    let machine = &stop.bench.machine;
    match word {
        StateWord::Global(at) => {
            let value = machine.globals().get(at as usize).copied()?;
            let is_dead = stop.dead.globals.binary_search(&(at as usize)).is_ok();
            (!is_dead).then(|| (vec![Place::Global(at)], value.ty(), cell_of(value)))
        }
        StateWord::Memory(at) => {
            let width = if ty == ValType::I64 { 8 } else { 4 };
            let bytes = machine.memory().get(at as usize..)?.get(..width)?;
            let places = (0..width as u8).map(|number| Place::Byte(at + u32::from(number), number));
            let cell = bytes.iter().rev();
            let cell = cell.fold(0, |cell, byte| cell << 8 | u64::from(*byte));
            Some((places.collect(), ty, cell))
        }
        StateWord::Local { frame, func, local } => {
            let (cell, ty) = cell_of_local(stop.frames, frame, func, local)?;
            let is_dead = stop.dead.cells.binary_search(&cell).is_ok();
            (!is_dead).then(|| (vec![Place::Cell(cell as u32)], ty, machine.cells()[cell]))
        }
        StateWord::Clock(_) => None,
    }
}

/// What a clock shows now at the earliest, counted from its origin.
fn now(stop: &Stop<'_>, clock: &Clock, waited_us: u64) -> Sum {
    let dag = &stop.bench.dag;
    let ty = dag.ty(clock.origin);
    let (last, waited) = clock.since(waited_us);
    let waited = Sum::number(ty, waited as i64);
    let last = last.and_then(|last| dag.sum_of(last));
    last.map_or(waited.clone(), |last| last.plus(&waited, 1))
}

/// The words that hold times among these places of a state.
pub(super) fn times_among(
    dag: &Dag,
    frames: &[FrameView],
    places: &[(Place, Expr)],
) -> Vec<TimeWord> {
    let words = locals(frames);
    let times = places.iter().filter_map(|(place, expr)| {
        let (clock, _) = dag.since_base(*expr)?;
        Some((word_of(&words, place)?, clock))
    });
    let times: BTreeSet<TimeWord> = times.collect();
    times.into_iter().collect()
}

/// The word that a place is, or lies in.
fn word_of(words: &HashMap<usize, StateWord>, place: &Place) -> Option<StateWord> {
    match place {
        Place::Cell(at) => words.get(&(*at as usize)).copied(),
        Place::Global(at) => Some(StateWord::Global(*at)),
        Place::Byte(at, number) => {
            let first = at.checked_sub(u32::from(*number))?;
            (first % 4 == 0).then_some(StateWord::Memory(first))
        }
        Place::Reading(..) | Place::Level(_) => None,
    }
}
