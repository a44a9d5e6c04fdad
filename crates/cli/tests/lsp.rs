//! `borges lsp` as an editor starts it.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// What is said to some bytes, and the exit code.
fn said(arguments: &[&str], bytes: &[u8]) -> (String, Option<i32>) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_borges"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("borges runs");
    let mut input = server.stdin.take().expect("it is a pipe");
    // It may leave before it has read everything.
    let _ = input.write_all(bytes);
    drop(input);
    let mut said = String::new();
    let mut output = server.stdout.take().expect("it is a pipe");
    output.read_to_string(&mut said).expect("it is text");
    (said, server.wait().expect("it ends").code())
}

fn framed(messages: &[Value]) -> Vec<u8> {
    let frames = messages.iter().map(|message| {
        let body = message.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    });
    frames.collect::<String>().into_bytes()
}

#[test]
fn an_editor_is_greeted_told_of_mistakes_and_left() {
    let document =
        json!({ "uri": "file:///a.oz", "languageId": "oz", "version": 1, "text": "{λ 1}" });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }),
        json!({ "jsonrpc": "2.0", "method": "exit" }),
    ];
    for arguments in [&["lsp"][..], &["lsp", "--stdio"]] {
        let (said, code) = said(arguments, &framed(&messages[..]));
        assert_eq!(code, Some(0), "{said}");
        assert!(
            said.contains("hoverProvider") && said.contains("\"id\":2"),
            "{said}"
        );
    }
    let (told, code) = said(&["lsp"], &framed(&messages[..2]));
    assert_eq!(code, Some(1));
    assert!(
        told.contains("nothing of this name is bound here"),
        "{told}"
    );
}

#[test]
fn bytes_that_are_no_messages_end_it_with_a_word() {
    for bytes in [
        "GET / HTTP/1.1\r\n\r\n",
        "Content-Length: 18446744073709551615\r\n\r\n{",
        "\0\n",
    ] {
        let (said, code) = said(&["lsp"], bytes.as_bytes());
        assert_eq!(code, Some(1), "{bytes}");
        assert!(said.contains("window/logMessage"), "{bytes}: {said}");
    }
}
