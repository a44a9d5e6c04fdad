//! A link that fails while a program runs: what was recorded stays, the error says what to do, and once the line works
//! again the session goes on where the device is.

use borges_session::command::{Act, Command, Direction, Event, Look, StepSize};
use borges_session::listing::Info;
use borges_session::{CommandError, DeviceError, Flow, LinkError, Options, Reply, Session};
use borges_sim::Faults;

use crate::written;

const PROGRAM: &str = r#"(module
    (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (func (export "main")
        (loop $again
            (call $write (i32.const 5) (i32.and (call $read (i32.const 10)) (i32.const 1)))
            (br $again))))"#;

fn run(session: &mut Session, command: impl Into<Command>) -> Reply {
    let command = command.into();
    let reply = session.execute(command.clone(), &mut |_| Flow::Continue);
    reply.unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn info(session: &mut Session) -> Info {
    match run(session, Look::Info) {
        Reply::Info(info) => *info,
        other => panic!("{other:?}"),
    }
}

fn step(direction: Direction, count: u64) -> Act {
    let size = StepSize::Entry;
    Act::Step {
        agent: None,
        direction,
        size,
        count,
    }
}

#[test]
fn a_pulled_cable_costs_nothing_that_was_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written::written(folder.path(), PROGRAM);
    let options = Options {
        faults: Some((Faults::none(), 1)),
        device_slice: 100,
        ..Options::new(path)
    };
    let mut session = Session::open(options).expect("the program opens");
    run(&mut session, step(Direction::Forward, 5));
    let cable = session.simulated().expect("it is simulated").clone();
    for pulled_after in [1, 3] {
        let mut looks = 0;
        let onward = Act::Continue {
            direction: Direction::Forward,
        };
        let failed = session.execute(onward, &mut |event| {
            looks += u32::from(matches!(event, Event::Progress { .. }));
            if looks == pulled_after {
                cable.set_cable(false);
            }
            Flow::Continue
        });
        match failed {
            Err(CommandError::Device(DeviceError::Link(error @ LinkError::Silent { .. }))) => {
                let text = error.to_string();
                assert!(text.contains("check the cable"), "{text}");
            }
            other => panic!("a cable was pulled: {other:?}"),
        }
        // Looking at the past needs no device.
        let before = info(&mut session);
        run(&mut session, step(Direction::Backward, 3));
        assert_eq!(info(&mut session).entries, before.entries);
        let here = session.here().universe;
        let refused = session.execute(Act::Follow { always: None }, &mut |_| Flow::Continue);
        assert!(refused.is_err(), "the cable is still out: {refused:?}");
        assert_eq!(session.here().universe, here);
        // It works again: the device is found where it really came to, and follows.
        cable.set_cable(true);
        run(&mut session, Act::Follow { always: None });
        run(&mut session, Act::Verify);
        assert!(info(&mut session).entries >= before.entries);
        let tip = "tip".to_owned();
        run(&mut session, Act::Jump { target: tip });
        run(&mut session, step(Direction::Forward, 2));
        run(&mut session, Act::Verify);
    }
}
