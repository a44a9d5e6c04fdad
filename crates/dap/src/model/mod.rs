//! A program of a model language, as an editor sees it: its agents are the threads of the universe that is shown.
//!
//! The session keeps the universes that were seen, and each who looks chooses one of them. What others do changes nothing
//! of what this editor shows but the breakpoints.

mod ahead;
mod breakpoints;
mod card;
mod motion;
mod passing;

use std::collections::BTreeMap;
use std::path::Path;

use borges_hub::ModelCommand;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::arrival::{self, Replied};
use crate::capabilities;
use crate::console;
use crate::core::Core;
use crate::debuggee::{Asked, Debuggee};
use crate::handles::{Handles, Node};
use crate::protocol::answers::{self, CompletionItem, Evaluated, Scope, Source, Thread, Variable};
use crate::protocol::arguments::{
    self, Completions, Evaluate, Line, OfFrame, OfSource, Own, StackTrace, Variables,
};
use crate::protocol::{self, Failure, Request, body};
use ahead::Target;
use breakpoints::Breakpoints;
use card::{Agent, Card};
use motion::Motion;

/// The thread of a program in which nobody acts any more.
const NOBODY: i64 = 1;
/// The number of the source, where the program is no file.
const TEXT: i64 = 1;
/// The line of the debugger of μOz, before what is said to it.
const CAREDEB: &str = "caredeb ";

/// A program of a model language that is debugged.
pub(crate) struct Model {
    source: Source,
    /// The universe that is shown, the way to it, and the steps that leave it.
    shown: card::Answer,
    /// Numbers of agents, which they keep in all universes.
    threads: BTreeMap<String, i64>,
    /// Frames that were told, with the agents whose they are, by their numbers less one.
    frames: Vec<String>,
    handles: Handles,
    targets: Vec<Target>,
    motion: Option<Motion>,
    breakpoints: Breakpoints,
    /// Whether the start was told to run.
    has_run: bool,
    begun: bool,
}

impl Model {
    /// The program of the session that was joined.
    ///
    /// # Errors
    /// The session cannot be reached any more.
    pub(crate) fn new(core: &mut Core) -> Result<Self, String> {
        let name = core
            .parts
            .model
            .as_ref()
            .map(|model| model.name.clone())
            .unwrap_or_default();
        let path = Path::new(&name);
        let there = path.canonicalize().ok().filter(|path| path.is_file());
        let short = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let source = Source {
            name: short.unwrap_or_else(|| name.clone()),
            source_reference: there.is_none().then_some(TEXT),
            path: there.map(|path| path.display().to_string()),
            ..Source::default()
        };
        core.event(
            "capabilities",
            json!({ "capabilities": capabilities::of_model() }),
        );
        let mut this = Self {
            source,
            shown: card::Answer::default(),
            threads: BTreeMap::new(),
            frames: Vec::new(),
            handles: Handles::default(),
            targets: Vec::new(),
            motion: None,
            breakpoints: Breakpoints::default(),
            has_run: false,
            begun: false,
        };
        this.show(core, 0)?;
        Ok(this)
    }

    /// Looks at a universe.
    ///
    /// # Errors
    /// There is none of this number.
    fn show(&mut self, core: &mut Core, universe: u32) -> Result<(), String> {
        let card = self.call(core, ModelCommand::Card { universe })?;
        self.shown = card;
        self.handles.clear();
        self.targets.clear();
        self.frames.clear();
        let known = self.threads.len() as i64;
        let new = self
            .shown
            .card
            .agents
            .iter()
            .map(|agent| agent.name.clone());
        let new: Vec<_> = new
            .filter(|name| !self.threads.contains_key(name))
            .collect();
        self.threads
            .extend(new.into_iter().zip(known + NOBODY + 1..));
        Ok(())
    }

    fn call<T: DeserializeOwned>(
        &self,
        core: &mut Core,
        command: ModelCommand,
    ) -> Result<T, String> {
        if self.motion.is_some() {
            return Err("the program runs: pause it first".to_owned());
        }
        let id = core.ask_command(command);
        let reply = core.wait_for(id)?;
        serde_json::from_value(reply)
            .map_err(|error| format!("the session answered what is not understood here: {error}"))
    }

    const fn card(&self) -> &Card {
        &self.shown.card
    }

    fn here(&self) -> u32 {
        self.card().node.id
    }

    /// The agent of a thread.
    fn agent(&self, thread: i64) -> Option<&Agent> {
        let name = self
            .threads
            .iter()
            .find(|(_, id)| **id == thread)
            .map(|(name, _)| name)?;
        self.card().agents.iter().find(|agent| agent.name == *name)
    }

    fn thread_of(&self, agent: &str) -> i64 {
        self.threads.get(agent).copied().unwrap_or(NOBODY)
    }

    /// The thread that is shown first: of who can act, if anybody can.
    fn first_thread(&self) -> i64 {
        let agents = &self.card().agents;
        let able = agents
            .iter()
            .find(|agent| agent.line.is_some() && agent.stuck.is_none());
        able.or(agents.first())
            .map_or(NOBODY, |agent| self.thread_of(&agent.name))
    }

    fn all_threads(&self) -> protocol::Answer {
        let mut threads: Vec<Thread> = self
            .card()
            .agents
            .iter()
            .map(|agent| Thread {
                id: self.thread_of(&agent.name),
                name: match &agent.stuck {
                    Some(why) => format!("{}: {why}", agent.name),
                    None if agent.next.is_empty() => agent.name.clone(),
                    None => format!("{}: {}", agent.name, agent.next),
                },
            })
            .collect();
        if threads.is_empty() {
            let end = self.card().outcome.as_deref().unwrap_or("nobody acts here");
            let name = format!("universe {}: {end}", self.here());
            threads.push(Thread { id: NOBODY, name });
        }
        body(json!({ "threads": threads }))
    }

    fn stack(&mut self, core: &Core, asked: StackTrace) -> protocol::Answer {
        let here = self.here();
        let agent = self.agent(asked.thread_id).cloned();
        if agent.is_none() && asked.thread_id != NOBODY {
            return Err(Failure::new(format!(
                "nobody has the number {} here",
                asked.thread_id
            )));
        }
        let (name, about, line, calls) = match agent {
            Some(agent) => {
                let about = agent.stuck.unwrap_or(agent.next);
                let about = if about.is_empty() {
                    agent.name.clone()
                } else {
                    about
                };
                (agent.name, about, agent.line, agent.calls)
            }
            None => {
                let end = self.card().outcome.clone().unwrap_or_default();
                (
                    String::new(),
                    format!("universe {here}: {end}"),
                    None,
                    Vec::new(),
                )
            }
        };
        // Calls are listed with the innermost last.
        let rows = [(about, line)]
            .into_iter()
            .chain(calls.into_iter().rev().map(|call| (call, None)));
        let frames: Vec<answers::StackFrame> = rows
            .map(|(about, line)| {
                self.frames.push(name.clone());
                answers::StackFrame {
                    id: self.frames.len() as i64,
                    name: about,
                    line: line.map_or(0, |line| core.line_out(line)),
                    column: if line.is_some() {
                        core.first_column()
                    } else {
                        0
                    },
                    source: line.map(|_| self.source.clone()),
                    instruction_pointer_reference: None,
                    presentation_hint: None,
                    can_restart: false,
                }
            })
            .collect();
        let total = frames.len();
        let from = asked.start_frame.unwrap_or(0) as usize;
        let levels = asked
            .levels
            .filter(|levels| *levels > 0)
            .map_or(usize::MAX, |levels| levels as usize);
        let told: Vec<_> = frames.into_iter().skip(from).take(levels).collect();
        body(json!({ "stackFrames": told, "totalFrames": total }))
    }

    /// The agent whose frame has a number, if anybody's has.
    fn framed(&self, frame: i64) -> Option<&Agent> {
        let index = usize::try_from(frame.checked_sub(1)?).ok()?;
        let name = self.frames.get(index)?;
        self.card().agents.iter().find(|agent| agent.name == *name)
    }

    fn scopes(&mut self, asked: OfFrame) -> protocol::Answer {
        let agent = self.framed(asked.frame_id).cloned();
        let mut scopes = Vec::new();
        let mut scope = |name, hint, data: Value| {
            scopes.push(Scope {
                name,
                presentation_hint: hint,
                variables_reference: self.handles.number(Node::Data(data)),
                expensive: false,
            });
        };
        let named = |fields: &[(String, String)]| {
            let fields = fields
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)));
            Value::Object(fields.collect())
        };
        if let Some(agent) = agent {
            if !agent.fields.is_empty() {
                scope("Variables", Some("locals"), named(&agent.fields));
            }
            if !agent.inbox.is_empty() {
                scope("Inbox", None, json!(agent.inbox));
            }
            if !agent.output.is_empty() {
                scope("Printed", None, json!(agent.output));
            }
        }
        let card = &self.shown.card;
        if !card.shared.is_empty() {
            scope("Shared", None, named(&card.shared));
        }
        let mut universe = json!({
            "number": card.node.id,
            "status": card.node.status,
            "state": card.text,
        });
        if let Some(outcome) = &card.outcome {
            universe["outcome"] = json!(outcome);
        }
        scope("Universe", None, universe);
        body(json!({ "scopes": scopes }))
    }

    fn variables(&mut self, asked: &Variables) -> protocol::Answer {
        let Node::Data(data) = self.handles.node(asked.variables_reference)? else {
            return Err(Failure::new("nothing is in it"));
        };
        let variables = self.handles.data(&data);
        let variables: Vec<Variable> = variables
            .into_iter()
            .map(|variable| Variable {
                evaluate_name: Some(variable.name.clone()),
                ..variable
            })
            .collect();
        body(json!({ "variables": variables }))
    }

    fn evaluate(&mut self, core: &mut Core, request: &Request) -> Result<Asked, Failure> {
        let asked: Evaluate = request.arguments()?;
        let text = asked.expression.trim();
        if asked.context.as_deref() == Some("repl") {
            return Ok(self.say(core, request, text));
        }
        let own = asked.frame_id.and_then(|frame| self.framed(frame));
        let value = self.card().value(own, text);
        let result =
            value.ok_or_else(|| Failure::new(format!("nothing is called '{text}' here")))?;
        Ok(Asked::Now(body(Evaluated {
            result,
            ..Evaluated::default()
        })))
    }

    /// Says a line to the prompt; what it comes to arrives later.
    fn say(&mut self, core: &mut Core, request: &Request, line: &str) -> Asked {
        if line.is_empty() {
            return Asked::Now(body(Evaluated::default()));
        }
        let (line, here) = (line.to_owned(), self.here());
        let command = match line.strip_prefix(CAREDEB) {
            Some(rest) => ModelCommand::Caredeb {
                line: rest.trim().to_owned(),
            },
            None => ModelCommand::Line { line, here },
        };
        let id = core.ask_command(command);
        core.owed.insert(id, request.clone());
        Asked::Later
    }

    /// A line has come to something: the answer, and perhaps another universe.
    fn heard(&mut self, core: &mut Core, request: &Request, reply: Replied) {
        let reply = match reply {
            Ok(reply) => reply,
            Err(message) => return core.finish(request, Some(Err(Failure::new(message)))),
        };
        let text = reply["text"]
            .as_str()
            .or(reply["said"].as_str())
            .unwrap_or_default();
        let text = text.trim_end().to_owned();
        let answer = match (request.command.as_str(), reply["ok"].as_bool()) {
            ("borges/command", _) => {
                body(json!({ "ok": reply["ok"], "text": text, "reply": reply["answer"] }))
            }
            (_, Some(false)) => Err(Failure::new(text)),
            _ => body(Evaluated {
                result: text,
                ..Evaluated::default()
            }),
        };
        core.finish(request, Some(answer));
        if let Some(here) = reply["here"]
            .as_u64()
            .and_then(|here| u32::try_from(here).ok())
            && here != self.here()
            && self.motion.is_none()
        {
            self.arrive(core, here, "goto", None);
        }
    }

    fn complete(&self, core: &mut Core, asked: &Completions) -> protocol::Answer {
        let nth = asked.line.unwrap_or(0) - i64::from(core.client.lines_start_at_1);
        let line = asked
            .text
            .lines()
            .nth(usize::try_from(nth).unwrap_or(0))
            .unwrap_or_default()
            .to_owned();
        let at = console::byte_of(&line, asked.column - core.first_column());
        let command = ModelCommand::Complete {
            line: line.clone(),
            at,
            here: self.here(),
        };
        let completion: Value = self.call(core, command)?;
        let candidates = completion["candidates"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let completion = borges_commands::completion::Completion {
            start: completion["start"].as_u64().unwrap_or_default() as usize,
            candidates: candidates
                .iter()
                .filter_map(|one| Some(one.as_str()?.to_owned()))
                .collect(),
        };
        let items: Vec<CompletionItem> =
            console::items(&line, at, &completion, core.first_column());
        body(json!({ "targets": items }))
    }

    /// Whether a source is the program's text: editors name it by paths of their own.
    fn is_text(&self, source: &arguments::Source) -> bool {
        let last = |path: &String| path.rsplit(['/', '\\']).next().map(str::to_owned);
        let theirs = source.path.as_ref().and_then(last).or(source.name.clone());
        theirs.as_ref() == Some(&self.source.name) || source.source_reference.is_some()
    }

    fn text(&self, core: &Core, asked: &OfSource) -> protocol::Answer {
        let named = asked
            .source
            .as_ref()
            .and_then(|source| source.path.as_ref());
        let is_ours = asked.source_reference == TEXT || named == self.source.path.as_ref();
        let text = core.parts.text.as_ref().filter(|_| is_ours);
        let text = text.ok_or_else(|| Failure::new("there is no such source"))?;
        body(json!({ "content": text.text }))
    }

    /// A command of the session as data.
    fn session(&self, core: &mut Core, asked: Own) -> protocol::Answer {
        let command: ModelCommand = serde_json::from_value(asked.command)
            .map_err(|error| Failure::new(format!("this program has no such command: {error}")))?;
        Ok(self.call(core, command)?)
    }
}

impl Debuggee for Model {
    fn request(&mut self, core: &mut Core, request: &Request) -> Option<Asked> {
        let answer = match request.command.as_str() {
            "threads" => self.all_threads(),
            "stackTrace" => request
                .arguments()
                .and_then(|asked| self.stack(core, asked)),
            "scopes" => request.arguments().and_then(|asked| self.scopes(asked)),
            "variables" => request.arguments().and_then(|asked| self.variables(&asked)),
            "evaluate" => {
                let asked = self.evaluate(core, request);
                return Some(asked.unwrap_or_else(|failure| Asked::Now(Err(failure))));
            }
            "borges/command" => {
                let asked: Result<Line, _> = request.arguments();
                return Some(match asked {
                    Ok(asked) => self.say(core, request, asked.line.trim()),
                    Err(failure) => Asked::Now(Err(failure)),
                });
            }
            "completions" => request
                .arguments()
                .and_then(|asked| self.complete(core, &asked)),
            "loadedSources" => body(json!({ "sources": [self.source] })),
            "source" => request
                .arguments()
                .and_then(|asked| self.text(core, &asked)),
            "stepInTargets" => request
                .arguments()
                .and_then(|asked| self.step_in_targets(asked)),
            "gotoTargets" => request
                .arguments()
                .and_then(|asked| self.goto_targets(core, &asked)),
            "goto" => request.arguments().and_then(|asked| self.goto(core, asked)),
            "borges/multiverse" => self.multiverse(core),
            "borges/here" => {
                body(json!({ "universe": self.here(), "status": self.card().node.status }))
            }
            "borges/session" => request
                .arguments()
                .and_then(|asked| self.session(core, asked)),
            command => {
                let asked = self.breakpoint_request(core, command, request);
                return asked.or_else(|| self.motion_request(core, command, request));
            }
        };
        Some(Asked::Now(answer))
    }

    fn replied(&mut self, core: &mut Core, id: u32, reply: Replied) {
        if self.motion.as_ref().is_some_and(|motion| motion.id == id) {
            self.motion_replied(core, reply);
        } else if let Some(request) = core.owed.remove(&id) {
            self.heard(core, &request, reply);
        }
    }

    fn said(&mut self, _: &mut Core, _: arrival::Said) {}

    fn notice(&mut self, core: &mut Core) {
        if self.begun && self.motion.is_none() {
            self.notice_breakpoints(core);
        }
    }

    fn begin(&mut self, core: &mut Core, stop_on_entry: bool, is_joined: bool) {
        self.begun = true;
        match stop_on_entry || is_joined {
            true => self.tell(core, "entry", None),
            false => self.begin_run(core),
        }
    }

    fn restart(&mut self, core: &mut Core, stop_on_entry: bool) -> protocol::Answer {
        if self.motion.is_some() {
            core.pause();
            return Err(Failure::new(
                "the program ran, and is paused: restart it now",
            ));
        }
        self.show(core, 0)?;
        match stop_on_entry {
            true => self.tell(core, "entry", None),
            false => self.begin_run(core),
        }
        protocol::NOTHING
    }
}
