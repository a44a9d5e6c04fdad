//! Moving backward along the current path.
//!
//! A search backward replays stretches of the past, the nearest first, and takes the last stop that it met.

use borges_vm::{CodeOffset, FuncIdx};

use crate::command::{StepSize, StopReason};
use crate::entry::Moment;
use crate::error::CommandError;
use crate::history::{Found, Stops};
use crate::motion::Observer;
use crate::session::Session;

/// How far back a search looks first, in steps: what is sought is mostly near.
const NEAR: [u64; 3] = [512, 8_192, 131_072];

/// Whether a search looks at the moment where it ends, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Included,
    Excluded,
}

/// A stop met while looking back.
#[derive(Clone, Copy, Debug)]
struct Hit {
    moment: Moment,
    found: Found,
    depth: usize,
    line: Option<(u32, u32)>,
}

impl Session {
    /// *play*, backwards: to the last breakpoint before here, or the start.
    pub(crate) fn go_back(&mut self, observer: Observer<'_>) -> Result<StopReason, CommandError> {
        let stops = self.breakpoints.stops();
        let here = self.history.here();
        let mut limit = here;
        while stops != Stops::default() {
            let Some(hit) = self.last_hit(limit, End::Excluded, &stops, |_| true)? else {
                break;
            };
            self.history.seek(hit.moment)?;
            for id in self.breakpoints.waiting_for(&hit.found, &stops) {
                if self.condition_holds(id, observer)? {
                    return Ok(StopReason::Breakpoint { id });
                }
            }
            limit = hit.moment;
        }
        self.history.seek(Moment::START)?;
        Ok(StopReason::Start)
    }

    /// Runs backward until `offsets` are about to be executed.
    pub(crate) fn run_back_to(
        &mut self,
        offsets: Vec<CodeOffset>,
    ) -> Result<StopReason, CommandError> {
        let stops = Stops {
            code: offsets,
            ..Stops::default()
        };
        match self.last_hit(self.history.here(), End::Excluded, &stops, |_| true)? {
            Some(hit) => self.arrive(hit.moment),
            None => Ok(StopReason::NotFound),
        }
    }

    /// Steps backward once (*step-back*, *step-back-compensate*).
    pub(crate) fn step_backward(&mut self, size: StepSize) -> Result<StopReason, CommandError> {
        let here = self.history.here();
        let Some(before) = self.history.before(here) else {
            return Ok(StopReason::Start);
        };
        match size {
            StepSize::Instruction => self.arrive(before),
            StepSize::Entry => self.back_over_entry(here),
            StepSize::Into | StepSize::Over => self.back_over_line(here, size),
            StepSize::Out => self.back_out(here),
        }
    }

    fn back_over_entry(&mut self, here: Moment) -> Result<StopReason, CommandError> {
        let entry = self.history.tree.entry(here.place).cloned();
        match (entry, self.history.tree.parent(here.place)) {
            (Some(entry), Some(place)) => self.arrive(Moment {
                place,
                steps: entry.step_before(),
            }),
            _ => self.arrive(Moment::START),
        }
    }

    fn back_over_line(&mut self, here: Moment, size: StepSize) -> Result<StopReason, CommandError> {
        let origin = self.origin();
        let over = size == StepSize::Over;
        let stops = Stops {
            code: self.all_line_begins(),
            ..Stops::default()
        };
        let deeper = |hit: &Hit| over && hit.depth > origin.depth;
        // The same line of the same call, reached without leaving it, is still this line.
        let found = self.last_run_of_hits(
            here,
            &stops,
            |hit| !deeper(hit) && hit.line.is_some(),
            |hit| hit.line == origin.line && hit.depth == origin.depth,
        )?;
        match found {
            Some(moment) => self.arrive(moment),
            None => self.arrive(Moment::START),
        }
    }

    fn back_out(&mut self, here: Moment) -> Result<StopReason, CommandError> {
        let depth = self.origin().depth;
        let begin = self.call_begin(here, depth)?;
        let call = begin.and_then(|begin| self.history.before(begin));
        self.arrive(call.unwrap_or(Moment::START))
    }

    fn first_instruction(&self, func: FuncIdx) -> Option<CodeOffset> {
        self.program().module.instr_starts(func).next()
    }

    /// The last stop before (or at) `limit` that `accept` takes. The twin is somewhere before `limit` afterwards.
    fn last_hit(
        &mut self,
        limit: Moment,
        included: End,
        stops: &Stops,
        accept: impl Fn(&Hit) -> bool,
    ) -> Result<Option<Hit>, CommandError> {
        let (mut end, mut included) = (limit, included);
        while let Some(start) = self.window_before(end, limit) {
            let hits = self.hits_between(start, end, included, stops)?;
            if let Some(hit) = hits.into_iter().rev().find(|hit| accept(hit)) {
                return Ok(Some(hit));
            }
            (end, included) = (start, End::Excluded);
        }
        Ok(None)
    }

    /// The moment right after the last write that a watch sees before `limit`; for a local, in the call that is `depth`
    /// frames deep.
    pub(crate) fn last_write(
        &mut self,
        limit: Moment,
        stops: &Stops,
        depth: Option<usize>,
    ) -> Result<Option<Moment>, CommandError> {
        let Some(depth) = depth else {
            let hit = self.last_hit(limit, End::Included, stops, |_| true)?;
            return Ok(hit.map(|hit| hit.moment));
        };
        // A local lives no longer than its call: look no further back than the call's beginning.
        let begin = self.call_begin(limit, depth)?.unwrap_or(Moment::START);
        let hits = self.hits_between(begin, limit, End::Included, stops)?;
        Ok(hits.last().map(|hit| hit.moment))
    }

    /// When the call that is `depth` frames deep here was entered.
    fn call_begin(&mut self, here: Moment, depth: usize) -> Result<Option<Moment>, CommandError> {
        let func = self
            .history
            .twin
            .machine
            .location()
            .map(|location| location.func);
        // Below the outermost call is nothing but the start of the program, if there is no start function.
        let outermost = depth <= 1 && func == Some(self.entry.0);
        if outermost && self.program().module.start().is_none() {
            return Ok(Some(Moment::START));
        }
        let first = func.and_then(|func| self.first_instruction(func));
        let stops = Stops {
            code: first.into_iter().collect(),
            ..Stops::default()
        };
        let hit = self.last_hit(here, End::Included, &stops, |hit| hit.depth == depth)?;
        Ok(hit.map(|hit| hit.moment))
    }

    /// Where the last line begins that is not the `same`: the earliest of the hits in a row that belong to one line.
    fn last_run_of_hits(
        &mut self,
        limit: Moment,
        stops: &Stops,
        counts: impl Fn(&Hit) -> bool,
        same: impl Fn(&Hit) -> bool,
    ) -> Result<Option<Moment>, CommandError> {
        let (mut end, mut chosen): (Moment, Option<Hit>) = (limit, None);
        while let Some(start) = self.window_before(end, limit) {
            for hit in self
                .hits_between(start, end, End::Excluded, stops)?
                .into_iter()
                .rev()
                .filter(|hit| counts(hit))
            {
                match chosen {
                    // In the middle of a line, its own beginning is where to go.
                    None if same(&hit) => chosen = Some(hit),
                    None => chosen = Some(hit),
                    Some(kept) if (kept.line, kept.depth) == (hit.line, hit.depth) => {
                        chosen = Some(hit)
                    }
                    Some(kept) => return Ok(Some(kept.moment)),
                }
            }
            end = start;
        }
        Ok(chosen.map(|hit| hit.moment))
    }

    /// The moment from which to search forward up to `end`, when all between `end` and `limit` was searched already;
    /// nothing if `end` is the start of the program.
    fn window_before(&self, end: Moment, limit: Moment) -> Option<Moment> {
        let history = &self.history;
        // What is sought is mostly near: look there before going to the next keyframe.
        let near = NEAR.into_iter().find_map(|distance| {
            let steps = limit.steps.checked_sub(distance)?;
            let place = history.tree.at_step(limit.place, steps)?;
            (steps < end.steps).then_some(Moment { place, steps })
        });
        near.or_else(|| {
            let before = history.before(end)?;
            let (keyframe, _) = history.keyframes.nearest(&history.tree, before);
            Some(keyframe)
        })
    }

    /// All stops at or after `start` and before (or at) `end`.
    fn hits_between(
        &mut self,
        start: Moment,
        end: Moment,
        included: End,
        stops: &Stops,
    ) -> Result<Vec<Hit>, CommandError> {
        let mut hits = Vec::new();
        // A walk does not stop where it begins: look there first.
        self.history.seek(start)?;
        if let Some(offset) = self
            .history
            .twin
            .machine
            .location()
            .map(|location| location.offset)
            && stops.code.contains(&offset)
            && start < end
        {
            hits.push(self.hit(Found::Code(offset)));
        }
        self.history.arm(stops);
        let met = self.hits_up_to(end, included, stops, &mut hits);
        self.history.disarm(stops);
        met.map(|()| hits)
    }

    /// The stops from here on; the VM knows them already.
    fn hits_up_to(
        &mut self,
        end: Moment,
        included: End,
        stops: &Stops,
        hits: &mut Vec<Hit>,
    ) -> Result<(), CommandError> {
        loop {
            let found = self.history.walk_armed(end, stops, None)?;
            let here = self.history.here();
            let ended = here == end || matches!(found, Found::Finished | Found::Trapped(_));
            if ended && included == End::Excluded {
                return Ok(());
            }
            match (found, self.history.twin.machine.location()) {
                // The walk ends before it looks at the instruction there.
                (Found::Target, Some(location)) if stops.code.contains(&location.offset) => {
                    hits.push(self.hit(Found::Code(location.offset)));
                }
                (Found::Target | Found::Mocked, _) => {}
                (found, _) => hits.push(self.hit(found)),
            }
            if ended {
                return Ok(());
            }
        }
    }

    fn hit(&self, found: Found) -> Hit {
        let origin = self.origin();
        Hit {
            moment: origin.moment,
            found,
            depth: origin.depth,
            line: origin.line,
        }
    }
}
