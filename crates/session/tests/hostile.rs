//! Session files that somebody else wrote: damaged, cut off, or forged with all checksums right.
//!
//! Whatever is in them, nothing panics, and an error says where: the file, and what is wrong in it.

use std::path::Path;

use borges_session::command::{
    Act, AgentNumber, Command, Direction, Look, MockValues, NewBreakpoint, StepSize, StopKind,
};
use borges_session::{Flow, Options, Reply, Session};
use borges_store::{Access, EntryKind, Fork, KeptEntry, KeptValue, Store, Upload, Who};

use crate::written;

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

fn run(session: &mut Session, command: impl Into<Command>) -> Result<Reply, String> {
    let result = session.execute(command, &mut |_| Flow::Continue);
    result.map_err(|error| error.to_string())
}

/// A recording with branches, notes, breakpoints and mocks.
fn recorded(folder: &Path) -> std::path::PathBuf {
    let program = written::written(folder, PROGRAM);
    let file = folder.join("recorded.borges");
    let options = Options {
        session_file: Some(file.clone()),
        ..Options::new(program)
    };
    let mut session = Session::open(options).expect("the program opens");
    let quiet = &mut |_| Flow::Continue;
    session.record(None, quiet).expect("it records");
    let spec = |kind| NewBreakpoint {
        agent: None,
        kind,
        condition: None,
        hits: 2,
        log: None,
    };
    let commands = [
        Act::Jump {
            target: "0.7".to_owned(),
        },
        Act::Step {
            agent: None,
            direction: Direction::Backward,
            size: StepSize::Entry,
            count: 2,
        },
        Act::Note {
            text: "here".to_owned(),
        },
        Act::Bookmark {
            name: "there".to_owned(),
        },
        Act::Break(spec(StopKind::Trap)),
        Act::Mock {
            call: "chip_analog_read(34)".to_owned(),
            values: MockValues::Sequence(vec!["7".to_owned(), "9".to_owned()]),
        },
        Act::Fork,
        Act::Step {
            agent: None,
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

/// Does with a file what a user would; how far it came, and whether damage was named.
fn exercise(file: &Path) -> Result<bool, String> {
    let mut session = Session::resume(file).map_err(|error| error.to_string())?;
    let named = !session.damage().is_empty();
    let step = |direction| Act::Step {
        agent: None,
        direction,
        size: StepSize::Instruction,
        count: 1,
    };
    let commands: [Command; 9] = [
        Look::Tree { lines: 50 }.into(),
        Look::Notes.into(),
        Look::Mocks.into(),
        Look::Path { around: 5 }.into(),
        Act::Jump {
            target: "tip".to_owned(),
        }
        .into(),
        Look::Variables {
            agent: None,
            frame: 0,
        }
        .into(),
        step(Direction::Backward).into(),
        step(Direction::Forward).into(),
        Act::Continue {
            direction: Direction::Backward,
        }
        .into(),
    ];
    for command in commands {
        run(&mut session, command)?;
    }
    let replayed = session.replay(&mut |_| Flow::Continue);
    replayed.map(|_| named).map_err(|error| error.to_string())
}

/// What became of the cases.
#[derive(Debug, Default)]
struct Fates {
    sound: u32,
    named: u32,
    refused: u32,
}

impl Fates {
    /// An error must say where: in which file, at which step, entry, branch or table.
    fn count(&mut self, file: &Path, fate: Result<bool, String>) {
        match fate {
            Ok(false) => self.sound += 1,
            Ok(true) => self.named += 1,
            Err(error) => {
                let places = ["step ", "entr", "branch", "table", "version"];
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
    assert!(
        fates.refused > 200 && fates.named > 50 && fates.sound > 50,
        "{fates:?}"
    );
}

/// A number of up to so many bits, small ones as likely as large ones.
fn number(random: &mut fastrand::Rng, bits: u32) -> u64 {
    let bits = random.u32(1..bits);
    random.u64(..1 << bits)
}

/// Says something else in an entry.
fn forge(entry: &mut KeptEntry, random: &mut fastrand::Rng) {
    let value = match random.u32(..5) {
        0 => KeptValue::I64(random.i64(..)),
        1 => KeptValue::F32(random.u32(..)),
        2 => KeptValue::FuncRef(Some(random.u32(..))),
        _ => KeptValue::I32(random.i32(..)),
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

/// A file with the program of another one, its notes, and no entry.
fn emptied(original: &Store, file: &Path) {
    let program = original.program(Upload(0)).expect("sound");
    let empty = Store::create(file).expect("a new file");
    empty
        .add_program(&borges_store::NewProgram {
            name: &program.name,
            bytes: &program.bytes,
            board: &program.board,
            primitives: &program.primitives,
            at_ms: program.at_ms,
        })
        .expect("it is written");
    for note in original.notes().expect("sound") {
        empty.put_note(&note).expect("written");
    }
}

/// Fills a file with what is in another one, and lies, by the store's own means: all sums are right.
fn forge_file(original: &Store, file: &Path, random: &mut fastrand::Rng) {
    let upload = Upload(0);
    let forged = Store::open(file, Access::Write).expect("an empty one");
    let branches = original.branches(upload).expect("sound");
    let first = random.u32(8..branches[0].length) as usize;
    for branch in &branches {
        let number = branch.branch;
        let entries = original.entries(upload, number, 0..u32::MAX);
        let mut entries = entries.expect("sound");
        if number == 0 {
            for _ in 0..=random.u32(..2) {
                let at = random.usize(first..entries.len());
                forge(&mut entries[at], random);
            }
        }
        // What has fewer steps than what comes before it, the store itself refuses.
        let begun = match branch.fork {
            None => Ok(()),
            Some(from) => forged.fork(upload, number, from, &entries.remove(0)),
        };
        let _in_order = begun.and_then(|()| forged.append(upload, number, &entries));
        let _there = forged.set_end(upload, number, branch.reached, &branch.end);
    }
    match random.u32(..4) {
        0 => {
            let fork = Fork {
                parent: 0,
                position: random.u32(..first as u32),
            };
            let entry = original.entries(upload, 0, 7..8).expect("sound").remove(0);
            let _fits = forged.fork(upload, 40, fork, &entry);
        }
        1 => {
            let reached = number(random, 40);
            let end = borges_store::KeptEnd::Trapped("nothing".to_owned());
            forged.set_end(upload, 0, reached, &end).expect("set");
        }
        2 => {
            let place = borges_store::KeptPlace {
                upload,
                branch: random.u32(..3),
                position: random.u32(..60),
                agent: random.u32(..2),
                steps: number(random, 63),
            };
            let who = borges_store::Who::User;
            forged.set_place(who, place).expect("set");
        }
        _ => {}
    }
    forged.flush().expect("written");
}

#[test]
fn a_thousand_forged_recordings() {
    let folder = tempfile::tempdir().expect("a folder");
    let original = Store::open(&recorded(folder.path()), Access::Read).expect("sound");
    let empty = folder.path().join("empty.borges");
    emptied(&original, &empty);
    let file = folder.path().join("forged.borges");
    let mut fates = Fates::default();
    for seed in 0..CASES {
        std::fs::copy(&empty, &file).expect("copied");
        forge_file(&original, &file, &mut fastrand::Rng::with_seed(seed));
        fates.count(&file, exercise(&file));
    }
    assert!(fates.refused > 300 && fates.sound > 50, "{fates:?}");
}

/// A place says whose steps it counts. One that counts those of an agent that is not there is refused by its number,
/// whether it was typed, sent, or stands in a file.
#[test]
fn a_place_of_an_agent_that_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = recorded(folder.path());
    let mut session = Session::resume(&file).unwrap();
    let Ok(Reply::Moment { moment, universe }) = run(&mut session, Look::Moment) else {
        panic!("no moment");
    };
    assert_eq!(universe.agent, AgentNumber::ONLY);
    let steps = session.here().steps;
    let of = |agent: u32| {
        let text = moment.replacen(&format!("-{steps}-"), &format!("-{agent}:{steps}-"), 1);
        assert_ne!(text, moment);
        ["0.3+A:0", "0.3+A:1", "@A:9"]
            .map(|target| target.replace('A', &agent.to_string()))
            .into_iter()
            .chain([text])
    };
    for target in of(0) {
        run(&mut session, Act::Jump { target }).expect("the first agent may be named");
    }
    let here = session.here();
    for target in of(1) {
        let said = run(&mut session, Act::Jump { target }).expect_err("there is one agent");
        assert_eq!(said, "there is no agent 1: this program has one, 0 (main)");
    }
    assert_eq!(session.here(), here);
    drop(session);

    let store = Store::open(&file, Access::Write).unwrap();
    let mut place = store.place(Who::User).unwrap().expect("where the user was");
    assert_eq!(place.agent, 0);
    place.agent = 1;
    store.set_place(Who::User, place).unwrap();
    let mut note = store.notes().unwrap().remove(0);
    note.place.agent = 1;
    store.put_note(&note).unwrap();
    let notes = store.notes().unwrap();
    drop(store);
    let session = Session::resume(&file).unwrap();
    assert_eq!(session.here().steps, 0);
    let no_agent = "there is no agent 1: this program has one, 0 (main)";
    let left_out = |whose| format!("{whose} in the session file is left out: {no_agent}");
    let told = ["where you were", "a note"].map(left_out);
    assert_eq!(session.damage(), told);
    drop(session);
    let kept = Store::open(&file, Access::Read).unwrap().notes().unwrap();
    assert_eq!(kept, notes, "what is left out stays in the file");
}

/// A moment string can name any step of a program that never ends.
#[test]
fn nobody_has_to_wait_for_a_moment_that_somebody_sent() {
    let folder = tempfile::tempdir().unwrap();
    let spins = r#"(module (func (export "main") (loop $spin (br $spin))))"#;
    let path = written::written(folder.path(), spins);
    let mut session = Session::open(Options::new(path)).unwrap();
    let Ok(Reply::Moment { moment: text, .. }) = run(&mut session, Look::Moment) else {
        panic!("no moment");
    };
    let target = text.replace("-0-", &format!("-{}-", u64::MAX));
    assert_ne!(target, text);
    let mut looks = 0;
    let jumped = session.execute(Act::Jump { target }, &mut |_| {
        looks += 1;
        if looks > 3 {
            Flow::Pause
        } else {
            Flow::Continue
        }
    });
    let said = jumped.unwrap_err().to_string();
    assert!(said.contains("given up at step"), "{said}");
    let Ok(Reply::Moment { moment: here, .. }) = run(&mut session, Look::Moment) else {
        panic!("no moment");
    };
    assert_eq!(here, text);
}

/// Everything that the commands say of a session, as text: what of it was never said of the original was not recorded.
fn said(file: &Path) -> Result<(Vec<String>, Vec<String>), String> {
    let mut session = Session::resume(file).map_err(|error| error.to_string())?;
    let mut said = Vec::new();
    let Reply::Notes { notes } = run(&mut session, Look::Notes)? else {
        panic!("no notes");
    };
    for note in notes {
        // Names and texts are rows of their own.
        said.push(format!("{:?} is called {:?}", note.universe, note.name));
        said.push(format!("{:?} has {:?}", note.universe, note.text));
    }
    for command in [Look::Mocks, Look::Breakpoints] {
        said.push(run(&mut session, command).map(|reply| format!("{reply:?}"))?);
    }
    for branch in 0..3 {
        for index in 0..90 {
            let target = format!("{branch}.{index}");
            let jumped = run(&mut session, Act::Jump { target });
            let Ok(Reply::Stopped(stop)) = jumped else {
                continue;
            };
            let variables = run(
                &mut session,
                Look::Variables {
                    agent: None,
                    frame: 0,
                },
            )?;
            said.push(format!("{branch}.{index} {:?} {variables:?}", stop.at));
        }
    }
    let sql = "SELECT * FROM entries".to_owned();
    match run(&mut session, Look::Query { sql })? {
        Reply::Table(table) => said.extend(table.rows.iter().map(|row| format!("{row:?}"))),
        other => panic!("{other:?}"),
    }
    Ok((said, session.damage().to_vec()))
}

/// One cell of one row is something else, or one byte of the file: it is named or refused, and nothing that was not
/// recorded is shown. The store's own tests do the same with a thousand files and all tables.
#[test]
fn a_cell_or_a_byte_that_was_changed_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let original = recorded(folder.path());
    let (was, damage) = said(&original).expect("it opens");
    assert_eq!(damage, [""; 0]);
    let bytes = std::fs::read(&original).expect("it is there");
    let file = folder.path().join("changed.borges");
    let cells = [
        "UPDATE entry SET value = value + 1
         WHERE id = (SELECT id FROM entry WHERE kind = 0 AND id >> 32 = 1 LIMIT 1 OFFSET 4)",
        "UPDATE entry SET steps = steps + 1 WHERE id = (1 << 32) + 20",
        "UPDATE entry SET value = 4 WHERE id >> 32 = 2",
        "UPDATE branch SET fork = fork - 1 WHERE number = 1",
        "UPDATE note SET text = 'there'",
        "UPDATE note SET name = 'elsewhere' WHERE name <> ''",
        "UPDATE breakpoint SET spec = replace(spec, '2', '3')",
        "UPDATE mock SET spec = replace(spec, '7', '8')",
        "UPDATE mock SET call = 'chip_analog_read(35)'",
        "UPDATE place SET position = 3",
        "UPDATE setting SET value = 'other' WHERE key = 'program'",
        "UPDATE setting SET value = '1 0' WHERE key LIKE 'state %'",
        "DELETE FROM mock",
        "UPDATE program SET bytes = zeroblob(9)",
        "UPDATE program SET board = 'x'",
    ];
    let (mut named, mut refused, mut sound) = (0, 0, 0);
    let mut random = fastrand::Rng::with_seed(6);
    for n in 0..1000 {
        std::fs::write(&file, &bytes).expect("it is written");
        let change = match cells.get(n) {
            Some(sql) => {
                let db = rusqlite::Connection::open(&file).expect("it opens");
                assert!(db.execute(sql, []).expect("it is changed") > 0, "{sql}");
                (*sql).to_owned()
            }
            None => {
                let mut bytes = bytes.clone();
                let at = random.usize(..bytes.len());
                bytes[at] ^= random.u8(1..);
                std::fs::write(&file, &bytes).expect("it is written");
                format!("byte {at}")
            }
        };
        match said(&file) {
            Err(_) => refused += 1,
            Ok((said, damage)) => {
                for said in &said {
                    // Names of calls come from a row, too: without it they have numbers.
                    let known = was.contains(said)
                        || !damage.is_empty() && said.contains("Text(\"primitive ")
                        || said.contains("[]")
                        || said.ends_with("is called None")
                        || said.ends_with("has \"\"");
                    assert!(known, "{change}: {said} was never recorded");
                }
                let whole = was.iter().all(|was| said.contains(was));
                assert!(whole || !damage.is_empty(), "{change}: not named");
                assert!(n >= cells.len() || !damage.is_empty(), "{change}");
                let count = if damage.is_empty() {
                    &mut sound
                } else {
                    &mut named
                };
                *count += 1;
            }
        }
        for suffix in ["-wal", "-shm"] {
            let beside = folder.path().join(format!("changed.borges{suffix}"));
            let _was_there = std::fs::remove_file(beside);
        }
    }
    assert!(
        named > 15 && refused > 2 && sound > 5,
        "{named} {refused} {sound}"
    );
}

/// Where a branch is cut short by damage, the session goes on beside it, and the file stays what it is.
#[test]
fn a_session_goes_on_beside_its_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recorded(folder.path());
    let db = rusqlite::Connection::open(&file).expect("it opens");
    let fifth = "SELECT id FROM entry WHERE kind = 0 AND id >> 32 = 1 LIMIT 1 OFFSET 4";
    let id: i64 = db.query_row(fifth, [], |row| row.get(0)).expect("an input");
    let forge = "UPDATE entry SET value = value + 1 WHERE id = ?1";
    assert_eq!(db.execute(forge, [id]).expect("forged"), 1);
    drop(db);
    let damaged = id as u32;
    let (before, after) = (format!("0.{damaged}"), format!("0.{}", damaged + 1));
    let jump = |target: &str| Act::Jump {
        target: target.to_owned(),
    };
    let mut session = Session::resume(&file).expect("the rest opens");
    assert!(
        session.damage()[0].contains(&format!("entries {damaged} to")),
        "{:?}",
        session.damage()
    );
    assert!(run(&mut session, jump(&after)).is_err());
    run(&mut session, jump(&before)).expect("what lies before is there");
    let step = Act::Step {
        agent: None,
        direction: Direction::Forward,
        size: StepSize::Entry,
        count: 3,
    };
    run(&mut session, step).expect("it goes on live");
    let on = session.here();
    let place = (on.universe.branch, on.universe.index);
    assert_eq!(place, (2, damaged + 3));
    drop(session);
    let mut session = Session::resume(&file).expect("and again");
    assert_eq!(session.here(), on);
    assert_eq!(session.damage().len(), 1, "{:?}", session.damage());
    assert!(run(&mut session, jump(&after)).is_err());
    assert_eq!(session.here(), on, "what fails changes nothing");
    run(&mut session, jump("1.9")).expect("the other branch is there");
}

/// A forged recording with all sums right: the jump fails, and nothing has changed, in the view and on disk.
#[test]
fn a_jump_that_fails_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let original = Store::open(&recorded(folder.path()), Access::Read).expect("sound");
    let program = original.program(Upload(0)).expect("sound");
    let mut entries = original.entries(Upload(0), 0, 0..30).expect("sound");
    entries[12].subject += 1;
    let file = folder.path().join("forged.borges");
    let forged = Store::create(&file).expect("a new file");
    let (name, bytes, board) = (&program.name, &program.bytes, &program.board);
    let (primitives, at_ms) = (&program.primitives, 0);
    let new = borges_store::NewProgram {
        name,
        bytes,
        board,
        primitives,
        at_ms,
    };
    forged.add_program(&new).expect("written");
    forged.append(Upload(0), 0, &entries).expect("written");
    drop(forged);
    let place = |target: &str| {
        let mut session = Session::resume(&file).expect("it opens");
        let before = (
            session.here(),
            run(
                &mut session,
                Look::Variables {
                    agent: None,
                    frame: 0,
                },
            ),
        );
        let target = target.to_owned();
        let jumped = run(&mut session, Act::Jump { target });
        let after = (
            session.here(),
            run(
                &mut session,
                Look::Variables {
                    agent: None,
                    frame: 0,
                },
            ),
        );
        (jumped.is_ok(), before, after)
    };
    let (jumped, _, here) = place("0.9");
    assert!(jumped);
    let (jumped, before, after) = place("0.20");
    assert!(!jumped);
    assert_eq!(before, here);
    assert_eq!(after, here);
    assert_eq!(place("0.20").1, here, "nor on disk");
    // Backwards as well, from where the twin stands.
    let (_, _, early) = place("0.3");
    assert!(!place("0.13").0);
    assert_eq!(place("0.3").1, early);
}
