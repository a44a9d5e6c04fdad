//! Programs that compilers made run as they do on wasmtime: output, exit code and the files they leave (`golden.py` in
//! `programs` has recorded what wasmtime does).
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

mod embedding;

use borges_wasi::{Chosen, Errno, Function, Item, Output, Setup, Wants, World};
use embedding::Ended;
use std::collections::{BTreeMap, BTreeSet};
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

/// The hash goes into recordings that other machines replay: who changes what is modelled, or how it is hashed, sees it
/// here.
#[test]
fn the_hash_of_a_state_is_the_same_everywhere() {
    let mut world = World::new(&files_setup()).unwrap();
    assert_eq!(world.state_hash(), 0xa170_4b75_3944_fc88);
    embedding::run(FILES, &mut world, World::usual).unwrap();
    assert_eq!(world.state_hash(), 0x2036_0adb_a4ed_3cd2);
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
            None
        });
        assert!(kept.len() > 50, "{}", kept.len());
        let mut again = World::new(&setup).unwrap();
        let mut at = 0;
        let ended_again = embedding::run_from(wasm, &mut again, World::usual, &mut |world, _| {
            let (then, hash) = &kept[at];
            assert_eq!(world, then);
            assert_eq!(world.state_hash(), *hash);
            at += 1;
            None
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

/// What was chosen, and nothing else, leads to the same end again.
#[test]
fn choices_are_all_that_a_replay_needs() {
    let setup = words_setup();
    let mut world = World::new(&setup).unwrap();
    let mut recorded = Vec::new();
    let ended = embedding::run(WORDS, &mut world, |world, wants| {
        let number = recorded.len() as u64;
        let chosen = match wants {
            Wants::Time { .. } => Chosen::Later(1000 * (number + 1)),
            Wants::Random { bytes } => Chosen::Bytes(vec![number as u8; *bytes as usize]),
            Wants::Input { .. } if number.is_multiple_of(2) => Chosen::Bytes(vec![b'x'; 3]),
            wants => world.usual(wants),
        };
        recorded.push(postcard::to_allocvec(&chosen).unwrap());
        chosen
    });
    assert!(recorded.len() > 5);
    // The setup travels too, but what it says of input is not asked.
    let mut again = World::new(&Setup {
        input: vec![],
        ..setup
    })
    .unwrap();
    let mut rest = recorded.iter();
    let ended_again = embedding::run(WORDS, &mut again, |_, _| {
        postcard::from_bytes(rest.next().unwrap()).unwrap()
    });
    assert_eq!(rest.len(), 0);
    assert_eq!(ended, ended_again);
    assert_eq!(world.state_hash(), again.state_hash());
    assert_eq!(world.folders(), again.folders());
}

/// The functions that a program calls, in order, and how it ends if `choice` is made for the call number `at`.
fn run_with(
    wasm: &[u8],
    setup: &Setup,
    at: usize,
    choice: Option<Chosen>,
) -> (Vec<Function>, Ended, World) {
    let mut world = World::new(setup).unwrap();
    let mut functions = Vec::new();
    let ended = embedding::run_from(wasm, &mut world, World::usual, &mut |_, import| {
        functions.push(import.function);
        choice.clone().filter(|_| functions.len() == at + 1)
    });
    (functions, ended.unwrap(), world)
}

/// Every call fails once with every error that it may fail with: most ends are told, and the error path that was
/// forgotten is found.
#[test]
fn every_call_of_a_program_fails_with_every_error() {
    let setup = files_setup();
    let (functions, usual, _) = run_with(FILES, &setup, 0, None);
    assert_eq!(usual, Ended::Exit(3));
    let (mut runs, mut said, mut traps) = (0, BTreeMap::new(), BTreeSet::new());
    for (at, function) in functions.iter().enumerate() {
        for errno in function.faults() {
            let (before, ended, world) = run_with(FILES, &setup, at, Some(Chosen::Fault(*errno)));
            assert_eq!(before[..=at], functions[..=at]);
            let Ended::Exit(code) = ended else {
                traps.insert((at, *function));
                continue;
            };
            runs += 1;
            let text = String::from_utf8(world.output(Output::Standard).to_vec()).unwrap();
            let full = text.contains("No space left on device");
            said.entry((*errno == Errno::Nospc && full, code))
                .and_modify(|count| *count += 1)
                .or_insert(1);
        }
    }
    assert!(runs > 200, "{runs}");
    // The one bug of the program: it appends to a file without looking whether it could be opened.
    let traps: Vec<Function> = traps.into_iter().map(|(_, function)| function).collect();
    assert_eq!(traps, [Function::PathOpen]);
    // It says so and ends where it notices, and it does not always notice: errors of `fclose` are not looked at.
    assert!(said[&(true, 1)] > 5, "{said:?}");
    assert!(said[&(false, 3)] > 20, "{said:?}");
}

/// A program that goes on where a short write ended leaves the same files.
#[test]
fn short_writes_change_nothing_for_who_goes_on() {
    let setup = words_setup();
    let (functions, _, usual) = run_with(WORDS, &setup, 0, None);
    let mut runs = 0;
    for (at, function) in functions.iter().enumerate() {
        if *function == Function::FdWrite {
            let (more, ended, world) = run_with(WORDS, &setup, at, Some(Chosen::Short(1)));
            assert!(more.len() >= functions.len());
            assert_eq!(ended, Ended::Exit(7));
            assert_eq!(world.folders(), usual.folders());
            let text = |world: &World| world.output(Output::Standard).to_vec();
            assert_eq!(text(&world), text(&usual));
            runs += 1;
        }
    }
    assert!(runs > 20, "{runs}");
}
