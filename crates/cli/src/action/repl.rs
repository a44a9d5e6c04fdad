//! `borges repl`: a session or a walk, at the prompt or with a script.

use std::path::{Path, PathBuf};

use borges_commands::device::SessionPrompt;
use borges_commands::model::caredeb::CareDebPrompt;
use borges_commands::model::voyager::VoyagerPrompt;
use borges_commands::model::walk::WalkPrompt;
use borges_languages::ambienttalk::{Delivery, Grain};
use borges_languages::model::{Explore, Model, Prompt};
use borges_languages::predicate::Named;
use borges_multiverse::adapt::Stepping;
use borges_session::model::ModelSession;
use borges_session::{Observer, Options, Session};

use crate::action::target::Target;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::repl::backend::Shared;
use crate::repl::driver::{self, Commands};

/// Debugs a program.
pub(crate) fn repl(options: &args::Repl, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(url) = &options.attach {
        let prompt = SessionPrompt::new(Box::new(attach(url)?), Vec::new());
        return driver::run(prompt, Commands::of(options)?, options.keep_going, output);
    }
    let file = Path::new(&options.program);
    if let Some(kept) = super::model::kept(file)? {
        let opened = Opened {
            model: kept.model,
            name: kept.name,
            session: Some(file.to_owned()),
            grain: Some(kept.options.grain),
            delivery: kept.options.delivery,
        };
        return of_model(&opened, options, output);
    }
    if let Some(model) = super::model::named(&options.program)? {
        let opened = Opened {
            model,
            name: options.program.trim().to_string(),
            session: options.opening.session.clone(),
            grain: options.steps.grain,
            delivery: options.steps.delivery,
        };
        return of_model(&opened, options, output);
    }
    let opening = &options.opening;
    let session = super::record::opening(output, |observer| opening.open(file, observer))?;
    super::record::warn_of_damage(&session, output);
    let primitives = session.imports();
    let commands = Commands::of(options)?;
    let prompt = SessionPrompt::new(Box::new(session), primitives);
    driver::run(prompt, commands, options.keep_going, output)
}

/// A program of a model language that is debugged.
struct Opened {
    model: Model,
    name: String,
    /// Where its graph is kept.
    session: Option<PathBuf>,
    grain: Option<Grain>,
    delivery: Delivery,
}

impl Opened {
    /// How it is explored.
    fn explore(&self, options: &args::Repl, usual: Grain) -> Explore {
        Explore {
            grain: self.grain.unwrap_or(usual),
            delivery: self.delivery,
            debugger: options.debugger,
            states: options.states.unwrap_or(Explore::default().states),
            ..Explore::default()
        }
    }

    /// What answers questions about all states.
    fn asked(&self, options: &args::Repl, usual: Grain) -> ModelSession {
        let explore = self.explore(options, usual);
        let (name, file) = (self.name.clone(), self.session.clone());
        ModelSession::new(name, self.model.clone(), explore, file)
    }
}

/// Debugs a program of a model language.
fn of_model(opened: &Opened, options: &args::Repl, output: &mut Output) -> Result<Exit, Failure> {
    let model = &opened.model;
    let prompt = match options.walk || options.debugger {
        true => Prompt::Walk,
        false => model.program().prompt(),
    };
    match prompt {
        Prompt::CareDeb => match CareDebPrompt::new(opened.asked(options, Grain::Rule)) {
            Some(prompt) => driver::run(prompt, Commands::of(options)?, options.keep_going, output),
            None => walk(opened, options, output),
        },
        Prompt::Universes => {
            let prompt = VoyagerPrompt::new(opened.asked(options, Grain::Visible));
            driver::run(prompt, Commands::of(options)?, options.keep_going, output)
        }
        Prompt::Walk => walk(opened, options, output),
    }
}

/// A connection to the session of a page.
///
/// # Errors
/// Nobody answers at that address.
pub(crate) fn attach(url: &str) -> Result<Shared, Failure> {
    let next = "'borges debug' prints the address of its page";
    Shared::attach(url).map_err(|error| Failure::new(Exit::Device, error, next))
}

impl args::Opening {
    /// A new session, or one that is in a file already.
    pub(super) fn open(&self, path: &Path, observer: Observer<'_>) -> Result<Session, Failure> {
        if !path.exists() {
            return Err(Failure::input(
                format!("there is no file {}", path.display()),
                "give a WebAssembly module, a session file, a source of a model language, or a λ_amb expression in parentheses",
            ));
        }
        let target = Target::of(&self.target)?;
        let kept = if super::is_session(path) {
            Some(super::record::resume_with(path, observer)?)
        } else {
            let file = self.session.as_deref().filter(|file| file.exists());
            file.map(|file| go_on(file, path, observer)).transpose()?
        };
        if let Some(session) = kept {
            return Ok(target.on(session));
        }
        let session = Options {
            session_file: self.session.clone(),
            ..target.options(path, &self.start, &self.system)?
        };
        Session::open(session).map_err(|error| super::unopened(&error))
    }
}

/// Goes on with the session in `file`, which must be one of `program`.
pub(super) fn go_on(
    file: &Path,
    program: &Path,
    observer: Observer<'_>,
) -> Result<Session, Failure> {
    let session = super::record::resume_with(file, observer)?;
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

/// A walk through a program of a model language, under the stepping debugger if that was asked for.
fn walk(opened: &Opened, options: &args::Repl, output: &mut Output) -> Result<Exit, Failure> {
    let explore = opened.explore(options, Grain::Rule);
    let steps = opened.model.program().steps(&explore);
    match options.debugger {
        true => walk_in(Stepping(steps), opened, options, output),
        false => walk_in(steps, opened, options, output),
    }
}

fn walk_in<L: Named + 'static>(
    language: L,
    opened: &Opened,
    options: &args::Repl,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let commands = Commands::of(options)?;
    let (text, name) = (opened.model.text().to_string(), opened.name.clone());
    let asked = opened.asked(options, Grain::Rule);
    let walk = WalkPrompt::new(language, text, name, asked);
    driver::run(walk, commands, options.keep_going, output)
}
