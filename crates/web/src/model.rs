//! The page of a program of a model language: its graph, and questions one after the other.
//!
//! The page asks, and gets an answer; nothing changes by itself, so there is no socket.

use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use borges_session::model::ModelSession;
use borges_session::model::debug::Order;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::assets;
use crate::server::{self, Config, Door, ServerError};

/// The longest question; programs are texts that people write.
const MOST_BYTES: usize = 1 << 20;

/// What the page asks.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum ModelAsk {
    /// The program and the graph from these numbers on.
    Graph {
        /// The first universe.
        nodes: u32,
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
}

/// A server for one program.
pub struct ModelServer {
    listener: TcpListener,
    door: Arc<Door>,
    session: Arc<Mutex<ModelSession>>,
}

impl ModelServer {
    /// Listens, but answers nobody yet.
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn bind(session: ModelSession, config: &Config) -> Result<Self, ServerError> {
        let (door, listener) = Door::open(config)?;
        Ok(Self {
            listener,
            door: Arc::new(door),
            session: Arc::new(Mutex::new(session)),
        })
    }

    /// The page's address.
    #[must_use]
    pub fn url(&self) -> String {
        self.door.url()
    }

    /// Answers until the process ends.
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn run(self) -> Result<(), ServerError> {
        let router = Router::new()
            .route("/{token}/", get(page))
            .route("/{token}/ask", post(ask))
            .route("/{token}/{file}", get(server::file))
            .fallback(server::nothing)
            .layer(DefaultBodyLimit::max(MOST_BYTES))
            .layer(middleware::from_fn_with_state(self.door, server::guard))
            .with_state(self.session);
        server::serve_forever(self.listener, router)
    }
}

/// The same page; it knows by this mark which of its faces to show.
async fn page() -> Response {
    let bytes = assets::find("").map_or(&b""[..], |asset| asset.bytes);
    let text = String::from_utf8_lossy(bytes);
    Html(text.replacen("id=\"app\"", "id=\"app\" data-model", 1)).into_response()
}

async fn ask(State(session): State<Arc<Mutex<ModelSession>>>, body: String) -> Response {
    // What is no question of this protocol comes from another build or from nobody sensible.
    let Ok(ask) = serde_json::from_str::<ModelAsk>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let work = move || {
        // An order that panicked has answered nobody; what is there can still be looked at.
        let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
        answer(&mut session, ask)
    };
    let value = match tokio::task::spawn_blocking(work).await {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => json!({ "error": error }),
        Err(_) => json!({ "error": "the debugger failed at this question: please report it" }),
    };
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, value.to_string()).into_response()
}

/// The answer as JSON, or why there is none.
fn answer(session: &mut ModelSession, ask: ModelAsk) -> Result<Value, String> {
    let shown = |error: &dyn std::fmt::Display| error.to_string();
    match ask {
        ModelAsk::Graph { nodes, links } => Ok(graph(session, nodes, links)),
        ModelAsk::Order { order } => {
            let came = session.carry_out(order).map_err(|e| shown(&e))?;
            Ok(json!({ "came": came }))
        }
        ModelAsk::Card { universe } => {
            let debugger = session.debugger();
            let card = debugger.card(universe).map_err(|e| shown(&e))?;
            let path: Vec<_> = card
                .path
                .iter()
                .filter_map(|id| debugger.link(*id))
                .collect();
            let leaving = debugger.links_from(universe).into_iter();
            let leaving: Vec<_> = leaving.filter_map(|id| debugger.link(id)).collect();
            Ok(json!({ "card": card, "path": path, "leaving": leaving }))
        }
        ModelAsk::Difference { edge } => {
            let debugger = session.debugger();
            let changes = debugger.difference(edge).map_err(|e| shown(&e))?;
            Ok(json!({ "edge": debugger.link(edge), "changes": changes }))
        }
        ModelAsk::May { spec } => {
            let judgement = session.debugger().occurs(&spec).map_err(|e| shown(&e))?;
            Ok(json!({ "judgement": judgement }))
        }
        ModelAsk::Check { formula } => {
            let judgement = session.debugger().check(&formula).map_err(|e| shown(&e))?;
            Ok(json!({ "judgement": judgement }))
        }
        ModelAsk::Query { sql } => {
            let table = session.query(&sql, |_| true).map_err(|e| shown(&e))?;
            Ok(json!({ "table": table }))
        }
    }
}

/// Columns: a large graph is a few long lists, not many small objects.
fn graph(session: &ModelSession, nodes: u32, links: u32) -> Value {
    let debugger = session.debugger();
    let statuses =
        (0..debugger.len()).map(|id| debugger.node(id).map_or("unexplored", |n| n.status));
    let ends: Vec<_> = (links..debugger.links())
        .filter_map(|id| debugger.ends_of(id))
        .collect();
    json!({
        "name": session.name(),
        "language": session.dialect().name(),
        "text": debugger.text(),
        "breakpoints": debugger.breakpoints(),
        "first_node": nodes,
        // A status may change after the universe was found, so all of them are told.
        "statuses": statuses.collect::<Vec<_>>(),
        "first_link": links,
        "from": ends.iter().map(|link| link.0).collect::<Vec<_>>(),
        "to": ends.iter().map(|link| link.1).collect::<Vec<_>>(),
        "command": ends.iter().map(|link| u8::from(link.2)).collect::<Vec<_>>(),
    })
}
