//! What typed lines mean: `tests/parser/*.txt`, a line after `> ` and below it what it is read as.

#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/support/expected.rs"]
mod support;

use std::fmt::Write as _;
use std::fs;

use borges_commands::device::COMMANDS;
use borges_commands::device::table::Request;
use borges_commands::model::{caredeb, voyager, walk};
use borges_commands::paint::Paint;
use borges_commands::table::Table;
use borges_commands::{message, table};

#[test]
fn lines_are_read_as_commands_or_refused_at_their_column() {
    for path in support::files(&support::folder("parser"), "txt") {
        let text = fs::read_to_string(&path).unwrap();
        let mut actual = String::new();
        for line in text.lines() {
            if let Some(typed) = line.strip_prefix("> ") {
                let _ = writeln!(actual, "{line}");
                actual.push_str(&read(typed));
            } else if line.starts_with("# ") || line.is_empty() {
                let _ = writeln!(actual, "{line}");
            }
        }
        support::check(&path, &actual);
    }
}

fn read(typed: &str) -> String {
    match table::read(COMMANDS, typed) {
        Ok((_, Request::Session(command))) => serde_json::to_string(&command).unwrap() + "\n",
        Ok((_, request)) => format!("{request:?}\n"),
        Err(misread) => message::misread(typed, &misread, &Paint::new(false, 80)),
    }
}

#[test]
fn no_two_commands_of_a_prompt_share_a_name_and_every_example_in_the_help_can_be_typed() {
    is_sound(COMMANDS);
    is_sound(walk::COMMANDS);
    is_sound(voyager::COMMANDS);
    is_sound(caredeb::COMMANDS);
}

fn is_sound<R>(commands: Table<R>) {
    let mut seen = std::collections::BTreeSet::new();
    for spec in commands.iter() {
        for name in std::iter::once(&spec.name).chain(spec.letters) {
            assert!(seen.insert(*name), "{name} is used twice");
        }
        for (example, _) in spec.examples {
            let (read_as, _) = table::read(commands, example)
                .unwrap_or_else(|e| panic!("{example}: {}", e.message));
            assert_eq!(read_as.name, spec.name, "{example}");
        }
    }
}

#[test]
fn the_command_page_of_the_documentation_is_current() {
    let path = support::root().join("docs/commands.md");
    support::check(&path, &borges_commands::page::page());
}
