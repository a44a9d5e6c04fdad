//! A universe of a debugging session: what the program and the debugger do in it, and what leads to others.

use borges_multiverse::language::Label;

use super::goal::{Goal, StepKind};
use crate::ambienttalk::{ActorId, Choice, State};

/// A universe of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UniverseId(pub u32);

impl UniverseId {
    /// Where the program starts.
    pub const ROOT: Self = Self(0);
}

/// An edge between two universes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub u32);

/// A breakpoint of the session; never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BreakpointId(pub u32);

/// What the debugger does in a universe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It lets the program run.
    Run,
    /// It waits for the user.
    Pause,
}

/// What an actor may do. Actors that are not mentioned run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActorMode {
    /// It steps.
    Run,
    /// A breakpoint or a step halted it; the next resume lets it go.
    Pause,
    /// The user holds it: it stays while others run, until released.
    Hold,
    /// It runs to the end of a step.
    Step,
}

/// Why a universe is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hit {
    /// A breakpoint, at an actor.
    Breakpoint(BreakpointId, ActorId),
    /// A step has come to its end, at an actor.
    Step(StepKind, ActorId),
    /// The user said so.
    User,
}

/// What is known about a universe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The program runs here; what follows is not explored.
    Unexplored,
    /// The program runs here.
    Running,
    /// It is halted.
    Paused(Vec<Hit>),
    /// Only actors that the user holds could act.
    Held,
    /// Nothing will happen any more, and nothing is wrong.
    End,
    /// Nothing will happen any more, since an actor is stuck.
    Stuck,
    /// Nothing will happen any more, and a future is awaited in vain.
    Deadlock,
}

/// What led from one universe to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// A step of the program.
    Step(Label),
    /// A command of the user (drawn dashed).
    Command(String),
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leaves.
    pub from: UniverseId,
    /// Where it leads.
    pub to: UniverseId,
    /// What it is.
    pub kind: EdgeKind,
    /// The debugger's rules that applied, in order.
    pub rules: Vec<&'static str>,
    /// Who moved, unless it is a command.
    pub mover: Option<ActorId>,
    /// Who gets the message, if one is sent or arrives.
    pub receiver: Option<ActorId>,
}

/// ⟨breakpoints, run|pause, step, actor states, configuration⟩.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Configuration {
    pub(super) program: State,
    pub(super) mode: Mode,
    /// Actors that do not just run.
    pub(super) actors: Vec<(ActorId, ActorMode)>,
    pub(super) goal: Option<Goal>,
    pub(super) hits: Vec<Hit>,
    /// Which set of breakpoints is looked at: it changes with every command about them.
    pub(super) breakpoints: u32,
}

impl Configuration {
    pub(super) fn mode_of(&self, actor: ActorId) -> ActorMode {
        let found = self.actors.iter().find(|(known, _)| *known == actor);
        found.map_or(ActorMode::Run, |(_, mode)| *mode)
    }

    pub(super) fn set(&mut self, actor: ActorId, mode: ActorMode) {
        self.actors.retain(|(known, _)| *known != actor);
        if mode != ActorMode::Run {
            self.actors.push((actor, mode));
            self.actors.sort_by_key(|(actor, _)| *actor);
        }
    }

    /// Whether the debugger lets this happen. Messages arrive always.
    pub(super) fn allows(&self, choice: &Choice) -> bool {
        match choice {
            Choice::Act(actor) => {
                !matches!(self.mode_of(*actor), ActorMode::Pause | ActorMode::Hold)
            }
            Choice::Deliver { .. } => true,
        }
    }

    pub(super) fn pause(&mut self, hits: Vec<Hit>) {
        self.mode = Mode::Pause;
        self.goal = None;
        for (_, mode) in &mut self.actors {
            if *mode == ActorMode::Step {
                *mode = ActorMode::Pause;
            }
        }
        for hit in &hits {
            if let Hit::Breakpoint(_, actor) | Hit::Step(_, actor) = hit
                && self.mode_of(*actor) != ActorMode::Hold
            {
                self.set(*actor, ActorMode::Pause);
            }
        }
        self.hits = hits;
    }

    /// Lets everyone run that is not held.
    pub(super) fn resume(&mut self) {
        self.mode = Mode::Run;
        self.goal = None;
        self.hits.clear();
        self.actors.retain(|(_, mode)| *mode == ActorMode::Hold);
    }
}

pub(super) struct Universe {
    pub(super) configuration: Configuration,
    pub(super) edges: Vec<EdgeId>,
    /// The edge of its discovery.
    pub(super) cause: Option<EdgeId>,
    pub(super) explored: bool,
}
