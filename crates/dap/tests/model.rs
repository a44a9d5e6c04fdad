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
    // Who waits stands where it waits.
    let threads = editor.get("threads", json!({}));
    let frames = threads["threads"].as_array().unwrap().iter().map(|thread| {
        let stack = editor.get("stackTrace", json!({ "threadId": thread["id"] }));
        stack["stackFrames"][0].clone()
    });
    let frames: Vec<Value> = frames.collect();
    let waits = frames
        .iter()
        .find(|frame| frame["name"] == "waits on k, line 6");
    let waits = waits.unwrap_or_else(|| panic!("{frames:?}"));
    assert_eq!(
        (&waits["line"], waits["source"].is_object()),
        (&json!(6), true)
    );
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

/// Sets breakpoints on lines of an example, and answers what became of them.
fn set_lines(editor: &mut Editor, program: &str, breakpoints: &Value) -> Value {
    let source = json!({ "path": examples().join(program) });
    let asked = json!({ "source": source, "breakpoints": breakpoints });
    editor.get("setBreakpoints", asked)["breakpoints"].take()
}

/// A line with a condition halts where somebody is about to do what stands on it, in a state in which that holds.
#[test]
fn lines_have_conditions() {
    let program = "deadlock/deadlock.oz";
    let mut editor = Editor::new(None);
    editor.launch(&examples().join(program), json!({}));
    editor.begin();
    let wanted = json!([
        { "line": 9, "condition": "y == true" },
        { "line": 9, "condition": "nobody == 1" },
        { "line": 9, "condition": "y ==" },
    ]);
    let set = set_lines(&mut editor, program, &wanted);
    let first = (&set[0]["verified"], &set[0]["line"]);
    assert_eq!(first, (&json!(true), &json!(9)), "{set}");
    for (wrong, why) in [(&set[1], "nobody"), (&set[2], "at character")] {
        let message = wrong["message"].as_str().unwrap_or_default();
        assert!(wrong["verified"] == false && message.contains(why), "{set}");
    }
    editor.get("continue", json!({ "threadId": 1 }));
    let stopped = editor.event("stopped");
    assert_eq!(
        (&stopped["reason"], &stopped["hitBreakpointIds"]),
        (&json!("breakpoint"), &json!([set[0]["id"]])),
        "{stopped}"
    );
    // Who came to it is shown.
    let stack = editor.get(
        "stackTrace",
        json!({ "threadId": stopped["threadId"], "levels": 1 }),
    );
    assert_eq!(stack["stackFrames"][0]["line"], 9, "{stack}");
    let y = json!({ "expression": "y", "context": "watch" });
    assert_eq!(editor.get("evaluate", y)["result"], "true");
    editor.leave();
}

/// A line that counts halts from that time on that a way comes to it: the third philosopher is the last.
#[test]
fn lines_count_who_comes_on_the_way() {
    let program = "philosophers/philosophers.oz";
    let mut editor = Editor::new(None);
    editor.launch(&examples().join(program), json!({}));
    editor.begin();
    let set = |editor: &mut Editor, hits: &str| {
        let wanted = json!([{ "line": 7, "hitCondition": hits }]);
        set_lines(editor, program, &wanted)[0].take()
    };
    assert_eq!(set(&mut editor, "%2")["verified"], false);
    let mut way = Vec::new();
    for hits in ["1", "> 1", ">= 3"] {
        editor.get("restart", json!({}));
        editor.event("stopped");
        let breakpoint = set(&mut editor, hits);
        editor.get("continue", json!({ "threadId": 1 }));
        let stopped = editor.event("stopped");
        let id = json!([breakpoint["id"]]);
        assert_eq!(stopped["hitBreakpointIds"], id, "{hits}: {stopped}");
        let here = editor.get("borges/here", json!({}))["universe"].as_u64();
        way.push(here.unwrap_or_default());
    }
    assert!(way[0] < way[1] && way[1] < way[2], "{way:?}");
    // There is no fourth: all run to their ends, of which a wrong one is shown.
    editor.get("restart", json!({}));
    editor.event("stopped");
    set(&mut editor, "4");
    editor.get("continue", json!({ "threadId": 1 }));
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "exception", "{stopped}");
    editor.leave();
}

/// A line that prints halts nobody, and says in which universe.
#[test]
fn lines_print_without_halting() {
    let program = "philosophers/philosophers.oz";
    let mut editor = Editor::new(None);
    editor.launch(&examples().join(program), json!({}));
    editor.begin();
    let log = "comes with {token}, {nobody}";
    let wanted = json!([{ "line": 7, "logMessage": log, "hitCondition": "2" }]);
    set_lines(&mut editor, program, &wanted);
    editor.get("continue", json!({ "threadId": 1 }));
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "exception", "{stopped}");
    let outputs = editor.all.iter().filter(|one| one["event"] == "output");
    let texts = outputs.filter_map(|one| one["body"]["output"].as_str());
    let told: Vec<&str> = texts.filter(|text| text.contains("comes with")).collect();
    assert!(told.len() >= 2, "{told:?}");
    for text in told {
        assert!(
            text.starts_with("universe ") && text.ends_with(": comes with true, {nobody}\n"),
            "{text}"
        );
    }
    editor.leave();
}

/// Universes that were seen, by a line to which somebody comes there, and all of them.
#[test]
fn universes_at_a_line_are_gone_to() {
    let program = "deadlock/deadlock.oz";
    let source = json!({ "path": examples().join(program) });
    let mut editor = Editor::new(None);
    editor.launch(&examples().join(program), json!({}));
    editor.begin();
    let place = json!({ "source": source, "line": 6 });
    let none = editor.get("gotoTargets", place.clone());
    assert_eq!(none["targets"], json!([]), "nothing has run");
    editor.get("continue", json!({ "threadId": 1 }));
    editor.event("stopped");
    let targets = editor.get("gotoTargets", place)["targets"].take();
    let label = targets[0]["label"].as_str().unwrap_or_default();
    assert!(
        label.starts_with("universe ") && label.contains("t2: "),
        "{targets}"
    );
    let goto = json!({ "threadId": 1, "targetId": targets[0]["id"] });
    editor.get("goto", goto.clone());
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "goto", "{stopped}");
    let here = editor.get("borges/here", json!({}))["universe"].to_string();
    assert!(label.starts_with(&format!("universe {here},")), "{label}");
    let gone = editor.ask("goto", goto);
    assert_eq!(gone["success"], false, "targets are those of one stop");
    for (line, text) in [(99, "no line 99"), (0, "no such line")] {
        let refused = editor.ask("gotoTargets", json!({ "source": source, "line": line }));
        assert!(
            refused["message"]
                .as_str()
                .is_some_and(|message| message.contains(text)),
            "{refused}"
        );
    }
    let other = json!({ "source": { "path": "/other.oz" }, "line": 6 });
    assert_eq!(editor.ask("gotoTargets", other)["success"], false);

    let all = editor.get("borges/multiverse", json!({}));
    let (universes, edges) = (all["universes"].as_array(), all["edges"].as_array());
    let count = universes.map_or(0, Vec::len);
    assert!(
        count > 10 && edges.is_some_and(|edges| edges.len() >= count - 1),
        "{all}"
    );
    editor.leave();
}

/// From a universe that was gone back to, the program goes on, though nothing paused it there.
#[test]
fn what_was_gone_back_to_goes_on() {
    let mut editor = Editor::new(None);
    editor.launch(&examples().join("choices/choices.amb"), json!({}));
    editor.begin();
    editor.get("continue", json!({ "threadId": 1 }));
    editor.event("stopped");
    editor.get("stepBack", json!({ "threadId": 1 }));
    editor.event("stopped");
    editor.get("continue", json!({ "threadId": 1 }));
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "end", "{stopped}");
    editor.leave();
}
