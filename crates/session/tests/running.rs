//! What is seen while a program runs, and how fast it goes.

use borges_session::command::{Act, Direction, Event, Look, Reply, StepSize, StopReason};
use borges_session::listing::LiveListing;
use borges_session::{Flow, Options, Pace, Session};

use crate::written;

/// Counts, shows how far it is on a pin, and waits for an hour each time.
const WAITS: &str = r#"(module
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (import "env" "chip_delay" (func $delay (param i32)))
    (global $count (export "count") (mut i32) (i32.const 0))
    (func (export "main")
        (loop $again
            (call $write (i32.const 4) (i32.and (global.get $count) (i32.const 1)))
            (call $delay (i32.const 3600000))
            (global.set $count (i32.add (global.get $count) (i32.const 1)))
            (br_if $again (i32.lt_s (global.get $count) (i32.const 4))))))"#;

/// Counts for ever.
const COUNTS: &str = r#"(module
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (global $count (export "count") (mut i32) (i32.const 0))
    (func (export "main") (local $i i32)
        (loop $again
            (call $write (i32.const 4) (i32.and (global.get $count) (i32.const 1)))
            (global.set $count (i32.add (global.get $count) (i32.const 1)))
            (local.set $i (i32.const 20000))
            (loop $wait
                (br_if $wait (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
            (br $again))))"#;

const GO_ON: Act = Act::Continue {
    direction: Direction::Forward,
};

fn open(text: &str, pace: &Pace) -> Session {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options {
        pace: pace.clone(),
        ..Options::new(written::written(folder.path(), text))
    };
    Session::open(options).expect("it opens")
}

fn keep(session: &mut Session, times: Option<u32>) {
    let said = session.execute(Act::Pace { times }, &mut |_| Flow::Continue);
    assert!(matches!(said, Ok(Reply::Done { .. })));
}

fn run(session: &mut Session, act: Act, observer: &mut dyn FnMut(Event) -> Flow) -> StopReason {
    match session.execute(act, observer) {
        Ok(Reply::Stopped(stop)) => stop.reason,
        other => panic!("{other:?}"),
    }
}

fn look(session: &mut Session, look: Look) -> Reply {
    let reply = session.execute(look, &mut |_| Flow::Continue);
    reply.expect("it can be seen")
}

/// Every picture is the twin at a moment that a jump leads to.
fn holds(session: &mut Session, picture: &LiveListing) {
    let target = picture.at.universe.to_string();
    run(session, Act::Jump { target }, &mut |_| Flow::Continue);
    let here = session.here();
    assert_eq!(here.universe, picture.at.universe);
    assert_eq!(
        (here.steps, here.offset),
        (picture.at.steps, picture.at.offset)
    );
    match look(session, Look::Board) {
        Reply::Board(board) => {
            assert_eq!(board.clock_us, picture.board.clock_us);
            assert_eq!(board.board["pins"], picture.board.board["pins"]);
        }
        other => panic!("{other:?}"),
    }
    let print = Look::Print {
        expression: "count".to_owned(),
        frame: 0,
    };
    match look(session, print) {
        Reply::Value { value, .. } => assert_eq!(value, picture.values[0].value),
        other => panic!("{other:?}"),
    }
    let last = picture.tail.last().map(|row| row.steps < picture.at.steps);
    assert_eq!(last, Some(true));
}

#[test]
fn who_looks_on_sees_the_twin_at_moments_of_the_run() {
    let mut session = open(COUNTS, &Pace::default());
    let mut seen = Vec::new();
    // Nobody looks: there is nothing to see.
    let mut left = 40;
    let reason = run(&mut session, GO_ON, &mut |event| {
        assert!(!matches!(event, Event::Live(_)));
        left -= 1;
        if left > 0 {
            Flow::Continue
        } else {
            Flow::Pause
        }
    });
    assert_eq!(reason, StopReason::Paused);

    session.look_on(Some(vec!["count".to_owned(), "nothing".to_owned()]));
    let reason = run(&mut session, GO_ON, &mut |event| {
        if let Event::Live(picture) = event {
            seen.push(*picture);
        }
        if seen.len() < 3 {
            Flow::Continue
        } else {
            Flow::Pause
        }
    });
    assert_eq!(reason, StopReason::Paused);
    assert!(seen.windows(2).all(|two| two[0].at.steps < two[1].at.steps));
    for picture in &seen {
        assert_eq!(picture.branch.branch, 0);
        assert!(picture.values[0].ok && !picture.values[1].ok);
        holds(&mut session, picture);
    }

    // The same on what is recorded.
    run(&mut session, Act::Restart, &mut |_| Flow::Continue);
    let mut replayed = Vec::new();
    let reason = run(&mut session, GO_ON, &mut |event| {
        if let Event::Live(picture) = event {
            replayed.push(*picture);
        }
        if replayed.is_empty() {
            Flow::Continue
        } else {
            Flow::Pause
        }
    });
    // It may have come to the end before there was time for a picture.
    assert!(matches!(reason, StopReason::Paused | StopReason::Tip));
    for picture in &replayed {
        holds(&mut session, picture);
    }
}

#[test]
fn at_a_pace_a_delay_lasts_and_a_pause_is_heard_in_it() {
    let pace = Pace::default();
    let mut session = open(WAITS, &pace);
    keep(&mut session, Some(1));
    assert_eq!(pace.times(), Some(1));
    // An hour never passes: whenever it is paused after the delay began, it stands right behind it.
    let clock = |session: &mut Session| match look(session, Look::Board) {
        Reply::Board(board) => board.clock_us / 3_600_000_000,
        other => panic!("{other:?}"),
    };
    session.look_on(Some(Vec::new()));
    let mut waits = 0;
    let reason = run(&mut session, GO_ON, &mut |event| {
        let is_seen =
            matches!(event, Event::Live(picture) if picture.board.clock_us >= 3_600_000_000);
        waits += u32::from(is_seen || waits > 0);
        if waits < 10 {
            Flow::Continue
        } else {
            Flow::Pause
        }
    });
    assert_eq!(reason, StopReason::Paused);
    assert_eq!(clock(&mut session), 1);
    assert_eq!(session.here().universe.index, 2);

    // Who waits can be told to hurry.
    let mut told = 0;
    let reason = run(&mut session, GO_ON, &mut |_| {
        told += 1;
        if told == 20 {
            pace.set(None);
        }
        Flow::Continue
    });
    assert!(matches!(reason, StopReason::Finished { .. }));
    assert_eq!(clock(&mut session), 4);

    // So it is on what is recorded.
    run(&mut session, Act::Restart, &mut |_| Flow::Continue);
    keep(&mut session, Some(1));
    let mut left = 30;
    let reason = run(&mut session, GO_ON, &mut |_| {
        left -= 1;
        if left > 0 {
            Flow::Continue
        } else {
            Flow::Pause
        }
    });
    assert_eq!(reason, StopReason::Paused);
    assert_eq!(clock(&mut session), 1);
    assert_eq!(session.here().universe.index, 2);
    keep(&mut session, None);
    let reason = run(&mut session, GO_ON, &mut |_| Flow::Continue);
    assert!(matches!(reason, StopReason::Finished { .. }));
}

#[test]
fn a_run_goes_on_where_the_recording_ends() {
    let mut session = open(WAITS, &Pace::default());
    let entries = |count| Act::Step {
        agent: None,
        direction: Direction::Forward,
        size: StepSize::Entry,
        count,
    };
    run(&mut session, entries(3), &mut |_| Flow::Continue);
    run(&mut session, Act::Restart, &mut |_| Flow::Continue);
    let reason = run(&mut session, GO_ON, &mut |_| Flow::Continue);
    assert_eq!(reason, StopReason::Tip);
    run(&mut session, Act::Restart, &mut |_| Flow::Continue);
    let reason = run(&mut session, Act::RunOn, &mut |_| Flow::Continue);
    assert!(matches!(reason, StopReason::Finished { .. }));
    let reason = run(&mut session, Act::RunOn, &mut |_| Flow::Continue);
    assert!(matches!(reason, StopReason::Finished { .. }));
}

/// Steps over code without lines are instructions, both ways.
#[test]
fn without_lines_a_step_back_undoes_a_step() {
    const CALLS: &str = r#"(module
        (func $twice (param i32) (result i32)
            (i32.mul (local.get 0) (i32.const 2)))
        (func (export "main") (result i32)
            (i32.add (call $twice (i32.const 3)) (call $twice (i32.const 4)))))"#;
    let mut session = open(CALLS, &Pace::default());
    let step = |direction, size| Act::Step {
        agent: None,
        direction,
        size,
        count: 1,
    };
    let go = |session: &mut Session, act| run(session, act, &mut |_| Flow::Continue);
    for count in 1..9 {
        go(&mut session, Act::Restart);
        for _ in 0..count {
            go(
                &mut session,
                step(Direction::Forward, StepSize::Instruction),
            );
        }
        let steps = session.here().steps;
        go(&mut session, step(Direction::Backward, StepSize::Into));
        assert_eq!(session.here().steps, steps - 1);
    }
    for count in 2..4 {
        go(&mut session, Act::Restart);
        for _ in 0..count {
            go(&mut session, step(Direction::Forward, StepSize::Over));
        }
        let steps = session.here().steps;
        go(&mut session, step(Direction::Backward, StepSize::Over));
        assert!((1..steps).contains(&session.here().steps));
        go(&mut session, step(Direction::Forward, StepSize::Over));
        assert_eq!(session.here().steps, steps);
    }
}
