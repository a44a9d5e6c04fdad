//! What a session costs on the wire, framing and acknowledgements included, counted at the host's end of the link.

use borges_session::command::{Act, Command, Direction, Look, Reply, StepSize};
use borges_session::listing::Info;
use borges_session::{Flow, Options, Session};
use borges_sim::Faults;
use borges_vm::{Delta, Snapshot};

use crate::written;

const READS: u64 = 20_000;

fn options(wat: &str, folder: &tempfile::TempDir) -> Options {
    Options::new(written::written(folder.path(), wat))
}

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

fn step(session: &mut Session, direction: Direction) {
    let (size, count) = (StepSize::Entry, 1);
    run(
        session,
        Act::Step {
            agent: None,
            direction,
            size,
            count,
        },
    );
}

/// The mean bounds the median of a distribution with rare large values from above: frames and answers are counted in.
#[test]
fn an_input_costs_six_bytes_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let wat = format!(
        r#"(module
            (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
            (func (export "main") (local $i i32) (local $sum i32)
                (loop $again
                    (local.set $sum (i32.add (local.get $sum) (call $read (i32.const 10))))
                    (br_if $again (i32.lt_u
                        (local.tee $i (i32.add (local.get $i) (i32.const 1)))
                        (i32.const {READS}))))))"#
    );
    let mut session = Session::open(options(&wat, &folder)).unwrap();
    // What connecting costs is another thing.
    step(&mut session, Direction::Forward);
    let before = info(&mut session);
    let direction = Direction::Forward;
    run(&mut session, Act::Continue { direction });
    let after = info(&mut session);
    assert_eq!(after.entries, READS);
    let received = after.received_bytes - before.received_bytes;
    let sent = after.sent_bytes - before.sent_bytes;
    let inputs = READS - 1;
    println!("{inputs} inputs: {received} bytes received, {sent} sent");
    assert!(
        received <= 6 * inputs,
        "{received} bytes received for {inputs} inputs"
    );
    assert!(
        received + sent <= 6 * inputs,
        "{received} bytes received and {sent} sent for {inputs} inputs"
    );
}

#[test]
fn going_back_over_an_output_sends_64_bytes_and_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    // Between two outputs, `$changed` bytes of the memory change, and nothing else of any size.
    for changed in [0u64, 100, 3000] {
        let wat = format!(
            r#"(module
                (import "env" "chip_digital_write" (func $write (param i32 i32)))
                (memory 1)
                (func (export "main") (local $i i32)
                    (loop $again
                        (memory.fill (i32.const 1024) (local.get $i) (i32.const {changed}))
                        (call $write (i32.const 5) (i32.and (local.get $i) (i32.const 1)))
                        (local.set $i (i32.add (local.get $i) (i32.const 1)))
                        (br $again))))"#
        );
        // With a virtual clock: a machine that is busy elsewhere would answer late, which costs acknowledgements.
        let none = Faults {
            delay_us: (0, 0),
            ..Faults::none()
        };
        let faults = Some((none, 0));
        let options = options(&wat, &folder);
        let mut session = Session::open(Options { faults, ..options }).unwrap();
        let mut costs: Vec<(u64, u64)> = Vec::new();
        for _ in 0..20 {
            step(&mut session, Direction::Forward);
            step(&mut session, Direction::Forward);
            for _ in 0..2 {
                // Over the second one, then to before the first.
                let (before, state) = (info(&mut session).sent_bytes, snapshot(&session));
                step(&mut session, Direction::Backward);
                run(&mut session, Act::Follow { always: None });
                let sent = info(&mut session).sent_bytes - before;
                let difference = Delta::between(&state, &snapshot(&session)).unwrap();
                costs.push((sent, difference.to_bytes().len() as u64));
            }
            step(&mut session, Direction::Forward);
        }
        println!("{changed} bytes change: {costs:?}");
        for (sent, difference) in costs {
            assert!(
                sent <= 64 + difference,
                "{sent} bytes sent to go back over one output; the states differ by {difference} bytes"
            );
            assert!(
                difference <= 64 + changed,
                "{difference} bytes for {changed} that changed"
            );
        }
    }
}

fn snapshot(session: &Session) -> Snapshot {
    session.machine().snapshot(None)
}
