//! `kill -9` at any moment: what the command had shown is in the session file, and what a program recorded while it ran.
//! And a file that was damaged.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Commands that record, branch, mock, look back, and set things: over and over.
const ROUND: &str = "\
e 3
m read_uart_sensor(0) = NUMBER % 6
e 4
note at NUMBER
break LINE
S
jump 0.1+5
branches 0..3
fork
e 2
bookmark markNUMBER
n 2
";

fn script(rounds: u32) -> String {
    let mut text = String::new();
    for number in 0..rounds {
        let value = number % 6;
        let line = [17, 18, 19, 28][number as usize % 4];
        let round = ROUND
            .replace("NUMBER % 6", &value.to_string())
            .replace("NUMBER", &number.to_string())
            .replace("LINE", &line.to_string());
        let _ = write!(text, "{round}");
    }
    text
}

fn borges(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borges"));
    command
        .args(arguments)
        .current_dir(support::root())
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Runs the script on a new session file and kills the command after so many replies; what it had shown by then.
fn killed_after(replies: usize, script: &Path, file: &Path) -> Vec<Value> {
    let program = "examples/color-dial/color-dial.wasm";
    let (script, file) = (script.to_str().unwrap(), file.to_str().unwrap());
    let mut child = borges(&["repl", program, "--session", file, "--script", script])
        .args(["--json", "--keep-going"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut shown: Vec<String> = lines
        .by_ref()
        .take(replies)
        .map(|line| line.unwrap())
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    // It went on while it was being killed: what is in the pipe was shown, too. The last line may be half a one.
    shown.extend(lines.map_while(Result::ok));
    let parsed = shown.iter().map(|line| serde_json::from_str(line));
    parsed.map_while(Result::ok).collect()
}

/// The replies of a script on a session file that exists.
fn asked(file: &Path, commands: &[String]) -> Vec<Value> {
    let mut arguments = vec!["repl", file.to_str().unwrap(), "--json", "--keep-going"];
    for command in commands {
        arguments.extend(["--execute", command]);
    }
    let output = borges(&arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// Whether `now` says all that `then` said of a place in the program.
fn same_place(then: &Value, now: &Value) -> bool {
    ["universe", "steps", "function", "file", "line", "offset"]
        .iter()
        .all(|field| then[field] == now[field])
}

/// The name of a universe.
fn universe(at: &Value) -> String {
    let id = &at["universe"];
    format!("{}.{}+{}", id["branch"], id["index"], id["offset"])
}

fn check(folder: &Path, script: &Path, replies: usize) {
    let file: PathBuf = folder.join(format!("{replies}.borges"));
    let shown = killed_after(replies, script, &file);
    assert!(shown.len() >= replies, "{} replies", shown.len());
    let mut here = &Value::Null;
    let (mut commands, mut expected) = (Vec::new(), Vec::new());
    let mut bookmarks = BTreeMap::new();
    for reply in &shown {
        let reply_at = &reply["reply"]["at"];
        if reply_at.is_object() {
            here = reply_at;
            commands.push(format!("jump {}", universe(here)));
            expected.push(here);
        } else if reply["command"]["command"] == "bookmark" {
            let name = reply["command"]["name"].as_str().unwrap();
            bookmarks.insert(universe(here), (name, here));
        }
    }
    // A moment has one name, and the last command, whose reply nobody saw, may have given another one.
    bookmarks.remove(&universe(here));
    for (name, at) in bookmarks.into_values() {
        commands.push(format!("jump {name}"));
        expected.push(at);
    }
    commands.extend(["breakpoints", "mocks"].map(str::to_owned));
    let found = asked(&file, &commands);
    for ((command, then), now) in commands.iter().zip(expected).zip(&found) {
        let now = &now["reply"]["at"];
        assert!(same_place(then, now), "{command}: {now} was {then}");
    }
    let [.., breakpoints, mocks] = &found[..] else {
        panic!("too few replies");
    };
    let breakpoints = breakpoints["reply"]["breakpoints"].as_array().unwrap();
    for set in shown.iter().map(|reply| &reply["reply"]) {
        if set["reply"] == "breakpoint-set" {
            let same = |now: &&Value| now["id"] == set["id"] && now["kind"] == set["kind"];
            assert!(breakpoints.iter().any(|now| same(&now)), "{set}");
        }
    }
    let mocked = shown
        .iter()
        .any(|reply| reply["command"]["command"] == "mock");
    assert_eq!(
        mocks["reply"]["mocks"].as_array().unwrap().len(),
        usize::from(mocked)
    );
}

/// An empty folder.
fn empty(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn what_was_shown_is_there_after_a_kill() {
    let folder = empty("killed");
    let commands = folder.join("commands.txt");
    fs::write(&commands, script(40)).unwrap();
    // When the command is killed depends on these, and on how far it gets while it is being killed.
    for replies in [2, 9, 31, 77, 150, 260, 390] {
        check(&folder, &commands, replies);
    }
}

#[test]
fn what_ran_is_there_after_a_kill() {
    let folder = empty("killed-running");
    let file = folder.join("running.borges");
    let path = file.to_str().unwrap();
    // It never ends by itself.
    let program = "examples/color-dial/color-dial.wasm";
    let mut child = borges(&["record", program, "--output", path])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Without what it recorded, the file has 65 KB.
    while fs::metadata(&file).map_or(0, |file| file.len()) < 300_000 {
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let info = asked(&file, &["info".to_owned()]);
    let entries = info[0]["reply"]["entries"].as_u64().unwrap();
    assert!(entries > 500, "{entries} entries");
    let replayed = borges(&["replay", path, "--json"]).output().unwrap();
    let replayed: Value = serde_json::from_slice(&replayed.stdout).unwrap();
    assert_eq!(replayed["same"], true, "{replayed}");
}

/// The graph of a program, of which one character of a kept text is another one.
#[test]
fn a_damaged_graph_is_named_and_made_anew() {
    let file = empty("graph").join("graph.borges");
    let path = file.to_str().unwrap();
    let explore = ["explore", "(+ (amb 1 2) (amb 3 4))", "--session", path];
    assert!(borges(&explore).status().unwrap().success());
    let check = || {
        let checked = borges(&["check", path]).output().unwrap();
        let said = String::from_utf8(checked.stdout).unwrap();
        (checked.status.code(), said)
    };
    assert_eq!(check().0, Some(0));
    let mut bytes = fs::read(&file).unwrap();
    let text = b"(amb 1 2) \xe2\x86\x92 2";
    let found = bytes.windows(text.len()).position(|window| window == text);
    bytes[found.expect("the text of a step")] = b'[';
    fs::write(&file, &bytes).unwrap();
    let (code, said) = check();
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("model_label") && said.contains("borges explore"),
        "{said}"
    );
    let inspected = borges(&["inspect", path, "--json"]).output().unwrap();
    let inspected: Value = serde_json::from_slice(&inspected.stdout).unwrap();
    assert_eq!(inspected["complete"], false, "{inspected}");
    assert!(borges(&explore).status().unwrap().success());
    // The graph is whole again, and what was damaged is not lost.
    let (_, said) = check();
    assert!(said.contains("kept in table aside"), "{said}");
    assert!(!said.contains("not what was written"), "{said}");
}
