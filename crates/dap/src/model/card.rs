//! A universe of a program of a model language, as the hub tells it.

use std::collections::BTreeSet;

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

/// A breakpoint that paused a universe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) id: u32,
    /// At whom.
    pub(super) agent: Option<String>,
}

impl Card {
    /// Somebody who acts there.
    pub(super) fn agent(&self, name: &str) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.name == name)
    }

    /// The breakpoints that paused it.
    pub(super) fn hits(&self) -> Vec<Hit> {
        let hit = |why: &String| {
            let digits = why.strip_prefix("breakpoint ")?;
            let digits = digits.split(|c: char| !c.is_ascii_digit()).next()?;
            let is_at = |agent: &&Agent| why.ends_with(&format!(" at {}", agent.name));
            Some(Hit {
                id: digits.parse().ok()?,
                agent: self
                    .agents
                    .iter()
                    .find(is_at)
                    .map(|agent| agent.name.clone()),
            })
        };
        self.node.why.iter().filter_map(hit).collect()
    }

    /// The value of a name: of an agent's own, of what all share, or `agent.name`.
    pub(super) fn value(&self, own: Option<&Agent>, name: &str) -> Option<String> {
        let named = |fields: &[(String, String)], name: &str| {
            let mut found = fields.iter().filter(|(known, _)| known == name);
            found.next().map(|(_, value)| value.clone())
        };
        let of_agent = || {
            let (agent, name) = name.split_once('.')?;
            named(&self.agent(agent)?.fields, name)
        };
        own.and_then(|agent| named(&agent.fields, name))
            .or_else(|| named(&self.shared, name))
            .or_else(of_agent)
    }

    /// A text in which each `{name}` is its value; one that nothing has here stays.
    pub(super) fn interpolated(&self, own: Option<&Agent>, text: &str) -> String {
        let mut told = format!("universe {}: ", self.node.id);
        let mut rest = text;
        while let Some((before, name, after)) = braced(rest) {
            told.push_str(before);
            match self.value(own, name.trim()) {
                Some(value) => told.push_str(&value),
                None => told.extend(["{", name, "}"]),
            }
            rest = after;
        }
        told + rest
    }

    /// Whether it is an end that no program wants: somebody waits in vain, or failed.
    pub(super) fn is_wrong(&self) -> bool {
        matches!(self.node.status.as_str(), "stuck" | "deadlock")
    }
}

/// What stands before the first braces, in them, and behind.
fn braced(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
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
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
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
        let mut known = BTreeSet::new();
        let mut rests = [&self.paused[..], &self.held, &self.ends].concat();
        rests.retain(|universe| known.insert(*universe));
        rests
    }

    /// Adds what running on from elsewhere came to.
    pub(super) fn add(&mut self, more: Self) {
        self.from = more.from;
        self.paused.extend(more.paused);
        self.ends.extend(more.ends);
        self.held.extend(more.held);
        self.cut |= more.cut;
        self.stopped |= more.stopped;
        self.never_reached |= more.never_reached;
    }
}

/// What an order came to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Came {
    pub(super) breakpoint: Option<u32>,
    pub(super) ran: Option<Ran>,
}
