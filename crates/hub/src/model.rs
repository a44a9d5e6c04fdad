//! Sessions of programs of model languages: what is asked about them, and what is answered.
//!
//! The page's types are made from these (`ui/src/model/types.ts`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use borges_session::command::{Event, Flow};
use borges_session::listing::TableListing;
use borges_session::model::debug::{
    BreakpointRow, Came, Card, ChangeRow, Judgement, LinkRow, Order, Watch,
};
use borges_session::model::{
    AskError, CareDeb, EdgeRow, ModelSession, Progress, Question, RaceRow, Reply, StateRow, Way,
    Why,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::frames;
use crate::pauses::Turn;
use crate::protocol::{Ask, Part};
use crate::room::{Answer, Room, Subject};

/// The most states whose edges are told at a time.
const MOST_STATES: usize = 5_000;

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

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum ModelAsk {
    /// The program and its graph, with the edges from this number on.
    Graph {
        /// The first edge.
        links: u32,
    },
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
    /// Which other messages could have been received on the way to a universe.
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
}

/// What the page is told.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ModelTell {
    /// The program and its graph so far.
    Graph(GraphTell),
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
    /// A universe of the debugger.
    Visited(u32),
    /// Races; none if the language has no messages.
    Races(Option<Vec<RaceRow>>),
    /// The answer to SQL.
    Table(TableListing),
    /// The answer to a question.
    Reply {
        /// The answer.
        reply: Reply,
        /// Why it does not rest on all states.
        partial: Option<Why>,
        /// On how many it rests then.
        known: u64,
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
    Edges(Vec<EdgeRow>),
    /// What the debugger of μOz says.
    Caredeb(CareDeb),
}

/// A program and its graph, in columns: a large graph is a few long lists, not many small objects.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GraphTell {
    /// The program's text.
    pub text: String,
    /// Its breakpoints.
    pub breakpoints: Vec<BreakpointRow>,
    /// The status of every universe: it may change after the universe was found.
    pub statuses: Vec<&'static str>,
    /// The first edge that is told.
    pub first_link: u32,
    /// Where edges leave.
    pub from: Vec<u32>,
    /// Where they lead.
    pub to: Vec<u32>,
    /// 1 for those that the user caused.
    pub command: Vec<u8>,
}

// Terminals ask no such questions, and words in the rows of answers are `'static`: they could not be read back.
impl<'de> Deserialize<'de> for ModelTell {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(
            "answers about model programs are for pages",
        ))
    }
}

impl Subject for ModelSession {
    fn enter(&mut self, room: &mut Room) {
        room.known.forget_session();
        let listing = ModelListing {
            name: self.name().to_owned(),
            language: self.dialect().name().to_owned(),
            caredeb: self.has_caredeb(),
            actors: self.has_actors(),
        };
        room.show(vec![Part::Info(None), Part::Model(Some(listing))]);
    }

    fn answer(&mut self, room: &mut Room, turn: Turn, ask: Ask) -> Result<Answer, String> {
        let Ask::Model { id, question } = ask else {
            return Err("this program is of a model language, which has other commands".to_owned());
        };
        room.watched(turn, |observer| {
            let mut watch = |come: &Progress| {
                let progress = Event::Progress {
                    what: "exploring".to_owned(),
                    done: come.states,
                    total: None,
                };
                observer(progress) == Flow::Continue
            };
            // After an order that panicked, what is there can still be looked at.
            let work = AssertUnwindSafe(|| answer(self, id, question, &mut watch));
            let failed = "the debugger failed at this question: please report it";
            catch_unwind(work).unwrap_or_else(|_| Err(failed.to_owned()))
        })
    }
}

fn answer(
    session: &mut ModelSession,
    id: u32,
    ask: ModelAsk,
    watch: Watch<'_>,
) -> Result<Answer, String> {
    let tell = match ask {
        ModelAsk::States => return Ok(Answer::Frame(frames::states(id, session.graph(watch)))),
        ModelAsk::Graph { links } => Ok(ModelTell::Graph(graph(session, links))),
        ModelAsk::Order { order } => words(session.carry_out(order, watch).map(ModelTell::Came)),
        ModelAsk::Card { universe } => {
            let debugger = session.debugger();
            let card = words(debugger.card(universe))?;
            let path = card.path.iter().filter_map(|id| debugger.link(*id));
            let leaving = debugger.links_from(universe).into_iter();
            Ok(ModelTell::Card {
                path: path.collect(),
                leaving: leaving.filter_map(|id| debugger.link(id)).collect(),
                card,
            })
        }
        ModelAsk::Difference { edge } => {
            let debugger = session.debugger();
            let changes = words(debugger.difference(edge))?;
            let edge = debugger.link(edge).ok_or("there is no such edge")?;
            Ok(ModelTell::Difference { edge, changes })
        }
        ModelAsk::May { spec } => words(session.occurs(&spec, watch).map(ModelTell::Judgement)),
        ModelAsk::Check { formula } => {
            words(session.check(&formula, watch).map(ModelTell::Judgement))
        }
        ModelAsk::Query { sql } => words(session.query(&sql, watch).map(ModelTell::Table)),
        ModelAsk::Ask { question } => {
            let reply = words(session.ask(&question, watch))?;
            let partial = session.partial();
            Ok(ModelTell::Reply {
                reply,
                partial: partial.map(|(why, _)| why),
                known: partial.map_or(0, |(_, known)| known),
            })
        }
        ModelAsk::Visit { state } => {
            session.graph(watch);
            words(session.universe_of(state).map(ModelTell::Visited))
        }
        ModelAsk::Races { universe } => {
            let state = words(session.state_of(universe, &mut *watch))?;
            let options = words(session.options_to(state, watch))?;
            Ok(ModelTell::Races(session.races(&options)))
        }
        ModelAsk::State { state } => words(one_state(session, state, watch)),
        ModelAsk::Edges { states } if states.len() > MOST_STATES => Err(format!(
            "{} states: edges of at most {MOST_STATES} at once",
            states.len()
        )),
        ModelAsk::Edges { states } => {
            let graph = session.graph(watch);
            let edges = states.into_iter().flat_map(|state| graph.leaving(state));
            let rows = edges.filter_map(|edge| graph.edge_row(edge));
            Ok(ModelTell::Edges(rows.collect()))
        }
        ModelAsk::Caredeb { line } => {
            let said = session.caredeb(&line, watch).map(ModelTell::Caredeb);
            said.ok_or_else(|| "this program has no threads that can be undone".to_owned())
        }
    };
    tell.map(Answer::Model)
}

/// An error for people.
fn words<T>(result: Result<T, impl std::fmt::Display>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn one_state(
    session: &mut ModelSession,
    state: u32,
    watch: Watch<'_>,
) -> Result<ModelTell, AskError> {
    let graph = session.graph(watch);
    let ways = graph.ask(&Question::Shortest(state))?;
    let (Reply::Ways(ways), Some(row)) = (ways, graph.state_row(state, true)) else {
        return Err(AskError::Stopped(graph.states() as u64));
    };
    let leaving = graph.leaving(state).into_iter();
    let leaving = leaving.filter_map(|edge| graph.edge_row(edge)).collect();
    let way = ways.into_iter().next();
    let way = way.ok_or(AskError::Stopped(graph.states() as u64))?;
    Ok(ModelTell::State {
        state: row,
        way,
        leaving,
    })
}

fn graph(session: &ModelSession, links: u32) -> GraphTell {
    let debugger = session.debugger();
    let statuses =
        (0..debugger.len()).map(|id| debugger.node(id).map_or("unexplored", |n| n.status));
    let ends: Vec<_> = (links..debugger.links())
        .filter_map(|id| debugger.ends_of(id))
        .collect();
    GraphTell {
        text: debugger.text().to_owned(),
        breakpoints: debugger.breakpoints(),
        statuses: statuses.collect(),
        first_link: links,
        from: ends.iter().map(|link| link.0).collect(),
        to: ends.iter().map(|link| link.1).collect(),
        command: ends.iter().map(|link| u8::from(link.2)).collect(),
    }
}
