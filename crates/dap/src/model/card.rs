//! A universe of a program of a model language, as the hub tells it.

use serde::Deserialize;
use serde_json::Value;

/// Everything about a universe that an editor shows.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Card {
    pub(super) node: Node,
    pub(super) agents: Vec<Agent>,
    pub(super) shared: Vec<(String, String)>,
    pub(super) text: String,
    pub(super) outcome: Option<String>,
    pub(super) possible: Vec<Possible>,
}

impl Card {
    /// Whether it is an end that no program wants: somebody waits in vain, or failed.
    pub(super) fn is_wrong(&self) -> bool {
        matches!(self.node.status.as_str(), "stuck" | "deadlock")
    }
}

/// A universe.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub(super) id: u32,
    pub(super) status: String,
    pub(super) why: Vec<String>,
}

/// Who acts there.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Agent {
    pub(super) name: String,
    pub(super) mode: String,
    pub(super) next: String,
    pub(super) line: Option<u32>,
    pub(super) fields: Vec<(String, String)>,
    pub(super) inbox: Vec<String>,
    pub(super) calls: Vec<String>,
    pub(super) output: Vec<String>,
    pub(super) stuck: Option<String>,
}

/// What can be said there.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Possible {
    pub(super) label: String,
    pub(super) agent: Option<String>,
    /// An order, to be sent back as it is.
    pub(super) order: Value,
}

/// A step that was taken, or a command.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Link {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) command: bool,
    pub(super) agent: String,
    pub(super) text: String,
}

/// What is answered about a universe.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    pub(super) card: Card,
    /// The way there.
    pub(super) path: Vec<Link>,
    /// The steps that leave it.
    pub(super) leaving: Vec<Link>,
}

/// What running came to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Ran {
    pub(super) from: u32,
    pub(super) paused: Vec<u32>,
    pub(super) ends: Vec<u32>,
    pub(super) held: Vec<u32>,
    pub(super) cut: bool,
    pub(super) stopped: bool,
    pub(super) never_reached: bool,
}

impl Ran {
    /// The universes that it came to rest in: those of most interest first.
    pub(super) fn rests(&self) -> Vec<u32> {
        [&self.paused[..], &self.held, &self.ends].concat()
    }
}

/// What an order came to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Came {
    pub(super) breakpoint: Option<u32>,
    pub(super) ran: Option<Ran>,
}
