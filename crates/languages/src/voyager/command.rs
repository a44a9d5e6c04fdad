//! What the user can say, and what the session answers.

use borges_multiverse::language::Span;

use super::breakpoint::{Breakpoint, BreakpointError};
use super::goal::{Goal, StepKind};
use super::session::{Early, Voyager};
use super::universe::{
    ActorMode, BreakpointId, Configuration, EdgeId, EdgeKind, Hit, Mode, Status, UniverseId,
};
use crate::ambienttalk::{ActorId, ActorView};
use crate::model::debug::Watch;
use crate::predicate::find;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Sets a breakpoint ([`Breakpoint::parse`]).
    Break(String),
    /// Removes one.
    Unbreak(BreakpointId),
    /// Switches one on or off.
    Enable(BreakpointId, bool),
    /// Lists them.
    Breakpoints,
    /// Forgets all universes but the first.
    Restart,
    /// Replaces the program's text, keeps the breakpoints, and starts again.
    Edit(String),
    /// Runs from the start, in all universes.
    Run,
    /// Lets a paused universe run on, and all that follow from it.
    Resume(UniverseId),
    /// Lets a universe run, the most promising universe first, until a breakpoint halts one that
    /// was not known.
    Seek(UniverseId),
    /// Pauses a universe that runs.
    Pause(UniverseId),
    /// Lets an actor take a step in a universe.
    Step(UniverseId, ActorId, StepKind),
    /// Keeps an actor from acting in what follows.
    Hold(UniverseId, ActorId),
    /// Lets it act again.
    Release(UniverseId, ActorId),
    /// What is known about a universe.
    Inspect(UniverseId),
    /// What an edge changes.
    Difference(EdgeId),
    /// A way from the start to a universe.
    Path(UniverseId),
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A breakpoint is set.
    Broken(BreakpointId),
    /// Done, and nothing to tell.
    Done,
    /// The breakpoints, and whether they are looked at.
    Breakpoints(Vec<(BreakpointId, String, bool)>),
    /// Universes ran.
    Ran(Ran),
    /// A universe.
    Node(Box<Node>),
    /// What changed.
    Difference(Vec<Change>),
    /// The edges of a way.
    Path(Vec<EdgeId>),
}

/// What running came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// The universe of the command, from which all ran.
    pub from: Option<UniverseId>,
    /// Universes in which a breakpoint or step halted, each once.
    pub paused: Vec<UniverseId>,
    /// Ends: finished, stuck or in a deadlock.
    pub ends: Vec<UniverseId>,
    /// Universes in which only held actors could act.
    pub held: Vec<UniverseId>,
    /// Whether the limit of universes cut it short.
    pub cut: bool,
    /// Whether the user stopped it; the same command again goes on.
    pub stopped: bool,
    /// For a step or a search: whether it came to its goal in no universe. Unknown while cut short.
    pub never_reached: bool,
}

/// Everything about a universe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Which.
    pub universe: UniverseId,
    /// What is known.
    pub status: Status,
    /// The actors.
    pub actors: Vec<ActorView>,
    /// What each may do.
    pub modes: Vec<ActorMode>,
    /// What the user can say here.
    pub possible: Vec<Command>,
}

/// A part of the state that a step changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The actor's name.
    pub actor: String,
    /// What of it: a field, `inbox`, `output`, `calls`, `born`.
    pub what: String,
    /// Before.
    pub before: String,
    /// After.
    pub after: String,
}

/// Why a command did nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VoyagerError {
    /// No such universe.
    #[error("there is no universe {}; there are {count}, from 0", .universe.0)]
    NoUniverse {
        /// Which.
        universe: UniverseId,
        /// How many there are.
        count: usize,
    },
    /// No such edge.
    #[error("there is no edge {}", .0.0)]
    NoEdge(EdgeId),
    /// No such breakpoint.
    #[error("there is no breakpoint {}", .0.0)]
    NoBreakpoint(BreakpointId),
    /// No such actor.
    #[error("there is no actor {0} in this universe")]
    NoActor(ActorId),
    /// The universe is not paused.
    #[error("the universe is not paused: pause it, or choose one that a breakpoint halted")]
    NotPaused,
    /// The universe does not run.
    #[error("the universe does not run")]
    NotRunning,
    /// Nothing says where to go.
    #[error("set a breakpoint first: the search goes toward it")]
    NoLead,
    /// The step makes no sense here.
    #[error("the actor cannot step {kind} here{hint}")]
    NoStep {
        /// Which.
        kind: StepKind,
        /// What the step needs.
        hint: &'static str,
    },
    /// The breakpoint cannot be set.
    #[error(transparent)]
    Breakpoint(#[from] BreakpointError),
    /// The new text is no program; the session is as it was.
    #[error("{text}")]
    Program {
        /// The error with its place.
        text: String,
        /// The place.
        span: Span,
    },
}

impl Voyager {
    /// Carries out a command. On an error nothing has changed.
    ///
    /// # Errors
    /// [`VoyagerError`] says what is missing.
    pub fn execute(&mut self, command: Command) -> Result<Reply, VoyagerError> {
        self.execute_while(command, &mut |_| true)
    }

    /// As [`Voyager::execute`]; `keep_going` is asked before each universe that is explored, and
    /// stops the command by returning false. What was found stays.
    ///
    /// # Errors
    /// [`VoyagerError`] says what is missing.
    pub fn execute_while(
        &mut self,
        command: Command,
        keep_going: Watch<'_>,
    ) -> Result<Reply, VoyagerError> {
        match command {
            Command::Break(spec) => {
                let breakpoint = Breakpoint::parse(&self.program, &self.text, &spec)?;
                let id = BreakpointId(self.next_breakpoint);
                self.next_breakpoint += 1;
                self.breakpoints.insert(id, (breakpoint, true));
                self.breakpoints_changed();
                Ok(Reply::Broken(id))
            }
            Command::Unbreak(id) => {
                let removed = self.breakpoints.remove(&id);
                removed.ok_or(VoyagerError::NoBreakpoint(id))?;
                self.breakpoints_changed();
                Ok(Reply::Done)
            }
            Command::Enable(id, enabled) => {
                let known = self.breakpoints.get_mut(&id);
                known.ok_or(VoyagerError::NoBreakpoint(id))?.1 = enabled;
                self.breakpoints_changed();
                Ok(Reply::Done)
            }
            Command::Breakpoints => self.look(&command),
            Command::Restart => {
                self.restart();
                Ok(Reply::Done)
            }
            Command::Edit(text) => self.edit(&text),
            Command::Run => {
                let start = self.start();
                Ok(Reply::Ran(self.run(start, None, keep_going)))
            }
            Command::Resume(id) => self.resume(id, keep_going),
            Command::Seek(id) => self.seek(id, keep_going),
            Command::Pause(id) => self.pause(id, keep_going),
            Command::Step(id, actor, kind) => self.step_actor(id, actor, kind, keep_going),
            Command::Hold(id, actor) => self.hold(id, actor, true, keep_going),
            Command::Release(id, actor) => self.hold(id, actor, false, keep_going),
            Command::Inspect(_) | Command::Difference(_) | Command::Path(_) => self.look(&command),
        }
    }

    /// Carries out a command that changes nothing.
    pub(super) fn look(&self, command: &Command) -> Result<Reply, VoyagerError> {
        match *command {
            Command::Inspect(id) => self.inspect(id).map(|node| Reply::Node(Box::new(node))),
            Command::Difference(id) => self.difference(id).map(Reply::Difference),
            Command::Path(id) => {
                self.configuration(id)?;
                let mut path = Vec::new();
                let mut at = id;
                while let Some(edge) = self.universe(at).and_then(|universe| universe.cause) {
                    path.push(edge);
                    at = self.edges[edge.0 as usize].from;
                }
                path.reverse();
                Ok(Reply::Path(path))
            }
            _ => {
                let list = self.breakpoints.iter();
                let line = |(id, (breakpoint, enabled)): (&BreakpointId, &(Breakpoint, bool))| {
                    (*id, breakpoint.to_string(), *enabled)
                };
                Ok(Reply::Breakpoints(list.map(line).collect()))
            }
        }
    }

    /// The actor that views call so in a universe.
    #[must_use]
    pub fn actor_named(&self, universe: UniverseId, name: &str) -> Option<ActorId> {
        find(&self.program, self.state(universe)?, name)
    }

    /// What was explored under other breakpoints stays as it is; what runs from now on is new.
    fn breakpoints_changed(&mut self) {
        self.epoch += 1;
        if self.universes.len() == 1 {
            self.restart();
        }
    }

    /// The start under the present breakpoints.
    fn start(&mut self) -> UniverseId {
        let current = self.universes[0].configuration.breakpoints == self.epoch;
        if !current {
            self.restart();
        }
        UniverseId::ROOT
    }

    fn edit(&mut self, text: &str) -> Result<Reply, VoyagerError> {
        let program = crate::ambienttalk::AmbientTalk::parse(text, self.program.options());
        let program = program.map_err(|error| VoyagerError::Program {
            text: error.explain(text),
            span: error.span,
        })?;
        // Breakpoints are about places of the text: they are looked up again.
        let mut breakpoints = std::collections::BTreeMap::new();
        for (id, (breakpoint, enabled)) in &self.breakpoints {
            let again = Breakpoint::parse(&program, text, &breakpoint.to_string())?;
            breakpoints.insert(*id, (again, *enabled));
        }
        let mut fresh = Self::over(text, program);
        fresh.breakpoints = breakpoints;
        fresh.next_breakpoint = self.next_breakpoint;
        fresh.epoch = self.epoch + 1;
        fresh.limit = self.limit;
        fresh.restart();
        *self = fresh;
        Ok(Reply::Done)
    }

    fn configuration(&self, id: UniverseId) -> Result<&Configuration, VoyagerError> {
        let universe = self.universe(id);
        let missing = VoyagerError::NoUniverse {
            universe: id,
            count: self.len(),
        };
        Ok(&universe.ok_or(missing)?.configuration)
    }

    /// The configuration of a paused universe, under the present breakpoints.
    fn paused(&self, id: UniverseId) -> Result<Configuration, VoyagerError> {
        let mut configuration = self.configuration(id)?.clone();
        if configuration.mode != Mode::Pause && self.status(id) != Some(Status::Held) {
            return Err(VoyagerError::NotPaused);
        }
        configuration.breakpoints = self.epoch;
        Ok(configuration)
    }

    fn run(&mut self, from: UniverseId, step: Option<StepKind>, keep_going: Watch<'_>) -> Ran {
        let (rest, early) = self.run_from(from, keep_going);
        let mut ran = Ran {
            from: Some(from),
            cut: early == Some(Early::Limit),
            stopped: early == Some(Early::Stopped),
            ..Ran::default()
        };
        let mut reached = false;
        for id in rest {
            match self.status(id) {
                Some(Status::Paused(hits)) => {
                    reached |= hits
                        .iter()
                        .any(|hit| matches!(hit, Hit::Step(kind, _) if Some(*kind) == step));
                    ran.paused.push(id);
                }
                Some(Status::Held) => ran.held.push(id),
                _ => ran.ends.push(id),
            }
        }
        ran.never_reached = step.is_some() && !reached && early.is_none();
        ran
    }

    fn resume(&mut self, id: UniverseId, keep_going: Watch<'_>) -> Result<Reply, VoyagerError> {
        let mut to = self.paused(id)?;
        to.resume();
        let kind = EdgeKind::Command("resume".to_owned());
        let (to, _) = self.connect(id, to, kind, vec!["RESUME-EXECUTION"]);
        Ok(Reply::Ran(self.run(to, None, keep_going)))
    }

    fn seek(&mut self, id: UniverseId, keep_going: Watch<'_>) -> Result<Reply, VoyagerError> {
        if self.breakpoints.values().all(|(_, enabled)| !enabled) {
            return Err(VoyagerError::NoLead);
        }
        let configuration = self.configuration(id)?;
        let current = configuration.breakpoints == self.epoch;
        let from = match configuration.mode {
            Mode::Run if id == UniverseId::ROOT => self.start(),
            Mode::Run if current => id,
            Mode::Run | Mode::Pause => {
                let mut to = configuration.clone();
                to.breakpoints = self.epoch;
                to.resume();
                let kind = EdgeKind::Command("resume".to_owned());
                self.connect(id, to, kind, vec!["RESUME-EXECUTION"]).0
            }
        };
        let (paused, early) = self.seek_from(from, keep_going);
        Ok(Reply::Ran(Ran {
            from: Some(from),
            never_reached: paused.is_empty() && early.is_none(),
            paused,
            cut: early == Some(Early::Limit),
            stopped: early == Some(Early::Stopped),
            ..Ran::default()
        }))
    }

    fn pause(&mut self, id: UniverseId, keep_going: Watch<'_>) -> Result<Reply, VoyagerError> {
        let mut to = self.configuration(id)?.clone();
        if to.mode == Mode::Pause {
            return Err(VoyagerError::NotRunning);
        }
        to.breakpoints = self.epoch;
        to.pause(vec![Hit::User]);
        let kind = EdgeKind::Command("pause".to_owned());
        let (to, _) = self.connect(id, to, kind, vec!["PAUSE-EXECUTION"]);
        Ok(Reply::Ran(self.run(to, None, keep_going)))
    }

    fn hold(
        &mut self,
        id: UniverseId,
        actor: ActorId,
        hold: bool,
        keep_going: Watch<'_>,
    ) -> Result<Reply, VoyagerError> {
        let mut to = self.paused(id)?;
        if self.program.next(&to.program, actor).is_none() {
            return Err(VoyagerError::NoActor(actor));
        }
        let (mode, verb) = if hold {
            (ActorMode::Hold, "hold")
        } else {
            (ActorMode::Pause, "release")
        };
        to.set(actor, mode);
        if to.mode == Mode::Run {
            to.pause(vec![Hit::User]);
        }
        let name = self.program.actor_name(&to.program, actor);
        let kind = EdgeKind::Command(format!("{verb} {name}"));
        let (to, _) = self.connect(id, to, kind, Vec::new());
        Ok(Reply::Ran(self.run(to, None, keep_going)))
    }

    fn step_actor(
        &mut self,
        id: UniverseId,
        actor: ActorId,
        kind: StepKind,
        keep_going: Watch<'_>,
    ) -> Result<Reply, VoyagerError> {
        let from = self.paused(id)?;
        if self.program.next(&from.program, actor).is_none() {
            return Err(VoyagerError::NoActor(actor));
        }
        let impossible = VoyagerError::NoStep {
            kind,
            hint: hint(kind),
        };
        let name = self.program.actor_name(&from.program, actor);
        let command = EdgeKind::Command(format!("step {kind} {name}"));
        if kind.is_within_turn() {
            let (to, rules) = self.within_turn(&from, actor, kind).ok_or(impossible)?;
            let command = match command {
                EdgeKind::Command(text) => EdgeKind::Command(format!("{text} ({rules} rules)")),
                step @ EdgeKind::Step(_) => step,
            };
            let (to, _) = self.connect(id, to, command, vec!["CEL-STEP-LOCAL"]);
            return Ok(Reply::Ran(self.run(to, Some(kind), keep_going)));
        }
        let goal = Goal::of(&self.program, &from.program, actor, kind).ok_or(impossible)?;
        let mut to = from;
        to.resume();
        to.set(actor, ActorMode::Step);
        to.goal = Some(goal);
        let (to, _) = self.connect(id, to, command, vec!["PREPARE-STEP-NEXT-TURN"]);
        Ok(Reply::Ran(self.run(to, Some(kind), keep_going)))
    }

    fn inspect(&self, id: UniverseId) -> Result<Node, VoyagerError> {
        let configuration = self.configuration(id)?;
        let state = &configuration.program;
        let ids = self.program.actors(state);
        let actors = ids
            .iter()
            .filter_map(|actor| self.program.view(state, *actor));
        // It was found just now.
        let status = self.status(id).unwrap_or(Status::Unexplored);
        Ok(Node {
            universe: id,
            possible: self.possible(id, &status),
            status,
            actors: actors.collect(),
            modes: ids
                .iter()
                .map(|actor| configuration.mode_of(*actor))
                .collect(),
        })
    }

    /// What makes sense to say in a universe: the entries of a radial menu.
    fn possible(&self, id: UniverseId, status: &Status) -> Vec<Command> {
        let Ok(configuration) = self.configuration(id) else {
            return Vec::new();
        };
        let state = &configuration.program;
        match status {
            Status::Unexplored | Status::Running => return vec![Command::Pause(id)],
            Status::End | Status::Stuck | Status::Deadlock => return Vec::new(),
            Status::Paused(_) | Status::Held => {}
        }
        let mut possible = vec![Command::Resume(id)];
        for actor in self.program.actors(state) {
            for kind in StepKind::ALL {
                let sensible = if kind.is_within_turn() {
                    self.within_turn(configuration, actor, kind).is_some()
                } else {
                    Goal::of(&self.program, state, actor, kind).is_some()
                };
                if sensible {
                    possible.push(Command::Step(id, actor, kind));
                }
            }
            possible.push(match configuration.mode_of(actor) {
                ActorMode::Hold => Command::Release(id, actor),
                _ => Command::Hold(id, actor),
            });
        }
        possible
    }
}

const fn hint(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Into | StepKind::Over | StepKind::Return => ": it waits, or is stuck",
        StepKind::IntoActivity => ": it is not about to create an actor",
        StepKind::MessageReceiver => ": it is not about to send a message",
        StepKind::PromiseResolver | StepKind::PromiseResolution => {
            ": it is not about to send a message with a future"
        }
        StepKind::NextTurn => ": it is stuck",
        StepKind::EndOfTurn => ": it is not within a turn",
        StepKind::ReturnToResolution => ": nobody waits for its answer",
    }
}
