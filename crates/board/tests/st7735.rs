//! The display on the SPI bus: what commands and data draw, and what can be seen of it (data sheet of the ST7735).

use borges_board::{Action, Display, DisplayBoard, DisplayPatch, Rect, SpiWiring};

const DC: u8 = 9;

/// Six columns and four rows, whose controller always listens.
fn small() -> DisplayBoard {
    DisplayBoard {
        width: 6,
        height: 4,
        spi: Some(SpiWiring {
            dc: DC,
            cs: None,
            reset: None,
            column_offset: 0,
            row_offset: 0,
            bgr: false,
        }),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16);
    digits
        .chunks(2)
        .map(|pair| byte(pair).unwrap_or(0))
        .collect()
}

/// Lines of a command with its data each: `2c f800 001f`.
fn send(display: &mut Display, script: &str) {
    for line in script.split(';') {
        for (i, byte) in bytes(line).into_iter().enumerate() {
            display.perform(&Action::SpiByte(byte), |pin| pin == DC && i > 0);
        }
    }
}

fn words(display: &mut Display, word: u16, count: u32) {
    display.perform(&Action::SpiWords { count, word }, |pin| pin == DC);
}

fn drawn(board: DisplayBoard, script: &str) -> Display {
    let mut display = Display::new(board);
    send(&mut display, script);
    display
}

/// The pixels as they were written, rows from the top.
fn picture(display: &Display) -> Vec<String> {
    let letter = |colour: &u16| match colour {
        0 => '.',
        0xf800 => 'r',
        0x07e0 => 'g',
        0x001f => 'b',
        _ => '?',
    };
    let frame = display.frame();
    let rows = (0..frame.height()).map(|y| frame.row(y).iter().map(letter).collect());
    rows.collect()
}

/// Sixteen bits a pixel.
const SIXTEEN: &str = "3a 05;";
/// Red, green, blue, red.
const FOUR: &str = "2c f800 07e0 001f f800";

#[test]
fn pixels_fill_the_window_in_its_order() {
    let table: [(&str, String, [&str; 4]); 14] = [
        (
            "the whole memory",
            FOUR.into(),
            ["rgbr..", "......", "......", "......"],
        ),
        (
            "a window, row by row",
            format!("2a 0001 0002; 2b 0001 0003; {FOUR} 07e0"),
            ["......", ".rg...", ".br...", ".g...."],
        ),
        (
            "after its last pixel the first one",
            format!("2a 0004 0005; 2b 0003 0003; {FOUR} 001f"),
            ["......", "......", "......", "....br"],
        ),
        (
            "one column, one row",
            format!("2a 0005 0005; 2b 0000 0000; {FOUR}"),
            [".....r", "......", "......", "......"],
        ),
        (
            "the command begins anew",
            "2c f800 f800; 2c 001f".into(),
            ["br....", "......", "......", "......"],
        ),
        (
            "windows that end before they begin, or outside, are ignored",
            format!("2a 0001 0003; 2a 0003 0002; 2a 0000 0006; 2b 0002 0001; 2b 0000 0004; {FOUR}"),
            [".rgb..", ".r....", "......", "......"],
        ),
        (
            "the last column and row are inside",
            format!("2a 0003 0005; 2b 0002 0003; {FOUR} 07e0 001f"),
            ["......", "......", "...rgb", "...rgb"],
        ),
        (
            "half a window is none, and more bytes than it has do not matter",
            format!("2a 0001; 2b 0001 0002 0000 0000; {FOUR}"),
            ["......", "rgbr..", "......", "......"],
        ),
        (
            "columns mirrored",
            format!("36 40; {FOUR}"),
            ["..rbgr", "......", "......", "......"],
        ),
        (
            "rows mirrored",
            format!("36 80; {FOUR}"),
            ["......", "......", "......", "rgbr.."],
        ),
        (
            "rows and columns swapped",
            format!("36 20; 2a 0000 0002; 2b 0000 0005; {FOUR}"),
            ["rr....", "g.....", "b.....", "......"],
        ),
        (
            "swapped there are as many columns as rows",
            format!("36 20; 2a 0002 0003; 2a 0000 0004; 2b 0004 0005; 2b 0000 0006; {FOUR}"),
            ["......", "......", "....rb", "....gr"],
        ),
        (
            "swapped and both mirrored",
            format!("36 e0; 2a 0000 0001; 2b 0000 0005; {FOUR} 07e0"),
            ["......", "......", "....rg", "...gbr"],
        ),
        (
            "what is addressed past the memory, because rows and columns were swapped later, is nowhere",
            format!("2a 0003 0005; 36 20; {FOUR} 07e0"),
            ["......", "......", "......", "rr...."],
        ),
    ];
    for (name, script, expected) in table {
        let display = drawn(small(), &format!("{SIXTEEN}{script}"));
        assert_eq!(picture(&display), expected, "{name}: {script}");
    }
}

#[test]
fn the_panel_lies_in_the_middle_of_the_memory() {
    let mut board = small();
    let wiring = board.spi.as_mut().expect("it has one");
    (wiring.column_offset, wiring.row_offset) = (2, 1);
    for (script, expected) in [
        ("2a 0002 0004; 2b 0001 0001;", "rgb...|......|......|......"),
        ("2a 0001 0004; 2b 0004 0005;", "......|......|......|gbr..."),
        ("2a 0006 0009; 2b 0000 0001;", "......|......|......|......"),
        ("2a 0007 0009; 2b 0001 0002;", ".....r|.....r|......|......"),
        (
            "2a 0007 000a; 2a 0000 0003; 2b 0001 0006; 2b 0004 0005;",
            "......|......|......|br....",
        ),
        (
            "36 40; 2a 0002 0004; 2b 0001 0001;",
            "...bgr|......|......|......",
        ),
        (
            "36 80; 2a 0002 0004; 2b 0001 0001;",
            "......|......|......|rgb...",
        ),
    ] {
        let display = drawn(board, &format!("{SIXTEEN}{script}{FOUR}"));
        assert_eq!(picture(&display).join("|"), expected, "{script}");
    }
}

#[test]
fn colours_have_twelve_sixteen_or_eighteen_bits() {
    for (format, data, expected) in [
        // As after a reset.
        (
            "",
            "ff ff ff  07 03 07  80 40 20  08 04 08",
            [0xffff, 0, 0x8204, 0x0821],
        ),
        (
            "3a 06;",
            "f8 00 00  00 fc 00  00 00 f8  a8 a8 a8",
            [0xf800, 0x07e0, 0x001f, 0xad55],
        ),
        (
            "3a 66;",
            "f8 00 00  00 fc 00  00 00 f8  50 54 50",
            [0xf800, 0x07e0, 0x001f, 0x52aa],
        ),
        (
            "3a 05;",
            "1234 5678 9abc def0",
            [0x1234, 0x5678, 0x9abc, 0xdef0],
        ),
        // Four bits become five or six by repeating the highest ones.
        (
            "3a 03;",
            "f00 0f0 00f fff",
            [0xf800, 0x07e0, 0x001f, 0xffff],
        ),
        (
            "3a 03;",
            "800 080 008 777",
            [0x8800, 0x0440, 0x0011, 0x73ae],
        ),
        (
            "3a 03;",
            "5a5 a5a 124 421",
            [0x554a, 0xaab5, 0x1108, 0x4102],
        ),
        // There is no other format.
        (
            "3a 05; 3a 04; 3a 07; 3a 00;",
            "1234 5678 9abc def0",
            [0x1234, 0x5678, 0x9abc, 0xdef0],
        ),
        // Half a pixel is none, and is forgotten with the next command.
        (
            "3a 05; 2c 12;",
            "1234 5678 9abc def0",
            [0x1234, 0x5678, 0x9abc, 0xdef0],
        ),
    ] {
        let display = drawn(small(), &format!("{format} 2c {data}"));
        assert_eq!(&display.frame().row(0)[..4], expected, "{format} {data}");
        assert_eq!(display.frame().row(0)[4..], [0, 0], "{format} {data}");
    }
}

#[test]
fn a_word_many_times_is_its_bytes_as_often() {
    for format in ["3a 03;", "3a 05;", "3a 06;"] {
        for window in [
            "",
            "2a 0001 0003; 2b 0001 0002;",
            "2a 0005 0005; 2b 0002 0002;",
        ] {
            for begun in ["2c", "2c 12", "2c 1234 56", "00", "2a 00", "36"] {
                for count in (0..60).chain([144, 145, 150, 151, 200, 217, 300]) {
                    let script = format!("{format}{window}{begun}");
                    let mut at_once = drawn(small(), &script);
                    let mut singly = at_once.clone();
                    words(&mut at_once, 0x40a3, count);
                    for _ in 0..count {
                        for byte in [0x40, 0xa3] {
                            singly.perform(&Action::SpiByte(byte), |pin| pin == DC);
                        }
                    }
                    let commands =
                        |display: &Display| display.panel().controller.map(|c| c.commands());
                    assert_eq!(
                        commands(&at_once),
                        commands(&singly),
                        "{script}, {count} words"
                    );
                    // Another pixel goes to the same place, however much of one there is.
                    for byte in [0x12, 0x34, 0x56, 0x78] {
                        assert_eq!(at_once.frame(), singly.frame(), "{script}, {count} words");
                        for display in [&mut at_once, &mut singly] {
                            display.perform(&Action::SpiByte(byte), |pin| pin == DC);
                        }
                    }
                }
            }
        }
    }
    // Commands: both bytes of the word, in their order.
    let mut display = drawn(small(), "11");
    display.perform(
        &Action::SpiWords {
            count: 3,
            word: 0x2021,
        },
        |_| false,
    );
    assert_eq!(display, drawn(small(), "11; 20; 21"));
}

#[test]
fn only_a_display_that_is_on_and_awake_can_be_seen() {
    let red_and_half_blue = "3a 05; 2c f80f";
    for (script, bgr, expected) in [
        ("", false, 0),
        ("29;", false, 0),
        ("11;", false, 0),
        ("11; 29;", false, 0xf80f),
        ("11; 29; 28;", false, 0),
        ("11; 29; 10;", false, 0),
        ("11; 29; 10; 11;", false, 0xf80f),
        ("11; 29; 21;", false, 0x07f0),
        ("11; 29; 21; 20;", false, 0xf80f),
        ("11; 29;", true, 0x781f),
        ("11; 29; 36 08;", true, 0xf80f),
        ("11; 29; 36 08;", false, 0x781f),
        ("11; 29; 36 f7; 36 00;", false, 0xf80f),
        ("11; 29; 21; 36 08;", false, 0x87e0),
    ] {
        let mut board = small();
        board.spi.as_mut().expect("it has one").bgr = bgr;
        let display = drawn(board, &format!("{script}{red_and_half_blue}"));
        assert_eq!(display.visible(0, 0), expected, "{script} {bgr}");
        assert_eq!(display.is_lit(), expected != 0, "{script} {bgr}");
        assert_eq!(
            display.frame().pixel(0, 0),
            0xf80f,
            "{script} is written anyhow"
        );
    }
    // Without the bus, it is on once it is set up.
    let mut display = Display::new(DisplayBoard {
        spi: None,
        ..small()
    });
    let rect = Rect {
        x: 0,
        y: 0,
        w: 1,
        h: 1,
    };
    let fill = Action::DisplayFill {
        rect,
        colour: 0x1234,
    };
    display.perform(&fill, |_| false);
    assert_eq!((display.visible(0, 0), display.is_lit()), (0, false));
    display.perform(&Action::DisplaySetup, |_| false);
    display.perform(&fill, |_| false);
    assert_eq!((display.visible(0, 0), display.is_lit()), (0x1234, true));
}

#[test]
fn pins_select_and_reset_it() {
    let mut board = small();
    let wiring = board.spi.as_mut().expect("it has one");
    (wiring.cs, wiring.reset) = (Some(10), Some(11));
    let mut display = drawn(board, "11; 29; 36 c8; 3a 05; 2a 0001 0002; 2b 0001 0002");
    let before = display.clone();
    for byte in [0x28, 0x10] {
        display.perform(&Action::SpiByte(byte), |pin| pin == 10);
    }
    assert_eq!(display, before, "it is not selected");
    let resets = |pin, level| display.resets_on(pin, level);
    assert_eq!(
        [resets(11, false), resets(11, true), resets(10, false)],
        [true, false, false]
    );
    assert!(!Display::new(small()).resets_on(11, false), "not connected");
    display.reset();
    assert_eq!(display, Display::new(board));
    let mut display = before;
    send(&mut display, "01");
    send(&mut display, "00");
    let mut fresh = Display::new(board);
    send(&mut fresh, "00");
    assert_eq!(display, fresh, "a command resets it as well");
}

#[test]
fn its_commands_bring_another_one_into_its_state() {
    for script in [
        "2a 0001 0004; 2b 0001 0002; 2c",
        "11; 29; 21; 36 a8; 3a 03; 2a 0001 0002; 2b 0001 0004; 2c",
        "11; 29; 28; 10; 21; 20; 36 48; 3a 05; 2a 0003 0003; 2b 0000 0003; 2c",
    ] {
        let display = drawn(small(), script);
        let controller = display.panel().controller.expect("it has one");
        let mut other = Display::new(small());
        send(&mut other, "11; 29; 21; 36 ff; 2a 0000 0001; 2b 0001 0001");
        for (command, data) in controller.commands() {
            other.perform(&Action::SpiByte(command), |_| false);
            for byte in data {
                other.perform(&Action::SpiByte(byte), |pin| pin == DC);
            }
        }
        assert_eq!(other, display, "{script}");
        let idle = drawn(small(), "2c f8; 00");
        let commands = idle.panel().controller.map(|c| c.commands());
        assert!(!commands.unwrap_or_default().iter().any(|(c, _)| *c == 0x2c));
    }
}

#[test]
fn only_a_controller_that_can_be_its_own_is_taken_over() {
    for (width, height, taken) in [(6, 4, true), (6, 6, true), (7, 4, false), (6, 7, false)] {
        let other = DisplayBoard {
            width,
            height,
            ..small()
        };
        let panel = Some(*drawn(other, "11; 29").panel());
        let mut display = Display::new(small());
        let fills = Vec::new();
        display.restore(&DisplayPatch { panel, fills });
        assert_eq!(display.is_lit(), taken, "{width} × {height}");
    }
    let none = DisplayBoard {
        spi: None,
        ..small()
    };
    for (ours, theirs, taken) in [
        (none, none, true),
        (none, small(), false),
        (small(), none, false),
    ] {
        let mut panel = *Display::new(theirs).panel();
        panel.orientation = 1;
        let mut display = Display::new(ours);
        let fills = Vec::new();
        display.restore(&DisplayPatch {
            panel: Some(panel),
            fills,
        });
        assert_eq!(display.panel().orientation == 1, taken);
    }
}
