//! Simulated boards at work: sources, models, time, events. Boards are given as board files.

#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

use borges_board::{
    Board, Captured, Compensation, Driver, Event, EventSource, Hardware, PrimitiveId,
};
use borges_sim::SimBoard;
use borges_vm::{ValType, Value};
use borges_wasi::{Chosen, ClockId, Setup, Wants, World};

/// A program's calls on a simulated board.
struct Bench {
    board: Board,
    driver: Driver<SimBoard>,
}

impl Bench {
    fn new(toml: &str) -> Self {
        let board = Board::parse("board.toml", toml).unwrap_or_else(|error| panic!("{error}"));
        let driver = Driver::new(&board, SimBoard::new(&board));
        Bench { board, driver }
    }

    fn id(&self, name: &str, args: usize) -> PrimitiveId {
        let fits = |id: &PrimitiveId| {
            let p = self.board.primitive(*id).unwrap();
            p.name == name && p.params.len() == args
        };
        self.board.ids().find(fits).unwrap()
    }

    fn read(&mut self, name: &str, args: &[i32]) -> i64 {
        let id = self.id(name, args.len());
        let args: Vec<Value> = args.iter().map(|v| Value::I32(*v)).collect();
        let read = self.driver.input(&self.board, id, &args, 0).unwrap();
        match read.value {
            Value::I32(v) => i64::from(v),
            Value::I64(v) => v,
            other => panic!("{other}"),
        }
    }

    fn reads(&mut self, name: &str, args: &[i32], count: usize) -> Vec<i64> {
        (0..count).map(|_| self.read(name, args)).collect()
    }

    fn write(&mut self, name: &str, args: &[i32]) -> Captured {
        let id = self.id(name, args.len());
        let args: Vec<Value> = args.iter().map(|v| Value::I32(*v)).collect();
        self.driver
            .output(&self.board, id, &args, b"text")
            .unwrap()
            .captured
    }

    fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.driver.poll_event()).collect()
    }
}

#[test]
fn scripts_end_as_declared() {
    let mut bench = Bench::new(
        r#"
        [sources]
        "chip_analog_read(0)" = 512
        "chip_analog_read(1)" = { script = [1, 2] }
        "chip_analog_read(2)" = { script = [1, 2], then = "repeat" }
        "chip_analog_read(3)" = { script = [1, 2], then = 9 }
        "random_int(*)" = { script = [3, 700] }
        "#,
    );
    assert_eq!(bench.reads("chip_analog_read", &[0], 3), [512, 512, 512]);
    assert_eq!(bench.reads("chip_analog_read", &[1], 4), [1, 2, 2, 2]);
    assert_eq!(bench.reads("chip_analog_read", &[2], 5), [1, 2, 1, 2, 1]);
    assert_eq!(bench.reads("chip_analog_read", &[3], 4), [1, 2, 9, 9]);
    assert_eq!(
        bench.reads("random_int", &[8], 2),
        [3, 700 % 8],
        "what is no answer is folded into one"
    );
}

#[test]
fn waves_follow_the_clock() {
    let mut bench = Bench::new(
        r#"
        [sources]
        "chip_analog_read(0)" = { wave = "sine", low = 0, high = 4000, period = "8 ms" }
        "chip_analog_read(1)" = { wave = "triangle", low = 0, high = 100, period = "4 ms" }
        "chip_analog_read(2)" = { wave = "saw", low = 10, high = 50, period = "4 ms", phase = "1 ms" }
        "chip_analog_read(3)" = { wave = "square", low = 1, high = 3, period = "4 ms" }
        "#,
    );
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push([0, 1, 2, 3].map(|pin| bench.read("chip_analog_read", &[pin])));
        bench.write("chip_delay", &[1]);
    }
    let expected = [
        [2000, 0, 20, 1],
        [3414, 50, 30, 1],
        [4000, 100, 40, 3],
        [3414, 50, 10, 3],
        [2000, 0, 20, 1],
    ];
    assert_eq!(seen, expected);
}

#[test]
fn noise_is_the_same_every_time_and_within_bounds() {
    let toml = |seed: u32| {
        format!(
            r#"
            [simulation]
            seed = {seed}
            [sources]
            "chip_analog_read(0)" = {{ noise = [100, 103] }}
            "chip_analog_read(1)" = {{ noise = [0, 4095], step = 40 }}
            "#
        )
    };
    let run = |seed| {
        let mut bench = Bench::new(&toml(seed));
        let unsourced = [
            bench.reads("color_sensor", &[2], 50),
            bench.reads("random_int", &[], 50),
        ]
        .concat();
        (
            bench.reads("chip_analog_read", &[0], 200),
            bench.reads("chip_analog_read", &[1], 200),
            unsourced,
        )
    };
    let (narrow, walk, unsourced) = run(7);
    assert_eq!((narrow.clone(), walk.clone(), unsourced.clone()), run(7));
    assert_ne!(walk, run(8).1);
    for value in 100..=103 {
        let times = narrow.iter().filter(|v| **v == value).count();
        assert!(
            (30..70).contains(&times),
            "{value} came {times} times of 200"
        );
    }
    assert!(walk.windows(2).all(|w| (w[0] - w[1]).abs() <= 40));
    assert!(unsourced.iter().take(50).all(|v| (0..=100).contains(v)));
}

#[test]
fn a_simulated_board_obeys_its_rules() {
    let mut bench = Bench::new(
        r#"
        rules = [
          "when the level of pin 45 is 1, color_sensor(0) is 5",
          "readings of pin 12 change by at most 40 between two reads",
        ]
        [sources]
        "color_sensor(0)" = 2
        "chip_analog_read(12)" = { script = [100, 500, 0, 120] }
        "#,
    );
    assert_eq!(bench.read("color_sensor", &[0]), 2);
    bench.write("chip_digital_write", &[45, 1]);
    assert_eq!(bench.read("color_sensor", &[0]), 5);
    assert_eq!(
        bench.reads("chip_analog_read", &[12], 4),
        [100, 140, 100, 120]
    );
}

#[test]
fn a_disc_turns_under_its_sensor() {
    let mut bench = Bench::new(
        r#"
        [[model]]
        kind = "disc"
        motor = 0
        sensor = "color_sensor(0)"
        sectors = [[90, 1], [180, 2], [360, 5]]
        "#,
    );
    assert_eq!(bench.read("color_sensor", &[0]), 1);
    for (turn, colour) in [(90, 2), (89, 2), (1, 5), (-181, 5), (1, 1), (720, 1)] {
        bench.write("drive_motor_degrees", &[0, 10_000, turn]);
        assert_eq!(bench.read("color_sensor", &[0]), colour, "after {turn}");
    }
    // Half a second at half speed: 250 degrees.
    bench.write("drive_motor", &[0, 5000]);
    bench.write("chip_delay", &[500]);
    assert_eq!(bench.read("color_sensor", &[0]), 5);
}

#[test]
fn a_room_warms_up_and_forgets_what_was_undone() {
    let mut bench = Bench::new(
        r#"
        [[primitive]]
        name = "thermometer"
        result = "i32"
        kind = "input"
        codomain = "-20..160"
        [[model]]
        kind = "room"
        heater = 5
        sensor = "thermometer()"
        ambient = 18
        gain = 40
        inertia = "10 s"
        "#,
    );
    let minute = [60_000];
    bench.write("chip_delay", &minute);
    assert_eq!(bench.read("thermometer", &[]), 18);
    bench.write("chip_digital_write", &[5, 1]);
    let before = bench.driver.state().clone();
    let environment = bench.driver.hardware.environment().clone();
    let id = bench.id("chip_delay", 1);
    let args = [Value::I32(10_000)];
    let done = bench.driver.output(&bench.board, id, &args, &[]).unwrap();
    assert_eq!(bench.read("thermometer", &[]), 43, "63 % of the way");
    let compensation =
        Compensation::of(&bench.board, &before, id, &args, &[], &done.captured).unwrap();
    bench.driver.compensate(&bench.board, &compensation);
    assert_eq!(bench.read("thermometer", &[]), 18);
    assert_eq!(*bench.driver.hardware.environment(), environment);
    bench.write("chip_delay", &minute);
    assert_eq!(bench.read("thermometer", &[]), 58);
    bench.write("chip_analog_write", &[5, 51]);
    bench.write("chip_delay", &minute);
    assert_eq!(bench.read("thermometer", &[]), 26, "a fifth of the power");
}

#[test]
fn lamps_shine_and_wires_conduct() {
    let mut bench = Bench::new(
        r#"
        [[model]]
        kind = "light"
        lamp = 45
        sensor = "chip_analog_read(6)"
        dark = 100
        lit = 3000
        [[model]]
        kind = "wire"
        from = 3
        to = 4
        "#,
    );
    assert_eq!(bench.read("chip_analog_read", &[6]), 100);
    bench.write("chip_digital_write", &[45, 1]);
    assert_eq!(bench.read("chip_analog_read", &[6]), 3000);
    assert_eq!(bench.read("chip_digital_read", &[4]), 0);
    bench.write("chip_digital_write", &[3, 1]);
    assert_eq!(bench.read("chip_digital_read", &[4]), 1);
    assert_eq!(bench.read("chip_digital_read", &[3]), 1, "its own level");
}

#[test]
fn the_clock_counts_waits_and_steps() {
    let mut bench = Bench::new("[simulation]\nstep_ns = 100");
    bench.driver.at(25_000);
    assert_eq!(bench.read("micros", &[]), 2500);
    bench.write("chip_delay", &[7]);
    assert_eq!(bench.read("millis", &[]), 9);
    bench.write("drive_motor_degrees", &[0, 10_000, 500]);
    assert_eq!(bench.read("millis", &[]), 509, "half a second of turning");
    bench.driver.at(0);
    assert_eq!(
        bench.read("micros", &[]),
        507_000,
        "a jump back takes the clock along"
    );
}

const BUTTON: &str = r#"
    [simulation]
    step_ns = 1000
    [sources]
    "chip_digital_read(4)" = { timeline = ["1 ms: 1", "2 ms: 0", "5 ms: 1", "6 ms: 0"] }
    "chip_digital_read(7)" = { wave = "square", low = 0, high = 1, period = "4 ms" }
"#;

#[test]
fn pins_that_change_are_events() {
    let pin = |pin| EventSource::Pin(pin);
    let mut bench = Bench::new(BUTTON);
    assert_eq!(bench.driver.steps_to_event(), None, "nobody listens");
    bench.write("subscribe_interrupt", &[4, 10, 3]);
    assert_eq!(bench.driver.steps_to_event(), Some(1000));
    bench.driver.at(999);
    assert_eq!(bench.events(), []);
    assert_eq!(bench.driver.steps_to_event(), Some(1));
    bench.driver.at(1000);
    assert_eq!(
        bench.events(),
        [Event {
            source: pin(4),
            handler: 10
        }]
    );
    assert_eq!(bench.read("chip_digital_read", &[4]), 1);
    assert_eq!(
        bench.driver.steps_to_event(),
        Some(4000),
        "falling edges do not count"
    );

    bench.write("subscribe_interrupt", &[7, 11, 1]);
    bench.write("chip_delay", &[6]);
    let sources: Vec<EventSource> = bench.events().iter().map(|e| e.source).collect();
    // At 7 ms: rising at 2 and 6, falling at 4; the button once more at 5.
    assert_eq!(sources, [pin(7), pin(7), pin(4), pin(7)]);
    bench.write("unsubscribe_interrupt", &[7]);
    bench.write("chip_delay", &[1000]);
    assert_eq!(bench.events(), []);
}

#[test]
fn a_jump_back_brings_events_again() {
    let mut bench = Bench::new(BUTTON);
    bench.write("subscribe_interrupt", &[4, 10, 1]);
    bench.driver.at(3000);
    assert_eq!(bench.events().len(), 2);
    bench.driver.at(1500);
    assert_eq!(bench.events().len(), 0, "what lies before has happened");
    bench.driver.at(3000);
    assert_eq!(bench.events().len(), 1);
    bench.driver.at(9000);
    bench.driver.discard_events();
    assert_eq!(bench.events().len(), 0);
}

#[test]
fn timers_fire_at_multiples_of_their_period() {
    let mut bench = Bench::new(BUTTON);
    bench.driver.at(2500);
    bench.write("subscribe_timer", &[1000, 3]);
    assert_eq!(bench.driver.steps_to_event(), Some(500));
    bench.driver.at(3000);
    assert_eq!(
        bench.events(),
        [Event {
            source: EventSource::Timer,
            handler: 3
        }]
    );
    bench.write("chip_delay", &[10]);
    assert_eq!(bench.events().len(), 1, "ticks during a delay are one");
    assert_eq!(bench.driver.steps_to_event(), Some(1000));
    bench.write("unsubscribe_timer", &[]);
    assert_eq!(bench.driver.steps_to_event(), None);
}

#[test]
fn what_the_model_could_not_know_is_captured() {
    let mut bench =
        Bench::new("high_pins = [2]\n[simulation]\nsurprising_pins = [1, 2]\nmotor_slip = 100");
    assert_eq!(
        bench.write("chip_digital_write", &[0, 1]),
        Captured::Nothing
    );
    assert_eq!(
        bench.write("chip_digital_write", &[1, 0]),
        Captured::Level(true)
    );
    assert_eq!(
        bench.write("chip_digital_write", &[1, 1]),
        Captured::Nothing,
        "only before the first write"
    );
    assert_eq!(
        bench.write("chip_digital_write", &[2, 1]),
        Captured::Level(false)
    );
    assert_eq!(bench.write("chip_delay", &[5]), Captured::Nothing);
    let Captured::Motors(motors) = bench.write("drive_motor_degrees", &[1, 500, 90]) else {
        panic!("the motor slips");
    };
    assert_eq!(motors.len(), 1);
    assert_eq!((motors[0].motor, motors[0].before), (1, None));
    let after = motors[0].after.unwrap().0;
    assert!(
        after != 90_000_000 && (80_000_000..100_000_000).contains(&after),
        "{after}"
    );
    assert_eq!(
        bench.driver.state().motor(1).unwrap().angle,
        motors[0].after.unwrap()
    );
}

/// Compensations may come over a wire: damaged ones must not bring a device down, whatever else they do.
#[test]
fn damaged_compensations_do_no_harm() {
    let mut bench = Bench::new("console_bytes = 5000");
    let twin = borges_board::BoardState::new(&bench.board);
    let mut seed = 0x9e37_79b9u32;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below.max(1)
    };
    let outputs: Vec<PrimitiveId> = bench
        .board
        .ids()
        .filter(|id| {
            bench.board.primitive(*id).unwrap().kind == borges_board::PrimitiveKind::Output
        })
        .collect();
    let memory = [b'x'; 9000];
    let mut harmed = twin.clone();
    let mut applied = 0;
    for _ in 0..20_000 {
        let id = outputs[random(outputs.len())];
        let params = bench.board.primitive(id).unwrap().params.to_vec();
        let args: Vec<Value> = params
            .iter()
            .map(|ty| match ty {
                ValType::I64 => Value::I64(random(9) as i64),
                _ => Value::I32([random(9), random(300), random(9000)][random(3)] as i32),
            })
            .collect();
        // On the twin only: its states, damaged or not, must go on working.
        let before = harmed.clone();
        if harmed
            .apply(&bench.board, id, &args, &memory, &Captured::Nothing)
            .is_err()
        {
            continue;
        }
        let _ = bench.driver.output(&bench.board, id, &args, &memory);
        let compensation =
            Compensation::between(&bench.board, &before, &harmed, &Captured::Nothing);
        let mut bytes = postcard::to_allocvec(&compensation).unwrap();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte = [random(256), 255, 127, 0][random(4)] as u8;
            }
        }
        if let Ok(damaged) = postcard::from_bytes::<Compensation>(&bytes) {
            applied += 1;
            bench.driver.compensate(&bench.board, &damaged);
            bench.driver.at(random(1 << 20) as u64);
            bench.events();
            let mut driver = Driver::new(&bench.board, SimBoard::new(&bench.board));
            driver.compensate(&bench.board, &damaged);
        }
    }
    assert!(applied > 3000, "{applied}");
}

#[test]
fn clocks_go_with_the_steps_or_as_the_hosts() {
    let board = Board::default();
    let system = World::new(&Setup::default()).expect("a world");
    let wants = |last| Wants::Time {
        clock: ClockId::Monotonic,
        last,
    };
    let begun = std::time::Instant::now();
    let mut simulated = SimBoard::new(&board);
    let mut real = SimBoard::new(&board).in_real_time();
    for board in [&mut simulated, &mut real] {
        board.choose(&system, &wants(1000));
    }
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(simulated.choose(&system, &wants(1000)), Chosen::Later(0));
    let Chosen::Later(later) = real.choose(&system, &wants(1000)) else {
        panic!("no time");
    };
    let at_most = begun.elapsed().as_nanos() as u64;
    assert!((20_000_000..=at_most).contains(&later), "{later}");
}
