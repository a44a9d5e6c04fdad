//! Programs that compilers made run as they do on wasmtime: output, exit code and the files they leave (`golden.py` in
//! `programs` has recorded what wasmtime does).
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

mod embedding;

use borges_wasi::{Item, Output, Setup, World};
use embedding::Ended;
use std::collections::BTreeMap;
use std::fmt::Write;

const FILES: &[u8] = include_bytes!("programs/files.wasm");
const WORDS: &[u8] = include_bytes!("programs/words.wasm");

fn folder(items: &[(&str, Item)]) -> BTreeMap<String, Item> {
    items
        .iter()
        .map(|(name, item)| ((*name).to_string(), item.clone()))
        .collect()
}

fn file(text: &str) -> Item {
    Item::File(text.as_bytes().to_vec())
}

/// What `golden.py` gives the programs.
fn setup(arguments: &[&str], input: &str) -> Setup {
    let inner = folder(&[
        (
            "a.txt",
            file("the quick brown fox\njumps over the lazy dog\n"),
        ),
        ("old.txt", file("The end. The END.\n")),
        ("b.dat", file("not counted")),
    ]);
    let data = folder(&[
        ("in", Item::Folder(inner)),
        ("top.txt", file("a fox, a dog\n")),
    ]);
    Setup {
        arguments: arguments.iter().map(ToString::to_string).collect(),
        folders: vec![("/data".to_string(), data)],
        input: input.as_bytes().to_vec(),
        ..Setup::default()
    }
}

fn files_setup() -> Setup {
    Setup {
        environment: vec![("HOME".to_string(), "/home/here".to_string())],
        ..setup(&["files", "one", "two words"], "3 5 8\n13 21 34\n")
    }
}

fn words_setup() -> Setup {
    setup(&["words", "/data"], "first line\nsecond\nno newline")
}

/// What a run left, in the words of `golden.py`.
fn left(ended: &Ended, world: &World) -> String {
    let Ended::Exit(code) = ended else {
        return format!("{ended:?}");
    };
    let mut text = format!("exit {code}\n");
    for (name, output) in [("stdout", Output::Standard), ("stderr", Output::Error)] {
        let said = String::from_utf8(world.output(output).to_vec()).unwrap();
        for line in said.lines() {
            writeln!(text, "{name} {line}").unwrap();
        }
    }
    let mut lines = BTreeMap::new();
    for (_, items) in world.folders() {
        list("", &items, &mut lines);
    }
    text.extend(lines.into_values());
    text
}

fn list(path: &str, items: &BTreeMap<String, Item>, lines: &mut BTreeMap<String, String>) {
    for (name, item) in items {
        let path = format!("{path}{name}");
        let line = match item {
            Item::Link(target) => format!("link {path} {target}\n"),
            Item::Folder(items) => {
                list(&format!("{path}/"), items, lines);
                format!("folder {path}\n")
            }
            Item::File(bytes) => {
                let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
                    write!(hex, "{byte:02x}").unwrap();
                    hex
                });
                format!("file {path} {hex}\n")
            }
        };
        lines.insert(path, line);
    }
}

#[test]
fn c_and_rust_programs_do_what_they_do_on_wasmtime() {
    for (wasm, setup, golden) in [
        (FILES, files_setup(), include_str!("programs/files.golden")),
        (WORDS, words_setup(), include_str!("programs/words.golden")),
    ] {
        let mut world = World::new(&setup).unwrap();
        let ended = embedding::run(wasm, &mut world, World::usual).unwrap();
        assert_eq!(left(&ended, &world), golden);
    }
}

#[test]
fn what_compilers_import_has_the_types_of_the_table() {
    assert!(embedding::types_agree(FILES));
    assert!(embedding::types_agree(WORDS));
}

/// Whatever the program does, the worlds on its way stay what they were, and a second run comes by all of them.
#[test]
fn a_world_that_is_kept_does_not_change_and_comes_back() {
    for (wasm, setup) in [(FILES, files_setup()), (WORDS, words_setup())] {
        let start = World::new(&setup).unwrap();
        let mut kept = Vec::new();
        let mut world = start.clone();
        let ended = embedding::run_from(wasm, &mut world, World::usual, &mut |world, _| {
            kept.push((world.clone(), world.state_hash()));
        });
        assert!(kept.len() > 50, "{}", kept.len());
        let mut again = World::new(&setup).unwrap();
        let mut at = 0;
        let ended_again = embedding::run_from(wasm, &mut again, World::usual, &mut |world, _| {
            let (then, hash) = &kept[at];
            assert_eq!(world, then);
            assert_eq!(world.state_hash(), *hash);
            at += 1;
        });
        assert_eq!(at, kept.len());
        assert_eq!(ended, ended_again);
        assert_eq!(world, again);
        assert_eq!(world.state_hash(), again.state_hash());
        assert_ne!(world, start);
        assert!(start.changed_files(&start).is_empty());
        assert!(!start.changed_files(&world).is_empty());
    }
}
