//! What can be chosen of calls of an operating system, as people say it and as it travels.

#![cfg(feature = "host")]
#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

use borges_board::{
    Board, BoardState, MemoryRead, PrimitiveId, SystemCall, SystemStart, Yield, choice_text,
    replaced_before, unmocked, yielded,
};
use borges_vm::{ValType, Value};
use borges_wasi::{Chosen, Errno, Function, MemoryWrite, Preview, Replacement, Setup, WasiImport};

const MODULE: &str = "wasi_snapshot_preview1";

fn board(input: &[u8]) -> Board {
    let import = |function: &Function| WasiImport {
        preview: Preview::One,
        function: *function,
    };
    let start = SystemStart {
        setup: Setup {
            input: input.to_vec(),
            ..Setup::default()
        },
        imports: Function::ALL.iter().map(import).collect(),
    };
    let board = Board::default_board().with_system(start.clone()).unwrap();
    assert_eq!(board.system(), Some(&start));
    // What is there already is not declared again.
    let primitives = board.primitives().count();
    let board = board.with_system(start).unwrap();
    assert_eq!(board.primitives().count(), primitives);
    board
}

fn id(board: &Board, name: &str) -> PrimitiveId {
    board.named(MODULE, name).next().unwrap()
}

fn int(v: i32) -> Value {
    Value::I32(v)
}

fn bytes(value: Value, bytes: &[u8]) -> Yield {
    let bytes = bytes.to_vec().into();
    Yield { value, bytes }
}

#[test]
fn choices_are_read_and_written() {
    let board = board(b"");
    let io = i32::from(Errno::Io.code());
    let short = Ok(int(3).into());
    for (name, text, value, given, expected) in [
        ("fd_read", "ok", None, None, Ok(unmocked())),
        ("fd_read", "EIO", None, None, Ok(int(-io).into())),
        ("fd_read", "", None, Some(b"ab"), Ok(bytes(int(2), b"ab"))),
        (
            "fd_read",
            "",
            Some(int(2)),
            Some(b"ab"),
            Ok(bytes(int(2), b"ab")),
        ),
        (
            "fd_read",
            "",
            Some(int(3)),
            Some(b"ab"),
            Err("bytes in quotes"),
        ),
        ("fd_read", "", Some(int(3)), None, short.clone()),
        ("fd_read", "", Some(int(0)), None, Ok(bytes(int(0), b""))),
        ("fd_read", "ENOSPC", None, None, Err("EIO, EINTR")),
        ("fd_read", "", None, None, Err("a number of bytes at most")),
        (
            "fd_write",
            "ENOSPC",
            None,
            None,
            Ok(int(-i32::from(Errno::Nospc.code())).into()),
        ),
        ("fd_write", "", Some(int(3)), None, short.clone()),
        (
            "fd_write",
            "",
            Some(int(0)),
            None,
            Err("a number of bytes at most"),
        ),
        (
            "fd_write",
            "",
            None,
            Some(b"ab"),
            Err("a number of bytes at most"),
        ),
        (
            "random_get",
            "",
            None,
            Some(b"ab"),
            Ok(bytes(int(2), b"ab")),
        ),
        ("args_get", "EIO", None, None, Err("it can be ok")),
        (
            "random_get",
            "",
            Some(int(5)),
            Some(b"ab"),
            Err("bytes in quotes"),
        ),
        (
            "clock_time_get",
            "",
            Some(Value::I64(7)),
            None,
            Ok(Value::I64(7).into()),
        ),
        (
            "clock_time_get",
            "",
            Some(int(7)),
            None,
            Err("how many nanoseconds later"),
        ),
        (
            "clock_time_get",
            "",
            Some(Value::I64(7)),
            Some(b"ab"),
            Err("how many nanoseconds"),
        ),
        (
            "clock_time_get",
            "",
            Some(Value::I64(0)),
            Some(&[0, 0]),
            Err("how many nanoseconds"),
        ),
        ("poll_oneoff", "", Some(int(1)), None, Ok(int(1).into())),
        (
            "poll_oneoff",
            "",
            Some(int(1)),
            Some(b"ab"),
            Err("the number of a subscription"),
        ),
        ("sched_yield", "", Some(int(1)), None, Err("it can be ok")),
        (
            "sched_yield",
            "",
            Some(Value::I64(1)),
            None,
            Err("it can be ok"),
        ),
        (
            "sched_yield",
            "",
            Some(Value::F32(0)),
            None,
            Err("it can be ok"),
        ),
    ] {
        let given = given.map(|list: &[u8; 2]| list.to_vec());
        let chosen = board.choice_of(id(&board, name), text, value, given);
        match (chosen, expected) {
            (Ok(chosen), Ok(expected)) => {
                assert_eq!(chosen, expected, "{name} {text} {value:?}");
                assert!(
                    board.can_be_mocked(id(&board, name), &chosen),
                    "{name} {text}"
                );
                assert_eq!(
                    choice_text(&chosen),
                    (!text.is_empty()).then_some(text),
                    "{name}"
                );
            }
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{name}: {error}"),
            other => panic!("{name} {text} {value:?}: {other:?}"),
        }
    }
    let not = board.named("env", "chip_digital_write").next().unwrap();
    assert!(board.choice_of(not, "ok", None, None).is_err());
    assert!(!board.may_choose(not, &unmocked()));
}

#[test]
fn what_was_recorded_elsewhere_is_a_choice_of_every_call() {
    let board = board(b"");
    let write = |address, bytes: &[u8]| MemoryWrite {
        address,
        bytes: bytes.to_vec(),
    };
    let writes = vec![write(0x0102_0304, b"abc"), write(7, b"")];
    let told = |errno| {
        let writes = writes.clone();
        yielded(&Chosen::Told { errno, writes })
    };
    let sent = told(Errno::Success);
    assert_eq!(
        (sent.value, &*sent.bytes),
        (
            Value::I64(0),
            &[
                0, 4, 3, 2, 1, 3, 0, 0, 0, b'a', b'b', b'c', 7, 0, 0, 0, 0, 0, 0, 0
            ][..]
        )
    );
    assert_eq!(choice_text(&sent), Some("as recorded"));
    assert_eq!(choice_text(&told(Errno::Io)), Some("EIO"));
    assert_eq!(choice_text(&Value::I64(0).into()), None);
    assert_eq!(choice_text(&Value::I64(29).into()), None);
    assert_eq!(choice_text(&int(3).into()), None);
    for name in ["fd_read", "fd_write", "sched_yield", "clock_time_get"] {
        let id = id(&board, name);
        assert!(board.may_choose(id, &sent), "{name}");
        // Cut off anywhere, but between two writes, it is none.
        for len in 1..sent.bytes.len() {
            let part = bytes(sent.value, &sent.bytes[..len]);
            assert_eq!(
                board.may_choose(id, &part),
                [1, 12].contains(&len),
                "{name} {len}"
            );
        }
        assert!(
            !board.may_choose(id, &bytes(Value::I64(9999), &[0])),
            "{name}"
        );
        assert!(!board.may_choose(id, &int(-9999).into()), "{name}");
        assert!(!board.may_choose(id, &bytes(int(-29), b"x")), "{name}");
        assert!(
            board
                .choice_of(id, "", Some(sent.value), Some(sent.bytes.to_vec()))
                .is_err()
        );
    }
}

#[test]
fn that_files_were_replaced_is_a_choice_of_every_call_beside_others() {
    let board = board(b"");
    let file = |path: &str, number, bytes: &[u8]| Replacement {
        path: path.to_owned(),
        number,
        bytes: bytes.to_vec(),
    };
    let files = vec![file("/a", 258, b"abc"), file("/b", 0, b"")];
    let sent = |then: Option<Chosen>| {
        let (files, then) = (files.clone(), then.map(Box::new));
        yielded(&Chosen::Replaced { files, then })
    };
    let alone = sent(None);
    assert_eq!(
        (alone.value, &*alone.bytes),
        (
            Value::I64(0),
            &[
                1, 2, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'/', b'a', 3, 0, 0, 0, b'a',
                b'b', b'c', 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'/', b'b', 0, 0, 0, 0
            ][..]
        )
    );
    assert_eq!(choice_text(&alone), None);
    let paths = vec!["/a", "/b"];
    assert_eq!(replaced_before(&alone), Some((paths.clone(), None)));
    assert_eq!(replaced_before(&int(0).into()), None);
    let nested = yielded(&Chosen::Replaced {
        files: Vec::new(),
        then: Some(Box::new(Chosen::Replaced {
            files: Vec::new(),
            then: None,
        })),
    });
    for (name, then, is_choice) in [
        ("fd_write", Some(Chosen::Fault(Errno::Nospc)), true),
        ("fd_read", Some(Chosen::Bytes(b"in".to_vec())), true),
        ("clock_time_get", Some(Chosen::Later(7)), true),
        ("sched_yield", None, true),
        ("sched_yield", Some(Chosen::Later(7)), false),
    ] {
        let id = id(&board, name);
        let both = sent(then.clone());
        assert_eq!(board.may_choose(id, &both), is_choice, "{name}");
        let said = then.map(|then| yielded(&then));
        assert_eq!(
            replaced_before(&both),
            Some((paths.clone(), said)),
            "{name}"
        );
        // Cut off anywhere before what is chosen besides, it is none.
        for len in 1..alone.bytes.len() {
            let part = bytes(both.value, &both.bytes[..len]);
            assert!(!board.may_choose(id, &part), "{name} {len}");
        }
        assert!(!board.may_choose(id, &nested), "{name}");
        let said = board.choice_of(id, "", Some(both.value), Some(both.bytes.to_vec()));
        assert!(
            said.is_err(),
            "{name}: who replaces files says so by a mock"
        );
    }
}

#[test]
fn what_kind_of_call_it_is() {
    let board = board(b"");
    for (name, kinds) in [
        ("fd_read", [true, true, true, false]),
        ("fd_pread", [true, true, false, false]),
        ("fd_write", [true, false, false, false]),
        ("random_get", [true, false, false, false]),
        ("args_get", [false, false, false, false]),
        ("proc_exit", [false, false, false, true]),
    ] {
        let id = id(&board, name);
        let found = [
            board.may_fail(id),
            board.reads_files(id),
            board.reads_input(id),
            board.exits(id),
        ];
        assert_eq!(found, kinds, "{name}");
        assert!(board.primitive(id).unwrap().touches_memory());
        let ty = board.codomain(id, &[]).ty();
        assert_eq!(ty, ValType::I32, "{name}");
    }
    let clock = id(&board, "clock_time_get");
    assert_eq!(board.codomain(clock, &[]).ty(), ValType::I64);
    assert!(
        board
            .subject_named(id(&board, "fd_write"), "stdout")
            .is_ok()
    );
    assert!(
        board
            .subject_named(board.named("env", "millis").next().unwrap(), "stdout")
            .is_err()
    );
}

/// A list of one part of the memory at 16: three bytes at 32.
fn memory() -> Vec<u8> {
    let mut memory = vec![0; 64];
    memory[16] = 32;
    memory[20] = 3;
    memory[32..35].copy_from_slice(b"hi\n");
    memory
}

#[test]
fn calls_want_answer_and_print() {
    let board = board(b"input");
    let memory = memory();
    let mut state = BoardState::new(&board);
    let (write, read) = (id(&board, "fd_write"), id(&board, "fd_read"));
    let args = |descriptor| [descriptor, 16, 1, 48].map(int);
    let call = |state: &mut BoardState, id, args: &[Value], chosen: Option<&Yield>| {
        state.call_system(&board, id, args, &memory, chosen)
    };

    // Output goes to the console.
    let done = call(&mut state, write, &args(1), None).unwrap();
    let SystemCall::Answers { result, writes } = &done else {
        panic!("{done:?}")
    };
    assert_eq!((*result, writes.len()), (Some(int(0)), 1));
    assert_eq!(
        (writes[0].address, &*writes[0].bytes),
        (48, &[3, 0, 0, 0][..])
    );
    assert_eq!(state.console().unwrap().printed(), 3);
    assert_eq!(
        state
            .call_subject(&board, write, &args(1), &memory)
            .as_deref(),
        Some("stdout")
    );
    assert_eq!(
        state
            .call_subject(&board, write, &args(2), &memory)
            .as_deref(),
        Some("stderr")
    );
    assert!(state.is_about(&board, write, &args(1), &memory, "stdout"));
    assert!(!state.is_about(&board, write, &args(1), &memory, "stderr"));
    let part = |list: &[(u64, u64)], moved: &[(u64, u64)]| MemoryRead {
        decides: list.to_vec(),
        moved: moved.to_vec(),
    };
    let seen = state.memory_read(&board, write, &args(1), &memory);
    assert!(
        seen.decides.iter().all(|(at, _)| (16..24).contains(at)),
        "{seen:?}"
    );
    assert!(seen.moved.contains(&(32, 3)), "{seen:?}");
    let nothing = state.memory_read(&board, id(&board, "sched_yield"), &[], &memory);
    assert_eq!(nothing, part(&[], &[]));

    // Input is wanted, and is what there is unless somebody says otherwise.
    let before = state.clone();
    let wants = call(&mut state, read, &args(0), None).unwrap();
    assert_eq!(wants.input_wanted(), Some(3));
    assert_eq!(state, before, "until then nothing changes");
    assert_eq!(
        state.input_wanted(&board, read, &args(0), &memory),
        Some((0, 3))
    );
    let usual = state.usual(&wants).unwrap();
    assert_eq!((usual.value, &*usual.bytes), (int(3), &b"inp"[..]));
    call(&mut state, read, &args(0), Some(&usual)).unwrap();
    assert_eq!(
        state.input_wanted(&board, read, &args(0), &memory),
        Some((3, 3))
    );
    assert_eq!(state.input_wanted(&board, write, &args(1), &memory), None);
    assert_eq!(state.usual(&done), None);

    // What it may be made to fail with, where it does not fail by itself.
    let may_fail = |args: &[Value], id| state.may_fail_here(&board, id, args, &memory);
    let codomain = may_fail(&args(1), write).unwrap();
    let no = |errno: Errno| int(-i32::from(errno.code()));
    assert!(
        [int(0), no(Errno::Nospc), no(Errno::Intr)]
            .iter()
            .all(|v| codomain.contains(*v))
    );
    assert!(
        ![int(1), no(Errno::Noent)]
            .iter()
            .any(|v| codomain.contains(*v))
    );
    assert!(may_fail(&args(0), read).is_some());
    assert_eq!(
        may_fail(&args(77), write),
        None,
        "there is no such descriptor"
    );
    assert_eq!(
        may_fail(&[], id(&board, "sched_yield")),
        None,
        "it never fails"
    );

    // Anything else is refused.
    for (args, chosen) in [
        (&args(1)[..3], None),
        (&args(1)[..], Some(bytes(int(1), b"ab"))),
    ] {
        let before = state.clone();
        assert!(call(&mut state, write, args, chosen.as_ref()).is_err());
        assert_eq!(state, before);
    }
    let exit = call(&mut state, id(&board, "proc_exit"), &[int(7)], None);
    assert!(matches!(exit, Ok(SystemCall::Exits(7))), "{exit:?}");
}
