//! The loop: takes lines from the editor, a script or the command line and has them carried out.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::rc::Rc;

use borges_commands::cursor::commands_of;
use borges_commands::device::render;
use borges_commands::interpreter::{Interpreter, Verdict};
use borges_session::command::Flow;
use serde_json::Value;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::{self, Pausable};
use crate::output::Output;

use super::editor::{Editor, Typed};

/// Where commands come from.
pub(crate) enum Commands {
    /// A person.
    Prompt,
    /// Text.
    Script(String),
}

impl Commands {
    /// As the command line says; standard input that is no terminal is a script.
    ///
    /// # Errors
    /// A script that cannot be read.
    pub(crate) fn of(options: &args::Repl) -> Result<Self, Failure> {
        if !options.execute.is_empty() {
            return Ok(Self::Script(options.execute.join("\n")));
        }
        match &options.script {
            Some(path) if path != Path::new("-") => {
                let what = format!("the script {}", path.display());
                readable(&what, std::fs::read_to_string(path))
            }
            None if io::stdin().is_terminal() => Ok(Self::Prompt),
            _ => {
                let what = "the commands on standard input";
                readable(what, io::read_to_string(io::stdin()))
            }
        }
    }
}

fn readable(what: &str, text: io::Result<String>) -> Result<Commands, Failure> {
    let unread = |error| Failure::input(format!("{what} cannot be read: {error}"), "");
    text.map(Commands::Script).map_err(unread)
}

/// Carries out commands until there are no more.
///
/// # Errors
/// If writing failed.
pub(crate) fn run<I: Interpreter + 'static>(
    mut interpreter: I,
    commands: Commands,
    keep_going: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if output.json {
        interpreter.leave_out_text();
    }
    match commands {
        Commands::Prompt => interactive(interpreter, output),
        Commands::Script(text) => scripted(interpreter, &text, keep_going, output),
    }
}

/// Has a line carried out and writes what comes of it: the one place of prompts and scripts where answers are written,
/// progress is shown and Ctrl-C is heard.
fn carry_out(
    interpreter: &mut impl Interpreter,
    line: &str,
    output: &mut Output,
) -> Result<Verdict, Failure> {
    let (paint, mut progress) = (output.paint, output.progress());
    let (mut events, mut broken) = (Vec::new(), None);
    let pausable = Pausable::begin();
    let mut answer = interpreter.execute(line, &paint, &mut |event| {
        if progress.hear(&event) {
            // That is all that there is to say.
        } else if output.json {
            // Events always have a JSON form: their maps have text keys.
            events.push(serde_json::to_value(&event).unwrap_or(Value::Null));
        } else {
            progress.clear();
            broken = output
                .text(&render::event(&event, &paint))
                .err()
                .or(broken.take());
        }
        match broken {
            Some(_) => Flow::Pause,
            None => interrupt::flow(),
        }
    });
    drop(pausable);
    progress.clear();
    if let Some(failure) = broken {
        return Err(failure);
    }
    if output.json {
        events.append(&mut answer.events);
        answer.events = events;
        output.json(&answer.record(line))?;
    } else {
        output.text(&answer.text)?;
    }
    Ok(answer.verdict)
}

fn scripted(
    mut interpreter: impl Interpreter,
    text: &str,
    keep_going: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    for line in text.lines() {
        for command in commands_of(line) {
            // Ctrl-C is meant for the script: what it was doing has said what it has.
            if interrupt::take() {
                return Ok(Exit::Interrupted);
            }
            if !output.json {
                let echo = output.paint.typed(format!("> {command}"));
                output.text(&format!("{echo}\n"))?;
            }
            match carry_out(&mut interpreter, command, output)? {
                Verdict::Done => {}
                Verdict::Quit => return Ok(exit),
                Verdict::Failed if interrupt::take() => return Ok(Exit::Interrupted),
                Verdict::Failed => {
                    exit = Exit::Failed;
                    if !keep_going {
                        return Ok(exit);
                    }
                }
            }
        }
    }
    match interrupt::take() {
        true => Ok(Exit::Interrupted),
        false => Ok(exit),
    }
}

fn interactive<I: Interpreter + 'static>(
    interpreter: I,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let interpreter = Rc::new(RefCell::new(interpreter));
    let mut editor = Editor::new(Rc::clone(&interpreter), output.paint)?;
    if !output.json {
        let paint = output.paint;
        let greeting = interpreter.borrow_mut().greeting(&paint);
        output.text(&greeting)?;
    }
    let mut last = String::new();
    let mut interrupted = false;
    loop {
        let prompt = interpreter.borrow().prompt();
        interrupt::prompting();
        let line = match editor.line(&prompt)? {
            Typed::Line(line) => line,
            Typed::End => return Ok(Exit::Ok),
            Typed::Interrupted if interrupted => return Ok(Exit::Interrupted),
            Typed::Interrupted => {
                interrupted = true;
                if !output.json {
                    output.text("Ctrl-C again, Ctrl-D or 'quit' leaves\n")?;
                }
                continue;
            }
        };
        interrupted = false;
        let line = if line.trim().is_empty() && interpreter.borrow().repeats(&last) {
            last.clone()
        } else {
            line
        };
        for command in commands_of(&line) {
            last = command.to_string();
            let verdict = carry_out(&mut *interpreter.borrow_mut(), command, output)?;
            let paused = interrupt::take();
            match verdict {
                Verdict::Quit => return Ok(Exit::Ok),
                // The rest of the line is not wanted any more.
                _ if paused => break,
                Verdict::Done => {}
                Verdict::Failed => break,
            }
        }
    }
}
