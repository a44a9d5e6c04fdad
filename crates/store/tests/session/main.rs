//! What is written is what is read: in one go, after reopening, and through SQL.

#![allow(clippy::unwrap_used)] // A test may give up.

mod graph;
mod limits;
mod questions;
mod values;

use std::path::PathBuf;
use std::time::Instant;

use borges_store::*;

fn place(branch: u32, position: u32, steps: u64) -> KeptPlace {
    KeptPlace {
        upload: Upload(0),
        branch,
        position,
        agent: 0,
        steps,
    }
}

fn input(steps: u64, value: i32) -> KeptEntry {
    KeptEntry {
        steps,
        kind: EntryKind::Input,
        subject: 0,
        arguments: vec![KeptValue::I32(34)],
        value: Some(KeptValue::I32(value)),
        data: vec![],
        mocked: value % 2 == 0,
    }
}

fn output(steps: u64, level: i32) -> KeptEntry {
    KeptEntry {
        steps,
        kind: EntryKind::Output,
        subject: 1,
        arguments: vec![KeptValue::I32(2), KeptValue::I32(level)],
        value: None,
        data: vec![9, 9],
        mocked: false,
    }
}

fn primitives() -> Vec<KeptPrimitive> {
    ["chip_analog_read", "chip_digital_write"]
        .map(|name| KeptPrimitive {
            module: "env".into(),
            name: name.into(),
        })
        .to_vec()
}

fn add_program(store: &Store) -> Upload {
    let primitives = primitives();
    store
        .add_program(&NewProgram {
            name: "knock.wasm",
            bytes: b"\0asm\x01\0\0\0",
            board: "name = \"desk\"",
            primitives: &primitives,
            at_ms: 1_790_000_000_000,
        })
        .unwrap()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("a session.borges")
    }
}

#[test]
fn a_session_comes_back_as_it_was() {
    let folder = Folder::new();
    let store = Store::create(&folder.file()).unwrap();
    let upload = add_program(&store);
    assert_eq!(upload, Upload(0));
    let root: Vec<KeptEntry> = (0..10_000).map(|n| input(n * 10, n as i32)).collect();
    store.append(upload, 0, &root).unwrap();
    let fork = Fork {
        parent: 0,
        position: 5000,
    };
    store.fork(upload, 3, fork, &input(50_000, -1)).unwrap();
    store.append(upload, 3, &[output(50_001, 1)]).unwrap();
    store
        .set_end(upload, 3, 50_020, &KeptEnd::Trapped("unreachable".into()))
        .unwrap();
    store.set_end(upload, 0, 123_456, &KeptEnd::Open).unwrap();
    let note = Note {
        place: place(3, 5001, 50_000),
        name: Some("here".into()),
        text: "größer als gedacht".into(),
        at_ms: 5,
    };
    store.put_note(&note).unwrap();
    let breakpoint = KeptBreakpoint {
        id: 2,
        enabled: true,
        spec: "{}".into(),
    };
    store.put_breakpoint(&breakpoint).unwrap();
    let mock = |call: &str, spec: &str| KeptMock {
        call: call.into(),
        spec: spec.into(),
    };
    store.put_mock(&mock("b(_)", "[1]")).unwrap();
    store.put_mock(&mock("a()", "[2]")).unwrap();
    store.put_mock(&mock("b(_)", "[3]")).unwrap();
    store.set_setting("follow", "true").unwrap();
    store.set_place(Who::User, place(0, 4, 30)).unwrap();
    store
        .set_place(Who::Device, place(3, 5002, 50_020))
        .unwrap();

    let check = |store: &Store| {
        let programs = store.programs().unwrap();
        assert_eq!(
            (programs.len(), programs[0].name.as_str()),
            (1, "knock.wasm")
        );
        let program = store.program(upload).unwrap();
        assert_eq!(program.bytes, b"\0asm\x01\0\0\0");
        assert_eq!(
            (program.primitives, program.board.len()),
            (primitives(), 13)
        );
        let branches = store.branches(upload).unwrap();
        assert_eq!(
            branches,
            [
                Branch {
                    branch: 0,
                    fork: None,
                    length: 10_000,
                    reached: 123_456,
                    end: KeptEnd::Open,
                    whole: true
                },
                Branch {
                    branch: 3,
                    fork: Some(fork),
                    length: 2,
                    reached: 50_020,
                    end: KeptEnd::Trapped("unreachable".into()),
                    whole: true
                },
            ]
        );
        assert_eq!(store.entries(upload, 0, 0..u32::MAX).unwrap(), root);
        for range in [
            0..1,
            4095..4097,
            8191..8193,
            9999..10_000,
            10_000..10_001,
            7..7,
            5..20,
        ] {
            let expected: Vec<_> = range.clone().filter_map(|i| root.get(i as usize)).collect();
            let found = store.entries(upload, 0, range).unwrap();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        }
        assert_eq!(
            store.entries(upload, 3, 0..9000).unwrap(),
            [input(50_000, -1), output(50_001, 1)]
        );
        assert_eq!(store.notes().unwrap(), std::slice::from_ref(&note));
        assert_eq!(
            store.breakpoints().unwrap(),
            std::slice::from_ref(&breakpoint)
        );
        assert_eq!(
            store.mocks().unwrap(),
            [mock("b(_)", "[3]"), mock("a()", "[2]")]
        );
        assert_eq!(store.setting("follow").unwrap().as_deref(), Some("true"));
        assert_eq!(store.setting("nothing").unwrap(), None);
        assert_eq!(store.place(Who::User).unwrap(), Some(place(0, 4, 30)));
        assert_eq!(
            store.place(Who::Device).unwrap(),
            Some(place(3, 5002, 50_020))
        );
    };
    check(&store);
    store.flush().unwrap();
    check(&Store::open(&folder.file(), Access::Read).unwrap());
    drop(store);
    check(&Store::open(&folder.file(), Access::Read).unwrap());
    let store = Store::open(&folder.file(), Access::Write).unwrap();
    check(&store);
    // Another version of the program has a multiverse of its own.
    assert_eq!(add_program(&store), Upload(1));
    assert_eq!(store.branches(Upload(1)).unwrap().len(), 1);
    store.append(upload, 0, &[input(99_990, 1)]).unwrap();
    assert_eq!(
        store.entries(upload, 0, 10_000..10_009).unwrap(),
        [input(99_990, 1)]
    );
    drop(store);
    let mut names: Vec<_> = std::fs::read_dir(folder.0.path()).unwrap().collect();
    assert_eq!(
        names.pop().unwrap().unwrap().file_name(),
        "a session.borges"
    );
    assert!(names.is_empty(), "a closed session is one file: {names:?}");
    assert_eq!(
        Store::open(&folder.file(), Access::Read).unwrap().damage(),
        []
    );
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let store = Store::in_memory().unwrap();
    let upload = add_program(&store);
    store
        .append(upload, 0, &[input(10, 1), input(20, 2)])
        .unwrap();
    let late_then_early = [input(30, 3), input(29, 4)];
    let result = store.append(upload, 0, &late_then_early);
    assert!(matches!(result, Err(StoreError::OutOfOrder)));
    assert!(matches!(
        store.append(upload, 9, &[]),
        Err(StoreError::Unknown(_))
    ));
    assert!(matches!(
        store.append(Upload(7), 0, &[]),
        Err(StoreError::Unknown(_))
    ));
    let from = |parent, position| Fork { parent, position };
    let fork = |branch, from, steps| store.fork(upload, branch, from, &input(steps, 0));
    assert!(matches!(
        fork(1, from(0, 3), 30),
        Err(StoreError::Unknown(_))
    ));
    assert!(matches!(
        fork(1, from(0, 2), 19),
        Err(StoreError::OutOfOrder)
    ));
    assert!(matches!(
        fork(0, from(0, 2), 30),
        Err(StoreError::OutOfOrder | StoreError::Taken(_))
    ));
    fork(5, from(0, 1), 11).unwrap();
    assert!(matches!(fork(5, from(0, 1), 11), Err(StoreError::Taken(_))));
    assert!(matches!(
        fork(4, from(5, 1), 12),
        Err(StoreError::OutOfOrder)
    ));
    let too_late = KeptEntry {
        steps: u64::MAX,
        ..input(0, 0)
    };
    assert!(matches!(
        store.append(upload, 5, std::slice::from_ref(&too_late)),
        Err(StoreError::OutOfOrder)
    ));
    assert!(store.fork(upload, 8, from(0, 2), &too_late).is_err());
    assert!(matches!(
        store.append(upload, 8, &[]),
        Err(StoreError::Unknown(_))
    ));
    assert!(matches!(
        store.set_end(upload, 8, 0, &KeptEnd::Open),
        Err(StoreError::Unknown(_))
    ));
    let lengths: Vec<_> = store
        .branches(upload)
        .unwrap()
        .iter()
        .map(|b| (b.branch, b.length))
        .collect();
    assert_eq!(lengths, [(0, 2), (5, 1)]);
    assert_eq!(
        store.entries(upload, 0, 0..9).unwrap(),
        [input(10, 1), input(20, 2)]
    );
    // A failed append does not spoil the next one.
    store.append(upload, 0, &[input(30, 3)]).unwrap();
    assert_eq!(store.entries(upload, 0, 2..9).unwrap(), [input(30, 3)]);
}

#[test]
fn one_process_writes_and_others_read() {
    let folder = Folder::new();
    let path = folder.file();
    let store = Store::create(&path).unwrap();
    let upload = add_program(&store);
    store.flush().unwrap();
    assert!(matches!(
        Store::open(&path, Access::Write),
        Err(StoreError::Locked)
    ));
    assert!(matches!(Store::create(&path), Err(StoreError::Locked)));
    let reader = Store::open(&path, Access::Read).unwrap();
    assert!(matches!(
        reader.append(upload, 0, &[input(1, 1)]),
        Err(StoreError::ReadOnly)
    ));
    assert!(matches!(
        reader.set_setting("a", "b"),
        Err(StoreError::ReadOnly)
    ));
    store.append(upload, 0, &[input(1, 1)]).unwrap();
    assert_eq!(reader.entries(upload, 0, 0..9).unwrap(), []);
    store.flush().unwrap();
    assert_eq!(reader.entries(upload, 0, 0..9).unwrap(), [input(1, 1)]);
    drop(store);
    let store = Store::open(&path, Access::Write).unwrap();
    assert!(matches!(Store::create(&path), Err(StoreError::Locked)));
    drop(store);
    assert!(matches!(Store::create(&path), Err(StoreError::Exists)));
    assert!(matches!(
        Store::open(&folder.0.path().join("no"), Access::Write),
        Err(StoreError::Io(_))
    ));
    assert!(matches!(
        Store::open(folder.0.path(), Access::Read),
        Err(StoreError::NotASession)
    ));
}

#[test]
fn what_waits_is_saved_by_the_clock_and_on_closing() {
    let folder = Folder::new();
    let store = Store::create(&folder.file()).unwrap();
    let upload = add_program(&store);
    store.flush().unwrap();
    let reader = Store::open(&folder.file(), Access::Read).unwrap();
    let before = Instant::now();
    store.append(upload, 0, &[input(1, 1)]).unwrap();
    store.tick(before).unwrap();
    assert_eq!(
        reader.entries(upload, 0, 0..9).unwrap(),
        [],
        "it waits for others"
    );
    store.tick(Instant::now() + GROUP_COMMIT).unwrap();
    assert_eq!(reader.entries(upload, 0, 0..9).unwrap().len(), 1);
    store.append(upload, 0, &[input(2, 1)]).unwrap();
    drop(store);
    assert_eq!(reader.entries(upload, 0, 0..9).unwrap().len(), 2);
}
