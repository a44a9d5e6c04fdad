//! Motions, forward and back, and what the editor is told when they end.

use std::collections::VecDeque;

use borges_session::command::{Act, Direction, Look, StepSize, Stop, StopKind, StopReason};
use borges_session::listing::StreamsListing;
use serde_json::{Value, json};

use super::{Device, MAIN, frame_number};
use crate::arrival::{Replied, read_reply};
use crate::core::Core;
use crate::debuggee::Asked;
use crate::protocol::answers::Stopped;
use crate::protocol::arguments::{OfFrame, OwnStep, Step};
use crate::protocol::{Answer, Failure, NOTHING, Request};
use borges_session::command::Reply;

/// A motion that is under way.
#[derive(Debug)]
pub(crate) struct Motion {
    /// The number of what was asked.
    pub(super) id: u32,
    act: Act,
    /// What comes after it, if nothing stops on the way.
    rest: VecDeque<Act>,
    /// What the editor calls a stop at its end.
    reason: &'static str,
}

impl Motion {
    /// Whether it can be interrupted and gone on with: others would go elsewhere from where they came to.
    fn runs(&self) -> bool {
        matches!(self.act, Act::RunOn | Act::Continue { .. }) && self.rest.is_empty()
    }
}

/// A step of one size and direction.
pub(super) fn step(direction: Direction, size: StepSize, count: u64) -> Act {
    Act::Step {
        agent: None,
        direction,
        size,
        count,
    }
}

/// The size of a step: an instruction where the editor shows those.
fn sized(asked: &Step, usual: StepSize) -> StepSize {
    match asked.granularity.as_deref() {
        Some("instruction") => StepSize::Instruction,
        _ => usual,
    }
}

/// Why a view stands where it stands, in words; nothing if it came to where it was sent.
pub(super) fn words(reason: &StopReason) -> String {
    match reason {
        StopReason::Done => String::new(),
        StopReason::Breakpoint { id } => format!("breakpoint {id}"),
        StopReason::Limit { limit } => {
            format!("a limit of the board is about to be broken: {limit}")
        }
        StopReason::Finished { results } if results.is_empty() => {
            "the program has ended".to_owned()
        }
        StopReason::Finished { results } => {
            format!("the program has ended: {}", results.join(", "))
        }
        StopReason::Trapped { trap } => format!("the program trapped: {trap}"),
        StopReason::Paused => "paused".to_owned(),
        StopReason::Start => "the start of the program: nothing lies before".to_owned(),
        StopReason::Tip => "the end of what is recorded: go on, and the device does".to_owned(),
        StopReason::NotFound => "nothing like it was found: the view has not moved".to_owned(),
        StopReason::Bound => "a bound was reached: go on to go further".to_owned(),
    }
}

impl Device {
    pub(super) fn motion_request(
        &mut self,
        core: &mut Core,
        command: &str,
        request: &Request,
    ) -> Option<Asked> {
        let stepped = |this: &mut Self, core: &mut Core, direction, size| {
            request.arguments::<Step>().and_then(|asked| {
                this.start(core, vec![step(direction, sized(&asked, size), 1)], "step")
            })
        };
        let answer = match command {
            "continue" => self
                .start(core, vec![Act::RunOn], "step")
                .map(|_| json!({ "allThreadsContinued": true })),
            "reverseContinue" => {
                let direction = Direction::Backward;
                self.start(core, vec![Act::Continue { direction }], "step")
            }
            "next" => stepped(self, core, Direction::Forward, StepSize::Over),
            "stepIn" => self.step_in(core, request),
            "stepOut" => stepped(self, core, Direction::Forward, StepSize::Out),
            "stepBack" => stepped(self, core, Direction::Backward, StepSize::Over),
            "restartFrame" => request
                .arguments()
                .and_then(|asked| self.restart_frame(core, asked)),
            "pause" => {
                core.pause();
                NOTHING
            }
            "borges/step" => request.arguments::<OwnStep>().and_then(|asked| {
                let count = asked.count.unwrap_or(1).max(1);
                self.start(core, vec![step(asked.direction, asked.size, count)], "step")
            }),
            _ => return None,
        };
        Some(Asked::Now(answer))
    }

    fn step_in(&mut self, core: &mut Core, request: &Request) -> Answer {
        let asked: Step = request.arguments()?;
        if let Some(target) = asked.target_id {
            return self.step_to(core, target);
        }
        let size = sized(&asked, StepSize::Into);
        self.start(core, vec![step(Direction::Forward, size, 1)], "step")
    }

    /// Back to the start of a frame's function: out of it backwards, and in again.
    fn restart_frame(&mut self, core: &mut Core, asked: OfFrame) -> Answer {
        let number = frame_number(asked.frame_id);
        let number = number.filter(|number| (*number as usize) < core.parts.frames.len());
        let number = number.ok_or_else(|| Failure::new("there is no such frame here"))?;
        let is_outermost = number as usize + 1 == core.parts.frames.len();
        let acts = match is_outermost {
            true => vec![Act::Restart],
            false => {
                let back = step(Direction::Backward, StepSize::Out, u64::from(number) + 1);
                vec![back, step(Direction::Forward, StepSize::Into, 1)]
            }
        };
        self.start(core, acts, "restart")
    }

    /// Begins a motion; the editor is answered before anything is heard of it.
    ///
    /// # Errors
    /// One is under way.
    pub(super) fn start(
        &mut self,
        core: &mut Core,
        acts: Vec<Act>,
        reason: &'static str,
    ) -> Answer {
        if self.motion.is_some() || core.parts.running.is_some() {
            return Err(Failure::new("the program runs: pause it first"));
        }
        let mut acts = VecDeque::from(acts);
        if let Some(act) = acts.pop_front() {
            self.go(core, act, acts, reason);
        }
        NOTHING
    }

    fn go(&mut self, core: &mut Core, act: Act, rest: VecDeque<Act>, reason: &'static str) {
        self.handles.clear();
        self.targets.clear();
        self.shown = None;
        core.moving = true;
        let id = core.ask_command(&act);
        self.motion = Some(Motion {
            id,
            act,
            rest,
            reason,
        });
    }

    /// A motion of this editor has come to its end.
    pub(super) fn motion_replied(&mut self, core: &mut Core, reply: Replied) {
        let Some(mut motion) = self.motion.take() else {
            return;
        };
        core.moving = false;
        let stop = match reply.and_then(read_reply) {
            Ok(Reply::Stopped(stop)) => Some(stop),
            Ok(_) => None,
            Err(message) => {
                core.output("important", &*message);
                return self.announce(core, None, motion.reason, Some(message));
            }
        };
        let goes_on = stop
            .as_ref()
            .is_none_or(|stop| stop.reason == StopReason::Done);
        if let Some(next) = motion.rest.pop_front().filter(|_| goes_on) {
            return self.go(core, next, motion.rest, motion.reason);
        }
        self.announce(core, stop.as_ref(), motion.reason, None);
    }

    /// Has everything stand still, so that what is set is set at once. What runs can be gone on with.
    pub(super) fn stand_still(&mut self, core: &mut Core) -> Option<Motion> {
        if let Some(motion) = self.motion.take() {
            core.pause();
            let reply = core.wait_for(motion.id);
            let is_paused = matches!(
                reply.as_ref().map(|reply| reply["reason"].as_str()),
                Ok(Some("paused"))
            );
            if is_paused && motion.runs() {
                core.moving = false;
                return Some(motion);
            }
            self.motion = Some(motion);
            self.motion_replied(core, reply);
            return None;
        }
        core.parts.running.as_ref()?;
        // Somebody else had it run: they pause too, and it goes on for all.
        core.pause();
        let id = core.ask_command(Look::Moment);
        let _answered = core.wait_for(id);
        Some(Motion {
            id,
            act: Act::RunOn,
            rest: VecDeque::new(),
            reason: "step",
        })
    }

    /// Goes on with what was interrupted.
    pub(super) fn go_on(&mut self, core: &mut Core, interrupted: Option<Motion>) {
        if let Some(motion) = interrupted {
            self.go(core, motion.act, motion.rest, motion.reason);
        }
    }

    /// Tells the editor where the program stands.
    fn announce(
        &mut self,
        core: &mut Core,
        stop: Option<&Stop>,
        wanted: &'static str,
        description: Option<String>,
    ) {
        self.handles.clear();
        self.targets.clear();
        let here = core.parts.info.as_deref().map(|info| info.here.clone());
        self.shown = here.as_ref().map(|here| here.universe);
        self.tell_written(core);
        let reason = stop.map_or(&StopReason::Done, |stop| &stop.reason);
        let ends = matches!(
            reason,
            StopReason::Finished { .. } | StopReason::Trapped { .. }
        );
        if self.runs_through && ends {
            core.output("console", words(reason));
            return core.event("terminated", json!({}));
        }
        let mut body = self.stopped(core, reason, wanted);
        if description.is_some() {
            body.description = description;
        }
        if matches!(
            reason,
            StopReason::NotFound | StopReason::Start | StopReason::Bound
        ) {
            core.output("console", words(reason));
        }
        if let Some(here) = here {
            core.event(
                "borges/place",
                json!({
                    "universe": here.universe.to_string(),
                    "steps": here.steps,
                    "futures": here.futures,
                    "deviceElsewhere": here.device_elsewhere,
                    "call": here.call,
                }),
            );
        }
        core.event("stopped", body);
    }

    fn stopped(&self, core: &Core, reason: &StopReason, wanted: &'static str) -> Stopped {
        let text = words(reason);
        let said = (!text.is_empty()).then_some(text);
        let mut body = Stopped {
            reason: wanted,
            description: said.clone(),
            thread_id: MAIN,
            all_threads_stopped: true,
            ..Stopped::default()
        };
        match reason {
            StopReason::Breakpoint { id } => {
                body.hit_breakpoint_ids = vec![i64::from(*id)];
                let known = core.parts.breakpoints.iter().find(|known| known.id == *id);
                (body.reason, body.description) = match known.map(|known| &known.spec.kind) {
                    Some(
                        StopKind::Trap | StopKind::Event | StopKind::Limit | StopKind::Primitive(_),
                    ) => {
                        body.text = known.map(|known| known.what.clone());
                        ("exception", body.text.clone())
                    }
                    Some(StopKind::Write(what)) => {
                        ("data breakpoint", Some(format!("'{what}' was written")))
                    }
                    Some(StopKind::Code(borges_session::command::CodePlace::Function(_))) => {
                        ("function breakpoint", None)
                    }
                    Some(StopKind::Code(borges_session::command::CodePlace::Offset(_))) => {
                        ("instruction breakpoint", None)
                    }
                    _ => ("breakpoint", None),
                };
            }
            StopReason::Limit { .. } | StopReason::Trapped { .. } => {
                body.reason = "exception";
                body.text = said;
            }
            StopReason::Paused => body.reason = "pause",
            StopReason::Start => body.reason = "entry",
            // The program's end is a place like others: who ends the session there lets nobody step back.
            StopReason::Finished { .. } => body.reason = "end",
            StopReason::Done | StopReason::Tip | StopReason::NotFound | StopReason::Bound => {}
        }
        body
    }

    /// What a program of an operating system has written since the last stop. Going back takes nothing back, and what was
    /// shown is not shown again.
    fn tell_written(&mut self, core: &mut Core) {
        let Some(StreamsListing { output, error, .. }) = core.parts.streams.clone() else {
            return;
        };
        for (at, (now, category)) in [(output, "stdout"), (error, "stderr")]
            .into_iter()
            .enumerate()
        {
            let before = &mut self.written[at];
            if before.starts_with(&now) {
                continue;
            }
            let same = now.bytes().zip(before.bytes()).take_while(|(a, b)| a == b);
            let same = now.floor_char_boundary(same.count());
            let new = now[same..].to_owned();
            *before = now;
            core.output(category, new);
        }
    }

    /// Shows what others did: another prompt, the page, the debug console.
    pub(super) fn notice_motion(&mut self, core: &mut Core) {
        if self.motion.is_some() || !self.has_begun() {
            return;
        }
        if core.parts.running.is_some() {
            if self.shown.take().is_some() {
                self.handles.clear();
                core.event(
                    "continued",
                    json!({ "threadId": MAIN, "allThreadsContinued": true }),
                );
            }
            return;
        }
        let here = core.parts.info.as_deref().map(|info| info.here.universe);
        let waits = core.parts.doing.is_some() || self.unanswered > 0;
        if here.is_none() || here == self.shown || waits {
            return;
        }
        let stop = core.parts.stop.clone();
        let stop = stop.filter(|stop| Some(stop.at.universe) == here);
        self.announce(core, stop.as_deref(), "goto", None);
    }

    /// The client has set what it wanted to: the program begins, or is shown where it stands.
    pub(super) fn begin_motion(&mut self, core: &mut Core, stop_on_entry: bool, is_joined: bool) {
        self.begun = true;
        self.inputs = core.parts.inputs_changed;
        if is_joined {
            let running = core.parts.running.is_some();
            self.shown = core.parts.info.as_deref().map(|info| info.here.universe);
            if !running {
                let stop = core.parts.stop.clone();
                self.announce(core, stop.as_deref(), "pause", None);
            }
        } else if stop_on_entry {
            self.announce(core, None, "entry", None);
        } else if let Err(failure) = self.start(core, vec![Act::RunOn], "step") {
            core.output("important", failure.message);
        }
    }

    /// To the start, and on from there.
    pub(super) fn restart_motion(&mut self, core: &mut Core, stop_on_entry: bool) -> Answer {
        let _interrupted = self.stand_still(core);
        let mut acts = vec![Act::Restart];
        if !stop_on_entry {
            acts.push(Act::RunOn);
        }
        self.start(core, acts, "entry")
    }

    /// Data of where the program stands.
    pub(super) fn here(&self, core: &Core) -> Value {
        let info = core.parts.info.as_deref();
        info.map_or(Value::Null, |info| json!(info.here))
    }
}
