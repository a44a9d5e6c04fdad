//! A session with a program at the prompt: sends commands to the session and says what comes back.

use std::collections::{BTreeMap, BTreeSet};

use borges_session::command::{CodePlace, Command, Flow, Look, Observer, Reply, Stop, StopReason};
use borges_session::listing::{PlaceView, Variable, VariableListing};
use serde_json::{Value, json};

use crate::interpreter::{Answer, Interpreter, Said, to_value};
use crate::paint::Paint;
use crate::table::{self, Completes, Table};

use super::backend::Backend;
use super::host_file;
use super::render;
use super::table::{COMMANDS, FrameChoice, FrameCommand, Request};
use super::watches::{Watched, Watches};

/// Source lines shown before and after a stop.
const CONTEXT: u32 = 2;
/// Changed variables named after a stop.
const CHANGES: usize = 6;

/// A session at the prompt.
pub struct SessionPrompt {
    session: Box<dyn Backend>,
    /// Primitives that the program imports, for completion.
    primitives: Vec<String>,
    /// The chosen frame; 0 is the innermost.
    frame: u32,
    /// The variables at the last stop.
    known: Known,
    watches: Watches,
    /// Whether somebody reads what is said: the text of a stop takes looks of its own.
    is_read: bool,
}

/// Variables with their values at a stop, to tell what changed since.
#[derive(Debug, Default)]
struct Known {
    function: Option<String>,
    locals: BTreeMap<String, String>,
    globals: BTreeMap<String, String>,
}

impl SessionPrompt {
    /// A prompt on `session`; `primitives` are the names that completion offers.
    pub fn new(session: Box<dyn Backend>, primitives: Vec<String>) -> Self {
        Self {
            session,
            primitives,
            frame: 0,
            known: Known::default(),
            watches: Watches::default(),
            is_read: true,
        }
    }

    /// A command that only looks, for the prompt's own use.
    fn look(&mut self, look: Look) -> Option<Reply> {
        let looked = self.session.execute(look.into(), &mut |_| Flow::Continue);
        looked.ok()
    }

    /// Carries out a command of the session.
    fn carry_out(&mut self, command: Command, paint: &Paint, observer: Observer<'_>) -> Answer {
        let command = match host_file::read_in(command) {
            Ok(command) => command,
            Err(error) => return Answer::failed(error, paint),
        };
        let read_as = to_value(&command);
        let result = self.session.execute(command, observer);
        let stopped_at = match &result {
            Ok(Reply::Stopped(stop)) => Some(stop.at.frame),
            Ok(Reply::Written(written)) => Some(written.at.frame),
            _ => None,
        };
        let watched = match stopped_at {
            Some(frame) => {
                self.frame = frame;
                self.watches.update(&mut *self.session, frame)
            }
            None => Vec::new(),
        };
        let mut answer = match result {
            Ok(reply) => {
                let text = self.is_read.then(|| self.reply(&reply, paint));
                let text = text.unwrap_or_default();
                Answer::done(text, to_value(&reply))
            }
            Err(error) => Answer::failed(error, paint),
        };
        answer
            .text
            .extend(watched.iter().map(|one| one.text(paint)));
        answer.command = Some(read_as);
        answer.events = watched.iter().map(Watched::json).collect();
        answer
    }

    fn reply(&mut self, reply: &Reply, paint: &Paint) -> String {
        match reply {
            Reply::Stopped(stop) => self.stop(stop, paint),
            Reply::Written(written) => {
                let text = render::reply(reply, paint);
                self.changes(&written.at, paint);
                text
            }
            Reply::Stack(stack) => render::stack(stack, self.frame, paint),
            other => render::reply(other, paint),
        }
    }

    /// A stop with the source around it and what changed since the last one.
    fn stop(&mut self, stop: &Stop, paint: &Paint) -> String {
        let (place, around) = (None, CONTEXT);
        let listed = stop
            .at
            .line
            .map(|_| self.look(Look::List { place, around }));
        let around = listed.flatten();
        let around = match &around {
            Some(Reply::Source(listing)) => Some(listing),
            _ => None,
        };
        let mut text = render::stop(stop, around, paint);
        text.push_str(&self.changes(&stop.at, paint));
        text
    }

    /// Says which variables have other values than at the last stop, and remembers the new ones.
    fn changes(&mut self, at: &PlaceView, paint: &Paint) -> String {
        let frame = at.frame;
        let Some(Reply::Variables(variables)) = self.look(Look::Variables { agent: None, frame })
        else {
            return String::new();
        };
        let now = Known::of(at, &variables);
        let before = std::mem::replace(&mut self.known, now);
        let first = before.function.is_none() && before.globals.is_empty();
        if first {
            return String::new();
        }
        let mut changes = differing(&before.globals, &self.known.globals);
        if before.function == self.known.function {
            let mut locals = differing(&before.locals, &self.known.locals);
            locals.append(&mut changes);
            changes = locals;
        }
        if changes.is_empty() {
            return String::new();
        }
        let more = changes.len().saturating_sub(CHANGES);
        changes.truncate(CHANGES);
        let mut list: Vec<String> = changes
            .iter()
            .map(|(name, old, new)| {
                let (name, old) = (paint.name(name), paint.fit(old, 20));
                format!("{name} {old} → {}", paint.changed(paint.fit(new, 20)))
            })
            .collect();
        if more > 0 {
            list.push(format!("{more} more ('v' lists them)"));
        }
        format!("{} {}\n", paint.dim("changed"), list.join(", "))
    }

    /// Chooses a frame and shows it.
    fn choose_frame(&mut self, choice: FrameChoice, paint: &Paint) -> Said {
        let Some(Reply::Stack(stack)) = self.look(Look::Stack { agent: None }) else {
            return Err("there is no stack here".to_owned());
        };
        let last = stack.frames.iter().map(|f| f.number).max().unwrap_or(0);
        let wanted = match choice {
            FrameChoice::Number(number) => number,
            FrameChoice::Up(count) => self.frame.saturating_add(count),
            FrameChoice::Down(count) => self.frame.saturating_sub(count),
        };
        if wanted > last {
            let outermost = format!("the outermost is {last}");
            return Err(format!("there is no frame {wanted}: {outermost}"));
        }
        self.frame = wanted;
        let reply = json!({ "reply": "frame", "frame": wanted });
        Ok((render::stack(&stack, wanted, paint), reply))
    }

    /// Shows an expression at every stop from now on, or lists those that are.
    fn watch(&mut self, expression: Option<&str>, paint: &Paint) -> Said {
        if let Some(expression) = expression {
            self.watches
                .add(expression, &mut *self.session, self.frame)?;
        }
        let shown = self.watches.listed(expression);
        let text = match shown.is_empty() {
            true => "nothing is watched: 'watch EXPRESSION' shows one at every stop\n".to_string(),
            false => shown.iter().map(|one| one.text(paint)).collect(),
        };
        let watches: Vec<Value> = shown.iter().map(Watched::json).collect();
        Ok((text, json!({ "reply": "watches", "watches": watches })))
    }

    /// Functions with the files they are in.
    fn functions(&mut self) -> Vec<(String, Option<String>)> {
        let all = Look::Functions {
            containing: String::new(),
        };
        match self.look(all) {
            Some(Reply::Functions(listing)) => {
                let functions = listing.functions.into_iter();
                functions.map(|f| (f.name, f.file)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Lines with code of the file shown, and the first of every file.
    fn lines(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        let functions = self.functions().into_iter();
        let files = functions.filter_map(|(_, file)| file);
        let files: BTreeSet<String> = files.chain(self.session.here().file).collect();
        for file in files {
            let whole = Look::List {
                place: Some(CodePlace::Line {
                    file: Some(file.clone()),
                    line: 1,
                }),
                around: u32::MAX,
            };
            if let Some(Reply::Source(listing)) = self.look(whole) {
                let coded = listing.lines.iter().filter(|line| line.code);
                lines.extend(coded.map(|line| format!("{file}:{}", line.number)));
            }
        }
        lines
    }

    fn variables(&mut self) -> Vec<String> {
        let (agent, frame) = (None, self.frame);
        match self.look(Look::Variables { agent, frame }) {
            Some(Reply::Variables(listing)) => {
                let mut names = Vec::new();
                for variable in listing.locals.iter().chain(&listing.globals) {
                    let (name, children) = (&variable.name, variable.children.iter());
                    names.push(name.clone());
                    names.extend(children.map(|child| format!("{name}.{}", child.name)));
                }
                names
            }
            _ => Vec::new(),
        }
    }
}

impl Interpreter for SessionPrompt {
    type Request = Request;
    const COMMANDS: Table<Request> = COMMANDS;

    fn greeting(&mut self, paint: &Paint) -> String {
        let mut text = String::new();
        if let Some(Reply::Info(info)) = self.look(Look::Info) {
            text.push_str(&render::greeting(&info, paint));
        }
        let at = self.session.here();
        let reason = StopReason::Done;
        let here = Stop { reason, at };
        text.push_str(&self.stop(&here, paint));
        text.push_str("'help' lists the commands; c runs, s steps, S steps back, q quits\n");
        text
    }

    fn prompt(&self) -> String {
        format!("{}> ", self.session.here().universe)
    }

    fn leave_out_text(&mut self) {
        self.is_read = false;
    }

    fn execute(&mut self, line: &str, paint: &Paint, observer: Observer<'_>) -> Answer {
        let request = match table::read(COMMANDS, line) {
            Ok((_, request)) => request,
            Err(misread) => return Answer::misread(line, misread, paint),
        };
        let frame = self.frame;
        let command = match request {
            Request::Session(command) => command,
            Request::InFrame(FrameCommand::Print(expression)) => {
                Look::Print { expression, frame }.into()
            }
            Request::InFrame(FrameCommand::Variables(agent)) => {
                Look::Variables { agent, frame }.into()
            }
            Request::CompareHere(right) => Look::Compare {
                left: self.session.here().universe.to_string(),
                right,
            }
            .into(),
            Request::Frame(choice) => return Answer::of(self.choose_frame(choice, paint), paint),
            Request::Watch(expression) => {
                return Answer::of(self.watch(expression.as_deref(), paint), paint);
            }
            Request::Unwatch(expression) => {
                let removed = self.watches.remove(expression.as_deref());
                let said = removed.map(|text| (text, json!({ "reply": "done" })));
                return Answer::of(said, paint);
            }
            Request::Everywhere(everywhere) => return everywhere.answer(line, COMMANDS, paint),
        };
        self.carry_out(command, paint, observer)
    }

    fn candidates(&mut self, kind: Completes) -> Vec<String> {
        match kind {
            Completes::Function => self.functions().into_iter().map(|(name, _)| name).collect(),
            Completes::Agent => match self.look(Look::Agents) {
                Some(Reply::Agents { agents }) => agents.into_iter().map(|one| one.name).collect(),
                _ => Vec::new(),
            },
            Completes::Line => self.lines(),
            Completes::Variable => self.variables(),
            Completes::Primitive => self.primitives.clone(),
            Completes::Universe => {
                let mut names = vec!["start".to_string(), "tip".to_string(), "device".to_string()];
                if let Some(Reply::Notes { notes }) = self.look(Look::Notes) {
                    names.extend(notes.into_iter().filter_map(|note| note.name));
                }
                names
            }
            Completes::Breakpoint => match self.look(Look::Breakpoints) {
                Some(Reply::Breakpoints { breakpoints }) => {
                    breakpoints.iter().map(|b| b.id.to_string()).collect()
                }
                _ => Vec::new(),
            },
            Completes::Mock => match self.look(Look::Mocks) {
                Some(Reply::Mocks { mocks }) => mocks.into_iter().map(|m| m.call).collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}

impl Known {
    fn of(at: &PlaceView, variables: &VariableListing) -> Self {
        Self {
            function: at.function.clone(),
            locals: flat(&variables.locals),
            globals: flat(&variables.globals),
        }
    }
}

/// Values by name, fields as `a.b`.
fn flat(variables: &[Variable]) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    let mut rest: Vec<(String, &Variable)> =
        variables.iter().map(|v| (v.name.clone(), v)).collect();
    while let Some((name, variable)) = rest.pop() {
        for child in &variable.children {
            rest.push((format!("{name}.{}", child.name), child));
        }
        if variable.children.is_empty() {
            values.insert(name, variable.value.clone());
        }
    }
    values
}

/// Names with their old and new values, where both are known and differ.
fn differing(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Vec<(String, String, String)> {
    now.iter()
        .filter_map(|(name, new)| {
            let old = before.get(name).filter(|old| *old != new)?;
            Some((name.clone(), old.clone(), new.clone()))
        })
        .collect()
}
