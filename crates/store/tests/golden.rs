//! Pins the format of session files: every table, every column, every checksum.
//!
//! `BORGES_UPDATE=1 cargo test -p borges-store --test golden` rewrites the file. A change means that
//! the version of the format must go up, with a migration from the one before.

#![allow(clippy::unwrap_used)] // A test may give up.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use borges_store::*;
use rusqlite::Connection;

fn place(branch: u32, position: u32, steps: u64) -> KeptPlace {
    KeptPlace {
        upload: Upload(0),
        branch,
        position,
        agent: 0,
        steps,
    }
}

/// One entry of every kind, with values of every type.
fn entries() -> Vec<KeptEntry> {
    let entry = |steps, kind, subject, arguments: &[KeptValue], value| KeptEntry {
        steps,
        kind,
        subject,
        arguments: arguments.to_vec(),
        value,
        data: vec![],
        mocked: false,
    };
    let float = |value: f64| KeptValue::F64(value.to_bits());
    let single = |value: f32| KeptValue::F32(value.to_bits());
    use EntryKind::{Event, Input, Output};
    vec![
        entry(
            1,
            Input,
            0,
            &[KeptValue::I32(34)],
            Some(KeptValue::I32(-4095)),
        ),
        KeptEntry {
            mocked: true,
            ..entry(2, Input, 1, &[], Some(KeptValue::I64(i64::MIN)))
        },
        entry(3, Input, 1, &[], Some(single(0.1))),
        entry(4, Input, 1, &[], Some(single(-0.0))),
        entry(5, Input, 1, &[], Some(float(2.5))),
        entry(6, Input, 1, &[], Some(float(f64::NAN))),
        entry(7, Input, 1, &[], Some(KeptValue::FuncRef(None))),
        entry(8, Input, 1, &[], Some(KeptValue::ExternRef(Some(7)))),
        KeptEntry {
            data: vec![1, 2, 255],
            ..entry(9, Output, 1, &[KeptValue::I32(2), KeptValue::I32(1)], None)
        },
        entry(
            10,
            Output,
            1,
            &[KeptValue::I64(-1), single(f32::INFINITY), float(1e-7)],
            None,
        ),
        entry(
            10,
            Output,
            1,
            &[KeptValue::FuncRef(Some(3)), KeptValue::ExternRef(None)],
            None,
        ),
        KeptEntry {
            data: b"pin 14".to_vec(),
            ..entry(1 << 40, Event, 2, &[], None)
        },
    ]
}

fn build(store: &Store) {
    let primitive = |name: &str| KeptPrimitive {
        module: "env".into(),
        name: name.into(),
    };
    let program = NewProgram {
        name: "größe.wasm",
        bytes: b"\0asm\x01\0\0\0",
        board: "name = \"desk\"\n",
        primitives: &[primitive("chip_analog_read"), primitive("it's")],
        at_ms: 1_790_000_000_000,
    };
    let upload = store.add_program(&program).unwrap();
    store.append(upload, 0, &entries()).unwrap();
    store
        .set_end(
            upload,
            0,
            (1 << 40) + 5,
            &KeptEnd::Trapped("unreachable".into()),
        )
        .unwrap();
    store
        .fork(
            upload,
            1,
            Fork {
                parent: 0,
                position: 1,
            },
            &entries()[1],
        )
        .unwrap();
    store
        .set_end(upload, 1, 99, &KeptEnd::Finished("1, 2".into()))
        .unwrap();
    let note = |place, name: Option<&str>| Note {
        place,
        name: name.map(String::from),
        text: if name.is_some() { "" } else { "see" }.into(),
        at_ms: -1,
    };
    store.put_note(&note(place(0, 0, 0), None)).unwrap();
    store.put_note(&note(place(1, 2, 50), None)).unwrap();
    store.put_note(&note(place(1, 2, 50), Some("odd"))).unwrap();
    store
        .put_breakpoint(&KeptBreakpoint {
            id: 1,
            enabled: false,
            spec: "{}".into(),
        })
        .unwrap();
    store
        .put_mock(&KeptMock {
            call: "chip_analog_read(_)".into(),
            spec: "[1]".into(),
        })
        .unwrap();
    store.set_setting("follow", "true").unwrap();
    store.set_place(Who::User, place(1, 2, 50)).unwrap();
    store.set_place(Who::Device, place(0, 12, 1 << 40)).unwrap();
}

/// The tables of a file as SQL that makes them again.
fn dump(path: &Path) -> String {
    let db = Connection::open(path).unwrap();
    let number = |pragma: &str| -> i64 {
        db.pragma_query_value(None, pragma, |row| row.get(0))
            .unwrap()
    };
    let mut text = String::new();
    for pragma in ["application_id", "user_version"] {
        let _ = writeln!(text, "PRAGMA {pragma} = {};", number(pragma));
    }
    let objects = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";
    let mut statement = db.prepare(objects).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut tables = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let (kind, name, sql): (String, String, String) = (
            row.get(0).unwrap(),
            row.get(1).unwrap(),
            row.get(2).unwrap(),
        );
        let _ = writeln!(text, "{sql};");
        if kind == "table" {
            tables.push(name);
        }
    }
    for table in tables {
        let mut statement = db.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let cells: Vec<String> = (0..columns)
                .map(|i| {
                    let value = row.get_ref(i).unwrap();
                    db.query_row(
                        "SELECT quote(?1)",
                        [rusqlite::types::Value::try_from(value).unwrap()],
                        |row| row.get(0),
                    )
                    .unwrap()
                })
                .collect();
            let _ = writeln!(text, "INSERT INTO {table} VALUES ({});", cells.join(", "));
        }
    }
    text
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// Makes a file of what [`dump`] made of one.
fn made_of(name: &str, path: &Path) {
    let db = Connection::open(path).unwrap();
    db.execute_batch(&std::fs::read_to_string(golden(name)).unwrap())
        .unwrap();
}

#[test]
fn the_format_is_pinned() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.borges");
    let store = Store::create(&path).unwrap();
    build(&store);
    drop(store);
    let text = dump(&path);
    if std::env::var_os("BORGES_UPDATE").is_some() {
        std::fs::write(golden("session.sql"), &text).unwrap();
    }
    let expected = std::fs::read_to_string(golden("session.sql")).unwrap();
    assert_eq!(
        text, expected,
        "the format of session files changed; see the head of this file"
    );
}

#[test]
fn files_of_every_version_can_be_read_for_ever() {
    for name in ["session-1.sql", "session-2.sql", "session.sql"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.borges");
        made_of(name, &path);
        let store = Store::open(&path, Access::Write).unwrap();
        assert_eq!(store.damage(), [], "{name}");
        assert_eq!(store.entries(Upload(0), 0, 0..99).unwrap(), entries());
        assert_eq!(store.entries(Upload(0), 1, 0..99).unwrap(), entries()[1..2]);
        let branches = store.branches(Upload(0)).unwrap();
        assert_eq!(branches[0].end, KeptEnd::Trapped("unreachable".into()));
        assert_eq!(
            branches[1].fork,
            Some(Fork {
                parent: 0,
                position: 1
            })
        );
        assert_eq!(store.program(Upload(0)).unwrap().primitives[1].name, "it's");
        let notes = store.notes().unwrap();
        let named: Vec<_> = notes
            .iter()
            .map(|note| (note.name.as_deref(), note.text.as_str()))
            .collect();
        assert_eq!(named, [(None, "see"), (None, "see"), (Some("odd"), "")]);
        assert_eq!(store.breakpoints().unwrap().len(), 1);
        assert_eq!(store.mocks().unwrap().len(), 1);
        assert_eq!(
            store.place(Who::Device).unwrap(),
            Some(place(0, 12, 1 << 40))
        );
        // And goes on from there.
        store.append(Upload(0), 1, &entries()[11..]).unwrap();
        drop(store);
        let store = Store::open(&path, Access::Read).unwrap();
        assert_eq!(store.damage(), [], "{name}");
        assert_eq!(store.entries(Upload(0), 1, 0..99).unwrap().len(), 2);
    }
}

/// A file of an older version that was damaged, and what is said of it once it is of this version, each time.
fn damaged(golden: &str, damage: &str, is_fine: impl Fn(&Store) -> bool) -> Vec<Damage> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.borges");
    made_of(golden, &path);
    Connection::open(&path)
        .unwrap()
        .execute_batch(damage)
        .unwrap();
    let open = || Store::open(&path, Access::Write).unwrap();
    let found = open().damage().to_vec();
    assert_eq!(open().damage(), found, "the same the next time");
    assert!(is_fine(&open()));
    found
}

/// What was damaged in a file of version 2 is so in one of version 3, and what is missing is still missed.
#[test]
fn damage_outlives_a_new_version() {
    let migrated = |damage: &str| damaged("session-2.sql", damage, |_| true);
    let row = |table, key: &str| Damage::Row {
        table,
        key: key.to_owned(),
    };
    assert_eq!(
        migrated("UPDATE place SET steps = 51 WHERE who = 'user'"),
        [row("place", "who \"user\"")]
    );
    let rows = |expected, found| Damage::Rows {
        table: "note",
        expected,
        found,
    };
    assert_eq!(
        migrated("DELETE FROM note WHERE name = 'odd'"),
        [rows(3, 2)]
    );
    let seal = migrated("UPDATE seal SET count = 2 WHERE of = 'note'");
    assert_eq!(seal[0], rows(0, 3));
    assert!(matches!(&seal[1..], [Damage::Aside { table, .. }] if table == "seal"));
}

/// What version 1 would have refused to show is not made right by getting a sum.
#[test]
fn what_was_damaged_before_there_were_sums_stays_damaged() {
    let migrated = |damage: &str| {
        damaged("session-1.sql", damage, |store| {
            store.branches(Upload(0)).unwrap().len() == 1
        })
    };
    let entries = |branch, from, to| Damage::Entries {
        upload: 0,
        branch,
        from,
        to,
    };
    assert_eq!(
        migrated("UPDATE entry SET value = 7 WHERE id = 2 << 32 | 1"),
        [
            entries(1, 1, 2),
            Damage::Branch {
                upload: 0,
                branch: 1
            }
        ]
    );
    let program = migrated("UPDATE program SET bytes = x'00'; DELETE FROM branch WHERE number = 1");
    let key = "upload 0".to_owned();
    let table = "program";
    assert_eq!(program, [Damage::Row { table, key }]);
}
