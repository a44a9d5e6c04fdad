//! Inputs that put bytes into memory: how many, which, and what somebody may say that they bring.

#![cfg(feature = "host")]
#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

use borges_board::{Board, BoardState, Misfit, PrimitiveId};
use borges_vm::{ValType, Value};

const FILE: &str = "
[[primitive]]
name = \"received\"
params = [\"i32\", \"i32\"]
result = \"i32\"
kind = \"input\"
codomain = \"any\"
fills = { address = 0, room = 1, bytes = \"32..126\" }

[[primitive]]
name = \"received_long\"
params = [\"i32\", \"i32\"]
result = \"i64\"
kind = \"input\"
codomain = \"any\"
fills = { address = 0, room = 1 }

[[primitive]]
name = \"asked\"
params = [\"i32\", \"i32\"]
result = \"f32\"
kind = \"input\"
codomain = \"2..5\"
fills = { address = 1, argument = 0, bytes = [7, 9] }

[[primitive]]
name = \"frame\"
params = [\"i32\"]
result = \"i32\"
kind = \"input\"
codomain = \"any\"
fills = { address = 0, length = 3 }

[[primitive]]
name = \"plain\"
params = [\"i32\"]
result = \"i32\"
kind = \"input\"
codomain = \"any\"
";

fn board() -> Board {
    Board::parse("board.toml", FILE).unwrap_or_else(|error| panic!("{error}"))
}

fn id(board: &Board, name: &str) -> PrimitiveId {
    board.named("env", name).next().unwrap()
}

fn int(v: i32) -> Value {
    Value::I32(v)
}

fn long(v: i64) -> Value {
    Value::I64(v)
}

fn float(v: f32) -> Value {
    Value::F32(v.to_bits())
}

/// An input, its arguments, what is said of its value and of its bytes, and what it yields then.
type Row<'r> = (
    &'r str,
    [i32; 2],
    Option<Value>,
    Option<&'r [u8]>,
    Result<(Value, &'r [u8]), Misfit>,
);

#[test]
fn results_and_bytes_that_are_said_fit_each_other() {
    let board = board();
    let misfit = |most, given| Err(Misfit::Length { most, given });
    let byte = |byte, allowed: &str| {
        let allowed = allowed.into();
        Err(Misfit::Byte { byte, allowed })
    };
    let rows: [Row<'_>; 22] = [
        (
            "received",
            [100, 4],
            None,
            Some(b"abc"),
            Ok((int(3), b"abc")),
        ),
        (
            "received",
            [100, 4],
            None,
            Some(b"abcd"),
            Ok((int(4), b"abcd")),
        ),
        ("received", [100, 4], None, Some(b"abcde"), misfit(4, 5)),
        ("received", [100, 4], None, None, Ok((int(0), b""))),
        (
            "received",
            [100, 4],
            Some(int(2)),
            Some(b"abc"),
            misfit(2, 3),
        ),
        (
            "received",
            [100, 4],
            Some(int(3)),
            Some(b"a"),
            Ok((int(3), b"a  ")),
        ),
        (
            "received",
            [100, 4],
            Some(int(9)),
            None,
            Ok((int(9), b"    ")),
        ),
        (
            "received",
            [100, 4],
            Some(int(-1)),
            None,
            Ok((int(-1), b"")),
        ),
        (
            "received",
            [100, 4],
            Some(int(-1)),
            Some(b"a"),
            misfit(0, 1),
        ),
        (
            "received",
            [100, 4],
            None,
            Some(b"a\n"),
            byte(10, "32..126"),
        ),
        (
            "received",
            [100, -1],
            None,
            Some(b"ab"),
            Ok((int(2), b"ab")),
        ),
        (
            "received_long",
            [0, 4],
            None,
            Some(&[0, 255]),
            Ok((long(2), &[0, 255])),
        ),
        (
            "received_long",
            [0, 2],
            Some(long(1 << 32)),
            None,
            Ok((long(1 << 32), &[0, 0])),
        ),
        (
            "received_long",
            [0, 4],
            Some(long(-5)),
            None,
            Ok((long(-5), b"")),
        ),
        (
            "asked",
            [3, 0],
            None,
            Some(&[7]),
            Ok((float(2.0), &[7, 7, 7])),
        ),
        (
            "asked",
            [3, 0],
            Some(float(4.0)),
            Some(&[9, 7, 9]),
            Ok((float(4.0), &[9, 7, 9])),
        ),
        ("asked", [2, 0], None, Some(&[9, 7, 9]), misfit(2, 3)),
        ("asked", [2, 0], None, Some(&[8]), byte(8, "7 or 9")),
        ("frame", [8, 0], None, Some(&[1]), Ok((int(0), &[1, 0, 0]))),
        (
            "frame",
            [8, 0],
            Some(int(-7)),
            Some(&[1, 2, 3, 4]),
            misfit(3, 4),
        ),
        ("plain", [8, 0], Some(int(6)), None, Ok((int(6), b""))),
        (
            "plain",
            [8, 0],
            Some(int(6)),
            Some(&[1]),
            Err(Misfit::NoBytes),
        ),
    ];
    for (name, args, value, bytes, expected) in rows {
        let id = id(&board, name);
        let count = board.primitive(id).unwrap().params.len();
        let args = &args.map(int)[..count];
        let yielded = board.yielding(id, args, value, bytes.map(<[u8]>::to_vec));
        let found = yielded.as_ref().map(|y| (y.value, &*y.bytes));
        assert_eq!(
            found,
            expected.as_ref().copied(),
            "{name}{args:?} {value:?} {bytes:?}"
        );
        let Ok(yielded) = yielded else { continue };
        assert!(
            board.brings(id, args, &yielded),
            "{name}: what is said can be brought"
        );
        assert!(board.can_be_mocked(id, &yielded));
        // Memory gets them at the address, if there are any.
        let writes = board.writes(id, args, &yielded);
        let address = if name == "asked" { args[1] } else { args[0] };
        let written = writes
            .iter()
            .map(|w| (Value::I32(w.address as i32), &*w.bytes));
        let expected = (!yielded.bytes.is_empty()).then_some((address, &*yielded.bytes));
        assert!(written.eq(expected), "{name}: {writes:?}");
        // One byte more, or one that there may not be, is not brought.
        let mut other = yielded.clone();
        other.bytes = [&*yielded.bytes, &[200]].concat().into();
        assert!(!board.brings(id, args, &other), "{name}");
        if !yielded.bytes.is_empty() {
            other.bytes = vec![3; yielded.bytes.len()].into();
            let any = matches!(name, "frame" | "received_long");
            assert_eq!(board.brings(id, args, &other), any, "{name}");
        }
        other.value = Value::FuncRef(None);
        assert!(!board.can_be_mocked(id, &other), "{name}: of another type");
    }
    // Without arguments, any number will do.
    let received = id(&board, "received");
    let yielded = board
        .yielding(received, &[], None, Some(b"abcdefgh".to_vec()))
        .unwrap();
    assert_eq!((yielded.value, &*yielded.bytes), (int(8), &b"abcdefgh"[..]));
    assert!(!board.can_be_mocked(PrimitiveId(u16::MAX), &int(0).into()));
    let output = id(&board, "chip_digital_write");
    assert!(!board.can_be_mocked(output, &int(0).into()));
    assert_eq!(
        board.yielding(id(&board, "plain"), &[int(0)], None, None),
        Err(Misfit::NoBytes)
    );
}

#[test]
fn who_fills_and_who_counts() {
    let board = board();
    for (name, fills, counts, length) in [
        ("received", true, true, 2),
        ("received_long", true, true, 2),
        ("asked", true, false, 6),
        ("frame", true, false, 3),
        ("plain", false, false, 0),
        ("chip_digital_write", false, false, 0),
    ] {
        let id = id(&board, name);
        assert_eq!(
            (board.fills(id), board.counts_bytes(id)),
            (fills, counts),
            "{name}"
        );
        let primitive = board.primitive(id).unwrap();
        let touches = primitive.touches_memory();
        assert_eq!(touches, fills, "{name}");
        let (found, _) = board.bytes_with(id, &[int(6), int(9)], int(2));
        assert_eq!(found, length, "{name}");
    }
    for name in ["print_string", "display_draw_string"] {
        if let Some(id) = board.named("env", name).next() {
            assert!(board.primitive(id).unwrap().touches_memory(), "{name}");
        }
    }
    // What is returned is bounded by the room.
    let state = BoardState::new(&board);
    for (name, ty, within) in [
        ("received", ValType::I32, [true, true, false]),
        ("received_long", ValType::I64, [true, true, false]),
    ] {
        let codomain = board.codomain_at(id(&board, name), &[int(0), int(5)], &state);
        let value = |v: i64| {
            if ty == ValType::I64 {
                long(v)
            } else {
                int(v as i32)
            }
        };
        assert_eq!(
            [-3, 5, 6].map(|v| codomain.contains(value(v))),
            within,
            "{name}"
        );
    }
    assert!(
        board
            .codomain_at(id(&board, "frame"), &[int(0)], &state)
            .contains(int(9999))
    );
}

#[test]
fn room_lies_within_memory() {
    let board = board();
    let checked = |name, args: &[i32], memory| {
        let args: Vec<Value> = args.iter().copied().map(int).collect();
        board.check_input(id(&board, name), &args, memory).is_ok()
    };
    for (name, args, memory, fits) in [
        ("received", &[10, 6][..], 16, true),
        ("received", &[10, 6], 15, false),
        ("received", &[10, 0], 10, true),
        ("received", &[11, 0], 10, false),
        ("received", &[-1, 2], usize::MAX, true),
        ("received", &[-1, -1], 1 << 32, false),
        ("frame", &[13], 16, true),
        ("frame", &[14], 16, false),
        ("asked", &[4, 12], 16, true),
        ("asked", &[5, 12], 16, false),
        ("plain", &[14], 0, true),
    ] {
        assert_eq!(
            checked(name, args, memory),
            fits,
            "{name}{args:?} of {memory}"
        );
    }
}

#[test]
fn what_fills_is_said_in_the_file() {
    for (fills, params, result, said) in [
        (
            "{ address = 0, room = 1 }",
            "[\"i32\", \"i32\"]",
            "f32",
            "cannot count bytes",
        ),
        (
            "{ address = 1, room = 0 }",
            "[\"i32\", \"i64\"]",
            "i32",
            "argument 1 is no i32",
        ),
        (
            "{ address = 2, room = 0 }",
            "[\"i32\", \"i32\"]",
            "i32",
            "1",
        ),
        (
            "{ address = 0 }",
            "[\"i32\"]",
            "i32",
            "how many bytes are there?",
        ),
        (
            "{ address = 0, length = 1, room = 0 }",
            "[\"i32\"]",
            "i32",
            "how many bytes are there?",
        ),
        (
            "{ address = 0, length = 1, bytes = 300 }",
            "[\"i32\"]",
            "i32",
            "no byte is left",
        ),
    ] {
        let text = format!(
            "[[primitive]]\nname = \"x\"\nkind = \"input\"\ncodomain = \"any\"\nresult = \"{result}\"\nparams = {params}\nfills = {fills}"
        );
        let error = Board::parse("board.toml", &text)
            .map(|_| panic!("{text}"))
            .unwrap_err();
        assert!(error.to_string().contains(said), "{fills}: {error}");
    }
}
