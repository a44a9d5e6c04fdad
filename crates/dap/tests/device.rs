//! Programs of devices, as an editor debugs them.

mod support;

use serde_json::json;
use support::{Editor, examples};

#[test]
fn a_program_is_walked_through_forwards_and_back() {
    let program = examples().join("color-dial/color-dial.wasm");
    let source = examples().join("color-dial/color-dial.ts");
    let mut editor = Editor::new(None);
    editor.launch(&program, json!({}));
    let set = editor.get(
        "setBreakpoints",
        json!({
            "source": { "path": source }, "breakpoints": [{ "line": 19 }],
        }),
    );
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    let line = set["breakpoints"][0]["line"].clone();
    let stopped = editor.begin();
    assert_eq!(stopped["reason"], "entry");
    let stopped = editor.go("continue");
    assert_eq!(stopped["reason"], "breakpoint", "{stopped}");
    assert_eq!(
        stopped["hitBreakpointIds"],
        json!([set["breakpoints"][0]["id"]])
    );
    assert_eq!(json!(editor.line()), line);
    let locals = editor.scope("Locals");
    println!("{:?}", editor.variables(&locals));
    let globals = editor.scope("Globals");
    println!("{:?}", editor.variables(&globals));
    let stopped = editor.go("stepBack");
    assert_eq!(stopped["reason"], "step");
    assert!(json!(editor.line()) != line);
    let stopped = editor.go("reverseContinue");
    assert_eq!(stopped["reason"], "entry");
    editor.leave();
}
