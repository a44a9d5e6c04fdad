//! How long an editor waits at a stop: for the step, and for all that it asks then. `cargo bench -p borges-dap`.
//!
//! At the 95th percentile of each program it must be less than [`BUDGET`].

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use serde_json::json;
use support::{Editor, examples};

/// What nobody notices.
const BUDGET: Duration = Duration::from_millis(50);
/// Stops of each program.
const STOPS: usize = 200;

const PROGRAMS: &[&str] = &[
    "binary-counter/binary-counter.wasm",
    "blink/blink.wasm",
    "breakout/breakout.wasm",
    "color-dial/color-dial.wasm",
    "knock-lock/knock-lock.wasm",
    "ledger/ledger.wasm",
    "records/records.wasm",
    "smart-curtain/smart-curtain.wasm",
    "temperature-monitor/temperature-monitor.wasm",
    "uart-parser/uart-parser.wasm",
    "math-actor/math.at",
    "philosophers/philosophers.oz",
];

/// What VS Code asks at a stop, with all scopes but the last open, and two watches.
fn look(editor: &mut Editor) {
    let threads = editor.get("threads", json!({}));
    let thread = threads["threads"][0]["id"].clone();
    let stack = editor.get(
        "stackTrace",
        json!({ "threadId": thread, "startFrame": 0, "levels": 20 }),
    );
    let frame = stack["stackFrames"][0]["id"].clone();
    let scopes = editor.get("scopes", json!({ "frameId": frame }));
    for scope in scopes["scopes"].as_array().into_iter().flatten().take(4) {
        editor.variables(&scope["variablesReference"]);
    }
    for expression in ["current", "1 + 1"] {
        editor.ask(
            "evaluate",
            json!({ "expression": expression, "frameId": frame, "context": "watch" }),
        );
    }
}

fn measure(program: &str) -> Vec<Duration> {
    let mut editor = Editor::new(None);
    editor.launch(&examples().join(program), json!({}));
    editor.begin();
    let mut times = Vec::new();
    for nth in 0..STOPS {
        let threads = editor.get("threads", json!({}));
        let thread = threads["threads"][0]["id"].clone();
        // Forwards mostly, and back now and then.
        let command = if nth % 4 == 3 { "stepBack" } else { "stepIn" };
        let began = Instant::now();
        let answer = editor.ask(command, json!({ "threadId": thread }));
        if answer["success"] == true {
            editor.event("stopped");
        }
        look(&mut editor);
        times.push(began.elapsed());
    }
    editor.leave();
    times.sort();
    times
}

fn main() {
    let mut worst = Duration::ZERO;
    println!(
        "{:45} {:>9} {:>9} {:>9}",
        "program", "median", "95 %", "longest"
    );
    for program in PROGRAMS {
        let times = measure(program);
        let at = |percent: usize| times[(times.len() - 1) * percent / 100];
        println!(
            "{program:45} {:>9.2?} {:>9.2?} {:>9.2?}",
            at(50),
            at(95),
            at(100)
        );
        worst = worst.max(at(95));
    }
    assert!(
        worst < BUDGET,
        "a stop takes {worst:?} at the 95th percentile, more than {BUDGET:?}"
    );
}
