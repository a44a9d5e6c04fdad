//! The server: the page and one socket, on loopback.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::extract::ws::{Message as Frame, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::serve::ListenerExt as _;
use borges_hub::protocol::Ask;
use borges_hub::{Hub, Message, Token};
use futures_util::{SinkExt as _, StreamExt as _};
use thiserror::Error;
use tokio::sync::mpsc;

use crate::assets;
use crate::security::{self, Refusal};

/// The longest message of a client; commands are short.
const MOST_BYTES: usize = 1 << 20;

/// Messages that may wait for a client before it is let go.
const PATIENCE: usize = 4096;

/// Nothing from elsewhere, and in nobody's frame. The editor sets styles from its script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
    connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// For who followed an address that is none.
const NOTHING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Not here</title>\
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:15vh auto;padding:0 1em;color-scheme:light dark}</style>\
<h1>There is no page at this address</h1>\
<p>Borges runs here, but the address has a secret in it that changes whenever it starts: this one is of an earlier start, or \
something of it is missing.</p>\
<p>Open the address that the terminal shows in which <code>borges debug</code> runs, or start it again. With \
<code>--port</code> and the variable <code>BORGES_TOKEN</code> the address stays the same.</p></html>\n";

/// Where to listen.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The port on loopback; 0 takes a free one.
    pub port: u16,
    /// The secret in the address, so that a restarted server is found again; a random one if there is none.
    pub token: Option<String>,
}

/// Why the server does not start or go on.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The port is taken, mostly.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port.
        port: u16,
        /// Why.
        source: std::io::Error,
    },
    /// The token does not fit.
    #[error("the token must be at least 16 letters and digits")]
    Token,
    /// The operating system has no random numbers.
    #[error("no random token: {0}")]
    Random(std::io::Error),
    /// The server broke.
    #[error("the server cannot go on: {0}")]
    Io(#[from] std::io::Error),
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    state: Arc<Shared>,
}

struct Shared {
    hub: Hub,
    /// The secret that lets in.
    token: Token,
    port: u16,
}

impl Server {
    /// Listens, but answers nobody yet.
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn bind(hub: Hub, config: &Config) -> Result<Self, ServerError> {
        let token = match &config.token {
            Some(text) => Token::given(text).ok_or(ServerError::Token)?,
            None => Token::random().map_err(ServerError::Random)?,
        };
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, config.port));
        let port = config.port;
        let listener =
            TcpListener::bind(address).map_err(|source| ServerError::Listen { port, source })?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let state = Arc::new(Shared { hub, token, port });
        Ok(Self { listener, state })
    }

    /// The page's address.
    #[must_use]
    pub fn url(&self) -> String {
        let Shared { token, port, .. } = &*self.state;
        format!("http://127.0.0.1:{port}/{}/", token.text())
    }

    /// Answers until the process ends.
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn run(self) -> Result<(), ServerError> {
        let router = Router::new()
            .route("/{token}", get(slash))
            .route("/{token}/", get(async || serve("")))
            .route("/{token}/socket", get(socket))
            .route("/{token}/terminal", get(terminal))
            .route("/{token}/{file}", get(file))
            .fallback(async || nothing())
            .layer(middleware::from_fn_with_state(
                Arc::clone(&self.state),
                guard,
            ))
            .with_state(self.state);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            // An answer is several short messages: the second must not wait until the page has confirmed the first.
            let listener = listener.tap_io(|stream| {
                let _slower = stream.set_nodelay(true);
            });
            axum::serve(listener, router).await?;
            Ok(())
        })
    }
}

/// Lets in who asks for us, from our own page, with the token.
async fn guard(State(state): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let allowed = security::check(request.headers(), state.port);
    let first = request.uri().path().split('/').nth(1).unwrap_or_default();
    let response = match allowed {
        Err(Refusal::Host) => (
            StatusCode::MISDIRECTED_REQUEST,
            "this server answers to 127.0.0.1 and localhost only\n",
        )
            .into_response(),
        Err(Refusal::Origin) => {
            (StatusCode::FORBIDDEN, "another page may not ask\n").into_response()
        }
        // As if there were nothing: who guesses learns nothing.
        Ok(()) if !state.token.is(first) => nothing(),
        Ok(()) => next.run(request).await,
    };
    sealed(response)
}

/// The page's address without its last slash.
async fn slash(Path(token): Path<String>) -> Redirect {
    Redirect::permanent(&format!("/{token}/"))
}

/// What is shown where nothing is: the same wherever that is.
fn nothing() -> Response {
    (StatusCode::NOT_FOUND, Html(NOTHING)).into_response()
}

/// Headers that keep the page to itself.
fn sealed(mut response: Response) -> Response {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fixed {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn file(Path((_, file)): Path<(String, String)>) -> Response {
    serve(&file)
}

fn serve(path: &str) -> Response {
    let file = assets::find(path).map(|(kind, bytes)| ([(header::CONTENT_TYPE, kind)], bytes));
    file.ok_or(StatusCode::NOT_FOUND).into_response()
}

/// The page's socket: all that there is to see.
async fn socket(state: State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    open(state, upgrade, true)
}

/// A terminal's socket: answers only.
async fn terminal(state: State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    open(state, upgrade, false)
}

fn open(State(state): State<Arc<Shared>>, upgrade: WebSocketUpgrade, sees: bool) -> Response {
    upgrade
        .max_message_size(MOST_BYTES)
        .on_upgrade(move |socket| converse(state, socket, sees))
}

/// Carries messages between a client and the hub until one of them is gone.
async fn converse(state: Arc<Shared>, socket: WebSocket, sees: bool) {
    let (mut sink, mut stream) = socket.split();
    let (out, mut messages) = mpsc::channel(PATIENCE);
    let client = state
        .hub
        .join(sees, move |message| out.try_send(message).is_ok());
    let outward = async {
        while let Some(message) = messages.recv().await {
            let frame = match message {
                Message::Text(text) => Frame::text(&*text),
                Message::Binary(bytes) => Frame::binary(bytes.to_vec()),
            };
            if sink.send(frame).await.is_err() {
                return;
            }
        }
        // The hub has let this client go: it will ask again.
        let _gone = sink.close().await;
    };
    let inward = async {
        while let Some(Ok(frame)) = stream.next().await {
            let Frame::Text(text) = frame else {
                continue;
            };
            // What is no question of this protocol comes from another build or from nobody sensible.
            let Ok(ask) = serde_json::from_str::<Ask>(&text) else {
                return;
            };
            state.hub.ask(client, ask);
        }
    };
    tokio::select! {
        () = outward => {}
        () = inward => {}
    }
    state.hub.leave(client);
}
