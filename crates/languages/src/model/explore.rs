//! How a program is explored, and how far that has come.

use std::time::{Duration, Instant};

use borges_multiverse::graph;
use serde::{Deserialize, Serialize};

use super::goal::Goal;
use super::lead::Lead;
use super::lens::Aspect;
use super::schedule::Selection;
use super::step::{Delivery, Grain, Reduction};

/// How a program is explored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explore {
    /// What is a step. In λ_amb and μOz, a visible step goes on to the next choice.
    pub grain: Grain,
    /// When messages between actors arrive; nothing in other languages.
    pub delivery: Delivery,
    /// Whether the program is under the stepping debugger ([`Stepping`](borges_multiverse::adapt::Stepping)), D_amb for λ_amb: its steps
    /// pause and are resumed.
    pub debugger: bool,
    /// What is left out.
    pub reduction: Reduction,
    /// An abstraction: states are taken for one that agree in these parts and in what can happen next.
    /// Explored breadth first whatever `order` says, never reduced, and
    /// not under the debugger.
    pub keep: Option<Vec<Aspect>>,
    /// An abstraction: actors of one definition are alike. Otherwise as `keep`; nothing in languages
    /// without actors.
    pub symmetry: bool,
    /// Only these runs. Otherwise as `keep`, in any order.
    pub schedule: Option<Selection>,
    /// The order in which states are visited.
    pub order: Order,
    /// The most states that are visited.
    pub states: usize,
    /// The longest path that is followed.
    pub depth: u32,
    /// How many steps may be spent on counting the classes of runs, next to the states.
    pub class_steps: u64,
    /// The time that an exploration may take; questions about its graph take what they need.
    pub time: Option<Duration>,
    /// What the program is held to. Where universes are left out, nothing is said to hold.
    pub goals: Vec<Goal>,
}

impl Default for Explore {
    fn default() -> Self {
        Self {
            grain: Grain::Rule,
            delivery: Delivery::Immediate,
            debugger: false,
            reduction: Reduction::None,
            keep: None,
            symmetry: false,
            schedule: None,
            order: Order::BreadthFirst,
            states: 1_000_000,
            depth: u32::MAX,
            class_steps: 1_000_000,
            time: None,
            goals: Vec::new(),
        }
    }
}

/// The order of an exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nearest first.
    #[default]
    BreadthFirst,
    /// Deepest first.
    DepthFirst,
    /// At random, from a seed.
    Random(u64),
    /// Nearest to a breakpoint first.
    Toward {
        /// The breakpoint.
        lead: Lead,
        /// Whether to stop where it is met first.
        first: bool,
    },
}

/// How far an exploration has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// States visited.
    pub states: u64,
    /// Steps taken.
    pub edges: u64,
    /// Ends found.
    pub ends: u64,
    /// States whose turn is still to come.
    pub waiting: u64,
    /// What else is known of a survey.
    pub survey: Option<SurveyProgress>,
}

/// How far a survey has come, beside its states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SurveyProgress {
    /// How many steps lie between the start and the states that are followed.
    pub depth: u32,
    /// How often a worker has asked another one whether a state is new.
    pub asks: u64,
    /// Bytes that processes have sent to each other.
    pub sent_bytes: u64,
    /// Bytes of tables and lists, without what states own.
    pub memory_bytes: u64,
    /// How many times its due waits for the core that most states wait for: 1 if all have the same.
    pub balance: f64,
    /// How probable it is that two states were taken for one.
    pub collision_risk: f64,
    /// How many seconds ago it was kept; none if it was not yet.
    pub kept_seconds_ago: Option<u64>,
}

impl Progress {
    /// Of runs that are followed one by one.
    pub(super) fn of_steps(steps: u64, ends: u64) -> Self {
        Self {
            states: steps,
            edges: steps,
            ends,
            ..Self::default()
        }
    }
}

impl From<graph::Progress> for Progress {
    fn from(progress: graph::Progress) -> Self {
        Self {
            states: progress.states as u64,
            edges: progress.edges as u64,
            ends: progress.ends as u64,
            waiting: progress.waiting as u64,
            survey: None,
        }
    }
}

impl Explore {
    /// What is a step, and when messages arrive, in words that a file keeps.
    #[must_use]
    pub fn how(&self) -> String {
        format!("{:?}, {:?}", self.grain, self.delivery).to_lowercase()
    }

    /// How a graph was explored of which this was kept ([`Explore::how`]); as if nothing was said for any other words.
    #[must_use]
    pub fn of_how(words: &str) -> Self {
        for grain in [Grain::Rule, Grain::Visible] {
            for delivery in [Delivery::Immediate, Delivery::Fifo, Delivery::Unordered] {
                let base = Self::default();
                let explore = Self {
                    grain,
                    delivery,
                    ..base
                };
                if explore.how() == words {
                    return explore;
                }
            }
        }
        Self::default()
    }
}

/// Whether a time has come, if there is one.
pub(super) fn is_past(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}
