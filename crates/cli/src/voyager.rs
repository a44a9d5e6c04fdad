//! Voyager at the prompt: the multiverse debugger for actors.
//!
//! Orders are carried out by `borges_session`; here they are only typed and printed.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use borges_languages::model::debug::{Came, LinkRow, Order};
use borges_languages::model::{Progress as Explored, Question};
use borges_session::model::ModelSession;
use serde::Serialize;
use serde_json::{Value, json};

use borges_commands::model::voyager::table::{About, Asking, Judging, Request};
use borges_commands::model::voyager::{COMMANDS, render};

use crate::exit::Failure;
use crate::interrupt::{self, Pausable};
use crate::output::{Output, Progress};
use crate::repl::interpreter::{
    Completion, Interpreter, Verdict, complete, tell, tell_error, tell_help, tell_misread,
};
use borges_commands::paint::{Paint, Role};
use borges_commands::table::{self, Completes};

/// States of a list that become universes of the session.
const NAMED: usize = 1000;

/// A session of Voyager at the prompt.
pub struct VoyagerRepl {
    session: ModelSession,
    /// The universe that is looked at.
    here: u32,
    quiet: bool,
}

/// What a command answers: as text and as JSON, or why it cannot be carried out.
type Answer = Result<(String, Value), String>;

impl VoyagerRepl {
    /// The prompt for a session.
    pub const fn new(session: ModelSession, quiet: bool) -> Self {
        Self {
            session,
            here: 0,
            quiet,
        }
    }

    fn carry_out(&mut self, request: Request, paint: &Paint) -> Answer {
        match request {
            Request::Order(order) => self.order(order, paint),
            Request::About(universe, about) => {
                self.about(universe.unwrap_or(self.here), about, paint)
            }
            Request::Delete(ids) => self.delete(&ids, paint),
            Request::Breakpoints => Ok(self.breakpoints()),
            Request::Universes(status) => {
                let debugger = self.session.debugger();
                let text = render::universes(debugger, status.as_deref(), self.here, paint);
                let nodes: Vec<_> = (0..debugger.len()).map(|id| debugger.node(id)).collect();
                let links: Vec<_> = (0..debugger.links()).map(|id| debugger.link(id)).collect();
                let value = json!({ "reply": "universes", "universes": nodes, "edges": links });
                Ok((text, value))
            }
            Request::Go(universe) => {
                let answer = self.about(universe, About::Card, paint)?;
                self.here = universe;
                Ok(answer)
            }
            Request::Difference(edge) => {
                let changes = self.session.debugger().difference(edge).map_err(shown)?;
                let value = json!({ "reply": "difference", "changes": changes });
                Ok((render::difference(&changes, paint), value))
            }
            Request::List => {
                let text = self.session.debugger().text();
                let numbered = text.lines().enumerate();
                let lines = numbered.map(|(n, line)| format!("{:>4}  {line}\n", n + 1));
                Ok((lines.collect(), json!({ "reply": "source", "text": text })))
            }
            Request::GoToState(state) => {
                let universe = self.universe_of(state)?;
                self.carry_out(Request::Go(universe), paint)
            }
            Request::Ask(asking) => self.ask(&asking, paint),
            Request::Judge(judging) => judge(&mut self.session, &judging, self.quiet, paint),
            Request::Races(universe) => {
                let universe = universe.unwrap_or(self.here);
                let quiet = self.quiet;
                let state = watched(quiet, |watch| self.session.state_of(universe, watch));
                let options = self.session.options_to(state.map_err(shown)?, |_| true);
                Ok(races(&mut self.session, &options.map_err(shown)?, paint))
            }
            Request::Edit(file) => {
                let text = std::fs::read_to_string(&file)
                    .map_err(|error| format!("{file} cannot be read: {error}"))?;
                self.order(Order::Edit { text }, paint)
            }
            // Answered before it comes here.
            Request::Help(_) | Request::Quit => Ok((String::new(), Value::Null)),
        }
    }

    fn order(&mut self, order: Order, paint: &Paint) -> Answer {
        let begins_again = matches!(order, Order::Run | Order::Restart | Order::Edit { .. });
        let session = &mut self.session;
        let came = watched(self.quiet, |watch| session.carry_out(order, watch));
        let came = came.map_err(shown)?;
        if begins_again || self.here >= self.session.debugger().len() {
            self.here = 0;
        }
        Ok(self.came(&came, paint))
    }

    fn came(&mut self, came: &Came, paint: &Paint) -> (String, Value) {
        let text = match came {
            Came { ran: Some(ran), .. } => {
                let first = ran.paused.first().or(ran.held.first()).or(ran.ends.first());
                self.here = first.copied().unwrap_or(ran.from);
                render::ran(ran, self.session.debugger(), paint)
            }
            Came {
                breakpoint: Some(id),
                ..
            } => format!("breakpoint {id}\n"),
            Came { .. } => String::new(),
        };
        let value = json!({ "reply": "came", "here": self.here, "came": came });
        (text, value)
    }

    fn about(&mut self, universe: u32, about: About, paint: &Paint) -> Answer {
        let order = match about {
            About::Card => {
                let card = self.session.debugger().card(universe).map_err(shown)?;
                let value = json!({ "reply": "universe", "universe": card });
                return Ok((render::card(&card, paint), value));
            }
            About::Path => {
                let debugger = self.session.debugger();
                let card = debugger.card(universe).map_err(shown)?;
                let edges = card.path.into_iter();
                let path: Vec<LinkRow> = edges.filter_map(|edge| debugger.link(edge)).collect();
                let value = json!({ "reply": "path", "edges": path });
                return Ok((render::path(&path, paint), value));
            }
            About::Rules => {
                let debugger = self.session.debugger();
                let card = debugger.card(universe).map_err(shown)?;
                let edges = card.path.into_iter();
                let path: Vec<LinkRow> = edges.filter_map(|edge| debugger.link(edge)).collect();
                let value = json!({ "reply": "rules", "edges": path });
                return Ok((render::rules(&path, paint), value));
            }
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
        self.order(order, paint)
    }

    /// Answers a question about all states, of which those that it names are universes of the session.
    fn ask(&mut self, asking: &Asking, paint: &Paint) -> Answer {
        let Asking::Question(question) = asking else {
            return ask(&mut self.session, asking, self.quiet, paint);
        };
        let question = self.about_states(question)?;
        let (quiet, session) = (self.quiet, &mut self.session);
        let reply = watched(quiet, |watch| session.ask(&question, watch)).map_err(shown)?;
        let mut universes = BTreeMap::new();
        for state in reply.states(NAMED) {
            if let Entry::Vacant(entry) = universes.entry(state) {
                entry.insert(session.universe_of(state).map_err(shown)?);
            }
        }
        let name = |state: u32| universes.get(&state).copied().unwrap_or(state);
        let text = render::answer(&reply, &name, "universe", paint);
        let reply = reply.renamed(NAMED, &mut |state| name(state));
        Ok(answered(session, text, &reply, paint))
    }

    /// The question with the states of the universes that it names.
    fn about_states(&mut self, question: &Question) -> Result<Question, String> {
        let (quiet, session) = (self.quiet, &mut self.session);
        let mut state = |universe: u32| {
            watched(quiet, |watch| session.state_of(universe, watch)).map_err(shown)
        };
        Ok(match question {
            Question::Shortest(universe) => Question::Shortest(state(*universe)?),
            Question::Through(universe) => Question::Through(state(*universe)?),
            Question::CommonAncestors(universes) => {
                let states = universes.iter().map(|universe| state(*universe));
                Question::CommonAncestors(states.collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        })
    }

    /// The universe of a state that the tables number.
    fn universe_of(&mut self, state: u32) -> Result<u32, String> {
        let (quiet, session) = (self.quiet, &mut self.session);
        watched(quiet, |watch| {
            session.graph(watch);
        });
        session.universe_of(state).map_err(shown)
    }

    fn delete(&mut self, ids: &[u32], paint: &Paint) -> Answer {
        let known = self.session.debugger().breakpoints();
        let all: Vec<u32> = known.iter().map(|breakpoint| breakpoint.id).collect();
        if let Some(id) = ids.iter().find(|id| !all.contains(id)) {
            return Err(format!(
                "there is no breakpoint {id}; 'breakpoints' lists them"
            ));
        }
        let chosen = if ids.is_empty() { &all } else { ids };
        let mut answer = (String::new(), json!({ "reply": "deleted" }));
        for id in chosen {
            answer = self.order(Order::Unbreak { id: *id }, paint)?;
        }
        Ok(answer)
    }

    fn breakpoints(&self) -> (String, Value) {
        let list = self.session.debugger().breakpoints();
        let line = |b: &borges_languages::model::debug::BreakpointRow| {
            let off = if b.on { "" } else { "  (off)" };
            format!("breakpoint {}: {}{off}\n", b.id, b.spec)
        };
        let mut text: String = list.iter().map(line).collect();
        if text.is_empty() {
            text.push_str("no breakpoints yet: 'break receiver NAME' sets one\n");
        }
        (text, json!({ "reply": "breakpoints", "breakpoints": list }))
    }

    /// What completion offers for an argument.
    fn things(&self, kind: Completes) -> Vec<String> {
        let debugger = self.session.debugger();
        match kind {
            Completes::Universe => (0..debugger.len().min(1000))
                .map(|id| id.to_string())
                .collect(),
            Completes::Breakpoint => {
                let known = debugger.breakpoints().into_iter();
                known.map(|breakpoint| breakpoint.id.to_string()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Runs something that Ctrl-C can stop, and shows how far it has come.
pub fn watched<T>(quiet: bool, work: impl FnOnce(&mut dyn FnMut(&Explored) -> bool) -> T) -> T {
    let (_pausable, mut progress) = (Pausable::begin(), Progress::new(quiet));
    let done = work(&mut |come| {
        progress.update("states explored", come.states, None);
        !interrupt::pressed()
    });
    progress.clear();
    done
}

/// Answers a question about all states, whose numbers are those of the graph.
///
/// # Errors
/// Why there is no answer.
pub fn ask(
    session: &mut ModelSession,
    asking: &Asking,
    quiet: bool,
    paint: &Paint,
) -> Result<(String, Value), String> {
    match asking {
        Asking::Question(question) => {
            let reply = watched(quiet, |watch| session.ask(question, watch)).map_err(shown)?;
            let text = render::answer(&reply, &|state| state, "state", paint);
            Ok(answered(session, text, &reply, paint))
        }
        Asking::Sql(sql) => {
            let table = watched(quiet, |watch| session.query(sql, watch)).map_err(shown)?;
            let value = json!({ "reply": "table", "table": table });
            Ok((borges_commands::device::render::table(&table, paint), value))
        }
    }
}

/// An answer, with a word on what it rests on if that is not all.
fn answered(
    session: &ModelSession,
    text: String,
    reply: &impl Serialize,
    paint: &Paint,
) -> (String, Value) {
    let partial = session.partial();
    let note = partial.map(|(why, states)| render::partial(why, states, paint));
    let value = json!({
        "reply": "answer",
        "answer": reply,
        "complete": partial.is_none(),
        "why": partial.map(|(why, _)| why),
    });
    (note.unwrap_or_default() + &text, value)
}

/// Says whether something may and must happen.
///
/// # Errors
/// It is nothing that can be judged.
pub fn judge(
    session: &mut ModelSession,
    judging: &Judging,
    quiet: bool,
    paint: &Paint,
) -> Result<(String, Value), String> {
    let judgement = watched(quiet, |watch| match judging {
        Judging::May(spec) => session.occurs(spec, watch),
        Judging::Check(formula) => session.check(formula, watch),
    });
    let judgement = judgement.map_err(shown)?;
    Ok(judged(&render::judgement(&judgement, paint), &judgement))
}

/// Which other messages could have been received on a way.
pub fn races(session: &mut ModelSession, options: &[u32], paint: &Paint) -> (String, Value) {
    let races = session.races(options);
    let value = json!({ "reply": "races", "races": races });
    let text = match races {
        None => format!(
            "{} has no messages: nothing races\n",
            session.dialect().name()
        ),
        Some(races) => render::races(&races, paint),
    };
    (text, value)
}

fn judged(text: &str, judgement: &impl Serialize) -> (String, Value) {
    let value = json!({ "reply": "judgement", "judgement": judgement });
    (text.to_owned(), value)
}

fn shown(error: impl std::fmt::Display) -> String {
    error.to_string().trim_end().to_string()
}

impl Interpreter for VoyagerRepl {
    fn greeting(&mut self, paint: &Paint) -> String {
        format!(
            "{}\n'help' lists the commands; b sets a breakpoint, run runs all universes, u shows them, q quits\n",
            paint.paint(Role::Heading, self.session.name())
        )
    }

    fn prompt(&self) -> String {
        format!("{}> ", self.here)
    }

    fn execute(&mut self, line: &str, output: &mut Output) -> Result<Verdict, Failure> {
        let request = match table::read(COMMANDS, line) {
            Ok((_, request)) => request,
            Err(misread) => return tell_misread(line, &misread, output),
        };
        match request {
            Request::Help(topic) => tell_help(line, COMMANDS, topic.as_deref(), output),
            Request::Quit => {
                if output.json {
                    tell(line, "", json!({ "reply": "quit" }), output)?;
                }
                Ok(Verdict::Quit)
            }
            request => {
                let paint = output.paint;
                match self.carry_out(request, &paint) {
                    Ok((text, value)) => tell(line, &text, value, output),
                    Err(message) => tell_error(line, &message, output),
                }
            }
        }
    }

    fn repeats(&self, line: &str) -> bool {
        table::read(COMMANDS, line).is_ok_and(|(spec, _)| spec.repeats)
    }

    fn complete(&mut self, line: &str, at: usize) -> Completion {
        complete(COMMANDS, line, at, |kind| self.things(kind))
    }
}
