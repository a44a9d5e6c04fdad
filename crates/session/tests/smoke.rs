//! A first walk through the colour dial: forwards, backwards, sideways, with the device in step.

use borges_session::command::{
    Act, Command, Direction, Look, MockValues, NewBreakpoint, StepSize, StopKind, StopReason,
};
use borges_session::{Flow, Options, Reply, Session};

const DIAL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/color-dial/color-dial.wasm"
);

fn run(session: &mut Session, command: impl Into<Command>) -> Reply {
    session
        .execute(command, &mut |_| Flow::Continue)
        .expect("the command is carried out")
}

fn step(
    session: &mut Session,
    direction: Direction,
    size: StepSize,
    count: u64,
) -> borges_session::command::Stop {
    match run(
        session,
        Act::Step {
            agent: None,
            direction,
            size,
            count,
        },
    ) {
        Reply::Stopped(stop) => stop,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_colour_dial_forwards_backwards_and_sideways() {
    let mut session = Session::open(Options::new(DIAL)).expect("the example opens");
    let line = |stop: &borges_session::command::Stop| stop.at.line;
    assert_eq!(
        line(&step(&mut session, Direction::Forward, StepSize::Over, 1)),
        Some(25)
    );
    assert_eq!(
        line(&step(&mut session, Direction::Forward, StepSize::Over, 1)),
        Some(26)
    );
    let far = step(&mut session, Direction::Forward, StepSize::Entry, 9);
    assert_eq!(far.reason, StopReason::Done);
    run(&mut session, Act::Verify);
    let back = step(&mut session, Direction::Backward, StepSize::Entry, 3);
    assert!(back.at.steps < far.at.steps && back.at.device_elsewhere);
    run(&mut session, Act::Follow { always: None });
    run(&mut session, Act::Verify);
    run(
        &mut session,
        Act::Jump {
            target: "0.1+5".to_owned(),
        },
    );
    run(
        &mut session,
        Act::Branches {
            values: "0..3".to_owned(),
        },
    );
    run(
        &mut session,
        Act::Jump {
            target: "1.2".to_owned(),
        },
    );
    let sideways = step(&mut session, Direction::Forward, StepSize::Over, 3);
    assert_eq!(sideways.at.universe.branch, 1);
    run(&mut session, Act::Verify);
    let Reply::Moment { moment, universe } = run(&mut session, Look::Moment) else {
        panic!("no moment");
    };
    run(&mut session, Act::Restart);
    run(&mut session, Act::Jump { target: moment });
    assert_eq!(session.here().universe, universe);
}

/// The colour dial, which runs for ever: for a thousand entries at a time.
fn bounded_dial() -> Session {
    let options = Options {
        live_entries: 1000,
        ..Options::new(DIAL)
    };
    Session::open(options).expect("the example opens")
}

#[test]
fn a_program_that_runs_for_ever_pauses_by_itself() {
    let mut session = bounded_dial();
    let forever = Act::Continue {
        direction: Direction::Forward,
    };
    let first = match run(&mut session, forever.clone()) {
        Reply::Stopped(stop) => stop,
        other => panic!("{other:?}"),
    };
    assert_eq!(first.reason, StopReason::Bound);
    match run(&mut session, forever) {
        Reply::Stopped(stop) => assert!(stop.at.steps > first.at.steps),
        other => panic!("{other:?}"),
    }
    run(&mut session, Act::Verify);
}

#[test]
fn a_condition_that_never_holds_makes_no_endless_recording() {
    let mut session = bounded_dial();
    let never = NewBreakpoint {
        agent: None,
        kind: StopKind::Primitive("read_uart_sensor".to_owned()),
        condition: Some("1 == 2".to_owned()),
        hits: 0,
        log: None,
    };
    run(&mut session, Act::Break(never));
    let forever = Act::Continue {
        direction: Direction::Forward,
    };
    let mut looks = 0;
    let reply = session.execute(forever, &mut |_| {
        looks += 1;
        // Without a bound it would go on for ever.
        if looks < 100_000 {
            Flow::Continue
        } else {
            Flow::Pause
        }
    });
    match reply {
        Ok(Reply::Stopped(stop)) => assert_eq!(stop.reason, StopReason::Bound),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_device_that_always_has_something_to_say_can_be_paused() {
    let mut session = Session::open(Options::new(DIAL)).expect("the example opens");
    run(
        &mut session,
        Act::Mock {
            call: "read_uart_sensor(0)".to_owned(),
            values: MockValues::Sequence(vec!["0".to_owned()]),
        },
    );
    let forever = Act::Continue {
        direction: Direction::Forward,
    };
    // Late enough that more than one batch of the trace is under way.
    let mut looks = 0;
    let reply = session.execute(forever, &mut |_| {
        looks += 1;
        if looks > 3 {
            Flow::Pause
        } else {
            Flow::Continue
        }
    });
    match reply.expect("the command is carried out") {
        Reply::Stopped(stop) => assert_eq!(stop.reason, StopReason::Paused),
        other => panic!("{other:?}"),
    }
    run(&mut session, Act::Verify);
}
