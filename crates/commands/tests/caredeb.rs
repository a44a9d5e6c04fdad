//! CaReDeb: transcripts as data. A file in `caredeb/` holds a comment, the program (a path below
//! `examples/` after `$`, or a text up to a line `---`), commands, `---`, and the transcript.
//! `UPDATE=1` rewrites the transcripts.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

use std::fs;
use std::path::Path;

use borges_commands::interpreter::Interpreter as _;
use borges_commands::model::caredeb::CareDebPrompt;
use borges_commands::paint::Paint;
use borges_languages::model::{Explore, MU_OZ, Model};
use borges_session::command::Flow;
use borges_session::model::ModelSession;

/// The program's text and the rest of the script.
fn program(script: &str) -> (String, &str) {
    let script = script.trim_start();
    if let Some(rest) = script.strip_prefix("$ ") {
        let (path, rest) = rest.split_once('\n').unwrap();
        let path = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
        return (fs::read_to_string(path).unwrap(), rest);
    }
    let (text, rest) = script.split_once("---\n").unwrap();
    (text.to_owned(), rest)
}

fn transcript(text: &str, commands: &str) -> String {
    let model = Model::parse(&MU_OZ, text);
    let model = model.unwrap_or_else(|error| panic!("{}", error.explain(text)));
    let session = ModelSession::new("test".to_owned(), model, Explore::default(), None);
    let mut prompt = CareDebPrompt::new(session).unwrap();
    let paint = Paint::new(false, 80);
    let mut told = String::new();
    for line in commands.lines() {
        told += &format!("> {line}\n");
        told += &prompt.execute(line, &paint, &mut |_| Flow::Continue).text;
    }
    told
}

#[test]
fn transcripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/caredeb");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for file in files {
        let content = fs::read_to_string(&file).unwrap();
        let comments: String = content
            .lines()
            .take_while(|line| line.starts_with('#'))
            .map(|line| format!("{line}\n"))
            .collect();
        let script = &content[comments.len()..];
        let (text, rest) = program(script);
        let (commands, expected) = rest.split_once("---\n").unwrap_or((rest, ""));
        let told = transcript(&text, commands);
        if told == expected {
            continue;
        }
        if std::env::var_os("UPDATE").is_some() {
            let head = &script[..script.len() - rest.len()];
            fs::write(&file, format!("{comments}{head}{commands}---\n{told}")).unwrap();
        } else {
            wrong.push(format!("{}:\n{told}", file.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "UPDATE=1 accepts this:\n{}",
        wrong.join("\n")
    );
}
