//! Limits of the board file: what plain runs, sessions, graphs and searches say of them is one and the same.

use std::path::{Path, PathBuf};
use std::time::Duration;

use borges_session::command::listing::BreakpointListing;
use borges_session::command::{Act, Direction, Look, MockValues, Reply, StepSize, StopReason};
use borges_session::headless::{Inputs, RunOptions, RunReport, run};
use borges_session::suggest::{
    Demand, DemandReport, Proved, Question, StatesOptions, StatesReport, SuggestionListing, Within,
    states_of_program,
};
use borges_session::{Flow, Options, Session};

use crate::written;

/// Each press turns a needle by what a dial says; a second button turns it back.
const NEEDLE: &str = r#"(module
    (import "env" "chip_digital_read" (func $button (param i32) (result i32)))
    (import "env" "rotate" (func $rotate (param i32 i32 i32)))
    (func (export "main")
        (loop $again
            (if (call $button (i32.const 1))
                (then (call $rotate (i32.const 0) (i32.const 90) (i32.const 5000)))
                (else (if (call $button (i32.const 2))
                    (then (call $rotate (i32.const 0) (i32.const -90) (i32.const 5000))))))
            (br $again))))"#;

/// A lock that lets two coils be on at once, if a key comes at the wrong moment.
const COILS: &str = r#"(module
    (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (global $opens (mut i32) (i32.const 0))
    (func (export "main")
        (loop $again
            (call $write (i32.const 4) (call $read (i32.const 1)))
            (if (i32.and (global.get $opens) (call $read (i32.const 2)))
                (then
                    (call $write (i32.const 5) (i32.const 1))
                    (call $write (i32.const 5) (i32.const 0))))
            (global.set $opens (i32.xor (global.get $opens) (call $read (i32.const 3))))
            (br $again))))"#;

/// A motor that runs while the program waits, for as long as a sensor says.
const DRIVES: &str = r#"(module
    (import "env" "read_uart_sensor" (func $read (param i32) (result i32)))
    (import "env" "drive_motor" (func $drive (param i32 i32)))
    (import "env" "drive_motor_ms" (func $drive_ms (param i32 i32 i32)))
    (import "env" "chip_delay" (func $delay (param i32)))
    (func (export "main")
        (loop $again
            (call $drive (i32.const 0) (i32.const 1000))
            (call $delay (call $read (i32.const 0)))
            (call $drive (i32.const 0) (i32.const 0))
            (call $drive_ms (i32.const 1) (i32.mul (i32.const 100) (call $read (i32.const 1))) (i32.const 3))
            (br $again))))"#;

/// What a sensor says is written to a pin, which stays so for as long as another says, and a millisecond.
const PULSES: &str = r#"(module
    (import "env" "read_uart_sensor" (func $read (param i32) (result i32)))
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (import "env" "chip_delay" (func $delay (param i32)))
    (func (export "main")
        (loop $again
            (call $write (i32.const 4) (i32.and (call $read (i32.const 0)) (i32.const 1)))
            (call $delay (call $read (i32.const 1)))
            (call $delay (i32.const 1))
            (br $again))))"#;

/// A millisecond of light if a sensor says so, and two of darkness.
const STROBE: &str = r#"(module
    (import "env" "read_uart_sensor" (func $read (param i32) (result i32)))
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (import "env" "chip_delay" (func $delay (param i32)))
    (func (export "main")
        (loop $again
            (if (call $read (i32.const 0))
                (then
                    (call $write (i32.const 4) (i32.const 1))
                    (call $delay (i32.const 1))
                    (call $write (i32.const 4) (i32.const 0))))
            (call $delay (i32.const 2))
            (br $again))))"#;

/// A pin that changes whenever a clock shows another time.
const TICKS: &str = r#"(module
    (import "env" "millis" (func $millis (result i32)))
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (global $level (mut i32) (i32.const 0))
    (global $last (mut i32) (i32.const 0))
    (func (export "main") (local $now i32)
        (loop $again
            (local.set $now (call $millis))
            (if (i32.ne (local.get $now) (global.get $last))
                (then
                    (global.set $last (local.get $now))
                    (global.set $level (i32.xor (global.get $level) (i32.const 1)))
                    (call $write (i32.const 4) (global.get $level))))
            (br $again))))"#;

struct Made {
    _folder: tempfile::TempDir,
    program: PathBuf,
}

impl Made {
    fn new(wat: &str, board: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = written::written(folder.path(), wat);
        std::fs::write(folder.path().join("board.toml"), board).unwrap();
        Made {
            _folder: folder,
            program,
        }
    }

    fn states(&self) -> StatesReport {
        states(&self.program, None)
    }

    fn run(&self, values: &[i32]) -> RunReport {
        let options = RunOptions {
            inputs: Inputs::Texts(values.iter().map(ToString::to_string).collect()),
            ..RunOptions::default()
        };
        run(&self.program, None, &options, &mut |_| Flow::Continue).unwrap()
    }

    fn session(&self) -> Session {
        Session::open(Options::new(&self.program)).unwrap()
    }
}

fn states(program: &Path, board: Option<&Path>) -> StatesReport {
    // With time enough on a machine that is busy otherwise.
    let options = StatesOptions {
        time: Some(Duration::from_secs(60)),
        ..StatesOptions::default()
    };
    states_of_program(program, board, &options, &[], &mut |_| Flow::Continue).unwrap()
}

fn limit(report: &StatesReport) -> &DemandReport {
    let [limit] = report.demands.as_slice() else {
        panic!("{:?}", report.demands);
    };
    assert_eq!(limit.demand, Demand::Limit);
    limit
}

fn asked(session: &mut Session, within: Within) -> SuggestionListing {
    let command = Look::Suggest {
        question: Question::Bugs,
        within,
    };
    match session.execute(command, &mut |_| Flow::Continue) {
        Ok(Reply::Suggestions(listing)) => *listing,
        other => panic!("{other:?}"),
    }
}

fn stopped(session: &mut Session, act: Act) -> StopReason {
    match session.execute(act, &mut |_| Flow::Continue) {
        Ok(Reply::Stopped(stop)) => stop.reason,
        other => panic!("{other:?}"),
    }
}

fn breakpoints(session: &mut Session) -> Vec<BreakpointListing> {
    match session.execute(Look::Breakpoints, &mut |_| Flow::Continue) {
        Ok(Reply::Breakpoints { breakpoints }) => breakpoints,
        other => panic!("{other:?}"),
    }
}

/// The dial of the example turns its needle to 315 degrees.
#[test]
fn at_the_limit_and_one_past_it() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/color-dial");
    let program = examples.join("color-dial.wasm");
    let peg = states(&program, Some(&examples.join("peg.toml")));
    let broken = limit(&peg);
    assert_eq!((broken.verdict, broken.inputs), (Proved::Fails, Some(1)));
    assert_eq!(broken.condition, "motor 0 = 0..300");
    assert_eq!(broken.note.as_deref(), Some("it would be 315"));
    assert_eq!(
        broken.place.as_deref(),
        Some("before drive_motor_degrees(0, 5000, 315) at color-dial/color-dial.ts:19")
    );
    assert_eq!(broken.answers, [serde_json::json!(7)]);
    assert!(peg.complete && peg.traps.is_empty());
    let text = std::fs::read_to_string(examples.join("peg.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (range, verdict) in [("0..314", Proved::Fails), ("0..315", Proved::Holds)] {
        let board = folder.path().join("other.toml");
        std::fs::write(&board, text.replace("0..300", range)).unwrap();
        let report = states(&program, Some(&board));
        assert_eq!(limit(&report).verdict, verdict, "{range}");
        assert!(report.complete, "{range}");
    }
}

/// All sequences of inputs, shorter ones first, until a plain run of one breaks a limit: how many inputs that takes.
fn least_inputs(made: &Made, values: &[i32], most: u32) -> Option<u32> {
    (0..=most).find(|length| {
        let sequences = values.len().pow(*length);
        (0..sequences).any(|number| {
            let digit = |place: u32| values[number / values.len().pow(place) % values.len()];
            let sequence: Vec<i32> = (0..*length).map(digit).collect();
            !made.run(&sequence).limits.is_empty()
        })
    })
}

/// A graph says of a limit what all sequences of inputs say, run one by one.
#[test]
fn graphs_agree_with_all_plain_runs() {
    let needle = |range: &str| {
        (
            NEEDLE,
            format!("motors = 1\n[limits]\n\"motor 0\" = \"{range}\"\n"),
        )
    };
    let coils = (
        COILS,
        "[labels]\n4 = \"left coil\"\n[limits]\n\"left coil\" = { never_with = \"pin 5\" }\n"
            .to_owned(),
    );
    let drives = |limit: &str| {
        let ranges = "\"read_uart_sensor(*)\" = \"0..9\"";
        (
            DRIVES,
            format!("motors = 2\n[ranges]\n{ranges}\n[limits]\n{limit}\n"),
        )
    };
    let pulses = |waits: &str, limit: &str| {
        let ranges =
            format!("\"read_uart_sensor(0)\" = \"0..9\"\n\"read_uart_sensor(1)\" = \"{waits}\"");
        (
            PULSES,
            format!("[ranges]\n{ranges}\n[limits]\n\"pin 4\" = {{ {limit} }}\n"),
        )
    };
    let strobe = |share: &str| {
        let range = "\"read_uart_sensor(0)\" = \"0..1\"";
        (
            STROBE,
            format!("[ranges]\n{range}\n[limits]\n\"pin 4\" = {{ high_share = \"{share}\" }}\n"),
        )
    };
    let cases = [
        // A millisecond more than the least wait, and one past it.
        (pulses("5..9", "apart = \"6 ms\""), &[5, 6, 9][..], 6, None),
        (pulses("5..9", "apart = \"7 ms\""), &[5, 6, 9], 6, Some(3)),
        (pulses("0..9", "apart = \"1 ms\""), &[0, 1, 9], 6, None),
        // Two rounds of at most ten.
        (
            pulses("0..9", "high_at_most = \"10 ms\""),
            &[0, 1, 9],
            6,
            Some(4),
        ),
        (
            pulses("0..9", "high_at_most = \"9999 us\""),
            &[0, 1, 9],
            6,
            Some(2),
        ),
        (
            pulses("0..9", "high_at_most = \"19 ms\""),
            &[0, 1, 9],
            6,
            Some(4),
        ),
        // High for 10 ms, low for one, high for ten: of any 20 ms, 19 is the most.
        (
            pulses("0..9", "high_share = \"19 ms of any 20 ms\""),
            &[0, 1, 9],
            6,
            Some(4),
        ),
        (
            pulses("0..2", "high_share = \"3 ms of 4 ms\""),
            &[0, 1, 2],
            6,
            Some(4),
        ),
        (
            pulses("0..2", "high_share = \"50 % of any 4 ms\""),
            &[0, 1, 2],
            6,
            Some(2),
        ),
        // A round that is high, one that is low: so it is for ever.
        (strobe("1 ms of 3 ms"), &[0, 1], 6, None),
        (strobe("999 us of 3 ms"), &[0, 1], 6, Some(1)),
        // A microsecond of the last but one.
        (strobe("1 ms of 3001 us"), &[0, 1], 6, Some(2)),
        (needle("-90..180"), &[0, 1], 6, Some(3)),
        (needle("-180..360"), &[0, 1], 6, Some(5)),
        (coils, &[0, 1], 6, Some(5)),
        // 1000 of 10,000 is a tenth of 1000 degrees a second: 9 ms are 0.9 degrees, rounded down.
        (drives("\"motor 0\" = \"0..0\""), &[0, 8, 9], 4, Some(3)),
        (
            drives("\"speed of motor 1\" = \"under 900\""),
            &[0, 8, 9],
            4,
            Some(2),
        ),
        (
            drives("\"speed of motor 1\" = \"0..900\""),
            &[0, 8, 9],
            4,
            None,
        ),
        (
            drives("\"speed of motor 0\" = \"under 1000\""),
            &[0, 8, 9],
            4,
            Some(0),
        ),
    ];
    for ((wat, board), values, most, expected) in cases {
        let made = Made::new(wat, &board);
        let plain = least_inputs(&made, values, most);
        assert_eq!(plain, expected, "{board}");
        let report = made.states();
        let limit = limit(&report);
        assert_eq!(limit.inputs, expected, "{board}");
        let verdict = match expected {
            Some(_) => Proved::Fails,
            None => Proved::Holds,
        };
        assert_eq!(limit.verdict, verdict, "{board}");
        assert!(report.complete, "{board}: {:?}", report.unexplored);
        let bugs = asked(&mut made.session(), Within::default());
        assert!(bugs.forever, "{board}: {bugs:?}");
        let found = bugs.found.first();
        assert_eq!(
            found.map(|path| path.inputs.len() as u32),
            expected,
            "{board}"
        );
        // Paths say so too, as far as they look.
        let within = Within {
            inputs: Some(most.min(5)),
            time_ms: Some(60_000),
            ..Within::default()
        };
        let bugs = asked(&mut made.session(), within);
        assert!(!bugs.forever);
        let found = bugs.found.first();
        assert_eq!(
            found.map(|path| path.inputs.len() as u32),
            expected,
            "{board}: {bugs:?}"
        );
        assert!(found.is_none_or(|path| path.kind == "broke"), "{board}");
        let mut places: Vec<_> = bugs.found.iter().map(|path| &path.place).collect();
        places.dedup();
        assert_eq!(places.len(), bugs.found.len(), "{board}: {:?}", bugs.found);
    }
}

/// A session stops before the call that breaks a limit, and finds it again from both sides.
#[test]
fn a_session_stops_where_a_limit_would_be_broken() {
    let made = Made::new(NEEDLE, "motors = 1\n[limits]\n\"motor 0\" = \"0..180\"\n");
    let mut session = made.session();
    let listed = breakpoints(&mut session);
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].resolved, "motor 0 = 0..180");
    let mock = Act::Mock {
        call: "chip_digital_read(1)".to_owned(),
        values: MockValues::Sequence(vec!["1".to_owned()]),
    };
    assert!(session.execute(mock, &mut |_| Flow::Continue).is_ok());
    let go = |direction| Act::Continue { direction };
    let broken = StopReason::Limit {
        limit: "motor 0 = 0..180: it would be 270".to_owned(),
    };
    assert_eq!(stopped(&mut session, go(Direction::Forward)), broken);
    let there = session.here();
    let angle = |session: &Session| {
        let device = session.simulated().unwrap();
        device.with(|stub| stub.hardware().environment().angle(0).degrees())
    };
    assert_eq!(angle(&session), 180);
    let step = Act::Step {
        size: StepSize::Entry,
        direction: Direction::Forward,
        count: 1,
        agent: None,
    };
    assert_eq!(stopped(&mut session, step.clone()), StopReason::Done);
    assert_eq!(angle(&session), 270);
    assert_eq!(stopped(&mut session, step), StopReason::Done);
    assert_eq!(stopped(&mut session, go(Direction::Backward)), broken);
    assert_eq!(session.here().steps, there.steps);
    assert_eq!(breakpoints(&mut session)[0].count, 1);
    // What is recorded stops there as well.
    assert_eq!(stopped(&mut session, Act::Restart), StopReason::Start);
    assert_eq!(stopped(&mut session, go(Direction::Forward)), broken);
    assert_eq!(session.here().steps, there.steps);
}

/// Also while nothing is written: before the wait in which a pin would be high for too much of a window, and again when what
/// was too much has left the window.
#[test]
fn a_session_stops_before_a_wait_that_is_too_long() {
    let share = "[limits]\n\"pin 4\" = { high_share = \"25 % of any 8 ms\" }\n";
    let made = Made::new(STROBE, share);
    let mut session = made.session();
    // Light from 0 to 1 ms, from 3 to 4, and from 6 to 7: of the 8 ms that end then it is the third.
    let values = ["1", "1", "1", "0", "0", "1", "1", "1"].map(str::to_owned);
    let mock = Act::Mock {
        call: "read_uart_sensor(0)".to_owned(),
        values: MockValues::Sequence(values.to_vec()),
    };
    assert!(session.execute(mock, &mut |_| Flow::Continue).is_ok());
    let go = |direction| Act::Continue { direction };
    let broken = StopReason::Limit {
        limit: "pin 4 high for at most 25 % of any 8 ms: it would be high for 3 ms of 8 ms"
            .to_owned(),
    };
    assert_eq!(stopped(&mut session, go(Direction::Forward)), broken);
    let first = session.here();
    assert_eq!(stopped(&mut session, go(Direction::Forward)), broken);
    assert!(session.here().steps > first.steps);
    assert_eq!(stopped(&mut session, go(Direction::Backward)), broken);
    assert_eq!(session.here().steps, first.steps);
    // What is recorded stops there as well.
    assert_eq!(stopped(&mut session, Act::Restart), StopReason::Start);
    assert_eq!(stopped(&mut session, go(Direction::Forward)), broken);
    assert_eq!(session.here().steps, first.steps);
}

/// A plain run goes on, and says at the end what was broken where, and how often.
#[test]
fn a_plain_run_tells_what_it_broke() {
    let made = Made::new(NEEDLE, "motors = 1\n[limits]\n\"motor 0\" = \"0..180\"\n");
    // Three turns forward, of which the third is too far, one back, one forward again.
    let report = made.run(&[1, 1, 1, 1, 0, 1, 0, 1, 1, 0]);
    let [broken] = report.limits.as_slice() else {
        panic!("{:?}", report.limits);
    };
    assert_eq!((broken.value.as_str(), broken.times), ("270", 2));
    assert_eq!(broken.call, "rotate(0, 90, 5000)");
    assert!(made.run(&[1, 1, 0, 1, 1]).limits.is_empty());
}

/// What passes between two readings of a clock counts for changes, and an exploration that does not follow it says so.
#[test]
fn a_clock_that_the_program_reads_counts() {
    let made = Made::new(TICKS, "[limits]\n\"pin 4\" = { apart = \"20 ms\" }\n");
    assert!(made.run(&[5, 25, 50, 70]).limits.is_empty());
    let report = made.run(&[5, 25, 44, 70]);
    let [broken] = report.limits.as_slice() else {
        panic!("{:?}", report.limits);
    };
    assert_eq!(broken.value, "changed again after 19 ms");
    let report = made.states();
    let limit = limit(&report);
    assert_eq!(limit.verdict, Proved::Unknown);
    let note = limit.note.as_deref().unwrap_or_default();
    assert!(note.contains("the program calls millis"), "{note}");
    let bugs = asked(&mut made.session(), Within::default());
    assert!(bugs.found.is_empty() && !bugs.complete, "{bugs:?}");
    let mut reasons = bugs.unexplored.iter().map(|left| &left.reason);
    assert!(
        reasons.any(|reason| reason.contains("changes of pin 4 20 ms apart")),
        "{bugs:?}"
    );
}
