//! Moving backward along the current path.
//!
//! A search backward replays stretches of the past, the nearest first, and takes the last stop that it met.

use borges_vm::CodeOffset;

use crate::command::Observer;
use crate::command::{Event, NewBreakpoint, StepSize, StopReason};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::history::{Found, Stops};
use crate::motion::{Motion, PausedSearch};
use crate::scene::is_of_library;
use crate::stage::Stage;

/// How far back a search looks first, in steps: what is sought is mostly near.
const NEAR: [u64; 3] = [512, 8_192, 131_072];

/// Stops between two looks at the observer, where they are nearer to each other than its looks.
const STOPS_BETWEEN_LOOKS: u32 = 1_024;

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
    inlined: usize,
    line: Option<(u32, u32)>,
    /// A call of a function begins here.
    enters: bool,
}

impl Hit {
    fn source_depth(&self) -> (usize, usize) {
        (self.depth, self.inlined)
    }
}

impl Motion {
    /// *play*, backwards: to the last breakpoint before here, or the start.
    pub(crate) fn go_back(
        &mut self,
        stage: &mut Stage,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        let stops = self.breakpoints.stops();
        let here = stage.history.here();
        let mut back_to = self.looked_back_to(here, &stops);
        while stops != Stops::default() {
            let found = self.last_stop(stage, &mut back_to, here, &stops, observer)?;
            let Some(hit) = found else {
                break;
            };
            stage.history.seek(hit.moment, observer)?;
            for id in self.breakpoints.waiting_for(&hit.found, &stops) {
                if self.stops_search(stage, id, observer) {
                    return Ok(self.stopped_by(stage, id));
                }
            }
            back_to = hit.moment;
        }
        stage.history.seek(Moment::START, observer)?;
        Ok(StopReason::Start)
    }

    /// The last stop before `back_to`, for a search that began at `from`; if it is paused, the user hears how far it came.
    fn last_stop(
        &mut self,
        stage: &mut Stage,
        back_to: &mut Moment,
        from: Moment,
        stops: &Stops,
        observer: Observer<'_>,
    ) -> Result<Option<Hit>, CommandError> {
        let start = Moment::START;
        let found = last_hit(
            stage,
            back_to,
            start,
            End::Excluded,
            stops,
            |_| true,
            observer,
        );
        if matches!(found, Err(CommandError::Paused)) {
            let text = self.search_paused(from, stops.clone(), *back_to);
            observer(Event::Warning { text });
        }
        found
    }

    /// Where a search from `from` begins: before what it looked at until it was paused.
    pub(super) fn looked_back_to(&mut self, from: Moment, stops: &Stops) -> Moment {
        let breakpoints = self.breakpoint_specs();
        let same = |search: &PausedSearch| {
            (search.from, &search.stops, &search.breakpoints) == (from, stops, &breakpoints)
        };
        let search = self.paused_search.take().filter(same);
        search.map_or(from, |search| search.back_to)
    }

    /// Notes how far a search came; that in words.
    pub(super) fn search_paused(&mut self, from: Moment, stops: Stops, back_to: Moment) -> String {
        self.paused_search = Some(PausedSearch {
            from,
            stops,
            breakpoints: self.breakpoint_specs(),
            back_to,
        });
        format!(
            "looked back to step {}: say it again, and it goes on from there",
            back_to.steps
        )
    }

    fn breakpoint_specs(&self) -> Vec<NewBreakpoint> {
        let list = self.breakpoints.list().iter();
        list.map(|breakpoint| breakpoint.spec.clone()).collect()
    }

    /// Runs backward until `offsets` are about to be executed.
    pub(crate) fn run_back_to(
        &mut self,
        stage: &mut Stage,
        offsets: Vec<CodeOffset>,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        let stops = Stops {
            code: offsets,
            ..Stops::default()
        };
        let here = stage.history.here();
        let mut back_to = self.looked_back_to(here, &stops);
        match self.last_stop(stage, &mut back_to, here, &stops, observer)? {
            Some(hit) => stage.arrive(hit.moment, observer),
            None => Ok(StopReason::NotFound),
        }
    }

    /// Steps backward once (*step-back*, *step-back-compensate*).
    pub(super) fn step_backward(
        stage: &mut Stage,
        size: StepSize,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        let here = stage.history.here();
        let Some(before) = stage.history.before(here) else {
            return Ok(StopReason::Start);
        };
        match size {
            StepSize::Instruction => stage.arrive(before, observer),
            StepSize::Entry => back_over_entry(stage, here, observer),
            // As forwards: without lines, an instruction is a line.
            StepSize::Into | StepSize::Over if stage.loaded.all_line_begins().is_empty() => {
                back_over_instruction(stage, before, size, observer)
            }
            StepSize::Into | StepSize::Over => back_over_line(stage, here, size, observer),
            StepSize::Out => back_out(stage, here, observer),
        }
    }
}

fn back_over_entry(
    stage: &mut Stage,
    here: Moment,
    observer: Observer<'_>,
) -> Result<StopReason, CommandError> {
    let entry = stage.history.tree().entry(here.place).cloned();
    match (entry, stage.history.tree().parent(here.place)) {
        (Some(entry), Some(place)) => {
            let steps = entry.step_before();
            stage.arrive(Moment::of(place, steps), observer)
        }
        _ => stage.arrive(Moment::START, observer),
    }
}

/// To the instruction before; over calls, to the call if that instruction is the last of one.
fn back_over_instruction(
    stage: &mut Stage,
    before: Moment,
    size: StepSize,
    observer: Observer<'_>,
) -> Result<StopReason, CommandError> {
    let depth = stage.origin().depth;
    let mut reason = stage.arrive(before, observer)?;
    while size == StepSize::Over && stage.origin().depth > depth.max(1) {
        let here = stage.history.here();
        reason = back_out(stage, here, observer)?;
        if stage.history.here() == Moment::START {
            break;
        }
    }
    Ok(reason)
}

fn back_over_line(
    stage: &mut Stage,
    here: Moment,
    size: StepSize,
    observer: Observer<'_>,
) -> Result<StopReason, CommandError> {
    let origin = stage.origin();
    // Where calls begin, all that is as deep and lies before belongs to other calls.
    let mut code = call_begins(stage);
    code.extend(stage.loaded.all_line_begins());
    code.sort_unstable();
    code.dedup();
    let mut deepest = (size == StepSize::Over).then_some((origin.depth, origin.inlined));
    if size == StepSize::Over && origin.depth == 0 {
        deepest = outermost_own(stage, here, observer)?;
        if deepest.is_some() {
            code.retain(|offset| is_own(stage, *offset));
        }
    }
    let stops = Stops {
        code,
        ..Stops::default()
    };
    match last_line(stage, here, &stops, deepest, observer)? {
        Some(moment) => stage.arrive(moment, observer),
        None => stage.arrive(Moment::START, observer),
    }
}

/// Whether an instruction is of the user's own code.
fn is_own(stage: &Stage, offset: CodeOffset) -> bool {
    let info = stage.info();
    let file = info
        .place_at(offset)
        .and_then(|place| info.file(place.file));
    file.is_some_and(|file| !is_of_library(&file.path))
}

/// After the end no call is under way that could be stayed in: how deep the outermost function of the user's own code was
/// when the program was in such code last. Libraries call it, and end the program after it.
fn outermost_own(
    stage: &mut Stage,
    here: Moment,
    observer: Observer<'_>,
) -> Result<Option<(usize, usize)>, CommandError> {
    let lines = stage.loaded.all_line_begins().iter().copied();
    let stops = Stops {
        code: lines.filter(|offset| is_own(stage, *offset)).collect(),
        ..Stops::default()
    };
    let (mut back_to, floor) = (here, Moment::START);
    let accept = |hit: &Hit| hit.line.is_some();
    let last = last_hit(
        stage,
        &mut back_to,
        floor,
        End::Excluded,
        &stops,
        accept,
        observer,
    )?;
    let Some(last) = last else {
        return Ok(None);
    };
    stage.history.seek(last.moment, observer)?;
    let machine = &stage.history.twin().machine;
    let mut stack = machine.standing().rev();
    let outermost = stack.position(|standing| {
        let offset = machine.place_of(&standing);
        offset.is_some_and(|at| is_own(stage, at))
    });
    Ok(outermost.map(|callers| (callers + 1, usize::MAX)))
}

/// The first instructions of all functions.
fn call_begins(stage: &Stage) -> Vec<CodeOffset> {
    let functions = stage.info().functions().into_iter();
    let own = functions.filter(|function| !function.imported);
    own.filter_map(|function| stage.loaded.first_instruction(function.index))
        .collect()
}

fn back_out(
    stage: &mut Stage,
    here: Moment,
    observer: Observer<'_>,
) -> Result<StopReason, CommandError> {
    let depth = stage.origin().depth;
    let begin = call_begin(stage, here, depth, observer)?;
    let call = begin.and_then(|begin| stage.history.before(begin));
    stage.arrive(call.unwrap_or(Moment::START), observer)
}

/// The last stop before (or at) `back_to` and not before `floor` that `accept` takes. The twin is somewhere before
/// `back_to` afterwards, which then is where all was looked at that lies behind it.
fn last_hit(
    stage: &mut Stage,
    back_to: &mut Moment,
    floor: Moment,
    mut included: End,
    stops: &Stops,
    accept: impl Fn(&Hit) -> bool,
    observer: Observer<'_>,
) -> Result<Option<Hit>, CommandError> {
    let look = |stage: &mut Stage, (start, end), observer: Observer<'_>| {
        let hits = hits_between(stage, start, end, included, stops, observer)?;
        included = End::Excluded;
        Ok(hits.into_iter().rev().find(|hit| accept(hit)))
    };
    look_back(stage, back_to, floor, look, observer)
}

/// Looks at one stretch of the past after the other, the nearest first, from `back_to` to `floor`, until something is found
/// in one. Where it is paused, `back_to` says how far it came.
pub(super) fn look_back<T>(
    stage: &mut Stage,
    back_to: &mut Moment,
    floor: Moment,
    mut look: impl FnMut(&mut Stage, (Moment, Moment), Observer<'_>) -> Result<Option<T>, CommandError>,
    observer: Observer<'_>,
) -> Result<Option<T>, CommandError> {
    let limit = *back_to;
    while *back_to > floor
        && let Some(start) = window_before(stage, *back_to, limit)
    {
        let start = start.max(floor);
        let found = look(stage, (start, *back_to), observer)?;
        if found.is_some() {
            return Ok(found);
        }
        *back_to = start;
        stage.history.look_up("looking back", None, observer)?;
    }
    Ok(None)
}

/// The moment right after the last write that a watch sees before `back_to`; for a local, in the call that is `depth`
/// frames deep.
pub(super) fn last_write(
    stage: &mut Stage,
    back_to: &mut Moment,
    stops: &Stops,
    depth: Option<usize>,
    observer: Observer<'_>,
) -> Result<Option<Moment>, CommandError> {
    let here = stage.history.here();
    // A local lives no longer than its call: look no further back than the call's beginning.
    let begin = match depth {
        Some(depth) => call_begin(stage, here, depth, observer)?,
        None => None,
    };
    let floor = begin.unwrap_or(Moment::START);
    let included = match *back_to == here {
        true => End::Included,
        false => End::Excluded,
    };
    // The end of the program, by a trap or not, is where a walk stops as well, and no write.
    let accept = |hit: &Hit| matches!(hit.found, Found::Watch(_));
    let hit = last_hit(stage, back_to, floor, included, stops, accept, observer)?;
    Ok(hit.map(|hit| hit.moment))
}

/// When the call that is `depth` frames deep here was entered.
fn call_begin(
    stage: &mut Stage,
    here: Moment,
    depth: usize,
    observer: Observer<'_>,
) -> Result<Option<Moment>, CommandError> {
    let machine = &stage.history.twin().machine;
    let frame = machine.depth().checked_sub(depth);
    let standing = frame.and_then(|frame| machine.standing().nth(frame));
    let func = standing.map(|standing| standing.func);
    // Below the outermost call is nothing but the start of the program, if there is no start function.
    let outermost = depth <= 1 && func == Some(stage.loaded.entry().0);
    if outermost && stage.program().module.start().is_none() {
        return Ok(Some(Moment::START));
    }
    let first = func.and_then(|func| stage.loaded.first_instruction(func));
    let stops = Stops {
        code: first.into_iter().collect(),
        ..Stops::default()
    };
    let (mut back_to, floor) = (here, Moment::START);
    let accept = |hit: &Hit| hit.depth == depth;
    let hit = last_hit(
        stage,
        &mut back_to,
        floor,
        End::Included,
        &stops,
        accept,
        observer,
    )?;
    Ok(hit.map(|hit| hit.moment))
}

/// Where the last line before `limit` begins: the earliest of its hits in a row. Lines of calls deeper than
/// `deepest` do not count; of that depth only those of the call that is under way, not those of calls before it.
fn last_line(
    stage: &mut Stage,
    limit: Moment,
    stops: &Stops,
    mut deepest: Option<(usize, usize)>,
    observer: Observer<'_>,
) -> Result<Option<Moment>, CommandError> {
    let (mut end, mut chosen): (Moment, Option<Hit>) = (limit, None);
    while let Some(start) = window_before(stage, end, limit) {
        for hit in hits_between(stage, start, end, End::Excluded, stops, observer)?
            .into_iter()
            .rev()
        {
            let counts = deepest.is_none_or(|deepest| hit.source_depth() <= deepest)
                && hit.line.is_some()
                && is_line_begin(stage, &hit);
            match chosen {
                None if counts => chosen = Some(hit),
                Some(kept)
                    if counts
                        && kept.line == hit.line
                        && kept.source_depth() == hit.source_depth() =>
                {
                    chosen = Some(hit);
                }
                Some(kept) if counts => return Ok(Some(kept.moment)),
                _ => {}
            }
            if hit.enters {
                // What is as deep and lies before is another call of the function.
                if let Some(kept) = chosen.filter(|kept| kept.depth == hit.depth) {
                    return Ok(Some(kept.moment));
                }
                deepest = match deepest {
                    Some((depth, _)) if depth == hit.depth => Some((depth - 1, usize::MAX)),
                    same => same,
                };
            }
        }
        end = start;
        stage.history.look_up("looking back", None, observer)?;
    }
    Ok(chosen.map(|hit| hit.moment))
}

fn is_line_begin(stage: &Stage, hit: &Hit) -> bool {
    matches!(hit.found, Found::Code(offset) if stage.info().line_begins(offset))
}

/// The moment from which to search forward up to `end`, when all between `end` and `limit` was searched already;
/// nothing if `end` is the start of the program.
fn window_before(stage: &Stage, end: Moment, limit: Moment) -> Option<Moment> {
    let history = &stage.history;
    // What is sought is mostly near: look there before going to the next keyframe.
    let near = NEAR.into_iter().find_map(|distance| {
        let steps = limit.steps.checked_sub(distance)?;
        let place = history.tree().at_step(limit.place, steps)?;
        (steps < end.steps).then_some(Moment::of(place, steps))
    });
    near.or_else(|| {
        let before = history.before(end)?;
        Some(history.kept_before(before))
    })
}

/// All stops at or after `start` and before (or at) `end`.
fn hits_between(
    stage: &mut Stage,
    start: Moment,
    end: Moment,
    included: End,
    stops: &Stops,
    observer: Observer<'_>,
) -> Result<Vec<Hit>, CommandError> {
    let mut hits = Vec::new();
    // A walk does not stop where it begins: look there first.
    stage.history.seek(start, observer)?;
    if let Some(offset) = stage
        .history
        .twin()
        .machine
        .location()
        .map(|location| location.offset)
        && stops.code.contains(&offset)
        && start < end
    {
        hits.push(hit(stage, Found::Code(offset)));
    }
    stage.history.arm(stops);
    let met = hits_up_to(stage, end, included, stops, &mut hits, observer);
    stage.history.disarm(stops);
    met.map(|()| hits)
}

/// The stops from here on; the VM knows them already.
fn hits_up_to(
    stage: &mut Stage,
    end: Moment,
    included: End,
    stops: &Stops,
    hits: &mut Vec<Hit>,
    observer: Observer<'_>,
) -> Result<(), CommandError> {
    let mut met: u32 = 0;
    loop {
        let found = stage.history.walk_armed(end, stops, None, observer)?;
        met = met.wrapping_add(1);
        if met.is_multiple_of(STOPS_BETWEEN_LOOKS) {
            stage.history.look_up("looking back", None, observer)?;
        }
        let here = stage.history.here();
        let ended = here == end || matches!(found, Found::Finished | Found::Trapped(_));
        if ended && included == End::Excluded {
            return Ok(());
        }
        match (found, stage.history.twin().machine.location()) {
            // The walk ends before it looks at the instruction there.
            (Found::Target, Some(location)) if stops.code.contains(&location.offset) => {
                hits.push(hit(stage, Found::Code(location.offset)));
            }
            (Found::Target | Found::Mocked, _) => {}
            (found, _) => hits.push(hit(stage, found)),
        }
        if ended {
            return Ok(());
        }
    }
}

fn hit(stage: &Stage, found: Found) -> Hit {
    let origin = stage.origin();
    let location = stage.history.twin().machine.location();
    let first = location.and_then(|location| stage.loaded.first_instruction(location.func));
    Hit {
        moment: origin.moment,
        found,
        depth: origin.depth,
        inlined: origin.inlined,
        line: origin.line,
        enters: matches!(found, Found::Code(offset) if first == Some(offset)),
    }
}
