//! The commands of a session with a program of a model language, and what is answered.
//!
//! The page's types are made from these (`ui/src/model/types.ts`).

use borges_session::listing::TableListing;
use borges_session::model::debug::{
    BreakpointRow, Came, Card, ChangeRow, Judgement, LinkRow, Order,
};
use borges_session::model::{
    CareDeb, EdgeRow, Finding, How, Question, Races, Reply, StateRow, Step, SurveyNote,
    SurveyWithin, Way, Why,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What does not change while a program of a model language is debugged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelListing {
    /// What the program is called.
    pub name: String,
    /// Its language.
    pub language: String,
    /// It has threads that CaReDeb takes back and forth.
    pub caredeb: bool,
    /// Its agents are actors, which are all that there is in a state.
    pub actors: bool,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum ModelCommand {
    /// An order.
    Order {
        /// Which.
        order: Order,
    },
    /// Everything about a universe, with the edges of the way there.
    Card {
        /// Which.
        universe: u32,
    },
    /// An edge, and what it changes.
    Difference {
        /// Which.
        edge: u32,
    },
    /// Whether a breakpoint may and must be met.
    May {
        /// The breakpoint.
        spec: String,
    },
    /// Whether a formula may and must hold.
    Check {
        /// The formula.
        formula: String,
    },
    /// The universes in which an agent is about to do what begins on a line.
    AtLine {
        /// Which, from 1.
        line: u32,
    },
    /// A question in SQL about all states.
    Query {
        /// The question.
        sql: String,
    },
    /// A question about all states that is built in.
    Ask {
        /// Which.
        question: Question,
    },
    /// The outcomes through an abstraction.
    Abstracted {
        /// The parts that tell states apart; all do if it is none.
        keep: Option<String>,
        /// Whether actors of one definition are alike.
        symmetry: bool,
    },
    /// All states, counted without their graph.
    Survey {
        /// How far, and how.
        within: SurveyWithin,
    },
    /// One of all states.
    State {
        /// Which.
        state: u32,
    },
    /// The universe of the debugger for one of all states.
    Visit {
        /// Which.
        state: u32,
    },
    /// What races in a universe, and on the way there.
    Races {
        /// Which.
        universe: u32,
    },
    /// The edges that leave some of all states.
    Edges {
        /// Which; the first five thousand are answered.
        states: Vec<u32>,
    },
    /// All states, as a binary frame.
    States,
    /// A line of the debugger of μOz.
    Caredeb {
        /// The command.
        line: String,
    },
    /// A line of the debugger of all languages, said by who looks at a universe.
    Line {
        /// The command.
        line: String,
        /// The universe that is looked at.
        here: u32,
    },
    /// What such a line can become.
    Complete {
        /// As much of it as there is.
        line: String,
        /// The byte at which the word ends that is completed.
        at: usize,
        /// The universe that is looked at.
        here: u32,
    },
}

impl ModelCommand {
    /// Whether the graph that all lookers see stays as it is.
    pub(crate) const fn looks(&self) -> bool {
        match self {
            Self::Order { .. } | Self::Visit { .. } | Self::Line { .. } => false,
            // CaReDeb has universes of its own, which come with its answers.
            Self::Caredeb { .. }
            | Self::Card { .. }
            | Self::Difference { .. }
            | Self::AtLine { .. }
            | Self::May { .. }
            | Self::Check { .. }
            | Self::Query { .. }
            | Self::Ask { .. }
            | Self::Abstracted { .. }
            | Self::Survey { .. }
            | Self::State { .. }
            | Self::Races { .. }
            | Self::Edges { .. }
            | Self::Complete { .. }
            | Self::States => true,
        }
    }
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum ModelReply {
    /// What an order came to.
    Came(Came),
    /// A universe.
    Card {
        /// Everything about it.
        card: Card,
        /// The edges of the way there.
        path: Vec<LinkRow>,
        /// The edges that leave it.
        leaving: Vec<LinkRow>,
    },
    /// What an edge changes.
    Difference {
        /// The edge.
        edge: LinkRow,
        /// The changes.
        changes: Vec<ChangeRow>,
    },
    /// Whether something happens in some run, and in every run.
    Judgement(Judgement),
    /// Universes of the debugger.
    Universes {
        /// Which.
        universes: Vec<u32>,
    },
    /// A universe of the debugger.
    Visited {
        /// Which.
        universe: u32,
    },
    /// What races there, and on the way.
    Races(Races),
    /// The answer to SQL.
    Table(TableListing),
    /// The answer to a question.
    Answer {
        /// The answer.
        answer: Reply,
        /// Why it does not rest on all states.
        partial: Option<Why>,
        /// On how many it rests then.
        known: u64,
    },
    /// The outcomes through an abstraction.
    Outcomes {
        /// The outcomes, each with a shortest way there.
        ends: Vec<OutcomeRow>,
        /// Which states are taken for one.
        abstraction: String,
        /// Why not all are known; none if all of the abstraction is.
        partial: Option<Why>,
        /// How many states of it there are.
        states: u64,
    },
    /// What a survey came to.
    Surveyed {
        /// The outcomes, each with a shortest way there.
        ends: Vec<OutcomeRow>,
        /// How many states there are.
        states: u64,
        /// How many steps lead from one to another.
        edges: u64,
        /// Why these are not all; none if they are.
        partial: Option<Why>,
        /// Whether the next survey goes on from here.
        is_held: bool,
        /// What became of the goals.
        goals: Vec<Finding>,
        /// What there is to say of a survey.
        survey: SurveyNote,
        /// How long it took.
        seconds: f64,
        /// Bytes of its tables and lists, when they were most.
        memory_bytes: u64,
    },
    /// One of all states.
    State {
        /// The state, in words.
        state: StateRow,
        /// A shortest way there.
        way: Way,
        /// The edges that leave it.
        leaving: Vec<EdgeRow>,
    },
    /// Edges between states.
    Edges {
        /// The edges.
        edges: Vec<EdgeRow>,
    },
    /// What the debugger of μOz says.
    Caredeb(CareDeb),
    /// What a line came to.
    Said {
        /// Whether it was carried out.
        ok: bool,
        /// The answer, or why it was not.
        text: String,
        /// The universe that is looked at then.
        here: u32,
        /// The answer as data, which is another for every command.
        #[cfg_attr(test, ts(type = "unknown"))]
        answer: Value,
    },
    /// What a line can become.
    Completed {
        /// The byte at which the word begins that is completed.
        start: usize,
        /// What it can be.
        candidates: Vec<String>,
    },
}

/// An outcome that an exploration came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OutcomeRow {
    /// How.
    #[serde(flatten)]
    pub how: How,
    /// In one line.
    pub text: String,
    /// A shortest way there.
    pub steps: Vec<Step>,
}

/// A program's text, and what is marked in it. Its universes come as frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TextListing {
    /// The program's text.
    pub text: String,
    /// Its breakpoints.
    pub breakpoints: Vec<BreakpointRow>,
}
