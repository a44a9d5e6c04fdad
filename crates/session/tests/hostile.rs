//! Session files that somebody else wrote: damaged, cut off, or forged with all checksums right.
//!
//! Whatever is in them, nothing panics, and an error says where: the file, and what is wrong in it.

use std::path::Path;

use borges_session::command::{Command, Direction, MockValues, NewBreakpoint, StepSize, StopKind};
use borges_session::{Flow, Options, Reply, Session};
use borges_store::{Access, Entry, EntryKind, Fork, Store, Upload, Value};

const CASES: u64 = 1000;

/// Inputs, outputs and a timer, so that there is an entry of every kind; a loop that ends.
const PROGRAM: &str = r#"(module
  (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
  (import "env" "chip_digital_write" (func $write (param i32 i32)))
  (import "env" "chip_delay" (func $delay (param i32)))
  (import "env" "subscribe_timer" (func $timer (param i32 i32)))
  (memory 1)
  (table 1 funcref) (elem (i32.const 0) $tick)
  (global $ticks (mut i32) (i32.const 0))
  (func $tick (global.set $ticks (i32.add (global.get $ticks) (i32.const 1))))
  (func (export "main") (result i32) (local $n i32) (local $sum i32)
    (call $timer (i32.const 3) (i32.const 0))
    (loop $next
      (local.set $sum (i32.add (local.get $sum) (call $read (i32.const 34))))
      (i32.store (i32.mul (local.get $n) (i32.const 64)) (local.get $sum))
      (call $write (i32.const 5) (i32.and (local.get $sum) (i32.const 1)))
      (call $delay (i32.const 1))
      (br_if $next (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 40))))
    (local.get $sum)))"#;

fn run(session: &mut Session, command: Command) -> Result<Reply, String> {
    let result = session.execute(command, &mut |_| Flow::Continue);
    result.map_err(|error| error.to_string())
}

/// A recording with branches, notes, breakpoints and mocks.
fn recorded(folder: &Path) -> std::path::PathBuf {
    let program = folder.join("program.wasm");
    let wasm = wat::parse_str(PROGRAM).expect("a module");
    std::fs::write(&program, wasm).expect("it is written");
    let file = folder.join("recorded.borges");
    let options = Options {
        session_file: Some(file.clone()),
        ..Options::new(program)
    };
    let mut session = Session::open(options).expect("the program opens");
    let quiet = &mut |_| Flow::Continue;
    session.record(None, quiet).expect("it records");
    let spec = |kind| NewBreakpoint {
        kind,
        condition: None,
        hits: 2,
        log: None,
    };
    let commands = [
        Command::Jump {
            target: "0.7".to_owned(),
        },
        Command::Step {
            direction: Direction::Backward,
            size: StepSize::Entry,
            count: 2,
        },
        Command::Note {
            text: "here".to_owned(),
        },
        Command::Bookmark {
            name: "there".to_owned(),
        },
        Command::Break(spec(StopKind::Trap)),
        Command::Mock {
            call: "chip_analog_read(34)".to_owned(),
            values: MockValues::Sequence(vec!["7".to_owned(), "9".to_owned()]),
        },
        Command::Fork,
        Command::Step {
            direction: Direction::Forward,
            size: StepSize::Entry,
            count: 9,
        },
    ];
    for command in commands {
        run(&mut session, command).expect("the command is carried out");
    }
    file
}

/// Does with a file what a user would; how far it came.
fn exercise(file: &Path) -> Result<(), String> {
    let mut session = Session::resume(file).map_err(|error| error.to_string())?;
    let step = |direction| Command::Step {
        direction,
        size: StepSize::Instruction,
        count: 1,
    };
    let commands = [
        Command::Tree { lines: 50 },
        Command::Notes,
        Command::Mocks,
        Command::Path { around: 5 },
        Command::Jump {
            target: "tip".to_owned(),
        },
        Command::Variables { frame: 0 },
        step(Direction::Backward),
        step(Direction::Forward),
        Command::Continue {
            direction: Direction::Backward,
        },
    ];
    for command in commands {
        run(&mut session, command)?;
    }
    let replayed = session.replay(&mut |_| Flow::Continue);
    replayed.map(|_| ()).map_err(|error| error.to_string())
}

/// What became of the cases.
#[derive(Debug, Default)]
struct Fates {
    sound: u32,
    refused: u32,
}

impl Fates {
    /// An error must say where: in which file, at which step, entry, branch or table.
    fn count(&mut self, file: &Path, fate: Result<(), String>) {
        match fate {
            Ok(()) => self.sound += 1,
            Err(error) => {
                let places = ["step ", "entr", "branch", "table", "version", "snapshot"];
                let file = file.display().to_string();
                let somewhere = error.contains(&file) || places.iter().any(|p| error.contains(p));
                assert!(somewhere, "where is that: {error}");
                self.refused += 1;
            }
        }
    }
}

fn damage(bytes: &mut Vec<u8>, random: &mut fastrand::Rng) {
    const PAGE: usize = 4096;
    let pages = bytes.len() / PAGE;
    match random.u32(..10) {
        0..4 => {
            for _ in 0..=random.u32(..8) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
        }
        // In the headers of pages, where the structure is.
        4..7 => {
            let page = random.usize(..pages) * PAGE;
            for _ in 0..=random.u32(..6) {
                bytes[page + random.usize(..64)] = random.u8(..);
            }
        }
        7 => bytes.truncate(random.usize(..bytes.len())),
        8 => bytes.truncate(random.usize(..pages) * PAGE),
        _ => {
            let page = random.usize(..pages) * PAGE;
            bytes[page..page + PAGE].fill(random.u8(..));
        }
    }
}

#[test]
fn a_thousand_damaged_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let original = std::fs::read(recorded(folder.path())).expect("it is there");
    let file = folder.path().join("damaged.borges");
    let mut fates = Fates::default();
    for seed in 0..CASES {
        let mut bytes = original.clone();
        damage(&mut bytes, &mut fastrand::Rng::with_seed(seed));
        std::fs::write(&file, bytes).expect("it is written");
        fates.count(&file, exercise(&file));
        for suffix in ["-wal", "-shm"] {
            let beside = folder.path().join(format!("damaged.borges{suffix}"));
            let _was_there = std::fs::remove_file(beside);
        }
    }
    assert!(fates.refused > 300 && fates.sound > 50, "{fates:?}");
}

/// A number of up to so many bits, small ones as likely as large ones.
fn number(random: &mut fastrand::Rng, bits: u32) -> u64 {
    let bits = random.u32(1..bits);
    random.u64(..1 << bits)
}

/// Says something else in an entry.
fn forge(entry: &mut Entry, random: &mut fastrand::Rng) {
    let value = match random.u32(..5) {
        0 => Value::I64(random.i64(..)),
        1 => Value::F32(random.u32(..)),
        2 => Value::FuncRef(Some(random.u32(..))),
        _ => Value::I32(random.i32(..)),
    };
    match random.u32(..8) {
        0 => entry.steps = number(random, 63),
        1 => entry.steps = entry.steps.saturating_add(random.u64(..3)),
        2 => entry.value = random.bool().then_some(value),
        3 => {
            entry.kind = [EntryKind::Input, EntryKind::Output, EntryKind::Event][random.usize(..3)]
        }
        4 => entry.subject = random.u16(..) >> random.u32(..16),
        5 => entry.mocked = !entry.mocked,
        6 => entry.data = (0..random.usize(..12)).map(|_| random.u8(..)).collect(),
        _ => entry.arguments = vec![value; random.usize(..4)],
    }
}

/// Rewrites the end of a branch, and other things that the session reads, with the store's own means.
fn forge_file(file: &Path, random: &mut fastrand::Rng) {
    let store = Store::open(file, Access::Write).expect("the copy opens");
    let upload = Upload(0);
    let branches = store.branches(upload).expect("sound");
    let root = branches.first().expect("a branch");
    let from = random.u32(8..root.length);
    let mut entries = store.entries(upload, 0, from..u32::MAX).expect("sound");
    for _ in 0..=random.u32(..2) {
        let at = random.usize(..entries.len());
        forge(&mut entries[at], random);
    }
    store.prune(upload, Some((0, from)), &[]).expect("cut");
    // What has fewer steps than what comes before it, the store itself refuses.
    let _in_order = store.append(upload, 0, &entries);
    match random.u32(..4) {
        0 => {
            let fork = Fork {
                parent: 0,
                position: random.u32(..from),
            };
            let _fits = store.fork(upload, 40, fork, &entries[0]);
        }
        1 => {
            let reached = number(random, 40);
            let end = borges_store::End::Trapped("nothing".to_owned());
            store.set_end(upload, 0, reached, &end).expect("set");
        }
        2 => {
            let place = borges_store::Place {
                upload,
                branch: random.u32(..3),
                position: random.u32(..60),
                steps: number(random, 63),
            };
            let who = borges_store::Who::User;
            store.set_place(who, place).expect("set");
        }
        _ => {}
    }
    store.flush().expect("written");
}

#[test]
fn a_thousand_forged_recordings() {
    let folder = tempfile::tempdir().expect("a folder");
    let original = recorded(folder.path());
    let file = folder.path().join("forged.borges");
    let mut fates = Fates::default();
    for seed in 0..CASES {
        std::fs::copy(&original, &file).expect("copied");
        forge_file(&file, &mut fastrand::Rng::with_seed(seed));
        fates.count(&file, exercise(&file));
    }
    assert!(fates.refused > 300 && fates.sound > 50, "{fates:?}");
}

/// A moment string can name any step of a program that never ends.
#[test]
fn nobody_has_to_wait_for_a_moment_that_somebody_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.wasm");
    let spins = r#"(module (func (export "main") (loop $spin (br $spin))))"#;
    std::fs::write(&path, wat::parse_str(spins).unwrap()).unwrap();
    let mut session = Session::open(Options::new(path)).unwrap();
    let Ok(Reply::Moment { moment: text, .. }) = run(&mut session, Command::Moment) else {
        panic!("no moment");
    };
    let target = text.replace("-0-", &format!("-{}-", u64::MAX));
    assert_ne!(target, text);
    let mut looks = 0;
    let jumped = session.execute(Command::Jump { target }, &mut |_| {
        looks += 1;
        if looks > 3 {
            Flow::Pause
        } else {
            Flow::Continue
        }
    });
    let said = jumped.unwrap_err().to_string();
    assert!(said.contains("given up at step"), "{said}");
    let Ok(Reply::Moment { moment: here, .. }) = run(&mut session, Command::Moment) else {
        panic!("no moment");
    };
    assert_eq!(here, text);
}
