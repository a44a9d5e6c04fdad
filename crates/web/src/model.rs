//! The page of a program of a model language: its graph, and questions one after the other.
//!
//! The page asks, and gets an answer; nothing changes by itself, so there is no socket. Who asks waits for the session; who presses Pause, or wants to know how
//! far it is, does not.

use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use borges_hub::model::{self, ModelAsk, ModelTell};
use borges_session::model::{ModelSession, Stop};

use crate::assets;
use crate::server::{self, Config, Door, ServerError};

/// The longest question; programs are texts that people write.
const MOST_BYTES: usize = 1 << 20;

/// A server for one program.
pub struct ModelServer {
    listener: TcpListener,
    door: Arc<Door>,
    session: Arc<Shared>,
}

/// The session, and what reaches it while it is busy.
struct Shared {
    session: Mutex<ModelSession>,
    stop: Stop,
}

impl Shared {
    /// The session, once it is free.
    fn session(&self) -> MutexGuard<'_, ModelSession> {
        // An order that panicked has answered nobody; what is there can still be looked at.
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
            session: Arc::new(Shared {
                stop: session.stop(),
                session: Mutex::new(session),
            }),
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
            .route("/{token}/states", post(states))
            .route("/{token}/pause", post(pause))
            .route("/{token}/progress", post(progress))
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

/// Ends what the session is doing; whoever asked for it gets what was found.
async fn pause(State(shared): State<Arc<Shared>>) -> StatusCode {
    shared.stop.press();
    StatusCode::NO_CONTENT
}

/// How many states are known to what the session is doing; `null` if it does nothing.
async fn progress(State(shared): State<Arc<Shared>>) -> Response {
    let known = shared.stop.progress();
    let json = [(header::CONTENT_TYPE, "application/json")];
    (
        json,
        known.map_or("null".to_owned(), |known| known.to_string()),
    )
        .into_response()
}

async fn ask(State(shared): State<Arc<Shared>>, body: String) -> Response {
    // What is no question of this protocol comes from another build or from nobody sensible.
    let Ok(ask) = serde_json::from_str::<ModelAsk>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let work = move || model::answer(&mut shared.session(), ask);
    let tell = match tokio::task::spawn_blocking(work).await {
        Ok(Ok(tell)) => tell,
        Ok(Err(error)) => ModelTell::Error(error),
        Err(_) => ModelTell::Error(FAILED.to_owned()),
    };
    let json = [(header::CONTENT_TYPE, "application/json")];
    match serde_json::to_string(&tell) {
        Ok(text) => (json, text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

const FAILED: &str = "the debugger failed at this question: please report it";

/// All states at once, as bytes.
async fn states(State(shared): State<Arc<Shared>>) -> Response {
    let work = move || model::columns(&mut shared.session());
    match tokio::task::spawn_blocking(work).await {
        Ok(bytes) => {
            let kind = [(header::CONTENT_TYPE, "application/octet-stream")];
            (kind, bytes).into_response()
        }
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, FAILED).into_response(),
    }
}
