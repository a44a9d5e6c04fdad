//! An editor without a window: it speaks to an adapter in this process, and holds what it hears against the schema.

#![allow(dead_code)] // each test uses some of it

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use borges_dap::{Approach, Asks, Host, LaunchArguments, Ready, Told};
use borges_hub::protocol::{Ask, ShelfListing};
use borges_hub::{ClientId, Hub, Opened, Shelf};
use borges_languages::model::{Explore, Model, language};
use borges_session::model::ModelSession;
use borges_session::{Library, Observer, Options, Session};
use serde_json::{Value, json};

/// Longer than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The folder of the examples.
pub(crate) fn examples() -> PathBuf {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    folder.canonicalize().expect("it is there")
}

/// Opens programs by their paths, linked with libraries, as a command line without other options does.
#[derive(Default)]
struct Programs {
    libraries: Vec<Library>,
}

impl Shelf for Programs {
    fn listing(&mut self) -> ShelfListing {
        ShelfListing::default()
    }

    fn open(&mut self, path: &str, _: Observer<'_>) -> Result<Opened, String> {
        if let Some(dialect) = language::of_path(path) {
            let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
            let model = Model::parse(dialect, &text).map_err(|error| error.explain(&text))?;
            let session = ModelSession::new(path.to_owned(), model, Explore::default(), None);
            return Ok(Opened::Model(Box::new(session)));
        }
        let options = Options {
            libraries: self.libraries.clone(),
            ..Options::new(path)
        };
        let session = Session::open(options).map_err(|error| error.to_string())?;
        Ok(Opened::Device(Box::new(session)))
    }
}

/// Opens programs in this process; `attach` joins the hub that is given.
pub(crate) struct Here {
    pub(crate) hub: Option<Hub>,
}

/// The way to a hub of this process.
struct Near {
    hub: Hub,
    thread: Option<JoinHandle<()>>,
}

struct Joined {
    hub: Hub,
    client: ClientId,
}

impl Host for Here {
    fn launch(&mut self, launch: &LaunchArguments) -> Result<Ready, String> {
        let libraries = launch.link.iter().map(|(name, path)| Library {
            name: name.clone(),
            path: path.into(),
        });
        let programs = Programs {
            libraries: libraries.collect(),
        };
        let (hub, thread) = Hub::start(Box::new(programs), None)?;
        let thread = Some(thread);
        Ok(Ready {
            way: Box::new(Near { hub, thread }),
            program: launch.program.clone(),
        })
    }

    fn attach(&mut self, url: &str) -> Result<Box<dyn Approach>, String> {
        let hub = self.hub.clone().ok_or(format!("nobody is at {url}"))?;
        Ok(Box::new(Near { hub, thread: None }))
    }
}

impl Approach for Near {
    fn join(&mut self, sees: bool, told: Told) -> Result<Box<dyn Asks>, String> {
        let hub = self.hub.clone();
        let client = hub.join(sees, told);
        Ok(Box::new(Joined { hub, client }))
    }

    fn page(&mut self) -> Result<String, String> {
        Ok("http://127.0.0.1:1/secret/".to_owned())
    }

    fn end(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.hub.stop();
            thread.join().expect("it ends");
        }
    }
}

impl Asks for Joined {
    fn ask(&self, ask: Ask) {
        self.hub.ask(self.client, ask);
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        self.hub.leave(self.client);
    }
}

/// A hub with a program, for editors to join.
pub(crate) fn hub(program: &Path) -> Hub {
    let path = program.display().to_string();
    let (hub, _thread) = Hub::start(Box::new(Programs::default()), Some(path)).expect("it opens");
    hub
}

/// An editor.
pub(crate) struct Editor {
    output: Option<Box<dyn Write + Send>>,
    heard: Receiver<Value>,
    /// All that was heard.
    pub(crate) all: Vec<Value>,
    /// How far it was looked at.
    looked: usize,
    seq: i64,
    adapter: Option<JoinHandle<()>>,
}

impl Editor {
    /// An editor at an adapter of its own, which can join `hub`.
    pub(crate) fn new(hub: Option<Hub>) -> Self {
        let (theirs, output) = std::io::pipe().expect("a pipe");
        let (input, ours) = std::io::pipe().expect("a pipe");
        let adapter = thread::spawn(move || {
            let host = Box::new(Here { hub });
            borges_dap::serve(theirs, ours, host, None).expect("threads start");
        });
        let (post, heard) = channel();
        thread::spawn(move || {
            let mut input = BufReader::new(input);
            while let Some(message) = read(&mut input) {
                if post.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            output: Some(Box::new(output)),
            heard,
            all: Vec::new(),
            looked: 0,
            seq: 0,
            adapter: Some(adapter),
        }
    }

    /// Sends bytes as they are; what the other end does not take is its own business.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        if let Some(output) = &mut self.output {
            let _closed = output.write_all(bytes).and_then(|()| output.flush());
        }
    }

    /// Sends a request; its number.
    pub(crate) fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let seq = self.seq;
        let message =
            json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments });
        let body = message.to_string();
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        self.send_bytes(&[header.as_bytes(), body.as_bytes()].concat());
        seq
    }

    /// The next message; nothing if the adapter has hung up.
    pub(crate) fn hear(&mut self) -> Option<Value> {
        if let Some(message) = self.all.get(self.looked) {
            self.looked += 1;
            return Some(message.clone());
        }
        match self.heard.recv_timeout(PATIENCE) {
            Ok(message) => {
                self.all.push(message.clone());
                self.looked = self.all.len();
                Some(message)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                panic!("nothing is heard any more after {:?}", self.all.last())
            }
        }
    }

    /// The answer to a request.
    pub(crate) fn answer(&mut self, seq: i64) -> Value {
        self.wait(|message| message["type"] == "response" && message["request_seq"] == seq)
    }

    /// Sends a request, and waits for its answer.
    pub(crate) fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        self.answer(seq)
    }

    /// The body of the answer to a request, which must be carried out.
    pub(crate) fn get(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], true, "{answer}");
        answer["body"].clone()
    }

    /// The next event of a name: its body.
    pub(crate) fn event(&mut self, name: &str) -> Value {
        let event = self.wait(|message| message["type"] == "event" && message["event"] == name);
        event["body"].clone()
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.hear();
            let message =
                message.unwrap_or_else(|| panic!("it hung up after {:?}", self.all.last()));
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Introduces itself, and launches an example's program.
    pub(crate) fn launch(&mut self, program: &Path, more: Value) {
        self.get("initialize", json!({ "adapterID": "borges" }));
        let mut arguments = json!({ "program": program, "stopOnEntry": true });
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        let answer = self.ask("launch", arguments);
        assert_eq!(answer["success"], true, "{answer}");
        self.event("initialized");
    }

    /// Nothing more is set: the program begins, and stops.
    pub(crate) fn begin(&mut self) -> Value {
        self.get("configurationDone", Value::Null);
        self.event("stopped")
    }

    /// A motion, up to its stop.
    pub(crate) fn go(&mut self, command: &str) -> Value {
        self.get(command, json!({ "threadId": 1 }));
        self.event("stopped")
    }

    /// The frames of the program's thread.
    pub(crate) fn frames(&mut self) -> Vec<Value> {
        let stack = self.get("stackTrace", json!({ "threadId": 1 }));
        stack["stackFrames"].as_array().cloned().unwrap_or_default()
    }

    /// The line that the program stands at.
    pub(crate) fn line(&mut self) -> i64 {
        self.frames()[0]["line"].as_i64().expect("a line")
    }

    /// The number of a scope of the innermost frame.
    pub(crate) fn scope(&mut self, name: &str) -> Value {
        let frame = self.frames()[0]["id"].clone();
        let scopes = self.get("scopes", json!({ "frameId": frame }));
        let scopes = scopes["scopes"].as_array().cloned().unwrap_or_default();
        let found = scopes.into_iter().find(|scope| scope["name"] == name);
        found.expect("there is such a scope")["variablesReference"].clone()
    }

    /// What is in a scope, or in a value.
    pub(crate) fn variables(&mut self, reference: &Value) -> Vec<Value> {
        let answer = self.get("variables", json!({ "variablesReference": reference }));
        answer["variables"].as_array().cloned().unwrap_or_default()
    }

    /// Leaves; everything that was heard must be as the protocol wants it.
    pub(crate) fn leave(mut self) {
        self.ask("disconnect", json!({}));
        self.end();
    }

    /// Sends nothing more.
    pub(crate) fn hang_up(&mut self) {
        self.output = None;
    }

    /// Hangs up, hears what is still said, and holds all of it against the schema.
    pub(crate) fn end(self) {
        let all = self.all_said();
        let seqs = all.iter().map(|message| message["seq"].as_i64());
        assert!(
            seqs.eq((1..).map(Some).take(all.len())),
            "messages are numbered from 1"
        );
        check_each(&all);
    }

    /// Hangs up, and hears what is still said: all of it.
    pub(crate) fn all_said(mut self) -> Vec<Value> {
        self.output = None;
        while self.hear().is_some() {}
        if let Some(adapter) = self.adapter.take() {
            adapter.join().expect("no adapter panics");
        }
        std::mem::take(&mut self.all)
    }
}

/// A message, as it stands on a stream.
fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(text) = line.strip_prefix("Content-Length: ") {
            length = text.parse().ok();
        }
    }
    let mut body = vec![0; length?];
    input.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// Holds messages against the protocol's schema.
pub(crate) fn check_each(messages: &[Value]) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/node");
    let mut checker = Command::new("node")
        .arg(format!("{folder}/check.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node runs: 'scripts/setup.sh tests' installs it");
    let lines: String = messages
        .iter()
        .map(|message| format!("{message}\n"))
        .collect();
    let input = checker.stdin.take();
    input
        .expect("it is piped")
        .write_all(lines.as_bytes())
        .expect("it reads");
    let output = checker.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said} ('scripts/setup.sh tests' fetches what is missing)"
    );
}
