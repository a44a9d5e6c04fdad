//! Voyager at the prompt: the multiverse debugger for actors.
//!
//! Orders are carried out by `borges_session`; here they are only typed and printed.

mod render;
pub mod table;

use borges_languages::model::debug::{Came, LinkRow, Order};
use borges_session::model::{AskError, ModelSession};
use serde::Serialize;
use serde_json::{Value, json};

pub use table::COMMANDS;
use table::{About, Asking, Request};

use crate::exit::Failure;
use crate::interrupt::{self, Pausable};
use crate::output::{Output, Progress};
use crate::paint::{Paint, Role};
use crate::repl::interpreter::{
    Completion, Interpreter, Verdict, complete, tell, tell_error, tell_help, tell_misread,
};
use crate::repl::spec::{self, Completes};

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
            Request::Ask(asking) => ask(&mut self.session, &asking, self.quiet, paint),
            Request::May(spec) => {
                let judgement = self.session.debugger().occurs(&spec).map_err(shown)?;
                Ok(judged(&render::judgement(&judgement, paint), &judgement))
            }
            Request::Check(formula) => {
                let judgement = self.session.debugger().check(&formula).map_err(shown)?;
                Ok(judged(&render::judgement(&judgement, paint), &judgement))
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
        let came = self.session.carry_out(order).map_err(shown)?;
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

/// Answers a question about all states.
///
/// # Errors
/// Why there is no answer.
pub fn ask(
    session: &mut ModelSession,
    asking: &Asking,
    quiet: bool,
    paint: &Paint,
) -> Result<(String, Value), String> {
    let (_pausable, mut progress) = (Pausable::begin(), Progress::new(quiet));
    let watch = |come: &borges_languages::model::Progress| {
        progress.update("states explored", come.states, None);
        !interrupt::pressed()
    };
    let answer = match asking {
        Asking::Question(question) => session.ask(question, watch).map(|reply| {
            let value = json!({ "reply": "answer", "answer": reply });
            (render::answer(&reply, paint), value)
        }),
        Asking::Sql(sql) => session.query(sql, watch).map(|table| {
            let value = json!({ "reply": "table", "table": table });
            (crate::render::table(&table, paint), value)
        }),
    };
    answer.map_err(|error: AskError| error.to_string())
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
        let request = match spec::read(COMMANDS, line) {
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
        spec::read(COMMANDS, line).is_ok_and(|(spec, _)| spec.repeats)
    }

    fn complete(&mut self, line: &str, at: usize) -> Completion {
        complete(COMMANDS, line, at, |kind| self.things(kind))
    }
}
