//! A language from outside: `petri/net.rs` has Petri nets, and this program is the `borges` command with them.
//!
//! Called by itself, it is the command; called by `cargo test`, it explores, debugs, checks, queries and shows a net.

#![allow(clippy::unwrap_used, reason = "a broken test may panic")]

#[path = "petri/net.rs"]
mod net;

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::{env, fs};

use borges_languages::model::language;

/// Two people who need a fork and a knife, and take them in different orders.
const TABLE: &str = "\
place ann: hungry
place bob: hungry
place fork: steel
place knife: silver
place ann1:
place bob1:
place done:
# Who holds what the other needs waits for ever.
ann-fork: ann(x) fork(f) -> ann1(f)
ann-knife: ann1(f) knife(k) -> done(f) fork(f) knife(k)
bob-knife: bob(x) knife(k) -> bob1(k)
bob-fork: bob1(k) fork(f) -> done(k) fork(f) knife(k)
end done 2
";

/// Set where this program is to be the command.
const COMMAND: &str = "BORGES_WITH_NETS";

fn main() -> ExitCode {
    if env::var_os(COMMAND).is_some() {
        language::add(&net::PETRI);
        return borges_cli::main();
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("table.net"), TABLE).unwrap();
    explored(folder.path());
    debugged(folder.path());
    walked(folder.path());
    shown(folder.path());
    refused(folder.path());
    println!("test a language from outside ... ok");
    ExitCode::SUCCESS
}

fn borges(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .current_dir(folder)
        .env(COMMAND, "1")
        .args(arguments);
    command
}

/// Runs the command; its exit code and what it said must be as expected.
fn expect(folder: &Path, arguments: &[&str], exit: i32, said: &[&str]) {
    let output = borges(folder, arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}: {text}");
    for part in said {
        assert!(text.contains(part), "{arguments:?}: no '{part}' in {text}");
    }
}

/// Runs `borges repl` with these options and commands.
fn expect_typed(folder: &Path, options: &[&str], commands: &[&str], said: &[&str]) {
    let typed = commands.iter().flat_map(|line| ["-x", line]);
    let arguments: Vec<&str> = ["repl"]
        .iter()
        .chain(options)
        .copied()
        .chain(typed)
        .collect();
    expect(folder, &arguments, 0, said);
}

fn explored(folder: &Path) {
    let both = [
        "finished  1 state",
        "deadlock  1 state",
        "done = silver steel",
        "9 states, 10 edges, 2 outcomes, 4 paths, 3 classes of runs",
    ];
    expect(folder, &["explore", "table.net"], 0, &both);
    let reduced = ["explore", "table.net", "--reduction", "dpor"];
    expect(folder, &reduced, 0, &["2 outcomes, 3 classes of runs"]);
    let kept = ["explore", "table.net", "--keep", "done"];
    expect(folder, &kept, 0, &["an abstraction: only done"]);
    let toward = ["explore", "table.net", "--toward", "done == 1"];
    expect(
        folder,
        &toward,
        0,
        &["met done == 1", "ann-knife: ann1(steel) knife(silver)"],
    );
    let held = [
        "explore",
        "table.net",
        "--expect",
        "done == 2",
        "--session",
        "kept.borges",
    ];
    expect(
        folder,
        &held,
        1,
        &["broken  expect done == 2: deadlock: ann1(steel) bob1(silver)"],
    );
    expect(
        folder,
        &["inspect", "kept.borges"],
        0,
        &["Petri net", "9 states"],
    );
    expect_typed(folder, &["kept.borges"], &["ask ends"], &["deadlock"]);
}

/// The debugger of all universes.
fn debugged(folder: &Path) {
    let script = [
        "break done == 1",
        "run",
        "delete 1",
        "step step ann-fork 0",
        "jump 0",
        "ask ends",
        "check F {done == 2}",
        "may done == 2",
        "query SELECT count(*) AS known FROM model_state",
    ];
    let said = [
        "paused in 2 universes",
        "breakpoint 1 (done == 1)",
        "deadlock: ann1(steel) bob1(silver)",
        "ann-fork: ann(hungry) fork(steel)  line 9",
        "may: yes",
        "known",
        "9",
    ];
    expect_typed(folder, &["table.net"], &script, &said);
}

/// One universe at a time, with causal undo: the second of two steps that have nothing to do with each other stays.
fn walked(folder: &Path) {
    let script = [
        "break done == 1",
        "k 0",
        "k 1",
        "back",
        "jump 0.2",
        "undo 0.1",
        "seek done == 2",
        "races",
    ];
    let said = [
        "undid ann(hungry) fork(steel)",
        "ann(hungry) fork(steel) bob1(silver)",
    ];
    expect_typed(folder, &["table.net", "--walk"], &script, &said);
}

/// The page: the same server and the same questions as for every language.
fn shown(folder: &Path) {
    let mut page = borges(folder, &["debug", "table.net", "--no-browser", "--json"]);
    let mut page = Served(page.stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    let mut said = BufReader::new(page.0.stdout.take().unwrap());
    said.read_line(&mut line).unwrap();
    let page_at: serde_json::Value = serde_json::from_str(&line).unwrap();
    let url = page_at["url"].as_str().unwrap();
    let address = url.replacen("http", "ws", 1) + "socket";
    let stream = TcpStream::connect(url.split('/').nth(2).unwrap()).unwrap();
    let (mut socket, _) = tungstenite::client(address, stream).unwrap();
    let shown = told(&mut socket, "\"snapshot\"").to_string();
    assert!(shown.contains("\"language\":\"Petri net\""), "{shown}");
    let graph = serde_json::json!({ "text": TABLE }).to_string();
    assert!(shown.contains(&graph[1..graph.len() - 1]), "{shown}");
    let mut ask = |command: &str| {
        let message = format!(r#"{{"ask": "command", "id": 7, "command": {command}}}"#);
        socket.send(message.into()).unwrap();
        told(&mut socket, "\"id\":7")["reply"].take()
    };
    let ends = ask(r#"{"command": "ask", "question": "ends"}"#);
    assert!(ends.to_string().contains("deadlock"), "{ends}");
    let card = ask(r#"{"command": "card", "universe": 0}"#);
    let agents = card["card"]["agents"].to_string();
    assert!(
        agents.contains("ann-fork") && agents.contains("\"line\":9"),
        "{card}"
    );
}

/// The next of a server's messages that has this text in it.
fn told(socket: &mut tungstenite::WebSocket<TcpStream>, text: &str) -> serde_json::Value {
    loop {
        let message = socket.read().unwrap();
        if message.to_text().is_ok_and(|said| said.contains(text)) {
            return serde_json::from_str(message.to_text().unwrap()).unwrap();
        }
    }
}

/// A page's server, which ends with the test, whatever came of that.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

/// Mistakes are shown where they are, names are looked up in the net.
fn refused(folder: &Path) {
    fs::write(folder.join("wrong.net"), "place a: x\nt: b(x) -> a(x)\n").unwrap();
    expect(
        folder,
        &["explore", "wrong.net"],
        3,
        &[
            "this is no Petri net program",
            "2:1",
            "there is no place called b",
            "lines are 'place NAME",
        ],
    );
    let misspelt = ["explore", "table.net", "--expect", "don == 2"];
    expect(folder, &misspelt, 2, &["called don", "done"]);
}
