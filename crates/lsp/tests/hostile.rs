//! What strangers and broken editors send: errors, and never a hang.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

mod client;

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use borges_lsp::{Farewell, serve};
use client::Client;
use lsp_server::{Message, Response};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a stream was given.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is said to some bytes, and how it ends.
fn said(bytes: &[u8]) -> (Vec<Message>, Farewell) {
    let written = Written::default();
    let ended = serve(Cursor::new(bytes.to_vec()), written.clone()).unwrap();
    let bytes = written.0.lock().unwrap().clone();
    let mut messages = Vec::new();
    let mut input = Cursor::new(bytes);
    while let Some(message) = Message::read(&mut input).unwrap() {
        messages.push(message);
    }
    (messages, ended)
}

fn framed(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

const HELLO: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
const SHUTDOWN: &str = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

#[test]
fn what_is_no_frame_ends_the_conversation_with_a_word_about_why() {
    let long = format!("X: {}\r\n", "x".repeat(10_000));
    let cases: &[(&str, &str)] = &[
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "is no header"),
        ("Content-Length: 18446744073709551615\r\n\r\n{", "at most"),
        (
            "Content-Length: 99999999999999999999\r\n\r\n{",
            "is no header",
        ),
        ("Content-Length: 5000000000\r\n\r\n{", "at most"),
        ("Content-Length: -1\r\n\r\n{", "is no header"),
        ("Content-Length: 10\r\n\r\n{", "inside a message"),
        ("Content-Type: x\r\n\r\n{}", "without Content-Length"),
        ("\0\0\0\0\n", "is no header"),
        (&long, "a header of more than"),
    ];
    for (bytes, expected) in cases {
        let (messages, ended) = said(bytes.as_bytes());
        assert_eq!(ended, Farewell::Sudden);
        let [Message::Notification(told)] = &messages[..] else {
            panic!("{bytes}: {messages:?}");
        };
        assert_eq!(told.method, "window/logMessage");
        assert!(
            told.params.to_string().contains(expected),
            "{bytes}: {told:?}"
        );
    }
}

#[test]
fn what_is_no_message_is_told_and_passed_by() {
    let deep = "[".repeat(100_000);
    let bodies = [
        "[]",
        "1",
        "null",
        "{}",
        "not JSON",
        "{\"id\":1}",
        "\u{feff}{}",
        "{\"id\":{},\"method\":\"x\"}",
        "{\"id\":99999999999,\"method\":\"x\"}",
        "\u{0}",
        &deep,
    ];
    let mut bytes: String = bodies.iter().map(|body| framed(body)).collect();
    bytes.push_str(&framed(HELLO));
    bytes.push_str(&framed(SHUTDOWN));
    bytes.push_str(&framed(EXIT));
    let (messages, ended) = said(bytes.as_bytes());
    assert_eq!(ended, Farewell::Agreed);
    let (told, answers): (Vec<_>, Vec<_>) = messages
        .into_iter()
        .partition(|message| matches!(message, Message::Notification(_)));
    assert_eq!((told.len(), answers.len()), (bodies.len(), 2));
}

#[test]
fn requests_out_of_order_and_unknown_ones_are_refused_one_by_one() {
    let mut client = Client::stranger();
    client.tell("textDocument/didOpen", json!({}));
    client.send(Response::new_ok(7.into(), Value::Null));
    assert_eq!(client.refused("textDocument/hover", json!({})).0, -32002);
    assert_eq!(client.refused("shutdown", Value::Null).0, -32002);
    client.get("initialize", json!(null));
    assert_eq!(client.refused("initialize", json!({})).0, -32600);
    assert_eq!(client.refused("textDocument/nothing", json!({})).0, -32601);
    assert_eq!(client.refused("", Value::Null).0, -32601);
    client.tell("$/cancelRequest", json!({ "id": 3 }));
    client.tell("nothing/known", json!([]));
    client.get("shutdown", Value::Null);
    assert_eq!(client.refused("textDocument/hover", json!({})).0, -32600);
    assert_eq!(client.hang_up(), Farewell::Sudden);
    let client = Client::new();
    client.tell("exit", Value::Null);
    assert_eq!(client.hang_up(), Farewell::Sudden);
}

#[test]
fn odd_parameters_are_refused_and_places_beyond_a_text_are_its_end() {
    let mut client = Client::new();
    let uri = "file:///a.oz";
    client.open(uri, "let λ = 1 in {λ 𝛌} end");
    client.told("textDocument/publishDiagnostics");
    let methods = [
        "hover",
        "definition",
        "references",
        "documentHighlight",
        "documentSymbol",
        "completion",
        "formatting",
        "prepareRename",
        "rename",
    ];
    let odd = [
        json!(null),
        json!([]),
        json!("x"),
        json!({ "textDocument": { "uri": 7 } }),
        json!({ "textDocument": { "uri": "\u{0} %%" }, "position": { "line": 0, "character": 0 } }),
        json!({ "textDocument": { "uri": uri }, "position": { "line": -1, "character": 0 } }),
        json!({ "textDocument": { "uri": uri }, "position": { "line": 5e9, "character": 0 } }),
    ];
    for method in methods {
        let method = format!("textDocument/{method}");
        for params in &odd {
            // Some ask for no place.
            let answer = client.ask(&method, params.clone());
            let has_none = answer.response_result.is_ok() && params["textDocument"]["uri"] == uri;
            let code = answer.response_result.err().map(|error| error.code);
            assert!(
                code == Some(-32602) || has_none,
                "{method} {params}: {code:?}"
            );
        }
        for (line, character) in [(0, u32::MAX), (u32::MAX, 0), (u32::MAX, u32::MAX), (0, 16)] {
            let params = json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character }, "context": { "includeDeclaration": true, "triggerKind": 1 }, "options": { "tabSize": 0, "insertSpaces": false }, "newName": "\u{0}" });
            let answer = client.ask(&method, params);
            assert!(
                answer.response_result.is_ok() || method.ends_with("ename"),
                "{method}"
            );
        }
    }
    // A range from behind to before, and beyond.
    let change = |from: (u32, u32), to: (u32, u32)| json!({ "range": { "start": { "line": from.0, "character": from.1 }, "end": { "line": to.0, "character": to.1 } }, "text": "λ" });
    client.change(
        uri,
        json!([
            change((0, 9), (0, 2)),
            change((u32::MAX, 0), (0, 0)),
            change((0, 17), (0, 17))
        ]),
    );
    assert_eq!(client.mistakes().len(), 1);
    for notification in ["didOpen", "didChange", "didClose"] {
        client.tell(
            &format!("textDocument/{notification}"),
            json!({ "textDocument": 7 }),
        );
        client.told("window/showMessage");
    }
    client.change("file:///not-open.oz", json!([{ "text": "" }]));
    client.leave();
}

#[test]
fn there_are_limits_and_they_are_told() {
    const LONG: usize = 1 << 20;
    let mut client = Client::new();
    let uri = "file:///a.amb";
    let text = |bytes: usize| format!("1{}", " ".repeat(bytes - 1));
    client.open(uri, &text(LONG));
    assert_eq!(client.mistakes(), [""; 0]);
    client.open(uri, &text(LONG + 1));
    assert_eq!(
        client.mistakes(),
        [format!(
            "0:0-0:0 texts of more than {LONG} bytes are not looked at"
        )]
    );
    assert_eq!(
        client.at("textDocument/hover", uri, "1", "1", 0),
        Value::Null
    );
    // A mistake more than is told at once.
    for (mistakes, told) in [(100, 100), (101, 100)] {
        client.open("file:///b.oz", &vec!["{x}"; mistakes].join(";"));
        assert_eq!(client.mistakes().len(), told);
    }
    // 2 documents are open.
    for nth in 2..1_000 {
        client.open(&format!("file:///{nth}.amb"), "1");
        assert_eq!(client.mistakes(), [""; 0]);
    }
    client.open("file:///one-more.amb", "1");
    let told = client.told("window/showMessage");
    assert!(
        told["message"].as_str().unwrap().contains("1000 documents"),
        "{told}"
    );
    client.open("file:///999.amb", "");
    assert_eq!(client.mistakes().len(), 1);
    client.leave();
}

proptest! {
    /// Any edits of any texts: the server has the text that the editor has.
    #[test]
    fn edits_lead_to_the_same_text(
        start in "[a-d \\nλ𝛌(]{0,40}",
        edits in prop::collection::vec((0..50_usize, 0..50_usize, "[a-d\\r\\nλ𝛌{}]{0,5}"), 0..8),
    ) {
        let mut client = Client::new();
        let uri = "file:///a.oz";
        let mut text = start.clone();
        client.open(uri, &text);
        client.told("textDocument/publishDiagnostics");
        for (from, to, new) in edits {
            // An editor's places are those of its text.
            let boundary = |at: usize| text.floor_char_boundary(at.min(text.len()));
            let (from, to) = (boundary(from.min(to)), boundary(from.max(to)));
            let place = |offset: usize| {
                let before = text[..offset].replace("\r\n", "\n").replace('\r', "\n");
                let inside = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                (!inside).then(|| json!({ "line": before.matches('\n').count(), "character": before.rsplit('\n').next().unwrap().encode_utf16().count() }))
            };
            let (Some(start), Some(end)) = (place(from), place(to)) else {
                continue;
            };
            client.change(uri, json!([{ "range": { "start": start, "end": end }, "text": new }]));
            text.replace_range(from..to, &new);
            let told = client.mistakes();
            // The same text, opened anew, has the same mistakes at the same places.
            let other = "file:///b.oz";
            client.open(other, &text);
            prop_assert_eq!(told, client.mistakes(), "{:?}", text);
        }
    }
}
