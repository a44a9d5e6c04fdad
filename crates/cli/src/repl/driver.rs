//! The loop: takes lines from the editor, a script or the command line and has them carried out.

use std::cell::RefCell;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::Path;
use std::rc::Rc;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt;
use crate::output::Output;
use borges_commands::paint::Role;

use super::editor::{Editor, Typed};
use super::interpreter::{Interpreter, Verdict};
use borges_commands::cursor::commands_of;

/// Where commands come from.
pub enum Commands {
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
    pub fn of(options: &args::Repl) -> Result<Self, Failure> {
        if !options.execute.is_empty() {
            return Ok(Self::Script(options.execute.join("\n")));
        }
        match &options.script {
            Some(path) if path != Path::new("-") => match std::fs::read_to_string(path) {
                Ok(text) => Ok(Self::Script(text)),
                Err(error) => Err(Failure::input(
                    format!("the script {} cannot be read: {error}", path.display()),
                    "",
                )),
            },
            None if io::stdin().is_terminal() => Ok(Self::Prompt),
            _ => Ok(Self::Script(standard_input()?)),
        }
    }
}

fn standard_input() -> Result<String, Failure> {
    let mut text = String::new();
    for line in io::stdin().lock().lines() {
        match line {
            Ok(line) => {
                text.push_str(&line);
                text.push('\n');
            }
            Err(error) => {
                return Err(Failure::input(
                    format!("the commands on standard input cannot be read: {error}"),
                    "",
                ));
            }
        }
    }
    Ok(text)
}

/// Carries out commands until there are no more.
///
/// # Errors
/// If writing failed.
pub fn run<I: Interpreter + 'static>(
    interpreter: I,
    commands: Commands,
    keep_going: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match commands {
        Commands::Prompt => interactive(interpreter, output),
        Commands::Script(text) => scripted(interpreter, &text, keep_going, output),
    }
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
                let echo = output.paint.paint(Role::Typed, format!("> {command}"));
                output.text(&format!("{echo}\n"))?;
            }
            match interpreter.execute(command, output)? {
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
            let verdict = interpreter.borrow_mut().execute(command, output)?;
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
