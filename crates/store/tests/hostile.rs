//! Wrong, truncated, damaged and malicious files: a clear error or what was written, nothing else.

#![allow(clippy::unwrap_used)] // A test may give up.

use std::path::{Path, PathBuf};

use borges_store::*;

fn entry(n: u32) -> KeptEntry {
    KeptEntry {
        steps: u64::from(n) * 11,
        kind: EntryKind::Input,
        subject: 1,
        arguments: vec![KeptValue::I32(34), KeptValue::F32(0.5f32.to_bits())],
        value: Some(KeptValue::I32(n as i32)),
        data: vec![n as u8; n as usize % 9],
        mocked: false,
    }
}

fn place(position: u32) -> KeptPlace {
    KeptPlace {
        upload: Upload(0),
        branch: 0,
        position,
        agent: 0,
        steps: u64::from(position) * 11,
    }
}

const ROOT: u32 = 400;

/// A closed file with something in every table.
fn sample(path: &Path) {
    let store = Store::create(path).unwrap();
    let primitives = [KeptPrimitive {
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
            position: 10 * branch,
        };
        store
            .fork(upload, branch, fork, &entry(10 * branch))
            .unwrap();
        let more: Vec<_> = (10 * branch + 1..10 * branch + 15).map(entry).collect();
        store.append(upload, branch, &more).unwrap();
        store
            .set_end(upload, branch, 1 << 40, &KeptEnd::Finished("1".into()))
            .unwrap();
    }
    store
        .put_note(&Note {
            place: place(3),
            name: None,
            text: "n".into(),
            at_ms: 0,
        })
        .unwrap();
    store
        .put_breakpoint(&KeptBreakpoint {
            id: 1,
            enabled: true,
            spec: "{}".into(),
        })
        .unwrap();
    store
        .put_mock(&KeptMock {
            call: "c".into(),
            spec: "{}".into(),
        })
        .unwrap();
    store.set_setting("a", "b").unwrap();
    store.set_place(Who::User, place(3)).unwrap();
}

/// Everything that a file says of a session, as text.
fn shown(store: &mut Store) -> Result<Vec<String>, StoreError> {
    let mut shown = Vec::new();
    let mut say = |what: String| shown.push(what);
    for program in store.programs()? {
        say(format!("{program:?}"));
        match store.program(program.upload) {
            Ok(program) => {
                say(format!(
                    "{} {:?} {:?}",
                    program.name, program.bytes, program.board
                ));
                for primitive in program.primitives {
                    say(format!("{primitive:?}"));
                }
            }
            Err(StoreError::Damaged(_)) => {}
            Err(error) => return Err(error),
        }
    }
    for branch in store.branches(Upload(0))? {
        let number = branch.branch;
        let start = branch.fork.map_or(0, |fork| fork.position);
        let end = start + branch.length;
        say(format!("branch {number} {:?}", branch.fork));
        // Of a branch that is cut short, the end is not what was recorded, and does not say so.
        match branch.whole {
            true => say(format!("{branch:?}")),
            false => assert_eq!(branch.end, KeptEnd::Open),
        }
        let entries = store.entries(Upload(0), number, start..end)?;
        assert_eq!(entries.len(), branch.length as usize);
        for (position, entry) in (start..).zip(entries) {
            say(format!("{number} {position} {entry:?}"));
        }
    }
    for note in store.notes()? {
        say(format!("{note:?}"));
    }
    for breakpoint in store.breakpoints()? {
        say(format!("{breakpoint:?}"));
    }
    for mock in store.mocks()? {
        say(format!("{mock:?}"));
    }
    say(format!("setting {:?}", store.setting("a")?));
    say(format!("place {:?}", store.place(Who::User)?));
    Ok(shown)
}

/// What SQL says of it: tables as they are, and views.
fn queried(store: &mut Store) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    let all = QueryBounds {
        rows: usize::MAX,
        ..QueryBounds::default()
    };
    for table in [
        "entry",
        "branch",
        "note",
        "mock",
        "setting",
        "place",
        "breakpoint",
        "ends",
        "traps",
    ] {
        let found = store.query(&format!("SELECT * FROM {table}"), all)?;
        rows.extend(found.rows.iter().map(|row| format!("{table} {row:?}")));
    }
    Ok(rows)
}

/// Uses everything. What is returned must be what was saved; what is missing of it must be named.
fn use_all(store: &mut Store, write: bool, original: &Original) -> Result<Fate, StoreError> {
    let named = !store.damage().is_empty();
    let found = shown(store)?;
    // A place or setting that is lost reads as one that was never set.
    let never = ["setting None", "place None"];
    for row in &found {
        let known = original.shown.contains(row) || never.contains(&row.as_str());
        assert!(known, "{row} was never written");
    }
    for row in queried(store)? {
        assert!(original.queried.contains(&row), "{row} was never written");
    }
    let all = original.shown.iter().all(|row| found.contains(row));
    assert!(all || named, "something is missing, and not named");
    if write {
        for change in [
            store.append(Upload(0), 0, &[entry(ROOT)]),
            store.set_setting("x", "y"),
            store.set_setting("a", "b"),
            store.flush(),
        ] {
            match change {
                Ok(()) | Err(StoreError::Damaged(_) | StoreError::Unknown(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(if named { Fate::Named } else { Fate::Sound })
}

struct Original {
    shown: std::collections::HashSet<String>,
    queried: std::collections::HashSet<String>,
}

impl Original {
    fn of(path: &Path) -> Self {
        let mut store = Store::open(path, Access::Read).unwrap();
        assert_eq!(store.damage(), []);
        Self {
            shown: shown(&mut store).unwrap().into_iter().collect(),
            queried: queried(&mut store).unwrap().into_iter().collect(),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// As if nothing had happened.
    Sound,
    /// The damage is named, and the rest is there.
    Named,
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
    let path = folder.path().join("original");
    sample(&path);
    let was = Original::of(&path);
    let original = std::fs::read(path).unwrap();
    let path = folder.path().join("damaged");
    let mut random = Random(42);
    let (mut refused, mut found_out, mut named, mut sound) = (0, 0, 0, 0);
    for n in 0..1000 {
        let mut bytes = original.clone();
        mutate(&mut bytes, &mut random);
        std::fs::write(&path, &bytes).unwrap();
        let write = n % 2 == 0;
        let access = if write { Access::Write } else { Access::Read };
        match Store::open(&path, access) {
            Err(_) => refused += 1,
            Ok(mut store) => match use_all(&mut store, write, &was) {
                Err(_) => found_out += 1,
                Ok(Fate::Named) => named += 1,
                Ok(Fate::Sound) => sound += 1,
            },
        }
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("damaged{suffix}")));
        }
    }
    println!(
        "{refused} refused at once, {found_out} when used, {named} with the damage named, \
         {sound} as if nothing had happened"
    );
    assert!(refused > 100 && named > 100 && sound > 10);
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
                known: 3
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
        let original = Original::of(&path);
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
                let fate = use_all(&mut store, true, &original).unwrap();
                assert_eq!(fate, Fate::Sound);
                let _ = store.query("SELECT * FROM v", QueryBounds::default());
                assert_eq!(store.programs().unwrap().len(), 1);
            }
        }
        assert!(!Path::new(bait).exists());
    }
}

/// Cells that are not what was written, and rows that are gone: each is named, and what is named is right.
#[test]
fn changes_to_any_table_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("original");
    sample(&original);
    let was = Original::of(&original);
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
        "UPDATE entry SET steps = -1 WHERE id & 255 = 17",
        "UPDATE entry SET kind = 8 WHERE id & 255 = 17",
        "UPDATE entry SET subject = 70000 WHERE id & 255 = 17",
        "UPDATE entry SET value = 'x' WHERE id & 255 = 17",
        "UPDATE entry SET value = 1e300 WHERE id & 255 = 17",
        "UPDATE entry SET value = value + 1 WHERE id & 255 = 17",
        "UPDATE entry SET types = 'iii>i' WHERE id & 255 = 17",
        "UPDATE entry SET types = 'i€>' WHERE id & 255 = 17",
        "UPDATE entry SET types = '' WHERE id & 255 = 17",
        "UPDATE entry SET arguments = '[' WHERE id & 255 = 17",
        "UPDATE entry SET arguments = '[1,' WHERE id & 255 = 17",
        "UPDATE entry SET arguments = NULL WHERE id & 255 = 17",
        "UPDATE entry SET data = zeroblob(100000000) WHERE id & 4095 = 17",
        "UPDATE entry SET mocked = 2 WHERE id & 255 = 17",
        "DELETE FROM entry WHERE id & 255 = 17",
        "DELETE FROM branch WHERE number = 5",
        "UPDATE program SET bytes = x'00'",
        "UPDATE program SET hash = 'zz'",
        "UPDATE program SET upload = -5",
        "UPDATE note SET position = -1",
        "UPDATE breakpoint SET id = -1",
        "UPDATE place SET branch = 1 << 40",
        "UPDATE branch SET length = length + 1 WHERE number = 3",
        "UPDATE branch SET length = length - 1 WHERE number = 3",
        "UPDATE branch SET outcome = '2' WHERE number = 3",
        "UPDATE entry SET sum = sum + 1 WHERE id & 255 = 17",
        "INSERT INTO entry SELECT (1 << 32) | 400, steps, kind, subject, types, arguments, value, data, mocked, sum FROM entry LIMIT 1",
        "UPDATE program SET board = 'c'",
        "UPDATE program SET at_ms = 2",
        "DELETE FROM program",
        "DELETE FROM primitive",
        "UPDATE primitive SET name = 'y'",
        "UPDATE note SET text = 'm'",
        "DELETE FROM note",
        "UPDATE breakpoint SET enabled = 0",
        "DELETE FROM breakpoint",
        "UPDATE mock SET spec = '{1}'",
        "UPDATE mock SET call = 'd'",
        "DELETE FROM mock",
        "UPDATE setting SET value = 'c'",
        "UPDATE setting SET key = 'c'",
        "DELETE FROM setting",
        "UPDATE place SET position = 4",
        "UPDATE place SET who = 'device'",
        "DELETE FROM place",
        "UPDATE seal SET count = count + 1 WHERE of = 'note'",
        "UPDATE seal SET of = 'x' WHERE of = 'note'",
        "DELETE FROM seal",
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("changed{n}"));
        std::fs::copy(&original, &path).unwrap();
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(sql).unwrap();
        drop(db);
        let mut store = Store::open(&path, Access::Write).unwrap();
        let fate = use_all(&mut store, true, &was).unwrap();
        assert_eq!(fate, Fate::Named, "{sql}");
        let table = sql.split_whitespace();
        let table = table.into_iter().find(|word| {
            !["UPDATE", "DELETE", "FROM", "INSERT", "INTO"].contains(word)
        });
        let table = table.unwrap();
        let told: Vec<String> = store.damage().iter().map(ToString::to_string).collect();
        let branch = ["entry", "branch"].contains(&table);
        let names = |told: &String| {
            told.contains(table) || table == "seal" || (branch && told.contains("branch"))
        };
        assert!(told.iter().any(names), "{sql}: {told:?}");
        // It stays in the file, and is named again.
        drop(store);
        let store = Store::open(&path, Access::Read).unwrap();
        assert!(!store.damage().is_empty(), "{sql}");
        std::fs::remove_file(&path).unwrap();
    }
}

/// What is written in the place of a damaged row does not lose what was in it.
#[test]
fn a_damaged_row_makes_room_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.borges");
    sample(&path);
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch(
        "UPDATE mock SET spec = 'forged'; UPDATE seal SET count = 9 WHERE of = 'note'",
    )
    .unwrap();
    drop(db);
    let store = Store::open(&path, Access::Write).unwrap();
    assert_eq!(store.mocks().unwrap(), []);
    let mock = KeptMock {
        call: "c".into(),
        spec: "[2]".into(),
    };
    store.put_mock(&mock).unwrap();
    store.remove_note(place(3), None).unwrap();
    drop(store);
    let store = Store::open(&path, Access::Write).unwrap();
    assert_eq!(store.mocks().unwrap(), [mock]);
    let told: Vec<String> = store.damage().iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|told| told.contains("forged")), "{told:?}");
    assert!(told.iter().any(|told| told.contains("count 9")), "{told:?}");
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
        .query("SELECT count(*) FROM paths", QueryBounds::default())
        .unwrap()
        .rows;
    assert_eq!(rows[0][0], QueryCell::Integer(0), "none of them is sound");
    assert_eq!(store.branches(Upload(0)).unwrap(), []);
    assert!(store.damage().len() >= 20, "{:?}", store.damage());
}
