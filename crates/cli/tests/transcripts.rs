//! Whole sessions with the real binary: `tests/transcripts/*.txt`.
//!
//! A file is comments (`# `), then `$ ` and the arguments, then what goes to standard input, a line `---`, what comes
//! from standard output, from standard error if that is anything (after `--- stderr`), and `--- exit N`. The command
//! runs at the root of the repository; `{tmp}` is an empty folder. `UPDATE=1 cargo test` rewrites what is expected.

#![allow(clippy::unwrap_used)]

mod support;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

#[test]
fn sessions_go_as_written() {
    for path in support::files(&support::folder("transcripts"), "txt") {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let temporary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&temporary);
        fs::create_dir_all(&temporary).unwrap();
        support::check(&path, &played(&text, &temporary));
    }
}

/// The sessions and the explorations in the READMEs of the examples of model languages, in their order: `tests/readmes`
/// has what comes out. A session is a block that begins with `$ borges`, with remarks after two spaces.
#[test]
fn readmes_lead_to_the_bug() {
    let mut readmes = 0;
    for entry in fs::read_dir(support::root().join("examples")).unwrap() {
        let path = entry.unwrap().path().join("README.md");
        let Ok(readme) = fs::read_to_string(&path) else {
            continue;
        };
        let script = script(&readme);
        if !script.contains("$ explore ") {
            continue;
        }
        readmes += 1;
        let folder = path.parent().unwrap().file_name().unwrap();
        let name = format!("{}.txt", folder.to_str().unwrap());
        let played = played(&script, Path::new(env!("CARGO_TARGET_TMPDIR")));
        assert!(
            !played.contains("--- exit 1") && !played.contains("--- stderr"),
            "a command of {} fails:\n{played}",
            path.display()
        );
        support::check(&support::folder("readmes").join(name), &played);
    }
    assert!(readmes >= 7, "all examples of model languages");
}

/// The session in the README at the root is what the program prints.
#[test]
fn the_readme_shows_what_comes_out() {
    let path = support::root().join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once("$ borges ").unwrap();
    let (session, after) = rest.split_once("```").unwrap();
    let (arguments, shown) = session.split_once('\n').unwrap();
    let typed = shown.lines().filter_map(|line| line.strip_prefix("> "));
    let input: String = typed.map(|line| format!("{line}\n")).collect();
    let output = run(arguments, &input, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let played = described(&output, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let played = played.strip_suffix("--- exit 0\n").expect(&played);
    let actual = format!("{before}$ borges {arguments}\n{played}```{after}");
    support::check(&path, &actual);
}

/// A transcript without what comes out, of what a README says to type.
fn script(readme: &str) -> String {
    let mut script = String::new();
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        if let Some(arguments) = line.strip_prefix("$ borges ") {
            let _ = writeln!(script, "$ {arguments}");
            for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                let command = line.split("  ").next().unwrap_or_default();
                let _ = writeln!(script, "{command}");
            }
            script.push_str("---\n");
        }
        // Every other piece between backticks is code. Only explorations end by themselves.
        for code in line.split('`').skip(1).step_by(2) {
            if let Some(program) = code.strip_prefix("borges explore ") {
                let _ = write!(script, "$ explore {program}\n---\n");
            }
        }
    }
    script
}

/// The text with what came out this time.
fn played(text: &str, temporary: &Path) -> String {
    let mut actual = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(arguments) = line.strip_prefix("$ ") {
            let mut input = String::new();
            while let Some(line) = lines.next_if(|l| *l != "---") {
                input.push_str(line);
                input.push('\n');
            }
            // What was expected goes up to the next command or comment.
            while lines
                .next_if(|l| !l.starts_with("$ ") && !l.starts_with("# "))
                .is_some()
            {}
            let _ = write!(actual, "$ {arguments}\n{input}---\n");
            let output = run(arguments, &input, temporary);
            actual.push_str(&described(&output, temporary));
            if lines.peek().is_some() {
                actual.push('\n');
            }
        } else {
            let _ = writeln!(actual, "{line}");
        }
    }
    actual
}

fn run(arguments: &str, input: &str, temporary: &Path) -> Output {
    let arguments = arguments.replace("{tmp}", temporary.to_str().unwrap());
    let mut child = Command::new(env!("CARGO_BIN_EXE_borges"))
        .args(words(&arguments))
        .current_dir(support::root())
        // What is expected is the same for every user, terminal and time zone.
        .env_clear()
        .env("BORGES_HISTORY", "")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The child may have ended before it read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn described(output: &Output, temporary: &Path) -> String {
    let plain = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes)
            .replace(temporary.to_str().unwrap(), "{tmp}")
            .replace(support::root().to_str().unwrap(), "{root}");
        timeless(&text)
    };
    let mut text = plain(&output.stdout);
    let told = without_progress(&plain(&output.stderr));
    if !told.is_empty() {
        let _ = write!(text, "--- stderr\n{told}");
    }
    match output.status.code() {
        Some(code) => {
            let _ = writeln!(text, "--- exit {code}");
        }
        None => text.push_str("--- killed\n"),
    }
    text
}

/// Durations differ from run to run: `"seconds":0.01` and `, 0.010 s`.
fn timeless(text: &str) -> String {
    let text = untimed_lines(text);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("\"seconds\":") {
        let number = after.trim_start_matches(|c: char| c.is_ascii_digit() || ".e-".contains(c));
        let _ = write!(out, "{before}\"seconds\":0");
        rest = number;
    }
    out + rest
}

/// Whether a run takes so long that it tells how far it is depends on the machine.
fn without_progress(told: &str) -> String {
    let is_progress = |line: &str| {
        line.contains(": ") && line.ends_with(", 0 s\n") || line.starts_with("{\"progress\":")
    };
    let lines = told.split_inclusive('\n');
    lines.filter(|line| !is_progress(line)).collect()
}

fn untimed_lines(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| match line.rfind(", ").map(|at| line.split_at(at)) {
            Some((before, after)) if after.ends_with(" s\n") => format!("{before}, 0 s\n"),
            Some((before, after)) if after.contains(" s (") => format!("{before}, 0 s\n"),
            _ => line.to_string(),
        })
        .collect()
}

/// Splits at spaces; single quotes keep a word together.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut any) = (String::new(), false, false);
    for c in text.chars() {
        match c {
            '\'' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            c => word.push(c),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    words
}
