//! The universes of a debugging session, and how they grow.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet, VecDeque};

use borges_multiverse::language::Language;

use super::breakpoint::{Arrival, Breakpoint};
use super::goal::StepKind;
use super::universe::{
    ActorMode, BreakpointId, Configuration, Edge, EdgeId, EdgeKind, Hit, Mode, Status, Universe,
    UniverseId,
};
use crate::ambienttalk::{ActorId, AmbientTalk, Choice, Doing, Grain, Options, ParseError, State};
use crate::model::Progress;
use crate::model::debug::Watch;

/// A debugging session: a program, breakpoints, and the universes seen so far.
pub struct Voyager {
    pub(super) text: String,
    /// With visible steps, which the debugger lets the program take.
    pub(super) program: AmbientTalk,
    /// With a step a rule, for steps within a turn.
    pub(super) fine: AmbientTalk,
    pub(super) breakpoints: BTreeMap<BreakpointId, (Breakpoint, bool)>,
    pub(super) next_breakpoint: u32,
    /// The number of the present set of breakpoints.
    pub(super) epoch: u32,
    pub(super) universes: Vec<Universe>,
    pub(super) edges: Vec<Edge>,
    index: HashMap<Configuration, UniverseId>,
    /// The most universes.
    pub(super) limit: usize,
}

/// Why a run ended before all that it leads to was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Early {
    /// There are more universes than allowed.
    Limit,
    /// The user stopped it.
    Stopped,
}

/// The longest step within a turn, in rules.
const LONGEST_STEP: u32 = 100_000;

impl Voyager {
    /// A session at the start of a program.
    ///
    /// # Errors
    /// [`ParseError`] if the text is no program.
    pub fn new(text: &str) -> Result<Self, ParseError> {
        let visible = Options {
            grain: Grain::Visible,
            ..Options::default()
        };
        Ok(Self::over(text, AmbientTalk::parse(text, visible)?))
    }

    /// A session over a program with options of its own: another delivery, or a step a rule.
    #[must_use]
    pub fn over(text: &str, program: AmbientTalk) -> Self {
        let fine = program.with(Options {
            grain: Grain::Rule,
            ..program.options()
        });
        let mut voyager = Self {
            text: text.to_owned(),
            program,
            fine,
            breakpoints: BTreeMap::new(),
            next_breakpoint: 1,
            epoch: 0,
            universes: Vec::new(),
            edges: Vec::new(),
            index: HashMap::new(),
            limit: 100_000,
        };
        voyager.restart();
        voyager
    }

    /// Forgets all universes but the first.
    pub(super) fn restart(&mut self) {
        self.universes.clear();
        self.edges.clear();
        self.index.clear();
        let start = self.program.initial();
        let mut configuration = Configuration {
            program: start,
            mode: Mode::Run,
            actors: Vec::new(),
            goal: None,
            hits: Vec::new(),
            breakpoints: self.epoch,
        };
        let arrival = Arrival {
            before: None,
            mover: None,
            after: &configuration.program.clone(),
        };
        self.arrive(&mut configuration, &arrival);
        self.intern(configuration, None);
    }

    /// The program, with the steps that the debugger lets it take.
    #[must_use]
    pub const fn program(&self) -> &AmbientTalk {
        &self.program
    }

    /// The program's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of universes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.universes.len()
    }

    /// Never: there is always the start.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.universes.is_empty()
    }

    /// All universes, in the order of their discovery.
    pub fn universes(&self) -> impl Iterator<Item = UniverseId> + use<> {
        (0..self.universes.len() as u32).map(UniverseId)
    }

    /// All edges.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that leave a universe.
    pub fn edges_from(&self, universe: UniverseId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let edges = self
            .universe(universe)
            .map(|universe| universe.edges.iter());
        let edges = edges.into_iter().flatten();
        edges.filter_map(|id| Some((*id, self.edges.get(id.0 as usize)?)))
    }

    /// The program's configuration in a universe.
    #[must_use]
    pub fn state(&self, universe: UniverseId) -> Option<&State> {
        Some(&self.universe(universe)?.configuration.program)
    }

    pub(super) fn universe(&self, id: UniverseId) -> Option<&Universe> {
        self.universes.get(id.0 as usize)
    }

    /// What an actor may do in a universe.
    #[must_use]
    pub fn actor_mode(&self, universe: UniverseId, actor: ActorId) -> ActorMode {
        let universe = self.universe(universe);
        universe.map_or(ActorMode::Run, |universe| {
            universe.configuration.mode_of(actor)
        })
    }

    /// What is known about a universe.
    #[must_use]
    pub fn status(&self, id: UniverseId) -> Option<Status> {
        let universe = self.universe(id)?;
        let configuration = &universe.configuration;
        if configuration.mode == Mode::Pause {
            return Some(Status::Paused(configuration.hits.clone()));
        }
        let mut choices = Vec::new();
        self.program.enabled(&configuration.program, &mut choices);
        if choices.is_empty() {
            use borges_multiverse::language::Verdict;
            return Some(match self.program.outcome(&configuration.program).verdict {
                Verdict::Stuck | Verdict::Failed => Status::Stuck,
                Verdict::Deadlock => Status::Deadlock,
                Verdict::Finished => Status::End,
            });
        }
        if !choices.iter().any(|choice| configuration.allows(choice)) {
            return Some(Status::Held);
        }
        Some(if universe.explored {
            Status::Running
        } else {
            Status::Unexplored
        })
    }

    /// The universe of a configuration, and whether it is new.
    pub(super) fn intern(
        &mut self,
        configuration: Configuration,
        cause: Option<EdgeId>,
    ) -> (UniverseId, bool) {
        if let Some(known) = self.index.get(&configuration) {
            return (*known, false);
        }
        let id = UniverseId(self.universes.len() as u32);
        self.index.insert(configuration.clone(), id);
        self.universes.push(Universe {
            configuration,
            edges: Vec::new(),
            cause,
            explored: false,
        });
        (id, true)
    }

    /// Adds a command's edge to a configuration. True if the universe is new.
    pub(super) fn connect(
        &mut self,
        from: UniverseId,
        to: Configuration,
        kind: EdgeKind,
        rules: Vec<&'static str>,
    ) -> (UniverseId, bool) {
        let edge = Edge {
            from,
            to: from,
            kind,
            rules,
            mover: None,
            receiver: None,
        };
        self.add(to, edge)
    }

    /// Adds an edge, of which the end is not known yet, to a configuration.
    fn add(&mut self, to: Configuration, mut edge: Edge) -> (UniverseId, bool) {
        let id = EdgeId(self.edges.len() as u32);
        let from = edge.from;
        let (to, new) = self.intern(to, Some(id));
        edge.to = to;
        let edges = &self.universes[from.0 as usize].edges;
        // The same command again is the same edge.
        if edges
            .iter()
            .any(|known| self.edges[known.0 as usize] == edge)
        {
            return (to, new);
        }
        self.edges.push(edge);
        self.universes[from.0 as usize].edges.push(id);
        (to, new)
    }

    /// Lets all universes from `from` on run until they pause or end. Returns those that it came to
    /// (paused, ended, held), and what stopped it early.
    pub(super) fn run_from(
        &mut self,
        from: UniverseId,
        keep_going: Watch<'_>,
    ) -> (Vec<UniverseId>, Option<Early>) {
        let mut seen = HashSet::from([from]);
        let mut todo = VecDeque::from([from]);
        let mut rest = Vec::new();
        while let Some(id) = todo.pop_front() {
            if self.universes.len() >= self.limit && !self.universes[id.0 as usize].explored {
                return (rest, Some(Early::Limit));
            }
            if !keep_going(&self.progress(todo.len())) {
                return (rest, Some(Early::Stopped));
            }
            let next = self.expand(id);
            if next.is_empty() {
                rest.push(id);
            }
            todo.extend(next.into_iter().filter(|next| seen.insert(*next)));
        }
        (rest, None)
    }

    fn progress(&self, waiting: usize) -> Progress {
        Progress {
            states: self.universes.len() as u64,
            edges: self.edges.len() as u64,
            ends: 0,
            waiting: waiting as u64,
        }
    }

    /// Lets universes from `from` on run, the nearest to a breakpoint first, until one pauses that
    /// was not known. Returns what paused, and what stopped it early.
    pub(super) fn seek_from(
        &mut self,
        from: UniverseId,
        keep_going: Watch<'_>,
    ) -> (Vec<UniverseId>, Option<Early>) {
        let known = self.universes.len();
        let mut seen = HashSet::from([from]);
        let mut todo = BinaryHeap::from([(0, Reverse(from))]);
        while let Some((_, Reverse(id))) = todo.pop() {
            if self.universes.len() >= self.limit && !self.universes[id.0 as usize].explored {
                return (Vec::new(), Some(Early::Limit));
            }
            if !keep_going(&self.progress(todo.len())) {
                return (Vec::new(), Some(Early::Stopped));
            }
            let mut paused = Vec::new();
            for next in self.expand(id) {
                let Some(universe) = self.universe(next) else {
                    continue;
                };
                if !seen.insert(next) {
                    continue;
                }
                if next.0 as usize >= known && universe.configuration.mode == Mode::Pause {
                    paused.push(next);
                }
                todo.push((
                    self.nearness(&universe.configuration.program),
                    Reverse(next),
                ));
            }
            if !paused.is_empty() {
                return (paused, None);
            }
        }
        (Vec::new(), None)
    }

    /// How near a state is to the breakpoint that it is nearest to.
    fn nearness(&self, state: &State) -> i64 {
        let enabled = self.breakpoints.values().filter(|(_, enabled)| *enabled);
        let near = enabled.map(|(breakpoint, _)| breakpoint.nearness(&self.program, state));
        near.max().unwrap_or(0)
    }

    /// Explores the steps of a universe that runs; returns where they lead.
    fn expand(&mut self, id: UniverseId) -> Vec<UniverseId> {
        let Some(universe) = self.universe(id) else {
            return Vec::new();
        };
        if universe.configuration.mode == Mode::Pause {
            return Vec::new();
        }
        if universe.explored {
            let steps = self.edges_from(id);
            return steps
                .filter(|(_, edge)| matches!(edge.kind, EdgeKind::Step(_)))
                .map(|(_, edge)| edge.to)
                .collect();
        }
        let configuration = universe.configuration.clone();
        let mut choices = Vec::new();
        self.program.enabled(&configuration.program, &mut choices);
        choices.retain(|choice| configuration.allows(choice));
        let mut next = Vec::new();
        let program = self.program.clone();
        for choice in &choices {
            next.extend(self.take(id, &configuration, choice, &program));
        }
        self.universes[id.0 as usize].explored = true;
        next
    }

    /// Takes a step of a universe that runs; returns where it leads.
    fn take(
        &mut self,
        id: UniverseId,
        configuration: &Configuration,
        choice: &Choice,
        program: &AmbientTalk,
    ) -> Option<UniverseId> {
        let (to, kind, rules) = self.step(configuration, choice, program);
        let to = to?;
        let (mover, receiver) = match *choice {
            Choice::Act(actor) => {
                let next = self.program.next(&configuration.program, actor);
                let sends = next.filter(|next| next.doing != Doing::CreateActor);
                (actor, sends.and_then(|next| next.to))
            }
            Choice::Deliver { from, to, .. } => (from, Some(to)),
        };
        let edge = Edge {
            from: id,
            to: id,
            kind,
            rules,
            mover: Some(mover),
            receiver,
        };
        Some(self.add(to, edge).0)
    }

    /// CEL-STEP-LOCAL or CEL-STEP-GLOBAL, and what the debugger makes of it.
    fn step(
        &self,
        from: &Configuration,
        choice: &Choice,
        program: &AmbientTalk,
    ) -> (Option<Configuration>, EdgeKind, Vec<&'static str>) {
        let before = &from.program;
        let label = program.label(before, choice);
        let mover = match choice {
            Choice::Act(actor) => Some(*actor),
            Choice::Deliver { .. } => None,
        };
        let doing = mover.and_then(|actor| self.program.next(before, actor));
        let is_global = doing.is_none_or(|next| {
            matches!(
                next.doing,
                Doing::Send | Doing::SendResult | Doing::Forward | Doing::CreateActor
            )
        });
        let mut rules = vec![if is_global {
            "CEL-STEP-GLOBAL"
        } else {
            "CEL-STEP-LOCAL"
        }];
        if doing.is_some_and(|next| next.doing == Doing::CreateActor) {
            rules.push("ADD-NEW-ACTOR");
        }
        if let Some(next) = doing.filter(|next| next.doing == Doing::Send)
            && self.saves(next.site)
        {
            rules.push("SAVE-MRB");
        }
        let next = program.apply(before, choice);
        let to = next.map(|next| {
            let mut to = Configuration {
                program: next.state,
                ..from.clone()
            };
            let after = to.program.clone();
            let arrival = Arrival {
                before: Some(before),
                mover,
                after: &after,
            };
            rules.extend(self.arrive(&mut to, &arrival));
            to
        });
        (to, EdgeKind::Step(label), rules)
    }

    /// Whether a receiver breakpoint waits for messages of the site.
    fn saves(&self, site: Option<crate::ambienttalk::SiteId>) -> bool {
        self.breakpoints.values().any(|(breakpoint, enabled)| {
            matches!(breakpoint, Breakpoint::Receiver(sites)
                if *enabled && site.is_some_and(|site| sites.sites.contains(&site)))
        })
    }

    /// Looks at breakpoints and at the step under way; pauses the configuration if one says so.
    pub(super) fn arrive(
        &self,
        configuration: &mut Configuration,
        arrival: &Arrival<'_>,
    ) -> Vec<&'static str> {
        let mut rules = Vec::new();
        let mut hits = Vec::new();
        for (id, (breakpoint, enabled)) in &self.breakpoints {
            if !enabled {
                continue;
            }
            let actors = breakpoint.hits(&self.program, arrival);
            rules.push(if actors.is_empty() {
                "NOT-APPLICABLE-BREAKPOINT"
            } else {
                breakpoint.rule()
            });
            hits.extend(actors.into_iter().map(|actor| Hit::Breakpoint(*id, actor)));
        }
        if let Some(goal) = configuration.goal {
            configuration.goal = goal.after(&self.program, arrival);
            if configuration.goal.is_none() {
                hits.push(Hit::Step(goal.kind, goal.actor));
                rules.push("TRIGGER-STEP-NEXT-TURN");
            }
        }
        if !hits.is_empty() {
            configuration.pause(hits);
        }
        rules
    }

    /// Goes on from a universe to a state that one step leads to, in either grain, past breakpoints.
    pub(super) fn follow(&mut self, from: UniverseId, to: &State) -> Option<UniverseId> {
        let mut configuration = self.universe(from)?.configuration.clone();
        let mut at = from;
        if configuration.mode == Mode::Pause || configuration.breakpoints != self.epoch {
            configuration.breakpoints = self.epoch;
            configuration.resume();
            let kind = EdgeKind::Command("resume".to_owned());
            let rules = vec!["RESUME-EXECUTION"];
            at = self.connect(from, configuration.clone(), kind, rules).0;
        }
        let state = configuration.program.clone();
        for program in [self.program.clone(), self.fine.clone()] {
            let mut choices = Vec::new();
            program.enabled(&state, &mut choices);
            for choice in &choices {
                let next = program.apply(&state, choice);
                if next.is_some_and(|next| next.state == *to) {
                    return self.take(at, &configuration, choice, &program);
                }
            }
        }
        None
    }

    /// Takes a step within a turn: nobody else moves. None if the actor has no step to take.
    pub(super) fn within_turn(
        &self,
        from: &Configuration,
        actor: ActorId,
        kind: StepKind,
    ) -> Option<(Configuration, u32)> {
        let depth = self.fine.next(&from.program, actor)?.depth;
        let mut state = from.program.clone();
        let mut rules = 0;
        while let Some(next) = self.fine.apply(&state, &Choice::Act(actor)) {
            state = next.state;
            rules += 1;
            let now = self.fine.next(&state, actor)?.depth;
            let there = match kind {
                StepKind::Over => now <= depth,
                StepKind::Return => now < depth,
                _ => true,
            };
            if there || rules >= LONGEST_STEP || !self.fine.in_turn(&state, actor) {
                break;
            }
        }
        if rules == 0 {
            return None;
        }
        let mut to = from.clone();
        to.program = state;
        to.goal = None;
        to.pause(vec![Hit::Step(kind, actor)]);
        Some((to, rules))
    }
}
