//! Laws of compensation on simulated boards (MIO, theorem 3): random primitives, random arguments in and out of range.

#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

use borges_board::{
    Board, BoardState, Calls, Captured, Codomain, Compensation, Driver, Primitive, PrimitiveId,
    PrimitiveKind, ReadingSource, Register, Wave, WorldModel,
};
use borges_sim::{Environment, SimBoard};
use borges_vm::{FuncType, ValType, Value};
use proptest::prelude::*;

/// One step of a random program.
#[derive(Clone, Debug)]
enum Step {
    /// Any primitive with any arguments, by its number modulo how many there are.
    Call(u16, Vec<i32>),
    /// A display command with data, as programs send it: by moving the DC pin.
    Spi(u8, Vec<u8>),
    /// Many pixels of one colour.
    Pixels(i32, i32),
    /// Instructions without a call.
    Compute(u16),
}

/// A call as the driver gets it.
#[derive(Clone, Debug)]
struct Call {
    id: PrimitiveId,
    args: Vec<Value>,
    at: u64,
}

/// What the other side knows: the twin's states before and after, and what was captured.
struct Done {
    call: Call,
    before: BoardState,
    after: BoardState,
    captured: Captured,
    input: Option<Value>,
}

/// A device and its twin, side by side.
struct Both {
    board: Board,
    driver: Driver<SimBoard>,
    twin: BoardState,
    memory: Vec<u8>,
}

impl Both {
    fn new(board: Board) -> Self {
        let driver = Driver::new(&board, SimBoard::new(&board));
        let twin = BoardState::new(&board);
        let memory = (0..5000u32).map(|i| (i * 7 % 96 + 32) as u8).collect();
        Both {
            board,
            driver,
            twin,
            memory,
        }
    }

    fn environment(&self) -> &Environment {
        self.driver.hardware.environment()
    }

    /// Performs a call on both sides. `None` if it was refused, on both.
    fn perform(&mut self, call: &Call, mock: Option<Value>) -> Option<Done> {
        let (board, before) = (&self.board, self.twin.clone());
        self.driver.at(call.at);
        let environment = self.driver.hardware.environment().clone();
        let primitive = board.primitive(call.id).unwrap();
        let (captured, input) = if primitive.kind == PrimitiveKind::Input {
            let answer = match mock {
                Some(value) => self
                    .driver
                    .mocked(board, call.id, &call.args, 0, value.into()),
                None => self.driver.input(board, call.id, &call.args, 0),
            };
            assert_eq!(
                *self.driver.hardware.environment(),
                environment,
                "an input changes nothing outside"
            );
            let value = answer.ok()?.value;
            let codomain = board.codomain_at(call.id, &call.args, &self.twin);
            assert!(
                codomain.contains(value),
                "{}{:?} = {value}, not {codomain}",
                primitive.name,
                call.args
            );
            self.twin.observe(board, call.id, &call.args, value);
            (Captured::Nothing, Some(value))
        } else {
            let device = self.driver.output(board, call.id, &call.args, &self.memory);
            let captured = device
                .as_ref()
                .map(|d| d.captured.clone())
                .unwrap_or_default();
            let twin = self
                .twin
                .apply(board, call.id, &call.args, &self.memory, &captured);
            assert_eq!(
                device.as_ref().map(|d| d.result),
                twin.as_ref().copied(),
                "both sides refuse alike"
            );
            if device.is_err() {
                assert_eq!(
                    *self.driver.hardware.environment(),
                    environment,
                    "a refused call changes nothing"
                );
                assert_eq!(self.twin, before);
                return None;
            }
            (captured, None)
        };
        assert_eq!(
            self.driver.state().hash64(),
            self.twin.hash64(),
            "device and twin agree"
        );
        Some(Done {
            call: call.clone(),
            before,
            after: self.twin.clone(),
            captured,
            input,
        })
    }

    fn undo(&mut self, done: &Done) {
        let compensation =
            Compensation::between(&self.board, &done.before, &done.after, &done.captured);
        let again = match done.input {
            Some(value) => Compensation::of_input(
                &self.board,
                &done.before,
                done.call.id,
                &done.call.args,
                value,
            ),
            None => {
                let Call { id, args, .. } = &done.call;
                Compensation::of(
                    &self.board,
                    &done.before,
                    *id,
                    args,
                    &self.memory,
                    &done.captured,
                )
                .unwrap()
            }
        };
        assert_eq!(
            compensation, again,
            "computed from two states or from the call: the same"
        );
        self.driver.compensate(&self.board, &compensation);
        self.driver.at(done.call.at);
        self.twin = done.before.clone();
        assert_eq!(
            self.driver.state().hash64(),
            self.twin.hash64(),
            "the device's model goes back too"
        );
    }
}

/// A board on which everything is connected to something.
fn board(slip: u16) -> Board {
    let outputs = Register {
        key: vec![0],
        state: vec![1],
        initial: vec![Value::F64(0.5f64.to_bits())],
    };
    let declared = vec![
        Primitive::declared_input(
            "env",
            "humidity",
            vec![ValType::I32],
            Codomain::range(Value::I32(10), Value::I32(90)),
        ),
        Primitive::declared_input("lab", "voltage", vec![], Codomain::Full(ValType::F64)),
        Primitive::declared_input(
            "lab",
            "ticks",
            vec![],
            Codomain::NotBeforeLast(ValType::I64),
        ),
        Primitive::declared(
            "lab",
            "set_valve",
            FuncType {
                params: vec![ValType::I32, ValType::F64, ValType::I64],
                results: vec![ValType::I32],
            },
            PrimitiveKind::Output,
            Some(outputs),
        ),
        Primitive::declared(
            "lab",
            "fire",
            FuncType {
                params: vec![ValType::I32],
                results: vec![],
            },
            PrimitiveKind::Output,
            None,
        ),
    ];
    let mut board = Board::with_primitives(declared);
    board.console_bytes = 6000;
    board.high_pins = vec![2, 3];
    board.simulation.surprising_pins = vec![0, 3, 45];
    board.simulation.motor_slip = slip;
    let calls = |name: &str, args: Vec<Option<Value>>| Calls {
        primitives: board.named("env", name).collect(),
        args,
    };
    let first = |n| vec![Some(Value::I32(n))];
    let wave = Wave {
        shape: borges_board::Shape::Sine,
        low: 0.0,
        high: 4095.0,
        period_us: 70_000,
        phase_us: 5,
    };
    let sources = vec![
        (
            calls("chip_analog_read", first(1)),
            ReadingSource::Wave(wave),
        ),
        (
            calls("chip_analog_read", vec![]),
            ReadingSource::Noise {
                low: 100.0,
                high: 900.0,
                step: Some(40.0),
            },
        ),
    ];
    let models = vec![
        WorldModel::Room {
            heater: 5,
            sensor: calls("humidity", vec![]),
            ambient: 20.0,
            gain: 30.0,
            inertia_us: 500_000,
            reading_at_zero: 0.0,
            reading_per_degree: 1.0,
        },
        WorldModel::Wire { from: 1, to: 2 },
    ];
    board.simulation.sources = sources;
    board.simulation.models = models;
    board
}

fn argument() -> impl Strategy<Value = i32> {
    prop_oneof![
        6 => 0..8i32,
        3 => 0..140i32,
        2 => -300..20_000i32,
        1 => any::<i32>(),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let command = prop_oneof![
        Just(0x01u8),
        Just(0x11),
        Just(0x21),
        Just(0x29),
        Just(0x2a),
        Just(0x2b),
        Just(0x2c),
        Just(0x36),
        Just(0x3a),
        any::<u8>()
    ];
    let data = prop::collection::vec(prop_oneof![Just(0u8), 0..7u8, 0..160u8, any::<u8>()], 0..7);
    prop_oneof![
        8 => (any::<u16>(), prop::collection::vec(argument(), 7)).prop_map(|(n, args)| Step::Call(n, args)),
        3 => (command, data).prop_map(|(command, data)| Step::Spi(command, data)),
        1 => (prop_oneof![0..300i32, 0..30_000i32], any::<i32>()).prop_map(|(n, word)| Step::Pixels(n, word)),
        1 => (0..5000u16).prop_map(Step::Compute),
    ]
}

/// The calls that a random program makes.
fn calls(board: &Board, steps: &[Step]) -> Vec<Call> {
    let id = |name: &str| board.named("env", name).next().unwrap();
    let int = |values: &[i32]| values.iter().map(|v| Value::I32(*v)).collect::<Vec<_>>();
    let mut list = Vec::new();
    let mut at = 0;
    for step in steps {
        let mut call = |id, args| {
            at += 3;
            list.push(Call { id, args, at });
        };
        match step {
            Step::Call(n, ints) => {
                let id = PrimitiveId(n % board.primitives().count() as u16);
                let params = &board.primitive(id).unwrap().params;
                let args = params.iter().zip(ints).map(|(ty, v)| match ty {
                    ValType::I64 => Value::I64(i64::from(*v)),
                    ValType::F64 => Value::F64(f64::from(*v).to_bits()),
                    _ => Value::I32(*v),
                });
                call(id, args.collect());
            }
            Step::Spi(command, data) => {
                call(id("chip_digital_write"), int(&[15, 0]));
                call(id("write_spi_byte"), int(&[i32::from(*command)]));
                call(id("chip_digital_write"), int(&[15, 1]));
                for byte in data {
                    call(id("write_spi_byte"), int(&[i32::from(*byte)]));
                }
            }
            Step::Pixels(count, word) => call(id("write_spi_bytes_16"), int(&[*count, *word])),
            Step::Compute(steps) => at += u64::from(*steps),
        }
    }
    list
}

/// No differences.
const NONE: Vec<String> = Vec::new();

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// An output and then its compensation is the identity on the environment, for every primitive in every state.
    #[test]
    fn compensation_is_the_inverse(steps in prop::collection::vec(step(), 0..40), slip in prop_oneof![Just(0u16), Just(50)]) {
        let mut both = Both::new(board(slip));
        for call in calls(&both.board, &steps) {
            both.driver.at(call.at);
            let before = both.environment().clone();
            let Some(done) = both.perform(&call, None) else { continue };
            both.undo(&done);
            prop_assert_eq!(both.environment().differences(&before), NONE, "{:?}", call);
            // On to the next one: once more, and this time for good.
            both.perform(&call, done.input);
        }
    }

    /// Undoing everything in reverse order restores the initial environment, whatever motors really did.
    #[test]
    fn undoing_everything_restores_the_beginning(steps in prop::collection::vec(step(), 0..60), slip in prop_oneof![Just(0u16), Just(50)]) {
        let mut both = Both::new(board(slip));
        let (environment, twin) = (both.environment().clone(), both.twin.clone());
        let done: Vec<Done> = calls(&both.board, &steps).iter().filter_map(|c| both.perform(c, None)).collect();
        for done in done.iter().rev() {
            both.undo(done);
        }
        both.driver.at(0);
        prop_assert_eq!(both.environment().differences(&environment), NONE);
        prop_assert_eq!(&both.twin, &twin);
    }

    /// A walk back and forth that ends at a place leaves the environment of a straight run to it.
    #[test]
    fn a_walk_ends_like_a_straight_run(
        steps in prop::collection::vec(step(), 1..50),
        turns in prop::collection::vec((0..100usize, 0..100usize), 1..5),
    ) {
        let mut straight = Both::new(board(0));
        let all = calls(&straight.board, &steps);
        let mut walked = Both::new(board(0));
        let mut path: Vec<Done> = all.iter().filter_map(|c| walked.perform(c, None)).collect();
        let performed: Vec<(Call, Option<Value>)> = path.iter().map(|d| (d.call.clone(), d.input)).collect();
        for (back, forth) in turns {
            path.truncate({
                let to = back % (path.len() + 1);
                for done in path[to..].iter().rev() {
                    walked.undo(done);
                }
                to
            });
            let to = path.len() + forth % (performed.len() - path.len() + 1);
            for (call, mock) in &performed[path.len()..to] {
                path.push(walked.perform(call, *mock).unwrap());
            }
        }
        for (call, mock) in &performed[..path.len()] {
            straight.perform(call, *mock).unwrap();
        }
        let here = path.last().map_or(0, |done| done.call.at);
        straight.driver.at(here);
        walked.driver.at(here);
        prop_assert_eq!(walked.environment().differences(straight.environment()), NONE);
        prop_assert_eq!(&walked.twin, &straight.twin);
    }

    /// Arguments of wrong types, numbers of no primitive: refused, on both sides alike, without a trace.
    #[test]
    fn nonsense_is_refused(id in any::<u16>(), args in prop::collection::vec((0..6u8, any::<i64>()), 0..9)) {
        let mut both = Both::new(board(0));
        let args: Vec<Value> = args.into_iter().map(|(ty, v)| match ty {
            0 => Value::I32(v as i32),
            1 => Value::I64(v),
            2 => Value::F32(v as u32),
            3 => Value::F64(v as u64),
            4 => Value::FuncRef(Some(v as u32)),
            _ => Value::ExternRef(None),
        }).collect();
        let id = PrimitiveId(id % 200);
        let before = both.environment().clone();
        let fits = both.board.primitive(id).is_some_and(|p| p.accepts(&args));
        let input = both.driver.input(&both.board, id, &args, both.memory.len());
        let output = both.driver.output(&both.board, id, &args, &both.memory);
        let twin = both.twin.apply(&both.board, id, &args, &both.memory, &Captured::Nothing);
        prop_assert!(input.is_err() || output.is_err());
        prop_assert_eq!(output.is_err(), twin.is_err());
        if !fits {
            prop_assert!(input.is_err() && output.is_err());
            prop_assert_eq!(both.environment(), &before);
        }
    }
}

/// The laws above are about every primitive only if the random programs reach every one.
#[test]
fn every_output_changes_something() {
    let mut both = Both::new(board(0));
    let board = both.board.clone();
    let args = |primitive: &Primitive| -> Vec<Value> {
        let third = if primitive.name == "subscribe_interrupt" {
            // A mode that exists.
            3
        } else {
            30
        };
        primitive
            .params
            .iter()
            .enumerate()
            .map(|(i, ty)| match ty {
                ValType::I64 => Value::I64(9),
                ValType::F64 => Value::F64(9f64.to_bits()),
                _ => Value::I32([1, 2, third, 40, 5, 6, 7][i]),
            })
            .collect()
    };
    // Started, so that there is something to stop; shown, so that there is something to clear.
    for (name, given) in [
        ("tone", vec![440]),
        ("set_pixel_color", vec![0, 1, 1, 1]),
        ("drive_motor", vec![1, 50]),
    ] {
        let id = board.named("env", name).next().unwrap();
        let given: Vec<Value> = given.into_iter().map(Value::I32).collect();
        both.perform(
            &Call {
                id,
                args: given,
                at: 0,
            },
            None,
        )
        .unwrap();
    }
    let quiet = ["spi_begin", "display_width", "display_height", "fire"];
    for id in board.ids() {
        let primitive = board.primitive(id).unwrap();
        if primitive.kind == PrimitiveKind::Input
            || primitive.kind == PrimitiveKind::Trap
            || quiet.contains(&&*primitive.name)
        {
            continue;
        }
        let prepare = match &*primitive.name {
            "show_pixels" | "clear_pixels" => Some(("set_pixel_color", vec![3, 9, 9, 9])),
            "noTone" => Some(("tone", vec![880])),
            "stop_motor" => Some(("drive_motor", vec![1, 70])),
            "unsubscribe_timer" => Some(("subscribe_timer", vec![10, 1])),
            "unsubscribe_interrupt" => Some(("subscribe_interrupt", vec![1, 1, 1])),
            _ => None,
        };
        if let Some((name, given)) = prepare {
            let id = board.named("env", name).next().unwrap();
            let given: Vec<Value> = given.into_iter().map(Value::I32).collect();
            both.perform(
                &Call {
                    id,
                    args: given,
                    at: 0,
                },
                None,
            )
            .unwrap();
        }
        let prepared = both.environment().clone();
        let done = both.perform(
            &Call {
                id,
                args: args(primitive),
                at: 0,
            },
            None,
        );
        let done = done.unwrap_or_else(|| panic!("{} was refused", primitive.name));
        assert_ne!(
            both.environment(),
            &prepared,
            "{} changes something",
            primitive.name
        );
        both.undo(&done);
        assert_eq!(
            both.environment(),
            &prepared,
            "{} is undone",
            primitive.name
        );
    }
}
