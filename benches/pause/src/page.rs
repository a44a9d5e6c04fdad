//! A page's socket: the Pause button, and how long until the answer is there.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::Message;

use crate::Bench;
use crate::rows::{Debugger, Row};

/// No command without an end is pressed later than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// A debugger's page, without a browser.
struct Page {
    server: Child,
    /// Sends; what arrives and ends something comes out of `heard`.
    socket: tungstenite::WebSocket<TcpStream>,
    heard: Receiver<Heard>,
    next: u64,
}

/// What ends a command.
#[derive(Clone, Copy, PartialEq)]
enum Heard {
    /// The question of this number is answered.
    Answer(u64),
    /// A search for futures, which answers at once that it has begun, has shown the last that it found.
    SearchEnded,
}

impl Heard {
    /// A frame that answers begins with what it is, as JSON.
    fn in_frame(frame: &[u8]) -> Option<Self> {
        let (length, rest) = frame.split_first_chunk()?;
        let header = rest.get(..u32::from_le_bytes(*length) as usize)?;
        let header: Value = serde_json::from_slice(header).ok()?;
        header["id"].as_u64().map(Self::Answer)
    }

    fn in_message(told: &Value) -> Option<Self> {
        match told["tell"].as_str()? {
            "reply" | "failed" => told["id"].as_u64().map(Self::Answer),
            "patch" => {
                // Once it has ended, the button makes the page forget what was found.
                let is_last = |listing: &Value| listing.is_null() || listing["working"] == false;
                let mut parts = told["parts"].as_array()?.iter();
                parts
                    .any(|part| part["part"] == "suggestions" && is_last(&part["is"]))
                    .then_some(Self::SearchEnded)
            }
            _ => None,
        }
    }
}

impl Page {
    fn open(bench: &Bench, program: &str) -> Result<Self, String> {
        let mut command = bench.borges(&["debug", program, "--no-browser", "--no-prompt", "--json"]);
        let mut server = command.stdout(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
        let out = server.stdout.take().ok_or("the server has no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).map_err(|e| e.to_string())?;
        let told: Value = serde_json::from_str(&line).map_err(|e| format!("{line}: {e}"))?;
        let url = told["url"].as_str().ok_or("the server says no address")?.to_owned();
        let rest = url.strip_prefix("http://").ok_or("the address is no page's")?;
        let host = rest.split('/').next().unwrap_or_default();
        let stream = TcpStream::connect(host).map_err(|e| e.to_string())?;
        stream.set_nodelay(true).map_err(|e| e.to_string())?;
        let twin = stream.try_clone().map_err(|e| e.to_string())?;
        let address = format!("ws://{rest}socket");
        let (socket, _) = tungstenite::client(&address, stream).map_err(|e| e.to_string())?;
        let (tell, heard) = mpsc::channel();
        let mut ears = tungstenite::WebSocket::from_raw_socket(twin, tungstenite::protocol::Role::Client, None);
        thread::spawn(move || {
            while let Ok(message) = ears.read() {
                let end = match message {
                    Message::Text(text) => serde_json::from_str(&text)
                        .ok()
                        .and_then(|told| Heard::in_message(&told)),
                    Message::Binary(frame) => Heard::in_frame(&frame),
                    _ => None,
                };
                if let Some(end) = end
                    && tell.send(end).is_err()
                {
                    return;
                }
            }
        });
        Ok(Self {
            server,
            socket,
            heard,
            next: 1,
        })
    }

    fn send(&mut self, ask: &Value) -> Result<(), String> {
        self.socket
            .send(Message::text(ask.to_string()))
            .map_err(|e| e.to_string())
    }

    /// Begins a command or a search; what will end it.
    fn begin(&mut self, command: &Value) -> Result<Heard, String> {
        let id = self.next;
        self.next += 1;
        if command["ask"] != "suggest" {
            self.send(&json!({"ask": "command", "id": id, "command": command}))?;
            return Ok(Heard::Answer(id));
        }
        let mut question = command.clone();
        question["id"] = id.into();
        self.send(&question)?;
        match self.ended(Heard::Answer(id), PATIENCE)? {
            true => Ok(Heard::SearchEnded),
            false => Err(format!("{command} does not begin")),
        }
    }

    /// Waits for an end; whether it came.
    fn ended(&self, end: Heard, within: Duration) -> Result<bool, String> {
        let deadline = Instant::now() + within;
        loop {
            match self
                .heard
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(heard) if heard == end => return Ok(true),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(false),
                Err(RecvTimeoutError::Disconnected) => return Err("the server has gone".into()),
            }
        }
    }

    /// Presses what ends it.
    fn pause(&mut self, end: Heard) -> Result<(), String> {
        let button = if end == Heard::SearchEnded {
            "end-suggestions"
        } else {
            "pause"
        };
        self.send(&json!({"ask": button}))
    }

    fn done(&mut self, command: &Value) -> Result<(), String> {
        let end = self.begin(command)?;
        match self.ended(end, PATIENCE)? {
            true => Ok(()),
            false => Err(format!("{command} does not end")),
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _gone = self.server.kill();
        let _waited = self.server.wait();
    }
}

pub fn press(bench: &mut Bench, debuggers: &[Debugger<Value>], print: &mut dyn FnMut(Row)) -> Result<(), String> {
    for debugger in debuggers {
        let wanted = |(_, command): &&(Vec<Value>, Value)| bench.wants(&command.to_string());
        if !debugger.rows.iter().any(|row| wanted(&row)) {
            continue;
        }
        let mut page = Page::open(bench, debugger.opens)?;
        for command in &debugger.ready {
            page.done(command)?;
        }
        for (before, command) in &debugger.rows {
            if !bench.wants(&command.to_string()) {
                continue;
            }
            let mut row = Row::new("page", command);
            while !row.is_full(bench.presses) {
                for command in before {
                    page.done(command)?;
                }
                let end = page.begin(command)?;
                if page.ended(end, bench.moment(debugger.within))? {
                    row.ended += 1;
                    continue;
                }
                let pressed = Instant::now();
                page.pause(end)?;
                if !page.ended(end, PATIENCE)? {
                    return Err(format!("{command} is deaf"));
                }
                row.times.push(pressed.elapsed().as_secs_f64() * 1e3);
            }
            print(row);
        }
    }
    Ok(())
}
