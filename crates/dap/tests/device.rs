//! Programs of devices, as an editor debugs them.

mod support;

use std::path::PathBuf;

use serde_json::{Value, json};
use support::{Editor, examples};

fn source(name: &str) -> PathBuf {
    examples().join(name)
}

/// An editor at the start of color-dial.
fn at_dial() -> Editor {
    let mut editor = Editor::new(None);
    editor.launch(&source("color-dial/color-dial.wasm"), json!({}));
    assert_eq!(editor.begin()["reason"], "entry");
    editor
}

/// Sets breakpoints on lines of color-dial: what is answered of each.
fn set_lines(editor: &mut Editor, breakpoints: Value) -> Vec<Value> {
    let source = json!({ "path": source("color-dial/color-dial.ts") });
    let set = editor.get(
        "setBreakpoints",
        json!({ "source": source, "breakpoints": breakpoints }),
    );
    set["breakpoints"].as_array().cloned().unwrap_or_default()
}

fn named<'v>(variables: &'v [Value], name: &str) -> &'v Value {
    let found = variables.iter().find(|variable| variable["name"] == name);
    found.unwrap_or_else(|| panic!("nothing is called {name}: {variables:?}"))
}

fn said(editor: &mut Editor, line: &str) -> String {
    let answer = editor.get("evaluate", json!({ "expression": line, "context": "repl" }));
    answer["result"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_program_is_walked_through_forwards_and_back() {
    let mut editor = at_dial();
    let set = set_lines(&mut editor, json!([{ "line": 19 }]));
    assert_eq!(
        (&set[0]["verified"], &set[0]["line"]),
        (&json!(true), &json!(19)),
        "{set:?}"
    );
    let stopped = editor.go("continue");
    assert_eq!(stopped["reason"], "breakpoint", "{stopped}");
    assert_eq!(stopped["hitBreakpointIds"], json!([set[0]["id"]]));
    assert_eq!(editor.line(), 19);
    let locals = editor.scope("Locals");
    let locals = editor.variables(&locals);
    assert_eq!(
        named(&locals, "fields")["value"],
        named(&locals, "next")["value"]
    );
    let attributes = &named(&locals, "next")["presentationHint"]["attributes"];
    assert_eq!(attributes, &json!(["readOnly"]));
    let stopped = editor.go("stepBack");
    assert_eq!(
        (stopped["reason"].as_str(), editor.line()),
        (Some("step"), 18)
    );
    let stopped = editor.go("next");
    assert_eq!(
        (stopped["reason"].as_str(), editor.line()),
        (Some("step"), 19)
    );
    editor.go("stepOut");
    assert_eq!(editor.frames().len(), 1);
    editor.get(
        "borges/step",
        json!({ "direction": "backward", "size": "into" }),
    );
    editor.event("stopped");
    assert_eq!(editor.frames().len(), 2, "into the call, from behind");
    editor.get(
        "borges/step",
        json!({ "direction": "backward", "size": "out" }),
    );
    editor.event("stopped");
    assert_eq!(editor.line(), 28);
    editor.get(
        "borges/step",
        json!({ "direction": "backward", "size": "entry" }),
    );
    editor.event("stopped");
    let stopped = editor.go("reverseContinue");
    assert_eq!(stopped["reason"], "entry");
    editor.leave();
}

/// A breakpoint right where the recording ends is met again when one comes there from before.
#[test]
fn a_breakpoint_at_the_end_of_the_recording_is_met_again() {
    let mut editor = at_dial();
    set_lines(&mut editor, json!([{ "line": 19 }]));
    editor.go("continue");
    let first = editor.get("borges/here", json!({}));
    assert_eq!(editor.go("reverseContinue")["reason"], "entry");
    assert_eq!(editor.go("continue")["reason"], "breakpoint");
    assert_eq!(
        editor.get("borges/here", json!({}))["moment"],
        first["moment"]
    );
    editor.leave();
}

/// A breakpoint can have a condition, a count, or a text to print instead of stopping; wrong ones are refused alone.
#[test]
fn breakpoints_wait_for_what_they_say() {
    let mut editor = at_dial();
    let set = set_lines(
        &mut editor,
        json!([
            { "line": 19, "condition": "fields > 0", "hitCondition": ">= 2" },
            { "line": 20, "logMessage": "to {next}" },
            { "line": 19, "condition": "nothing > 0" },
            { "line": 19, "hitCondition": "often" },
            { "line": 9000 },
        ]),
    );
    let verified: Vec<_> = set.iter().map(|one| one["verified"].as_bool()).collect();
    assert_eq!(
        verified,
        [true, true, false, false, false].map(Some),
        "{set:?}"
    );
    assert!(
        set[2]["message"]
            .as_str()
            .is_some_and(|message| message.contains("nothing")),
        "{set:?}"
    );
    editor.get("continue", json!({ "threadId": 1 }));
    let logged = editor.event("output");
    assert!(
        logged["output"]
            .as_str()
            .is_some_and(|text| text.contains("to ")),
        "{logged}"
    );
    let stopped = editor.event("stopped");
    assert_eq!(stopped["hitBreakpointIds"], json!([set[0]["id"]]));
    // Named again, a breakpoint stays what it is; left out, it is gone.
    let again = set_lines(
        &mut editor,
        json!([{ "line": 20, "logMessage": "to {next}" }]),
    );
    assert_eq!(again[0]["id"], set[1]["id"]);
    let left = said(&mut editor, "breakpoints");
    assert!(left.contains(":20") && !left.contains(":19"), "{left}");
    editor.leave();
}

/// Functions, instructions, writes and what is no place at all.
#[test]
fn other_breakpoints_stop_with_reasons_of_their_own() {
    let mut editor = at_dial();
    let set = editor.get(
        "setFunctionBreakpoints",
        json!({ "breakpoints": [{ "name": "turnTo" }, { "name": "nobody" }] }),
    );
    let set = set["breakpoints"].as_array().cloned().unwrap_or_default();
    assert_eq!(
        (&set[0]["verified"], &set[1]["verified"]),
        (&json!(true), &json!(false)),
        "{set:?}"
    );
    assert_eq!(editor.go("continue")["reason"], "function breakpoint");
    let at = editor.frames()[0]["instructionPointerReference"].clone();
    editor.get("setFunctionBreakpoints", json!({ "breakpoints": [] }));

    let globals = editor.scope("Globals");
    let info = editor.get(
        "dataBreakpointInfo",
        json!({ "variablesReference": globals, "name": "current" }),
    );
    assert_eq!(
        (&info["dataId"], &info["canPersist"]),
        (&json!("current"), &json!(true))
    );
    let set = editor.get("setDataBreakpoints", json!({ "breakpoints": [
        { "dataId": "current", "accessType": "write" }, { "dataId": "current", "accessType": "read" },
    ] }));
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    assert_eq!(set["breakpoints"][1]["verified"], false, "{set}");
    assert_eq!(editor.go("continue")["reason"], "data breakpoint");
    editor.get("setDataBreakpoints", json!({ "breakpoints": [] }));

    let wanted = json!({ "breakpoints": [{ "instructionReference": at }] });
    let set = editor.get("setInstructionBreakpoints", wanted);
    assert_eq!(set["breakpoints"][0]["instructionReference"], at, "{set}");
    assert_eq!(
        editor.go("reverseContinue")["reason"],
        "instruction breakpoint"
    );
    editor.get("setInstructionBreakpoints", json!({ "breakpoints": [] }));

    let filters = json!({
        "filters": ["trap"],
        "filterOptions": [{ "filterId": "call", "condition": "driveMotorDegrees if arg1 > 0" }, { "filterId": "call" }],
    });
    let set = editor.get("setExceptionBreakpoints", filters);
    let verified: Vec<_> = (0..3)
        .map(|nth| set["breakpoints"][nth]["verified"].as_bool())
        .collect();
    assert_eq!(verified, [true, true, false].map(Some), "{set}");
    let stopped = editor.go("continue");
    assert_eq!(stopped["reason"], "exception", "{stopped}");
    assert!(
        stopped["text"]
            .as_str()
            .is_some_and(|text| text.contains("driveMotorDegrees")),
        "{stopped}"
    );
    editor.leave();
}

/// An input is answered by what the editor sets, from there on; nothing else can be set.
#[test]
fn inputs_are_set_and_nothing_else() {
    let mut editor = at_dial();
    set_lines(&mut editor, json!([{ "line": 27 }]));
    let inputs = editor.scope("Inputs");
    let before = editor.variables(&inputs);
    let call = before[0]["name"].clone();
    assert_eq!(before[0]["value"], "live", "{before:?}");
    let set = |editor: &mut Editor, scope: &Value, value: &str| {
        editor.ask(
            "setVariable",
            json!({ "variablesReference": scope, "name": call, "value": value }),
        )
    };
    let answer = set(&mut editor, &inputs, "3");
    assert_eq!(answer["body"]["value"], "3", "{answer}");
    assert_eq!(
        set(&mut editor, &inputs, "3, 4 then live")["body"]["value"],
        "3, 4 then live"
    );
    let refused = set(&mut editor, &inputs, "9999999");
    assert_eq!(
        (&refused["success"], &refused["body"]["error"]["showUser"]),
        (&json!(false), &json!(true))
    );
    editor.go("continue");
    let locals = editor.scope("Locals");
    let shown = editor.variables(&locals);
    assert_eq!(named(&shown, "color")["value"], "3");
    let refused = set(&mut editor, &locals, "3");
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(message.contains("only inputs"), "{refused}");
    let inputs = editor.scope("Inputs");
    assert_eq!(set(&mut editor, &inputs, "live")["body"]["value"], "live");
    editor.leave();
}

/// At an input, each value is a way into a universe of its own; a line is a place to go to in several.
#[test]
fn an_editor_chooses_where_to_go() {
    let mut editor = at_dial();
    set_lines(&mut editor, json!([{ "line": 26 }]));
    editor.go("continue");
    editor.get(
        "borges/step",
        json!({ "direction": "forward", "size": "entry" }),
    );
    editor.event("stopped");
    editor.get(
        "borges/step",
        json!({ "direction": "backward", "size": "entry" }),
    );
    editor.event("stopped");
    let frame = editor.frames()[0]["id"].clone();
    let targets = editor.get("stepInTargets", json!({ "frameId": frame }));
    let targets = targets["targets"].as_array().cloned().unwrap_or_default();
    let labels: Vec<_> = targets
        .iter()
        .filter_map(|one| one["label"].as_str())
        .collect();
    let five = targets.iter().find(|one| {
        one["label"]
            .as_str()
            .is_some_and(|label| label.ends_with("= 5"))
    });
    let five = five.unwrap_or_else(|| panic!("no target has the value 5: {labels:?}"));
    editor.get("stepIn", json!({ "threadId": 1, "targetId": five["id"] }));
    editor.event("stopped");
    set_lines(&mut editor, json!([{ "line": 27 }]));
    editor.go("continue");
    let locals = editor.scope("Locals");
    let shown = editor.variables(&locals);
    assert_eq!(named(&shown, "color")["value"], "5");

    let place = json!({ "source": { "path": source("color-dial/color-dial.ts") }, "line": 28 });
    let targets = editor.get("gotoTargets", place);
    let targets = targets["targets"].as_array().cloned().unwrap_or_default();
    assert!(!targets.is_empty());
    editor.get(
        "goto",
        json!({ "threadId": 1, "targetId": targets[0]["id"] }),
    );
    let stopped = editor.event("stopped");
    assert_eq!(
        (stopped["reason"].as_str(), editor.line()),
        (Some("goto"), 28)
    );
    let gone = editor.ask(
        "goto",
        json!({ "threadId": 1, "targetId": targets[0]["id"] }),
    );
    assert_eq!(gone["success"], false, "targets are those of one stop");
    editor.leave();
}

/// The debug console takes every command; what is none is an expression, and what moves is told.
#[test]
fn the_console_takes_every_command() {
    let mut editor = at_dial();
    set_lines(&mut editor, json!([{ "line": 19 }]));
    editor.go("continue");
    assert!(said(&mut editor, "print degrees").contains("degrees"));
    assert!(said(&mut editor, "degrees + 1").contains(" = "));
    assert!(said(&mut editor, "help").contains("reverse-continue"));
    let wrong = editor.ask(
        "evaluate",
        json!({ "expression": "nonsense here", "context": "repl" }),
    );
    assert_eq!(wrong["success"], false, "{wrong}");
    said(&mut editor, "bookmark here");
    said(&mut editor, "reverse-finish");
    let moved = editor.event("stopped");
    assert_eq!(moved["threadId"], 1);
    assert_eq!(editor.line(), 28);
    editor.get("borges/jump", json!({ "universe": "here" }));
    assert_eq!(editor.event("stopped")["reason"], "goto");
    assert_eq!(editor.line(), 19);
    let hovered = editor.get(
        "evaluate",
        json!({ "expression": "fields", "context": "hover", "frameId": 1 }),
    );
    assert_eq!(hovered["type"], "i32");
    let caller = editor.get(
        "evaluate",
        json!({ "expression": "color", "context": "watch", "frameId": 2 }),
    );
    assert_eq!(caller["result"], hovered["result"]);
    let completed = editor.get(
        "completions",
        json!({ "text": "print deg", "column": 10, "frameId": 1 }),
    );
    assert_eq!(
        completed["targets"][0],
        json!({ "label": "degrees", "start": 7, "length": 3 })
    );
    let told = editor.get("borges/command", json!({ "line": "info" }));
    assert_eq!(
        (&told["ok"], &told["reply"]["reply"]),
        (&json!(true), &json!("info"))
    );
    let asked = editor.get(
        "borges/session",
        json!({ "command": { "command": "mocks" } }),
    );
    assert_eq!(asked["reply"], "mocks");
    editor.leave();
}

/// Records are unfolded as deep as they go, by the names that expressions have for their parts; memory and code are read.
#[test]
fn values_memory_and_code_are_looked_into() {
    let mut editor = Editor::new(None);
    editor.launch(&source("uart-parser/uart-parser.wasm"), json!({}));
    editor.begin();
    editor.get(
        "setFunctionBreakpoints",
        json!({ "breakpoints": [{ "name": "accept_byte" }] }),
    );
    editor.go("continue");
    let locals = editor.scope("Locals");
    let locals = editor.variables(&locals);
    let parser = named(&locals, "p");
    let target = editor.variables(&parser["variablesReference"]);
    assert_eq!(
        (&target[0]["name"], &target[0]["evaluateName"]),
        (&json!("*"), &json!("(*p)"))
    );
    let fields = editor.variables(&target[0]["variablesReference"]);
    let field = &fields[0];
    let evaluated = editor.get(
        "evaluate",
        json!({ "expression": field["evaluateName"], "context": "watch", "frameId": 1 }),
    );
    assert_eq!(evaluated["result"], field["value"]);
    let at = parser["memoryReference"].clone();
    let memory = editor.get("readMemory", json!({ "memoryReference": at, "count": 16 }));
    assert_eq!(
        (&memory["address"], memory["data"].as_str().map(str::len)),
        (&at, Some(24))
    );
    let beyond = editor.get(
        "readMemory",
        json!({ "memoryReference": "0xfffffff0", "count": 64 }),
    );
    assert_eq!(beyond["unreadableBytes"], 64);

    let at = editor.frames()[0]["instructionPointerReference"].clone();
    let code = editor.get(
        "disassemble",
        json!({ "memoryReference": at, "instructionOffset": -1000, "instructionCount": 2000 }),
    );
    let code = code["instructions"].as_array().cloned().unwrap_or_default();
    assert_eq!((code.len(), &code[1000]["address"]), (2000, &at));
    let symbols = code.iter().filter(|one| one["symbol"].is_string());
    assert!(symbols.count() > 1, "it goes on behind the function");
    let far = editor.get(
        "disassemble",
        json!({ "memoryReference": "0x0", "instructionOffset": -50, "instructionCount": 60 }),
    );
    let far = far["instructions"].as_array().cloned().unwrap_or_default();
    assert_eq!(
        (far.len(), &far[0]["presentationHint"]),
        (60, &json!("invalid"))
    );

    let place = json!({ "source": { "path": source("uart-parser/uart-parser.c") }, "line": 1, "endLine": 1000 });
    let places = editor.get("breakpointLocations", place);
    assert!(
        places["breakpoints"]
            .as_array()
            .is_some_and(|places| places.len() > 5),
        "{places}"
    );
    let loaded = editor.get("loadedSources", json!({}));
    let loaded = loaded["sources"].as_array().cloned().unwrap_or_default();
    let read = editor.get(
        "source",
        json!({ "source": named(&loaded, "uart-parser.c"), "sourceReference": 0 }),
    );
    let text = std::fs::read_to_string(source("uart-parser/uart-parser.c")).expect("it is there");
    assert_eq!(
        read["content"].as_str().map(str::trim_end),
        Some(text.trim_end())
    );
    editor.leave();
}

/// Back to the start of a call, and of its caller.
#[test]
fn frames_are_restarted() {
    let mut editor = at_dial();
    set_lines(&mut editor, json!([{ "line": 20 }]));
    editor.go("continue");
    let frames = editor.frames();
    editor.get("restartFrame", json!({ "frameId": frames[0]["id"] }));
    assert_eq!(editor.event("stopped")["reason"], "restart");
    assert_eq!((editor.line(), editor.frames().len()), (17, 2));
    let frames = editor.frames();
    editor.get("restartFrame", json!({ "frameId": frames[1]["id"] }));
    editor.event("stopped");
    assert_eq!(editor.frames().len(), 1);
    editor.leave();
}

/// A program that runs is paused, and breakpoints are set without its standing still for long.
#[test]
fn a_running_program_is_paused_and_told_of_breakpoints() {
    let mut editor = at_dial();
    editor.get("continue", json!({ "threadId": 1 }));
    let running = editor.ask("next", json!({ "threadId": 1 }));
    assert_eq!(running["success"], false, "{running}");
    let set = set_lines(
        &mut editor,
        json!([{ "line": 30, "hitCondition": "1000000" }]),
    );
    assert_eq!(set[0]["verified"], true, "{set:?}");
    editor.get("threads", json!({}));
    editor.get("pause", json!({ "threadId": 1 }));
    assert_eq!(editor.event("stopped")["reason"], "pause");
    editor.get("continue", json!({ "threadId": 1 }));
    set_lines(&mut editor, json!([{ "line": 30 }]));
    let stopped = editor.event("stopped");
    assert_eq!(
        (stopped["reason"].as_str(), editor.line()),
        (Some("breakpoint"), 30)
    );
    editor.leave();
}

/// What is one: the program's end, and a trap with its reason; and from both one goes back.
#[test]
fn ends_are_stops() {
    let mut editor = Editor::new(None);
    editor.launch(&source("records/records.wasm"), json!({}));
    editor.begin();
    let stopped = editor.go("continue");
    assert_eq!(stopped["reason"], "end", "{stopped}");
    let output = editor.scope("Output");
    let output = editor.variables(&output);
    assert!(
        !named(&output, "stdout")["value"]
            .as_str()
            .unwrap_or_default()
            .is_empty()
    );
    let stopped = editor.go("stepBack");
    assert_eq!(stopped["reason"], "step");
    editor.leave();
}

/// From the end, the line before is the last of the program's own: libraries called it, and ended the program.
#[test]
fn a_step_back_from_the_end_is_one_line() {
    let mut editor = Editor::new(None);
    editor.launch(&source("lease/lease.wasm"), json!({}));
    editor.begin();
    assert_eq!(editor.go("continue")["reason"], "end");
    let mut lines = Vec::new();
    for _ in 0..3 {
        assert_eq!(editor.go("stepBack")["reason"], "step");
        let frame = editor.frames().swap_remove(0);
        assert_eq!(frame["source"]["name"], "lease.c", "{frame}");
        lines.push(editor.line());
    }
    assert_eq!(lines, [18, 16, 15]);
    editor.leave();
}

/// With `noDebug` nothing stops the program, and its end is the session's.
#[test]
fn a_run_without_debugging_ends() {
    let mut editor = Editor::new(None);
    editor.launch(&source("records/records.wasm"), json!({ "noDebug": true }));
    let set = editor.get(
        "setFunctionBreakpoints",
        json!({ "breakpoints": [{ "name": "main" }] }),
    );
    assert_eq!(set["breakpoints"][0]["verified"], false, "{set}");
    editor.get("configurationDone", json!({}));
    editor.event("terminated");
    editor.leave();
}

/// A program as text, beside which nothing lies.
fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.wasm");
    let module = wat::parse_str(text).expect("it is a module");
    std::fs::write(&path, module).expect("it can be written");
    (folder, path)
}

/// Where no frame is left there is one for what outlives the program; nothing is named there that is gone.
#[test]
fn after_the_end_there_is_something_to_look_at() {
    let (_folder, program) = written(
        r#"(module (import "env" "print_int" (func $print (param i32))) (global $count (export "count") (mut i32) (i32.const 7))
          (func (export "main") (call $print (global.get $count))))"#,
    );
    let mut editor = Editor::new(None);
    editor.launch(&program, json!({}));
    editor.begin();
    editor.get("continue", json!({ "threadId": 1 }));
    assert_eq!(editor.event("output")["output"], "7\n");
    assert_eq!(editor.event("stopped")["reason"], "end");
    let frames = editor.frames();
    assert_eq!(frames.len(), 1);
    assert!(
        frames[0]["name"]
            .as_str()
            .is_some_and(|name| name.contains("ended")),
        "{frames:?}"
    );
    for scope in ["Locals", "Globals", "Inputs", "Board", "Operands"] {
        let scope = editor.scope(scope);
        editor.variables(&scope);
    }
    editor.leave();
}

/// A trap is an exception with its reason: the trap's words, and the choice after which nothing else could happen.
#[test]
fn a_trap_says_why() {
    let (_folder, program) = written(
        r#"(module (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
          (func (export "main")
            (if (i32.gt_s (call $read (i32.const 0)) (i32.const -1)) (then (unreachable)))))"#,
    );
    let mut editor = Editor::new(None);
    editor.launch(&program, json!({}));
    editor.get("setExceptionBreakpoints", json!({ "filters": ["trap"] }));
    editor.begin();
    let stopped = editor.go("continue");
    assert_eq!(stopped["reason"], "exception", "{stopped}");
    let why = editor.get("exceptionInfo", json!({ "threadId": 1 }));
    let description = why["description"].as_str().unwrap_or_default();
    assert!(description.contains("unreachable"), "{why}");
    assert!(description.lines().count() > 1, "{why}");
    assert_eq!(editor.go("stepBack")["reason"], "step");
    editor.leave();
}

/// A program that is linked when it is launched: breakpoints, variables and memory of a library that has a memory of its own.
#[test]
fn a_program_is_launched_with_the_libraries_that_it_imports_from() {
    let folder = source("../crates/cli/tests/programs/linked");
    let library = |name: &str| folder.join(name).display().to_string();
    let link = json!({ "filter": library("filter.wasm"), "units": library("units.wasm") });
    let mut editor = Editor::new(None);
    editor.launch(&folder.join("station.wasm"), json!({ "link": link }));
    assert_eq!(editor.begin()["reason"], "entry");
    said(&mut editor, "mock chip_analog_read(_) = 200");
    let set = editor.get(
        "setBreakpoints",
        json!({
            "source": { "path": folder.join("filter.c") },
            "breakpoints": [{ "line": 10, "condition": "count == 1" }],
        }),
    );
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    let stopped = editor.go("continue");
    assert_eq!(stopped["reason"], "breakpoint", "{stopped}");
    assert_eq!(editor.line(), 10);
    let globals = editor.scope("Globals");
    let globals = editor.variables(&globals);
    assert_eq!(named(&globals, "sum")["value"], "161");
    let frame = editor.frames()[0]["id"].clone();
    let evaluated = editor.get(
        "evaluate",
        json!({ "expression": "&sum", "frameId": frame, "context": "watch" }),
    );
    let reference = evaluated["memoryReference"].clone();
    let read = editor.get(
        "readMemory",
        json!({ "memoryReference": reference, "count": 4 }),
    );
    assert_eq!(
        (&reference, &read["data"]),
        (&json!("1:0x2000"), &json!("oQAAAA=="))
    );
}
