//! Two editors at one session.

mod support;

use serde_json::json;
use support::{Editor, examples, hub};

/// What one does the other sees; each deletes only the breakpoints that it set.
#[test]
fn what_one_editor_does_another_is_told() {
    let hub = hub(&examples().join("color-dial/color-dial.wasm"));
    let join = || {
        let mut editor = Editor::new(Some(hub.clone()));
        editor.get(
            "initialize",
            json!({ "adapterID": "borges", "supportsInvalidatedEvent": true }),
        );
        editor.get("attach", json!({ "url": "here" }));
        editor.event("initialized");
        editor.begin();
        editor
    };
    let (mut one, mut other) = (join(), join());
    let source = json!({ "path": examples().join("color-dial/color-dial.ts") });
    let lines = |lines: serde_json::Value| json!({ "source": source, "breakpoints": lines });
    let set = one.get("setBreakpoints", lines(json!([{ "line": 19 }])));
    let id = set["breakpoints"][0]["id"].clone();
    let told = other.event("breakpoint");
    assert_eq!(
        (&told["reason"], &told["breakpoint"]["id"]),
        (&json!("new"), &id)
    );
    one.go("continue");
    let seen = other.event("stopped");
    assert_eq!(
        (&seen["reason"], &seen["hitBreakpointIds"]),
        (&json!("breakpoint"), &json!([id]))
    );
    assert_eq!(other.line(), 19);
    // An editor sends what it was told of as if it were its own: it stays the other's.
    let again = other.get(
        "setBreakpoints",
        lines(json!([{ "line": 19 }, { "line": 20 }])),
    );
    assert_eq!(again["breakpoints"][0]["id"], id);
    other.get("setBreakpoints", lines(json!([])));
    let left = one.get(
        "borges/session",
        json!({ "command": { "command": "breakpoints" } }),
    );
    let left = left["breakpoints"].as_array().cloned().unwrap_or_default();
    let ids: Vec<_> = left.iter().map(|one| one["id"].clone()).collect();
    assert!(ids.contains(&id), "{ids:?}");
    let mock = json!({ "expression": "mock read_uart_sensor = 3", "context": "repl" });
    one.get("evaluate", mock);
    assert_eq!(other.event("invalidated")["areas"], json!(["variables"]));
    one.leave();
    other.get("threads", json!({}));
    other.leave();
    hub.stop();
}
