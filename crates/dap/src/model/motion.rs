//! Motions from universe to universe.

use borges_hub::ModelCommand;
use serde_json::{Value, json};

use super::card::{self, Came, Ran};
use super::passing::{Passing, Then};
use super::{Model, NOBODY};
use crate::arrival::Replied;
use crate::core::Core;
use crate::debuggee::Asked;
use crate::protocol::answers::{self, Stopped};
use crate::protocol::arguments::{Jump, OwnStep, Step};
use crate::protocol::{self, Answer, Failure, NOTHING, Request};
use borges_session::command::Direction;

/// Universes that are named where several were come to.
const NAMED: usize = 12;

/// A motion that is under way.
#[derive(Debug)]
pub(super) struct Motion {
    /// The number of what was asked.
    pub(super) id: u32,
    then: Then,
    /// Whose it is.
    agent: Option<String>,
    reason: &'static str,
    /// It ends with this part: the editor has paused it.
    ends: bool,
}

impl Model {
    pub(super) fn motion_request(
        &mut self,
        core: &mut Core,
        command: &str,
        request: &Request,
    ) -> Option<Asked> {
        let answer = match command {
            "continue" => self.free().map(|()| {
                self.begin_run(core);
                json!({ "allThreadsContinued": true })
            }),
            "next" => self.step_of(core, request, &["over", "step"]),
            "stepIn" => self.step_in(core, request),
            "stepOut" => self.step_of(core, request, &["return", "end-turn", "step"]),
            "stepBack" => self.back(core),
            "reverseContinue" => self.back_to_breakpoint(core),
            "pause" => {
                core.pause();
                if let Some(motion) = &mut self.motion {
                    motion.ends = true;
                }
                NOTHING
            }
            "borges/step" => {
                request
                    .arguments::<OwnStep>()
                    .and_then(|asked| match asked.direction {
                        Direction::Backward => self.back(core),
                        Direction::Forward => {
                            let agent = self.acting(self.first_thread())?;
                            self.step(core, agent, &["step", "into"])
                        }
                    })
            }
            "borges/jump" => request
                .arguments::<Jump>()
                .and_then(|asked| self.jump(core, &asked.universe)),
            _ => return None,
        };
        Some(Asked::Now(answer))
    }

    /// Whether nothing is under way.
    pub(super) fn free(&self) -> Result<(), Failure> {
        match self.motion {
            Some(_) => Err(Failure::new("the program runs: pause it first")),
            None => Ok(()),
        }
    }

    /// The agent of a thread, who is to act.
    fn acting(&self, thread: i64) -> Result<String, Failure> {
        let agent = self.agent(thread).map(|agent| agent.name.clone());
        agent.ok_or_else(|| {
            Failure::new("nobody acts any more in this universe: go back, or jump to another")
        })
    }

    fn step_of(&mut self, core: &mut Core, request: &Request, kinds: &[&str]) -> Answer {
        let asked: Step = request.arguments()?;
        let thread = if asked.thread_id == NOBODY {
            self.first_thread()
        } else {
            asked.thread_id
        };
        let agent = self.acting(thread)?;
        self.step(core, agent, kinds)
    }

    fn step_in(&mut self, core: &mut Core, request: &Request) -> Answer {
        let asked: Step = request.arguments()?;
        let Some(target) = asked.target_id else {
            return self.step_of(core, request, &["into", "step"]);
        };
        self.go_to(core, target)
    }

    /// One agent takes the first of these steps that it can.
    fn step(&mut self, core: &mut Core, agent: String, kinds: &[&str]) -> Answer {
        self.free()?;
        let here = self.here();
        if matches!(self.card().node.status.as_str(), "running" | "unexplored") {
            // Only who waits can step.
            let kind = kinds.first().copied().unwrap_or("step").to_owned();
            let then = Then::Step {
                agent: agent.clone(),
                kind,
            };
            let pause = json!({ "order": "pause", "universe": here });
            self.order(core, pause, then, Some(agent), "step");
            return NOTHING;
        }
        let order = self.possible(&agent, kinds);
        let order = order
            .ok_or_else(|| Failure::new(format!("{agent} can take no step in universe {here}")))?;
        self.order(core, order, Then::Nothing, Some(agent), "step");
        NOTHING
    }

    /// The first of these steps that an agent can take here.
    fn possible(&self, agent: &str, kinds: &[&str]) -> Option<Value> {
        let own = || {
            self.card()
                .possible
                .iter()
                .filter(|one| one.agent.as_deref() == Some(agent))
        };
        let named = kinds
            .iter()
            .find_map(|kind| own().find(|one| one.label == *kind));
        let any = || own().find(|one| one.order["order"] == "step");
        named.or_else(any).map(|one| one.order.clone())
    }

    /// Lets the universe that is shown run: to a breakpoint if there are any, else to all its ends.
    pub(super) fn begin_run(&mut self, core: &mut Core) {
        let has_breakpoints = core
            .parts
            .text
            .as_ref()
            .is_some_and(|text| text.breakpoints.iter().any(|one| one.on));
        let passing = Passing::from(self.here());
        match has_breakpoints {
            true => self.seek_on(core, passing),
            false => self.run_on(core, passing),
        }
    }

    pub(super) fn order(
        &mut self,
        core: &mut Core,
        order: Value,
        then: Then,
        agent: Option<String>,
        reason: &'static str,
    ) {
        core.moving = true;
        let id = core.ask_command(json!({ "command": "order", "order": order }));
        self.motion = Some(Motion {
            id,
            then,
            agent,
            reason,
            ends: false,
        });
    }

    /// To the universe before, on the way here.
    fn back(&mut self, core: &mut Core) -> Answer {
        self.free()?;
        match self.shown.path.last().map(|link| link.from) {
            Some(universe) => self.arrive(core, universe, "step", None),
            None => {
                core.output("console", "the start of the program: nothing lies before");
                self.tell(core, "entry", None);
            }
        }
        NOTHING
    }

    /// To the last universe on the way here in which a breakpoint halts, or to the start.
    fn back_to_breakpoint(&mut self, core: &mut Core) -> Answer {
        self.free()?;
        let mut here = self.here();
        loop {
            let line = "reverse-continue".to_owned();
            let said: Value = self.call(core, ModelCommand::Line { line, here })?;
            if said["ok"] == false {
                core.output("console", said["text"].as_str().unwrap_or_default());
                break;
            }
            let to = said["here"].as_u64();
            here = to.and_then(|to| u32::try_from(to).ok()).unwrap_or(here);
            let there: card::Answer = self.call(core, ModelCommand::Card { universe: here })?;
            if here == 0 || self.halts(core, &there) {
                break;
            }
        }
        self.arrive(core, here, "step", None);
        NOTHING
    }

    fn jump(&mut self, core: &mut Core, universe: &Value) -> Answer {
        self.free()?;
        let number = match universe {
            Value::String(text) if text == "start" => Some(0),
            Value::String(text) => text.parse().ok(),
            other => other.as_u64().and_then(|number| u32::try_from(number).ok()),
        };
        let number = number.ok_or_else(|| Failure::new("universes of this program are numbers"))?;
        self.show(core, number)?;
        self.tell(core, "goto", None);
        NOTHING
    }

    /// An order has come to its end.
    pub(super) fn motion_replied(&mut self, core: &mut Core, reply: Replied) {
        let Some(motion) = self.motion.take() else {
            return;
        };
        core.moving = false;
        let came = reply.and_then(|reply| {
            serde_json::from_value::<Came>(reply).map_err(|error| error.to_string())
        });
        let mut ran = match (came, &motion.then) {
            (Ok(came), _) => came.ran.unwrap_or_default(),
            // Where no breakpoint can be sought, all there is is run.
            (Err(_), Then::Seek(passing)) => return self.run_on(core, passing.clone()),
            (Err(message), _) => {
                core.output("important", &*message);
                return self.tell(core, motion.reason, Some(message));
            }
        };
        ran.stopped |= motion.ends;
        match motion.then {
            Then::Seek(passing) => self.sought(core, passing, ran),
            Then::Resume(passing) => self.resume(core, passing, &ran),
            Then::Run(passing) => self.came_to_rest(core, passing, ran),
            Then::Step { agent, kind } => {
                let paused = ran.rests().first().copied().unwrap_or(ran.from);
                if let Err(message) = self.show(core, paused) {
                    core.output("important", message);
                }
                match self.possible(&agent, &[&kind]) {
                    Some(order) => {
                        self.order(core, order, Then::Nothing, Some(agent), motion.reason);
                    }
                    None => self.tell(core, motion.reason, None),
                }
            }
            Then::Nothing => {
                // A step ends where a breakpoint only prints, too.
                for universe in &ran.paused {
                    self.heed(core, *universe);
                }
                self.rest(core, &ran, motion.agent.as_deref(), motion.reason);
            }
        }
    }

    /// What went on has come to rest: of the universes that it came to, one is shown.
    pub(super) fn rest(
        &mut self,
        core: &mut Core,
        ran: &Ran,
        agent: Option<&str>,
        reason: &'static str,
    ) {
        let rests = self.worst_first(core, ran.rests());
        tell_rests(core, ran, &rests);
        let to = rests.first().copied().unwrap_or(ran.from);
        let reason = if ran.stopped { "pause" } else { reason };
        self.arrive(core, to, reason, agent);
    }

    /// Of several universes that were come to, one that is wrong is shown, if the first few have one.
    fn worst_first(&mut self, core: &mut Core, mut rests: Vec<u32>) -> Vec<u32> {
        let few = rests.len().min(NAMED);
        let is_wrong = |rest: &u32| self.show(core, *rest).is_ok() && self.card().is_wrong();
        if few > 1
            && let Some(worst) = rests[..few].iter().position(is_wrong)
        {
            rests[..=worst].rotate_right(1);
        }
        rests
    }

    /// What is wrong in the universe shown: who waits in vain, or what failed.
    pub(super) fn exception(&self) -> Answer {
        let card = self.card();
        if !card.is_wrong() {
            return Err(Failure::new("nothing is wrong in this universe"));
        }
        let outcome = card.outcome.as_deref().unwrap_or(&card.node.status);
        let stuck = card.agents.iter().filter_map(|agent| {
            let why = agent.stuck.as_ref()?;
            Some(format!("{}: {why}", agent.name))
        });
        let stuck: Vec<String> = stuck.collect();
        answers::exception(&card.node.status, outcome, outcome, &stuck)
    }

    /// Shows a universe, and tells the editor.
    pub(super) fn arrive(
        &mut self,
        core: &mut Core,
        universe: u32,
        reason: &'static str,
        agent: Option<&str>,
    ) {
        if let Err(message) = self.show(core, universe) {
            core.output("important", message);
        }
        let thread =
            agent.filter(|agent| self.card().agents.iter().any(|known| known.name == *agent));
        let thread = thread.map(|agent| self.thread_of(agent));
        self.tell_of(core, reason, None, thread);
    }

    /// Tells the editor where the program stands.
    pub(super) fn tell(
        &mut self,
        core: &mut Core,
        reason: &'static str,
        description: Option<String>,
    ) {
        self.tell_of(core, reason, description, None);
    }

    fn tell_of(
        &mut self,
        core: &mut Core,
        reason: &'static str,
        description: Option<String>,
        thread: Option<i64>,
    ) {
        let there = self.shown.clone();
        let hits = there.card.hits();
        let due: Vec<i64> = hits
            .iter()
            .filter(|hit| self.halts_at(core, &there, hit.id))
            .map(|hit| i64::from(hit.id))
            .collect();
        let card = self.card();
        let why = card.node.why.join(", ");
        let at = hits.iter().find_map(|hit| hit.agent.as_ref());
        let mut stopped = Stopped {
            reason,
            description: description.or((!why.is_empty()).then(|| why.clone())),
            thread_id: at
                .map(|agent| self.thread_of(agent))
                .or(thread)
                .unwrap_or_else(|| self.first_thread()),
            all_threads_stopped: true,
            ..Stopped::default()
        };
        match card.node.status.as_str() {
            "paused" if !due.is_empty() && reason != "entry" => {
                stopped.reason = "breakpoint";
                stopped.hit_breakpoint_ids = due;
            }
            "end" => {
                stopped.reason = "end";
                stopped.description = card.outcome.clone();
            }
            _ if card.is_wrong() => {
                stopped.reason = "exception";
                stopped.description.clone_from(&card.outcome);
                stopped.text.clone_from(&card.outcome);
            }
            _ => {}
        }
        let place = json!({ "universe": self.here().to_string(), "status": card.node.status });
        core.event("borges/place", place);
        core.event("stopped", stopped);
    }
}

/// Says what else was come to than the universe that is shown.
fn tell_rests(core: &mut Core, ran: &Ran, rests: &[u32]) {
    if ran.cut {
        core.output(
            "important",
            "there are more universes than the session keeps: not all were seen",
        );
    }
    if ran.never_reached && rests.is_empty() {
        core.output("console", "nothing that can still happen comes to that");
    }
    if let [shown, others @ ..] = rests
        && !others.is_empty()
    {
        let named: Vec<String> = others.iter().take(NAMED).map(u32::to_string).collect();
        let more = if others.len() > NAMED { ", …" } else { "" };
        let (count, named) = (rests.len(), named.join(", "));
        core.output(
            "console",
            format!(
                "{count} universes: {shown} is shown, the others are {named}{more} ('jump {}')",
                others[0]
            ),
        );
    }
}

/// Nothing can be set in a program of a model language but breakpoints.
pub(super) fn not_here(command: &str) -> protocol::Answer {
    Err(Failure::new(format!(
        "programs of model languages have no '{command}'"
    )))
}
