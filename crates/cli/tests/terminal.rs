//! The prompt on a real (pseudo-)terminal, colours, and pipes that break.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

use rexpect::reader::Options;
use rexpect::session::{PtySession, spawn_with_options};

/// How long a busy machine may take for one answer, in milliseconds.
const PATIENCE_MS: u64 = 60_000;

fn borges(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borges"));
    command
        .args(arguments)
        .current_dir(support::root())
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .env("BORGES_HISTORY", "");
    command
}

/// A debugger at a terminal; escape sequences are taken out of what it says.
fn at_terminal(command: Command) -> PtySession {
    let options = Options::new()
        .timeout_ms(Some(PATIENCE_MS))
        .strip_ansi_escape_codes(true);
    spawn_with_options(command, options).unwrap()
}

const DIAL: &str = "examples/color-dial/color-dial.wasm";

/// Types a line and waits for an answer that matches and for the next prompt: what is typed before the editor listens
/// may be lost, as on every terminal.
fn ask(terminal: &mut PtySession, line: &str, answer: &str) {
    terminal.send_line(line).unwrap();
    terminal.exp_regex(answer).unwrap();
    prompt(terminal);
}

fn prompt(terminal: &mut PtySession) {
    terminal.exp_regex(r"\d+\.\d+(\+\d+)?> ").unwrap();
}

#[test]
fn a_person_steps_repeats_completes_and_leaves() {
    let mut terminal = at_terminal(borges(&["repl", DIAL]));
    terminal.exp_string("'help' lists the commands").unwrap();
    prompt(&mut terminal);
    ask(&mut terminal, "B turnTo", "breakpoint 1:");
    ask(&mut terminal, "c", "   17 .* const fields");
    ask(&mut terminal, "n", "changed fields 0");
    // An empty line repeats the motion.
    ask(&mut terminal, "", "changed degrees 0");
    // Tab completes a variable.
    terminal.send("p degr\t").unwrap();
    terminal.flush().unwrap();
    terminal.exp_string("p degrees").unwrap();
    ask(&mut terminal, "", r"degrees = -?\d+");
    // The history gives the last line back.
    terminal.send("\u{1b}[A").unwrap();
    terminal.flush().unwrap();
    terminal.exp_string("p degrees").unwrap();
    ask(&mut terminal, " + 1", r"degrees \+ 1 = -?\d+");
    terminal.send_line("quit").unwrap();
    terminal.exp_eof().unwrap();
}

/// `(module (func (export "main") (loop (br 0))))`: no bound but the user ends it.
const FOREVER: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x07\x08\x01\x04main\0\0\
\x0a\x09\x01\x07\0\x03\x40\x0c\0\x0b\x0b";

#[test]
fn ctrl_c_pauses_a_running_program_and_ctrl_d_leaves() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forever.wasm");
    fs::write(&program, FOREVER).unwrap();
    let mut terminal = at_terminal(borges(&["repl", program.to_str().unwrap()]));
    prompt(&mut terminal);
    terminal.send_line("c").unwrap();
    terminal.exp_string("running: ").unwrap();
    terminal.send_control('c').unwrap();
    terminal.exp_string("paused").unwrap();
    prompt(&mut terminal);
    ask(&mut terminal, "info", "recorded");
    terminal.send_control('c').unwrap();
    terminal.exp_string("'quit' leaves").unwrap();
    prompt(&mut terminal);
    terminal.send_control('d').unwrap();
    terminal.exp_eof().unwrap();
}

/// What a command says after Ctrl-C, which is pressed once its progress says this.
fn paused_at(mut command: Command, progress: &str) -> String {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(progress) {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "it goes on");
    }
    let pressed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(pressed.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130), "{text}");
    text
}

#[test]
fn ctrl_c_is_heard_while_a_solver_thinks() {
    // Values that are simply tried lead to the second reading; what comes then takes longer than anybody waits.
    let paths = borges(&["paths", HASH, "--time", "60"]);
    let text = paused_at(paths, "up to 2 inputs");
    assert!(text.contains("it was ended by the user"), "{text}");
}

/// Also where the nearest way is known already, and others are looked for.
#[test]
fn ctrl_c_ends_a_question_whose_answer_is_known() {
    let reach = borges(&["reach", HASH, "trap", "--time", "60"]);
    let text = paused_at(reach, "2 inputs looked at): 1, ");
    assert!(text.contains("it was ended by the user"), "{text}");
}

/// Traps at its first reading, and where forty of them have a hash that nobody finds.
const HASH: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../session/tests/futures_programs/hash.wasm"
);

/// An exploration that is stopped is not begun again to be kept: the file has what the report says.
#[test]
fn ctrl_c_keeps_what_an_exploration_found() {
    let file = support::fresh("stopped.borges");
    let kept = file.to_str().unwrap();
    // Four million states.
    let program = "crates/cli/tests/programs/four-clients.at";
    let bounds = ["--states", "30000000", "--session", kept, "--json"];
    let mut explore = borges(&["explore", program]);
    explore.args(bounds);
    let report = paused_at(explore, "\"progress\":\"states explored\"");
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["why"], "cancelled", "{report}");
    let inspected = borges(&["inspect", kept, "--json"]).output().unwrap();
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).unwrap();
    for what in ["complete", "states", "edges"] {
        assert_eq!(inspected[what], report[what], "{what}: {inspected}");
    }
}

#[test]
fn ctrl_c_ends_a_script_once_the_command_has_said_what_it_has() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forever-scripted.wasm");
    fs::write(&program, FOREVER).unwrap();
    let child = borges(&["repl", program.to_str().unwrap(), "-x", "c", "-x", "info"]);
    let text = paused_at(child, "running: ");
    assert!(text.contains("paused"), "{text}");
    assert!(!text.contains("recorded"), "nothing after it: {text}");
}

#[test]
fn a_walk_goes_on_at_the_terminal_too() {
    let mut terminal = at_terminal(borges(&["repl", "(+ (amb 1 2) (amb 3 4))"]));
    prompt(&mut terminal);
    ask(&mut terminal, "k 1", r"\(\+ 2 \(amb 3 4\)\)");
    ask(&mut terminal, "S", r"\(\+ \(amb 1 2\) \(amb 3 4\)\)");
    terminal.send_line("q").unwrap();
    terminal.exp_eof().unwrap();
}

#[test]
fn no_color_is_respected_on_a_terminal_and_overruled_by_the_option() {
    let script = ["-x", "tree"];
    let coloured = |mut command: Command, terminal: bool| -> bool {
        if terminal {
            let options = Options::new().timeout_ms(Some(PATIENCE_MS));
            let mut session = spawn_with_options(command, options).unwrap();
            session.exp_eof().unwrap().contains("\u{1b}[")
        } else {
            let output = command.output().unwrap();
            String::from_utf8_lossy(&output.stdout).contains("\u{1b}[")
        }
    };
    let amb = |more: &[&str]| {
        let mut arguments = vec!["repl", "(amb 1 2)"];
        arguments.extend(script);
        arguments.extend(more);
        borges(&arguments)
    };
    assert!(coloured(amb(&[]), true));
    assert!(!coloured(amb(&[]), false));
    let mut plain = amb(&[]);
    plain.env("NO_COLOR", "1");
    assert!(!coloured(plain, true));
    let mut dumb = amb(&[]);
    dumb.env("TERM", "dumb");
    assert!(!coloured(dumb, true));
    assert!(coloured(amb(&["--color", "always"]), false));
    assert!(!coloured(amb(&["--color", "never"]), true));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = borges(&["run", DIAL, "--steps", "2000000", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One byte, and the pipe is closed: the rest does not fit into it.
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn every_subcommand_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("man");
    let output = borges(&["manual", path.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success());
    let help = String::from_utf8(borges(&["--help"]).output().unwrap().stdout).unwrap();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let names: Vec<&str> = commands
        .lines()
        .take_while(|line| !line.is_empty())
        // What a subcommand does may take more than a line, which is further in.
        .filter_map(|line| {
            line.strip_prefix("  ")
                .filter(|line| !line.starts_with(' '))
        })
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.contains(&"debug"), "{names:?}");
    for name in names {
        let page = std::fs::read_to_string(path.join(format!("borges-{name}.1")));
        assert!(page.is_ok_and(|page| page.contains(".TH")), "{name}");
    }
    // A file is no folder.
    let page = path.join("borges.1");
    let refused = borges(&["manual", page.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("cannot be written to"));
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = borges(&["completions", shell]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = String::from_utf8_lossy(&output.stdout);
        for word in ["borges", "repl", "replay", "keep-going"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn commands_come_from_standard_input_when_it_is_no_terminal() {
    let mut child = borges(&["repl", "(amb 1 2)", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(
        &mut child.stdin.take().unwrap(),
        b"choose 1\n# a comment\np\n",
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    let lines: Vec<serde_json::Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["reply"]["outcome"]["value"], "2");
}
