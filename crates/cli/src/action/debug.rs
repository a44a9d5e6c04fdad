//! `borges debug`: a server, its page, and a prompt at the same session.

use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::SystemTime;

use borges_commands::device::SessionPrompt;
use borges_hub::protocol::{ShelfEntry, ShelfListing, TourListing};
use borges_hub::{Hub, Opened, Shelf};
use borges_languages::model::{Explore, Model};
use borges_session::model::ModelSession;
use borges_session::{Act, Observer, Options, Session};
use borges_web::{Config, Server};
use std::io::IsTerminal as _;

use crate::action::examples::{self, Finds};
use crate::action::target::Target;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::repl::driver::{self, Commands};

/// Sessions kept without being asked for.
const KEPT: usize = 24;

/// Serves the page.
pub(crate) fn debug(options: &args::Debug, output: &mut Output) -> Result<Exit, Failure> {
    let program = options
        .program
        .as_ref()
        .map(|path| path.display().to_string());
    if let Some(path) = options.program.as_deref().filter(|path| !path.exists()) {
        return Err(Failure::input(
            format!("there is no file {}", path.display()),
            "give a WebAssembly module or a session file, or nothing to choose on the page",
        ));
    }
    // What is wrong with its text is told with the place, before anything is started.
    let model = program.as_deref().map(super::model::named).transpose()?;
    let model = model.flatten();
    let is_model = model.is_some();
    let target = Target::of(&options.target)?;
    let shelf = Library::new(options.clone(), target, model);
    let (hub, owner) = Hub::start(Box::new(shelf), program).map_err(|e| Failure::input(e, ""))?;
    let config = Config {
        port: options.port.unwrap_or(0),
        token: std::env::var("BORGES_TOKEN").ok(),
    };
    let server = Server::bind(hub.clone(), &config);
    let server = server.map_err(|e| Failure::new(Exit::Device, e, "try another --port"))?;
    let url = server.url();
    let page = match &options.at {
        Some(moment) => format!("{url}#{moment}"),
        None => url.clone(),
    };
    announce(&page, options, output)?;
    let wanted = options.program.is_some() && !is_model && !options.no_prompt;
    let prompt = wanted && std::io::stdin().is_terminal();
    if !prompt {
        let served = server.run();
        hub.stop();
        let _ended = owner.join();
        return served
            .map(|()| Exit::Ok)
            .map_err(|e| Failure::new(Exit::Device, e, ""));
    }
    let serving = std::thread::Builder::new().name("server".to_owned());
    serving
        .spawn(move || server.run())
        .map_err(|e| Failure::new(Exit::Device, e, ""))?;
    let prompt = SessionPrompt::new(Box::new(super::repl::attach(&url)?), Vec::new());
    let exit = driver::run(prompt, Commands::Prompt, false, output);
    hub.stop();
    // The thread writes what it has to the session file before it ends.
    let _ended = owner.join();
    exit
}

/// Says where the page is, and opens it.
fn announce(page: &str, options: &args::Debug, output: &mut Output) -> Result<(), Failure> {
    let data = serde_json::json!({ "ok": true, "url": page });
    output.say(&data, |paint| {
        format!("the page is at {}\n", paint.name(page))
    })?;
    if !options.no_browser && !open_browser(page) {
        super::tell("no browser could be started: open the address yourself\n");
    }
    Ok(())
}

/// Opens an address in the user's browser; whether one was started.
fn open_browser(url: &str) -> bool {
    let openers: &[(&str, &[&str])] = if cfg!(target_os = "macos") {
        &[("open", &[])]
    } else if cfg!(windows) {
        &[("rundll32", &["url.dll,FileProtocolHandler"])]
    } else {
        if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
            return false;
        }
        &[("xdg-open", &[]), ("x-www-browser", &[])]
    };
    openers.iter().any(|(program, arguments)| {
        Process::new(program)
            .args(*arguments)
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .is_ok()
    })
}

/// Programs and sessions that the page offers.
pub(crate) struct Library {
    options: args::Debug,
    target: Target,
    /// Sessions without a name of their own live here.
    folder: Option<PathBuf>,
    /// The first program opened is the one of the command line, with its session file.
    first: bool,
    /// The same program as it was read, if it is of a model language.
    model: Option<Model>,
}

impl Library {
    pub(crate) fn new(options: args::Debug, target: Target, model: Option<Model>) -> Self {
        Self {
            options,
            target,
            folder: state_folder(),
            first: true,
            model,
        }
    }

    /// A session file that does not exist yet, for a program.
    fn fresh_file(&self, program: &Path) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        std::fs::create_dir_all(folder).ok()?;
        self.forget_oldest();
        let stem = program.file_stem()?.to_string_lossy().into_owned();
        let seconds = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        (0..1000)
            .map(|n| folder.join(format!("{stem}-{seconds}-{n}.borges")))
            .find(|path| !path.exists())
    }

    /// Makes room: only files that this command made are in the folder.
    fn forget_oldest(&self) {
        for (path, _) in self.kept().into_iter().skip(KEPT - 1) {
            for suffix in ["", "-wal", "-shm"] {
                let mut name = path.clone().into_os_string();
                name.push(suffix);
                let _gone = std::fs::remove_file(name);
            }
        }
    }

    /// Kept sessions, the latest first.
    fn kept(&self) -> Vec<(PathBuf, SystemTime)> {
        let entries = self.folder.as_ref().and_then(|f| std::fs::read_dir(f).ok());
        let mut files: Vec<(PathBuf, SystemTime)> = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let ours = path.extension().is_some_and(|e| e == "borges");
                let modified = std::fs::metadata(&path).ok()?.modified().ok()?;
                ours.then_some((path, modified))
            })
            .collect();
        files.sort_by_key(|(_, modified)| std::cmp::Reverse(*modified));
        files
    }

    /// Whether this is the program of the command line, which is opened first, in the session file that was named.
    fn is_first(&mut self, program: &Path) -> bool {
        std::mem::take(&mut self.first) && self.options.program.as_deref() == Some(program)
    }

    fn model(&mut self, program: &Path, model: Model) -> ModelSession {
        let first = self.is_first(program);
        let options = &self.options;
        let explore = Explore {
            grain: options.steps.grain.unwrap_or_default(),
            delivery: options.steps.delivery,
            states: options.states.unwrap_or(Explore::default().states),
            ..Explore::default()
        };
        let file = options.session.clone().filter(|_| first);
        ModelSession::new(program.display().to_string(), model, explore, file)
    }

    fn create(&mut self, program: &Path, observer: Observer<'_>) -> Result<Session, String> {
        let first = self.is_first(program);
        let Finds { start, system } = match first {
            true => Finds {
                start: self.options.start.clone(),
                system: self.options.system.clone(),
            },
            false => examples::finds(program),
        };
        let named = self.options.session.clone().filter(|_| first);
        if let Some(file) = named.as_deref().filter(|file| file.exists()) {
            let kept = super::repl::go_on(file, program, observer);
            let kept = kept.map(|session| self.target.on(session));
            return kept.map_err(in_words);
        }
        let options = self.target.options(program, &start, &system);
        let options = Options {
            session_file: named.or_else(|| self.fresh_file(program)),
            ..options.map_err(in_words)?
        };
        Session::open(options).map_err(|error| error.to_string())
    }
}

/// A failure for the page, which has no line for what to do next.
pub(crate) fn in_words(failure: Failure) -> String {
    match failure {
        Failure::Told { message, .. } => message,
        Failure::Output(error) => error.to_string(),
    }
}

impl Shelf for Library {
    fn listing(&mut self) -> ShelfListing {
        let recent = self.kept().into_iter().take(KEPT).map(|(path, modified)| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            // NAME-SECONDS-N
            let name = name.rsplitn(3, '-').last().unwrap_or_default().to_owned();
            let seconds = modified.elapsed().map_or(0, |since| since.as_secs());
            ShelfEntry {
                name,
                path: path.display().to_string(),
                about: ago(seconds),
                language: None,
                picture: None,
            }
        });
        ShelfListing {
            examples: examples::list(),
            recent: recent.collect(),
        }
    }

    fn tour(&mut self, program: &str) -> Option<TourListing> {
        examples::tour(Path::new(program))
    }

    fn open(&mut self, path: &str, observer: Observer<'_>) -> Result<Opened, String> {
        let model = match self.model.take() {
            None => super::model::named(path).map_err(in_words)?,
            read => read,
        };
        let path = Path::new(path);
        if let Some(model) = model {
            return Ok(Opened::Model(Box::new(self.model(path, model))));
        }
        let mut session = if super::is_session(path) {
            Session::resume_observed(path, observer).map_err(|error| error.to_string())?
        } else {
            self.create(path, observer)?
        };
        if let Some(target) = self.options.at.take() {
            session
                .execute(Act::Jump { target }, observer)
                .map_err(|error| error.to_string())?;
        }
        Ok(Opened::Device(Box::new(session)))
    }
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// Where sessions without a name are kept; nothing on a machine without a home.
fn state_folder() -> Option<PathBuf> {
    let folder = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let state = folder("XDG_STATE_HOME")
        .or_else(|| Some(folder("HOME")?.join(".local/state")))
        .or_else(|| folder("LOCALAPPDATA"))?;
    Some(state.join("borges/sessions"))
}
