//! The way to a session: who opens one for an editor, and how it is asked.

use std::collections::BTreeMap;

use borges_hub::Message;
use borges_hub::protocol::Ask;
use serde::Deserialize;
use serde_json::Value;

/// What a client of a hub is told with; false once it does not listen any more. It must not wait.
pub type Told = Box<dyn FnMut(Message) -> bool + Send>;

/// Opens sessions for editors: what a command line knows of programs, devices and pages.
pub trait Host: Send {
    /// Makes ready what `launch` asks for. The session itself is opened by [`Ask::Open`] with the program's path, so that it
    /// can be paused.
    ///
    /// # Errors
    /// Why it cannot be launched, for people.
    fn launch(&mut self, launch: &LaunchArguments) -> Result<Ready, String>;

    /// Joins the session of a page.
    ///
    /// # Errors
    /// Nobody answers at that address, for people.
    fn attach(&mut self, url: &str) -> Result<Box<dyn Approach>, String>;
}

/// What is ready to be opened.
pub struct Ready {
    /// The way to the session.
    pub way: Box<dyn Approach>,
    /// What to open there.
    pub program: String,
}

/// A session that others may look at too.
pub trait Approach: Send {
    /// Somebody joins: to see everything, or for answers only.
    ///
    /// # Errors
    /// The session cannot be reached any more.
    fn join(&mut self, sees: bool, told: Told) -> Result<Box<dyn Asks>, String>;

    /// The address of the session's page, which is served from now on.
    ///
    /// # Errors
    /// It cannot be served.
    fn page(&mut self) -> Result<String, String>;

    /// Leaves. A session that was launched ends, one that was joined goes on.
    fn end(&mut self);
}

/// Asks a session on behalf of somebody who joined; dropped, they have left.
pub trait Asks: Send {
    /// Asks, and does not wait for the answer.
    fn ask(&self, ask: Ask);
}

/// What an editor says of a program to debug: the arguments of `launch`, most of which are options of `borges debug`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LaunchArguments {
    /// A module, a source of a model language, or a session file.
    pub program: String,
    /// The folder that relative paths are in; that of this process if there is none.
    pub cwd: Option<String>,
    /// A board file.
    pub board: Option<String>,
    /// Where to keep the session; one that is there is gone on with.
    pub session: Option<String>,
    /// The exported function to call, or several calls in their order.
    pub entry: OneOrMore,
    /// The modules that the program is linked with, by the names that imports have for them: as `--link`.
    pub link: BTreeMap<String, String>,
    /// Seeds a simulated board.
    pub seed: Option<u64>,
    /// A real device: `serial:PORT` or `tcp:HOST:PORT`.
    pub device: Option<String>,
    /// The file with the device's key.
    pub key_file: Option<String>,
    /// Where to begin: a moment, as `moment` says it.
    pub at: Option<String>,
    /// Arguments of a program of WASI.
    pub args: Vec<String>,
    /// Variables of its environment.
    pub env: BTreeMap<String, String>,
    /// The file that it reads from standard input.
    pub stdin: Option<String>,
    /// Folders that it is given: `HOST` or `HOST::GUEST`.
    pub dirs: Vec<String>,
    /// How much one step of a program of a model language does: as `--grain`.
    pub grain: Option<String>,
    /// How messages are delivered: as `--delivery`.
    pub delivery: Option<String>,
    /// The most states that questions about all of them explore.
    pub states: Option<usize>,
    /// Stop at the start.
    pub stop_on_entry: bool,
    /// Run without stopping anywhere.
    pub no_debug: bool,
    /// Where sources are that the program names by other paths: prefix to folder.
    pub source_map: BTreeMap<String, String>,
    /// The secret of a server that listens.
    pub token: Option<String>,
    /// The editor's own, which it sends when it launches again.
    #[serde(rename = "__restart")]
    pub restart: Option<Value>,
}

/// One text, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    /// One.
    One(String),
    /// Several; none if it is empty.
    More(Vec<String>),
}

impl Default for OneOrMore {
    fn default() -> Self {
        Self::More(Vec::new())
    }
}

impl OneOrMore {
    /// All of them.
    #[must_use]
    pub fn list(&self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one.clone()],
            Self::More(more) => more.clone(),
        }
    }
}
