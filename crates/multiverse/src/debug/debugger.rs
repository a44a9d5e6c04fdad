//! A debugging session: what the user says, and the universes that it leads to.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::ops::Range;

use super::configuration::{AgentMode, AgentOf, ChoiceOf, Configuration, Hit, Mode, StateOf};
use super::debugged::Debugged;
use super::links::{Link, LinkId, Links, Said};
use super::{BreakpointId, Catalogue};
use crate::graph::{
    Exploration, Graph, Limits, NodeId, Pause, Progress, Status as Known, Strategy,
};
use crate::language::{Language, Verdict};

/// What is known about a universe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status<A, K> {
    /// The program runs here; what follows is not explored.
    Unexplored,
    /// The program runs here.
    Running,
    /// It is halted, for these reasons.
    Paused(Vec<Hit<A, K>>),
    /// Only agents that the user holds could act.
    Held,
    /// Nothing will happen any more.
    Over(Verdict),
}

/// What running came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// The universe from which all ran.
    pub from: Option<NodeId>,
    /// Universes in which a breakpoint or step halted, each once.
    pub paused: Vec<NodeId>,
    /// Ends.
    pub ends: Vec<NodeId>,
    /// Universes in which only held agents could act.
    pub held: Vec<NodeId>,
    /// What cut it short: the limit of universes, or the user.
    pub cut: Option<Pause>,
    /// For a step or a search: whether it came to its goal in no universe. False while cut short.
    pub never_reached: bool,
}

/// A program, breakpoints, and the universes seen so far.
pub struct Debugger<C: Catalogue> {
    exploration: Exploration<Debugged<C>>,
    breakpoints: BTreeMap<BreakpointId, (C::Breakpoint, bool)>,
    next_breakpoint: u32,
    links: Links,
    starts: Mode,
    limits: Limits,
    beginnings: u32,
}

impl<C: Catalogue> fmt::Debug for Debugger<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut summary = f.debug_struct("Debugger");
        summary.field("universes", self.exploration.graph());
        summary.finish_non_exhaustive()
    }
}

/// Whether to go on: asked now and then while universes run.
pub type KeepGoing<'a> = &'a mut dyn FnMut(Progress) -> bool;

impl<C> Debugger<C>
where
    C: Catalogue + Send + Sync + 'static,
    C::Breakpoint: Send + Sync + 'static,
{
    /// A session at the start of a program, which runs or waits there. It keeps at most `universes`.
    pub fn new(catalogue: C, starts: Mode, universes: usize) -> Self {
        let debugged = Debugged::new(catalogue);
        let limits = Limits {
            states: universes,
            ..Limits::default()
        };
        Self {
            exploration: begin(debugged, starts),
            breakpoints: BTreeMap::new(),
            next_breakpoint: 1,
            links: Links::default(),
            starts,
            limits,
            beginnings: 0,
        }
    }

    /// Forgets all universes but the first; the breakpoints stay.
    pub fn restart(&mut self) {
        let debugged = self.exploration.graph().language().clone();
        self.exploration = begin(debugged, self.starts);
        self.links = Links::default();
        self.beginnings += 1;
    }

    /// How often it began again: as long as this stays, universes and links keep their numbers.
    #[must_use]
    pub const fn beginnings(&self) -> u32 {
        self.beginnings
    }

    /// Begins again with another program; its breakpoints are what `again` makes of those that there are, with the
    /// numbers that they have.
    ///
    /// # Errors
    /// What `again` says; then nothing has changed.
    pub fn replace<E>(
        &mut self,
        catalogue: C,
        again: impl Fn(&C, &C::Breakpoint) -> Result<C::Breakpoint, E>,
    ) -> Result<(), E> {
        let mut breakpoints = BTreeMap::new();
        for (id, (breakpoint, on)) in &self.breakpoints {
            breakpoints.insert(*id, (again(&catalogue, breakpoint)?, *on));
        }
        self.breakpoints = breakpoints;
        self.exploration = begin(Debugged::new(catalogue), self.starts);
        // Nothing has run yet: the session begins again with these.
        self.breakpoints_changed();
        Ok(())
    }

    /// The breakpoints by which a universe goes.
    pub fn looked_at(
        &self,
        universe: NodeId,
    ) -> impl Iterator<Item = (BreakpointId, &C::Breakpoint)> {
        let epoch = self.configuration(universe).map(|c| c.control.epoch);
        let set = epoch.map(|epoch| self.graph().language().set(epoch));
        let set = set.into_iter().flatten();
        set.map(|(id, breakpoint)| (*id, breakpoint))
    }

    /// The universes, with the steps of the program between them.
    #[must_use]
    pub const fn graph(&self) -> &Graph<Debugged<C>> {
        self.exploration.graph()
    }

    /// The program and what can be waited for in it.
    #[must_use]
    pub fn catalogue(&self) -> &C {
        self.graph().language().catalogue()
    }

    /// The breakpoints, and whether they are looked at.
    pub fn breakpoints(&self) -> impl Iterator<Item = (BreakpointId, &C::Breakpoint, bool)> {
        let all = self.breakpoints.iter();
        all.map(|(id, (breakpoint, on))| (*id, breakpoint, *on))
    }

    /// Sets a breakpoint.
    pub fn add_breakpoint(&mut self, breakpoint: C::Breakpoint) -> BreakpointId {
        let id = BreakpointId(self.next_breakpoint);
        self.next_breakpoint += 1;
        self.breakpoints.insert(id, (breakpoint, true));
        self.breakpoints_changed();
        id
    }

    /// Removes a breakpoint; none if there is no such one.
    pub fn remove_breakpoint(&mut self, id: BreakpointId) -> Option<C::Breakpoint> {
        let (breakpoint, _) = self.breakpoints.remove(&id)?;
        self.breakpoints_changed();
        Some(breakpoint)
    }

    /// Switches a breakpoint on or off. False if there is no such one.
    pub fn enable_breakpoint(&mut self, id: BreakpointId, on: bool) -> bool {
        let Some((_, enabled)) = self.breakpoints.get_mut(&id) else {
            return false;
        };
        *enabled = on;
        self.breakpoints_changed();
        true
    }

    /// What was explored under other breakpoints stays as it is; what runs from now on is new.
    fn breakpoints_changed(&mut self) {
        let on = self.breakpoints.iter().filter(|(_, (_, on))| *on);
        let set = on.map(|(id, (breakpoint, _))| (*id, breakpoint.clone()));
        let set = set.collect();
        self.exploration.language_mut().add_set(set);
        if self.graph().len() == 1 {
            self.restart();
        }
    }

    /// A universe, with what the debugger does in it.
    #[must_use]
    pub fn configuration(&self, universe: NodeId) -> Option<&Configuration<C>> {
        self.graph().state(universe)
    }

    /// What is known about a universe.
    #[must_use]
    pub fn status(&self, universe: NodeId) -> Option<Status<AgentOf<C>, C::Step>> {
        let configuration = self.configuration(universe)?;
        if configuration.mode() == Mode::Pause && !configuration.hits().is_empty() {
            return Some(Status::Paused(configuration.hits().to_vec()));
        }
        let graph = self.graph();
        // Most universes are one or the other, and nothing has to be asked of the program for them.
        match graph.status(universe) {
            _ if configuration.mode() == Mode::Pause => {}
            Some(Known::Waiting) => return Some(Status::Unexplored),
            Some(Known::Expanded) if graph.edges_from(universe).next().is_some() => {
                return Some(Status::Running);
            }
            _ => {}
        }
        let program = self.catalogue().program();
        let mut choices = Vec::new();
        program.enabled(&configuration.program, &mut choices);
        if choices.is_empty() {
            return Some(Status::Over(
                program.outcome(&configuration.program).verdicts.worst(),
            ));
        }
        choices.clear();
        if configuration.mode() == Mode::Pause {
            return Some(Status::Paused(Vec::new()));
        }
        graph.language().enabled(configuration, &mut choices);
        if choices.is_empty() {
            return Some(Status::Held);
        }
        Some(match graph.status(universe) {
            Some(Known::Expanded) => Status::Running,
            _ => Status::Unexplored,
        })
    }

    /// Whether a universe waits for the user: it is paused, or only held agents could act.
    #[must_use]
    pub fn waits(&self, universe: NodeId) -> bool {
        let configuration = self.configuration(universe);
        configuration.is_some_and(|c| c.mode() == Mode::Pause)
            || self.status(universe) == Some(Status::Held)
    }

    /// The configuration of a universe in which the user may act, under the present breakpoints.
    fn paused(&self, universe: NodeId) -> Option<Configuration<C>> {
        if !self.waits(universe) {
            return None;
        }
        let mut configuration = self.configuration(universe)?.clone();
        configuration.adopt(self.graph().language().epoch());
        Some(configuration)
    }
}

/// What the user says. None of it changes a universe that is known; each answers none where it makes no sense.
impl<C> Debugger<C>
where
    C: Catalogue + Send + Sync + 'static,
    C::Breakpoint: Send + Sync + 'static,
{
    /// Runs from the start, in all universes, under the present breakpoints (RESUME-EXECUTION, if it is paused there).
    pub fn run(&mut self, keep_going: KeepGoing<'_>) -> Ran {
        let start = self.start();
        // Where a breakpoint halts the start, that is as far as it runs.
        let waits = self.starts == Mode::Pause;
        let from = waits.then(|| self.resumed(start)).flatten();
        self.run_from(from.unwrap_or(start), keep_going)
    }

    /// Lets a paused universe run on, and all that follow from it (RESUME-EXECUTION).
    pub fn resume(&mut self, universe: NodeId, keep_going: KeepGoing<'_>) -> Option<Ran> {
        let to = self.resumed(universe)?;
        Some(self.run_from(to, keep_going))
    }

    /// Lets a universe run, the nearest to a breakpoint first, until one pauses that was not known.
    /// None if nothing says where to go, or there is no such universe.
    pub fn seek(&mut self, universe: NodeId, keep_going: KeepGoing<'_>) -> Option<Ran> {
        if self.breakpoints.values().all(|(_, on)| !on) {
            return None;
        }
        let from = if universe == NodeId::ROOT {
            self.start()
        } else {
            universe
        };
        let current = self.configuration(from)?.control.epoch == self.graph().language().epoch();
        let runs = self.configuration(from)?.mode() == Mode::Run;
        let from = if runs && current {
            from
        } else {
            let mut to = self.configuration(from)?.clone();
            to.adopt(self.graph().language().epoch());
            to.resume();
            self.place(from, to, Said::Resume, "resume".to_owned())
        };
        Some(self.seek_from(from, keep_going))
    }

    /// Pauses a universe that runs (PAUSE-EXECUTION).
    pub fn pause(&mut self, universe: NodeId) -> Option<NodeId> {
        let mut to = self.configuration(universe)?.clone();
        if to.mode() == Mode::Pause {
            return None;
        }
        to.adopt(self.graph().language().epoch());
        to.pause(vec![Hit::User]);
        Some(self.place(universe, to, Said::Pause, "pause".to_owned()))
    }

    /// Keeps an agent from acting in what follows, or lets it act again; `name` is what the user calls it.
    pub fn hold(
        &mut self,
        universe: NodeId,
        agent: &AgentOf<C>,
        hold: bool,
        name: &str,
    ) -> Option<NodeId> {
        let mut to = self.paused(universe)?;
        let (mode, said, verb) = if hold {
            (AgentMode::Hold, Said::Hold, "hold")
        } else {
            (AgentMode::Pause, Said::Release, "release")
        };
        to.set(agent, mode);
        if to.mode() == Mode::Run {
            to.pause(vec![Hit::User]);
        }
        Some(self.place(universe, to, said, format!("{verb} {name}")))
    }

    /// Lets an agent of a paused universe run to the end of a step, and others as the goal lets
    /// them (PREPARE-STEP-NEXT-TURN, for any step). `text` is what the user said.
    pub fn step(
        &mut self,
        universe: NodeId,
        agent: &AgentOf<C>,
        goal: C::Goal,
        text: String,
        keep_going: KeepGoing<'_>,
    ) -> Option<Ran> {
        let (step, _) = self.catalogue().step_of(&goal);
        let mut to = self.paused(universe)?;
        to.resume();
        if C::REMEMBERS_STEPS {
            to.set(agent, AgentMode::Step);
        }
        to.aim(Some(goal));
        let to = self.place(universe, to, Said::Step, text);
        let mut ran = self.run_from(to, keep_going);
        let came = |id: &NodeId| {
            let hits = self.configuration(*id).map_or(&[][..], |c| c.hits());
            hits.iter()
                .any(|hit| matches!(hit, Hit::Step(kind, _) if *kind == step))
        };
        let is_there = match C::REMEMBERS_STEPS {
            true => ran.paused.iter().any(came),
            false => !ran.paused.is_empty(),
        };
        ran.never_reached = ran.cut.is_none() && !is_there;
        Some(ran)
    }

    /// Takes an agent of a paused universe to another state of the program by steps of its own, and
    /// pauses there: a step during which nobody else moves. `state` must be what those steps lead to.
    pub fn walk(
        &mut self,
        universe: NodeId,
        agent: &AgentOf<C>,
        step: C::Step,
        state: StateOf<C>,
        text: String,
    ) -> Option<NodeId> {
        let mut to = self.paused(universe)?;
        to.program = state;
        to.pause(vec![Hit::Step(step, agent.clone())]);
        Some(self.place(universe, to, Said::Walk, text))
    }

    /// Takes the program from a paused universe along one path, a choice of `next` after the other, until there is none,
    /// it cannot be taken, or a breakpoint halts; pauses there. None if no step is taken. `text` is what the user said.
    pub fn lead(
        &mut self,
        universe: NodeId,
        text: String,
        mut next: impl FnMut(&StateOf<C>) -> Option<ChoiceOf<C>>,
    ) -> Option<NodeId> {
        let mut to = self.paused(universe)?;
        to.resume();
        let mut has_moved = false;
        while to.mode() == Mode::Run
            && let Some(choice) = next(&to.program)
            && let Some(step) = self.graph().language().apply(&to, &choice)
        {
            to = step.state;
            has_moved = true;
        }
        if to.mode() == Mode::Run {
            to.pause(Vec::new());
        }
        has_moved.then(|| self.place(universe, to, Said::Go, text))
    }

    /// Goes from a paused universe to any state that the program can be in, as one in which steps are undone, past
    /// breakpoints; pauses there. `text` is what the user said.
    pub fn go(&mut self, universe: NodeId, state: StateOf<C>, text: String) -> Option<NodeId> {
        let mut to = self.paused(universe)?;
        to.resume();
        to.program = state;
        to.pause(Vec::new());
        Some(self.place(universe, to, Said::Go, text))
    }

    /// The start under the present breakpoints.
    fn start(&mut self) -> NodeId {
        let epoch = self.graph().language().epoch();
        let current = self
            .configuration(NodeId::ROOT)
            .map(|start| start.control.epoch);
        if current != Some(epoch) {
            self.restart();
        }
        NodeId::ROOT
    }

    fn resumed(&mut self, universe: NodeId) -> Option<NodeId> {
        let mut to = self.paused(universe)?;
        to.resume();
        Some(self.place(universe, to, Said::Resume, "resume".to_owned()))
    }

    /// Adds what a command leads to, and its link, each once.
    fn place(&mut self, from: NodeId, to: Configuration<C>, said: Said, text: String) -> NodeId {
        let Some((to, is_new)) = self.exploration.insert(to) else {
            // There are 2^32 universes: the command leads nowhere new.
            return from;
        };
        self.links.add(from, to, is_new, said, text);
        to
    }

    /// Lets all universes from `from` on run until they pause or end.
    fn run_from(&mut self, from: NodeId, keep_going: KeepGoing<'_>) -> Ran {
        self.exploration.focus(from, Strategy::BreadthFirst);
        let cut = self.advance_while(keep_going, |_, _| true);
        let mut ran = Ran {
            from: Some(from),
            cut,
            ..Ran::default()
        };
        for id in self.graph().reachable(from) {
            if self.graph().is_end(id) {
                self.rest(id, &mut ran);
            }
        }
        ran
    }

    /// Explores universe by universe as long as `wants_more` of the universes that are new; what ended that early.
    fn advance_while(
        &mut self,
        keep_going: KeepGoing<'_>,
        mut wants_more: impl FnMut(&Self, Range<u32>) -> bool,
    ) -> Option<Pause> {
        let limits = self.limits;
        let cut = loop {
            if !keep_going(self.exploration.progress()) {
                break Some(Pause::Cancelled);
            }
            let known = self.graph().len() as u32;
            match self.exploration.advance(&limits) {
                Ok(_) if wants_more(self, known..self.graph().len() as u32) => {}
                Ok(_) | Err(Pause::Complete) => break None,
                Err(pause) => break Some(pause),
            }
        };
        self.links.learn(self.exploration.graph());
        cut
    }

    /// Sorts a universe in which nothing goes on by itself.
    fn rest(&self, id: NodeId, ran: &mut Ran) {
        match self.status(id) {
            Some(Status::Paused(_)) => ran.paused.push(id),
            Some(Status::Held) => ran.held.push(id),
            _ => ran.ends.push(id),
        }
    }

    /// Lets universes from `from` on run, the nearest to a breakpoint first, until one pauses that
    /// was not known.
    fn seek_from(&mut self, from: NodeId, keep_going: KeepGoing<'_>) -> Ran {
        let score = self.graph().language().score();
        self.exploration.focus(from, Strategy::Guided(score));
        let mut paused = Vec::new();
        let cut = self.advance_while(keep_going, |debugger, fresh| {
            let halted = |id: &NodeId| {
                let configuration = debugger.configuration(*id);
                configuration.is_some_and(|c| c.mode() == Mode::Pause)
            };
            paused = fresh.map(NodeId).filter(halted).collect();
            paused.is_empty()
        });
        Ran {
            from: Some(from),
            never_reached: paused.is_empty() && cut.is_none(),
            paused,
            cut,
            ..Ran::default()
        }
    }

    /// Goes on from a universe to a state of the program that one of its steps leads to, or a run of steps without a
    /// choice; past breakpoints. None if nothing of the kind leads there, or there are too many universes.
    pub fn follow(&mut self, from: NodeId, to: &StateOf<C>) -> Option<NodeId> {
        let mut at = from;
        let mut passed = HashSet::new();
        // A run that comes to a universe again goes round.
        while passed.insert(at) {
            let next = self.next(at)?;
            let is_there =
                |id: &&NodeId| self.configuration(**id).is_some_and(|c| c.program == *to);
            match (next.iter().find(is_there), next.as_slice()) {
                (Some(there), _) => return Some(*there),
                (None, _) if let Some(there) = self.follow_within(at, to) => return Some(there),
                (None, [only]) => at = *only,
                (None, _) => return None,
            }
        }
        None
    }

    /// Goes on to a state within a step of the program, where there are such.
    fn follow_within(&mut self, from: NodeId, to: &StateOf<C>) -> Option<NodeId> {
        let at = self.running(from)?;
        let mut configuration = self.configuration(at)?.clone();
        let text = self.catalogue().within(&configuration.program, to)?;
        configuration.program = to.clone();
        Some(self.place(at, configuration, Said::Walk, text))
    }

    /// The universe, or the one that follows when it is resumed under the present breakpoints.
    fn running(&mut self, from: NodeId) -> Option<NodeId> {
        let epoch = self.graph().language().epoch();
        let mut configuration = self.configuration(from)?.clone();
        if configuration.mode() == Mode::Run && configuration.control.epoch == epoch {
            return Some(from);
        }
        configuration.adopt(epoch);
        configuration.resume();
        Some(self.place(from, configuration, Said::Resume, "resume".to_owned()))
    }

    /// Where the steps of a universe lead, resumed if need be.
    fn next(&mut self, from: NodeId) -> Option<Vec<NodeId>> {
        let at = self.running(from)?;
        if self.graph().status(at) != Some(Known::Expanded) {
            self.exploration.focus(at, Strategy::DepthFirst);
            self.exploration.advance(&self.limits).ok()?;
            self.links.learn(self.exploration.graph());
        }
        let edges = self.graph().edges_from(at);
        Some(edges.map(|(_, edge)| edge.to).collect())
    }
}

/// The links between universes.
impl<C: Catalogue> Debugger<C> {
    /// How many links there are.
    #[must_use]
    pub fn links(&self) -> u32 {
        self.links.count(self.exploration.graph())
    }

    /// A link.
    #[must_use]
    pub fn link(&self, id: LinkId) -> Option<Link<'_, ChoiceOf<C>>> {
        self.links.get(self.exploration.graph(), id)
    }

    /// Where a link leaves, where it leads, and whether it is a command of the user; faster than [`Debugger::link`].
    #[must_use]
    pub fn ends(&self, id: LinkId) -> Option<(NodeId, NodeId, bool)> {
        self.links.ends(self.exploration.graph(), id)
    }

    /// The links that leave a universe: steps in the order of its choices, then commands.
    #[must_use]
    pub fn links_from(&self, universe: NodeId) -> Vec<LinkId> {
        self.links.leaving(self.exploration.graph(), universe)
    }

    /// The way from the start by which a universe was discovered.
    #[must_use]
    pub fn path(&self, universe: NodeId) -> Vec<LinkId> {
        self.links.path(self.exploration.graph(), universe)
    }
}

/// The exploration of a session that begins.
fn begin<C: Catalogue>(debugged: Debugged<C>, starts: Mode) -> Exploration<Debugged<C>> {
    let mut start = debugged.initial();
    if starts == Mode::Pause && start.mode() == Mode::Run {
        start.pause(Vec::new());
    }
    Exploration::from_state(debugged, start, Strategy::BreadthFirst, true)
}
