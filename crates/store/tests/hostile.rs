//! Wrong, truncated, damaged and malicious files: a clear error or what was written, nothing else.

#![allow(clippy::unwrap_used)] // A test may give up.

use std::path::{Path, PathBuf};

use borges_store::*;

fn entry(n: u32) -> Entry {
    Entry {
        steps: u64::from(n) * 11,
        kind: EntryKind::Input,
        subject: 1,
        arguments: vec![Value::I32(34), Value::F32(0.5f32.to_bits())],
        value: Some(Value::I32(n as i32)),
        data: vec![n as u8; n as usize % 9],
        mocked: false,
    }
}

fn place(position: u32) -> Place {
    Place {
        upload: Upload(0),
        branch: 0,
        position,
        steps: u64::from(position) * 11,
    }
}

const ROOT: u32 = 4200;

/// A closed file with something in every table.
fn sample(path: &Path) {
    let store = Store::create(path).unwrap();
    let primitives = [Primitive {
        module: "env".into(),
        name: "x".into(),
    }];
    let program = NewProgram {
        name: "p",
        bytes: &[3; 3000],
        board: "b",
        primitives: &primitives,
        at_ms: 1,
    };
    let upload = store.add_program(&program).unwrap();
    let root: Vec<_> = (0..ROOT).map(entry).collect();
    store.append(upload, 0, &root).unwrap();
    for branch in 1..20 {
        let fork = Fork {
            parent: branch - 1,
            position: 100 * branch,
        };
        store
            .fork(upload, branch, fork, &entry(100 * branch))
            .unwrap();
        let more: Vec<_> = (100 * branch + 1..100 * branch + 150).map(entry).collect();
        store.append(upload, branch, &more).unwrap();
        store
            .set_end(upload, branch, 1 << 40, &End::Finished("1".into()))
            .unwrap();
    }
    store.put_snapshot(place(700), &[5; 9000]).unwrap();
    store
        .put_note(&Note {
            place: place(3),
            name: None,
            text: "n".into(),
            at_ms: 0,
        })
        .unwrap();
    store
        .put_breakpoint(&Breakpoint {
            id: 1,
            enabled: true,
            spec: "{}".into(),
        })
        .unwrap();
    store
        .put_mock(&Mock {
            call: "c".into(),
            spec: "{}".into(),
        })
        .unwrap();
    store.set_setting("a", "b").unwrap();
    store.set_place(Who::User, place(3)).unwrap();
}

/// Uses everything. What is returned as entries, a program or a snapshot must be what was saved.
fn use_all(store: &mut Store, write: bool) -> Result<(), StoreError> {
    store.programs()?;
    assert_eq!(store.program(Upload(0))?.bytes, [3; 3000]);
    for branch in store.branches(Upload(0))? {
        let number = branch.branch;
        store.blocks(Upload(0), number)?;
        let start = branch.fork.map_or(0, |fork| fork.position);
        let entries = store.entries(Upload(0), number, 0..u32::MAX)?;
        assert_eq!(entries.len(), branch.length as usize);
        for (n, found) in (start..).zip(entries) {
            assert_eq!(found, entry(n), "branch {number}");
        }
    }
    store.notes()?;
    store.breakpoints()?;
    store.mocks()?;
    store.setting("a")?;
    store.place(Who::User)?;
    for snapshot in store.snapshots()? {
        if let Some(bytes) = store.snapshot(snapshot.place)? {
            assert_eq!(bytes, [5; 9000]);
        }
    }
    for view in ["entries", "inputs", "outputs", "ends", "traps", "paths"] {
        store.query(&format!("SELECT * FROM {view}"), Bounds::default())?;
    }
    if write {
        store.append(Upload(0), 0, &[entry(ROOT)])?;
        let fork = Fork {
            parent: 3,
            position: 310,
        };
        store.fork(Upload(0), 30, fork, &entry(310))?;
        store.put_snapshot(place(800), &[5; 9000])?;
        store.set_setting("x", "y")?;
        store.prune(Upload(0), Some((0, 4150)), &[])?;
        store.flush()?;
    }
    Ok(())
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((self.0 >> 33) % limit.max(1) as u64) as usize
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    const PAGE: usize = 4096;
    match random.below(10) {
        // Anywhere.
        0..4 => {
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
        }
        // In the headers of pages, where the structure is.
        4..7 => {
            let page = random.below(bytes.len() / PAGE) * PAGE;
            for _ in 0..=random.below(6) {
                let at = page + random.below(64);
                bytes[at] = [0, 1, 0xff, 0x7f, 0x80, 13, 5, 2][random.below(8)];
            }
        }
        7 => {
            let length = random.below(bytes.len());
            bytes.truncate(length);
        }
        8 => {
            let page = random.below(bytes.len() / PAGE) * PAGE;
            bytes[page..page + PAGE].fill(0);
        }
        _ => {
            let pages = bytes.len() / PAGE;
            let (a, b) = (random.below(pages) * PAGE, random.below(pages) * PAGE);
            let copy = bytes[a..a + PAGE].to_vec();
            bytes.copy_within(b..b + PAGE, a);
            bytes[b..b + PAGE].copy_from_slice(&copy);
        }
    }
}

#[test]
fn a_thousand_damaged_files_are_refused_or_read_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("original");
    sample(&original);
    let original = std::fs::read(original).unwrap();
    let path = folder.path().join("damaged");
    let mut random = Random(42);
    let (mut refused, mut found_out, mut sound) = (0, 0, 0);
    for n in 0..1000 {
        let mut bytes = original.clone();
        mutate(&mut bytes, &mut random);
        std::fs::write(&path, &bytes).unwrap();
        let write = n % 2 == 0;
        let access = if write { Access::Write } else { Access::Read };
        match Store::open(&path, access) {
            Err(_) => refused += 1,
            Ok(mut store) => match use_all(&mut store, write) {
                Err(_) => found_out += 1,
                Ok(()) => sound += 1,
            },
        }
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("damaged{suffix}")));
        }
    }
    println!(
        "{refused} refused at once, {found_out} when used, {sound} as if nothing had happened"
    );
    assert!(refused > 100 && found_out > 100 && sound > 10);
}

fn file_with(folder: &Path, bytes: &[u8]) -> PathBuf {
    let path = folder.join("file");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn files_of_other_kinds_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    for bytes in [
        &b""[..],
        b"hello",
        b"SQLite format 3\0",
        &[0; 4096],
        b"\0asm\x01\0\0\0",
    ] {
        for access in [Access::Read, Access::Write] {
            let path = file_with(folder.path(), bytes);
            let result = Store::open(&path, access);
            assert!(matches!(result, Err(StoreError::NotASession)), "{result:?}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "left as it was");
        }
    }
    let path = folder.path().join("other");
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch("CREATE TABLE x (y)").unwrap();
    drop(db);
    assert!(matches!(
        Store::open(&path, Access::Write),
        Err(StoreError::NotASession)
    ));
    let path = folder.path().join("ours");
    sample(&path);
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(db);
    let result = Store::open(&path, Access::Write);
    assert!(
        matches!(
            result,
            Err(StoreError::Newer {
                found: 99,
                known: 1
            })
        ),
        "{result:?}"
    );
}

/// What somebody might put into a file to make us do something.
#[test]
fn a_malicious_file_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let bait = folder.path().join("bait");
    let bait = bait.to_str().unwrap();
    for (n, sql) in [
        "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM program; END".to_string(),
        "CREATE TEMP TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM program; END".to_string(),
        "CREATE INDEX i ON entry (steps) WHERE steps > 5".to_string(),
        format!("CREATE VIEW v AS SELECT load_extension('{bait}')"),
        "CREATE VIRTUAL TABLE f USING fts5(x)".to_string(),
        "DROP VIEW paths; CREATE VIEW paths AS SELECT randomblob(1000000000) AS x".to_string(),
        "DROP TABLE note; CREATE VIEW note AS SELECT * FROM entry".to_string(),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("malicious{n}"));
        sample(&path);
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(&sql).unwrap();
        drop(db);
        match Store::open(&path, Access::Write) {
            Err(error) => assert!(
                matches!(error, StoreError::Altered { .. }),
                "{sql}: {error}"
            ),
            // What does nothing by itself may be there.
            Ok(mut store) => {
                assert!(
                    sql.contains("CREATE VIEW v") || sql.contains("TEMP"),
                    "{sql}"
                );
                use_all(&mut store, true).unwrap();
                let _ = store.query("SELECT * FROM v", Bounds::default());
                assert_eq!(store.programs().unwrap().len(), 1);
            }
        }
        assert!(!Path::new(bait).exists());
    }
}

/// Numbers that no Borges writes, in tables that are as they should be.
#[test]
fn absurd_values_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("original");
    sample(&original);
    for (n, sql) in [
        "UPDATE branch SET parent = 7 WHERE number = 3",
        "UPDATE branch SET parent = number WHERE number = 3",
        "UPDATE branch SET fork = 4000000000 WHERE number = 3",
        "UPDATE branch SET fork = -1 WHERE number = 3",
        "UPDATE branch SET fork = fork + 1 WHERE number = 3",
        "UPDATE branch SET parent = 0 WHERE number = 3",
        "UPDATE branch SET ending = 9",
        "UPDATE branch SET reached = -9",
        "UPDATE branch SET id = id + (1 << 40)",
        "UPDATE block SET count = 4000000000",
        "UPDATE block SET count = 0",
        "UPDATE block SET number = number + 10",
        "UPDATE block SET checksum = checksum + 1",
        "UPDATE entry SET steps = -1 WHERE id & 1023 = 7",
        "UPDATE entry SET kind = 8 WHERE id & 1023 = 7",
        "UPDATE entry SET subject = 70000 WHERE id & 1023 = 7",
        "UPDATE entry SET value = 'x' WHERE id & 1023 = 7",
        "UPDATE entry SET value = 1e300 WHERE id & 1023 = 7",
        "UPDATE entry SET value = value + 1 WHERE id & 1023 = 7",
        "UPDATE entry SET types = 'iii>i' WHERE id & 1023 = 7",
        "UPDATE entry SET types = 'i€>' WHERE id & 1023 = 7",
        "UPDATE entry SET types = '' WHERE id & 1023 = 7",
        "UPDATE entry SET arguments = '[' WHERE id & 1023 = 7",
        "UPDATE entry SET arguments = '[1,' WHERE id & 1023 = 7",
        "UPDATE entry SET arguments = NULL WHERE id & 1023 = 7",
        "UPDATE entry SET data = zeroblob(100000000) WHERE id & 4095 = 7",
        "UPDATE entry SET mocked = 2 WHERE id & 1023 = 7",
        "DELETE FROM entry WHERE id & 1023 = 7",
        "DELETE FROM block WHERE branch = 5",
        "DELETE FROM branch WHERE number = 5",
        "UPDATE program SET bytes = x'00'",
        "UPDATE program SET hash = 'zz'",
        "UPDATE program SET upload = -5",
        "UPDATE snapshot SET bytes = zeroblob(9000)",
        "UPDATE snapshot SET size = -1",
        "UPDATE snapshot SET steps = -1",
        "UPDATE note SET position = -1",
        "UPDATE breakpoint SET id = -1",
        "UPDATE place SET branch = 1 << 40",
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("absurd{n}"));
        std::fs::copy(&original, &path).unwrap();
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(sql).unwrap();
        drop(db);
        let result =
            Store::open(&path, Access::Write).and_then(|mut store| use_all(&mut store, true));
        assert!(result.is_err(), "{sql}");
        std::fs::remove_file(&path).unwrap();
    }
}

/// A cycle of parents would make a careless view run for ever.
#[test]
fn views_end_on_a_cycle_of_branches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cycle");
    sample(&path);
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch("UPDATE branch SET parent = 19").unwrap();
    drop(db);
    let mut store = Store::open(&path, Access::Read).unwrap();
    let rows = store
        .query("SELECT count(*) FROM paths", Bounds::default())
        .unwrap()
        .rows;
    assert!(matches!(rows[0][0], Cell::Integer(1..100_000)), "{rows:?}");
    assert!(matches!(
        store.branches(Upload(0)),
        Err(StoreError::Damaged(Damage::Branch { .. }))
    ));
}
