//! A server as strangers and terminals see it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use borges_hub::protocol::ShelfListing;
use borges_hub::{Hub, Opened, Shelf};
use borges_session::command::{Act, Direction, Flow, Look, Reply, StepSize, StopReason};
use borges_session::{Observer, Options, Session};
use borges_web::attach::{AttachError, Attached};
use borges_web::{Config, Server};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Opens whatever file it is asked for.
struct Anything;

impl Shelf for Anything {
    fn listing(&mut self) -> ShelfListing {
        ShelfListing::default()
    }

    fn open(&mut self, path: &str, observer: Observer<'_>) -> Result<Opened, String> {
        let path = Path::new(path);
        let session = if path.extension().is_some_and(|e| e == "wasm") {
            Session::open(Options::new(path))
        } else {
            Session::resume_observed(path, observer)
        };
        let session = session.map_err(|error| error.to_string())?;
        Ok(Opened::Device(Box::new(session)))
    }
}

/// A server with the colour dial; it serves until the test ends.
fn serve() -> String {
    let dial = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/color-dial/color-dial.wasm"
    );
    let (hub, _owner) = Hub::start(Box::new(Anything), Some(dial.to_owned())).expect("it opens");
    let config = Config {
        port: 0,
        token: Some(TOKEN.to_owned()),
    };
    let server = Server::bind(hub, &config).expect("it listens");
    let url = server.url();
    std::thread::spawn(move || server.run());
    url
}

fn port(url: &str) -> &str {
    url.split([':', '/']).nth(4).expect("an address has a port")
}

/// Sends a request as it is and gives the answer's status and text.
fn ask(url: &str, request: &str) -> (u16, String) {
    let port = port(url);
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("it answers");
    let request = request.replace("PORT", port);
    stream
        .write_all(request.as_bytes())
        .expect("it can be written");
    let mut bytes = Vec::new();
    // A server that hangs up early has answered all the same.
    let _ = stream.read_to_end(&mut bytes);
    let answer = String::from_utf8_lossy(&bytes).into_owned();
    let status = answer
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    (status.unwrap_or(0), answer)
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n")
}

#[test]
fn strangers_get_nothing() {
    let url = serve();
    let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let page = format!("/{TOKEN}/");
    let socket = format!("/{TOKEN}/socket");
    let ours = "Host: 127.0.0.1:PORT\r\n";
    let cases = [
        // The page, as its own user opens it.
        (get(&page, ours), 200),
        (get(&page, "Host: localhost:PORT\r\n"), 200),
        // Its last slash may be missing.
        (get(page.trim_end_matches('/'), ours), 308),
        // Wrong or no token: not even the page.
        (get("/", ours), 404),
        (get("/0123456789abcdef0123456789abcdee/", ours), 404),
        (get("/0123456789abcdef0123456789abcde/", ours), 404),
        (get("/0123456789abcdef/page.js", ours), 404),
        (get("/wrong/socket", &format!("{ours}{upgrade}")), 404),
        // A name that was made to resolve to loopback.
        (get(&page, "Host: rebound.example:PORT\r\n"), 421),
        (get(&page, "Host: rebound.example\r\n"), 421),
        (
            get(&socket, &format!("Host: rebound.example:PORT\r\n{upgrade}")),
            421,
        ),
        // Another page, with the right token.
        (
            get(
                &socket,
                &format!("{ours}{upgrade}Origin: http://evil.example\r\n"),
            ),
            403,
        ),
        (
            get(
                &socket,
                &format!("{ours}{upgrade}Origin: http://127.0.0.1:1\r\n"),
            ),
            403,
        ),
        (
            get(&socket, &format!("{ours}{upgrade}Origin: null\r\n")),
            403,
        ),
        (
            get(&page, &format!("{ours}Sec-Fetch-Site: cross-site\r\n")),
            403,
        ),
        // Paths that lead out of the page.
        (get(&format!("{page}../../etc/passwd"), ours), 404),
        (get(&format!("{page}%2e%2e%2fsecret"), ours), 404),
    ];
    for (request, expected) in cases {
        let (status, answer) = ask(&url, &request);
        assert_eq!(status, expected, "{request}\n{answer}");
        let quiet = answer.to_ascii_lowercase();
        assert!(!quiet.contains("access-control-allow"), "no CORS: {answer}");
        assert!(quiet.contains("content-security-policy: default-src 'none'"));
        if expected != 200 {
            assert!(!answer.contains("<script"), "{answer}");
        }
    }
}

#[test]
fn terminals_share_one_session() {
    let url = serve();
    let mut one = Attached::connect(&url).expect("it connects");
    let mut other = Attached::connect(&url).expect("it connects");
    let step = Act::Step {
        agent: None,
        direction: Direction::Forward,
        size: StepSize::Entry,
        count: 2,
    };
    let Ok(Reply::Stopped(stop)) = one.execute(step, &mut |_| Flow::Continue) else {
        panic!("a step stops");
    };
    let Ok(Reply::Info(info)) = other.execute(Look::Info, &mut |_| Flow::Continue) else {
        panic!("there is a session");
    };
    assert_eq!(info.here, stop.at, "both look at one session");
    let nowhere = Act::Jump {
        target: "9.9".to_owned(),
    };
    let refused = other.execute(nowhere, &mut |_| Flow::Continue);
    assert!(matches!(refused, Err(AttachError::Failed(_))));
}

#[test]
fn a_pause_right_behind_a_command_is_heard() {
    let mut terminal = Attached::connect(&serve()).expect("it connects");
    let onward = Act::Continue {
        direction: Direction::Forward,
    };
    for _ in 0..20 {
        // The server may not have begun yet.
        let paused = terminal.execute(onward.clone(), &mut |_| Flow::Pause);
        let Ok(Reply::Stopped(stop)) = paused else {
            panic!("it runs until it is paused: {paused:?}");
        };
        assert_eq!(stop.reason, StopReason::Paused);
    }
    // It was meant for what was asked before.
    let step = Act::Step {
        agent: None,
        direction: Direction::Forward,
        size: StepSize::Entry,
        count: 3,
    };
    let stepped = terminal.execute(step, &mut |_| Flow::Continue);
    assert!(matches!(stepped, Ok(Reply::Stopped(stop)) if stop.reason == StopReason::Done));
}

/// Sends a message, and reads what comes until one of the texts `is_it`; nothing if the server hangs up before.
fn told(
    url: &str,
    message: impl Into<tungstenite::Utf8Bytes>,
    is_it: impl Fn(&str) -> bool,
) -> Option<String> {
    let stream = TcpStream::connect(format!("127.0.0.1:{}", port(url))).expect("it answers");
    let address = format!("ws://127.0.0.1:{}/{TOKEN}/socket", port(url));
    let (mut socket, _) = tungstenite::client(&address, stream).expect("a socket");
    socket
        .send(tungstenite::Message::text(message))
        .expect("it can be sent");
    while let Ok(message) = socket.read() {
        if let tungstenite::Message::Text(text) = message
            && is_it(&text)
        {
            return Some(text.to_string());
        }
    }
    None
}

#[test]
fn hostile_messages_and_files_are_refused() {
    let url = serve();
    let folder = tempfile::tempdir().expect("a folder");
    let hostile = folder.path().join("hostile.borges");
    let mut bytes = b"SQLite format 3\0".to_vec();
    bytes.extend(std::iter::repeat_n([0xff, 0x00, 0x41, 0x7f], 2000).flatten());
    std::fs::write(&hostile, bytes).expect("it can be written");
    // No question of this protocol: the server hangs up.
    for nonsense in ["", "{", r#"{"ask":"delete-everything"}"#, "[1,2,3]"] {
        assert_eq!(
            told(&url, nonsense, |text| text.contains("\"reply\"")),
            None
        );
    }
    // A file that only looks like a session: refused in words, and the session before goes on.
    let open = serde_json::json!({ "ask": "open", "id": 1, "path": hostile });
    let failed = told(&url, open.to_string(), |text| text.contains("\"failed\""));
    let failed = failed.expect("the server is still there");
    assert!(failed.contains("\"id\":1"), "{failed}");
    let mut terminal = Attached::connect(&url).expect("it connects");
    let info = terminal.execute(Look::Info, &mut |_| Flow::Continue);
    assert!(matches!(info, Ok(Reply::Info(_))));
}

#[test]
fn so_many_expressions_are_watched_and_one_more_says_that_it_is_not() {
    let url = serve();
    let words = "not looked at: at most 64 expressions are watched";
    for (count, rows, refused) in [(64, 64, 0), (65, 65, 1), (66, 65, 1)] {
        let expressions: Vec<String> = (0..count).map(|n| format!("{count} + {n}")).collect();
        let watch = serde_json::json!({ "ask": "watch", "expressions": expressions });
        let first = format!("\"expression\":\"{count} + 0\"");
        let told = told(&url, watch.to_string(), |text| text.contains(&first));
        let told = told.expect("the server goes on");
        let found = (
            told.matches("\"expression\":").count(),
            told.matches(words).count(),
        );
        assert_eq!(found, (rows, refused), "{told}");
    }
}

#[test]
fn a_message_has_so_many_bytes_at_most() {
    let url = serve();
    let entries = r#"{"ask":"command","id":77,"command":{"command":"moment"}}"#;
    let padded = |length: usize| entries.to_owned() + &" ".repeat(length - entries.len());
    let is_answer = |text: &str| text.contains("\"id\":77");
    assert!(told(&url, padded(1 << 20), is_answer).is_some());
    assert_eq!(told(&url, padded((1 << 20) + 1), is_answer), None);
}
