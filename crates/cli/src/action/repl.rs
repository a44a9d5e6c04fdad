//! `borges repl`: a session or a walk, at the prompt or with a script.

use std::path::Path;

use borges_languages::ambienttalk;
use borges_languages::model::{Explore, Model, Program};
use borges_multiverse::adapt::{Runs, Stepping};
use borges_multiverse::language::Language;
use borges_session::model::ModelSession;
use borges_session::{Options, Session, contents};

use crate::action::target::Target;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::repl::backend::Backend;
use crate::repl::driver::{self, Commands};
use crate::repl::session::SessionRepl;
use crate::voyager::VoyagerRepl;
use crate::walk::WalkRepl;

/// Debugs a program.
///
/// # Errors
/// What the user is told.
pub fn repl(options: &args::Repl, quiet: bool, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(url) = &options.attach {
        let repl = SessionRepl::new(attach(url)?, Vec::new(), quiet);
        return driver::run(repl, Commands::of(options)?, options.keep_going, output);
    }
    if let Some(model) = super::model::named(&options.program)? {
        return match model.program() {
            Program::MuOz(program) if !options.walk && !options.debugger => {
                crate::caredeb::repl(program.clone(), model.text(), options, output)
            }
            Program::AmbientTalk(_) if !options.walk && !options.debugger => {
                let repl = VoyagerRepl::new(asked(&model, options), quiet);
                driver::run(repl, Commands::of(options)?, options.keep_going, output)
            }
            _ => walk(&model, options, quiet, output),
        };
    }
    let path = Path::new(&options.program);
    let session = open(path, options)?;
    let primitives = contents::of_program(session.program_path(), options.start.board.as_deref())
        .map(|contents| {
            contents
                .imports
                .into_iter()
                .map(|import| import.name)
                .collect()
        })
        .unwrap_or_default();
    let commands = Commands::of(options)?;
    let repl = SessionRepl::new(Backend::Own(Box::new(session)), primitives, quiet);
    driver::run(repl, commands, options.keep_going, output)
}

/// A connection to the session of a page.
///
/// # Errors
/// Nobody answers at that address.
pub fn attach(url: &str) -> Result<Backend, Failure> {
    Backend::attach(url).map_err(|error| {
        Failure::new(
            Exit::Device,
            error,
            "'borges debug' prints the address of its page",
        )
    })
}

/// A new session, or one that is in a file already.
fn open(path: &Path, options: &args::Repl) -> Result<Session, Failure> {
    if !path.exists() {
        return Err(Failure::input(
            format!("there is no file {}", path.display()),
            "give a WebAssembly module, a session file, a source of a model language, or a λ_amb expression in parentheses",
        ));
    }
    let target = Target::of(&options.target)?;
    let kept = if super::is_session(path) {
        Some(super::record::resume(path)?)
    } else {
        let file = options.session.as_deref().filter(|file| file.exists());
        file.map(|file| go_on(file, path)).transpose()?
    };
    if let Some(session) = kept {
        return Ok(target.on(session));
    }
    let session = Options {
        board: options.start.board.clone(),
        entry: options.start.entry.clone(),
        session_file: options.session.clone(),
        seed: options.start.seed,
        ..target.options(path)
    };
    Session::open(session).map_err(|error| super::unopened(&error))
}

/// Goes on with the session in `file`, which must be one of `program`.
pub(super) fn go_on(file: &Path, program: &Path) -> Result<Session, Failure> {
    let session = super::record::resume(file)?;
    let kept = session.program_path();
    let same = match (kept.canonicalize(), program.canonicalize()) {
        (Ok(kept), Ok(program)) => kept == program,
        _ => kept == program,
    };
    if same {
        return Ok(session);
    }
    Err(Failure::usage(
        format!("{} keeps a session with {}", file.display(), kept.display()),
        "give another file to --session, or leave the program out: borges repl FILE",
    ))
}

/// The longest deterministic run that is one visible step.
const RUN: u64 = 100_000;

/// A walk through a program of a model language, in steps as asked for.
fn walk(
    model: &Model,
    options: &args::Repl,
    quiet: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let steps = options.steps;
    let visible = steps.grain == args::Grain::Visible;
    match model.program().clone() {
        Program::Amb(program) if visible => {
            enter(Runs::new(program, RUN), model, options, quiet, output)
        }
        Program::Amb(program) => enter(program, model, options, quiet, output),
        Program::MuOz(program) if visible => {
            enter(Runs::new(program, RUN), model, options, quiet, output)
        }
        Program::MuOz(program) => enter(program, model, options, quiet, output),
        Program::AmbientTalk(program) => {
            let program = program.with(ambienttalk::Options {
                grain: steps.grain.into(),
                delivery: steps.delivery.into(),
                numbered: false,
            });
            enter(program, model, options, quiet, output)
        }
    }
}

/// A walk, under the stepping debugger if that was asked for.
fn enter<L: Language + 'static>(
    language: L,
    model: &Model,
    options: &args::Repl,
    quiet: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if options.debugger {
        walk_in(Stepping(language), model, options, quiet, output)
    } else {
        walk_in(language, model, options, quiet, output)
    }
}

fn walk_in<L: Language + 'static>(
    language: L,
    model: &Model,
    options: &args::Repl,
    quiet: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let commands = Commands::of(options)?;
    let (text, name) = (model.text().to_string(), options.program.trim().to_string());
    let walk = WalkRepl::new(language, text, name, asked(model, options), quiet);
    driver::run(walk, commands, options.keep_going, output)
}

/// What answers questions about all states of a program; its graph goes to the session file, if there is one.
fn asked(model: &Model, options: &args::Repl) -> ModelSession {
    let explore = Explore {
        grain: options.steps.grain.into(),
        delivery: options.steps.delivery.into(),
        debugger: options.debugger,
        states: options.states.unwrap_or(Explore::default().states),
        ..Explore::default()
    };
    let name = options.program.trim().to_string();
    ModelSession::new(name, model.clone(), explore, options.session.clone())
}
