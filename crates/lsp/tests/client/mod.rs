//! An editor without a window.

#![allow(dead_code, clippy::unwrap_used)] // Each suite uses a part of it.

use std::collections::VecDeque;
use std::thread::JoinHandle;

use borges_lsp::{Farewell, run};
use lsp_server::{Connection, Message, Notification, Request, Response};
use serde_json::{Value, json};

pub(crate) struct Client {
    connection: Option<Connection>,
    server: Option<JoinHandle<Farewell>>,
    next: i32,
    told: VecDeque<Notification>,
}

impl Client {
    /// One that nobody has greeted.
    pub(crate) fn stranger() -> Self {
        let (server, client) = Connection::memory();
        Self {
            connection: Some(client),
            server: Some(std::thread::spawn(move || run(&server))),
            next: 0,
            told: VecDeque::new(),
        }
    }

    pub(crate) fn new() -> Self {
        let mut client = Self::stranger();
        client.get("initialize", json!({ "capabilities": {} }));
        client.tell("initialized", json!({}));
        client
    }

    fn connection(&self) -> &Connection {
        self.connection.as_ref().unwrap()
    }

    pub(crate) fn send(&self, message: impl Into<Message>) {
        self.connection().sender.send(message.into()).unwrap();
    }

    pub(crate) fn tell(&self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params));
    }

    /// What is answered, and what else was told before, kept.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Response {
        self.next += 1;
        self.send(Request::new(self.next.into(), method.to_owned(), params));
        loop {
            match self.connection().receiver.recv().unwrap() {
                Message::Response(response) => {
                    assert_eq!(response.id, self.next.into());
                    return response;
                }
                Message::Notification(notification) => self.told.push_back(notification),
                Message::Request(request) => panic!("nothing may be asked: {request:?}"),
            }
        }
    }

    #[track_caller]
    pub(crate) fn get(&mut self, method: &str, params: Value) -> Value {
        let response = self.ask(method, params);
        response
            .response_result
            .unwrap_or_else(|error| panic!("{method}: {error:?}"))
    }

    #[track_caller]
    pub(crate) fn refused(&mut self, method: &str, params: Value) -> (i32, String) {
        let response = self.ask(method, params);
        let error = response.response_result.expect_err(method);
        (error.code, error.message)
    }

    /// The next that is told.
    pub(crate) fn told(&mut self, method: &str) -> Value {
        let next = self.told.pop_front().unwrap_or_else(|| {
            match self.connection().receiver.recv().unwrap() {
                Message::Notification(notification) => notification,
                other => panic!("{other:?}"),
            }
        });
        assert_eq!(next.method, method);
        next.params
    }

    pub(crate) fn open(&self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn change(&self, uri: &str, changes: Value) {
        let document = json!({ "uri": uri, "version": 2 });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", params);
    }

    /// Asks about the place before the `nth` time (from 0) that a text occurs in another, `text`.
    pub(crate) fn at(
        &mut self,
        method: &str,
        uri: &str,
        text: &str,
        word: &str,
        nth: usize,
    ) -> Value {
        let (offset, _) = text
            .match_indices(word)
            .nth(nth)
            .unwrap_or_else(|| panic!("{word}"));
        self.get(method, place(uri, text, offset))
    }

    /// The mistakes that are told next, each as `line:column-line:column message`.
    pub(crate) fn mistakes(&mut self) -> Vec<String> {
        let told = self.told("textDocument/publishDiagnostics");
        let all = told["diagnostics"].as_array().unwrap().iter();
        all.map(|one| {
            format!(
                "{} {}",
                range(&one["range"]),
                one["message"].as_str().unwrap()
            )
        })
        .collect()
    }

    pub(crate) fn leave(mut self) -> Farewell {
        self.get("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.take().unwrap().join().unwrap()
    }

    pub(crate) fn hang_up(mut self) -> Farewell {
        self.connection = None;
        self.server.take().unwrap().join().unwrap()
    }
}

/// The parameters of a question about a byte of a text.
pub(crate) fn place(uri: &str, text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": column } })
}

/// `line:column-line:column`, from 0 as in the protocol.
pub(crate) fn range(range: &Value) -> String {
    let place = |at: &Value| format!("{}:{}", at["line"], at["character"]);
    format!("{}-{}", place(&range["start"]), place(&range["end"]))
}

/// A text after edits, none of which touch each other.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let lines: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let offset = |at: &Value| {
        let start = lines[at["line"].as_u64().unwrap() as usize];
        let mut units = at["character"].as_u64().unwrap() as usize;
        let mut offset = start;
        for c in text[start..].chars() {
            if units == 0 {
                break;
            }
            units -= c.len_utf16();
            offset += c.len_utf8();
        }
        offset
    };
    let mut edits: Vec<_> = edits.as_array().unwrap().iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(offset(&edit["range"]["start"])));
    let mut text = text.to_owned();
    for edit in edits {
        let (start, end) = (
            offset(&edit["range"]["start"]),
            offset(&edit["range"]["end"]),
        );
        text.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    text
}
