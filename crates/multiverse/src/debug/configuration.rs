//! What a debugger remembers of a universe, beside the program's state.

use std::hash::Hash;
use std::sync::Arc;

use super::{BreakpointId, Catalogue};
use crate::language::Language;

/// What the debugger does in a universe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It lets the program run.
    Run,
    /// It waits for the user.
    Pause,
}

/// What an agent may do. Agents that are not mentioned run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AgentMode {
    /// It steps.
    Run,
    /// A breakpoint or a step halted it; the next resume lets it go.
    Pause,
    /// The user holds it: it stays while others run, until released.
    Hold,
    /// It runs to the end of a step.
    Step,
}

impl AgentMode {
    /// Its name in views: `run`, `pause`, `hold`, `step`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Pause => "pause",
            Self::Hold => "hold",
            Self::Step => "step",
        }
    }
}

/// Why a universe is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hit<A, K> {
    /// A breakpoint, at an agent; at nobody where it is about the state as a whole.
    Breakpoint(BreakpointId, Option<A>),
    /// A step of this kind has come to its end, at an agent.
    Step(K, A),
    /// The user said so.
    User,
}

/// The debugger's part of a configuration.
///
/// Most universes of a run share one, so a configuration holds it behind a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Control<A, G, K> {
    pub(super) mode: Mode,
    /// Agents that do not just run, in their order.
    pub(super) agents: Vec<(A, AgentMode)>,
    /// The step under way.
    pub(super) goal: Option<G>,
    pub(super) hits: Vec<Hit<A, K>>,
    /// Which set of breakpoints is looked at.
    pub(super) epoch: u32,
}

impl<A: Clone + Ord, G, K> Control<A, G, K> {
    fn mode_of(&self, agent: &A) -> AgentMode {
        let mut agents = self.agents.iter();
        let found = agents.find(|(known, _)| known == agent);
        found.map_or(AgentMode::Run, |(_, mode)| *mode)
    }

    fn set(&mut self, agent: &A, mode: AgentMode) {
        self.agents.retain(|(known, _)| known != agent);
        if mode != AgentMode::Run {
            self.agents.push((agent.clone(), mode));
            self.agents.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
    }

    /// Halts the program: agents at which something was hit, or that were on a step, pause.
    pub(super) fn pause(&mut self, hits: Vec<Hit<A, K>>) {
        self.mode = Mode::Pause;
        self.goal = None;
        for (_, mode) in &mut self.agents {
            if *mode == AgentMode::Step {
                *mode = AgentMode::Pause;
            }
        }
        for hit in &hits {
            if let Hit::Breakpoint(_, Some(agent)) | Hit::Step(_, agent) = hit
                && self.mode_of(agent) != AgentMode::Hold
            {
                self.set(agent, AgentMode::Pause);
            }
        }
        self.hits = hits;
    }
}

/// The agents of a catalogue's program.
pub type AgentOf<C> = <<C as Catalogue>::Program as Language>::Agent;
/// The states of a catalogue's program.
pub type StateOf<C> = <<C as Catalogue>::Program as Language>::State;
/// The choices of a catalogue's program.
pub type ChoiceOf<C> = <<C as Catalogue>::Program as Language>::Choice;

pub(super) type ControlOf<C> = Control<AgentOf<C>, <C as Catalogue>::Goal, <C as Catalogue>::Step>;

/// ⟨breakpoints, run|pause, step, agents, program⟩: a universe of a debugging session (*Multiverse
/// Debugging*, figure 6).
pub struct Configuration<C: Catalogue> {
    /// The program's own state, which the debugger never changes.
    pub program: StateOf<C>,
    pub(super) control: Arc<ControlOf<C>>,
}

impl<C: Catalogue> Clone for Configuration<C> {
    fn clone(&self) -> Self {
        Self {
            program: self.program.clone(),
            control: Arc::clone(&self.control),
        }
    }
}

impl<C: Catalogue> PartialEq for Configuration<C> {
    fn eq(&self, other: &Self) -> bool {
        self.control == other.control && self.program == other.program
    }
}

impl<C: Catalogue> Eq for Configuration<C> {}

impl<C: Catalogue> Hash for Configuration<C> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.program.hash(state);
        self.control.hash(state);
    }
}

impl<C: Catalogue> Configuration<C> {
    /// A program that runs.
    pub(super) fn running(program: StateOf<C>, epoch: u32) -> Self {
        let control = Control {
            mode: Mode::Run,
            agents: Vec::new(),
            goal: None,
            hits: Vec::new(),
            epoch,
        };
        Self {
            program,
            control: Arc::new(control),
        }
    }

    /// What the debugger does here.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.control.mode
    }

    /// Why it is paused; nothing if it is not.
    #[must_use]
    pub fn hits(&self) -> &[Hit<AgentOf<C>, C::Step>] {
        &self.control.hits
    }

    /// What an agent may do.
    #[must_use]
    pub fn mode_of(&self, agent: &AgentOf<C>) -> AgentMode {
        self.control.mode_of(agent)
    }

    /// Whether the debugger lets an agent act.
    pub(super) fn allows(&self, catalogue: &C, agent: &AgentOf<C>) -> bool {
        let mode = self.mode_of(agent);
        let goal = self.control.goal.as_ref();
        !matches!(mode, AgentMode::Pause | AgentMode::Hold)
            && goal.is_none_or(|goal| catalogue.lets(goal, agent))
    }

    fn control(&mut self) -> &mut ControlOf<C> {
        Arc::make_mut(&mut self.control)
    }

    /// Looks at another set of breakpoints from now on.
    pub(super) fn adopt(&mut self, epoch: u32) {
        if self.control.epoch != epoch {
            self.control().epoch = epoch;
        }
    }

    /// Waits for something else, or for nothing.
    pub(super) fn aim(&mut self, goal: Option<C::Goal>) {
        if self.control.goal != goal {
            self.control().goal = goal;
        }
    }

    /// Says what an agent may do.
    pub(super) fn set(&mut self, agent: &AgentOf<C>, mode: AgentMode) {
        self.control().set(agent, mode);
    }

    /// Halts the program: agents at which something was hit, or that were on a step, pause.
    pub(super) fn pause(&mut self, hits: Vec<Hit<AgentOf<C>, C::Step>>) {
        self.control().pause(hits);
    }

    /// Lets everyone run that is not held.
    pub(super) fn resume(&mut self) {
        let control = self.control();
        control.mode = Mode::Run;
        control.goal = None;
        control.hits.clear();
        control.agents.retain(|(_, mode)| *mode == AgentMode::Hold);
    }
}
