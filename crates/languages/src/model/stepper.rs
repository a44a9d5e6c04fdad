//! D_amb for any language: ⟨step|paused, state⟩, in all universes at once.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use borges_multiverse::language::{Language, Verdict};
use borges_multiverse::temporal::{Claim, Formula};

use super::ModelError;
use super::debug::{
    AgentCard, BreakpointRow, Came, Card, ChangeRow, Debugger, JUDGED, Judgement, LinkRow, NodeRow,
    Order, Possible, RanRow, Refused, line,
};
use super::lead::Mention;
use super::reported::Reported;
use crate::voyager::{judgement, verdicts};

/// The most universes.
const MOST: usize = 100_000;

/// The only step.
const STEP: &str = "step";

type Parse<L> = fn(&str) -> Result<L, ModelError>;

/// A debugger for a language without one of its own. Its breakpoints are texts: a universe halts
/// when its state, or the step to it, begins to mention one.
pub(super) struct Stepper<L: Reported> {
    language: L,
    text: String,
    parse: Parse<L>,
    universes: Vec<Universe<L>>,
    links: Vec<Link<L>>,
    index: HashMap<(L::State, Mode), u32>,
    breakpoints: Vec<(BreakpointRow, Mention)>,
    next_breakpoint: u32,
}

struct Universe<L: Language> {
    state: L::State,
    mode: Mode,
    links: Vec<u32>,
    /// The link of its discovery.
    cause: Option<u32>,
    explored: bool,
    why: Vec<String>,
}

struct Link<L: Language> {
    from: u32,
    to: u32,
    kind: Kind<L>,
}

enum Kind<L: Language> {
    Command(String),
    Step(L::Choice),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Mode {
    Paused,
    Run,
    /// One step of this agent, and then paused.
    Step(String),
}

impl<L: Reported<State: Clone>> Stepper<L> {
    pub(super) fn new(language: L, text: String, parse: Parse<L>) -> Self {
        let mut stepper = Self {
            language,
            text,
            parse,
            universes: Vec::new(),
            links: Vec::new(),
            index: HashMap::new(),
            breakpoints: Vec::new(),
            next_breakpoint: 1,
        };
        stepper.restart();
        stepper
    }

    fn restart(&mut self) {
        self.universes.clear();
        self.links.clear();
        self.index.clear();
        let start = self.language.canonical(self.language.initial());
        self.meet(start, Mode::Paused, None);
    }

    fn meet(&mut self, state: L::State, mode: Mode, cause: Option<u32>) -> u32 {
        let key = (state, mode);
        if let Some(known) = self.index.get(&key) {
            return *known;
        }
        let id = self.universes.len() as u32;
        self.universes.push(Universe {
            state: key.0.clone(),
            mode: key.1.clone(),
            links: Vec::new(),
            cause,
            explored: false,
            why: Vec::new(),
        });
        self.index.insert(key, id);
        id
    }

    fn connect(&mut self, from: u32, state: L::State, mode: Mode, kind: Kind<L>) -> u32 {
        let id = self.links.len() as u32;
        let to = self.meet(state, mode, Some(id));
        if let Kind::Command(text) = &kind {
            let known = self.universes[from as usize].links.iter();
            let same = |link: &&u32| {
                let link = &self.links[**link as usize];
                link.to == to && matches!(&link.kind, Kind::Command(old) if old == text)
            };
            if known.into_iter().any(|link| same(&link)) {
                return to;
            }
        }
        self.links.push(Link { from, to, kind });
        self.universes[from as usize].links.push(id);
        to
    }

    fn universe(&self, id: u32) -> Result<&Universe<L>, Refused> {
        let missing = Refused::NoUniverse(id, self.universes.len() as u32);
        self.universes.get(id as usize).ok_or(missing)
    }

    fn choices(&self, state: &L::State) -> Vec<L::Choice> {
        let mut choices = Vec::new();
        self.language.enabled(state, &mut choices);
        choices
    }

    fn agent(&self, state: &L::State, choice: &L::Choice) -> String {
        let agent = self.language.agent(state, choice);
        self.language.agent_name(state, &agent)
    }

    /// The breakpoints that halt on an arrival.
    fn hits(&self, before: &L::State, choice: &L::Choice, after: &L::State) -> Vec<String> {
        let hits = self.breakpoints.iter().filter(|(row, mention)| {
            row.on && mention.halts(&self.language, before, choice, after)
        });
        hits.map(|(row, _)| format!("breakpoint {} ({})", row.id, row.spec))
            .collect()
    }

    /// Takes the steps of a universe that does not rest; returns where they lead.
    fn expand(&mut self, id: u32) -> Vec<u32> {
        let universe = &self.universes[id as usize];
        if universe.mode == Mode::Paused {
            return Vec::new();
        }
        if universe.explored {
            let links = universe
                .links
                .iter()
                .map(|link| &self.links[*link as usize]);
            return links
                .filter(|link| matches!(link.kind, Kind::Step(_)))
                .map(|link| link.to)
                .collect();
        }
        let (state, mode) = (universe.state.clone(), universe.mode.clone());
        let mut next = Vec::new();
        for choice in self.choices(&state) {
            if matches!(&mode, Mode::Step(agent) if self.agent(&state, &choice) != *agent) {
                continue;
            }
            let Some(after) = self.language.apply(&state, &choice) else {
                continue;
            };
            let after = self.language.canonical(after.state);
            let hits = self.hits(&state, &choice, &after);
            let then = match (&mode, hits.is_empty()) {
                (Mode::Run, true) => Mode::Run,
                _ => Mode::Paused,
            };
            let to = self.connect(id, after, then, Kind::Step(choice));
            if !hits.is_empty() {
                self.universes[to as usize].why = hits;
            }
            next.push(to);
        }
        self.universes[id as usize].explored = true;
        next
    }

    fn run(&mut self, from: u32) -> RanRow {
        let mut ran = RanRow {
            from,
            ..RanRow::default()
        };
        let mut seen = HashSet::from([from]);
        let mut todo = VecDeque::from([from]);
        while let Some(id) = todo.pop_front() {
            if self.universes.len() >= MOST && !self.universes[id as usize].explored {
                ran.cut = true;
                break;
            }
            let next = self.expand(id);
            if next.is_empty() {
                match self.status(id) {
                    "paused" => ran.paused.push(id),
                    _ => ran.ends.push(id),
                }
            }
            todo.extend(next.into_iter().filter(|next| seen.insert(*next)));
        }
        ran
    }

    /// Lets a universe run, the nearest to a breakpoint first, until one halts that was not known.
    fn seek(&mut self, from: u32) -> RanRow {
        let mut ran = RanRow {
            from,
            ..RanRow::default()
        };
        let known = self.universes.len() as u32;
        let mut seen = HashSet::from([from]);
        let mut todo = BinaryHeap::from([(0, Reverse(from))]);
        while let Some((_, Reverse(id))) = todo.pop() {
            if self.universes.len() >= MOST && !self.universes[id as usize].explored {
                ran.cut = true;
                return ran;
            }
            for next in self.expand(id) {
                if !seen.insert(next) {
                    continue;
                }
                if next >= known && self.universes[next as usize].mode == Mode::Paused {
                    ran.paused.push(next);
                }
                todo.push((self.nearness(next), Reverse(next)));
            }
            if !ran.paused.is_empty() {
                return ran;
            }
        }
        ran.never_reached = true;
        ran
    }

    /// How near a universe is to the breakpoint that it is nearest to.
    fn nearness(&self, id: u32) -> i64 {
        let state = &self.universes[id as usize].state;
        let on = self.breakpoints.iter().filter(|(row, _)| row.on);
        let near = on.map(|(_, mention)| mention.nearness(&self.language, state));
        near.max().unwrap_or(0)
    }

    fn status(&self, id: u32) -> &'static str {
        let Some(universe) = self.universes.get(id as usize) else {
            return "unexplored";
        };
        if self.choices(&universe.state).is_empty() {
            return match self.language.outcome(&universe.state).verdict {
                Verdict::Finished => "end",
                Verdict::Deadlock => "deadlock",
                Verdict::Stuck | Verdict::Failed => "stuck",
            };
        }
        match (&universe.mode, universe.explored) {
            (Mode::Paused, _) => "paused",
            (_, true) => "running",
            (_, false) => "unexplored",
        }
    }

    fn paused(&self, id: u32) -> Result<L::State, Refused> {
        let universe = self.universe(id)?;
        match universe.mode {
            Mode::Paused => Ok(universe.state.clone()),
            _ => Err(Refused::NotPaused),
        }
    }

    fn step(&mut self, id: u32, agent: String, kind: String) -> Result<RanRow, Refused> {
        let state = self.paused(id)?;
        if kind != STEP {
            return Err(Refused::NoStep(kind, STEP.to_owned()));
        }
        let agents = self.agents(&state);
        if !agents.contains(&agent) {
            return Err(Refused::NoAgent(agent, agents.join(", ")));
        }
        let command = Kind::Command(format!("{STEP} {agent}"));
        let to = self.connect(id, state, Mode::Step(agent), command);
        Ok(self.run(to))
    }

    /// Who can act, each once.
    fn agents(&self, state: &L::State) -> Vec<String> {
        let mut agents: Vec<_> = self
            .choices(state)
            .iter()
            .map(|choice| self.agent(state, choice))
            .collect();
        agents.dedup();
        agents
    }

    fn breakpoint(&mut self, id: u32) -> Result<usize, Refused> {
        let at = self
            .breakpoints
            .iter()
            .position(|(known, _)| known.id == id);
        at.ok_or(Refused::NoBreakpoint(id))
    }

    fn edit(&mut self, text: String) -> Result<(), Refused> {
        let language = (self.parse)(&text).map_err(|error| Refused::program(&error, &text))?;
        (self.language, self.text) = (language, text);
        self.restart();
        Ok(())
    }

    fn judge(&self, claim: &Claim<Mention>) -> Judgement {
        let shows = |text: &Mention, state: &L::State| text.holds(&self.language, state);
        judgement(verdicts(&self.language, JUDGED, claim, shows))
    }
}

impl<L: Reported + Send> Debugger for Stepper<L>
where
    L::State: Clone,
{
    fn text(&self) -> &str {
        &self.text
    }

    fn carry_out(&mut self, order: Order) -> Result<Came, Refused> {
        let mut came = Came::default();
        match order {
            Order::Run | Order::Resume { .. } => {
                let universe = match order {
                    Order::Resume { universe } => universe,
                    _ => 0,
                };
                let state = self.paused(universe)?;
                let kind = Kind::Command("resume".to_owned());
                let to = self.connect(universe, state, Mode::Run, kind);
                came.ran = Some(self.run(to));
            }
            Order::Seek { universe } => {
                if self.breakpoints.iter().all(|(row, _)| !row.on) {
                    return Err(Refused::NoLead);
                }
                let known = self.universe(universe)?;
                let (state, paused) = (known.state.clone(), known.mode == Mode::Paused);
                let from = if paused {
                    let kind = Kind::Command("resume".to_owned());
                    self.connect(universe, state, Mode::Run, kind)
                } else {
                    universe
                };
                came.ran = Some(self.seek(from));
            }
            Order::Restart => self.restart(),
            Order::Pause { universe } => {
                let known = self.universe(universe)?;
                if known.mode == Mode::Paused {
                    return Err(Refused::NotRunning);
                }
                let state = known.state.clone();
                let kind = Kind::Command("pause".to_owned());
                let to = self.connect(universe, state, Mode::Paused, kind);
                came.ran = Some(self.run(to));
            }
            Order::Step {
                universe,
                agent,
                kind,
            } => came.ran = Some(self.step(universe, agent, kind)?),
            Order::Hold { .. } | Order::Release { .. } => {
                let known = "step".to_owned();
                return Err(Refused::NoStep("hold".to_owned(), known));
            }
            Order::Break { spec } => {
                let mention = Mention::parse(&spec)?;
                let id = self.next_breakpoint;
                self.next_breakpoint += 1;
                let row = BreakpointRow { id, spec, on: true };
                self.breakpoints.push((row, mention));
                self.restart();
                came.breakpoint = Some(id);
            }
            Order::Unbreak { id } => {
                let at = self.breakpoint(id)?;
                self.breakpoints.remove(at);
                self.restart();
            }
            Order::Enable { id, on } => {
                let at = self.breakpoint(id)?;
                self.breakpoints[at].0.on = on;
                self.restart();
            }
            Order::Edit { text } => self.edit(text)?,
        }
        Ok(came)
    }

    fn len(&self) -> u32 {
        self.universes.len() as u32
    }

    fn node(&self, id: u32) -> Option<NodeRow> {
        let universe = self.universes.get(id as usize)?;
        Some(NodeRow {
            id,
            status: self.status(id),
            why: universe.why.clone(),
        })
    }

    fn links(&self) -> u32 {
        self.links.len() as u32
    }

    fn link(&self, id: u32) -> Option<LinkRow> {
        let link = self.links.get(id as usize)?;
        let base = LinkRow {
            id,
            from: link.from,
            to: link.to,
            command: false,
            agent: String::new(),
            receiver: None,
            rule: String::new(),
            text: String::new(),
            line: None,
            rules: Vec::new(),
        };
        Some(match &link.kind {
            Kind::Command(text) => LinkRow {
                command: true,
                text: text.clone(),
                rules: vec![if text == "resume" { "RESUME" } else { "STEP" }],
                ..base
            },
            Kind::Step(choice) => {
                let state = &self.universes.get(link.from as usize)?.state;
                let label = self.language.label(state, choice);
                LinkRow {
                    agent: self.agent(state, choice),
                    receiver: self.language.addressee(state, choice),
                    rule: label.rule.to_owned(),
                    text: label.text,
                    line: line(&self.text, label.span),
                    ..base
                }
            }
        })
    }

    fn ends_of(&self, edge: u32) -> Option<(u32, u32, bool)> {
        let link = self.links.get(edge as usize)?;
        Some((link.from, link.to, matches!(link.kind, Kind::Command(_))))
    }

    fn links_from(&self, universe: u32) -> Vec<u32> {
        let universe = self.universes.get(universe as usize);
        universe.map(|u| u.links.clone()).unwrap_or_default()
    }

    fn card(&self, id: u32) -> Result<Card, Refused> {
        let universe = self.universe(id)?;
        let state = &universe.state;
        let row = self.node(id);
        let mut agents: Vec<AgentCard> = Vec::new();
        for choice in self.choices(state) {
            let name = self.agent(state, &choice);
            let label = self.language.label(state, &choice);
            if agents.iter().all(|agent| agent.name != name) {
                agents.push(AgentCard {
                    name,
                    mode: "run",
                    next: label.text,
                    line: line(&self.text, label.span),
                    ..AgentCard::default()
                });
            }
        }
        let possible = match (&universe.mode, agents.is_empty()) {
            (_, true) => Vec::new(),
            (Mode::Paused, _) => {
                let steps = agents.iter().map(|agent| Possible {
                    label: STEP.to_owned(),
                    agent: Some(agent.name.clone()),
                    order: Order::Step {
                        universe: id,
                        agent: agent.name.clone(),
                        kind: STEP.to_owned(),
                    },
                });
                let resume = Possible {
                    label: "resume".to_owned(),
                    agent: None,
                    order: Order::Resume { universe: id },
                };
                [resume].into_iter().chain(steps).collect()
            }
            _ => vec![Possible {
                label: "pause".to_owned(),
                agent: None,
                order: Order::Pause { universe: id },
            }],
        };
        let mut path = Vec::new();
        let mut at = Some(universe);
        while let Some(cause) = at.and_then(|universe| universe.cause) {
            path.push(cause);
            let from = self.links.get(cause as usize).map(|link| link.from);
            at = from.and_then(|from| self.universes.get(from as usize));
        }
        path.reverse();
        let over = agents.is_empty();
        Ok(Card {
            node: row.ok_or(Refused::NoUniverse(id, self.universes.len() as u32))?,
            text: self.language.show(state),
            outcome: over.then(|| self.language.outcome(state).to_string()),
            agents,
            possible,
            path,
        })
    }

    fn difference(&self, edge: u32) -> Result<Vec<ChangeRow>, Refused> {
        let link = self.links.get(edge as usize);
        let link = link.ok_or(Refused::NoEdge(edge))?;
        let show = |id| self.universe(id).map(|u| self.language.show(&u.state));
        let (before, after) = (show(link.from)?, show(link.to)?);
        if before == after {
            return Ok(Vec::new());
        }
        let agent = match &link.kind {
            Kind::Step(choice) => self.agent(&self.universe(link.from)?.state, choice),
            Kind::Command(_) => String::new(),
        };
        let what = "state".to_owned();
        Ok(vec![ChangeRow {
            agent,
            what,
            before,
            after,
        }])
    }

    fn breakpoints(&self) -> Vec<BreakpointRow> {
        let rows = self.breakpoints.iter();
        rows.map(|(row, _)| row.clone()).collect()
    }

    fn occurs(&self, spec: &str) -> Result<Judgement, Refused> {
        let met = Formula::Atom(Mention::parse(spec)?).eventually();
        Ok(self.judge(&met.into()))
    }

    fn check(&self, formula: &str) -> Result<Judgement, Refused> {
        let claim = Claim::parse(formula, Mention::parse);
        Ok(self.judge(&claim.map_err(|error| Refused::formula(&error))?))
    }

    fn steps(&self) -> Vec<&'static str> {
        vec![STEP]
    }
}
