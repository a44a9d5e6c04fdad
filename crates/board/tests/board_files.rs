//! Board files: what the good ones mean, and what is said about the bad ones.

#![cfg(feature = "host")]
#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

use std::{env, fs};

use borges_board::{Board, BoardState, Captured, PrimitiveId, PrimitiveKind};
use borges_vm::{FuncType, ValType, Value};

const EVERYTHING: &str = include_str!("boards/everything.toml");

fn board(text: &str) -> Board {
    Board::parse("board.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn id(board: &Board, name: &str) -> PrimitiveId {
    board
        .ids()
        .filter(|id| board.primitive(*id).unwrap().name == name)
        .last()
        .unwrap()
}

fn int(v: i32) -> Value {
    Value::I32(v)
}

/// A board after some outputs and readings.
struct Bench {
    board: Board,
    state: BoardState,
}

impl Bench {
    fn new(text: &str) -> Self {
        let board = board(text);
        let state = BoardState::new(&board);
        Bench { board, state }
    }

    /// `chip_digital_write(45, 1)`, as an output or as an input that answers `value`.
    fn call(&mut self, name: &str, args: &[Value]) {
        let id = id(&self.board, name);
        self.state
            .apply(&self.board, id, args, &[], &Captured::Nothing)
            .unwrap();
    }

    fn read(&mut self, name: &str, args: &[Value], value: Value) {
        self.state
            .observe(&self.board, id(&self.board, name), args, value);
    }

    fn codomain(&self, name: &str, args: &[Value]) -> String {
        self.board
            .codomain_at(id(&self.board, name), args, &self.state)
            .describe()
    }
}

#[test]
fn everything_can_be_said() {
    let board = board(EVERYTHING);
    assert_eq!(
        (board.name.as_str(), board.pins, board.motors),
        ("Everything", 100, 2)
    );
    assert_eq!(board.rules.len(), 8);
    assert_eq!(
        board.simulation.sources.len(),
        12,
        "one for each type of `millis`"
    );
    assert_eq!(board.simulation.models.len(), 4);
    assert_eq!(board.display.spi.unwrap().cs, Some(10));
    assert_eq!(
        board.display.spi.unwrap().reset,
        None,
        "only what is named is connected"
    );
    let width = board.primitive(id(&board, "display_width")).unwrap();
    assert_eq!(width.kind, PrimitiveKind::Constant(int(160)));
    let valve = board.primitive(id(&board, "set_valve")).unwrap();
    assert_eq!(
        valve.register.as_ref().unwrap().initial,
        [Value::F32(0.25f32.to_bits())]
    );
}

#[test]
fn an_empty_file_is_the_default_board() {
    assert_eq!(board(""), Board::default_board());
}

#[test]
fn rules_narrow_codomains() {
    let mut bench = Bench::new(EVERYTHING);
    let colour = |bench: &Bench, port| bench.codomain("color_sensor", &[int(port)]);
    assert_eq!(colour(&bench, 0), "1, 2 or 5");
    assert_eq!(colour(&bench, 1), "0", "the motor has not turned yet");
    bench.call("chip_digital_write", &[int(45), int(1)]);
    assert_eq!(colour(&bench, 0), "5");
    bench.call("drive_motor_degrees", &[int(0), int(5000), int(360)]);
    assert_eq!(colour(&bench, 1), "0..100");
    bench.call("setup_uart_sensor", &[int(1), int(2)]);
    assert_eq!(colour(&bench, 1), "0..7", "in colour mode");

    let pin = [int(12)];
    assert_eq!(bench.codomain("chip_analog_read", &pin), "0..1023");
    bench.read("chip_analog_read", &pin, int(1000));
    assert_eq!(bench.codomain("chip_analog_read", &pin), "960..1023");
    bench.read("chip_analog_read", &pin, int(20));
    assert_eq!(bench.codomain("chip_analog_read", &pin), "0..60");
    assert_eq!(bench.codomain("chip_analog_read", &[int(13)]), "0..4095");

    assert_eq!(bench.codomain("chip_digital_read", &[int(4)]), "0 or 1");
    bench.call("chip_digital_write", &[int(3), int(7)]);
    assert_eq!(
        bench.codomain("chip_digital_read", &[int(4)]),
        "0 or 1",
        "the motor stands"
    );
    bench.call("drive_motor", &[int(1), int(-3)]);
    assert_eq!(bench.codomain("chip_digital_read", &[int(4)]), "0");

    assert_eq!(
        bench.codomain("humidity", &[int(0)]),
        "10..90",
        "pin 7 was never read"
    );
    bench.read("chip_digital_read", &[int(7)], int(1));
    assert_eq!(bench.codomain("humidity", &[int(0)]), "20..40");
    assert_eq!(
        bench.codomain("humidity", &[int(1)]),
        "no value",
        "5..7 or 9, but at least 10"
    );
    bench.read("chip_digital_read", &[int(7)], int(0));
    assert_eq!(bench.codomain("humidity", &[int(0)]), "10..90");

    let double = |v: f64| Value::F64(v.to_bits());
    assert_eq!(bench.codomain("pressure", &[]), "0.5..12.0");
    bench.read("pressure", &[], double(2.0));
    assert_eq!(bench.codomain("pressure", &[]), "2.0..12.0");
    bench.call(
        "set_valve",
        &[int(1), Value::F32(0.75f32.to_bits()), int(0)],
    );
    assert_eq!(
        bench.codomain("pressure", &[]),
        "2.0..12.0",
        "another valve"
    );
    bench.call(
        "set_valve",
        &[int(2), Value::F32(0.75f32.to_bits()), int(0)],
    );
    assert_eq!(bench.codomain("pressure", &[]), "3.0..12.0");

    assert_eq!(bench.codomain("read_uart_sensor", &[int(2)]), "0..100");
    bench.call("tone", &[int(440)]);
    assert_eq!(bench.codomain("read_uart_sensor", &[int(2)]), "50..100");
}

#[test]
fn clocks_do_not_go_back() {
    let mut bench = Bench::new(EVERYTHING);
    let i64 = |v| Value::I64(v);
    let clock = |bench: &Bench, name, ty| {
        let ids = bench
            .board
            .ids()
            .filter(|id| bench.board.primitive(*id).unwrap().name == name);
        let id = ids
            .into_iter()
            .find(|id| bench.board.primitive(*id).unwrap().result == Some(ty))
            .unwrap();
        bench.board.codomain_at(id, &[], &bench.state)
    };
    assert!(clock(&bench, "millis", ValType::I64).contains(i64(0)));
    bench.read("micros", &[], i64(5_000_500));
    assert_eq!(
        clock(&bench, "micros", ValType::I64).intervals()[0].0,
        i64(5_000_500)
    );
    assert_eq!(
        clock(&bench, "millis", ValType::I64).intervals()[0].0,
        i64(5000)
    );
    bench.call("chip_delay", &[int(100)]);
    assert_eq!(
        clock(&bench, "millis", ValType::I64).intervals()[0].0,
        i64(5100),
        "a delay takes its time"
    );
    let short = clock(&bench, "millis", ValType::I32);
    assert!(short.contains(int(5100)) && !short.contains(int(5099)) && short.contains(int(-1)));
    bench.read("ticks", &[], i64(7));
    assert_eq!(bench.codomain("ticks", &[]), "7..9223372036854775807");
}

#[test]
fn representatives_follow_the_sampling() {
    let bench = Bench::new(EVERYTHING);
    let values = |name: &str, args: &[Value]| {
        let id = bench.board.ids().find(|id| {
            let p = bench.board.primitive(*id).unwrap();
            p.name == name && p.params.len() == args.len()
        });
        let values = bench
            .board
            .representatives(id.unwrap(), args, &bench.state, 8);
        values
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(values("humidity", &[int(5)]), "10 50 90");
    assert_eq!(values("chip_analog_read", &[int(12)]), "0 1 512 1022 1023");
    assert_eq!(values("color_sensor", &[int(0)]), "1 2 5");
    assert_eq!(values("random_int", &[int(100)]), "0 1 2 4 8 16 32 64");
    assert_eq!(values("pressure", &[]).split(' ').count(), 8);
}

#[test]
fn binding_says_what_to_declare() {
    let board = board(EVERYTHING);
    let ty = |params: &[ValType], results: &[ValType]| FuncType {
        params: params.to_vec(),
        results: results.to_vec(),
    };
    let i = ValType::I32;
    assert!(board.bind("env", "millis", &ty(&[], &[i])).is_ok());
    assert!(
        board
            .bind("env", "millis", &ty(&[], &[ValType::I64]))
            .is_ok()
    );
    assert!(
        board
            .bind("lab", "pressure", &ty(&[], &[ValType::F64]))
            .is_ok()
    );
    assert!(board.bind("env", "abort", &ty(&[i; 4], &[])).is_ok());
    let check = |name, ty: FuncType, parts: &[&str]| {
        let text = board.bind("env", name, &ty).unwrap_err().to_string();
        for part in parts {
            assert!(text.contains(part), "`{part}` in: {text}");
        }
        let declared = text[text.find("[[primitive]]").unwrap()..].to_owned();
        let again =
            Board::parse("board.toml", &declared).unwrap_or_else(|e| panic!("{e}\n{declared}"));
        assert!(
            again.bind("env", name, &ty).is_ok(),
            "what it says to declare can be declared"
        );
    };
    check(
        "chip_digital_reed",
        ty(&[i], &[i]),
        &["no primitive", "`chip_digital_read`"],
    );
    check(
        "chip_delay",
        ty(&[ValType::I64], &[]),
        &["(i64) -> ()", "the board has it with (i32) -> ()"],
    );
    check(
        "read_mind",
        ty(&[ValType::F32, i], &[ValType::F64]),
        &["no primitive", "params = [\"f32\", \"i32\"]"],
    );
}

/// A user's declaration goes before the listed primitive of the same name and type.
#[test]
fn declarations_replace_listed_primitives() {
    let text = "[[primitive]]\nname = \"color_sensor\"\nparams = [\"i32\"]\nresult = \"i32\"\nkind = \"input\"\ncodomain = \"0..5\"";
    let board = board(text);
    let ty = FuncType {
        params: vec![ValType::I32],
        results: vec![ValType::I32],
    };
    let id = board.bind("env", "color_sensor", &ty).unwrap();
    assert_eq!(board.codomain(id, &[int(0)]).describe(), "0..5");
}

/// Each case of `errors.txt` is a bad board file and what is said about it. `UPDATE=1 cargo test` writes it anew.
#[test]
fn errors_say_where_and_what_to_write() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/boards/errors.txt");
    let recorded = fs::read_to_string(path).unwrap();
    let mut now = String::new();
    for case in recorded.split("\n=====\n") {
        let toml = case
            .split("\n-----\n")
            .next()
            .unwrap()
            .trim_start_matches('\n');
        let error = match Board::parse("board.toml", toml) {
            Ok(_) => panic!("no error in:\n{toml}"),
            Err(error) => error,
        };
        if !now.is_empty() {
            now.push_str("\n=====\n");
        }
        now.push_str(&format!("{toml}\n-----\n{error}\n"));
    }
    if env::var_os("UPDATE").is_some() {
        fs::write(path, &now).unwrap();
    }
    assert_eq!(
        now.trim_end(),
        recorded.trim_end(),
        "run with UPDATE=1 if this is as it should be"
    );
}

/// Sizes and depths that no honest file has.
#[test]
fn hostile_files_are_refused() {
    let texts = [
        format!("name = {}", "[".repeat(100_000)),
        format!("a{} = 1", ".a".repeat(100_000)),
        format!(
            "rules = [\"when {}\"]",
            "the level of pin 1 is 1 and ".repeat(5000)
        ),
        format!("rules = [\"{}\"]", "not ".repeat(100_000)),
        format!(
            "rules = [\"color_sensor(0) is {}1\"]",
            "not ".repeat(30_000)
        ),
        format!("[ranges]\n\"color_sensor({})\" = 1", "1,".repeat(30_000)),
        format!("name = \"{}\"", "x".repeat(2 << 20)),
        "[[primitive]]\nname = \"x\"\nkind = \"trap\"\n".repeat(1001),
    ];
    for text in texts {
        let error = Board::parse("board.toml", &text).unwrap_err().to_string();
        assert!(error.len() < 1500, "{error}");
    }
}

/// Every example that comes along has a good board file.
#[test]
fn boards_of_the_examples() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let boards = fs::read_dir(examples)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("board.toml"));
    for path in boards.filter(|path| path.exists()) {
        let text = fs::read_to_string(&path).unwrap();
        Board::parse(&path.to_string_lossy(), &text).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Mutated and truncated board files: no panic, and each error has a place, a problem and a hint.
#[test]
fn mutated_files_are_read_or_refused() {
    let words: Vec<&str> = EVERYTHING
        .split_inclusive([' ', '\n', '"', '(', '[', ',', '='])
        .collect();
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let (mut read, mut refused) = (0, 0);
    for round in 0..3000 {
        let mut mutant: Vec<&str> = words.clone();
        let mut cut = None;
        for _ in 0..=random(3) {
            let at = random(mutant.len());
            match random(6) {
                0 => drop(mutant.remove(at)),
                1 => mutant.insert(at, words[random(words.len())]),
                2 => mutant[at] = words[random(words.len())],
                3 => mutant.insert(
                    at,
                    [
                        "-1",
                        "99999999999999999999",
                        "nan",
                        "é",
                        "\"",
                        "1e400",
                        "*",
                        "\u{0}",
                        "[[",
                        "}",
                    ][random(10)],
                ),
                4 => {
                    let other = random(mutant.len());
                    mutant.swap(at, other);
                }
                _ => cut = Some(random(EVERYTHING.len())),
            }
        }
        let mut text = mutant.concat();
        if let Some(cut) = cut {
            let cut = (0..=cut.min(text.len()))
                .rev()
                .find(|c| text.is_char_boundary(*c))
                .unwrap();
            text.truncate(cut);
        }
        match Board::parse("board.toml", &text) {
            Ok(board) => {
                read += 1;
                // What was read can be used.
                let state = BoardState::new(&board);
                for id in board.ids().step_by(1 + round % 7) {
                    let args: Vec<Value> = board
                        .primitive(id)
                        .unwrap()
                        .params
                        .iter()
                        .map(|ty| Value::default_of(*ty))
                        .collect();
                    board.representatives(id, &args, &state, 4);
                }
            }
            Err(error) => {
                refused += 1;
                assert!(
                    (1..=text.lines().count() + 1).contains(&error.line),
                    "{error}"
                );
                assert!(
                    error.column >= 1 && !error.problem.is_empty() && !error.hint.is_empty(),
                    "{error}"
                );
                assert!(error.to_string().len() < 1500, "{error}");
            }
        }
    }
    assert!(
        read > 100 && refused > 1000,
        "{read} read, {refused} refused"
    );
}

const GUIDE: &str = include_str!("../../../docs/boards.md");

/// Every example of the guide is a board file, and every primitive is in its table.
#[test]
fn the_guide_is_right() {
    let examples: Vec<&str> = GUIDE
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(examples.len() >= 5);
    for example in examples {
        board(example);
    }
    let table = &GUIDE[GUIDE.find("## Primitives").unwrap()..];
    let listed: Vec<&str> = table.split('`').skip(1).step_by(2).collect();
    let board = Board::default_board();
    for primitive in board.primitives() {
        assert!(
            listed.contains(&&*primitive.name),
            "{} is missing in docs/boards.md",
            primitive.name
        );
    }
    for name in listed.iter().filter(|name| !["env"].contains(*name)) {
        assert!(
            board.named("env", name).next().is_some(),
            "`{name}` is in docs/boards.md only"
        );
    }
}
