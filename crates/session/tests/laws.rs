//! The theorems of the MIO paper as properties of random sessions with random programs on random boards.
//!
//! 1. Soundness: every state that a session shows is reached by a plain run with the inputs on its path.
//! 2. Completeness: every state of a plain run can be reached by a session.
//! 3. Compensation soundness: the environment is that of a plain run to where the device stands.
//! 4. Mocks decide the inputs that they name and nothing else; a state shown by way of keyframes is the replayed one.
//!
//! 1 and 3 hold after each of the 200 commands of a session ([`Walk::check`]), and so does the second half of 4: sessions
//! show nearly everything by way of keyframes, the plain run uses none.

use crate::support::oracle::{Mock, Plain, Rest};
use crate::support::scenario::{Kind, Line, Scenario};
use crate::support::seeds::check;
use crate::support::walk::{Manners, Walk};
use borges_session::Flow;
use borges_session::command::{Act, Direction, MockValues, Reply};
use fastrand::Rng;

const CASES: u64 = 1000;
const COMMANDS: usize = 200;

/// Nothing but what a law asks for.
const CALM: Manners = Manners {
    pauses: false,
    uploads: false,
    cable: false,
};

/// A random session, by differences or (one in four) on a device that takes none.
fn sound(seed: u64, line: Line) {
    let scenario = Scenario::new(seed, Kind::WILD);
    let mut options = scenario.options(line);
    options.device_takes_differences = seed % 16 / 4 != 0;
    let manners = Manners {
        pauses: true,
        uploads: true,
        cable: line == Line::Bad,
    };
    let mut walk = Walk::new(&scenario, scenario.open(options), seed, manners);
    walk.go(COMMANDS);
}

/// Some moments of a plain run, in any order: a session comes to each, and its device too.
fn complete(seed: u64, line: Line) {
    let scenario = Scenario::new(seed, Kind::WILD);
    let mut rng = Rng::with_seed(seed);
    let mut plain = scenario.live();
    let mut stops: Vec<u64> = (0..4).map(|_| rng.u64(0..1500)).collect();
    stops.sort_unstable();
    let mut moments = Vec::new();
    for stop in stops {
        // The attempt that traps is not retired: a moment is before it.
        let trapped = matches!(plain.go(stop, &mut []), Rest::Trapped(_));
        let state = (plain.machine.steps(), plain.machine.hash());
        let board = plain.driver.state().hash64();
        moments.push((plain.moment(), (!trapped).then_some(state), board));
    }
    rng.shuffle(&mut moments);
    let session = scenario.open(scenario.options(line));
    let mut walk = Walk::new(&scenario, session, seed, CALM);
    for (target, state, board) in moments {
        let jump = Act::Jump {
            target: target.clone(),
        };
        let jumped = walk.execute(jump);
        assert!(jumped.is_ok(), "{target}: {jumped:?}\n{}", walk.story());
        walk.check();
        let machine = walk.session.machine();
        let shown = (machine.steps(), machine.hash());
        if let Some(state) = state {
            assert_eq!(shown, state, "state at {target}\n{}", walk.story());
        }
        // A motor that this device has turned already may have slipped in its own way: then the path says so.
        if walk.moment() == target {
            let shown = walk.session.board_state().hash64();
            assert_eq!(shown, board, "board at {target}\n{}", walk.story());
        }
        let followed = walk.execute(Act::Follow { always: None });
        assert!(followed.is_ok(), "{target}: {followed:?}");
        walk.check();
    }
}

/// Calls that can be mocked, with values that some codomain has.
const MOCKABLE: [(&str, &str, Option<i32>, i32); 8] = [
    ("chip_digital_read", "chip_digital_read", None, 1),
    ("chip_digital_read(3)", "chip_digital_read", Some(3), 1),
    ("chip_analog_read", "chip_analog_read", None, 4095),
    ("chip_analog_read(10)", "chip_analog_read", Some(10), 4095),
    ("color_sensor(0)", "color_sensor", Some(0), 100),
    ("read_uart_sensor", "read_uart_sensor", None, 100),
    ("nxt_touch_sensor(1)", "nxt_touch_sensor", Some(1), 1),
    ("nxt_touch_sensor", "nxt_touch_sensor", None, 1),
];

/// With the same mocks, a session and a plain run come to the same end by the same inputs.
fn mocked(seed: u64, line: Line) {
    let scenario = Scenario::new(seed, Kind::TAME);
    let mut rng = Rng::with_seed(seed);
    let session = scenario.open(scenario.options(line));
    let mut walk = Walk::new(&scenario, session, seed, CALM);
    let mut mocks = Vec::new();
    for _ in 0..rng.usize(1..5) {
        let (call, name, arg, most) = MOCKABLE[rng.usize(0..MOCKABLE.len())];
        let values: Vec<i32> = (0..rng.usize(1..4)).map(|_| rng.i32(0..=most)).collect();
        let texts = values.iter().map(ToString::to_string).collect();
        let again = rng.bool();
        let command = Act::Mock {
            call: call.to_owned(),
            values: match again {
                true => MockValues::Sequence(texts),
                false => MockValues::Then(texts),
            },
        };
        if walk.execute(command).is_err() {
            // A rule of the board forbids the value.
            continue;
        }
        let mut ids = scenario.board.ids();
        let same = |id: &_| {
            let primitive = scenario.board.primitive(*id);
            primitive.is_some_and(|primitive| primitive.name == name)
        };
        let args = arg.map(|arg| vec![borges_vm::Value::I32(arg)]);
        let primitive = ids.find(same).expect("calls are of the board");
        // A mock of the same calls replaces the one before.
        mocks.retain(|mock: &Mock| (mock.primitive, &mock.args) != (primitive, &args));
        mocks.push(Mock {
            primitive,
            args,
            values: values.into_iter().map(borges_vm::Value::I32).collect(),
            again,
            used: 0,
        });
    }
    let onward = Act::Continue {
        direction: Direction::Forward,
    };
    let stopped = walk.execute(onward);
    assert!(stopped.is_ok(), "{stopped:?}\n{}", walk.story());
    walk.check();
    let mut plain: Plain = scenario.live();
    plain.go(u64::MAX, &mut mocks);
    assert_eq!(walk.moment(), plain.moment(), "{mocks:?}\n{}", walk.story());
    let machine = walk.session.machine();
    assert_eq!(machine.hash(), plain.machine.hash(), "{}", walk.story());
    let board = walk.session.board_state();
    assert_eq!(
        board.hash64(),
        plain.driver.state().hash64(),
        "{}",
        walk.story()
    );
    // What the keyframes show is what a replay from the start shows.
    let hash = machine.hash();
    for _ in 0..3 {
        let target = format!("@{}", rng.u64(0..=plain.machine.steps()));
        let _shown = walk.execute(Act::Jump { target });
        walk.check();
    }
    let verified = walk.session.execute(Act::Verify, &mut |_| Flow::Continue);
    assert!(matches!(verified, Ok(Reply::Done { .. })), "{verified:?}");
    let _end = walk.execute(Act::Jump {
        target: "tip".to_owned(),
    });
    assert_eq!(walk.session.machine().hash(), hash, "{}", walk.story());
}

/// A law, in four parts.
macro_rules! law {
    ($name:ident, $line:expr, $case:expr) => {
        mod $name {
            use super::*;

            fn part(part: u64) {
                check(stringify!($name), part, CASES, |seed| $case(seed, $line));
            }

            #[test]
            fn part_1() {
                part(0);
            }

            #[test]
            fn part_2() {
                part(1);
            }

            #[test]
            fn part_3() {
                part(2);
            }

            #[test]
            fn part_4() {
                part(3);
            }
        }
    };
}

law!(soundness_over_a_perfect_link, Line::Perfect, sound);
law!(soundness_over_a_bad_link, Line::Bad, sound);
law!(completeness_over_a_perfect_link, Line::Perfect, complete);
law!(completeness_over_a_bad_link, Line::Bad, complete);
law!(mocks_over_a_perfect_link, Line::Perfect, mocked);
law!(mocks_over_a_bad_link, Line::Bad, mocked);
