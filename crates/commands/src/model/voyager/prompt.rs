//! Voyager at the prompt: the multiverse debugger for actors.
//!
//! Orders are carried out by `borges_session`; here they are only typed and printed.

use std::borrow::BorrowMut;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use borges_languages::model::Question;
use borges_languages::model::debug::{AgentCard, BreakpointRow, Came, Debugger, LinkRow, Order};
use borges_multiverse::language::Span;
use borges_session::command::Observer;
use borges_session::command::listing::{AgentState, AgentView};
use borges_session::model::ModelSession;
use serde_json::{Value, json};

use crate::interpreter::{Answer, Interpreter, Said};
use crate::model::common::{Breakpoint, Roams, numbered};
use crate::model::questions::{Asked, answered, shown, watched};
use crate::paint::Paint;
use crate::table::{self, Completes, Table};
use crate::words::Motion;

use super::render;
use super::table::{About, COMMANDS, Request};

/// States of a list that become universes of the session.
const NAMED: usize = 1000;

/// A session of Voyager at the prompt; `S` is a session of its program, or lends one.
pub struct VoyagerPrompt<S> {
    session: S,
    /// The universe that is looked at.
    here: u32,
    /// Whether the start was told to run.
    has_run: bool,
}

impl<S: BorrowMut<ModelSession>> VoyagerPrompt<S> {
    /// The prompt for a session.
    pub const fn new(session: S) -> Self {
        Self::at(session, 0, false)
    }

    /// A prompt that looks at a universe, for a session whose start was told to run, or was not.
    pub const fn at(session: S, here: u32, has_run: bool) -> Self {
        Self {
            session,
            here,
            has_run,
        }
    }

    /// The universe that is looked at.
    pub const fn here(&self) -> u32 {
        self.here
    }

    /// Whether the start was told to run.
    pub const fn has_run(&self) -> bool {
        self.has_run
    }

    fn debugger(&self) -> &dyn Debugger {
        self.session.borrow().debugger()
    }

    fn carry_out(&mut self, request: Request, paint: &Paint, observer: Observer<'_>) -> Said {
        match request {
            Request::Order(order) => self.order(order, paint, observer),
            Request::About(universe, about) => {
                self.about(universe.unwrap_or(self.here), about, paint, observer)
            }
            Request::Motion(motion) => {
                let universe = self.before(&motion)?;
                self.jump(&universe.to_string(), paint, observer)
            }
            Request::Tree(lines) => {
                let text = render::tree(self.debugger(), self.here, lines, paint);
                let lines: Vec<&str> = text.lines().collect();
                let value = json!({ "reply": "tree", "lines": lines });
                Ok((text, value))
            }
            Request::Common(common) => self.roam(common, paint, observer),
            Request::Stops(stops) => self.stops(stops, observer),
            Request::Universes(status) => {
                let debugger = self.debugger();
                let text = render::universes(debugger, status.as_deref(), self.here, paint);
                let nodes: Vec<_> = (0..debugger.len()).map(|id| debugger.node(id)).collect();
                let links: Vec<_> = (0..debugger.links()).map(|id| debugger.link(id)).collect();
                let value = json!({ "reply": "universes", "universes": nodes, "edges": links });
                Ok((text, value))
            }
            Request::Difference(edge) => {
                let changes = self.debugger().difference(edge).map_err(shown)?;
                let value = json!({ "reply": "difference", "changes": changes });
                Ok((render::difference(&changes, paint), value))
            }
            Request::Asking(asking) => self.answer(&asking, paint, observer),
            Request::Edit(file) => {
                let text = std::fs::read_to_string(&file)
                    .map_err(|error| format!("{file} cannot be read: {error}"))?;
                self.order(Order::Edit { text }, paint, observer)
            }
            // Answered before it comes here.
            Request::Everywhere(_) => Ok((String::new(), Value::Null)),
        }
    }

    fn order(&mut self, order: Order, paint: &Paint, observer: Observer<'_>) -> Said {
        let came = self.ordered(order, observer)?;
        let text = match &came.ran {
            Some(ran) => {
                let first = ran.paused.first().or(ran.held.first()).or(ran.ends.first());
                self.here = first.copied().unwrap_or(ran.from);
                render::ran(ran, self.debugger(), paint)
            }
            None => String::new(),
        };
        let value = json!({ "reply": "came", "here": self.here, "came": came });
        Ok((text, value))
    }

    fn ordered(&mut self, order: Order, observer: Observer<'_>) -> Result<Came, String> {
        let runs = matches!(order, Order::Run);
        let begins_again = runs || matches!(order, Order::Restart | Order::Edit { .. });
        let came = self
            .session
            .borrow_mut()
            .carry_out(order, watched(observer));
        let came = came.map_err(shown)?;
        self.has_run = runs || self.has_run && !begins_again;
        if begins_again || self.here >= self.debugger().len() {
            self.here = 0;
        }
        Ok(came)
    }

    /// The edges of a way to a universe.
    fn edges_to(&self, universe: u32) -> Result<Vec<LinkRow>, String> {
        let debugger = self.debugger();
        let card = debugger.card(universe).map_err(shown)?;
        let edges = card.path.into_iter();
        Ok(edges.filter_map(|edge| debugger.link(edge)).collect())
    }

    /// Where a motion back leads.
    fn before(&self, motion: &Motion) -> Result<u32, String> {
        let path = self.edges_to(self.here)?;
        let (count, wanted): (u64, &dyn Fn(&LinkRow) -> bool) = match motion {
            Motion::Step(_, None, count) => (*count, &|_| true),
            Motion::Step(_, Some(agent), count) => (*count, &|link| link.agent == *agent),
            Motion::ContinueBack => (1, &|link| self.is_paused(link.from) || link.from == 0),
        };
        let wanted = path.iter().rev().filter(|link| wanted(link));
        let found = wanted
            .take(usize::try_from(count).unwrap_or(usize::MAX))
            .last();
        let none = || "there is no such step on the way to here".to_owned();
        found.map(|link| link.from).ok_or_else(none)
    }

    fn about(
        &mut self,
        universe: u32,
        about: About,
        paint: &Paint,
        observer: Observer<'_>,
    ) -> Said {
        let order = match about {
            About::Card => {
                let card = self.debugger().card(universe).map_err(shown)?;
                let value = json!({ "reply": "universe", "universe": card });
                return Ok((render::card(&card, paint), value));
            }
            About::Rules => {
                let path = self.edges_to(universe)?;
                let value = json!({ "reply": "rules", "edges": path });
                return Ok((render::rules(&path, paint), value));
            }
            // The first time, a breakpoint may halt the very start.
            About::Resume if universe == 0 && !(self.has_run && self.is_paused(0)) => Order::Run,
            About::Resume => Order::Resume { universe },
            About::Seek => Order::Seek { universe },
            About::Pause => Order::Pause { universe },
            About::Step(agent, kind) => Order::Step {
                universe,
                agent,
                kind,
            },
            About::Hold(agent) => Order::Hold { universe, agent },
            About::Release(agent) => Order::Release { universe, agent },
        };
        self.order(order, paint, observer)
    }

    fn is_paused(&self, universe: u32) -> bool {
        let node = self.debugger().node(universe);
        node.is_some_and(|node| node.status == "paused")
    }
}

impl<S: BorrowMut<ModelSession>> Roams for VoyagerPrompt<S> {
    fn source(&self) -> (&str, Option<Span>) {
        (self.debugger().text(), None)
    }

    fn agents(&mut self, _: Observer<'_>) -> Result<Vec<AgentView>, String> {
        let card = self.debugger().card(self.here).map_err(shown)?;
        let view = |agent: AgentCard| AgentView {
            name: agent.name,
            state: match agent.next.as_str() {
                _ if agent.stuck.is_some() => AgentState::Trapped,
                "waits" => AgentState::Waits,
                _ => AgentState::Runs,
            },
            about: agent.stuck.unwrap_or(agent.next),
            function: None,
            line: agent.line,
        };
        Ok(card.agents.into_iter().map(view).collect())
    }

    fn jump(&mut self, universe: &str, paint: &Paint, observer: Observer<'_>) -> Said {
        let universe = numbered(universe)?;
        let answer = self.about(universe, About::Card, paint, observer)?;
        self.here = universe;
        Ok(answer)
    }

    fn jump_to_state(&mut self, state: u32, paint: &Paint, observer: Observer<'_>) -> Said {
        let session = self.session.borrow_mut();
        session.graph(watched(observer));
        let universe = session.universe_of(state).map_err(shown)?;
        self.jump(&universe.to_string(), paint, observer)
    }

    fn path(&mut self, count: u32, to: Option<&str>, paint: &Paint) -> Said {
        let to = to.map_or(Ok(self.here), numbered)?;
        let mut path = self.edges_to(to)?;
        let before = path.len().saturating_sub(count as usize);
        path.drain(..before);
        let value = json!({ "reply": "path", "edges": path, "before": before });
        Ok((render::path(&path, before, paint), value))
    }

    fn breakpoints(&self) -> Vec<Breakpoint> {
        let known = self.debugger().breakpoints().into_iter();
        let row = |known: BreakpointRow| Breakpoint {
            id: known.id,
            text: known.spec,
            on: known.on,
            hits: None,
        };
        known.map(row).collect()
    }

    fn set(&mut self, text: &str, observer: Observer<'_>) -> Result<u32, String> {
        let spec = text.to_owned();
        let came = self.ordered(Order::Break { spec }, observer)?;
        Ok(came.breakpoint.unwrap_or_default())
    }

    fn unset(&mut self, id: u32, observer: Observer<'_>) -> Result<(), String> {
        self.ordered(Order::Unbreak { id }, observer).map(drop)
    }

    fn switch(&mut self, id: u32, on: bool, observer: Observer<'_>) -> Result<(), String> {
        self.ordered(Order::Enable { id, on }, observer).map(drop)
    }
}

impl<S: BorrowMut<ModelSession>> Asked for VoyagerPrompt<S> {
    fn session(&mut self) -> &mut ModelSession {
        self.session.borrow_mut()
    }

    fn way(&mut self, to: Option<&str>, observer: Observer<'_>) -> Result<Vec<u32>, String> {
        let universe = match to {
            Some(to) => numbered(to)?,
            None => self.here,
        };
        let session = self.session.borrow_mut();
        let state = session.state_of(universe, watched(observer));
        let state = state.map_err(shown)?;
        session.options_to(state, |_| true).map_err(shown)
    }

    /// Numbers are those of universes: the states that an answer names become universes of the session.
    fn ask(&mut self, question: &Question, paint: &Paint, observer: Observer<'_>) -> Said {
        let session: &mut ModelSession = self.session.borrow_mut();
        let mut state = |universe: u32| {
            let state = session.state_of(universe, watched(observer));
            state.map_err(shown)
        };
        let question = match question {
            Question::Shortest(universe) => Question::Shortest(state(*universe)?),
            Question::Through(universe) => Question::Through(state(*universe)?),
            Question::CommonAncestors(universes) => {
                let states = universes.iter().map(|universe| state(*universe));
                Question::CommonAncestors(states.collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        };
        let reply = session.ask(&question, watched(observer)).map_err(shown)?;
        let mut universes = BTreeMap::new();
        for state in reply.states(NAMED) {
            if let Entry::Vacant(entry) = universes.entry(state) {
                entry.insert(session.universe_of(state).map_err(shown)?);
            }
        }
        let name = |state: u32| universes.get(&state).copied().unwrap_or(state);
        let (text, mut value) = answered(session, &reply, &name, "universe", paint);
        value["answer"] = json!(reply.renamed(NAMED, &mut |state| name(state)));
        Ok((text, value))
    }
}

impl<S: BorrowMut<ModelSession>> Interpreter for VoyagerPrompt<S> {
    type Request = Request;
    const COMMANDS: Table<Request> = COMMANDS;

    fn greeting(&mut self, paint: &Paint) -> String {
        format!(
            "{}\n'help' lists the commands; b sets a breakpoint, c runs all universes, u shows them, q quits\n",
            paint.heading(self.session.borrow().name())
        )
    }

    fn prompt(&self) -> String {
        format!("{}> ", self.here)
    }

    fn execute(&mut self, line: &str, paint: &Paint, observer: Observer<'_>) -> Answer {
        match table::read(COMMANDS, line) {
            Ok((_, Request::Everywhere(everywhere))) => everywhere.answer(line, COMMANDS, paint),
            Ok((_, request)) => Answer::of(self.carry_out(request, paint, observer), paint),
            Err(misread) => Answer::misread(line, misread, paint),
        }
    }

    fn candidates(&mut self, kind: Completes) -> Vec<String> {
        let debugger = self.debugger();
        match kind {
            Completes::Universe => (0..debugger.len().min(1000))
                .map(|id| id.to_string())
                .collect(),
            Completes::Agent => {
                let card = debugger.card(self.here).into_iter();
                let agents = card.flat_map(|card| card.agents);
                agents.map(|agent| agent.name).collect()
            }
            Completes::Breakpoint => self.numbers(),
            _ => Vec::new(),
        }
    }
}
