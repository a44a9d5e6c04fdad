//! Walking through the multiverse of a model language at the prompt.

use std::collections::{BTreeMap, BTreeSet};

use borges_languages::model::debug::line;
use borges_languages::predicate::{Condition, Named};
use borges_multiverse::causality::Causality;
use borges_multiverse::debug::Arrival;
use borges_multiverse::graph::{Limits, Progress};
use borges_multiverse::language::{Footprint, Language, Span};
use borges_multiverse::tree::{BranchId, Layout, Place, Tree};
use borges_multiverse::walk::{
    BreakpointId, Led, Moment, Past, Rest, Schedule, Sought, Taken, Walk, WalkError,
};
use borges_session::command::listing::{AgentState, AgentView};
use borges_session::command::{Direction, Observer};
use borges_session::model::ModelSession;
use serde_json::{Value, json};

use crate::interpreter::{Answer, Interpreter, Said, goes_on};
use crate::model::common::{Breakpoint, Roams, START, done};
use crate::model::questions::{Asked, shown, watched};
use crate::paint::Paint;
use crate::table::{self, Completes, Table};
use crate::words::Motion;

use super::render;
use super::table::{COMMANDS, Request};

/// Steps that one run takes at most: a program may never end.
const FAR: u64 = 10_000_000;

/// A walk at the prompt.
pub struct WalkPrompt<L: Language> {
    walk: Walk<L>,
    /// What happened before what, as far as somebody asked.
    run: Led<Causality<L>>,
    source: String,
    name: String,
    /// What answers questions about all states.
    asked: ModelSession,
}

impl<L: Named + 'static> WalkPrompt<L> {
    /// A walk at the start of `language`, whose text is `source`.
    pub fn new(language: L, source: String, name: String, asked: ModelSession) -> Self {
        Self {
            walk: Walk::new(language),
            run: Led::default(),
            source,
            name,
            asked,
        }
    }

    fn carry_out(&mut self, request: Request, paint: &Paint, observer: Observer<'_>) -> Said {
        match request {
            Request::Motion(Motion::Step(Direction::Forward, agent, count)) => {
                self.forward(agent.as_deref(), count, paint)
            }
            Request::Motion(Motion::Step(Direction::Backward, None, count)) => {
                self.back(count, paint)
            }
            Request::Motion(Motion::Step(Direction::Backward, Some(agent), count)) => {
                self.back_of(&agent, count, paint)
            }
            Request::Motion(Motion::ContinueBack) => self.back_to_stop(paint, observer),
            Request::Choose(option) => {
                let fired = self.walk.forward(option).map_err(shown)?;
                Ok(self.arrived(&Rest::Breakpoints(fired), paint))
            }
            Request::ToChoice => self.run(&mut Schedule::Ask, paint, observer),
            Request::Continue(chooser) => {
                let known = self.known_agents();
                let chooser = chooser.named(|name| known.get(&name).cloned().ok_or_else(|| {
                    let names = Vec::from_iter(known.keys().map(String::as_str)).join(", ");
                    format!("'{name}' is no agent here: {names} can act, wait or acted on the way here")
                }))?;
                self.run(&mut chooser.into(), paint, observer)
            }
            Request::BackToChoice => self.back_to_choice(paint),
            Request::Undo(target) => self.undo(target.as_deref(), paint),
            Request::Common(common) => self.roam(common, paint, observer),
            Request::Stops(stops) => self.stops(stops, observer),
            Request::Seek(text) => self.seek(&text, paint, observer),
            Request::Here => Ok(self.arrived(&Rest::Choice, paint)),
            Request::Tree(lines) => Ok(self.tree(lines, paint)),
            Request::Asking(asking) => self.answer(&asking, paint, observer),
            Request::Ends => Ok(self.ends(paint, observer)),
            Request::Moment => {
                let moment = self.walk.moment().to_string();
                let value = json!({ "reply": "moment", "moment": moment });
                Ok((format!("{moment}\n"), value))
            }
            Request::Note(text) => {
                self.walk.mark(text).map_err(shown)?;
                Ok(done("noted"))
            }
            // Answered before it comes here.
            Request::Everywhere(_) => Ok(done("")),
        }
    }

    fn forward(&mut self, agent: Option<&str>, count: u64, paint: &Paint) -> Said {
        for _ in 0..count {
            if self.walk.options().is_empty() {
                return Ok(self.arrived(&Rest::End, paint));
            }
            let [option] = self.options_of(agent)?[..] else {
                return Ok(self.arrived(&Rest::Choice, paint));
            };
            let fired = self.walk.forward(option).map_err(shown)?;
            if !fired.is_empty() {
                return Ok(self.arrived(&Rest::Breakpoints(fired), paint));
            }
        }
        Ok(self.arrived(&Rest::Breakpoints(Vec::new()), paint))
    }

    /// The numbers of the choices that are an agent's; of all if none is named.
    fn options_of(&self, agent: Option<&str>) -> Result<Vec<usize>, String> {
        let (language, state) = (self.walk.language(), self.walk.state());
        let options = self.walk.options().iter().enumerate();
        let Some(name) = agent else {
            return Ok(options.map(|(number, _)| number).collect());
        };
        let mut able = BTreeSet::new();
        let mut own = Vec::new();
        for (number, choice) in options {
            let agent = language.agent(state, choice).to_string();
            if agent == name {
                own.push(number);
            }
            able.insert(agent);
        }
        let able = Vec::from_iter(able).join(", ");
        match (own.is_empty(), able.is_empty()) {
            (true, true) => Err(format!("'{name}' cannot act: nobody can any more")),
            (true, false) => Err(format!("'{name}' cannot act here: {able} can")),
            _ => Ok(own),
        }
    }

    /// Who can act or waits here, or acted on the way here.
    fn known_agents(&self) -> BTreeMap<String, L::Agent> {
        let (language, state) = (self.walk.language(), self.walk.state());
        let mut waiting = Vec::new();
        language.waiting(state, &mut waiting);
        let able = self.walk.options().iter();
        let able = able.map(|choice| language.agent(state, choice));
        let past = self.walk.history(u32::MAX).into_iter();
        able.chain(waiting.into_iter().map(|waits| waits.agent))
            .chain(past.map(|past| past.agent))
            .map(|agent| (agent.to_string(), agent))
            .collect()
    }

    /// Undoes the last steps of an agent, and what depends on them.
    fn back_of(&mut self, agent: &str, count: u64, paint: &Paint) -> Said {
        for nth in 0..count {
            let path = self.walk.history(u32::MAX);
            let own = |past: &&Past<L::Agent>| past.agent.to_string() == agent;
            match path.iter().rfind(own).map(|past| past.place) {
                Some(event) => drop(self.walk.undo(event).map_err(shown)?),
                None if nth == 0 => {
                    return Err(format!("no step on the way to here was of '{agent}'"));
                }
                None => break,
            }
        }
        Ok(self.arrived(&Rest::Choice, paint))
    }

    fn run(&mut self, schedule: &mut Schedule<L>, paint: &Paint, observer: Observer<'_>) -> Said {
        let rest = self.walk.run(schedule, FAR, |walk| {
            goes_on(&mut *observer, "steps taken", walk.steps())
        });
        let rest = rest.map_err(shown)?;
        Ok(self.arrived(&rest, paint))
    }

    fn back(&mut self, count: u64, paint: &Paint) -> Said {
        self.walk.back().map_err(shown)?;
        for _ in 1..count {
            if self.walk.back().is_err() {
                break;
            }
        }
        Ok(self.arrived(&Rest::Choice, paint))
    }

    /// To before the last choice in which there was something to choose.
    fn back_to_choice(&mut self, paint: &Paint) -> Said {
        self.walk.back().map_err(shown)?;
        while self.walk.options().len() < 2 && self.walk.back().is_ok() {}
        Ok(self.arrived(&Rest::Choice, paint))
    }

    fn back_to_stop(&mut self, paint: &Paint, observer: Observer<'_>) -> Said {
        let rest = self
            .walk
            .run_back(|walk| goes_on(&mut *observer, "back at step", walk.steps()));
        let rest = rest.map_err(shown)?;
        let rest = match rest {
            // There is no end backwards, only the start.
            Rest::End => Rest::Choice,
            rest => rest,
        };
        Ok(self.arrived(&rest, paint))
    }

    /// Undoes the step to a universe of the path, and what depends on it.
    fn undo(&mut self, target: Option<&str>, paint: &Paint) -> Said {
        let event = match target {
            None => self.walk.place(),
            Some(text) => place(text).ok_or_else(|| {
                format!(
                    "'{text}' is no universe of the tree; 'path' shows those on the way to here"
                )
            })?,
        };
        let path = self.walk.history(u32::MAX);
        let undone = self.walk.undo(event).map_err(|error| match error {
            WalkError::NoEvent => {
                "no step on the way to here led to that universe; 'path' shows those that were taken"
                    .to_string()
            }
            error => error.to_string(),
        })?;
        let steps = undone.events.iter();
        let steps = steps.filter_map(|event| path.iter().find(|past| past.place == *event));
        let steps: Vec<_> = steps.map(|past| past.label.text.as_str()).collect();
        let (here, value) = self.arrived(&Rest::Choice, paint);
        let mut text: String = steps.iter().map(|step| format!("undid {step}\n")).collect();
        text.push_str(&here);
        Ok((
            text,
            json!({ "reply": "undone", "steps": steps, "here": value }),
        ))
    }

    fn condition(&self, text: &str) -> Result<Condition, String> {
        let condition = Condition::about(self.walk.language(), &self.source, text);
        condition.map_err(|error| error.to_string())
    }

    /// To the nearest universe ahead in which a condition is true.
    fn seek(&mut self, text: &str, paint: &Paint, observer: Observer<'_>) -> Said {
        let condition = self.condition(text)?;
        let sought = self.walk.seek(
            |visit| condition.fits(visit.language, visit.arrived, visit.state),
            &Limits::default(),
            |explored| watch(observer, &explored),
        );
        match sought {
            Sought::Found(choices) => {
                self.walk.take(&choices).map_err(shown)?;
                Ok(self.arrived(&Rest::Choice, paint))
            }
            Sought::Nowhere => Err(format!(
                "nothing that can still happen from here mentions '{text}'"
            )),
            Sought::Unknown(pause) => Err(format!(
                "'{text}' was not found, and not everything was looked at: {}",
                render::pause(pause)
            )),
        }
    }

    /// The last steps to a universe that was visited, or to here.
    fn history(&mut self, count: u32, to: Option<&str>) -> Result<Vec<Past<L::Agent>>, String> {
        let here = self.walk.place();
        if let Some(to) = to {
            let there = place(to).filter(|place| self.walk.jump(*place).is_ok());
            there.ok_or_else(|| format!("'{to}' is no universe that was visited"))?;
        }
        let path = self.walk.history(count);
        self.walk.jump(here).map_err(shown)?;
        Ok(path)
    }

    /// Where the walk stands now, and why.
    fn arrived(&self, rest: &Rest, paint: &Paint) -> (String, Value) {
        render::arrived(&self.walk, rest, paint)
    }

    fn tree(&self, rows: usize, paint: &Paint) -> (String, Value) {
        let layout = Layout {
            width: paint.width,
            rows,
            ..Layout::default()
        };
        let drawn = self.walk.render_text(&layout);
        let lines: Vec<&str> = drawn.lines().collect();
        let value = json!({ "reply": "tree", "lines": lines });
        (format!("{}\n", drawn.trim_end()), value)
    }

    /// Where all runs end.
    fn ends(&mut self, paint: &Paint, observer: Observer<'_>) -> (String, Value) {
        let graph = self.asked.graph(watched(&mut *observer));
        let moment = |way: &[u32]| {
            let mut scout = Walk::new(self.walk.language());
            scout.take_options(way).ok()?;
            Some(scout.moment().to_string())
        };
        render::ends(graph, moment, paint, &mut watched(observer))
    }
}

impl<L: Named + 'static> Roams for WalkPrompt<L> {
    fn source(&self) -> (&str, Option<Span>) {
        let next = self.walk.options().first();
        let label = next.map(|next| self.walk.language().label(self.walk.state(), next));
        (&self.source, label.and_then(|label| label.span))
    }

    fn agents(&mut self, observer: Observer<'_>) -> Result<Vec<AgentView>, String> {
        let (language, state) = (self.walk.language(), self.walk.state());
        let mut agents: Vec<AgentView> = Vec::new();
        let mut add = |name: String, does: AgentState, about: String, span| {
            // Who it is stands before it.
            let rest = about.strip_prefix(&name).unwrap_or(&about);
            let about = rest.trim_start_matches([' ', ':']).to_owned();
            if agents.iter().all(|known| known.name != name) {
                agents.push(AgentView {
                    name,
                    state: does,
                    about,
                    function: None,
                    line: line(&self.source, span),
                });
            }
        };
        for choice in self.walk.options() {
            let label = language.label(state, choice);
            let agent = language.agent(state, choice).to_string();
            add(agent, AgentState::Runs, label.text, label.span);
        }
        let mut waiting = Vec::new();
        language.waiting(state, &mut waiting);
        if waiting.is_empty() {
            return Ok(agents);
        }
        let led = self.walk.lead(&mut self.run, |come| {
            goes_on(&mut *observer, "steps looked at", come.into())
        });
        let run =
            led.ok_or("stopped before the way here was looked at; asked again, it goes on")?;
        for waits in waiting {
            // What it reads need not be what it waits for: its own birth, say.
            let wanted = Footprint {
                reads: Vec::new(),
                writes: waits.footprint.writes,
            };
            let mut events = run.events().iter();
            let there = events
                .rfind(|event| event.agent != waits.agent && event.footprint.conflicts(&wanted));
            let mut about = waits.label.text;
            if let Some(event) = there {
                about += &format!("; {} was there last", event.agent);
            }
            add(
                waits.agent.to_string(),
                AgentState::Waits,
                about,
                waits.label.span,
            );
        }
        Ok(agents)
    }

    /// `start`, a universe of the tree, a moment, or a state.
    fn jump(&mut self, universe: &str, paint: &Paint, observer: Observer<'_>) -> Said {
        if universe == START {
            self.walk.jump(Place::ROOT).map_err(shown)?;
        } else if let Some(place) = place(universe) {
            self.walk.jump(place).map_err(|_| {
                format!("no universe {universe} was visited; 'tree' shows those that were, 'ends' the moments of all ends")
            })?;
        } else if let Ok(state) = universe.parse() {
            return self.jump_to_state(state, paint, observer);
        } else {
            let moment: Moment = universe.parse().map_err(|e| {
                format!("'{universe}' is no universe: {e}. A universe of the tree looks like 1.4")
            })?;
            self.walk.go(&moment, FAR).map_err(shown)?;
        }
        Ok(self.arrived(&Rest::Choice, paint))
    }

    /// To a state of the graph, by a shortest way.
    fn jump_to_state(&mut self, state: u32, paint: &Paint, observer: Observer<'_>) -> Said {
        let options = self
            .asked
            .options_to(state, watched(observer))
            .map_err(shown)?;
        self.walk.jump(Place::ROOT).map_err(shown)?;
        self.walk.take_options(&options).map_err(shown)?;
        Ok(self.arrived(&Rest::Choice, paint))
    }

    fn path(&mut self, count: u32, to: Option<&str>, paint: &Paint) -> Said {
        let path = self.history(count, to)?;
        Ok(render::path(&path, paint))
    }

    fn breakpoints(&self) -> Vec<Breakpoint> {
        let known = self.walk.breakpoints().iter();
        let row =
            |(id, known): (&BreakpointId, &borges_multiverse::walk::Breakpoint<L>)| Breakpoint {
                id: id.0,
                text: known.name.clone(),
                on: known.enabled,
                hits: Some(known.hits),
            };
        known.map(row).collect()
    }

    fn set(&mut self, text: &str, _: Observer<'_>) -> Result<u32, String> {
        let condition = self.condition(text)?;
        let name = text.to_owned();
        let id = self.walk.break_when(name, move |visit| {
            let (before, after) = (visit.arrived, visit.state);
            condition.halts(visit.language, &Arrival { before, after })
        });
        Ok(id.0)
    }

    fn unset(&mut self, id: u32, _: Observer<'_>) -> Result<(), String> {
        self.walk.unbreak(BreakpointId(id));
        Ok(())
    }

    fn switch(&mut self, id: u32, on: bool, _: Observer<'_>) -> Result<(), String> {
        self.walk.enable(BreakpointId(id), on);
        Ok(())
    }
}

impl<L: Named + 'static> Asked for WalkPrompt<L> {
    fn session(&mut self) -> &mut ModelSession {
        &mut self.asked
    }

    fn way(&mut self, to: Option<&str>, _: Observer<'_>) -> Result<Vec<u32>, String> {
        let path = self.history(u32::MAX, to)?;
        Ok(path.iter().map(|past| past.option.0).collect())
    }
}

impl<L: Named + 'static> Interpreter for WalkPrompt<L> {
    type Request = Request;
    const COMMANDS: Table<Request> = COMMANDS;

    fn greeting(&mut self, paint: &Paint) -> String {
        let (here, _) = self.arrived(&Rest::Choice, paint);
        format!(
            "{}\n{here}'help' lists the commands; n goes to the next choice, k chooses, S steps back, q quits\n",
            paint.heading(&self.name)
        )
    }

    fn prompt(&self) -> String {
        format!("{}> ", render::universe(self.walk.place()))
    }

    fn execute(&mut self, line: &str, paint: &Paint, observer: Observer<'_>) -> Answer {
        // A number alone is a choice.
        let chosen = line.trim().parse().map(Request::Choose);
        match chosen.or_else(|_| table::read(COMMANDS, line).map(|(_, request)| request)) {
            Ok(Request::Everywhere(everywhere)) => everywhere.answer(line, COMMANDS, paint),
            Ok(request) => Answer::of(self.carry_out(request, paint, observer), paint),
            Err(misread) => Answer::misread(line, misread, paint),
        }
    }

    fn candidates(&mut self, kind: Completes) -> Vec<String> {
        match kind {
            Completes::Universe => visited(self.walk.tree()),
            Completes::Breakpoint => self.numbers(),
            _ => Vec::new(),
        }
    }
}

/// Universes that completion offers: the tips of the branches.
fn visited<L: Language>(tree: &Tree<Taken<L>>) -> Vec<String> {
    let mut names = vec![START.to_string()];
    names.extend(tree.leaves().map(|leaf| render::universe(leaf.place)));
    names
}

/// `branch.index`.
fn place(text: &str) -> Option<Place> {
    let (branch, index) = text.split_once('.')?;
    Some(Place {
        branch: BranchId(branch.parse().ok()?),
        index: index.parse().ok()?,
    })
}

/// Tells how far an exploration has come; false if it is to end.
fn watch(observer: Observer<'_>, explored: &Progress) -> bool {
    goes_on(observer, "states explored", explored.states as u64)
}
