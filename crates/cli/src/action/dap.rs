//! `borges dap`: what editors start, or connect to.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use borges_dap::{Approach, Asks, EditorServer, Host, LaunchArguments, Ready, Told};
use borges_hub::protocol::Ask;
use borges_hub::{ClientId, Hub, Token};
use borges_languages::model::language;
use borges_web::attach::Joined;
use borges_web::{Config, Server};
use clap::Parser as _;

use crate::action::debug::Library;
use crate::action::target::Target;
use crate::args::{self, Action, Cli};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Serves editors.
pub(crate) fn dap(options: &args::Dap, output: &mut Output) -> Result<Exit, Failure> {
    let Some(listen) = &options.listen else {
        let (input, written) = (std::io::stdin(), std::io::stdout());
        let served = borges_dap::serve(input, written, Box::new(Desk), options.attach.clone());
        return match served {
            Ok(()) => Ok(Exit::Ok),
            Err(error) => Err(Failure::new(Exit::Device, error, "")),
        };
    };
    let token = std::env::var("BORGES_TOKEN").ok();
    let token = token.map(|text| {
        Token::given(&text).ok_or_else(|| {
            Failure::usage(
                "BORGES_TOKEN must be at least 16 letters and digits",
                "leave it out: a random one is made and printed",
            )
        })
    });
    let token = token.transpose()?;
    let listener = EditorServer::bind(port(listen)?, token, options.attach.clone());
    let listener = listener.map_err(|error| {
        Failure::new(
            Exit::Device,
            error,
            "try another port: 0 is any that is free",
        )
    })?;
    let address = listener
        .address()
        .map_err(|error| Failure::new(Exit::Device, error, ""))?;
    let token = listener.token().to_owned();
    let data = serde_json::json!({ "ok": true, "address": address.to_string(), "token": token });
    output.say(&data, |paint| {
        format!(
            "editors connect to {}, and launch with \"token\": \"{token}\"\n",
            paint.name(address)
        )
    })?;
    let served = listener.run(|| Box::new(Desk));
    served.map_err(|error| Failure::new(Exit::Device, error, ""))?;
    Ok(Exit::Ok)
}

/// The port of an address that only this computer reaches.
fn port(listen: &str) -> Result<u16, Failure> {
    let port = listen
        .rsplit_once(':')
        .map_or(Some(listen), |(host, port)| {
            matches!(host, "127.0.0.1" | "localhost").then_some(port)
        });
    let port = port.and_then(|port| port.parse().ok());
    port.ok_or_else(|| {
        Failure::usage(
            format!("'{listen}' is no address that only this computer reaches"),
            "give 127.0.0.1:PORT; port 0 is any that is free",
        )
    })
}

/// Opens what editors name, as `borges debug` opens what a command line names.
struct Desk;

impl Host for Desk {
    fn launch(&mut self, launch: &LaunchArguments) -> Result<Ready, String> {
        let options = options(launch)?;
        let program = options
            .program
            .clone()
            .unwrap_or_default()
            .display()
            .to_string();
        let target = Target::of(&options.target).map_err(super::debug::in_words)?;
        let shelf = Library::new(options, target, None);
        let (hub, owner) = Hub::start(Box::new(shelf), None)?;
        let way = Box::new(Own {
            hub,
            owner: Some(owner),
            page: None,
        });
        Ok(Ready { way, program })
    }

    fn attach(&mut self, url: &str) -> Result<Box<dyn Approach>, String> {
        Ok(Box::new(Page(url.to_owned())))
    }
}

/// What an editor says, read as the options of `borges debug` are: both mean the same, and are refused alike.
fn options(launch: &LaunchArguments) -> Result<args::Debug, String> {
    let base = launch.cwd.as_ref().map_or_else(PathBuf::new, PathBuf::from);
    let file = |path: &String| base.join(path).display().to_string();
    let is_text = language::of_word(launch.program.trim()).is_some();
    let program = match is_text {
        true => launch.program.clone(),
        false => file(&launch.program),
    };
    if !is_text && !Path::new(&program).exists() {
        return Err(format!(
            "there is no file {program}: give a WebAssembly module, a session file, or a source of a model language"
        ));
    }
    let mut words = vec![
        "borges".to_owned(),
        "debug".to_owned(),
        "--no-browser".to_owned(),
    ];
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name}={value}")))
    };
    option("board", launch.board.as_ref().map(file));
    option("session", launch.session.as_ref().map(file));
    option("seed", launch.seed.map(|seed| seed.to_string()));
    option("device", launch.device.clone());
    option("key-file", launch.key_file.as_ref().map(file));
    option("at", launch.at.clone());
    option("stdin", launch.stdin.as_ref().map(file));
    option("grain", launch.grain.clone());
    option("delivery", launch.delivery.clone());
    option("states", launch.states.map(|states| states.to_string()));
    for call in launch.entry.list() {
        option("entry", Some(call));
    }
    for (name, path) in &launch.link {
        option("link", Some(format!("{name}={}", file(path))));
    }
    for folder in &launch.dirs {
        // The host's side of HOST::GUEST is a path here.
        let (host, guest) = folder
            .split_once("::")
            .map_or((folder.as_str(), None), |(host, guest)| (host, Some(guest)));
        let host = file(&host.to_owned());
        option(
            "dir",
            Some(guest.map_or(host.clone(), |guest| format!("{host}::{guest}"))),
        );
    }
    for (name, value) in &launch.env {
        option("env", Some(format!("{name}={value}")));
    }
    // What begins with a dash is a program all the same.
    words.push(if program.starts_with('-') {
        format!("./{program}")
    } else {
        program
    });
    if !launch.args.is_empty() {
        words.push("--".to_owned());
        words.extend(launch.args.iter().cloned());
    }
    let read = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
    match read.action {
        Action::Debug(options) => Ok(options),
        _ => Err("this launches nothing".to_owned()),
    }
}

/// A session of this process.
struct Own {
    hub: Hub,
    owner: Option<JoinHandle<()>>,
    /// Where its page is served, once somebody has asked.
    page: Option<String>,
}

impl Approach for Own {
    fn join(&mut self, sees: bool, told: Told) -> Result<Box<dyn Asks>, String> {
        let hub = self.hub.clone();
        let client = hub.join(sees, told);
        Ok(Box::new(Near { hub, client }))
    }

    fn page(&mut self) -> Result<String, String> {
        if let Some(url) = &self.page {
            return Ok(url.clone());
        }
        let server = Server::bind(self.hub.clone(), &Config::default())
            .map_err(|error| error.to_string())?;
        let url = server.url();
        let serving = std::thread::Builder::new().name("server".to_owned());
        serving
            .spawn(move || server.run())
            .map_err(|error| error.to_string())?;
        Ok(self.page.insert(url).clone())
    }

    fn end(&mut self) {
        self.hub.stop();
        // The thread writes what it has to the session file before it ends.
        if let Some(owner) = self.owner.take() {
            let _ended = owner.join();
        }
    }
}

struct Near {
    hub: Hub,
    client: ClientId,
}

impl Asks for Near {
    fn ask(&self, ask: Ask) {
        self.hub.ask(self.client, ask);
    }
}

impl Drop for Near {
    fn drop(&mut self) {
        self.hub.leave(self.client);
    }
}

/// The session of a page, by its address.
struct Page(String);

impl Approach for Page {
    fn join(&mut self, sees: bool, told: Told) -> Result<Box<dyn Asks>, String> {
        let joined = Joined::join(&self.0, sees, told);
        Ok(Box::new(Far(joined.map_err(|error| error.to_string())?)))
    }

    fn page(&mut self) -> Result<String, String> {
        Ok(self.0.clone())
    }

    fn end(&mut self) {}
}

struct Far(Joined);

impl Asks for Far {
    fn ask(&self, ask: Ask) {
        self.0.ask(&ask);
    }
}
