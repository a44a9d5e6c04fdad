//! What was recorded beside another engine: `examples/save-notes` on Node 20, by `recorders/js`.
//!
//! node recorders/js/command.js examples/save-notes/save-notes.wasm -o crates/session/tests/recordings/save-notes.recording \
//!     --dir A COPY OF examples/save-notes/data::/data < examples/save-notes/notes.in

#[path = "imports/entries.rs"]
mod entries;
#[path = "imports/writer.rs"]
mod writer;

use std::path::Path;

use borges_session::command::{Act, Command, Direction, Look, MockValues, StopReason};
use borges_session::import::{
    HostRecording, HostRecordingError, ImportError, Imported, Recorded, RecordedCall, RecordedEnd,
    import,
};
use borges_session::{Flow, Options, Reply, Session};
use borges_vm::Value;
use borges_wasi::{Function, WasmType};
use writer::{all, printing, written};

const RECORDING: &[u8] = include_bytes!("recordings/save-notes.recording");
/// The same, by the second version of the format.
const SECOND: &[u8] = include_bytes!("recordings/save-notes-2.recording");
const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/save-notes/save-notes.wasm"
);

fn replayed(recording: &[u8], program: &str, file: Option<&Path>) -> Result<Imported, ImportError> {
    let options = Options {
        session_file: file.map(Path::to_owned),
        ..Options::new(program)
    };
    import(recording, &options, false, &mut |_| Flow::Continue)
}

fn refused(recording: &[u8]) -> ImportError {
    replayed(recording, PROGRAM, None).expect_err("it parts from the program")
}

fn run(session: &mut Session, command: impl Into<Command>) -> Reply {
    let reply = session.execute(command, &mut |_| Flow::Continue);
    reply.expect("the command is carried out")
}

fn console(session: &mut Session) -> String {
    match run(session, Look::Board) {
        Reply::Board(board) => board.board["console"]["tail"].to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_versions_of_the_format_come_to_the_same() {
    let [first, second] = [RECORDING, SECOND].map(|recording| {
        let imported = replayed(recording, PROGRAM, None).expect("it replays");
        (
            imported.calls,
            imported.steps,
            imported.printed,
            imported.ending,
        )
    });
    assert_eq!(first, second);
    assert_eq!([RECORDING, SECOND].map(|recording| recording[7]), [1, 2]);
    let newer = [&SECOND[..7], &[3], &SECOND[8..]].concat();
    let error = refused(&newer).to_string();
    assert!(
        error.contains("version 3 of the format, and this Borges reads versions 1 and 2"),
        "{error}"
    );
}

#[test]
fn a_recording_of_another_engine_is_a_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.borges");
    let imported = replayed(RECORDING, PROGRAM, Some(&file)).expect("it replays");
    assert!(
        imported.engine.starts_with("Node 20."),
        "{}",
        imported.engine
    );
    assert_eq!((imported.calls, imported.steps), (16, 11_519));
    assert_eq!(imported.ending, "the program ended with code 4");
    let told: Vec<(&str, u64)> = imported
        .told
        .iter()
        .map(|(name, times)| (&**name, *times))
        .collect();
    assert_eq!(told, [("fd_fdstat_get", 3)]);
    assert_eq!(imported.unknown, Vec::<String>::new());
    // "3 lines saved in /data/notes.txt\n", and nothing.
    assert_eq!(imported.printed, [(33, 0xb8c5_8a16), (0, 0)]);

    let mut session = Session::resume(&file).expect("the file opens");
    let again = session.replay(&mut |_| Flow::Continue).expect("it replays");
    assert_eq!((again.compared, &again.states[0]), (1, &imported.state));
    assert!(console(&mut session).contains("3 lines saved in /data/notes.txt"));

    // Beside the recording, the system here goes on: it has the files, and can have a full disk.
    let values = MockValues::Then(vec!["ENOSPC".to_owned()]);
    let call = "fd_write".to_owned();
    run(&mut session, Act::Mock { call, values });
    run(
        &mut session,
        Act::Jump {
            target: "0.0".to_owned(),
        },
    );
    let direction = Direction::Forward;
    let mut reason = StopReason::Paused;
    for _ in 0..3 {
        if let Reply::Stopped(stop) = run(&mut session, Act::Continue { direction }) {
            reason = stop.reason;
        }
    }
    let results = vec!["exit code 4".to_owned()];
    assert_eq!(reason, StopReason::Finished { results });
    match run(&mut session, Look::Tree { lines: 9 }) {
        Reply::Tree(tree) => assert_eq!(tree.branches, 2),
        other => panic!("{other:?}"),
    }
    run(&mut session, Act::Verify);
}

/// `recorders/c/wasm3.c` wrote it.
#[test]
fn a_recording_of_a_board_is_a_session() {
    let dial = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/color-dial/color-dial.wasm"
    );
    let recording = include_bytes!("recordings/color-dial.recording");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("dial.borges");
    let imported = replayed(recording, dial, Some(&file)).expect("it replays");
    assert_eq!(imported.engine, "wasm3 0.5.0");
    assert_eq!((imported.calls, imported.steps), (200, 1_539));
    assert_eq!(imported.ending, "the recording ends");
    let mut session = Session::resume(&file).expect("the file opens");
    match run(&mut session, Look::Path { around: 2 }) {
        Reply::Path(path) => {
            let texts: Vec<&str> = path.entries.iter().map(|entry| &*entry.text).collect();
            assert_eq!(texts, ["chip_delay(100)", "read_uart_sensor(0) = 4"]);
        }
        other => panic!("{other:?}"),
    }
    // An input that the board cannot have brought: its type is another there.
    let (header, calls) = all(recording).expect("it is whole");
    let mut changed = calls.clone();
    if let Some(Recorded::Call(call)) = changed.get_mut(1) {
        let bytes = vec![1];
        call.writes = vec![borges_vm::Write { address: 0, bytes }];
    }
    let error = replayed(&written(&header, &changed), dial, None).expect_err("it has no memory");
    assert!(
        error
            .to_string()
            .contains("read_uart_sensor(0) wrote 1 bytes at 0"),
        "{error}"
    );
}

#[test]
fn recorders_know_all_of_wasi() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../recorders/js/preview1.js"
    );
    let text = std::fs::read_to_string(path).expect("the table is there");
    let json = &text[text.find("{\n").expect("it begins")..=text.rfind('}').expect("it ends")];
    let table: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    let rows = table["wasi_snapshot_preview1"].as_object().expect("rows");
    let mut names: Vec<&str> = Function::ALL
        .iter()
        .map(|function| function.name())
        .collect();
    names.sort_unstable();
    let mut known: Vec<&str> = rows.keys().map(String::as_str).collect();
    known.sort_unstable();
    assert_eq!(known, names);
    for function in Function::ALL {
        let row = &rows[function.name()];
        let regions = ["in", "out"].map(|way| row[way].as_str().unwrap_or_default());
        for region in regions
            .iter()
            .flat_map(|text| text.split(' '))
            .filter(|text| !text.is_empty())
        {
            let numbers = region.split_once(':').expect("a pointer and a length");
            let pointer: usize = numbers.0.parse().expect("a parameter");
            assert_eq!(function.params()[pointer], WasmType::I32, "{region}");
            if let Some((_, parameter)) = numbers.1.split_once(['p', '@']) {
                let parameter: usize = parameter.parse().expect("a parameter");
                assert_eq!(function.params()[parameter], WasmType::I32, "{region}");
            }
        }
    }
}

#[test]
fn what_was_changed_is_found_at_its_call() {
    for recording in [RECORDING, SECOND] {
        changes_are_found(recording);
    }
}

fn changes_are_found(whole: &[u8]) {
    // Where each call begins.
    let (mut begins, mut recording) = (Vec::new(), HostRecording::new(whole).expect("it opens"));
    loop {
        begins.push(recording.position());
        if let Recorded::End(_) = recording.read_on().expect("it is whole") {
            break;
        }
    }
    for at in 0..whole.len() {
        for bits in [1, 0x80, 0xff] {
            let mut changed = whole.to_vec();
            changed[at] ^= bits;
            let damaged = begins.iter().filter(|begin| **begin <= at).count() as u64;
            match (all(&changed), damaged) {
                (
                    Err(
                        HostRecordingError::Damaged { call, .. }
                        | HostRecordingError::CutOff { call, .. },
                    ),
                    1..,
                ) => {
                    assert_eq!(call, damaged, "byte {at}");
                }
                (Err(HostRecordingError::Header { .. }), 0) if at >= 8 => {}
                (Err(HostRecordingError::Version { .. }), 0) if at == 7 => {}
                (Err(HostRecordingError::NoRecording), 0) if at < 7 => {}
                (other, _) => panic!("byte {at}: {other:?}"),
            }
        }
    }
    for length in 0..whole.len() {
        let damaged = begins.iter().filter(|begin| **begin <= length).count() as u64;
        match all(&whole[..length]) {
            Err(HostRecordingError::CutOff { call, at }) => {
                assert_eq!((call, at <= length), (damaged, true));
            }
            Err(HostRecordingError::Header { .. } | HostRecordingError::NoRecording)
                if damaged == 0 => {}
            other => panic!("{length} bytes: {other:?}"),
        }
    }
    let behind = [whole, &[0]].concat();
    assert!(matches!(
        all(&behind),
        Err(HostRecordingError::Damaged { call: 17, .. })
    ));
}

#[test]
fn what_is_whole_and_does_not_fit_is_named() {
    // The same, written again.
    let (header, calls) = all(RECORDING).expect("it is whole");
    assert_eq!(written(&header, &calls), RECORDING);
    let changed = |change: &dyn Fn(&mut Vec<Recorded>)| {
        let mut calls = calls.clone();
        change(&mut calls);
        refused(&written(&header, &calls)).to_string()
    };
    let call = |calls: &mut Vec<Recorded>, at: usize| match &calls[at] {
        Recorded::Call(call) => call.clone(),
        Recorded::Entry(_) | Recorded::Left(_) | Recorded::End(_) => panic!("it is a call"),
    };
    // Another argument.
    let text = changed(&|calls| {
        let mut other = call(calls, 10);
        other.args[0] = Value::I32(5);
        calls[10] = Recorded::Call(other);
    });
    assert_eq!(
        text,
        "call 11, after 6001 steps: the program calls fd_write(4, 71904, 2, 71900); recorded is fd_write(5, 71904, 2, 71900)"
    );
    // A call is missing: the next one is another.
    let text = changed(&|calls| drop(calls.remove(11)));
    assert!(
        text.starts_with(
            "call 12, after 6080 steps: the program calls fd_close(4); recorded is path_rename("
        ),
        "{text}"
    );
    // Less was read: other bytes are written.
    let text = changed(&|calls| {
        let mut other = call(calls, 8);
        let bytes = &mut other.writes[0].bytes;
        bytes[0] = b's';
        calls[8] = Recorded::Call(other);
    });
    assert_eq!(
        text,
        "call 11, after 6001 steps: fd_write(4, 71904, 2, 71900) hands the host other bytes than were recorded"
    );
    // The host wrote beyond the memory.
    let text = changed(&|calls| {
        let mut other = call(calls, 8);
        other.writes[0].address = u32::MAX;
        calls[8] = Recorded::Call(other);
    });
    assert!(
        text.starts_with(
            "call 9, after 3835 steps: fd_read(0, 71880, 1, 71876) wrote 18 bytes at 4294967295"
        ),
        "{text}"
    );
    // Another end.
    for (end, wanted) in [
        (
            RecordedEnd::Returned,
            "call 17, after 11518 steps: the program calls proc_exit(4); recorded is that it returned",
        ),
        (
            RecordedEnd::Exited(5),
            "call 17, after 11518 steps: the program calls proc_exit(4); recorded is that it ended with code 5",
        ),
    ] {
        let text = changed(&|calls| *calls.last_mut().expect("an end") = Recorded::End(end));
        assert_eq!(text, wanted);
    }
    let text = changed(&|calls| {
        let again = call(calls, 15);
        calls.insert(16, Recorded::Call(again));
    });
    assert!(text.starts_with("call 17, after 11518 steps: the program calls proc_exit(4); recorded is clock_time_get("), "{text}");
    // An error that there is not.
    let text = changed(&|calls| {
        let mut other = call(calls, 15);
        other.results[0] = Value::I32(999);
        other.writes.clear();
        calls[15] = Recorded::Call(other);
    });
    assert_eq!(
        text,
        "call 16, after 11382 steps: clock_time_get returned 999, and there is no such error"
    );
    // Other imports.
    let mut other = header.clone();
    other.imports[3].name = "fd_tell".to_owned();
    let text = refused(&written(&other, &calls)).to_string();
    assert!(
        text.starts_with("the recording has other imports than the program: '"),
        "{text}"
    );
    // Another program.
    let dial = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/color-dial/color-dial.wasm"
    );
    let error = replayed(RECORDING, dial, None).expect_err("it is another program");
    assert!(matches!(error, ImportError::OtherProgram { .. }), "{error}");
}

#[test]
fn what_engines_do_differently_is_found_where_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.wasm");
    let parted = |body: &str, recorded: &[i32], end: RecordedEnd| {
        let text = format!(
            r#"(module (import "env" "print_int" (func $p (param i32))) (memory (export "memory") 1)
            (func $deep (param i32) (result i32) (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
            (else (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))))
            (func (export "main") (call $p (i32.const 1)) {body}))"#
        );
        let program = wat::parse_str(text).expect("it is a module");
        std::fs::write(&path, &program).expect("it is written");
        let call = |(at, value): (usize, &i32)| {
            Recorded::Call(RecordedCall {
                number: at as u64 + 1,
                import: 0,
                args: vec![Value::I32(*value)],
                handed: None,
                results: Vec::new(),
                writes: Vec::new(),
            })
        };
        let mut calls: Vec<Recorded> = recorded.iter().enumerate().map(call).collect();
        calls.push(Recorded::End(end));
        let program = path.to_str().expect("a path");
        let header = printing(&std::fs::read(&path).expect("it is there"));
        replayed(&written(&header, &calls), program, None).map_err(|error| error.to_string())
    };
    // The sign of a NaN: x86 sets it, here it is never set.
    let zero = "(f64.load (i32.const 0))";
    let nan = format!(
        "(call $p (i32.wrap_i64 (i64.shr_u (i64.reinterpret_f64 (f64.div {zero} {zero})) (i64.const 32))))"
    );
    let same = parted(&nan, &[1, 0x7ff8_0000], RecordedEnd::Returned);
    assert_eq!(same.map(|imported| imported.calls), Ok(2));
    let error = parted(&nan, &[1, -0x0008_0000], RecordedEnd::Returned);
    let wanted = "call 2, after 11 steps: the program calls print_int(2146959360); recorded is print_int(-524288)";
    assert_eq!(error.expect_err("it is another NaN"), wanted);
    // A call stack that is deeper there, and one that is not.
    let deep = "(call $p (call $deep (i32.const 50000)))";
    let error = parted(deep, &[1, 50_000], RecordedEnd::Returned).expect_err("it traps here");
    assert!(error.starts_with("call 2, after "), "{error}");
    assert!(
        error.ends_with("; recorded is a call of print_int"),
        "{error}"
    );
    let both = parted(deep, &[1], RecordedEnd::Trapped);
    assert_eq!(
        both.map(|imported| imported.ending),
        Ok("the program trapped".to_owned())
    );
    let error = parted("(call $p (i32.const 2))", &[1], RecordedEnd::Returned);
    let wanted =
        "call 2, after 3 steps: the program calls print_int(2); recorded is that it returned";
    assert_eq!(error.expect_err("it goes on here"), wanted);
    let error = parted("unreachable", &[1], RecordedEnd::Returned);
    assert!(
        error
            .expect_err("it traps here")
            .contains("the program trapped (unreachable")
    );
}

#[test]
fn what_comes_before_a_divergence_can_be_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.borges");
    let options = Options {
        session_file: Some(file.clone()),
        ..Options::new(PROGRAM)
    };
    let mut changed = RECORDING.to_vec();
    let last = changed.len() - 20;
    changed[last] ^= 1;
    let imported = import(&changed, &options, true, &mut |_| Flow::Continue).expect("it is kept");
    let parted = imported.parted.expect("it parts");
    assert!(parted.contains("was changed or is damaged"), "{parted}");
    assert_eq!(imported.calls, 15);
    let mut session = Session::resume(&file).expect("the file opens");
    let direction = Direction::Forward;
    match run(&mut session, Act::Continue { direction }) {
        Reply::Stopped(stop) => assert!(matches!(stop.reason, StopReason::Finished { .. })),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_bytes_are_too_much() {
    let mut random = fastrand::Rng::with_seed(9);
    let (header, calls) = all(RECORDING).expect("it is whole");
    for round in 0..100_000 {
        let mut bytes = [RECORDING, SECOND][round / 4 % 2].to_vec();
        match round % 4 {
            // A header of its own, and anything behind it: calls of exports are read, too.
            0 => {
                bytes.truncate(8);
                bytes.extend((0..random.usize(..100)).map(|_| random.u8(..)));
            }
            1 => {
                bytes.truncate(random.usize(..bytes.len()));
                bytes.extend((0..random.usize(..40)).map(|_| random.u8(..)));
            }
            2 => {
                for _ in 0..random.usize(1..8) {
                    let at = random.usize(..bytes.len());
                    bytes[at] = random.u8(..);
                }
            }
            // Whole, but of other calls.
            _ => {
                let calls =
                    (0..random.usize(..9)).map(|_| random.choice(&calls).expect("a call").clone());
                bytes = written(&header, &calls.collect::<Vec<_>>());
            }
        }
        if let Ok((_, read)) = all(&bytes) {
            assert!(read.len() <= bytes.len());
        }
    }
}

#[test]
fn a_recording_that_lies_ends_in_an_error_or_a_session() {
    let mut random = fastrand::Rng::with_seed(9);
    let (header, calls) = all(RECORDING).expect("it is whole");
    let mut found = 0;
    for _ in 0..150 {
        let mut calls = calls.clone();
        let at = random.usize(..calls.len() - 1);
        if let Recorded::Call(call) = &mut calls[at] {
            match random.u8(..4) {
                0 => call.results = vec![Value::I32(random.i32(..77))],
                1 => call.writes.clear(),
                2 => {
                    for write in &mut call.writes {
                        random.fill(&mut write.bytes);
                    }
                }
                _ => {
                    for write in &mut call.writes {
                        write.address = random.u32(..140_000);
                    }
                }
            }
        }
        found += usize::from(replayed(&written(&header, &calls), PROGRAM, None).is_err());
    }
    // The others changed what the program does not look at.
    assert!(found > 50, "{found}");
}
