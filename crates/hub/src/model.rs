//! What is asked about a program of a model language, and what is answered: its graph, and questions one after the other.
//!
//! The page's types are made from these (`ui/src/model/types.ts`).

use borges_session::listing::TableListing;
use borges_session::model::debug::{
    BreakpointRow, Came, Card, ChangeRow, Judgement, LinkRow, Order,
};
use borges_session::model::{
    AskError, CareDeb, EdgeRow, ModelSession, Question, RaceRow, Reply, StateRow, Way, Why,
};
use serde::{Deserialize, Serialize};

/// The most states whose edges are told at a time.
const MOST_STATES: usize = 5_000;

/// What the page asks.
#[derive(Clone, Debug, Deserialize)]
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
    /// A line of the debugger of μOz.
    Caredeb {
        /// The command.
        line: String,
    },
}

/// What the page is told.
#[derive(Clone, Debug, Serialize)]
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
    /// Why there is no answer.
    Error(String),
}

/// A program and its graph, in columns: a large graph is a few long lists, not many small objects.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GraphTell {
    /// What the program is called.
    pub name: String,
    /// Its language.
    pub language: String,
    /// Its text.
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

/// How the page knows statuses; `ui/src/model/states.ts` has the same list.
const STATUSES: [&str; 7] = [
    "expanded", "waiting", "cut", "halted", "finished", "stuck", "deadlock",
];

/// All states at once, as bytes: their number, the number of edges, 1 if there are no others (each
/// in four bytes, the lowest first), the depth of each in four bytes, the status of each in one.
pub fn columns(session: &mut ModelSession) -> Vec<u8> {
    let graph = session.graph(|_| true);
    let count = graph.states() as u32;
    let mut bytes = Vec::with_capacity(12 + 5 * count as usize);
    let head = [count, graph.edges() as u32, u32::from(graph.is_complete())];
    bytes.extend(head.iter().flat_map(|word| word.to_le_bytes()));
    let mut statuses = Vec::with_capacity(count as usize);
    for state in 0..count {
        let (depth, status) = graph.standing(state).unwrap_or((0, "waiting"));
        bytes.extend(depth.to_le_bytes());
        let code = STATUSES.iter().position(|known| *known == status);
        statuses.push(code.unwrap_or(1) as u8);
    }
    bytes.append(&mut statuses);
    bytes
}

/// The answer.
///
/// # Errors
/// Why there is none, for people.
pub fn answer(session: &mut ModelSession, ask: ModelAsk) -> Result<ModelTell, String> {
    let shown = |error: &dyn std::fmt::Display| error.to_string();
    Ok(match ask {
        ModelAsk::Graph { links } => ModelTell::Graph(graph(session, links)),
        ModelAsk::Order { order } => {
            ModelTell::Came(session.carry_out(order, |_| true).map_err(|e| shown(&e))?)
        }
        ModelAsk::Card { universe } => {
            let debugger = session.debugger();
            let card = debugger.card(universe).map_err(|e| shown(&e))?;
            let path = card.path.iter().filter_map(|id| debugger.link(*id));
            let leaving = debugger.links_from(universe).into_iter();
            ModelTell::Card {
                path: path.collect(),
                leaving: leaving.filter_map(|id| debugger.link(id)).collect(),
                card,
            }
        }
        ModelAsk::Difference { edge } => {
            let debugger = session.debugger();
            let changes = debugger.difference(edge).map_err(|e| shown(&e))?;
            let edge = debugger.link(edge).ok_or("there is no such edge")?;
            ModelTell::Difference { edge, changes }
        }
        ModelAsk::May { spec } => {
            ModelTell::Judgement(session.occurs(&spec, |_| true).map_err(|e| shown(&e))?)
        }
        ModelAsk::Check { formula } => {
            ModelTell::Judgement(session.check(&formula, |_| true).map_err(|e| shown(&e))?)
        }
        ModelAsk::Query { sql } => {
            ModelTell::Table(session.query(&sql, |_| true).map_err(|e| shown(&e))?)
        }
        ModelAsk::Ask { question } => {
            let reply = session.ask(&question, |_| true).map_err(|e| shown(&e))?;
            let partial = session.partial();
            ModelTell::Reply {
                reply,
                partial: partial.map(|(why, _)| why),
                known: partial.map_or(0, |(_, known)| known),
            }
        }
        ModelAsk::Visit { state } => {
            session.graph(|_| true);
            ModelTell::Visited(session.universe_of(state).map_err(|e| shown(&e))?)
        }
        ModelAsk::Races { universe } => {
            let state = session.state_of(universe, |_| true);
            let state = state.map_err(|e| shown(&e))?;
            let options = session.options_to(state, |_| true);
            ModelTell::Races(session.races(&options.map_err(|e| shown(&e))?))
        }
        ModelAsk::State { state } => one_state(session, state).map_err(|e| shown(&e))?,
        ModelAsk::Edges { states } => {
            if states.len() > MOST_STATES {
                let count = states.len();
                return Err(format!(
                    "{count} states: edges of at most {MOST_STATES} at once"
                ));
            }
            let graph = session.graph(|_| true);
            let edges = states.into_iter().flat_map(|state| graph.leaving(state));
            ModelTell::Edges(edges.filter_map(|edge| graph.edge_row(edge)).collect())
        }
        ModelAsk::Caredeb { line } => {
            let said = session.caredeb(&line);
            ModelTell::Caredeb(said.ok_or("only programs of μOz have this debugger")?)
        }
    })
}

fn one_state(session: &mut ModelSession, state: u32) -> Result<ModelTell, AskError> {
    let graph = session.graph(|_| true);
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
        name: session.name().to_owned(),
        language: session.dialect().name().to_owned(),
        text: debugger.text().to_owned(),
        breakpoints: debugger.breakpoints(),
        statuses: statuses.collect(),
        first_link: links,
        from: ends.iter().map(|link| link.0).collect(),
        to: ends.iter().map(|link| link.1).collect(),
        command: ends.iter().map(|link| u8::from(link.2)).collect(),
    }
}
