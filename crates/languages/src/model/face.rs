//! The one debugger of all languages, as faces see it: orders in words, rows of universes and links.

use std::any::Any;

use borges_multiverse::debug::{
    AgentMode, AgentOf, BreakpointId, Catalogue, Configuration, Debugger as Universes, Hit, Link,
    LinkId, Mode, Ran, Said, StateOf, Status,
};
use borges_multiverse::graph::{self, NodeId, Pause};
use borges_multiverse::language::{Language, Verdict, Waiting};

use super::debug::{
    AgentCard, BreakpointRow, Came, Card, ChangeRow, Debugger, LinkRow, NodeRow, Order, Possible,
    RanRow, Refused, Watch, line,
};
use super::explore::Progress;
use super::reported::Reported;
use crate::predicate::{NoCondition, TextLine};

/// The most universes of a session.
const MOST: usize = 100_000;
/// Universes that are looked at before a pause is asked for.
const LOOKED_AT: u32 = 256;

/// What an agent has to do to take a step.
pub(crate) enum Plan<C: Catalogue> {
    /// Run, and others with it, until this.
    Goal(C::Goal),
    /// Run alone, to this state, by so many rules.
    Walk(StateOf<C>, u32),
}

/// What a language gives to a debugging session besides what can be waited for.
pub(crate) trait Voice:
    Catalogue<
        Program: Reported<
            State: Send + Sync + 'static,
            Choice: Send + Sync,
            Agent: Send + Sync,
            Resource: Send,
        >,
        Breakpoint: Send + Sync + 'static,
        Goal: Send + Sync,
        Step: Send + Sync,
    > + Send
    + Sync
    + Sized
    + 'static
{
    /// Whether the program runs or waits at the start.
    const STARTS: Mode;

    /// Reads another text with the options of this program.
    fn reread(&self, text: &str) -> Result<Self, Refused>;

    /// Reads a breakpoint about a program with this text.
    fn breakpoint(&self, text: &str, spec: &str) -> Result<Self::Breakpoint, Refused>;

    /// A breakpoint as the user says it.
    fn spec(breakpoint: &Self::Breakpoint) -> String;

    /// The steps that there are, with their names.
    fn steps() -> &'static [(&'static str, Self::Step)];

    /// What an agent has to do for a step in a state.
    ///
    /// # Errors
    /// Why the step makes no sense there.
    fn plan(
        &self,
        state: &StateOf<Self>,
        agent: &AgentOf<Self>,
        step: Self::Step,
    ) -> Result<Plan<Self>, Refused>;

    /// The agents that can be told to step in a state, or to hold; with their names.
    fn agents(&self, state: &StateOf<Self>) -> Vec<(AgentOf<Self>, String)>;

    /// Whether agents can be held.
    fn holds(&self) -> bool;

    /// What there is to see of the agents of a state. `mode` says what each may do.
    fn cards(
        &self,
        text: &str,
        state: &StateOf<Self>,
        mode: &dyn Fn(&AgentOf<Self>) -> AgentMode,
    ) -> Vec<AgentCard>;

    /// What differs between two states; `mover` is who acted.
    fn changes(&self, before: &StateOf<Self>, after: &StateOf<Self>, mover: &str)
    -> Vec<ChangeRow>;

    /// Who is shown to have taken a step.
    fn mover(&self, step: &Taken<'_, Self>) -> String {
        let (program, state) = (self.program(), &step.from.program);
        program.agent_name(state, &program.agent(state, step.choice))
    }

    /// Who gets the message, if a step sends one, or one arrives.
    fn receiver(&self, step: &Taken<'_, Self>) -> Option<String> {
        self.program().addressee(&step.from.program, step.choice)
    }

    /// The rules of the debugger that carry out a command.
    fn rules_of(said: Said) -> Vec<&'static str>;

    /// The rules of the debugger that applied in a step.
    fn rules(&self, _step: &Taken<'_, Self>) -> Vec<&'static str> {
        Vec::new()
    }
}

/// A step of the program under the debugger.
pub(crate) struct Taken<'t, C: Catalogue> {
    /// Where it leaves.
    pub(crate) from: &'t Configuration<C>,
    /// What was decided.
    pub(crate) choice: &'t <C::Program as Language>::Choice,
    /// Where it leads.
    pub(crate) to: &'t Configuration<C>,
    /// The breakpoints that were looked at.
    pub(crate) breakpoints: Vec<&'t C::Breakpoint>,
}

/// A debugging session in a language.
pub(crate) struct Face<C: Voice> {
    text: String,
    universes: Universes<C>,
}

impl<C: Voice> Face<C> {
    pub(crate) fn new(text: &str, catalogue: C) -> Self {
        Self {
            text: text.to_owned(),
            universes: Universes::new(catalogue, C::STARTS, MOST),
        }
    }

    fn program(&self) -> &C::Program {
        self.universes.catalogue().program()
    }

    fn configuration(&self, universe: u32) -> Result<&Configuration<C>, Refused> {
        let missing = Refused::NoUniverse(universe, self.len());
        self.universes
            .configuration(NodeId(universe))
            .ok_or(missing)
    }

    fn name(&self, universe: u32, agent: &AgentOf<C>) -> String {
        match self.configuration(universe) {
            Ok(configuration) => self.program().agent_name(&configuration.program, agent),
            Err(_) => agent.to_string(),
        }
    }

    fn agent(&self, universe: u32, name: &str) -> Result<AgentOf<C>, Refused> {
        let state = &self.configuration(universe)?.program;
        let agents = self.universes.catalogue().agents(state);
        match agents.iter().position(|(_, known)| known == name) {
            Some(at) => Ok(agents[at].0.clone()),
            None => {
                let names: Vec<String> = agents.into_iter().map(|(_, name)| name).collect();
                Err(Refused::NoAgent(name.to_owned(), names.join(", ")))
            }
        }
    }

    fn step(
        &mut self,
        universe: u32,
        agent: &str,
        kind: &str,
        keep_going: Watch<'_>,
    ) -> Result<RanRow, Refused> {
        self.configuration(universe)?;
        if !self.universes.waits(NodeId(universe)) {
            return Err(Refused::NotPaused);
        }
        let named = C::steps().iter().find(|(name, _)| *name == kind);
        let Some((_, step)) = named else {
            return Err(self.no_step(kind));
        };
        let actor = self.agent(universe, agent)?;
        let state = &self.configuration(universe)?.program;
        let plan = self.universes.catalogue().plan(state, &actor, *step)?;
        let at = NodeId(universe);
        let text = match C::steps() {
            [_] => format!("{kind} {agent}"),
            _ => format!("step {kind} {agent}"),
        };
        let ran = match plan {
            Plan::Goal(goal) => self
                .universes
                .step(at, &actor, goal, text, &mut seen(keep_going)),
            Plan::Walk(state, rules) => {
                let text = format!("{text} ({rules} rules)");
                let to = self.universes.walk(at, &actor, *step, state, text);
                to.map(|to| Ran {
                    from: Some(to),
                    paused: vec![to],
                    ..Ran::default()
                })
            }
        };
        ran.map(|ran| ran_row(&ran)).ok_or(Refused::NotPaused)
    }

    fn no_step(&self, kind: &str) -> Refused {
        Refused::NoStep(kind.to_owned(), self.steps().join(", "))
    }

    /// What came of a command that leads to one universe, in which everyone waits or goes on.
    fn placed(&self, to: Option<NodeId>, refused: Refused) -> Result<RanRow, Refused> {
        let to = to.ok_or(refused)?;
        Ok(RanRow {
            from: to.0,
            paused: vec![to.0],
            ..RanRow::default()
        })
    }

    fn hold(&mut self, universe: u32, agent: &str, hold: bool) -> Result<RanRow, Refused> {
        if !self.universes.catalogue().holds() {
            return Err(self.no_step("hold"));
        }
        let actor = self.agent(universe, agent)?;
        let to = self.universes.hold(NodeId(universe), &actor, hold, agent);
        self.placed(to, Refused::NotPaused)
    }

    fn edit(&mut self, text: &str) -> Result<(), Refused> {
        let catalogue = self.universes.catalogue().reread(text)?;
        // Breakpoints are about places of the text: they are looked up again.
        let again =
            |catalogue: &C, known: &C::Breakpoint| catalogue.breakpoint(text, &C::spec(known));
        self.universes.replace(catalogue, again)?;
        text.clone_into(&mut self.text);
        Ok(())
    }

    fn why(&self, universe: u32, hit: &Hit<AgentOf<C>, C::Step>) -> String {
        match hit {
            Hit::User => "the user paused it".to_owned(),
            Hit::Step(step, agent) => {
                let named = C::steps().iter().find(|(_, known)| known == step);
                let name = named.map_or("", |(name, _)| *name);
                format!("step {name} of {}", self.name(universe, agent))
            }
            Hit::Breakpoint(id, agent) => {
                let mut all = self.universes.breakpoints();
                let known = all.find(|(known, ..)| known == id);
                let spec = known.map_or_else(String::new, |(_, breakpoint, _)| {
                    format!(" ({})", C::spec(breakpoint))
                });
                let at = agent.as_ref().map(|agent| self.name(universe, agent));
                let at = at.map_or_else(String::new, |name| format!(" at {name}"));
                format!("breakpoint {}{spec}{at}", id.0)
            }
        }
    }

    /// What makes sense to say in a universe: a radial menu.
    fn possible(&self, universe: u32) -> Vec<Possible> {
        let row = |label: &str, agent: Option<&String>, order| Possible {
            label: label.to_owned(),
            agent: agent.cloned(),
            order,
        };
        let Ok(configuration) = self.configuration(universe) else {
            return Vec::new();
        };
        match self.universes.status(NodeId(universe)) {
            Some(Status::Paused(_) | Status::Held) => {}
            Some(Status::Unexplored | Status::Running) => {
                return vec![row("pause", None, Order::Pause { universe })];
            }
            _ => return Vec::new(),
        }
        let catalogue = self.universes.catalogue();
        let state = &configuration.program;
        let mut possible = vec![row("resume", None, Order::Resume { universe })];
        for (agent, name) in catalogue.agents(state) {
            for (kind, step) in C::steps() {
                if catalogue.plan(state, &agent, *step).is_ok() {
                    let order = Order::Step {
                        universe,
                        agent: name.clone(),
                        kind: (*kind).to_owned(),
                    };
                    possible.push(row(kind, Some(&name), order));
                }
            }
            if catalogue.holds() {
                let (label, agent) = (configuration.mode_of(&agent), name.clone());
                let (label, order) = match label {
                    AgentMode::Hold => ("release", Order::Release { universe, agent }),
                    _ => ("hold", Order::Hold { universe, agent }),
                };
                possible.push(row(label, Some(&name), order));
            }
        }
        possible
    }
}

impl<C: Voice> Debugger for Face<C> {
    fn text(&self) -> &str {
        &self.text
    }

    fn carry_out(&mut self, order: Order, keep_going: Watch<'_>) -> Result<Came, Refused> {
        let ran = match order {
            Order::Run => ran_row(&self.universes.run(&mut seen(keep_going))),
            Order::Resume { universe } => {
                self.configuration(universe)?;
                let ran = self
                    .universes
                    .resume(NodeId(universe), &mut seen(keep_going));
                ran_row(&ran.ok_or(Refused::NotPaused)?)
            }
            Order::Seek { universe } => {
                self.configuration(universe)?;
                let ran = self.universes.seek(NodeId(universe), &mut seen(keep_going));
                ran_row(&ran.ok_or(Refused::NoLead)?)
            }
            Order::Pause { universe } => {
                self.configuration(universe)?;
                let to = self.universes.pause(NodeId(universe));
                self.placed(to, Refused::NotRunning)?
            }
            Order::Step {
                universe,
                agent,
                kind,
            } => self.step(universe, &agent, &kind, keep_going)?,
            Order::Hold { universe, agent } => self.hold(universe, &agent, true)?,
            Order::Release { universe, agent } => self.hold(universe, &agent, false)?,
            Order::Break { spec } => {
                let catalogue = self.universes.catalogue();
                let breakpoint = catalogue.breakpoint(&self.text, &spec)?;
                let id = self.universes.add_breakpoint(breakpoint);
                return Ok(Came {
                    breakpoint: Some(id.0),
                    ran: None,
                });
            }
            Order::Unbreak { id } => {
                let removed = self.universes.remove_breakpoint(BreakpointId(id));
                removed.ok_or(Refused::NoBreakpoint(id))?;
                return Ok(Came::default());
            }
            Order::Enable { id, on } => {
                if !self.universes.enable_breakpoint(BreakpointId(id), on) {
                    return Err(Refused::NoBreakpoint(id));
                }
                return Ok(Came::default());
            }
            Order::Restart => {
                self.universes.restart();
                return Ok(Came::default());
            }
            Order::Edit { text } => {
                self.edit(&text)?;
                return Ok(Came::default());
            }
        };
        Ok(Came {
            breakpoint: None,
            ran: Some(ran),
        })
    }

    fn visit(&mut self, way: &[&dyn Any]) -> Option<u32> {
        let mut at = NodeId::ROOT;
        for state in way {
            at = self.universes.follow(at, state.downcast_ref()?)?;
        }
        Some(at.0)
    }

    fn program_state(&self, universe: u32) -> Option<&dyn Any> {
        let configuration = self.configuration(universe).ok()?;
        Some(&configuration.program)
    }

    fn len(&self) -> u32 {
        self.universes.graph().len() as u32
    }

    fn node(&self, universe: u32) -> Option<NodeRow> {
        let status = self.universes.status(NodeId(universe))?;
        let why = match &status {
            Status::Paused(hits) => hits.iter().map(|hit| self.why(universe, hit)).collect(),
            _ => Vec::new(),
        };
        Some(NodeRow {
            id: universe,
            status: name(&status),
            why,
        })
    }

    fn status(&self, universe: u32) -> Option<&'static str> {
        self.universes.status(NodeId(universe)).as_ref().map(name)
    }

    fn beginnings(&self) -> u32 {
        self.universes.beginnings()
    }

    fn links(&self) -> u32 {
        self.universes.links()
    }

    fn link(&self, id: u32) -> Option<LinkRow> {
        let base = |from: NodeId, to: NodeId| LinkRow {
            id,
            from: from.0,
            to: to.0,
            ..LinkRow::default()
        };
        Some(match self.universes.link(LinkId(id))? {
            Link::Command {
                from,
                to,
                said,
                text,
            } => LinkRow {
                command: true,
                text: text.to_owned(),
                rules: C::rules_of(said),
                ..base(from, to)
            },
            Link::Step { from, to, choice } => {
                let program = self.program();
                let before = self.universes.configuration(from)?;
                let label = program.label(&before.program, &choice);
                let catalogue = self.universes.catalogue();
                let taken = Taken {
                    from: before,
                    choice: &choice,
                    to: self.universes.configuration(to)?,
                    breakpoints: self.universes.looked_at(from).map(|(_, b)| b).collect(),
                };
                LinkRow {
                    agent: catalogue.mover(&taken),
                    receiver: catalogue.receiver(&taken),
                    rule: label.rule.to_owned(),
                    text: label.text,
                    line: line(&self.text, label.span),
                    rules: catalogue.rules(&taken),
                    ..base(from, to)
                }
            }
        })
    }

    fn ends_of(&self, edge: u32) -> Option<(u32, u32, bool)> {
        let (from, to, command) = self.universes.ends(LinkId(edge))?;
        Some((from.0, to.0, command))
    }

    fn links_from(&self, universe: u32) -> Vec<u32> {
        let links = self.universes.links_from(NodeId(universe));
        links.into_iter().map(|link| link.0).collect()
    }

    fn at_line(&self, line: u32, keep_going: Watch<'_>) -> Result<Vec<u32>, Refused> {
        let line = TextLine::numbered(&self.text, line).map_err(NoCondition::from)?;
        let mut found = Vec::new();
        for universe in 0..self.len() {
            let looked_at = Progress {
                states: u64::from(universe),
                ..Progress::default()
            };
            if universe % LOOKED_AT == 0 && !keep_going(&looked_at) {
                break;
            }
            let state = &self.configuration(universe)?.program;
            if !line.agents(self.program(), state).is_empty() {
                found.push(universe);
            }
        }
        Ok(found)
    }

    fn card(&self, universe: u32) -> Result<Card, Refused> {
        let configuration = self.configuration(universe)?;
        let missing = Refused::NoUniverse(universe, self.len());
        let node = self.node(universe).ok_or(missing)?;
        let over = matches!(
            self.universes.status(NodeId(universe)),
            Some(Status::Over(_))
        );
        let (program, state) = (self.program(), &configuration.program);
        let mode = |agent: &AgentOf<C>| configuration.mode_of(agent);
        let path = self.universes.path(NodeId(universe)).into_iter();
        let mut agents = self.universes.catalogue().cards(&self.text, state, &mode);
        let mut shared = Vec::new();
        if !program.has_actors() {
            let left = program.remains(&program.outcome(state).value);
            let values = left.values.into_iter();
            shared.extend(values.map(|(name, value)| (name, value.bare())));
            let mut waiting = Vec::new();
            program.waiting(state, &mut waiting);
            for (name, why) in left.waiting {
                if agents.iter().all(|agent| agent.name != name) {
                    let is_it =
                        |waits: &&Waiting<_, _>| program.agent_name(state, &waits.agent) == name;
                    let span = waiting
                        .iter()
                        .find(is_it)
                        .and_then(|waits| waits.label.span);
                    agents.push(AgentCard {
                        name,
                        mode: AgentMode::Run.name(),
                        line: line(&self.text, span),
                        stuck: Some(why),
                        ..AgentCard::default()
                    });
                }
            }
        }
        Ok(Card {
            node,
            agents,
            shared,
            text: program.show(state),
            outcome: over.then(|| program.outcome(state).to_string()),
            possible: self.possible(universe),
            path: path.map(|link| link.0).collect(),
        })
    }

    fn difference(&self, edge: u32) -> Result<Vec<ChangeRow>, Refused> {
        let (from, to, _) = self.ends_of(edge).ok_or(Refused::NoEdge(edge))?;
        let mover = self.link(edge).map_or_else(String::new, |link| link.agent);
        let (before, after) = (self.configuration(from)?, self.configuration(to)?);
        let catalogue = self.universes.catalogue();
        Ok(catalogue.changes(&before.program, &after.program, &mover))
    }

    fn breakpoints(&self) -> Vec<BreakpointRow> {
        let all = self.universes.breakpoints();
        all.map(|(id, breakpoint, on)| BreakpointRow {
            id: id.0,
            spec: C::spec(breakpoint),
            on,
        })
        .collect()
    }

    fn steps(&self) -> Vec<&'static str> {
        C::steps().iter().map(|(name, _)| *name).collect()
    }
}

/// What a status is called.
const fn name<A, S>(status: &Status<A, S>) -> &'static str {
    match status {
        Status::Unexplored => "unexplored",
        Status::Running => "running",
        Status::Paused(_) => "paused",
        Status::Held => "held",
        Status::Over(Verdict::Finished) => "end",
        Status::Over(Verdict::Deadlock) => "deadlock",
        Status::Over(Verdict::Stuck | Verdict::Failed | Verdict::Race) => "stuck",
    }
}

/// Progress in the words of faces.
fn seen(keep_going: Watch<'_>) -> impl FnMut(graph::Progress) -> bool + '_ {
    |progress| keep_going(&progress.into())
}

fn ran_row(ran: &Ran) -> RanRow {
    let numbers = |ids: &[NodeId]| ids.iter().map(|id| id.0).collect();
    RanRow {
        from: ran.from.unwrap_or(NodeId::ROOT).0,
        paused: numbers(&ran.paused),
        ends: numbers(&ran.ends),
        held: numbers(&ran.held),
        cut: ran.cut.is_some_and(|cut| cut != Pause::Cancelled),
        stopped: ran.cut == Some(Pause::Cancelled),
        never_reached: ran.never_reached,
    }
}
