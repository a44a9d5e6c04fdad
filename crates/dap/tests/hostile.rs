//! What strangers and broken editors send: errors, and never a hang.

mod support;

use serde_json::json;
use support::{Editor, examples};

/// Bytes that are no messages end a connection with a word about why.
#[test]
fn what_is_no_message_ends_the_connection() {
    let long = format!("X: {}\r\n", "x".repeat(10_000));
    let cases: &[(&str, &str)] = &[
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "is no header"),
        ("Content-Length: 1e3\r\n\r\n", "is no header"),
        ("Content-Length: 5000000000\r\n\r\n{", "at most"),
        ("Content-Length: 10\r\n\r\n{", "inside a message"),
        (
            "Content-Length: 3\r\nContent-Length: 2\r\n\r\n{} ",
            "is no header",
        ),
        (&long, "a header of more than"),
        ("\0\0\0\0\n", "is no header"),
    ];
    for (bytes, expected) in cases {
        let mut editor = Editor::new(None);
        editor.send_bytes(bytes.as_bytes());
        editor.hang_up();
        let said = editor.event("output");
        let text = said["output"].as_str().unwrap_or_default();
        assert!(text.contains(expected), "{bytes:?}: {text}");
        editor.end();
    }
}

/// A message that is no request is told, and passed by.
#[test]
fn what_is_no_request_is_passed_by() {
    let bodies = [
        "[]",
        "1",
        "null",
        "{}",
        "{\"seq\":1}",
        "not JSON",
        "{\"seq\":\"x\",\"type\":\"request\",\"command\":\"threads\"}",
        "{\"seq\":1,\"type\":\"response\",\"command\":\"threads\"}",
        "{\"seq\":1,\"type\":\"request\"}",
        "\u{feff}{}",
    ];
    let mut editor = Editor::new(None);
    for body in bodies {
        editor.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        editor.event("output");
    }
    let deep = "[".repeat(100_000);
    editor.send_bytes(format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes());
    editor.event("output");
    editor.get("initialize", json!({ "adapterID": "borges" }));
    editor.leave();
}

/// Requests that come too early, twice, or with arguments that are none are refused one by one.
#[test]
fn requests_out_of_order_and_with_odd_arguments_are_refused() {
    let mut editor = Editor::new(None);
    let refused =
        |editor: &mut Editor, command: &str, arguments: serde_json::Value, words: &str| {
            let answer = editor.ask(command, arguments.clone());
            assert_eq!(answer["success"], false, "{command} {arguments}: {answer}");
            let message = answer["message"].as_str().unwrap_or_default();
            assert!(message.contains(words), "{command} {arguments}: {message}");
        };
    refused(&mut editor, "threads", json!({}), "initialize");
    refused(
        &mut editor,
        "launch",
        json!({ "program": "x.wasm" }),
        "initialize",
    );
    editor.get("initialize", json!({ "adapterID": "borges" }));
    refused(&mut editor, "initialize", json!({}), "once");
    refused(&mut editor, "configurationDone", json!({}), "launch");
    refused(&mut editor, "setBreakpoints", json!({}), "launch");
    refused(&mut editor, "launch", json!({}), "program");
    refused(&mut editor, "launch", json!({ "program": 7 }), "wrong");
    refused(
        &mut editor,
        "launch",
        json!({ "program": "/nothing/there.wasm" }),
        "there.wasm",
    );
    refused(&mut editor, "attach", json!({}), "url");
    let program = examples().join("color-dial/color-dial.wasm");
    editor.get("launch", json!({ "program": program, "stopOnEntry": true }));
    editor.event("initialized");
    editor.begin();
    refused(
        &mut editor,
        "launch",
        json!({ "program": program }),
        "open already",
    );
    refused(&mut editor, "borges/nothing", json!({}), "not understood");
    refused(
        &mut editor,
        "writeMemory",
        json!({ "memoryReference": "0", "data": "" }),
        "not understood",
    );
    let odd = [
        json!([]),
        json!("x"),
        json!({ "threadId": "x" }),
        json!({ "threadId": 99 }),
        json!({ "frameId": -1 }),
        json!({ "frameId": i64::MAX }),
        json!({ "variablesReference": 0 }),
        json!({ "variablesReference": i64::MIN }),
        json!({ "targetId": 5, "threadId": 1 }),
        json!({ "memoryReference": "zzz", "instructionCount": 1, "count": 1 }),
        json!({ "memoryReference": "0", "instructionCount": u32::MAX, "count": 1 }),
        json!({ "source": {}, "line": -5, "column": -5, "breakpoints": [{ "line": i64::MIN }], "text": "é", "filters": ["x"] }),
        json!({ "source": { "path": "/x/color-dial.ts" }, "breakpoints": [{ "line": i64::MAX }], "line": i64::MAX }),
        json!({ "breakpoints": [{ "name": "", "dataId": "", "instructionReference": "", "hitCondition": "x" }] }),
        json!({ "name": "", "value": "", "variablesReference": 1 }),
        json!({ "expression": "((((", "context": "hover" }),
        json!({ "expression": "\u{0}", "context": "repl" }),
        json!({ "universe": {} }),
        json!({ "command": { "command": "x" } }),
        json!({ "direction": "sideways", "size": "over" }),
        json!({ "line": "" }),
        json!({ "sourceReference": -1 }),
    ];
    let commands = [
        "threads",
        "stackTrace",
        "scopes",
        "variables",
        "setVariable",
        "evaluate",
        "completions",
        "exceptionInfo",
        "loadedSources",
        "modules",
        "source",
        "breakpointLocations",
        "disassemble",
        "readMemory",
        "gotoTargets",
        "goto",
        "stepInTargets",
        "setBreakpoints",
        "setFunctionBreakpoints",
        "setInstructionBreakpoints",
        "setDataBreakpoints",
        "setExceptionBreakpoints",
        "dataBreakpointInfo",
        "restartFrame",
        "cancel",
        "borges/jump",
        "borges/here",
        "borges/session",
        "borges/step",
        "borges/multiverse",
        "borges/command",
    ];
    for command in commands {
        for arguments in &odd {
            // Whatever comes of it, there is an answer, and the next request has one too.
            editor.ask(command, arguments.clone());
        }
    }
    editor.get("threads", json!({}));
    editor.leave();
}

/// Random bytes between and inside messages.
#[test]
fn random_bytes_come_to_an_end() {
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut said = Vec::new();
    for _ in 0..200 {
        let mut editor = Editor::new(None);
        let message =
            br#"{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}"#;
        let header = format!("Content-Length: {}\r\n\r\n", message.len());
        let mut bytes = [header.as_bytes(), message].concat();
        for _ in 0..=next() % 4 {
            let at = (next() % bytes.len() as u64) as usize;
            bytes[at] = (next() % 256) as u8;
        }
        let end = (next() % (bytes.len() as u64 + 1)) as usize;
        editor.send_bytes(&bytes[..end]);
        said.extend(editor.all_said());
    }
    support::check_each(&said);
}
