//! Recordings of libraries: a host called several exports.

use std::path::Path;

use borges_session::import::{ImportError, Imported, Recorded, RecordedEnd, RecordedEntry};
use borges_session::{Flow, Session};
use borges_vm::{Value, Write};

use super::replayed;
use super::writer::{Header, all, library, written};

const CALCULATOR: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/calculator/calculator.wasm"
);
/// `record(bytes, {}, …)` of `recorders/js` on Node: "7 3 +" and "9 2 + +" are written to where `input` points, evaluated with
/// `evaluate`; the second traps.
const RECORDING: &[u8] = include_bytes!("../recordings/calculator.recording");

fn entry(name: &str, args: &[i32], writes: Vec<Write>) -> Recorded {
    Recorded::Entry(RecordedEntry {
        name: name.to_owned(),
        args: args.iter().map(|value| Value::I32(*value)).collect(),
        writes,
    })
}

fn left(value: i32) -> Recorded {
    Recorded::Left(vec![Value::I32(value)])
}

fn imported(header: &Header, calls: &[Recorded]) -> Result<Imported, ImportError> {
    replayed(&written(header, calls), CALCULATOR, None)
}

#[test]
fn what_a_host_called_is_a_session_with_its_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calculator.borges");
    let imported = replayed(RECORDING, CALCULATOR, Some(Path::new(&file))).expect("it replays");
    assert_eq!(imported.ending, "the program trapped");
    let (_, recorded) = all(RECORDING).expect("it is whole");
    let entries = recorded.iter().filter_map(|recorded| match recorded {
        Recorded::Entry(entry) => Some(entry),
        _ => None,
    });
    let entries: Vec<&RecordedEntry> = entries.collect();
    let names: Vec<&str> = entries.iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, ["input", "evaluate", "evaluate"]);
    assert_eq!(entries[1].args, [Value::I32(5)]);
    assert_eq!(entries[1].writes[0].bytes, b"7 3 +\0\0\0");
    assert!(recorded.contains(&left(10)));
    assert_eq!(recorded.last(), Some(&Recorded::End(RecordedEnd::Trapped)));

    let mut session = Session::resume(&file).expect("the file opens");
    let again = session.replay(&mut |_| Flow::Continue).expect("it replays");
    assert_eq!((again.compared, &again.states[0]), (1, &imported.state));
}

#[test]
fn other_results_and_other_names_are_found() {
    let program = std::fs::read(CALCULATOR).expect("it is there");
    let header = library(&program);
    let at = match all(RECORDING).expect("it is whole").1[1] {
        Recorded::Left(ref values) => values[0],
        ref other => panic!("{other:?}"),
    };
    let Value::I32(at) = at else { panic!("{at:?}") };
    let write = |text: &str| Write {
        address: at as u32,
        bytes: text.as_bytes().to_vec(),
    };
    let returned = Recorded::End(RecordedEnd::Returned);
    let calls = |result: i32| {
        [
            entry("evaluate", &[5], vec![write("7 3 +")]),
            left(10),
            entry("evaluate", &[7], vec![write("8 2 / \0"), write("8 4 / ")]),
            left(result),
            returned.clone(),
        ]
    };
    let same = imported(&header, &calls(2)).expect("it replays");
    assert_eq!((same.calls, &*same.ending), (0, "the program returned"));
    let error = imported(&header, &calls(4)).expect_err("it returned something else");
    let error = error.to_string();
    assert!(
        error.ends_with(": evaluate returned 2; recorded is 4"),
        "{error}"
    );
    // A call that trapped there and does not here, and the other way round.
    let trapped = [
        entry("evaluate", &[1], vec![write("1")]),
        Recorded::End(RecordedEnd::Trapped),
    ];
    let error = imported(&header, &trapped)
        .expect_err("it returns")
        .to_string();
    assert!(
        error.contains("the program returned; recorded is that it trapped"),
        "{error}"
    );
    let traps = [
        entry("evaluate", &[1], vec![write("+")]),
        left(1),
        returned.clone(),
    ];
    let error = imported(&header, &traps).expect_err("it traps").to_string();
    assert!(error.contains("the program trapped"), "{error}");
    // Names that no line has, and that the program does not have.
    for (name, said) in [
        ("evaluate(", "no line has this name"),
        ("", "no line has this name"),
        ("*evaluate", "no line has this name"),
        ("nothing", "exports no function 'nothing'"),
    ] {
        let error = imported(&header, &[entry(name, &[], Vec::new()), returned.clone()]);
        let error = error.expect_err("there is no such export").to_string();
        assert!(error.contains(said), "'{name}': {error}");
    }
    // Arguments that the export does not take.
    let error = imported(&header, &[entry("input", &[1], Vec::new()), returned]);
    let error = error.expect_err("it takes none").to_string();
    assert!(error.contains("1 arguments are given"), "{error}");
}

/// Long texts are written by several lines.
#[test]
fn what_a_host_writes_may_be_long() {
    let text = r#"(module (memory (export "memory") 3)
        (func (export "sum") (param i32) (result i32) (i32.add (i32.load8_u (local.get 0)) (i32.load8_u (i32.const 65540)))))"#;
    let program = wat::parse_str(text).expect("it is a module");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.wasm");
    std::fs::write(&path, &program).expect("it is written");
    let mut bytes = vec![b'"'; 70_000];
    bytes[69_990] = 5;
    bytes[65_540] = 7;
    let writes = vec![Write { address: 0, bytes }];
    let calls = [
        entry("sum", &[69_990], writes),
        left(12),
        Recorded::End(RecordedEnd::Returned),
    ];
    let recording = written(&library(&program), &calls);
    let imported = replayed(&recording, path.to_str().expect("a path"), None);
    assert_eq!(imported.expect("it replays").ending, "the program returned");
}
