//! Voyager as faces see it.

use std::any::Any;

use super::breakpoint::Breakpoint;
use super::command::{Command, Ran, Reply};
use super::goal::StepKind;
use super::session::Voyager;
use super::universe::{ActorMode, BreakpointId, EdgeId, EdgeKind, Hit, Status, UniverseId};
use crate::ambienttalk::{ActorId, ActorView, Doing};
use crate::model::debug::{
    AgentCard, BreakpointRow, Came, Card, ChangeRow, Debugger, LinkRow, NodeRow, Order, Possible,
    RanRow, Refused, Watch, line,
};
use crate::source;
use borges_multiverse::language::Language;

impl Debugger for Voyager {
    fn text(&self) -> &str {
        Self::text(self)
    }

    fn carry_out(&mut self, order: Order, keep_going: Watch<'_>) -> Result<Came, Refused> {
        let command = match order {
            Order::Run => Command::Run,
            Order::Restart => Command::Restart,
            Order::Resume { universe } => Command::Resume(UniverseId(universe)),
            Order::Seek { universe } => Command::Seek(UniverseId(universe)),
            Order::Pause { universe } => Command::Pause(UniverseId(universe)),
            Order::Step {
                universe,
                agent,
                kind,
            } => {
                let known = || StepKind::ALL.map(StepKind::name).join(", ");
                let step = StepKind::named(&kind).ok_or_else(|| Refused::NoStep(kind, known()))?;
                let actor = self.actor(universe, &agent)?;
                Command::Step(UniverseId(universe), actor, step)
            }
            Order::Hold { universe, agent } => {
                Command::Hold(UniverseId(universe), self.actor(universe, &agent)?)
            }
            Order::Release { universe, agent } => {
                Command::Release(UniverseId(universe), self.actor(universe, &agent)?)
            }
            Order::Break { spec } => Command::Break(spec),
            Order::Unbreak { id } => Command::Unbreak(BreakpointId(id)),
            Order::Enable { id, on } => Command::Enable(BreakpointId(id), on),
            Order::Edit { text } => Command::Edit(text),
        };
        Ok(match self.execute_while(command, keep_going)? {
            Reply::Broken(id) => Came {
                breakpoint: Some(id.0),
                ran: None,
            },
            Reply::Ran(ran) => Came {
                breakpoint: None,
                ran: Some(ran_row(&ran)),
            },
            _ => Came::default(),
        })
    }

    fn visit(&mut self, way: &[&dyn Any]) -> Option<u32> {
        let mut at = UniverseId::ROOT;
        for state in way {
            at = self.follow(at, state.downcast_ref()?)?;
        }
        Some(at.0)
    }

    fn program_state(&self, universe: u32) -> Option<&dyn Any> {
        Some(self.state(UniverseId(universe))?)
    }

    fn len(&self) -> u32 {
        Self::len(self) as u32
    }

    fn node(&self, universe: u32) -> Option<NodeRow> {
        let status = self.status(UniverseId(universe))?;
        let (name, why) = match &status {
            Status::Unexplored => ("unexplored", Vec::new()),
            Status::Running => ("running", Vec::new()),
            Status::Held => ("held", Vec::new()),
            Status::End => ("end", Vec::new()),
            Status::Stuck => ("stuck", Vec::new()),
            Status::Deadlock => ("deadlock", Vec::new()),
            Status::Paused(hits) => (
                "paused",
                hits.iter().map(|hit| self.hit(universe, hit)).collect(),
            ),
        };
        Some(NodeRow {
            id: universe,
            status: name,
            why,
        })
    }

    fn links(&self) -> u32 {
        self.edges().len() as u32
    }

    fn link(&self, id: u32) -> Option<LinkRow> {
        let edge = self.edges().get(id as usize)?;
        let base = LinkRow {
            id,
            from: edge.from.0,
            to: edge.to.0,
            command: false,
            agent: String::new(),
            receiver: None,
            rule: String::new(),
            text: String::new(),
            line: None,
            rules: edge.rules.clone(),
        };
        Some(match &edge.kind {
            EdgeKind::Command(text) => LinkRow {
                command: true,
                text: text.clone(),
                ..base
            },
            EdgeKind::Step(label) => {
                let name = |actor: Option<ActorId>| {
                    let state = self.state(edge.to)?;
                    actor.map(|actor| self.program().actor_name(state, actor))
                };
                LinkRow {
                    agent: name(edge.mover).unwrap_or_default(),
                    receiver: name(edge.receiver),
                    rule: label.rule.to_owned(),
                    text: label.text.clone(),
                    line: line(Self::text(self), label.span),
                    ..base
                }
            }
        })
    }

    fn ends_of(&self, edge: u32) -> Option<(u32, u32, bool)> {
        let edge = self.edges().get(edge as usize)?;
        let command = matches!(edge.kind, EdgeKind::Command(_));
        Some((edge.from.0, edge.to.0, command))
    }

    fn links_from(&self, universe: u32) -> Vec<u32> {
        let edges = self.edges_from(UniverseId(universe));
        edges.map(|(id, _)| id.0).collect()
    }

    fn card(&self, universe: u32) -> Result<Card, Refused> {
        let id = UniverseId(universe);
        let Reply::Node(node) = self.look(&Command::Inspect(id))? else {
            return Err(Refused::NoUniverse(universe, Debugger::len(self)));
        };
        let Reply::Path(path) = self.look(&Command::Path(id))? else {
            return Err(Refused::NoUniverse(universe, Debugger::len(self)));
        };
        let missing = Refused::NoUniverse(universe, Debugger::len(self));
        let row = self.node(universe).ok_or(missing)?;
        let state = self.state(id);
        let over = matches!(node.status, Status::End | Status::Stuck | Status::Deadlock);
        let outcome = state
            .filter(|_| over)
            .map(|state| self.program().outcome(state).to_string());
        let cards = node.actors.iter().zip(&node.modes);
        let possible = node.possible.iter();
        Ok(Card {
            node: row,
            agents: cards
                .map(|(view, mode)| self.agent_card(view, *mode))
                .collect(),
            text: state
                .map(|state| self.program().show(state))
                .unwrap_or_default(),
            outcome,
            possible: possible
                .filter_map(|command| self.possible_row(command))
                .collect(),
            path: path.into_iter().map(|edge| edge.0).collect(),
        })
    }

    fn difference(&self, edge: u32) -> Result<Vec<ChangeRow>, Refused> {
        let changes = Self::difference(self, EdgeId(edge))?.into_iter();
        let row = |change: super::command::Change| ChangeRow {
            agent: change.actor,
            what: change.what,
            before: change.before,
            after: change.after,
        };
        Ok(changes.map(row).collect())
    }

    fn breakpoints(&self) -> Vec<BreakpointRow> {
        let rows = self.breakpoints.iter();
        let row = |(id, (breakpoint, on)): (&BreakpointId, &(Breakpoint, bool))| BreakpointRow {
            id: id.0,
            spec: breakpoint.to_string(),
            on: *on,
        };
        rows.map(row).collect()
    }

    fn steps(&self) -> Vec<&'static str> {
        StepKind::ALL.map(StepKind::name).to_vec()
    }
}

impl Voyager {
    fn actor(&self, universe: u32, name: &str) -> Result<ActorId, Refused> {
        let id = UniverseId(universe);
        let Some(state) = self.state(id) else {
            return Err(Refused::NoUniverse(universe, Debugger::len(self)));
        };
        self.actor_named(id, name).ok_or_else(|| {
            let actors = self.program().actors(state).into_iter();
            let names: Vec<_> = actors
                .map(|actor| self.program().actor_name(state, actor))
                .collect();
            Refused::NoAgent(name.to_owned(), names.join(", "))
        })
    }

    fn name_in(&self, universe: u32, actor: ActorId) -> String {
        let state = self.state(UniverseId(universe));
        state.map_or_else(
            || actor.to_string(),
            |state| self.program().actor_name(state, actor),
        )
    }

    fn hit(&self, universe: u32, hit: &Hit) -> String {
        match hit {
            Hit::User => "the user paused it".to_owned(),
            Hit::Step(kind, actor) => {
                format!("step {kind} of {}", self.name_in(universe, *actor))
            }
            Hit::Breakpoint(id, actor) => {
                let known = self.breakpoints.get(id);
                let spec = known.map_or_else(String::new, |(b, _)| format!(" ({b})"));
                format!(
                    "breakpoint {}{spec} at {}",
                    id.0,
                    self.name_in(universe, *actor)
                )
            }
        }
    }

    fn agent_card(&self, view: &ActorView, mode: ActorMode) -> AgentCard {
        let text = Self::text(self);
        let calls = view.stack.iter().map(|frame| {
            let variables = frame.variables.iter();
            let variables: Vec<_> = variables
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            format!("{}({})", frame.method, variables.join(", "))
        });
        let fields = view.fields.iter();
        AgentCard {
            name: view.name.clone(),
            mode: mode_name(mode),
            next: doing(view.next.doing).to_owned(),
            line: view
                .span
                .map(|span| source::position(text, span.start).line),
            fields: fields
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect(),
            inbox: view.inbox.iter().map(|m| m.text.clone()).collect(),
            calls: calls.collect(),
            output: view.output.clone(),
            stuck: view.stuck.clone(),
        }
    }

    fn possible_row(&self, command: &Command) -> Option<Possible> {
        let row = |label: &str, agent: Option<String>, order| {
            Some(Possible {
                label: label.to_owned(),
                agent,
                order,
            })
        };
        match command {
            Command::Resume(id) => row("resume", None, Order::Resume { universe: id.0 }),
            Command::Pause(id) => row("pause", None, Order::Pause { universe: id.0 }),
            Command::Step(id, actor, kind) => {
                let agent = self.name_in(id.0, *actor);
                let order = Order::Step {
                    universe: id.0,
                    agent: agent.clone(),
                    kind: kind.name().to_owned(),
                };
                row(kind.name(), Some(agent), order)
            }
            Command::Hold(id, actor) => {
                let agent = self.name_in(id.0, *actor);
                let order = Order::Hold {
                    universe: id.0,
                    agent: agent.clone(),
                };
                row("hold", Some(agent), order)
            }
            Command::Release(id, actor) => {
                let agent = self.name_in(id.0, *actor);
                let order = Order::Release {
                    universe: id.0,
                    agent: agent.clone(),
                };
                row("release", Some(agent), order)
            }
            _ => None,
        }
    }
}

const fn mode_name(mode: ActorMode) -> &'static str {
    match mode {
        ActorMode::Run => "run",
        ActorMode::Pause => "pause",
        ActorMode::Hold => "hold",
        ActorMode::Step => "step",
    }
}

const fn doing(doing: Doing) -> &'static str {
    match doing {
        Doing::Waiting => "waits",
        Doing::Stuck => "is stuck",
        Doing::Local => "computes",
        Doing::CreateActor => "creates an actor",
        Doing::Send => "sends",
        Doing::SendResult => "sends its result",
        Doing::Forward => "sends on",
        Doing::TakeMessage => "takes a message",
        Doing::TakeResolution => "takes a resolution",
        Doing::TakeForFuture => "takes a message for a future",
        Doing::TakeResolve => "resolves a future",
    }
}

fn ran_row(ran: &Ran) -> RanRow {
    let numbers = |ids: &[UniverseId]| ids.iter().map(|id| id.0).collect();
    RanRow {
        from: ran.from.unwrap_or(UniverseId::ROOT).0,
        paused: numbers(&ran.paused),
        ends: numbers(&ran.ends),
        held: numbers(&ran.held),
        cut: ran.cut,
        stopped: ran.stopped,
        never_reached: ran.never_reached,
    }
}
