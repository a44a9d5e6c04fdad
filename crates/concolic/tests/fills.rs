//! Inputs that put bytes into memory: programs of two or three bytes are compared with running all their bytes.

use crate::common::{check, explore, i32s, start_wat};
use borges_board::{Board, Codomain, FillLength, Fills, Primitive};
use borges_concolic::{Answered, Bounds, Cut, End, Explored, MOST_BYTES, Start};
use borges_vm::ValType;

/// A board with one input `read(address, room)`.
fn board(result: Codomain, length: FillLength, bytes: Codomain) -> Board {
    let params = vec![ValType::I32, ValType::I32];
    let mut read = Primitive::declared_input("env", "read", params, result);
    read.fills = Some(Box::new(Fills {
        address: 0,
        length,
        bytes,
    }));
    Board::with_primitives(vec![read])
}

fn start(board: Board, body: &str) -> Start {
    let text = format!(
        r#"(module (import "env" "read" (func $read (param i32 i32) (result i32))) (memory 1) {body})"#
    );
    start_wat(&text, board)
}

fn checked(board: Board, body: &str) -> Explored {
    let bounds = Bounds {
        inputs: 3,
        ..Bounds::default()
    };
    check(&start(board, body), &bounds)
}

/// The texts with which it traps.
fn trapping(explored: &Explored) -> Vec<Vec<u8>> {
    let traps = explored.paths.iter();
    let traps = traps.filter(|path| matches!(path.end, End::Trapped(..)));
    let texts = traps.map(|path| {
        let way = &path.ways[0];
        let calls = Answered::of_cells(&way.reads, &way.model);
        calls.map(|call| call.yielded.bytes.to_vec()).collect()
    });
    texts.map(|calls: Vec<Vec<u8>>| calls.concat()).collect()
}

#[test]
fn bytes_are_found_that_a_program_compares() {
    let any = || board(i32s(0, 1), FillLength::Fixed(2), i32s(0, 255));
    let one_by_one = r#"(func (export "main")
        (if (call $read (i32.const 8) (i32.const 0)) (then
            (if (i32.eq (i32.load8_u (i32.const 8)) (i32.const 98)) (then
                (if (i32.eq (i32.load8_u (i32.const 9)) (i32.const 33)) (then unreachable)))))))"#;
    assert_eq!(trapping(&checked(any(), one_by_one)), [b"b!"]);
    let together = r#"(func (export "main")
        (drop (call $read (i32.const 8) (i32.const 0)))
        (if (i32.eq (i32.load16_u (i32.const 8)) (i32.const 0x2162)) (then unreachable)))"#;
    assert_eq!(trapping(&checked(any(), together)), [b"b!"]);
    let signed = r#"(func (export "main")
        (drop (call $read (i32.const 8) (i32.const 0)))
        (if (i32.lt_s (i32.load8_s (i32.const 9)) (i32.const -127)) (then unreachable)))"#;
    assert_eq!(trapping(&checked(any(), signed)), [[0, 0x80]]);
}

#[test]
fn a_board_says_which_bytes_there_are() {
    let few = board(i32s(0, 0), FillLength::Argument(1), i32s(48, 57));
    let sum = r#"(func (export "main")
        (drop (call $read (i32.const 8) (i32.const 2)))
        (if (i32.gt_u (i32.add (i32.load8_u (i32.const 8)) (i32.load8_u (i32.const 9)))
                      (i32.const 113)) (then unreachable))
        (if (i32.lt_u (i32.load8_u (i32.const 8)) (i32.const 48)) (then unreachable)))"#;
    assert_eq!(trapping(&checked(few, sum)), [b"99"]);
}

#[test]
fn as_many_bytes_come_as_the_input_returns_and_no_more_than_fit() {
    // What is left of the memory stays as it is; a longer text overwrites what a shorter one left.
    let counted = || board(i32s(-1, 9), FillLength::Result(1), i32s(97, 100));
    let lines = r#"(data (i32.const 8) "yyy") (func (export "main") (local $n i32)
        (local.set $n (call $read (i32.const 8) (i32.const 2)))
        (if (i32.lt_s (local.get $n) (i32.const 0)) (then (return)))
        (if (i32.eq (i32.load8_u (i32.const 9)) (i32.const 100)) (then (return)))
        (drop (call $read (i32.const 9) (i32.const 1)))
        (if (i32.eq (i32.load16_u (i32.const 8)) (i32.const 0x6362)) (then unreachable)))"#;
    let explored = checked(counted(), lines);
    assert!(trapping(&explored).contains(&b"bc".to_vec()));
    // A loop over the text: the length decides how often it goes round.
    let loops = r#"(func (export "main") (local $n i32) (local $i i32) (local $sum i32)
        (local.set $n (call $read (i32.const 8) (i32.const 3)))
        (block $out (loop $l
            (br_if $out (i32.ge_s (local.get $i) (local.get $n)))
            (if (i32.eq (i32.load8_u offset=8 (local.get $i)) (i32.const 99))
                (then (local.set $sum (i32.add (local.get $sum) (i32.const 1)))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br $l)))
        (if (i32.eq (local.get $sum) (i32.const 3)) (then unreachable)))"#;
    assert_eq!(trapping(&checked(counted(), loops)), [b"ccc"]);
}

#[test]
fn a_byte_is_an_address_and_a_length() {
    let few = board(i32s(0, 0), FillLength::Fixed(2), i32s(0, 7));
    let table = r#"(data (i32.const 64) "\05\03\01\07\00\02\04\06") (func (export "main")
        (drop (call $read (i32.const 8) (i32.const 0)))
        (memory.copy (i32.const 16) (i32.const 64) (i32.load8_u (i32.const 9)))
        (if (i32.eq (i32.load8_u offset=16 (i32.load8_u (i32.const 8))) (i32.const 6))
            (then unreachable)))"#;
    let explored = explore(&start(few, table), &Bounds::default());
    // The last of the table is copied by no length.
    assert_eq!(trapping(&explored), Vec::<Vec<u8>>::new());
    assert!(explored.is_complete());
}

#[test]
fn of_the_most_bytes_all_are_followed_and_of_one_more_none() {
    let of = |count: usize| {
        let board = board(i32s(0, 0), FillLength::Argument(1), i32s(0, 255));
        let last = format!(
            r#"(func (export "main") (drop (call $read (i32.const 0) (i32.const {count})))
                (if (i32.eq (i32.load8_u (i32.const {})) (i32.const 33)) (then unreachable)))"#,
            count - 1
        );
        explore(&start(board, &last), &Bounds::default())
    };
    let all = of(MOST_BYTES);
    assert!(all.is_complete());
    assert_eq!((all.paths.len(), trapping(&all).len()), (2, 1));
    let more = of(MOST_BYTES + 1);
    assert!(!more.is_complete());
    assert_eq!(more.paths[0].end, End::Cut(Cut::Fills));
    let reason = &more.unexplored[0].reason;
    assert!(
        reason.contains("read puts 257 bytes into memory"),
        "{reason}"
    );
}
