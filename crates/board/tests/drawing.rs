//! Text on the display, and the colours that people see.

#![cfg(feature = "host")]

use borges_board::{Action, Board, BoardState, Display, DisplayBoard, Rect};
use borges_vm::Value;

/// A display with a text in red on blue.
fn written(text: &[u8], (x, y): (i32, i32), scale: u16) -> Display {
    let mut display = Display::new(DisplayBoard {
        width: 100,
        height: 60,
        spi: None,
    });
    let action = Action::DisplayText {
        x,
        y,
        text,
        scale,
        foreground: 0xf800,
        background: 0x001f,
    };
    display.perform(&action, |_| false);
    display
}

#[test]
fn larger_text_is_the_same_with_larger_dots() {
    for byte in 0..=255 {
        let small = written(&[byte, b'x'], (0, 0), 1);
        for (scale, x, y) in [(2, 0, 0), (3, 5, 7), (2, -9, -3), (3, 80, 30)] {
            let large = written(&[byte, b'x'], (x, y), scale);
            for row in 0..60 {
                for column in 0..100 {
                    let dot = |at: u16, start: i32| {
                        let from = i32::from(at) - start;
                        u16::try_from(from.div_euclid(i32::from(scale))).unwrap_or(u16::MAX)
                    };
                    let expected = small.frame().pixel(dot(column, x), dot(row, y));
                    let found = large.frame().pixel(column, row);
                    assert_eq!(found, expected, "{byte} × {scale} at {column}, {row}");
                }
            }
        }
    }
}

#[test]
fn colours_are_widened_by_their_highest_bits() {
    let board = Board::parse("board.toml", "[display]\nwidth = 6\nheight = 2")
        .unwrap_or_else(|error| panic!("{error}"));
    let mut state = BoardState::new(&board);
    let mut call = |name: &str, args: &[i32]| {
        let id = board.named("env", name).next().expect("it is listed");
        let args: Vec<Value> = args.iter().copied().map(Value::I32).collect();
        let done = state.apply(&board, id, &args, &[], &Default::default());
        assert!(done.is_ok(), "{name}: {done:?}");
        state.view(&board, 0).display
    };
    assert_eq!(call("chip_delay", &[1]), None, "nobody has touched it");
    let dark = call("display_setup", &[]).expect("it is on");
    assert_eq!((dark.lit, dark.runs), (true, vec![(12, 0)]));
    for (at, colour, seen) in [
        (0, 0xf800, 0x00ff_0000),
        (1, 0x07e0, 0x0000_ff00),
        (2, 0x001f, 0x0000_00ff),
        (3, 0x8410, 0x0084_8284),
        (4, 0x0821, 0x0008_0408),
        (5, 0xffff, 0x00ff_ffff),
    ] {
        let display = call("display_fill_rect", &[at, 0, 1, 1, colour]).expect("it is on");
        assert_eq!(display.runs[at as usize], (1, seen), "{colour:04x}");
    }
    let all = call("display_fill_rect", &[0, 0, 3, 1, 0]).expect("it is on");
    assert_eq!(all.runs.iter().map(|(count, _)| count).sum::<u32>(), 12);
    assert_eq!(all.runs[0], (3, 0));
}

#[test]
fn rectangles_are_clipped() {
    let board = DisplayBoard {
        width: 6,
        height: 4,
        spi: None,
    };
    let rect = |x, y, w, h| Rect { x, y, w, h };
    for ((x, y, w, h), expected) in [
        ((1, 2, 3, 1), rect(1, 2, 3, 1)),
        ((-2, -1, 4, 3), rect(0, 0, 2, 2)),
        ((5, 3, 9, 9), rect(5, 3, 1, 1)),
        ((6, 0, 1, 1), rect(0, 0, 0, 0)),
        ((2, 0, 1, 0), rect(0, 0, 0, 0)),
        ((2, 1, -1, 2), rect(0, 0, 0, 0)),
        ((i32::MIN, i32::MIN, i32::MAX, i32::MAX), rect(0, 0, 0, 0)),
        ((i32::MAX, 0, i32::MAX, 1), rect(0, 0, 0, 0)),
    ] {
        assert_eq!(board.clip(x, y, w, h), expected, "{x} {y} {w} {h}");
    }
}
