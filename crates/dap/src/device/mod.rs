//! A program of a device or of WASI, as an editor sees it.

mod ahead;
mod breakpoints;
mod code;
mod motion;
mod own;
mod variables;

use std::collections::BTreeMap;
use std::path::Path;

use borges_commands::interpreter::{Answer as Said, Verdict};
use borges_session::command::UniverseId;
use borges_session::is_of_library;
use borges_session::listing::StackFrame;
use serde_json::json;

use crate::arrival::{self, Replied};
use crate::console::{self, Console, Line};
use crate::core::Core;
use crate::debuggee::{Asked, Debuggee};
use crate::handles::Handles;
use crate::protocol::answers::{self, Evaluated, Module, Thread};
use crate::protocol::arguments::{Completions, Evaluate, OfSource, StackTrace};
use crate::protocol::{Answer, Failure, Request, body};
use crate::sources::Sources;
use ahead::Target;
use breakpoints::Breakpoints;
pub(crate) use breakpoints::FILTERS;
use code::Code;
use motion::Motion;

/// The number of the thread: a device program has one.
const MAIN: i64 = 1;

/// A program of a device that is debugged.
pub(crate) struct Device {
    console: Console,
    sources: Sources,
    handles: Handles,
    breakpoints: Breakpoints,
    /// What is under way for this editor.
    motion: Option<Motion>,
    /// Where the editor was last told that the program stands; nothing while it runs.
    shown: Option<UniverseId>,
    /// Targets that were told, by their numbers less one.
    targets: Vec<Target>,
    code: Code,
    /// What a program of an operating system had written when it was last looked at: output and errors.
    written: [String; 2],
    /// What inputs were when the editor was last told.
    inputs: u64,
    /// Whether the program's file was told to have changed.
    file_changed: bool,
    /// Nothing stops the program, and its end is the session's.
    runs_through: bool,
    /// Whether the client has set what it wanted to before the start.
    begun: bool,
    /// Lines that the console has not answered yet: what they change is told after their answers.
    unanswered: usize,
}

impl Device {
    /// The program of the session that was joined.
    ///
    /// # Errors
    /// The session cannot be reached any more.
    pub(crate) fn new(
        core: &mut Core,
        source_map: BTreeMap<String, String>,
        runs_through: bool,
    ) -> Result<Self, String> {
        let info = core.parts.info.as_deref();
        let info = info.ok_or("no program is open there")?;
        let (here, program) = (info.here.clone(), info.program.clone());
        let primitives = console::primitives(&program);
        let is_painted = core.client.supports_ansi_styling;
        let post = core.post.clone();
        let way = core.way.as_deref_mut().ok_or("no session is joined")?;
        let console = Console::begin(way, here, primitives, is_painted, post)?;
        Ok(Self {
            console,
            sources: Sources::new(Path::new(&program), source_map),
            handles: Handles::default(),
            breakpoints: Breakpoints::default(),
            motion: None,
            shown: None,
            targets: Vec::new(),
            code: Code::default(),
            written: Default::default(),
            inputs: 0,
            file_changed: false,
            runs_through,
            begun: false,
            unanswered: 0,
        })
    }

    /// Whether the client has set what it wanted to before the start: before, it is told nothing.
    const fn has_begun(&self) -> bool {
        self.begun
    }

    fn threads(&self, core: &Core) -> Answer {
        let name = match (&core.parts.running, core.parts.info.as_deref()) {
            (Some(running), _) => format!("main: universe {}, running", running.universe),
            (None, Some(info)) => {
                let (at, steps) = (info.here.universe, info.here.steps);
                format!("main: universe {at}, step {steps}")
            }
            (None, None) => "main".to_owned(),
        };
        body(json!({ "threads": [Thread { id: MAIN, name }] }))
    }

    fn stack(&mut self, core: &Core, asked: StackTrace) -> Answer {
        if asked.thread_id != MAIN {
            return Err(Failure::new(format!(
                "there is no thread {}",
                asked.thread_id
            )));
        }
        let all = &core.parts.frames;
        if all.is_empty() {
            // Who has no frame can look at nothing: not even at globals, which outlive the program.
            let frame = answers::StackFrame {
                id: frame_id(0),
                name: self.after_the_end(core),
                line: 0,
                column: 0,
                source: None,
                instruction_pointer_reference: None,
                presentation_hint: Some("label"),
                can_restart: false,
            };
            return body(json!({ "stackFrames": [frame], "totalFrames": 1 }));
        }
        let from = asked.start_frame.unwrap_or(0) as usize;
        let levels = match asked.levels.unwrap_or(0) {
            0 => usize::MAX,
            levels => levels as usize,
        };
        let frames: Vec<_> = all
            .iter()
            .skip(from)
            .take(levels)
            .map(|frame| self.frame(core, frame))
            .collect();
        body(json!({ "stackFrames": frames, "totalFrames": all.len() }))
    }

    fn after_the_end(&self, core: &Core) -> String {
        let about = core.parts.agents.first().map(|agent| agent.about.as_str());
        match about.filter(|about| !about.is_empty()) {
            Some(about) => format!("the program has ended: {about}"),
            None => "the program has ended".to_owned(),
        }
    }

    fn frame(&mut self, core: &Core, frame: &StackFrame) -> answers::StackFrame {
        let file = frame.file.as_deref();
        let hint = file.is_some_and(is_of_library).then_some("subtle");
        let mut name = frame.function.clone();
        if frame.handler {
            name.push_str(" (interrupt)");
        }
        if frame.inlined {
            name.push_str(" (inlined)");
        }
        answers::StackFrame {
            id: frame_id(frame.number),
            name,
            line: frame.line.map_or(0, |line| core.line_out(line)),
            column: if frame.line.is_some() {
                core.first_column()
            } else {
                0
            },
            source: file.map(|file| self.sources.source(file)),
            instruction_pointer_reference: Some(code::reference(frame.offset)),
            presentation_hint: hint,
            can_restart: !frame.inlined,
        }
    }

    fn evaluate(&mut self, core: &mut Core, request: &Request) -> Asked {
        let asked: Evaluate = match request.arguments() {
            Ok(asked) => asked,
            Err(failure) => return Asked::Now(Err(failure)),
        };
        let frame = asked.frame_id.and_then(frame_number);
        if asked.context.as_deref() != Some("repl") {
            let frame = frame.unwrap_or_else(|| self.frame_shown(core));
            return Asked::Now(self.value(core, &asked.expression, frame));
        }
        let (request, line) = (request.clone(), asked.expression.trim().to_owned());
        if line.is_empty() {
            return Asked::Now(body(Evaluated::default()));
        }
        if self.motion.is_some() {
            core.output(
                "console",
                "the program runs: this waits until it stands still, or is paused",
            );
        }
        self.tell_console(Line::Execute {
            request,
            line,
            frame,
        })
    }

    /// Asks the console, which answers later.
    fn tell_console(&mut self, line: Line) -> Asked {
        self.unanswered += 1;
        self.console.hear(line);
        Asked::Later
    }

    fn complete(&mut self, core: &Core, request: &Request) -> Asked {
        let asked: Completions = match request.arguments() {
            Ok(asked) => asked,
            Err(failure) => return Asked::Now(Err(failure)),
        };
        let nth = asked.line.unwrap_or(0) - i64::from(core.client.lines_start_at_1);
        let nth = usize::try_from(nth).unwrap_or(0);
        let line = asked.text.lines().nth(nth).unwrap_or_default().to_owned();
        let column = asked.column - core.first_column();
        let at = console::byte_of(&line, column);
        let request = request.clone();
        self.tell_console(Line::Complete { request, line, at })
    }

    /// The frame that is shown first.
    fn frame_shown(&self, core: &Core) -> u32 {
        core.parts.info.as_deref().map_or(0, |info| info.here.frame)
    }

    fn loaded_sources(&mut self, core: &Core) -> Answer {
        let files = core.parts.program.files.iter();
        let sources: Vec<_> = files.map(|file| self.sources.source(file)).collect();
        body(json!({ "sources": sources }))
    }

    fn modules(&self, core: &Core) -> Answer {
        let modules: Vec<Module> = core
            .parts
            .info
            .iter()
            .map(|info| Module {
                id: info.program_hash.clone(),
                name: Path::new(&info.program).file_name().map_or_else(
                    || info.program.clone(),
                    |name| name.to_string_lossy().into_owned(),
                ),
                path: info.program.clone(),
                version: info.version.to_string(),
                symbol_status: match core.parts.program.files.is_empty() {
                    true => "no sources",
                    false => "sources found",
                },
            })
            .collect();
        body(json!({ "totalModules": modules.len(), "modules": modules }))
    }

    fn source(&mut self, core: &mut Core, asked: &OfSource) -> Answer {
        let number = asked
            .source
            .as_ref()
            .and_then(|source| source.source_reference);
        let number = number
            .filter(|number| *number > 0)
            .unwrap_or(asked.source_reference);
        let file = self.sources.file_numbered(number).map(str::to_owned);
        let files = core.parts.program.files.iter().map(String::as_str);
        let named = asked.source.as_ref();
        let file = file.or_else(|| self.sources.file(named?, files));
        let file = file.ok_or_else(|| Failure::new(format!("there is no source {number}")))?;
        let text = code::text_of(core, &file)?;
        body(json!({ "content": text }))
    }

    fn exception(&mut self, core: &Core, request: &Request) -> Asked {
        let is_trap = core
            .parts
            .agents
            .iter()
            .any(|agent| agent.state == borges_session::listing::AgentState::Trapped);
        if is_trap {
            return self.tell_console(Line::Execute {
                request: request.clone(),
                line: "why time=1".to_owned(),
                frame: None,
            });
        }
        let stop = core.parts.stop.as_deref();
        let text = stop.map(|stop| motion::words(&stop.reason));
        let description = text.unwrap_or_else(|| "nothing went wrong here".to_owned());
        Asked::Now(body(json!({
            "exceptionId": "stop",
            "description": description,
            "breakMode": "always",
        })))
    }

    /// Why the program trapped: which trap, and which choice made it inevitable.
    fn trap(&self, core: &Core, said: &Said) -> Answer {
        let about = core
            .parts
            .agents
            .first()
            .map_or("", |agent| agent.about.as_str());
        let why = match said.verdict {
            Verdict::Failed => "",
            _ => said.text.trim_end(),
        };
        let stack = core.parts.frames.iter();
        let stack: Vec<String> = stack.map(code::frame_line).collect();
        answers::exception("trap", format!("{about}\n{why}").trim(), about, &stack)
    }
}

impl Debuggee for Device {
    fn request(&mut self, core: &mut Core, request: &Request) -> Option<Asked> {
        let answer = match request.command.as_str() {
            "threads" => self.threads(core),
            "stackTrace" => request
                .arguments()
                .and_then(|asked| self.stack(core, asked)),
            "scopes" => request
                .arguments()
                .and_then(|asked| self.scopes(core, asked)),
            "variables" => request
                .arguments()
                .and_then(|asked| self.variables(core, &asked)),
            "setVariable" => request
                .arguments()
                .and_then(|asked| self.set_variable(core, &asked)),
            "evaluate" => return Some(self.evaluate(core, request)),
            "completions" => return Some(self.complete(core, request)),
            "exceptionInfo" => return Some(self.exception(core, request)),
            "loadedSources" => self.loaded_sources(core),
            "modules" => self.modules(core),
            "source" => request
                .arguments()
                .and_then(|asked| self.source(core, &asked)),
            "breakpointLocations" => request
                .arguments()
                .and_then(|asked| self.locations(core, &asked)),
            "disassemble" => request
                .arguments()
                .and_then(|asked| self.disassemble(core, &asked)),
            "readMemory" => request
                .arguments()
                .and_then(|asked| self.read_memory(core, &asked)),
            "gotoTargets" => request
                .arguments()
                .and_then(|asked| self.goto_targets(core, &asked)),
            "goto" => request.arguments().and_then(|asked| self.goto(core, asked)),
            "stepInTargets" => self.step_in_targets(core),
            command => {
                let asked = self.breakpoint_request(core, command, request);
                let asked = asked.or_else(|| self.motion_request(core, command, request));
                return asked.or_else(|| self.own_request(core, command, request));
            }
        };
        Some(Asked::Now(answer))
    }

    fn replied(&mut self, core: &mut Core, id: u32, reply: Replied) {
        if self.motion.as_ref().is_some_and(|motion| motion.id == id) {
            self.motion_replied(core, reply);
        }
    }

    fn said(&mut self, core: &mut Core, said: arrival::Said) {
        let (request, answer) = match said {
            arrival::Said::Completed {
                request,
                line,
                at,
                completion,
            } => {
                let items = console::items(&line, at, &completion, core.first_column());
                (request, body(json!({ "targets": items })))
            }
            arrival::Said::Executed { request, answer } => {
                let answer = match request.command.as_str() {
                    "exceptionInfo" => self.trap(core, &answer),
                    "borges/command" => own::record(&answer),
                    _ => console::told(&answer),
                };
                (request, answer)
            }
        };
        self.unanswered = self.unanswered.saturating_sub(1);
        core.finish(&request, Some(answer));
    }

    fn notice(&mut self, core: &mut Core) {
        self.notice_motion(core);
        self.notice_breakpoints(core);
        self.notice_others(core);
    }

    fn begin(&mut self, core: &mut Core, stop_on_entry: bool, is_joined: bool) {
        self.begin_motion(core, stop_on_entry, is_joined);
    }

    fn restart(&mut self, core: &mut Core, stop_on_entry: bool) -> Answer {
        self.restart_motion(core, stop_on_entry)
    }
}

/// The number of a frame for the client.
fn frame_id(number: u32) -> i64 {
    i64::from(number) + 1
}

/// The frame with a client's number.
fn frame_number(id: i64) -> Option<u32> {
    u32::try_from(id.checked_sub(1)?).ok()
}
