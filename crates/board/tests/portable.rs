//! A board that has travelled to a device is the same there, as far as programs can tell.
#![cfg(feature = "host")]

use std::path::Path;

use borges_board::{Board, BoardState, PortableBoard, PortableState, PrimitiveKind, VecMap};
use borges_vm::{ValType, Value};

fn travelled(board: &Board) -> Board {
    let bytes = postcard::to_allocvec(&PortableBoard::from(board)).expect("it can be written");
    let portable: PortableBoard = postcard::from_bytes(&bytes).expect("it can be read");
    portable.into()
}

fn assert_same(board: &Board) {
    let there = travelled(board);
    assert!(there.primitives().eq(board.primitives()));
    assert_eq!(there.ranges, board.ranges);
    assert_eq!(there.display, board.display);
    assert_eq!(
        (&there.name, there.degrees_per_second),
        (&board.name, board.degrees_per_second)
    );
    assert_eq!(
        (
            there.limits,
            there.pins,
            there.motors,
            there.ports,
            there.pixels,
            &there.high_pins
        ),
        (
            board.limits,
            board.pins,
            board.motors,
            board.ports,
            board.pixels,
            &board.high_pins
        )
    );
}

#[test]
fn the_default_board_travels() {
    assert_same(&Board::default_board());
}

#[test]
fn a_board_of_its_own_travels() {
    let board = Board::parse("board.toml", include_str!("boards/everything.toml"));
    let board = board.unwrap_or_else(|error| panic!("{error}"));
    assert_same(&board);
    let portable = PortableBoard::from(&board);
    assert_eq!(*portable.limits(), board.limits);
    assert_ne!(board.limits, Default::default());
    let unlimited = portable.with_limits(Default::default());
    assert_eq!(*unlimited.limits(), Default::default());
    // A device has no more pins than bytes can name, whatever it is told.
    let mut many = board;
    many.pins = 1000;
    assert_eq!(travelled(&many).pins, 256);
}

#[test]
fn every_board_of_the_examples_travels() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    for folder in std::fs::read_dir(examples).expect("the examples") {
        let file = folder.expect("a folder").path().join("board.toml");
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        assert_same(&Board::parse("board.toml", &text).expect("the example's board"));
        seen += 1;
    }
    assert!(seen > 5, "{seen} boards");
}

#[test]
fn what_the_user_declares_travels() {
    let text = r#"
        [[primitive]]
        name = "read_scale"
        params = ["i32"]
        result = "i32"
        kind = "input"
        codomain = "0..1000"

        [[primitive]]
        name = "set_valve"
        params = ["i32", "i32"]
        kind = "output"
        key = [0]
        state = [1]
        initial = [0]
    "#;
    let parsed = Board::parse("board.toml", text);
    let board = parsed.unwrap_or_else(|e| panic!("{e}"));
    assert_same(&board);
}

/// A state that has travelled; nothing if what arrived is none of this board.
fn arrived(state: &BoardState, board: &Board) -> Option<BoardState> {
    let portable = state.portable(board).expect("a lean state");
    let bytes = postcard::to_allocvec(&portable).expect("it can be written");
    let portable: PortableState = postcard::from_bytes(&bytes).expect("it can be read");
    portable.on(board)
}

#[test]
fn states_travel() {
    let board = Board::parse("board.toml", include_str!("boards/everything.toml"));
    let board = board.unwrap_or_else(|error| panic!("{error}"));
    let mut state = BoardState::lean(&board);
    let mut changes = 0;
    for (nth, id) in (0..4).flat_map(|nth| board.ids().map(move |id| (nth, id))) {
        let primitive = board.primitive(id).expect("it is one");
        let value = |(at, ty): (usize, &ValType)| match ty {
            ValType::I32 => Value::I32(nth + at as i32),
            ty => Value::default_of(*ty),
        };
        let args: Vec<Value> = primitive.params.iter().enumerate().map(value).collect();
        let before = state.hash64();
        match primitive.kind {
            PrimitiveKind::Input => state.observe(&board, id, &args, Value::I32(nth + 1)),
            // What the board refuses changes nothing.
            _ => drop(state.apply(&board, id, &args, &[0; 64], &Default::default())),
        }
        changes += u32::from(state.hash64() != before);
        let there = arrived(&state, &board).expect("it is one of this board");
        assert_eq!((&there, there.hash64()), (&state, state.hash64()));
        let seen = state.influence(&board, true);
        assert_eq!(arrived(&seen, &board), Some(seen));
    }
    assert!(changes > 10, "{changes} changes");
    // Screen, strip and console stay where they are.
    assert_eq!(BoardState::new(&board).portable(&board), None);
    let mut other = board.clone();
    other.motors += 1;
    assert_eq!(arrived(&state, &other), None);
}

#[test]
fn keys_that_are_not_in_order_are_no_map() {
    let map = |entries: &[(u8, u8)]| {
        let bytes = postcard::to_allocvec(entries).expect("it can be written");
        postcard::from_bytes::<VecMap<u8, u8>>(&bytes)
    };
    let two = map(&[(1, 7), (2, 5)]).expect("a map");
    assert_eq!(
        (two.get(&1), two.get(&2), two.len()),
        (Some(&7), Some(&5), 2)
    );
    for wrong in [&[(2, 5), (1, 7)][..], &[(1, 7), (1, 5)]] {
        assert!(map(wrong).is_err(), "{wrong:?}");
    }
}
