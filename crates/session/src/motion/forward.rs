//! Moving forward.
//!
//! On recorded ground the twin moves alone. Beyond it the device runs, and the twin follows. Steps that depend on the
//! program (by line, out of a function) are led by the twin: it runs ahead as far as the program is determined, finds the
//! exact step at which to stop, goes back, and sends the device there.

use std::cell::Cell;
use std::time::Duration;

use borges_sim::Metronome;
use borges_stub::Halt;
use borges_vm::{CodeOffset, Exit};
use borges_wire::PauseReason;

use crate::command::{Flow, Observer, StepSize, StopReason};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::history::twin::Probe;
use crate::history::{Found, SeekError, Stops};
use crate::motion::{Ground, Motion};
use crate::stage::{Origin, Stage};

/// How far the twin leads before the device follows, in steps.
const LEAD: u64 = 4_000_000;

/// Steps for which a future is played out, at most: of one that comes to nothing, others wait to be played.
const MOST_PLAYED: u64 = 50_000_000;

/// So long a replay that keeps a pace leaves the processor to others.
const NAP: Duration = Duration::from_millis(1);

impl Motion {
    /// *play*: until a breakpoint, the end, or a pause. From the past, the end of the recorded path is a stop too.
    pub(crate) fn go_on(
        &mut self,
        ground: &mut Ground<'_>,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        let stops = self.breakpoints.stops();
        if !self.at_live_edge(ground.stage) {
            let found = self.walk_recorded(ground, &stops, observer)?;
            match found {
                Some(reason) => return Ok(reason),
                None if self.at_live_edge(ground.stage)
                    && ground.stage.ended().is_none()
                    && !ground.runner.mock_awaits(ground.stage) =>
                {
                    return Ok(StopReason::Tip);
                }
                None => {}
            }
        }
        self.run_live(ground, &stops, None, observer)
    }

    /// Steps forward once.
    pub(crate) fn step_forward(
        &mut self,
        ground: &mut Ground<'_>,
        size: StepSize,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        match size {
            StepSize::Instruction => self.step_instruction(ground, observer),
            StepSize::Entry => self.step_entry(ground, observer),
            StepSize::Into | StepSize::Over => {
                let origin = ground.stage.origin();
                let mut stops = line_stops(ground.stage, size);
                let over = size == StepSize::Over;
                // A tail call may come back to the function: what is as deep as here is another call of it, then.
                let first = first_instruction(ground.stage);
                let is_stop = first.is_some_and(|first| stops.code.contains(&first));
                stops.code.extend(first);
                let is_again = Cell::new(false);
                self.advance(ground, stops, observer, |now| {
                    if now.offset == first && now.depth == origin.depth {
                        is_again.set(is_again.get() || now.moment != origin.moment);
                        if !is_stop {
                            return false;
                        }
                    }
                    let moved = match (origin.line, now.line) {
                        // Without lines, an instruction is a line.
                        (None, _) => now.moment != origin.moment,
                        (Some(_), None) => false,
                        (Some(_), Some(_)) => {
                            now.line != origin.line
                                || now.source_depth() != origin.source_depth()
                                || is_again.get()
                        }
                    };
                    let deeper = is_again.get() || now.source_depth() > origin.source_depth();
                    // Behind a call's return there is no line's beginning: stop there all the same.
                    now.depth < origin.depth || (moved && !(over && deeper))
                })
            }
            StepSize::Out => {
                let depth = ground.stage.origin().depth;
                let stops = return_stops(ground.stage);
                self.advance(ground, stops, observer, |now| now.depth < depth)
            }
        }
    }

    /// Runs forward until `offsets` are reached.
    pub(crate) fn run_to(
        &mut self,
        ground: &mut Ground<'_>,
        offsets: Vec<CodeOffset>,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        let mut stops = self.breakpoints.stops();
        stops.code.extend(&offsets);
        self.temporary = offsets;
        let result = match self.at_live_edge(ground.stage) {
            false => match self.walk_recorded(ground, &stops, observer) {
                Ok(None) => self.run_live(ground, &stops, None, observer),
                Ok(Some(reason)) => Ok(reason),
                Err(error) => Err(error),
            },
            true => self.run_live(ground, &stops, None, observer),
        };
        self.temporary.clear();
        result
    }

    /// Goes on, over what is recorded and beyond, until a stop of `own` at which `ended` says so, or a breakpoint.
    pub(crate) fn run_until(
        &mut self,
        ground: &mut Ground<'_>,
        own: &Stops,
        observer: Observer<'_>,
        ended: impl Fn(&Stage) -> bool,
    ) -> Result<StopReason, CommandError> {
        let mut stops = self.breakpoints.stops();
        stops.code.extend(&own.code);
        stops.primitives.extend(&own.primitives);
        let last = ground
            .stage
            .history
            .here()
            .steps
            .saturating_add(MOST_PLAYED);
        loop {
            let found = if !self.at_live_edge(ground.stage) {
                let mocks = ground.runner.mocks_in_force();
                let begun_at = ground.stage.history.here();
                match ground.walk(&stops, &mocks, None, observer) {
                    Err(SeekError::Paused) => return Ok(StopReason::Paused),
                    Err(SeekError::Diverged(divergence)) => return Err(divergence.into()),
                    Ok(Found::Mocked) => {
                        self.live_from = Some(ground.stage.history.here());
                        continue;
                    }
                    Ok(Found::Target) => {
                        let next = ground.stage.history.stop_since(begun_at, &stops);
                        next.unwrap_or(Found::Target)
                    }
                    Ok(found) => found,
                }
            } else if let Some(reason) = ground.stage.ended() {
                return Ok(reason);
            } else {
                let paused = ground.run(&stops, Some(last), observer)?;
                match found_by(&paused.reason) {
                    Some(found) => found,
                    None if paused.full || paused.reason == PauseReason::Until => {
                        return Ok(StopReason::Bound);
                    }
                    None => return Ok(StopReason::Paused),
                }
            };
            if ended(ground.stage) {
                return Ok(StopReason::Done);
            }
            if let Some(reason) = self.verdict(ground, &found, &stops, observer)? {
                return Ok(reason);
            }
            if observer(ground.stage.progress("playing out")) == Flow::Pause {
                return Ok(StopReason::Paused);
            }
        }
    }

    /// Goes on through the recording; a reason if a breakpoint or the end stops it, nothing at the end of what is
    /// recorded or where a mock leaves it.
    fn walk_recorded(
        &mut self,
        ground: &mut Ground<'_>,
        stops: &Stops,
        observer: Observer<'_>,
    ) -> Result<Option<StopReason>, CommandError> {
        let mut metronome = Metronome::new(ground.options.pace.clone());
        loop {
            let now_us = ground.stage.history.twin().clock_us();
            let until_us = metronome.allows_us(now_us);
            if until_us.is_some_and(|until| now_us > until) {
                ground.look(observer);
                if observer(ground.stage.progress("replaying")) == Flow::Pause {
                    return Ok(Some(StopReason::Paused));
                }
                std::thread::sleep(NAP);
                continue;
            }
            let mocks = ground.runner.mocks_in_force();
            let begun_at = ground.stage.history.here();
            match ground.walk(stops, &mocks, until_us, observer) {
                Err(SeekError::Paused) => return Ok(Some(StopReason::Paused)),
                Err(SeekError::Diverged(divergence)) => return Err(divergence.into()),
                Ok(Found::Target) => {
                    if let Some(ended) = ground.stage.ended() {
                        return Ok(Some(ended));
                    }
                    return match ground.stage.history.stop_since(begun_at, stops) {
                        Some(found) => self.verdict(ground, &found, stops, observer),
                        None => Ok(None),
                    };
                }
                Ok(Found::Mocked) => {
                    self.live_from = Some(ground.stage.history.here());
                    return Ok(None);
                }
                Ok(Found::Ahead) => {}
                Ok(found) => {
                    if let Some(reason) = self.verdict(ground, &found, stops, observer)? {
                        return Ok(Some(reason));
                    }
                }
            }
            if observer(ground.stage.progress("replaying")) == Flow::Pause {
                return Ok(Some(StopReason::Paused));
            }
        }
    }

    /// Runs the device from the end of what is recorded, the twin following.
    fn run_live(
        &mut self,
        ground: &mut Ground<'_>,
        stops: &Stops,
        until: Option<u64>,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        // A condition that is looked at on the way makes the way no longer.
        let entries = |ground: &Ground<'_>| ground.stage.history.tree().entry_count();
        let most = entries(ground).saturating_add(ground.options.live_entries);
        loop {
            if let Some(reason) = ground.stage.ended() {
                return Ok(reason);
            }
            let begun_at = ground.stage.history.here();
            let left = most.saturating_sub(entries(ground));
            let paused = ground.run_for(left, stops, until, observer)?;
            let found = match paused.reason {
                PauseReason::Requested => {
                    let how = match paused.full {
                        true => StopReason::Bound,
                        false => StopReason::Paused,
                    };
                    let reason = match ground.stage.history.stop_since(begun_at, stops) {
                        Some(found) => self.verdict(ground, &found, stops, observer)?,
                        None => None,
                    };
                    return Ok(reason.unwrap_or(how));
                }
                reason => match found_by(&reason) {
                    Some(found) => found,
                    None => return Ok(StopReason::Done),
                },
            };
            if let Some(reason) = self.verdict(ground, &found, stops, observer)? {
                return Ok(reason);
            }
            if entries(ground) >= most {
                return Ok(StopReason::Bound);
            }
            // Where a breakpoint's condition is seldom true, the device never runs for long.
            if observer(ground.stage.progress("running")) == Flow::Pause {
                return Ok(StopReason::Paused);
            }
        }
    }

    /// Whether what was found stops the program, and why.
    fn verdict(
        &mut self,
        ground: &mut Ground<'_>,
        found: &Found,
        stops: &Stops,
        observer: Observer<'_>,
    ) -> Result<Option<StopReason>, CommandError> {
        if let Found::Code(offset) = found
            && self.temporary.contains(offset)
        {
            return Ok(Some(StopReason::Done));
        }
        for id in self.breakpoints.waiting_for(found, stops) {
            if self.fires(ground, id, observer)? {
                let reason = match (found, ground.stage.ended()) {
                    (Found::Trapped(_), Some(ended)) => ended,
                    _ => self.stopped_by(ground.stage, id),
                };
                return Ok(Some(reason));
            }
        }
        match found {
            Found::Finished | Found::Trapped(_) => Ok(ground.stage.ended()),
            _ => Ok(None),
        }
    }

    fn step_instruction(
        &mut self,
        ground: &mut Ground<'_>,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        if !self.at_live_edge(ground.stage)
            && let Some(next) = self.next_recorded(ground)
        {
            return ground.stage.arrive(next, observer);
        }
        let here = ground.stage.history.here();
        if awaits_events(ground.stage) {
            // An event that is due is a step of its own: a run of no steps delivers it.
            let reason = self.run_live(ground, &Stops::default(), Some(here.steps), observer)?;
            if ground.stage.history.here() != here || reason != StopReason::Done {
                return Ok(reason);
            }
        }
        self.run_live(ground, &Stops::default(), Some(here.steps + 1), observer)
    }

    /// One step forward on the recorded path, unless a mock says something else than the recording.
    fn next_recorded(&mut self, ground: &mut Ground<'_>) -> Option<Moment> {
        if ground.runner.mock_awaits(ground.stage) {
            self.live_from = Some(ground.stage.history.here());
            return None;
        }
        let (here, tip) = (ground.stage.history.here(), ground.stage.history.tip());
        let next = ground
            .stage
            .history
            .tree()
            .between(here.place, tip.place)?
            .next();
        match next {
            Some((place, entry)) if entry.step_before() == here.steps => {
                Some(Moment::of(place, entry.step))
            }
            _ => Some(Moment {
                steps: here.steps + 1,
                ..here
            }),
        }
    }

    fn step_entry(
        &mut self,
        ground: &mut Ground<'_>,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        if !self.at_live_edge(ground.stage) {
            let (here, tip) = (ground.stage.history.here(), ground.stage.history.tip());
            let next = ground
                .stage
                .history
                .tree()
                .between(here.place, tip.place)
                .and_then(|mut path| path.next())
                .and_then(|(place, _)| ground.stage.history.moment_of(place));
            let mocks = ground.runner.mocks_in_force();
            let goal = next.unwrap_or(tip);
            let found =
                ground
                    .stage
                    .history
                    .walk(goal, &Stops::default(), Some(&mocks), observer)?;
            if found == Found::Mocked {
                self.live_from = Some(ground.stage.history.here());
            } else if next.is_some() {
                return ground.stage.arrive(goal, observer);
            }
        }
        // Live: stop before every call and event; the next entry is the first that makes the path longer.
        let origin = ground.stage.history.here().place;
        let every = ground.stage.program().board.ids().collect();
        let stops = Stops {
            primitives: every,
            events: true,
            ..Stops::default()
        };
        // Once it stands before something, it goes over that, by as little as possible.
        let mut past = match awaits_events(ground.stage) {
            true => Some(ground.stage.history.here().steps),
            false => past_call(ground.stage),
        };
        while ground.stage.history.here().place == origin {
            if let Some(reason) = ground.stage.ended() {
                return Ok(reason);
            }
            let (stops, until) = match past {
                Some(until) => (&Stops::default(), Some(until)),
                None => (&stops, None),
            };
            let paused = ground.run(stops, until, observer)?;
            past = match paused.reason {
                PauseReason::Requested => return Ok(StopReason::Paused),
                PauseReason::Event { .. } => Some(ground.stage.history.here().steps),
                _ => past_call(ground.stage),
            };
        }
        // An event that came where the program stood may have been followed by more.
        let here = ground.stage.history.here();
        let first = ground.stage.history.tree().between(origin, here.place);
        let first = first
            .and_then(|mut path| path.next())
            .map(|(place, _)| place);
        let moment = first.and_then(|place| ground.stage.history.moment_of(place));
        ground.stage.arrive(moment.unwrap_or(here), observer)
    }

    /// Goes forward until a stop that `accept` takes, or a breakpoint; the twin leads where nothing is recorded.
    fn advance(
        &mut self,
        ground: &mut Ground<'_>,
        mut stops: Stops,
        observer: Observer<'_>,
        accept: impl Fn(&Origin) -> bool,
    ) -> Result<StopReason, CommandError> {
        let own: Vec<CodeOffset> = std::mem::take(&mut stops.code);
        let users = self.breakpoints.stops();
        stops.clone_from(&users);
        stops.code.extend(&own);
        loop {
            let found = if self.at_live_edge(ground.stage) {
                if let Some(reason) = ground.stage.ended() {
                    return Ok(reason);
                }
                self.lead(ground, &stops, &own, observer, &accept)?
            } else {
                let (tip, mocks) = (ground.stage.history.tip(), ground.runner.mocks_in_force());
                let begun_at = ground.stage.history.here();
                let history = &mut ground.stage.history;
                Some(match history.walk(tip, &stops, Some(&mocks), observer) {
                    Err(SeekError::Paused) => return Ok(StopReason::Paused),
                    Err(error) => return Err(error.into()),
                    Ok(Found::Mocked) => {
                        self.live_from = Some(history.here());
                        Found::Mocked
                    }
                    Ok(Found::Target) => {
                        let next = history.stop_since(begun_at, &stops);
                        next.unwrap_or(Found::Target)
                    }
                    Ok(found) => found,
                })
            };
            match found {
                None => return Ok(StopReason::Paused),
                Some(Found::Target | Found::Mocked) => {
                    if let Some(reason) = ground.stage.ended() {
                        return Ok(reason);
                    }
                }
                Some(found) => {
                    if let Found::Code(offset) = found
                        && own.contains(&offset)
                        && accept(&ground.stage.origin())
                    {
                        return Ok(StopReason::Done);
                    }
                    if let Some(reason) = self.verdict(ground, &found, &users, observer)? {
                        return Ok(reason);
                    }
                }
            }
            if observer(ground.stage.progress("stepping")) == Flow::Pause {
                return Ok(StopReason::Paused);
            }
        }
    }

    /// The twin runs ahead to the next stop worth a look, or as far as the program is determined, and the device follows
    /// to exactly there. Nothing if the user paused.
    fn lead(
        &mut self,
        ground: &mut Ground<'_>,
        stops: &Stops,
        own: &[CodeOffset],
        observer: Observer<'_>,
        accept: &impl Fn(&Origin) -> bool,
    ) -> Result<Option<Found>, CommandError> {
        let here = ground.stage.history.here();
        let frame = ground.stage.history.twin().frame(None);
        let until = here.steps + LEAD;
        let mut probe = Probe::default();
        ground.stage.history.arm(stops);
        let mut looked = here.steps;
        let mut paused = false;
        let (found, target) = loop {
            let look = looked.saturating_add(ground.stage.history.look_every());
            let halt = ground
                .stage
                .history
                .run_unrecorded(&mut probe, until.min(look));
            let steps = ground.stage.history.twin().steps();
            if steps >= look {
                looked = steps;
                paused = ground
                    .stage
                    .history
                    .look_up("stepping", None, observer)
                    .is_err();
            }
            match halt {
                _ if paused => break (Found::Target, steps),
                Halt::Until if steps < until => {}
                // A stop where we stand does not count.
                Halt::Stop(Exit::Breakpoint(_)) if steps == here.steps => {}
                Halt::Stop(Exit::Breakpoint(offset)) => {
                    if self.breakpoint_at(offset)
                        || own.contains(&offset) && accept(&ground.stage.origin())
                    {
                        break (Found::Code(offset), steps);
                    }
                }
                Halt::Stop(Exit::Watch { watch, .. }) => break (Found::Watch(watch), steps),
                Halt::Left => {
                    // The input comes from the device: it is the next step.
                    probe.entries += 1;
                    break (Found::Target, steps + 1);
                }
                Halt::Trapped(_) | Halt::Finished => break (Found::Target, steps + 1),
                _ => break (Found::Target, steps.max(here.steps + 1)),
            }
        };
        ground.stage.history.disarm(stops);
        ground.stage.history.put_back(&frame);
        if paused {
            return Ok(None);
        }
        // What an event that nobody foresees leads to stops there as well.
        let users = self.breakpoints.stops();
        let paused = ground.run(&users, Some(target), observer)?;
        let foreseen = ground.stage.history.here().place.index == here.place.index + probe.entries;
        Ok(match paused.reason {
            PauseReason::Requested => None,
            PauseReason::Primitive { primitive } => {
                Some(Found::Primitive(borges_board::PrimitiveId(primitive)))
            }
            PauseReason::Event { .. } => Some(Found::Event),
            PauseReason::Breakpoint { offset } => Some(Found::Code(CodeOffset(offset))),
            PauseReason::Watch { watch, .. } => Some(Found::Watch(watch as usize)),
            PauseReason::Until if foreseen => Some(found),
            _ => Some(Found::Target),
        })
    }
}

/// What the device found; nothing if it was told to pause, or came as far as it was to.
fn found_by(reason: &PauseReason) -> Option<Found> {
    Some(match reason {
        PauseReason::Requested | PauseReason::Until => return None,
        PauseReason::Breakpoint { offset } => Found::Code(CodeOffset(*offset)),
        PauseReason::Watch { watch, .. } => Found::Watch(*watch as usize),
        PauseReason::Primitive { primitive } => {
            Found::Primitive(borges_board::PrimitiveId(*primitive))
        }
        PauseReason::Event { .. } => Found::Event,
        PauseReason::Finished { .. } => Found::Finished,
        PauseReason::Trapped { .. } | PauseReason::BoardFailed { .. } => {
            Found::Trapped(borges_vm::Trap::Host)
        }
    })
}

/// Whether an event may come here.
fn awaits_events(stage: &Stage) -> bool {
    let board = &stage.history.twin().board;
    board.timer().is_some() || board.subscriptions().next().is_some()
}

/// The step count after the call of a primitive that comes next, if one does.
fn past_call(stage: &Stage) -> Option<u64> {
    let call = stage.history.twin().machine.pending();
    call.map(|_| stage.history.here().steps + 1)
}

/// Where a step by line may end.
fn line_stops(stage: &Stage, size: StepSize) -> Stops {
    let mut stops = return_stops(stage);
    let Some(location) = stage.history.twin().machine.location() else {
        return stops;
    };
    if stage.origin().line.is_none() {
        stops
            .code
            .extend(stage.program().module.instr_starts(location.func));
    }
    match size {
        StepSize::Over => stops
            .code
            .extend(stage.loaded.line_begins_of(location.func)),
        _ => stops.code.extend(stage.loaded.all_line_begins()),
    }
    stops
}

/// The first instruction of the function that runs.
fn first_instruction(stage: &Stage) -> Option<CodeOffset> {
    let location = stage.history.twin().machine.location()?;
    stage.loaded.first_instruction(location.func)
}

/// Where the current call returns to, or an exception leads out of it.
fn return_stops(stage: &Stage) -> Stops {
    let machine = &stage.history.twin().machine;
    let behind = machine.standing().nth(1).map(|caller| caller.next);
    Stops {
        code: behind.into_iter().chain(machine.catch_labels()).collect(),
        ..Stops::default()
    }
}
