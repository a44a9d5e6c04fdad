//! Runs through many states, solved from their ends.
//!
//! What a run through states reads is found in two passes. Forwards, from what runs can be in one state it follows what
//! they can be in the next: the past is forgotten there, so that the thousandth step takes no longer than the first.
//! Backwards, from values of the last it solves for values of the one before that lead to them, step by step: since what
//! is forgotten is forgotten exactly, there always are some.

use hashbrown::HashMap;

use super::arrived::{Column, is_timed};
use super::compared::{Compared, Origins};
use super::run::{Likeness, Passing};
use super::state::Stands;
use super::{Device, DeviceState};
use crate::budget::Budget;
use crate::constraint::Constraint;
use crate::explore::{Origin, Round, Waiting, Workbench};
use crate::path::{Delivered, End, Path as RunPath, Way};
use crate::set::{Set, greatest};
use crate::standing::go_back;

/// So many different things that runs can be in one state are followed at once.
const MOST_BESIDE: usize = 8;

/// A step of runs: from what they can be in one state to what they can be in the next.
struct Link {
    /// The step before.
    from: Option<usize>,
    /// Where it leads, with all that is known of the step alone.
    stop: Waiting,
    /// So many reads were there when it began.
    given: usize,
    /// The state that it leads to, and what that is made of; nothing at an end.
    to: Option<(DeviceState, Vec<Column>)>,
}

/// Steps from the start on, and which of them is the last.
type Linked = (Vec<Link>, usize);

/// Steps that follow one another, each with values of all that is read up to its end.
type Along = Vec<(usize, Vec<u64>)>;

/// Where a step begins: at the start, or where another has led, and how it goes on there.
type Begins = Option<(usize, Origin)>;

impl Device<'_> {
    /// A run as [`Device::run_through`] finds it, whose answers are known one by one; nothing if something is decided by
    /// what clocks show, or no run was found.
    pub(super) fn run_backwards(
        &self,
        states: &[DeviceState],
        passing: Passing,
        budget: &Budget<'_>,
    ) -> Option<RunPath> {
        self.at_bench(|bench| {
            let (bench, linked) = self.linked(bench, states, passing, budget);
            let Some((links, last)) = linked else {
                return (bench, None);
            };
            let (mut bench, along) = self.solved(bench, &links, last, budget);
            let found = along.map(|along| self.run_of(&mut bench, &links, &along, states));
            (bench, found)
        })?
    }

    /// Steps along these states.
    fn linked(
        &self,
        mut bench: Workbench,
        states: &[DeviceState],
        passing: Passing,
        budget: &Budget<'_>,
    ) -> (Workbench, Option<Linked>) {
        let mut links: Vec<Link> = Vec::new();
        let mut begins: Vec<Begins> = vec![None];
        for (at, next) in states.iter().enumerate() {
            let mut here: Vec<(Likeness, Link)> = Vec::new();
            for begin in begins {
                if budget.is_spent() {
                    return (bench, None);
                }
                let (round, given);
                (bench, round, given) = self.step(bench, &links, begin, passing, budget);
                let from = begin.map(|(from, _)| from);
                let mut ended = round.ended.into_iter();
                if let Some((_, stop)) = ended.find(|(end, _)| next.end() == Some(end)) {
                    // At first it is known what clocks show.
                    let is_timed =
                        from.is_some() && is_timed(&bench.dag, &stop.state, &self.clocks);
                    let to = None;
                    links.push(Link {
                        from,
                        stop,
                        given,
                        to,
                    });
                    let last = links.len() - 1;
                    return (bench, (!is_timed).then_some((links, last)));
                }
                let taints = self.taints_of(&links, from);
                for stop in round.stops {
                    let link =
                        self.link(&mut bench, (stop, &taints), (from.is_none(), next), budget);
                    let Some((likeness, stop, to)) = link else {
                        continue;
                    };
                    let is_same = |(_, known): &(_, Link)| {
                        known.to.as_ref().is_some_and(|(known, _)| *known == to.0)
                    };
                    if !here.iter().any(is_same) {
                        let to = Some(to);
                        here.push((
                            likeness,
                            Link {
                                from,
                                stop,
                                given,
                                to,
                            },
                        ));
                    }
                }
            }
            here.sort_by_key(|(likeness, _)| *likeness);
            here.truncate(MOST_BESIDE);
            let first = links.len();
            links.extend(here.into_iter().map(|(_, link)| link));
            if first == links.len() {
                return (bench, None);
            }
            if at + 1 == states.len() {
                return (bench, Some((links, first)));
            }
            begins = Vec::new();
            for (at, link) in links.iter().enumerate().skip(first) {
                if let Some((state, _)) = &link.to
                    && let Stands::Before(before) = &state.0.stands
                {
                    let origins = before.from(self.room.is_some()).into_iter();
                    begins.extend(origins.map(|origin| Some((at, origin))));
                }
            }
        }
        (bench, None)
    }

    /// Goes on to the next stops; how many reads were there before.
    fn step(
        &self,
        mut bench: Workbench,
        links: &[Link],
        begin: Begins,
        passing: Passing,
        budget: &Budget<'_>,
    ) -> (Workbench, Round, usize) {
        let Some((from, origin)) = begin else {
            let (bench, round) = self.begin(bench, budget, Some(passing));
            return (bench, round, self.clocks.len());
        };
        let to = links[from].to.as_ref();
        let Some((state, mut path)) = to.and_then(|(state, _)| {
            let path = state.path(self.start.choices)?;
            Some((state, path))
        }) else {
            return (bench, Round::default(), 0);
        };
        if let Stands::Before(before) = &state.0.stands {
            go_back(&mut bench.machine, before.snapshot());
            before.follow_left_out(&mut path, &mut bench.dag, None);
        }
        let given = path.reads.len();
        let clocks = path.outside.clocks.iter_mut();
        clocks.for_each(|clock| clock.least = passing as u64);
        path.marks = self.room.is_some().then(Box::default);
        let (bench, round) = self.round(bench, budget, (path, origin), true);
        (bench, round, given)
    }

    fn taints_of(&self, links: &[Link], from: Option<usize>) -> Vec<u64> {
        let state = from.and_then(|from| Some(&links[from].to.as_ref()?.0));
        match state.map(|state| &state.0.stands) {
            Some(Stands::Before(before)) => before.taints.to_vec(),
            _ => self.compared(self.budget).taints(),
        }
    }

    /// Where a step has led, if it may be where this state is; the first of a run begins where its clocks show 0.
    fn link(
        &self,
        bench: &mut Workbench,
        (stop, taints): (Waiting, &[u64]),
        (begins, next): (bool, &DeviceState),
        budget: &Budget<'_>,
    ) -> Option<(Likeness, Waiting, (DeviceState, Vec<Column>))> {
        // A run has one value of everything.
        let exact = Compared {
            words: &[],
            begins,
            ..self.compared(budget)
        };
        let origins = || Origins {
            taints,
            before: None,
        };
        let mut arrives = stop.clone();
        // That a run's clocks begin with 0 decides nothing.
        let shown = arrives.state.reads.iter_mut().take(self.clocks.len());
        shown.for_each(|origin| {
            if origin.domain == Set::single(0) {
                origin.domain = Set::all(origin.ty);
            }
        });
        if begins {
            // What clocks show is what has passed since.
            let zeros = (0..).zip(&self.clocks).map(|(at, clock)| {
                let ty = bench.dag.ty(clock.origin);
                (at, bench.dag.constant(ty, 0))
            });
            let (zeros, mut done) = (zeros.collect(), HashMap::new());
            for known in &mut arrives.state.constraints {
                known.expr = bench.dag.renamed(known.expr, &zeros, &mut done);
            }
        }
        let arrived = exact.arrival(bench, arrives, origins());
        if arrived.is_timed || arrived.reads.len() > stop.state.reads.len() {
            return None;
        }
        let state = exact.settled(bench, &arrived).state;
        let likeness = match self.words.len() > self.clocks.len() {
            true => {
                let widened = self.compared(budget);
                let widened = widened.state_after(bench, stop.clone(), origins());
                Likeness::of(&widened, next, &bench.dag)
            }
            false => Likeness::of(&state, next, &bench.dag),
        };
        (likeness != Likeness::Other).then_some((likeness, stop, (state, arrived.columns)))
    }

    /// Values of all reads on the steps up to the last, the first step first.
    fn solved(
        &self,
        mut bench: Workbench,
        links: &[Link],
        last: usize,
        budget: &Budget<'_>,
    ) -> (Workbench, Option<Along>) {
        let (mut along, mut wanted) = (Along::new(), Vec::new());
        let mut next = Some(last);
        while let Some(at) = next {
            let link = &links[at];
            let model;
            (bench, model) = self.rounds(budget, true, |rounds| {
                bench.model_under(rounds, (&link.stop, &*wanted))
            });
            let Some(model) = model else {
                return (bench, None);
            };
            next = link.from;
            if let Some(from) = next {
                wanted = links[from].wanted(&mut bench, &model);
            }
            along.push((at, model));
        }
        along.reverse();
        (bench, Some(along))
    }

    /// The run that these steps are, each with the values of its reads.
    fn run_of(
        &self,
        bench: &mut Workbench,
        links: &[Link],
        along: &[(usize, Vec<u64>)],
        states: &[DeviceState],
    ) -> RunPath {
        let mut shown: Vec<u64> = match along.first() {
            Some((at, _)) => {
                let clocks = links[*at].stop.state.outside.clocks.iter();
                let origin = |clock: &crate::clocks::Clock| bench.dag.as_const(clock.origin);
                clocks.map(|clock| origin(clock).unwrap_or(0)).collect()
            }
            None => Vec::new(),
        };
        let mut run = RunPath {
            outcomes: Vec::new(),
            end: End::Returned,
            ways: Vec::new(),
            steps: 0,
            events: Vec::new(),
        };
        let mut way = Way {
            reads: Vec::new(),
            constraints: Vec::new(),
            model: Vec::new(),
        };
        for (at, model) in along {
            let Link { stop, given, .. } = &links[*at];
            let before = way.reads.len() as u32;
            let outside = &stop.state.outside;
            for (read, cell) in stop.state.reads.iter().zip(model).skip(*given) {
                let clock = outside
                    .clocks
                    .iter()
                    .position(|clock| clock.id == read.primitive);
                let cell = match clock {
                    Some(clock) => shown[clock].wrapping_add(*cell) & greatest(read.ty),
                    None => *cell,
                };
                let mut read = read.clone();
                read.domain = Set::single(cell);
                way.reads.push(read);
                way.model.push(cell);
            }
            let part = stop.as_path(End::Returned);
            let place = |event: &Delivered| before + event.place.saturating_sub(*given as u32);
            run.events.extend(part.events.iter().map(|event| Delivered {
                place: place(event),
                ..*event
            }));
            run.outcomes.extend(part.outcomes);
            run.steps = part.steps;
            bench.point.reset(&bench.dag);
            for (clock, shown) in outside.clocks.iter().zip(&mut shown) {
                let (last, waited) = clock.since(outside.waited_us());
                let last = last.map_or(0, |last| bench.point.eval(&bench.dag, last, model));
                let ty = bench.dag.ty(clock.origin);
                *shown = shown.wrapping_add(last).wrapping_add(waited) & greatest(ty);
            }
        }
        run.end = match (states.last().and_then(DeviceState::end), along.last()) {
            (Some(end), _) => end.clone(),
            (None, Some((at, _))) => links[*at].stop.stopped(&mut bench.machine),
            (None, None) => End::Returned,
        };
        run.ways.push(way);
        run
    }
}

impl Link {
    /// What must hold where this step leads for the next one to begin with these values.
    fn wanted(&self, bench: &mut Workbench, model: &[u64]) -> Vec<Constraint> {
        let Some((state, columns)) = &self.to else {
            return Vec::new();
        };
        let Stands::Before(before) = &state.0.stands else {
            return Vec::new();
        };
        let clocks = before.clocks.len();
        let mut values = model[..before.variables.len()].to_vec();
        // Of times, how long ago they were is compared.
        values[..clocks].fill(0);
        let mut wanted: Vec<Constraint> = Vec::new();
        bench.point.reset(&bench.dag);
        for (place, expr) in &before.places {
            let is_there = |column: &&Column| column.place == *place;
            let Some(column) = columns.iter().find(is_there) else {
                continue;
            };
            let cell = bench.point.eval(&bench.dag, *expr, &values);
            let ty = bench.dag.ty(*expr);
            let clock = column
                .clock
                .and_then(|clock| before.clocks.get(clock as usize));
            let allowed = match clock {
                Some(clock) if cell == clock.floor_cell(ty) => {
                    let least = if greatest(ty) == u64::MAX {
                        i64::MIN
                    } else {
                        i64::from(i32::MIN)
                    };
                    Set::whole(ty, least, clock.floor())
                }
                _ => Set::single(cell),
            };
            let is_known = |known: &Constraint| known.expr == column.expr;
            if bench.dag.as_const(column.expr).is_none() && !wanted.iter().any(is_known) {
                wanted.push(Constraint::new(column.expr, allowed));
            }
        }
        wanted
    }
}
