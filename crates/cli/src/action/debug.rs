//! `borges debug`: a server, its page, and a prompt at the same session.

use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::SystemTime;

use borges_commands::device::SessionPrompt;
use borges_hub::protocol::{ShelfEntry, ShelfListing};
use borges_hub::{Hub, Opened, Shelf};
use borges_languages::model::{Explore, Model};
use borges_session::model::ModelSession;
use borges_session::{Act, Observer, Options, Session};
use borges_web::{Config, Server};
use std::io::IsTerminal as _;

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
        let (start, system) = match first {
            true => (self.options.start.clone(), self.options.system.clone()),
            false => Default::default(),
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
            examples: examples(),
            recent: recent.collect(),
        }
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

/// The example programs of the repository that this command was built in or is run from.
fn examples() -> Vec<ShelfEntry> {
    let near = std::env::current_exe().ok();
    let mut roots: Vec<PathBuf> = vec![PathBuf::from(".")];
    roots.extend(
        near.iter()
            .flat_map(|exe| exe.ancestors().skip(1).map(Path::to_owned)),
    );
    let folder = roots
        .into_iter()
        .map(|root| root.join("examples"))
        .find(|folder| folder.join("README.md").is_file());
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let mut list: Vec<ShelfEntry> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let folder = entry.ok()?.path();
            let name = folder.file_name()?.to_string_lossy().into_owned();
            let about = std::fs::read_to_string(folder.join("README.md")).ok()?;
            let program = main_program(&folder, &name)?;
            let (language, picture) = looks(&folder, &program);
            Some(ShelfEntry {
                about: first_sentence(&about),
                path: program.display().to_string(),
                name,
                language: language.map(str::to_owned),
                picture: Some(picture.to_owned()),
            })
        })
        .collect();
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list
}

/// The program that an example is about: the module of its name, a network, or else the first program of a model language.
fn main_program(folder: &Path, name: &str) -> Option<PathBuf> {
    let module = folder.join(name).with_extension("wasm");
    let mut whole = [module, folder.join("network.toml")].into_iter();
    if let Some(program) = whole.find(|path| path.is_file()) {
        return Some(program);
    }
    let files = std::fs::read_dir(folder).ok()?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let is_model = |path: &PathBuf| {
        let extension = path.extension().unwrap_or_default();
        ["amb", "at", "oz"].iter().any(|known| extension == *known)
    };
    let is_main = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == name);
    files
        .filter(is_model)
        .min_by_key(|path| (!is_main(path), path.clone()))
}

/// The language of an example, and what a picture of it would show.
fn looks(folder: &Path, program: &Path) -> (Option<&'static str>, &'static str) {
    match program.extension().and_then(|extension| extension.to_str()) {
        Some("amb") => return (Some("λ_amb"), "choices"),
        Some("at") => return (Some("AmbientTalk"), "actors"),
        Some("oz") => return (Some("μOz"), "threads"),
        _ => {}
    }
    let languages = [("ts", "AssemblyScript"), ("c", "C"), ("rs", "Rust")];
    let source = |(extension, language): (&str, &'static str)| {
        let text = std::fs::read_to_string(program.with_extension(extension)).ok()?;
        Some((language, text))
    };
    let found = languages.into_iter().find_map(source);
    let (language, text) = match &found {
        Some((language, text)) => (Some(*language), text.as_str()),
        None => (None, ""),
    };
    let board = std::fs::read_to_string(folder.join("board.toml"));
    let says = |word: &str| text.contains(word);
    let picture = match board {
        Err(_) => "terminal",
        Ok(board) if board.contains("[display]") => "display",
        Ok(_) if says("otor") || says("rotate") => "dial",
        Ok(_) if says("ixel") => "pixels",
        Ok(_) if says("erial") || says("uart") => "serial",
        Ok(_) => "lights",
    };
    (language, picture)
}

/// The first sentence of a README below its title; what to type is none.
fn first_sentence(text: &str) -> String {
    let mut is_typed = false;
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| {
            let fence = line.starts_with("```");
            is_typed ^= fence;
            !fence && !is_typed && !line.is_empty() && !line.starts_with(['#', '<', '|'])
        })
        .unwrap_or_default();
    match line.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => line.to_owned(),
    }
}
