//! A killed debugger loses nothing that it had shown.
//!
//! A real process writes a session and says on its standard output what it has flushed. It is
//! killed without warning at random moments. Then the file opens, has everything that was said, and
//! nothing that is not what was written.

#![cfg(unix)] // On Windows a process is not killed by a signal; SQLite's own tests cover it.
#![allow(clippy::unwrap_used)] // A test may give up.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use borges_store::*;

const PATH: &str = "BORGES_STORE_TEST_PATH";
const WRITER: &str = "the_writer";

/// Entry number `n` of the only branch.
fn entry(n: u32) -> KeptEntry {
    let kind = if n.is_multiple_of(7) {
        EntryKind::Output
    } else {
        EntryKind::Input
    };
    KeptEntry {
        steps: u64::from(n) * 3,
        kind,
        subject: (n % 5) as u16,
        arguments: vec![KeptValue::I32(n as i32 % 40)],
        value: (kind == EntryKind::Input).then_some(KeptValue::I32(n as i32 & 4095)),
        data: if n.is_multiple_of(7) {
            vec![n as u8; n as usize % 50]
        } else {
            vec![]
        },
        mocked: false,
    }
}

fn place(position: u32) -> KeptPlace {
    KeptPlace {
        upload: Upload(0),
        branch: 0,
        position,
        agent: 0,
        steps: u64::from(position) * 3,
    }
}

/// Not a test of its own: what the killed process does, if it is told where.
#[test]
fn the_writer() {
    let Some(path) = std::env::var_os(PATH) else {
        return;
    };
    let path = Path::new(&path);
    let store = match Store::open(path, Access::Write) {
        Ok(store) => store,
        Err(StoreError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            Store::create(path).unwrap()
        }
        Err(error) => panic!("{error}"),
    };
    if store.programs().unwrap().is_empty() {
        let program = NewProgram {
            name: "p",
            bytes: &[7; 5000],
            board: "",
            primitives: &[],
            at_ms: 0,
        };
        store.add_program(&program).unwrap();
    }
    let mut next = store.branches(Upload(0)).unwrap()[0].length;
    let mut out = std::io::stdout().lock();
    loop {
        // Batches of all sizes, sometimes with other things in the same transaction.
        let count = 1 + next.wrapping_mul(2_654_435_761) % 300;
        let entries: Vec<_> = (next..next + count).map(entry).collect();
        store.append(Upload(0), 0, &entries).unwrap();
        next += count;
        if count % 4 == 0 {
            store
                .set_setting(&format!("size {}", next % 7), &"x".repeat(20_000))
                .unwrap();
            store
                .set_end(Upload(0), 0, u64::from(next) * 3, &KeptEnd::Open)
                .unwrap();
        }
        if count % 3 != 0 {
            store.set_place(Who::Device, place(next)).unwrap();
            store.flush().unwrap();
            writeln!(out, "flushed {next}").unwrap();
        }
    }
}

fn start(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([WRITER, "--exact", "--nocapture"])
        .env(PATH, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// Checks the file and says how many entries it has.
fn check(path: &Path, said: u32) -> u32 {
    let store = Store::open(path, Access::Write).unwrap();
    assert_eq!(store.damage(), []);
    let Some(root) = store.branches(Upload(0)).unwrap().pop() else {
        panic!("no root")
    };
    assert!(root.length >= said, "{} of {said} entries", root.length);
    // The last thousand; the file as a whole is checked at the end.
    let from = root.length.saturating_sub(1000);
    check_entries(&store, from, root.length);
    if said > 0 {
        // Saved in the same transactions.
        let device = store.place(Who::Device).unwrap().unwrap();
        assert!(device.position >= said && device.position <= root.length);
    }
    assert_eq!(store.program(Upload(0)).unwrap().bytes, [7; 5000]);
    root.length
}

fn check_entries(store: &Store, from: u32, to: u32) {
    let found = store.entries(Upload(0), 0, from..to).unwrap();
    assert_eq!(found.len() as u32, to - from);
    for (n, found) in (from..).zip(found) {
        assert_eq!(found, entry(n));
    }
}

#[test]
fn a_process_that_is_killed_loses_nothing_that_it_had_flushed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.borges");
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut below = |limit: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % limit
    };
    let (mut said, mut found) = (0, 0);
    for kill in 0..60 {
        if kill % 20 == 19 {
            // Now and then a new file, so that files are killed while young as well.
            let store = Store::open(&path, Access::Read).unwrap();
            check_entries(&store, 0, found);
            drop(store);
            std::fs::remove_file(&path).unwrap();
            (said, found) = (0, 0);
        }
        let mut child = start(&path);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // After some sayings, and then anywhere in what comes next.
        let wait_for = below(30);
        let mut heard = 0;
        let mut listen = |line: &str| {
            // The test harness says things as well.
            if let Some((_, number)) = line.split_once("flushed ") {
                said = number.parse().unwrap();
                heard += 1;
            }
            heard
        };
        while listen(&lines.next().unwrap().unwrap()) <= wait_for {}
        for _ in 0..below(3_000_000) {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        // What it had said before it died counts; a cut line does not.
        for line in lines {
            let line = line.unwrap();
            if line
                .split_once("flushed ")
                .is_some_and(|(_, n)| n.parse::<u32>().is_ok())
            {
                // The last line may have been cut within its number: then it is smaller.
                listen(&line);
            }
        }
        child.wait().unwrap();
        let now = check(&path, said);
        assert!(now >= found, "entries of an earlier life are gone");
        found = now;
    }
    let store = Store::open(&path, Access::Write).unwrap();
    check_entries(&store, 0, found);
    assert!(found > 1000, "{found}");
}

#[test]
fn a_writer_in_another_process_keeps_us_out_until_it_dies() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.borges");
    let mut child = start(&path);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while !lines.next().unwrap().unwrap().contains("flushed") {}
    assert!(matches!(
        Store::open(&path, Access::Write),
        Err(StoreError::Locked)
    ));
    let reader = Store::open(&path, Access::Read).unwrap();
    let before = reader.branches(Upload(0)).unwrap()[0].length;
    check_entries(&reader, 0, before);
    for line in lines.by_ref().take(50) {
        line.unwrap();
    }
    let after = reader.branches(Upload(0)).unwrap()[0].length;
    assert!(after > before);
    check_entries(&reader, 0, after);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(check(&path, after) >= after);
}
