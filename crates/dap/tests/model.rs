//! Programs of model languages, as an editor debugs them.

mod support;

use serde_json::{Value, json};
use support::{Editor, examples};

/// Agents are threads of the universe shown; a step of one leads to another universe, and back.
#[test]
fn actors_are_threads_of_a_universe() {
    let mut editor = Editor::new(None);
    editor.launch(&examples().join("math-actor/math.at"), json!({}));
    let stopped = editor.begin();
    assert_eq!(stopped["reason"], "entry");
    let main = stopped["threadId"].clone();
    let stack = editor.get("stackTrace", json!({ "threadId": main }));
    assert!(
        stack["stackFrames"][0]["line"].as_i64() > Some(0),
        "{stack}"
    );
    editor.get("stepIn", json!({ "threadId": main }));
    let stepped = editor.event("stopped");
    assert_eq!(stepped["reason"], "step", "{stepped}");
    let here = editor.get("borges/here", json!({}));
    assert!(here["universe"].as_u64() > Some(0), "{here}");
    editor.get("stepBack", json!({ "threadId": main }));
    editor.event("stopped");
    editor.leave();
}

/// A breakpoint on a line halts who comes to it; without one, a run goes to its ends.
#[test]
fn lines_halt_agents_and_ends_are_stops() {
    let program = examples().join("choices/choices.amb");
    let mut editor = Editor::new(None);
    editor.launch(&program, json!({}));
    editor.begin();
    editor.get("continue", json!({ "threadId": 1 }));
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "end", "{stopped}");
    editor.get("restart", json!({}));
    editor.event("stopped");
    let set = editor.get(
        "setBreakpoints",
        json!({
            "source": { "path": program }, "breakpoints": [{ "line": 2 }, { "line": 5 }],
        }),
    );
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    let beyond = &set["breakpoints"][1];
    assert_eq!(beyond["verified"], false, "{set}");
    assert!(
        beyond["message"]
            .as_str()
            .is_some_and(|message| message.contains("no line 5")),
        "{set}"
    );
    editor.leave();
}

/// The debug console has the language's prompt, and moves what is shown.
#[test]
fn the_console_has_the_prompt() {
    let mut editor = Editor::new(None);
    editor.launch(&examples().join("math-actor/math.at"), json!({}));
    editor.begin();
    let said = editor.get(
        "evaluate",
        json!({ "expression": "continue", "context": "repl" }),
    );
    assert!(
        said["result"].as_str().is_some_and(|text| !text.is_empty()),
        "{said}"
    );
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "end", "{stopped}");
    let completed = editor.get("completions", json!({ "text": "univ", "column": 5 }));
    assert_eq!(completed["targets"][0]["label"], "universes", "{completed}");
    assert_eq!(
        (
            &completed["targets"][0]["start"],
            &completed["targets"][0]["length"]
        ),
        (&json!(1), &json!(4))
    );
    let wrong = editor.ask(
        "evaluate",
        json!({ "expression": "nonsense", "context": "repl" }),
    );
    assert_eq!(wrong["success"], false);
    editor.leave();
}

/// Of the ends that a run comes to, a deadlock is shown first, and says who waits in vain.
#[test]
fn a_deadlock_is_shown_before_ends_that_are_well() {
    let mut editor = Editor::new(None);
    editor.launch(&examples().join("deadlock/deadlock.oz"), json!({}));
    editor.begin();
    let well = editor.ask("exceptionInfo", json!({ "threadId": 1 }));
    assert_eq!(well["success"], false, "{well}");
    editor.get("continue", json!({ "threadId": 1 }));
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "exception", "{stopped}");
    let why = editor.get("exceptionInfo", json!({ "threadId": 1 }));
    assert_eq!(why["exceptionId"], "deadlock", "{why}");
    let waits = why["details"]["stackTrace"].as_str().unwrap_or_default();
    assert!(waits.contains(": waits on k"), "{why}");
    editor.leave();
}

/// What an editor calls a function breakpoint is a predicate, and halts where it begins to hold.
#[test]
fn predicates_are_breakpoints() {
    let mut editor = Editor::new(None);
    editor.launch(&examples().join("deadlock/deadlock.oz"), json!({}));
    editor.begin();
    let set = |names: &[&str]| {
        let all: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
        json!({ "breakpoints": all })
    };
    let told = editor.get("setFunctionBreakpoints", set(&["x == true", "nobody == 1"]));
    assert_eq!(told["breakpoints"][0]["verified"], true, "{told}");
    assert_eq!(told["breakpoints"][1]["verified"], false, "{told}");
    editor.get("continue", json!({ "threadId": 1 }));
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "breakpoint", "{stopped}");
    let id = told["breakpoints"][0]["id"].clone();
    assert_eq!(stopped["hitBreakpointIds"], json!([id]), "{stopped}");
    // The same list again keeps its number; an empty one deletes it.
    let again = editor.get("setFunctionBreakpoints", set(&["x == true"]));
    assert_eq!(again["breakpoints"][0]["id"], id, "{again}");
    editor.get("setFunctionBreakpoints", set(&[]));
    editor.get("continue", json!({ "threadId": 1 }));
    let stopped = editor.event("stopped");
    assert_ne!(stopped["reason"], "breakpoint", "{stopped}");
    editor.leave();
}
