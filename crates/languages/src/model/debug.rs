//! Debugging a program in many universes at once, whatever its language: what faces say and see.

use std::any::Any;

use serde::{Deserialize, Serialize};

use borges_multiverse::language::Span;

pub use super::error::Refused;
use super::step::Why;
use super::{Explore, Model, Progress};
use crate::source;

/// What the user can say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Run from the start, in all universes.
    Run,
    /// Forget all universes but the first.
    Restart,
    /// Let a paused universe run on, and all that follow from it.
    Resume {
        /// Which.
        universe: u32,
    },
    /// Let a universe run, the most promising universe first, until a breakpoint halts one.
    Seek {
        /// From which.
        universe: u32,
    },
    /// Pause a universe that runs.
    Pause {
        /// Which.
        universe: u32,
    },
    /// Let an agent take a step in a paused universe.
    Step {
        /// Which universe.
        universe: u32,
        /// Who.
        agent: String,
        /// Which step; languages without a catalogue of steps know `step` only.
        kind: String,
    },
    /// Keep an agent from acting in what follows.
    Hold {
        /// Where.
        universe: u32,
        /// Whom.
        agent: String,
    },
    /// Let it act again.
    Release {
        /// Where.
        universe: u32,
        /// Whom.
        agent: String,
    },
    /// Set a breakpoint.
    Break {
        /// On what.
        spec: String,
    },
    /// Remove one.
    Unbreak {
        /// Its number.
        id: u32,
    },
    /// Switch one on or off.
    Enable {
        /// Its number.
        id: u32,
        /// On.
        on: bool,
    },
    /// Replace the program's text, keep the breakpoints, and start again.
    Edit {
        /// The new text.
        text: String,
    },
}

/// What an order came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Came {
    /// The breakpoint that was set.
    pub breakpoint: Option<u32>,
    /// What running came to.
    pub ran: Option<RanRow>,
}

/// What running came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RanRow {
    /// From which universe all ran.
    pub from: u32,
    /// Universes in which a breakpoint or a step halted.
    pub paused: Vec<u32>,
    /// Ends.
    pub ends: Vec<u32>,
    /// Universes in which only held agents could act.
    pub held: Vec<u32>,
    /// Whether the limit of universes cut it short.
    pub cut: bool,
    /// Whether the user stopped it: what was found is there, and the same order again goes on.
    pub stopped: bool,
    /// Whether a step came to its goal nowhere, or no breakpoint halted what was sought.
    pub never_reached: bool,
}

/// A universe of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NodeRow {
    /// Its number.
    pub id: u32,
    /// `unexplored`, `running`, `paused`, `held`, `end`, `stuck` or `deadlock`.
    pub status: &'static str,
    /// Why it is paused.
    pub why: Vec<String>,
}

/// An edge of the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkRow {
    /// Its number.
    pub id: u32,
    /// Where it leaves.
    pub from: u32,
    /// Where it leads.
    pub to: u32,
    /// Whether the user caused it (drawn dashed).
    pub command: bool,
    /// Who acts.
    pub agent: String,
    /// Who gets a message, if one is sent.
    pub receiver: Option<String>,
    /// The language's rule.
    pub rule: String,
    /// What happens.
    pub text: String,
    /// The line in the source, from 1.
    pub line: Option<u32>,
    /// The debugger's rules.
    pub rules: Vec<&'static str>,
}

/// Everything about a universe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Card {
    /// The universe.
    pub node: NodeRow,
    /// Its agents: those that can act, and those that wait.
    pub agents: Vec<AgentCard>,
    /// What belongs to no agent: variables and ports with their values, where agents have no variables of their own.
    pub shared: Vec<(String, String)>,
    /// The state in the language's own words.
    pub text: String,
    /// The outcome, at an end.
    pub outcome: Option<String>,
    /// What the user can say here: a radial menu.
    pub possible: Vec<Possible>,
    /// A way from the start: edges.
    pub path: Vec<u32>,
}

/// An agent in a universe.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AgentCard {
    /// Its name.
    pub name: String,
    /// `run`, `pause`, `hold` or `step`.
    pub mode: &'static str,
    /// What it does next.
    pub next: String,
    /// The line of that.
    pub line: Option<u32>,
    /// Its variables.
    pub fields: Vec<(String, String)>,
    /// Messages that it has got, oldest first.
    pub inbox: Vec<String>,
    /// Its calls, the innermost last.
    pub calls: Vec<String>,
    /// What it has printed.
    pub output: Vec<String>,
    /// Why it is stuck.
    pub stuck: Option<String>,
}

/// An entry of the menu.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Possible {
    /// In a word or two.
    pub label: String,
    /// Whom it is about.
    pub agent: Option<String>,
    /// The order.
    pub order: Order,
}

/// A part of the state that an edge changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChangeRow {
    /// Whose.
    pub agent: String,
    /// What of it.
    pub what: String,
    /// Before.
    pub before: String,
    /// After.
    pub after: String,
}

/// A breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BreakpointRow {
    /// Its number.
    pub id: u32,
    /// On what.
    pub spec: String,
    /// Whether it is looked at.
    pub on: bool,
}

/// Whether something happens in some run, and whether in all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Judgement {
    /// In some.
    pub may: Opinion,
    /// In all.
    pub must: Opinion,
    /// How many states it rests on.
    pub states: u64,
    /// Why these are not all: then a *yes* or *no* is one that no other state can change.
    pub partial: Option<Why>,
}

/// Yes or no, with a run that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Opinion {
    /// Unknown if there were too many states.
    pub holds: Option<bool>,
    /// The steps of a run that shows it.
    pub steps: Vec<String>,
    /// The steps that this run goes round for ever after them.
    pub cycle: Vec<String>,
}

/// A debugger that keeps the graph of the universes it has seen.
pub trait Debugger: Send {
    /// The program's text.
    fn text(&self) -> &str;

    /// Carries out an order. `keep_going` is asked before each universe that is explored, and stops
    /// the order by returning false: what was found stays, and the same order again goes on.
    ///
    /// # Errors
    /// [`Refused`]; then nothing has changed.
    fn carry_out(&mut self, order: Order, keep_going: Watch<'_>) -> Result<Came, Refused>;

    /// Goes to a state of the program, along the states of a way from the start, as a run with the
    /// present breakpoints would. Returns its universe; none if the way is none of this program.
    fn visit(&mut self, way: &[&dyn Any]) -> Option<u32>;

    /// The state of the program in a universe, as [`super::Multiverse::find`] knows it.
    fn program_state(&self, universe: u32) -> Option<&dyn Any>;

    /// How many universes there are.
    fn len(&self) -> u32;

    /// Never: there is always the start.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A universe of the graph.
    fn node(&self, universe: u32) -> Option<NodeRow>;

    /// The status of a universe, as in its row. Only what is `unexplored` can become something else.
    fn status(&self, universe: u32) -> Option<&'static str>;

    /// How often the session began again: as long as this stays, universes and edges keep their numbers.
    fn beginnings(&self) -> u32;

    /// How many edges there are.
    fn links(&self) -> u32;

    /// An edge.
    fn link(&self, edge: u32) -> Option<LinkRow>;

    /// Where an edge leaves and leads, and whether the user caused it.
    fn ends_of(&self, edge: u32) -> Option<(u32, u32, bool)>;

    /// The edges that leave a universe.
    fn links_from(&self, universe: u32) -> Vec<u32>;

    /// The universes in which an agent is about to do what begins on a line of the text, from 1. `keep_going` is asked now
    /// and then; what was found when it says no is answered.
    ///
    /// # Errors
    /// There is no such line.
    fn at_line(&self, line: u32, keep_going: Watch<'_>) -> Result<Vec<u32>, Refused>;

    /// Everything about a universe.
    ///
    /// # Errors
    /// There is no such universe.
    fn card(&self, universe: u32) -> Result<Card, Refused>;

    /// What an edge changes.
    ///
    /// # Errors
    /// There is no such edge.
    fn difference(&self, edge: u32) -> Result<Vec<ChangeRow>, Refused>;

    /// The breakpoints.
    fn breakpoints(&self) -> Vec<BreakpointRow>;

    /// The steps that an agent can be told to take.
    fn steps(&self) -> Vec<&'static str>;
}

/// Told how far an exploration has come; false stops it.
pub type Watch<'w> = &'w mut dyn FnMut(&Progress) -> bool;

impl Model {
    /// A debugger at the start: Voyager for actors, D_amb and its like for the others.
    #[must_use]
    pub fn debugger(&self, options: &Explore) -> Box<dyn Debugger> {
        self.program.debugger(self.text(), options)
    }
}

/// The line on which a span begins.
#[must_use]
pub fn line(text: &str, span: Option<Span>) -> Option<u32> {
    span.map(|span| source::position(text, span.start).line)
}
