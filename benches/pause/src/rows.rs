//! What is pressed, and what came of it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::Bench;

/// A process that is started anew for each press.
pub struct Process {
    pub arguments: Vec<String>,
    /// The press comes within this time.
    pub within: Duration,
}

/// A debugger that stays for many presses: what it is started with, word by word, what makes it ready, and for each row how to get to
/// where the command begins and the command.
pub struct Debugger<C> {
    pub opens: &'static str,
    pub ready: Vec<C>,
    pub rows: Vec<(Vec<C>, C)>,
    pub within: Duration,
}

/// All that is pressed.
pub struct Commands {
    pub prompt: Vec<Debugger<String>>,
    pub page: Vec<Debugger<Value>>,
    pub processes: Vec<Process>,
}

const SLOW_SQL: &str = "SELECT count(*) FROM entry a, entry b";
const SLOW_STATES: &str = "SELECT count(*) FROM model_edge a, model_edge b, model_edge c, model_edge d";
/// A condition that never holds.
const CENT: &str = "acc.bal == 777";

impl Commands {
    pub fn all(bench: &Bench) -> Self {
        let within = Duration::from_millis(150);
        Self {
            prompt: prompts(within),
            page: pages(within),
            processes: processes(bench),
        }
    }
}

fn prompts(within: Duration) -> Vec<Debugger<String>> {
    let row = |before: &[&str], command: &str| (before.iter().map(ToString::to_string).collect(), command.to_owned());
    vec![
        Debugger {
            opens: "forever.wasm",
            ready: vec![],
            rows: vec![row(&[], "c"), row(&[], "e"), row(&[], "n")],
            within,
        },
        Debugger {
            opens: "recording.borges",
            // A watch makes every function slow; the place is never written.
            ready: vec!["break write 0, 4".into()],
            rows: vec![
                row(&["jump tip"], "C"),
                row(&["jump tip"], "who 0, 4"),
                row(&["jump tip"], "reverse-until main"),
                row(&["restart"], "c"),
                row(&["restart"], "jump tip"),
                row(&["jump tip"], "jump start"),
                row(&["restart"], "stepi 1000000000"),
                row(&["restart"], "entry 90000"),
                row(&["jump tip"], "reverse-entry 90000"),
                row(&["jump tip"], "course mean"),
                row(&["jump tip"], "find nothing"),
                row(&["jump tip"], &format!("query {SLOW_SQL}")),
                row(&["restart"], "paths"),
                row(&["restart"], "bugs"),
                row(&["restart"], "cover"),
                row(&["restart"], "reach trap"),
                row(&["restart"], "why trap"),
                row(&["restart"], "explore time=60"),
                row(&["restart"], "check G {1} time=60"),
                row(&["jump tip"], "verify"),
            ],
            within,
        },
        Debugger {
            opens: "withdrawals.at",
            ready: vec![format!("break when {CENT}")],
            rows: vec![
                row(&["forget"], "run"),
                row(&["forget"], "seek 0"),
                row(&[], "ask ends"),
                row(&[], "explore"),
                row(&[], "explore --symmetry"),
                row(&[], "explore --keep acc.bal > 0"),
                row(&[], "check G !{1 == 2}"),
                row(&[], &format!("may when {CENT}")),
                row(&[], "query SELECT count(*) FROM model_state"),
            ],
            within,
        },
        Debugger {
            opens: "withdrawals.at --walk",
            ready: vec![],
            rows: vec![
                row(&[], "explore"),
                row(&[], "ends"),
                row(&[], &format!("seek {CENT}")),
                row(&[], &format!("check G !{{{CENT}}}")),
            ],
            within,
        },
        Debugger {
            opens: "endless.oz --walk",
            ready: vec![],
            rows: vec![
                row(&["restart"], "continue"),
                row(&["restart"], "continue random 7"),
                row(&[], "agents"),
                row(&[], "C"),
            ],
            within,
        },
        Debugger {
            opens: "table.at",
            ready: vec!["ask ends".into()],
            rows: vec![row(&[], &format!("query {SLOW_STATES}"))],
            within,
        },
        Debugger {
            opens: "endless.oz",
            ready: vec![],
            rows: vec![
                row(&["restart"], "continue"),
                row(&["restart"], "run random 7"),
                row(&[], "ask ends"),
                row(&[], "check F {idle(t1)}"),
                row(&[], "query SELECT count(*) FROM model_state"),
            ],
            within,
        },
    ]
}

fn pages(within: Duration) -> Vec<Debugger<Value>> {
    let tip = || json!({"command": "jump", "target": "tip"});
    let start = || json!({"command": "restart"});
    let onward = json!({"command": "continue", "direction": "forward"});
    let back = json!({"command": "continue", "direction": "backward"});
    let watch = json!({"command": "break", "kind": {"write": "0, 4"}});
    let entries =
        |direction: &str| json!({"command": "step", "direction": direction, "size": "entry", "count": 90_000});
    let ask = |question: Value| json!({"ask": "suggest", "question": question, "within": {"time_ms": 60_000}});
    // What ends at once and is as before is not sent again: `paths` would be waited for in vain.
    let futures = [
        json!({"ask": "bugs"}),
        json!({"ask": "cover"}),
        json!({"ask": "states", "demands": []}),
        json!({"ask": "check", "formula": "G {1}"}),
    ];
    let futures = futures.map(|question| (vec![start()], ask(question)));
    let mut rows = vec![
        (vec![tip()], back),
        (vec![tip()], json!({"command": "who", "what": "0, 4"})),
        (vec![start()], onward.clone()),
        (vec![start()], tip()),
        (vec![tip()], json!({"command": "jump", "target": "start"})),
        (vec![start()], entries("forward")),
        (vec![tip()], entries("backward")),
        (
            vec![tip()],
            json!({"command": "series", "expressions": ["mean"], "samples": 500}),
        ),
        (vec![tip()], json!({"command": "find", "text": "nothing", "most": 10})),
        (vec![tip()], json!({"command": "query", "sql": SLOW_SQL})),
    ];
    rows.extend(futures);
    let order = |order: Value| json!({"command": "order", "order": order});
    let forget = || order(json!({"order": "restart"}));
    let model = vec![
        (vec![forget()], order(json!({"order": "run"}))),
        (vec![forget()], order(json!({"order": "seek", "universe": 0}))),
        (vec![], json!({"command": "states"})),
        (vec![], json!({"command": "abstracted", "keep": null, "symmetry": true})),
        (
            vec![],
            json!({"command": "abstracted", "keep": "acc.bal > 0", "symmetry": false}),
        ),
        (vec![], json!({"command": "ask", "question": "ends"})),
        (vec![], json!({"command": "check", "formula": format!("G !{{{CENT}}}")})),
        (vec![], json!({"command": "may", "spec": format!("when {CENT}")})),
        (
            vec![],
            json!({"command": "query", "sql": "SELECT count(*) FROM model_state"}),
        ),
    ];
    let threads = vec![
        (
            vec![json!({"command": "caredeb", "line": "restart"})],
            json!({"command": "caredeb", "line": "run"}),
        ),
        (vec![], json!({"command": "caredeb", "line": "ask ends"})),
    ];
    vec![
        Debugger {
            opens: "withdrawals.at",
            ready: vec![order(json!({"order": "break", "spec": format!("when {CENT}")}))],
            rows: model,
            within,
        },
        Debugger {
            opens: "table.at",
            ready: vec![json!({"command": "ask", "question": "ends"})],
            rows: vec![(vec![], json!({"command": "query", "sql": SLOW_STATES}))],
            within,
        },
        Debugger {
            opens: "endless.oz",
            ready: vec![],
            rows: threads,
            within,
        },
        Debugger {
            opens: "forever.wasm",
            ready: vec![],
            rows: vec![(vec![], onward)],
            within,
        },
        Debugger {
            opens: "recording.borges",
            ready: vec![watch],
            rows,
            within,
        },
    ]
}

fn processes(bench: &Bench) -> Vec<Process> {
    let within = Duration::from_millis(600);
    let fresh = bench.file("fresh.borges");
    let kept = bench.file("kept.borges");
    let traces = bench.file("traces");
    let formula = "G {acc.bal == 10 or acc.bal != 10}";
    let list: [&[&str]; 22] = [
        &["run", "forever.wasm"],
        &["record", "recording.wasm", "--output", &fresh],
        &["record", "forever.wasm", "--output", &fresh],
        &["replay", "recording.borges"],
        &["repl", "recording.borges", "-x", "c"],
        // Going to where the user was, and to the end.
        &["repl", "recording.borges", "-x", "info"],
        &["repl", "recording.borges", "-x", "jump tip"],
        &["repl", "recording.wasm", "--session", &fresh, "-x", "c"],
        &["paths", "recording.wasm", "--time", "60", "--max-paths", "1000000"],
        &["bugs", "recording.wasm", "--time", "60"],
        &["reach", "recording.wasm", "trap", "--time", "60"],
        &["why", "recording.wasm", "trap", "--time", "60"],
        &["cover", "recording.wasm", "--time", "60"],
        &["explore", "recording.wasm", "--time", "60"],
        &["explore", "withdrawals.at", "--states", "30000000"],
        &["explore", "withdrawals.at", "--states", "30000000", "--session", &kept],
        &["explore", "withdrawals.at", "--states", "30000000", "--symmetry"],
        &[
            "explore",
            "withdrawals.at",
            "--states",
            "30000000",
            "--keep",
            "acc.bal > 0",
        ],
        &["explore", "withdrawals.at", "--states", "30000000", "--forbid", "race"],
        &["check", "withdrawals.at", formula, "--states", "30000000"],
        &["check", "recording.wasm", "G {1}", "--time", "60"],
        &["paths", "recording.wasm", "--time", "60", "--write-traces", &traces],
    ];
    let process = |arguments: &&[&str]| Process {
        arguments: arguments.iter().map(ToString::to_string).collect(),
        within,
    };
    list.iter().map(process).collect()
}

/// How long a command took to end after it was pressed.
pub struct Row {
    pub face: &'static str,
    pub command: String,
    /// In ms.
    pub times: Vec<f64>,
    /// Commands that had ended before they were pressed: those say nothing.
    pub ended: usize,
}

impl Row {
    pub fn new(face: &'static str, command: impl ToString) -> Self {
        Self {
            face,
            command: command.to_string(),
            times: Vec::new(),
            ended: 0,
        }
    }

    /// Whether enough presses are there, or so many commands ended by themselves that there is nothing to press.
    pub fn is_full(&self, presses: usize) -> bool {
        self.times.len() >= presses || self.ended >= 3 * presses
    }

    /// Prints the row; whether what must hold does.
    pub fn print(mut self, (median, most): (f64, f64)) -> bool {
        self.times.sort_by(f64::total_cmp);
        let count = self.times.len();
        let at = |percent: usize| {
            self.times
                .get((count * percent / 100).min(count.saturating_sub(1)))
                .copied()
        };
        let show = |ms: Option<f64>| ms.map_or("–".to_owned(), |ms| format!("{ms:.1}"));
        let kept = at(50).is_none_or(|ms| ms < median) && at(99).is_none_or(|ms| ms < most);
        let verdict = if kept { "" } else { " **too long**" };
        println!(
            "| {} | `{}` | {count} | {} | {} | {} | {}{verdict} |",
            self.face,
            self.command.replace('|', "\\|"),
            show(at(50)),
            show(at(99)),
            show(self.times.last().copied()),
            self.ended,
        );
        kept
    }
}
