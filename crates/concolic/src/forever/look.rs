//! A look at a state: the ways on from it, and where each leads.

use borges_vm::Value;

use super::arrived::{Arrived, joined};
use super::compared::{Origins, Settled};
use super::parts::Part;
use super::state::{Before, DeviceState, Stands};
use super::took::{Leg, Took};
use super::whole::{self, Asks, Decided};
use super::{Device, DeviceWay, WayInput};
use crate::constraint::Constraint;
use crate::dag::Dag;
use crate::explore::{AGES, FAR_BACK, Origin, Round, Truths, Waiting, Workbench, said_once};
use crate::path::{End, Read, ReadPart, Unexplored};
use crate::set::{Set, cell_of, value_of};
use crate::standing::go_back;

/// Why something is left out: a program waits for longer than that.
const FAR_AHEAD: &str = "the program waits for longer than 2^29 units of a clock that it may read (six days of milliseconds, nine minutes of microseconds): how much later it is then is not known exactly";

/// What a look at a state showed.
#[derive(Default)]
pub(super) struct Look {
    pub(super) ways: Vec<(DeviceWay, DeviceState)>,
    /// Where not all of the state's values lead to where a way does: what parts them.
    pub(super) divides: Option<Constraint>,
    /// Instructions executed for it.
    pub(super) steps: u64,
    /// The budget was spent before all ways were known.
    pub(super) is_cut: bool,
    pub(super) unexplored: Vec<Unexplored>,
    /// What each of the ways asks of the state's values.
    pub(super) asked: Vec<Asks>,
    /// A state that is known, or is all of one that a way leads to, stands for that.
    pub(super) joins: bool,
    /// What each of the ways touches, if somebody wants to know.
    pub(super) took: Vec<Took>,
}

impl Look {
    /// A look from which states are found.
    pub(super) fn joining() -> Self {
        Look {
            joins: true,
            ..Look::default()
        }
    }
}

/// A way that was found.
pub(super) struct Found {
    pub(super) input: Option<WayInput>,
    pub(super) to: DeviceState,
    pub(super) asks: Asks,
    pub(super) took: Option<Took>,
}

/// Where a path has come.
pub(super) struct Reached {
    pub(super) decided: Decided,
    pub(super) part: Part,
    pub(super) end: Option<End>,
    pub(super) took: Option<Took>,
}

impl Reached {
    pub(super) fn stop(arrived: Arrived, settled: Settled, took: Option<Took>) -> Self {
        Reached {
            decided: arrived.decided(),
            part: Part::from(settled),
            end: None,
            took,
        }
    }
}

/// Where ways come from.
pub(super) struct Come<'b> {
    pub(super) before: &'b Before,
    /// So many reads were there when they began.
    pub(super) known: usize,
    /// Who takes them, where agents are told apart.
    pub(super) leg: Option<Leg<'b>>,
}

impl Device<'_> {
    /// The ways on from a state, in an order that the state alone determines, and where each leads. They are found
    /// anew: a graph asks once, and its edges keep where they lead.
    #[must_use]
    pub fn ways(&self, state: &DeviceState) -> Vec<(DeviceWay, DeviceState)> {
        match &self.forgetful {
            Some(forgetful) => {
                forgetful.once_more(state, || self.look(state, Look::default()).ways)
            }
            None => self.look(state, Look::joining()).ways,
        }
    }

    /// The ways on from a state before an input that answers with this; none if it cannot.
    #[must_use]
    pub fn answered(&self, state: &DeviceState, answer: Value) -> Vec<(DeviceWay, DeviceState)> {
        match state.asks() {
            Some(_) => {
                let from = vec![Origin::Answer(cell_of(answer))];
                self.look_from(state, from, Look::joining()).ways
            }
            None => Vec::new(),
        }
    }

    pub(super) fn look(&self, state: &DeviceState, look: Look) -> Look {
        match &state.0.stands {
            Stands::Before(before) => self.look_from(state, before.from(self.room.is_some()), look),
            Stands::Ended(..) => look,
        }
    }

    pub(super) fn look_from(&self, state: &DeviceState, from: Vec<Origin>, mut look: Look) -> Look {
        let Stands::Before(before) = &state.0.stands else {
            return look;
        };
        let Some(mut bench) = self.bench.take() else {
            return look;
        };
        let mut asked = Vec::new();
        for from in from {
            go_back(&mut bench.machine, before.snapshot());
            let Some(mut path) = state.path(self.start.choices) else {
                break;
            };
            let garbage = (self.garbage != 0).then_some(self.garbage as u8);
            before.follow_left_out(&mut path, &mut bench.dag, garbage);
            before.follow_aged(&mut path, &mut bench.dag);
            let known = path.reads.len();
            if self.garbage != 0 {
                self.compared(self.budget())
                    .spoil(&mut bench.machine, self.garbage.into());
            }
            let leg = self.leg(&bench.machine, from);
            path.marks = leg.is_some().then(Box::default);
            let round;
            (bench, round) = self.round(bench, self.budget(), (path, from), false);
            look.is_cut |= round.is_cut;
            let event = match from {
                Origin::Moment(event) => event,
                _ => None,
            };
            let found;
            let come = Come { before, known, leg };
            (bench, found) = self.ways_of(bench, round, Some(come), &mut look);
            for Found {
                input,
                to,
                asks,
                took,
            } in found
            {
                look.took.extend(took);
                let number = look.ways.len() as u32;
                let way = DeviceWay {
                    number,
                    input,
                    event,
                    is_partial: false,
                };
                look.ways.push((way, to));
                asked.push(asks);
            }
        }
        let to: Vec<&DeviceState> = look.ways.iter().map(|(_, to)| to).collect();
        whole::together(&bench.dag, before, &to, &mut asked);
        look.asks(asked);
        self.bench.replace(Some(bench));
        look
    }

    /// Keeps account of a look from which an exploration goes on.
    pub(super) fn note(&self, look: Look) {
        self.steps.set(self.steps.get().saturating_add(look.steps));
        self.is_cut.set(self.is_cut.get() || look.is_cut);
        let mut unexplored = self.unexplored.borrow_mut();
        for left_out in look.unexplored {
            let is_once = said_once(&left_out.reason).is_some();
            let same = |known: &Unexplored| {
                known.reason == left_out.reason && (is_once || known.at == left_out.at)
            };
            if !unexplored.iter().any(same) {
                unexplored.push(left_out);
            }
        }
    }

    pub(super) fn ways_of(
        &self,
        mut bench: Workbench,
        mut round: Round,
        come: Option<Come<'_>>,
        look: &mut Look,
    ) -> (Workbench, Vec<Found>) {
        let before = come.as_ref().map(|come| come.before);
        let (known, leg) = come.map_or((None, None), |come| (Some(come.known), come.leg));
        look.steps += round.steps;
        look.unexplored.append(&mut round.unexplored);
        let compared = self.compared(self.budget());
        let own_taints = match before {
            Some(_) => Vec::new(),
            None => compared.taints(),
        };
        let taints = before.map_or(&own_taints[..], |before| &before.taints);
        let known = known.unwrap_or(taints.len());
        let from = Origins { taints, before };
        if let Some(before) = before {
            let mut learning = self.unread.borrow_mut();
            let read = round.read.iter();
            read.for_each(|read| learning.reads(before.left_out_at(*read)));
        }
        let mut reached = Vec::new();
        let mut opaque: Vec<Arrived> = Vec::new();
        for stop in round.stops {
            self.note_waits(&stop, look);
            let (reads, constraints) = (&stop.state.reads, &stop.state.constraints);
            self.note_influence(&bench.dag, reads, constraints, before);
            let mut took = leg.as_ref().and_then(|leg| Took::of(leg, &stop.state));
            let arrived = compared.arrival(&mut bench, stop, from);
            if let (Some(took), Some(leg)) = (&mut took, &leg) {
                took.stands(leg, &bench.machine);
            }
            let settled = compared.settled(&mut bench, &arrived);
            match settled.is_opaque && took.is_none() {
                true => opaque.push(arrived),
                false => reached.push(Reached::stop(arrived, settled, took)),
            }
        }
        for arrived in joined(opaque, &bench.dag) {
            let settled = compared.settled(&mut bench, &arrived);
            reached.push(Reached::stop(arrived, settled, None));
        }
        for (end, stop) in round.ended {
            self.note_waits(&stop, look);
            let (reads, constraints) = (&stop.state.reads, &stop.state.constraints);
            self.note_influence(&bench.dag, reads, constraints, before);
            let mut took = leg.as_ref().and_then(|leg| Took::of(leg, &stop.state));
            if let Some(took) = &mut took {
                took.ends(&end);
            }
            let (decided, part) = match self.watched.is_some() || self.calls.is_some() {
                true => {
                    let arrived = compared.arrival(&mut bench, stop, from);
                    let settled = compared.settled(&mut bench, &arrived);
                    (arrived.decided(), Part::from(settled))
                }
                false => {
                    let to = DeviceState::ended(end.clone(), Truths::default());
                    let decided = Decided::of_stop(&bench.dag, stop.state, taints, &self.clocks);
                    (decided, Part::whole(to))
                }
            };
            reached.push(Reached {
                decided,
                part,
                end: Some(end),
                took,
            });
        }
        let mut ways = Vec::new();
        for reached in reached {
            bench = self.ways_to(bench, reached, (before, known), look, &mut ways);
        }
        (bench, ways)
    }

    /// Adds the ways to where a path has come: several, if that is reached in parts. So many reads are of the state that it
    /// comes from.
    pub(super) fn ways_to(
        &self,
        bench: Workbench,
        Reached {
            decided,
            part,
            end,
            took,
        }: Reached,
        (before, known): (Option<&Before>, usize),
        look: &mut Look,
        ways: &mut Vec<Found>,
    ) -> Workbench {
        let input = reading(&decided.reads, &decided.model, known);
        let (mut bench, parts) = self.parts(bench, part, &mut look.unexplored);
        for part in parts {
            if part.is_aged {
                look.unexplored.push(Unexplored::anywhere(FAR_BACK));
            }
            let asks = match before {
                Some(before) => {
                    decided.asks(&mut bench, before, part.under.as_deref(), self.budget())
                }
                None => Asks::Nothing,
            };
            let to = match &end {
                Some(end) => part.state.as_end(end.clone(), self.calls.is_some()),
                None => part.state,
            };
            ways.push(Found {
                input: input.clone(),
                to: self.once(&bench.dag, to, look.joins),
                asks,
                took: took.clone(),
            });
        }
        bench
    }

    /// Says so where a program has waited for longer than its clocks are followed.
    pub(super) fn note_waits(&self, stop: &Waiting, look: &mut Look) {
        if stop.state.outside.is_far_ahead() {
            look.unexplored.push(Unexplored::anywhere(FAR_AHEAD));
        }
    }

    /// Notes what was decided of words that are taken for anything.
    pub(super) fn note_influence(
        &self,
        dag: &Dag,
        reads: &[Read],
        constraints: &[Constraint],
        before: Option<&Before>,
    ) {
        let mut influence = self.influence.get();
        // Before the first stop, what the clocks show is all that is known: anything.
        let (mut sets, mut own_taints) = (Vec::new(), Vec::new());
        if before.is_none() {
            let origins = reads.iter().take(self.clocks.len());
            sets.extend(origins.map(|read| (read.ty, Set::all(read.ty))));
            own_taints = self.compared(self.budget).taints();
        }
        let (variables, taints, constraints_before) = match before {
            Some(before) => (&*before.variables, &*before.taints, &*before.constraints),
            None => (&sets[..], &own_taints[..], &[][..]),
        };
        let known = variables.iter().zip(taints);
        for (at, (read, ((_, set), taint))) in reads.iter().zip(known).enumerate() {
            let taint = taint & !AGES;
            // What was decided before was noted then.
            let is_decided = || {
                let mut new = constraints
                    .iter()
                    .filter(|known| !constraints_before.contains(known));
                read.domain != *set || new.any(|new| dag.inputs(new.expr).contains(&(at as u32)))
            };
            if taint != 0 && influence & taint != taint && is_decided() {
                influence |= taint;
            }
        }
        self.influence.set(influence);
    }
}

/// The first input that was read after those that are known.
fn reading(reads: &[Read], model: &[u64], known: usize) -> Option<WayInput> {
    let new = reads.iter().zip(model).skip(known);
    let mut new = new.filter(|(read, _)| !matches!(read.part, ReadPart::Given(_)));
    let mut first = new.next()?;
    let is_fault = |read: &Read| read.part == ReadPart::Fault;
    let mut rest = new.peekable();
    // A call that could fail and does not may be an input as well.
    if is_fault(first.0) && *first.1 == 0 {
        let same =
            |next: &&(&Read, &u64)| next.0.part == ReadPart::Value && next.0.step == first.0.step;
        first = rest.next_if(|next| same(&next)).unwrap_or(first);
    }
    let (read, cell) = first;
    let bytes = rest.take_while(|(next, _)| next.part.is_byte());
    Some(WayInput {
        primitive: read.primitive,
        args: read.args.to_vec(),
        ty: read.ty,
        set: read.domain.clone(),
        value: value_of(read.ty, *cell),
        bytes: bytes.map(|(byte, _)| byte.domain.clone()).collect(),
        is_fault: is_fault(read),
    })
}
