//! What a world asks, what it takes for an answer, and calls that cannot be carried out.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

mod desk;

use borges_wasi::{
    BadPointer, Called, Chosen, ClockId, Errno, Function, MemoryWrite, Misuse, Output, Preview,
    Replacement, Setup, Wants, WasiImport, World,
};
use desk::*;

fn import(name: &str) -> WasiImport {
    WasiImport::find("wasi_snapshot_preview1", name).unwrap()
}

#[test]
fn arguments_and_environment_lie_in_memory() {
    let mut desk = Desk::over(Setup {
        arguments: vec!["prog".to_string(), "ä b".to_string(), String::new()],
        environment: vec![("A".to_string(), "1=2".to_string())],
        ..Setup::default()
    });
    desk.ok("args_sizes_get", &[OUT, OUT + 4]);
    assert_eq!((desk.small(OUT), desk.small(OUT + 4)), (3, 11));
    desk.ok("args_get", &[LIST, BUFFER]);
    assert_eq!(desk.get(BUFFER, 11), "prog\0ä b\0\0".as_bytes());
    assert_eq!(desk.small(LIST + 4), BUFFER as u32 + 5);
    assert_eq!(desk.small(LIST + 8), BUFFER as u32 + 10);
    desk.ok("environ_sizes_get", &[OUT, OUT + 4]);
    assert_eq!((desk.small(OUT), desk.small(OUT + 4)), (1, 6));
    desk.ok("environ_get", &[LIST, BUFFER]);
    assert_eq!(desk.get(BUFFER, 6), b"A=1=2\0");
}

#[test]
fn clocks_are_asked_and_never_go_back() {
    let mut desk = Desk::new();
    for (number, clock) in ClockId::ALL.into_iter().enumerate() {
        let args = [number as u64, 0, OUT];
        let last = desk.world.clock(clock);
        assert_eq!(
            desk.wants("clock_time_get", &args),
            Wants::Time { clock, last }
        );
        desk.chosen = Some(Chosen::Later(7));
        desk.ok("clock_time_get", &args);
        assert_eq!(desk.large(OUT), last + 7);
        assert_eq!(desk.world.clock(clock), last + 7);
        // At the end of time it stands still.
        let before = desk.world.clone();
        desk.chosen = Some(Chosen::Later(u64::MAX));
        desk.ok("clock_time_get", &args);
        assert_eq!(desk.large(OUT), u64::MAX);
        desk.world = before;
        desk.chosen = None;
        desk.ok("clock_res_get", &[number as u64, OUT]);
        assert_eq!(desk.large(OUT), 1);
    }
    assert_eq!(desk.errno("clock_time_get", &[4, 0, OUT]), Errno::Inval);
    assert_eq!(desk.errno("clock_res_get", &[4, OUT]), Errno::Inval);
}

#[test]
fn random_bytes_are_asked_and_follow_from_the_seed_if_nobody_cares() {
    let mut desk = Desk::new();
    assert_eq!(
        desk.wants("random_get", &[BUFFER, 4]),
        Wants::Random { bytes: 4 }
    );
    desk.ok("random_get", &[BUFFER, 4]);
    desk.ok("random_get", &[BUFFER + 4, 4]);
    let drawn = desk.get(BUFFER, 8).to_vec();
    let mut again = Desk::new();
    again.ok("random_get", &[BUFFER, 8]);
    assert_eq!(again.get(BUFFER, 8), drawn);
    assert_eq!(again.world, desk.world);
    let mut other = Desk::over(Setup {
        seed: 1,
        ..Setup::default()
    });
    other.ok("random_get", &[BUFFER, 8]);
    assert_ne!(other.get(BUFFER, 8), drawn);
    desk.chosen = Some(Chosen::Bytes(b"four".to_vec()));
    desk.ok("random_get", &[BUFFER, 4]);
    assert_eq!(desk.get(BUFFER, 4), b"four");
    let args = [BUFFER, 5];
    let chosen = desk.chosen.clone();
    let misuse = desk.world.call(
        import("random_get"),
        &args,
        &desk.memory.as_slice(),
        chosen.as_ref(),
    );
    assert!(misuse.is_err());
}

#[test]
fn standard_input_comes_in_pieces_and_ends() {
    let mut desk = Desk::over(Setup {
        input: b"hello".to_vec(),
        ..Setup::default()
    });
    assert_eq!(desk.read(0, 3), Ok(b"hel".to_vec()));
    assert_eq!(desk.read(0, 0), Ok(vec![]));
    desk.chosen = Some(Chosen::Bytes(b"XY".to_vec()));
    assert_eq!(desk.read(0, 9), Ok(b"XY".to_vec()));
    desk.chosen = None;
    assert_eq!(desk.world.input_read(), 5);
    assert_eq!(desk.read(0, 9), Ok(vec![]));
    assert_eq!(desk.write(0, b"x"), Err(Errno::Badf));
    assert_eq!(desk.seek(0, 0, 0), Err(Errno::Spipe));
    assert_eq!(desk.read_at(0, 0, 1), Err(Errno::Spipe));
    // More than was asked for is refused.
    desk.put(LIST, &[0; 8]);
    desk.put(LIST + 4, &[1]);
    let many = Chosen::Bytes(vec![1, 2]);
    let args = [0, LIST, 1, OUT];
    assert_eq!(desk.wants("fd_read", &args), Wants::Input { at_most: 1 });
    let misuse = desk.world.call(
        import("fd_read"),
        &args,
        &desk.memory.as_slice(),
        Some(&many),
    );
    assert!(misuse.is_err());
}

#[test]
fn outputs_are_kept() {
    let mut desk = Desk::new();
    desk.write(1, b"out").unwrap();
    desk.write(2, b"err").unwrap();
    desk.write(1, b"put").unwrap();
    assert_eq!(desk.world.output(Output::Standard).to_vec(), b"output");
    assert_eq!(desk.world.output(Output::Error).to_vec(), b"err");
    assert_eq!(desk.read(1, 1), Err(Errno::Badf));
    assert_eq!(desk.seek(1, 0, 1), Err(Errno::Spipe));
    assert_eq!(desk.errno("fd_sync", &[1]), Errno::Inval);
    // A terminal says so.
    for (terminal, kind) in [(false, 0), (true, 2)] {
        let mut desk = Desk::over(Setup {
            terminals: [terminal; 3],
            ..Setup::default()
        });
        for fd in 0..3 {
            desk.ok("fd_fdstat_get", &[fd, OUT]);
            assert_eq!(desk.get(OUT, 1)[0], kind);
            assert_eq!(desk.large(OUT + 8) & (SEEK | TELL), 0);
            desk.ok("fd_filestat_get", &[fd, OUT]);
            assert_eq!(desk.get(OUT + 16, 1)[0], kind);
        }
    }
}

/// A subscription to the time: clock, nanoseconds, and whether they count from the clock's zero.
fn clock(userdata: u64, id: u32, timeout: u64, absolute: bool) -> Vec<u8> {
    let mut bytes = userdata.to_le_bytes().to_vec();
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&id.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&timeout.to_le_bytes());
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&[u8::from(absolute), 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

/// A subscription to a descriptor that can be read, or written.
fn stream(userdata: u64, reads: bool, fd: u32) -> Vec<u8> {
    let mut bytes = userdata.to_le_bytes().to_vec();
    bytes.extend_from_slice(&[if reads { 1 } else { 2 }, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend_from_slice(&fd.to_le_bytes());
    bytes.resize(48, 0);
    bytes
}

/// Polls: userdata, error and kind of each event.
fn poll(desk: &mut Desk, subscriptions: &[Vec<u8>]) -> Vec<(u64, u16, u8)> {
    desk.put(LIST, &subscriptions.concat());
    let count = subscriptions.len() as u64;
    desk.ok("poll_oneoff", &[LIST, BUFFER, count, OUT]);
    (0..u64::from(desk.small(OUT)))
        .map(|event| {
            let at = BUFFER + event * 32;
            let error = desk.get(at + 8, 2);
            let error = u16::from_le_bytes(error.try_into().unwrap());
            (desk.large(at), error, desk.get(at + 10, 1)[0])
        })
        .collect()
}

#[test]
fn sleeping_asks_nothing_and_moves_the_clocks() {
    let mut desk = Desk::new();
    let start = desk.world.clock(ClockId::Realtime);
    let both = [clock(1, 1, 500, false), clock(2, 0, 300, false)];
    assert_eq!(poll(&mut desk, &both), [(2, 0, 0)]);
    assert_eq!(desk.world.clock(ClockId::Monotonic), 300);
    assert_eq!(desk.world.clock(ClockId::Realtime), start + 300);
    // What is past happens at once, what happens together is told together.
    assert_eq!(poll(&mut desk, &[clock(1, 1, 299, true)]), [(1, 0, 0)]);
    assert_eq!(desk.world.clock(ClockId::Monotonic), 300);
    let same = [clock(1, 1, 400, true), clock(2, 0, 100, false)];
    assert_eq!(poll(&mut desk, &same), [(1, 0, 0), (2, 0, 0)]);
    assert_eq!(desk.world.clock(ClockId::Monotonic), 400);
    // Nobody waits for computing time, and not for ever either.
    let inval = Errno::Inval.code();
    assert_eq!(poll(&mut desk, &[clock(1, 2, 1, false)]), [(1, inval, 0)]);
    assert_eq!(poll(&mut desk, &[clock(1, 9, 1, false)]), [(1, inval, 0)]);
    poll(&mut desk, &[clock(1, 1, u64::MAX, false)]);
    assert_eq!(desk.world.clock(ClockId::Monotonic), u64::MAX);
    desk.put(LIST, &clock(1, 1, 42, true));
    let called = desk.called("poll_oneoff", &[LIST, BUFFER, 1, OUT]);
    assert!(matches!(called, Called::Answer(answer) if answer.slept == 0));
}

#[test]
fn what_is_ready_first_is_a_choice_where_input_is_waited_for() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    desk.write(file, b"12345").unwrap();
    desk.seek(file, 2, 0).unwrap();
    let ready = [
        stream(1, true, file as u32),
        stream(2, false, file as u32),
        stream(3, false, 1),
        stream(4, true, 99),
        stream(5, true, 1),
    ];
    let badf = Errno::Badf.code();
    assert_eq!(
        poll(&mut desk, &ready),
        [(1, 0, 1), (2, 0, 2), (3, 0, 2), (4, badf, 1), (5, badf, 1)]
    );
    assert_eq!(desk.large(BUFFER + 16), 3);
    // Input alone is waited for; with a timeout, either can come first.
    assert_eq!(poll(&mut desk, &[stream(1, true, 0)]), [(1, 0, 1)]);
    let either = [stream(1, true, 0), clock(2, 1, 50, false)];
    desk.put(LIST, &either.concat());
    let args = [LIST, BUFFER, 2, OUT];
    assert_eq!(
        desk.wants("poll_oneoff", &args),
        Wants::Ready {
            alternatives: vec![vec![0], vec![1]]
        }
    );
    assert_eq!(poll(&mut desk, &either), [(1, 0, 1)]);
    assert_eq!(desk.world.clock(ClockId::Monotonic), 0);
    desk.chosen = Some(Chosen::Ready(1));
    assert_eq!(poll(&mut desk, &either), [(2, 0, 0)]);
    assert_eq!(desk.world.clock(ClockId::Monotonic), 50);
    // Beside what is ready, input may be ready as well.
    let beside = [stream(1, true, 0), stream(2, false, 1)];
    assert_eq!(poll(&mut desk, &beside), [(2, 0, 2)]);
    desk.chosen = Some(Chosen::Ready(0));
    assert_eq!(poll(&mut desk, &beside), [(1, 0, 1), (2, 0, 2)]);
    desk.chosen = Some(Chosen::Ready(2));
    let chosen = desk.chosen.clone();
    let misuse = desk.world.call(
        import("poll_oneoff"),
        &args,
        &desk.memory.as_slice(),
        chosen.as_ref(),
    );
    assert!(misuse.is_err());
    desk.chosen = None;
    assert_eq!(
        desk.errno("poll_oneoff", &[LIST, BUFFER, 0, OUT]),
        Errno::Inval
    );
    desk.put(LIST + 8, &[3]);
    assert_eq!(
        desk.errno("poll_oneoff", &[LIST, BUFFER, 1, OUT]),
        Errno::Inval
    );
}

#[test]
fn the_first_preview_subscribes_otherwise() {
    let mut desk = Desk::new();
    desk.preview = Preview::Unstable;
    let mut bytes = clock(7, 1, 0, false);
    bytes[16..].copy_from_slice(&[0; 32]);
    bytes[24..28].copy_from_slice(&1u32.to_le_bytes());
    bytes[32..40].copy_from_slice(&250u64.to_le_bytes());
    bytes.resize(56, 0);
    assert_eq!(poll(&mut desk, &[bytes]), [(7, 0, 0)]);
    assert_eq!(desk.world.clock(ClockId::Monotonic), 250);
}

#[test]
fn every_call_can_be_made_to_fail_as_its_list_says() {
    for import in imports() {
        for errno in Errno::ALL {
            let mut desk = Desk::new();
            desk.file("a");
            let args = valid(&mut desk, import.function);
            let before = desk.world.clone();
            let fault = Chosen::Fault(*errno);
            let called = desk
                .world
                .call(import, &args, &desk.memory.as_slice(), Some(&fault));
            if !import.function.faults().contains(errno) {
                assert!(
                    matches!(called, Err(Misuse::Chosen { .. })),
                    "{import:?} {errno:?}"
                );
                continue;
            }
            let Ok(Called::Answer(answer)) = called else {
                panic!("{import:?} {errno:?} {called:?}");
            };
            assert_eq!(answer.errno, *errno, "{import:?}");
            assert!(answer.writes.is_empty());
            // Closing fails as on Linux: afterwards it is closed.
            let closes = import.function == Function::FdClose;
            assert_eq!(desk.world == before, !closes, "{import:?}");
        }
    }
}

/// Arguments with which a call would succeed, if it can fail for reasons of its own: descriptor 4 is a file.
fn valid(desk: &mut Desk, function: Function) -> Vec<u64> {
    desk.put(PATH, b"a");
    desk.put(OTHER_PATH, b"new");
    desk.put(LIST, &stream(1, false, 1));
    if function.moves_bytes() {
        desk.put(LIST, &[0, 0x80, 0, 0, 2, 0, 0, 0]);
    }
    let (new, a) = ([OTHER_PATH, 3], [PATH, 1]);
    match function {
        Function::FdReaddir => vec![3, BUFFER, 64, 0, OUT],
        Function::FdRead | Function::FdWrite => vec![4, LIST, 1, OUT],
        Function::FdPread | Function::FdPwrite => vec![4, LIST, 1, 0, OUT],
        Function::FdAllocate => vec![4, 0, 9],
        Function::PathCreateDirectory => vec![3, new[0], new[1]],
        Function::PathRemoveDirectory => {
            desk.at("path_create_directory", 3, "a");
            desk.at("path_unlink_file", 3, "a");
            desk.at("path_create_directory", 3, "a");
            vec![3, a[0], a[1]]
        }
        Function::PathReadlink => {
            desk.ok("path_symlink", &[a[0], a[1], 3, new[0], new[1]]);
            vec![3, new[0], new[1], BUFFER, 9, OUT]
        }
        Function::PathUnlinkFile => vec![3, a[0], a[1]],
        Function::PathFilestatGet => vec![3, 0, a[0], a[1], OUT],
        Function::PathFilestatSetTimes => vec![3, 0, a[0], a[1], 0, 0, 0],
        Function::PathLink => vec![3, 0, a[0], a[1], 3, new[0], new[1]],
        Function::PathOpen => vec![3, 0, a[0], a[1], 0, ALL & !WRITE, ALL, 0, OUT],
        Function::PathRename => vec![3, a[0], a[1], 3, new[0], new[1]],
        Function::PathSymlink => vec![a[0], a[1], 3, new[0], new[1]],
        Function::PollOneoff => vec![LIST, BUFFER, 1, OUT],
        Function::RandomGet => vec![BUFFER, 4],
        Function::FdFilestatGet => vec![4, OUT],
        Function::FdFilestatSetSize => vec![4, 3],
        _ => {
            let mut args = vec![0; function.params().len()];
            if let Some(first) = args.first_mut() {
                *first = 4;
            }
            args
        }
    }
}

#[test]
fn a_call_that_fails_by_itself_fails_as_it_does() {
    let mut desk = Desk::new();
    desk.chosen = Some(Chosen::Fault(Errno::Nospc));
    assert_eq!(desk.write(77, b"x"), Err(Errno::Badf));
    let bad = desk.trap("fd_write", &[1, 0x10_0000, 1, OUT]);
    assert!(matches!(bad, BadPointer::OutOfBounds { .. }));
    assert_eq!(desk.write(1, b"x"), Err(Errno::Nospc));
    // What would have asked something fails without an answer to it.
    desk.chosen = Some(Chosen::Fault(Errno::Io));
    assert_eq!(desk.read(0, 5), Err(Errno::Io));
}

#[test]
fn fewer_bytes_than_asked_for_can_be_moved() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    desk.chosen = Some(Chosen::Short(3));
    assert_eq!(desk.write(file, b"hello"), Ok(3));
    assert_eq!(desk.write_at(file, 3, b"XYZW"), Ok(3));
    assert_eq!(desk.read_at(file, 0, 5), Ok(b"hel".to_vec()));
    assert_eq!(desk.write(1, b"hello"), Ok(3));
    desk.chosen = Some(Chosen::Short(0));
    let args = [1, LIST, 1, OUT];
    let chosen = desk.chosen.clone();
    let misuse = desk.world.call(
        import("fd_write"),
        &args,
        &desk.memory.as_slice(),
        chosen.as_ref(),
    );
    assert!(misuse.is_err());
}

#[test]
fn choices_and_arguments_of_something_else_are_refused() {
    let mut desk = Desk::new();
    let before = desk.world.clone();
    for chosen in [
        Chosen::Later(u64::MAX),
        Chosen::Bytes(vec![]),
        Chosen::Ready(0),
        Chosen::Short(1),
        Chosen::Fault(Errno::Success),
    ] {
        let called = desk.world.call(
            import("fd_tell"),
            &[3, OUT],
            &desk.memory.as_slice(),
            Some(&chosen),
        );
        assert!(
            matches!(called, Err(Misuse::Chosen { wants: None, .. })),
            "{chosen:?}"
        );
    }
    for count in [0, 1, 3] {
        let called = desk.world.call(
            import("fd_tell"),
            &vec![3; count],
            &desk.memory.as_slice(),
            None,
        );
        let wanted = Misuse::Arguments {
            given: count,
            wanted: 2,
        };
        assert_eq!(called, Err(wanted));
    }
    assert_eq!(desk.world, before);
}

#[test]
fn pointers_that_cannot_be_followed_are_traps_that_change_nothing() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    desk.write(file, b"12345678").unwrap();
    desk.put(LIST, &[0xff, 0xff, 0, 0, 2, 0, 0, 0]);
    desk.put(LIST + 8, &[0, 0x80, 0, 0, 2, 0, 0, 0]);
    let end = 0x10000;
    let before = desk.world.clone();
    for (name, args, bad) in [
        ("random_get", vec![end - 3, 4], (end - 3, 4)),
        (
            "random_get",
            vec![0xffff_ffff, 0xffff_ffff],
            (0xffff_ffff, 0xffff_ffff),
        ),
        ("clock_time_get", vec![0, 0, end], (end, 8)),
        ("fd_write", vec![file, LIST, 1, OUT], (0xffff, 2)),
        ("fd_read", vec![file, LIST, 1, OUT], (0xffff, 2)),
        ("fd_write", vec![1, end - 8, 2, OUT], (end - 8, 16)),
        ("fd_read", vec![file, LIST + 8, 1, end - 2], (end - 2, 4)),
        ("fd_write", vec![file, LIST + 8, 1, end], (end, 4)),
        (
            "path_open",
            vec![3, 0, end - 1, 2, 1, ALL, ALL, 0, OUT],
            (end - 1, 2),
        ),
        ("path_create_directory", vec![3, end, 1], (end, 1)),
        ("fd_readdir", vec![3, BUFFER, end, 0, OUT], (BUFFER, end)),
        ("fd_filestat_get", vec![file, end - 56], (end - 56, 64)),
        (
            "poll_oneoff",
            vec![end - 40, BUFFER, 1, OUT],
            (end - 40, 48),
        ),
        ("args_sizes_get", vec![OUT, end], (end, 4)),
    ] {
        let trap = desk.trap(name, &args);
        match trap {
            BadPointer::OutOfBounds { address, len } => assert_eq!((address, len), bad, "{name}"),
            BadPointer::Misaligned { address, align } => {
                assert!(!address.is_multiple_of(u64::from(align)), "{name} {trap}");
                assert_eq!(address, bad.0);
            }
        }
        assert_eq!(desk.world, before, "{name}");
    }
    let misaligned = |address, align| BadPointer::Misaligned { address, align };
    assert_eq!(desk.trap("clock_time_get", &[0, 0, 4]), misaligned(4, 8));
    assert_eq!(desk.trap("fd_write", &[1, 2, 1, OUT]), misaligned(2, 4));
    assert_eq!(
        desk.trap("fd_prestat_get", &[3, OUT + 2]),
        misaligned(OUT + 2, 4)
    );
    // Who fails with an error number does so first.
    assert_eq!(desk.errno("fd_filestat_get", &[77, end]), Errno::Badf);
    assert_eq!(desk.open_as(3, "none", 0, 0, 0), Err(Errno::Noent));
}

#[test]
fn calls_are_about_files() {
    use borges_wasi::Item;
    use std::collections::BTreeMap;
    let inner = BTreeMap::from([("e".to_string(), Item::Folder(folder(&[("f", "")])))]);
    let items = BTreeMap::from([("d".to_string(), Item::Folder(inner))]);
    let mut desk = Desk::over(Setup {
        folders: vec![("/data".to_string(), items)],
        ..Setup::default()
    });
    let deep = desk.open_as(3, "d/e", 0, DIRECTORY, 0).unwrap();
    let file = desk.file("d/e/f");
    desk.path(".");
    desk.put(OTHER_PATH, b"./g");
    for (name, args, about) in [
        (
            "path_open",
            vec![deep, 0, OTHER_PATH, 3, 0, 0, 0, 0, OUT],
            Some("/data/d/e/g"),
        ),
        ("path_unlink_file", vec![3, OTHER_PATH, 3], Some("/data/g")),
        (
            "path_symlink",
            vec![0, 0, deep, OTHER_PATH, 3],
            Some("/data/d/e/g"),
        ),
        ("path_filestat_get", vec![3, 0, PATH, 1, OUT], Some("/data")),
        ("fd_write", vec![file, LIST, 1, OUT], Some("/data/d/e/f")),
        ("fd_readdir", vec![deep, 0, 0, 0, 0], Some("/data/d/e")),
        ("fd_read", vec![0, LIST, 1, OUT], Some("stdin")),
        ("fd_write", vec![2, LIST, 1, OUT], Some("stderr")),
        ("fd_write", vec![99, LIST, 1, OUT], None),
        ("path_unlink_file", vec![3, 0x10000, 3], None),
        ("random_get", vec![0, 0], None),
    ] {
        let subject = desk
            .world
            .subject(import(name), &args, &desk.memory.as_slice());
        assert_eq!(subject.as_deref(), about, "{name}");
        if let Some(about) = about {
            let call = |subject: &str| {
                let memory = desk.memory.as_slice();
                desk.world.is_about(import(name), &args, &memory, subject)
            };
            assert!(call(about), "{name}");
            assert!(!call("/data/other") && !call("stdout"), "{name}");
        }
    }
    let names: Vec<_> = desk
        .world
        .descriptors()
        .into_iter()
        .map(|open| open.name)
        .collect();
    assert_eq!(
        names,
        [
            "stdin",
            "stdout",
            "stderr",
            "/data",
            "/data/d/e",
            "/data/d/e/f"
        ]
    );
}

#[test]
fn a_user_names_what_calls_are_about() {
    use borges_wasi::Function::{self, ClockTimeGet, FdWrite, PathOpen};
    let given = |names: &[&str]| {
        let folders = names.iter().map(|name| (name.to_string(), folder(&[])));
        Desk::over(Setup {
            folders: folders.collect(),
            ..Setup::default()
        })
    };
    let named = |desk: &Desk, function: Function, text: &str| {
        let subject = desk.world.subject_named(function, text);
        subject.map_err(|error| error.to_string())
    };
    let desk = given(&["/data", "/data/sub", "."]);
    for (text, subject) in [
        ("/data", "/data"),
        ("/data/", "/data"),
        ("/data/a//./b/../c", "/data/a/c"),
        ("/data/sub/a", "/data/sub/a"),
        ("a", "./a"),
        ("./a/b", "./a/b"),
        ("stdin", "./stdin"),
    ] {
        assert_eq!(named(&desk, PathOpen, text).as_deref(), Ok(subject));
    }
    assert_eq!(named(&desk, FdWrite, "stderr").as_deref(), Ok("stderr"));
    for text in ["/config", "/database", "/data/../a", "/data/a\0", ".."] {
        let error = named(&desk, PathOpen, text).expect_err(text);
        assert!(error.contains("begin with \"/data\" or"), "{error}");
        assert!(!error.contains("stdin"), "{error}");
    }
    let error = named(&desk, ClockTimeGet, "/data").expect_err("it is about nothing");
    assert_eq!(error, "calls of clock_time_get are about no file");
    let error = named(&given(&[]), PathOpen, "/data").expect_err("no folder");
    assert!(error.contains("--dir HOST::GUEST"), "{error}");
    let error = named(&given(&[]), FdWrite, "/data").expect_err("no folder");
    assert!(
        error.ends_with("about \"stdin\", \"stdout\", \"stderr\""),
        "{error}"
    );
    assert!(named(&given(&["/"]), PathOpen, "a").is_err());
    assert_eq!(named(&given(&["/"]), PathOpen, "/a").as_deref(), Ok("/a"));
}

#[test]
fn calls_about_one_file_are_known_by_any_of_its_names() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    desk.path("a");
    let about = |desk: &Desk, name: &str, args: &[u64], file: &str| {
        let (memory, subject) = (desk.memory.as_slice(), format!("/{file}"));
        desk.world.is_about(import(name), args, &memory, &subject)
    };
    let write = |desk: &Desk| {
        let args = [file, LIST, 1, OUT];
        ["a", "b"].map(|name| about(desk, "fd_write", &args, name))
    };
    assert_eq!(write(&desk), [true, false]);
    desk.put(OTHER_PATH, b"./x/../b");
    assert!(about(&desk, "path_unlink_file", &[3, OTHER_PATH, 8], "b"));
    desk.put(OTHER_PATH, b"b");
    let link = [3, 0, PATH, 1, 3, OTHER_PATH, 1];
    assert_eq!(desk.errno("path_link", &link), Errno::Success);
    assert_eq!(write(&desk), [true, true]);
    assert_eq!(
        desk.errno("path_unlink_file", &[3, PATH, 1]),
        Errno::Success
    );
    assert_eq!(write(&desk), [false, true]);
}

#[test]
fn the_end_has_a_code() {
    let mut desk = Desk::new();
    assert_eq!(desk.called("proc_exit", &[3]), Called::Exit(3));
}

#[test]
fn choices_travel() {
    let wants = Wants::Ready {
        alternatives: vec![vec![0, 2], vec![1]],
    };
    let bytes = postcard::to_allocvec(&wants).unwrap();
    assert_eq!(postcard::from_bytes::<Wants>(&bytes).unwrap(), wants);
    for chosen in [
        Chosen::Later(5),
        Chosen::Bytes(vec![1, 2]),
        Chosen::Ready(1),
        Chosen::Fault(Errno::Nospc),
        Chosen::Short(9),
    ] {
        let bytes = postcard::to_allocvec(&chosen).unwrap();
        assert!(bytes.len() <= 4, "{chosen:?}");
        assert_eq!(postcard::from_bytes::<Chosen>(&bytes).unwrap(), chosen);
    }
}

#[test]
fn what_no_world_can_begin_with_is_refused() {
    use borges_wasi::{Item, SetupError};
    use std::collections::BTreeMap;
    let zero = "a\0b".to_string();
    let bad = |setup: Setup| World::new(&setup).unwrap_err();
    let text = SetupError::Text(zero.clone());
    let arguments = vec![zero.clone()];
    let setup = Setup {
        arguments,
        ..Setup::default()
    };
    assert_eq!(bad(setup), text);
    for name in ["", "a=b"] {
        let environment = vec![(name.to_string(), String::new())];
        let setup = Setup {
            environment,
            ..Setup::default()
        };
        assert_eq!(bad(setup), SetupError::Text(name.to_string()));
    }
    for name in ["", ".", "..", "a/b", "a\0b", &"n".repeat(256)] {
        let items = BTreeMap::from([(name.to_string(), Item::File(vec![]))]);
        let folders = vec![("/".to_string(), items)];
        let setup = Setup {
            folders,
            ..Setup::default()
        };
        assert_eq!(bad(setup), SetupError::Name(name.to_string()));
    }
}

#[test]
fn what_another_system_answered_is_answered_and_done_here() {
    let told = |errno, writes: &[(u64, &[u8])]| {
        let write = |(at, bytes): &(u64, &[u8])| MemoryWrite {
            address: *at as u32,
            bytes: bytes.to_vec(),
        };
        Some(Chosen::Told {
            errno,
            writes: writes.iter().map(write).collect(),
        })
    };
    let mut desk = Desk::over(Setup {
        folders: vec![("/".to_string(), folder(&[("a", "text")]))],
        ..Setup::default()
    });
    let [path, length] = desk.path("a");
    let open = [3, 0, path, length, 0, 2, 0, 0, OUT];
    // A number of its own: the ones below are free afterwards, the lowest first.
    desk.chosen = told(Errno::Success, &[(OUT, &7_u32.to_le_bytes())]);
    desk.ok("path_open", &open);
    assert_eq!(desk.small(OUT), 7);
    desk.chosen = None;
    assert_eq!(desk.read(7, 9).unwrap(), b"text");
    assert_eq!(desk.file("a"), 4);
    desk.ok("fd_close", &[7]);
    assert_eq!(desk.errno("fd_close", &[7]), Errno::Badf);
    // Opened without rights, where nobody keeps them: a file to read and write, a folder.
    let mut other = desk.world.clone();
    std::mem::swap(&mut desk.world, &mut other);
    desk.chosen = told(Errno::Success, &[(OUT, &9_u32.to_le_bytes())]);
    desk.ok("path_open", &[3, 0, path, length, 0, 0, 0, 0, OUT]);
    desk.chosen = None;
    assert_eq!(desk.read(9, 9).unwrap(), b"text");
    assert_eq!(desk.write(9, b"more").unwrap(), 4);
    desk.chosen = told(Errno::Success, &[(OUT, &5_u32.to_le_bytes())]);
    let [here, one] = desk.path(".");
    desk.ok("path_open", &[3, 0, here, one, 0, 0, 0, 0, OUT]);
    desk.chosen = None;
    assert_eq!(desk.list(5, 99).unwrap(), [".", "..", "a"]);
    desk.world = other;
    // A number that is taken, one past the limit, none: the world is as it was.
    let before = desk.world.clone();
    for number in [3_u32, 4, u32::MAX] {
        desk.chosen = told(Errno::Success, &[(OUT, &number.to_le_bytes())]);
        desk.ok("path_open", &open);
        assert_eq!(desk.world, before, "{number}");
    }
    desk.chosen = told(Errno::Success, &[]);
    desk.ok("path_open", &open);
    assert_eq!(desk.world, before);
    // It failed there, or fails here: nothing happens here; closing does in any case.
    desk.chosen = told(Errno::Nosys, &[]);
    assert_eq!(desk.errno("path_open", &open), Errno::Nosys);
    desk.chosen = told(Errno::Success, &[(OUT, b"1234")]);
    desk.ok("fd_tell", &[99, OUT]);
    assert_eq!((desk.get(OUT, 4), &desk.world), (&b"1234"[..], &before));
    desk.chosen = told(Errno::Io, &[]);
    assert_eq!(desk.errno("fd_close", &[4]), Errno::Io);
    desk.chosen = None;
    assert_eq!(desk.errno("fd_close", &[4]), Errno::Badf);
    // What would be asked is taken from the usual choice.
    desk.chosen = told(Errno::Success, &[(OUT, &[9; 8])]);
    desk.ok("clock_time_get", &[0, 0, OUT]);
    assert_eq!(desk.get(OUT, 8), [9; 8]);
    // Outside of memory: nobody can have written there.
    let memory = &[0_u8; 16][..];
    let chosen = told(Errno::Success, &[(15, b"ab")]);
    let called = desk
        .world
        .call(import("sched_yield"), &[], &memory, chosen.as_ref());
    assert!(matches!(called, Err(Misuse::Chosen { .. })), "{called:?}");
    let chosen = told(Errno::Success, &[(14, b"ab")]);
    let called = desk
        .world
        .call(import("sched_yield"), &[], &memory, chosen.as_ref());
    assert!(matches!(called, Ok(Called::Answer(_))), "{called:?}");
}

fn replaced(path: &str, number: u64, bytes: &[u8], then: Option<Chosen>) -> Chosen {
    let (path, bytes) = (path.to_string(), bytes.to_vec());
    let file = Replacement {
        path,
        number,
        bytes,
    };
    Chosen::Replaced {
        files: vec![file],
        then: then.map(Box::new),
    }
}

#[test]
fn somebody_outside_replaces_a_file_before_a_call() {
    let setup = |text: &str| Setup {
        folders: vec![("/".to_string(), folder(&[("a", text)]))],
        ..Setup::default()
    };
    let mut desk = Desk::over(setup("old text"));
    let file = desk.file("a");
    let reads = |desk: &mut Desk| {
        desk.put(
            LIST,
            &[(BUFFER as u32).to_le_bytes(), 64_u32.to_le_bytes()].concat(),
        );
        let read = desk.errno("fd_read", &[file, LIST, 1, OUT]);
        assert_eq!(read, Errno::Success);
        String::from_utf8(desk.get(BUFFER, desk.small(OUT) as usize).to_vec()).unwrap()
    };
    // The call goes on in the new bytes, also on a descriptor that was open before, where that stood.
    desk.chosen = Some(replaced("/a", 7, b"new", None));
    assert_eq!(reads(&mut desk), "new");
    assert_eq!(desk.world.replacement("/a"), Some(7));
    assert_eq!(desk.world.replacement("/b"), None);
    desk.chosen = Some(replaced("/a", 8, b"newer", None));
    assert_eq!(reads(&mut desk), "er");
    // Nothing a program can find out says that it was somebody else.
    let mut written = Desk::over(setup("newer"));
    written.file("a");
    written.ok("fd_seek", &[file, 5, 0, OUT]);
    assert_eq!(written.world, desk.world);
    // A call that fails changes nothing else; one that is made to fail, or to go otherwise, comes to that.
    desk.chosen = Some(replaced("/a", 9, b"0123456789", None));
    assert_eq!(desk.errno("fd_close", &[99]), Errno::Badf);
    assert_eq!(desk.world.file("/a").unwrap().to_vec(), b"0123456789");
    let fault = Some(Chosen::Fault(Errno::Io));
    desk.chosen = Some(replaced("/a", 10, b"01234", fault));
    assert_eq!(desk.errno("fd_sync", &[file]), Errno::Io);
    assert_eq!(desk.world.file("/a").unwrap().to_vec(), b"01234");
    desk.chosen = Some(replaced("/a", 11, b"0123456789", Some(Chosen::Short(2))));
    assert_eq!(reads(&mut desk), "56");
    // Who asks has changed nothing yet.
    let before = desk.world.clone();
    let chosen = replaced("/a", 12, b"", None);
    let asks = desk.world.call(
        import("random_get"),
        &[BUFFER, 4],
        &desk.memory.as_slice(),
        Some(&chosen),
    );
    assert_eq!(asks, Ok(Called::Wants(Wants::Random { bytes: 4 })));
    assert_eq!(desk.world, before);
    assert_eq!(desk.world.replacement("/a"), Some(11));
}

#[test]
fn what_is_no_file_or_has_no_room_is_not_replaced() {
    let mut setup = Setup {
        folders: vec![("/".to_string(), folder(&[("a", "old"), ("b", "")]))],
        ..Setup::default()
    };
    setup.limits.bytes = 8;
    setup.limits.file_bytes = 6;
    let mut world = Desk::over(setup).world;
    let mut call = |chosen: &Chosen| {
        let called = world.call(import("sched_yield"), &[], &[].as_slice(), Some(chosen));
        let is_taken = matches!(called, Ok(Called::Answer(_)));
        assert!(is_taken || matches!(called, Err(Misuse::Chosen { .. })));
        is_taken
    };
    let nested = Some(replaced("/a", 1, b"", None));
    for (chosen, is_taken) in [
        (replaced("/c", 1, b"", None), false),
        (replaced("/", 1, b"", None), false),
        (replaced("a", 1, b"", None), false),
        (replaced("/a", 1, b"", nested), false),
        // The largest file, and one byte more; what the other one leaves of the disk, and one byte more.
        (replaced("/a", 1, b"1234567", None), false),
        (replaced("/a", 1, b"123456", None), true),
        (replaced("/b", 1, b"123", None), false),
        (replaced("/b", 1, b"12", None), true),
        // What was there makes room.
        (replaced("/a", 1, b"654321", None), true),
        // A choice that the function does not know is none beside another one, either.
        (replaced("/a", 1, b"", Some(Chosen::Ready(0))), false),
    ] {
        assert_eq!(call(&chosen), is_taken, "{chosen:?}");
    }
    assert_eq!(world.file("/a").unwrap().to_vec(), b"654321");
}
