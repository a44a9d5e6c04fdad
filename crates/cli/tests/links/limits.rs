//! Programs that are too much for the firmware, or for its line: an error that says so, and the device still answers.

use std::path::Path;

use borges_session::{Command, CommandError, Options, Session};
use borges_sim::Faults;

use crate::support::emulator::Emulator;
use crate::support::{example, program};
use crate::wire::Wire;
use crate::{Debugger, device, entries};

/// The device still answers: another program runs on it as it should.
fn still_answers(emulator: &Emulator) {
    let mut debugger = Debugger::on(&example("light-sensor"), Some(&emulator.device()), None);
    debugger.do_all([entries(2), Command::Verify]);
}

/// What running a program to its end says.
fn run(emulator: &Emulator, program: &Path) -> Result<Debugger, CommandError> {
    let mut debugger = Debugger::on(program, Some(&emulator.device()), None);
    debugger.execute(go())?;
    Ok(debugger)
}

fn refusal(emulator: &Emulator, program: &Path) -> String {
    let ran = run(emulator, program).err();
    ran.expect("it is too much").to_string()
}

fn go() -> Command {
    Command::Continue {
        direction: borges_session::command::Direction::Forward,
    }
}

#[test]
#[ignore = "needs QEMU and the firmware: scripts/firmware.sh test"]
fn a_module_that_is_too_large_is_refused() {
    let emulator = device();
    let data = "x".repeat(30_000);
    let text =
        format!(r#"(module (memory 1) (data (i32.const 0) "{data}") (func (export "main")))"#);
    let said = refusal(&emulator, &program("large.wasm", &text));
    assert!(
        said.contains("that is more than it can take: Program of 30") && said.contains("at most"),
        "{said}"
    );
    still_answers(&emulator);
}

#[test]
#[ignore = "needs QEMU and the firmware: scripts/firmware.sh test"]
fn a_device_without_enough_memory_says_so() {
    let emulator = device();
    // Within every limit by itself, and together more than there is.
    let functions = "(func)".repeat(2000);
    let text =
        format!(r#"(module (memory 1) (table 1000 funcref) {functions} (func (export "main")))"#);
    let said = refusal(&emulator, &program("hungry.wasm", &text));
    assert!(
        said.contains("the device has restarted, because its software failed"),
        "{said}"
    );
    assert!(said.contains("memory allocation of"), "{said}");
    still_answers(&emulator);
}

#[test]
#[ignore = "needs QEMU and the firmware: scripts/firmware.sh test"]
fn a_program_without_an_end_to_its_calls_traps_as_on_the_twin() {
    let emulator = device();
    let endless = program(
        "endless.wasm",
        r#"(module (func $again (param i32) (call $again (i32.add (local.get 0) (i32.const 1))))
            (func (export "main") (call $again (i32.const 0))))"#,
    );
    let mut debugger = run(&emulator, &endless).expect("a trap is no failure of the device");
    let said = debugger.do_all([Command::Verify]);
    assert!(said[0].contains("device and twin agree"), "{said:?}");
    drop(debugger);
    still_answers(&emulator);
}

/// A session with a program that reads an input so many times, as fast as it can, on a line with this delay each way.
fn on_a_slow_line(emulator: &Emulator, reads: u32, delay_us: u64, wait: bool) -> (Wire, Debugger) {
    let text = format!(
        r#"(module
            (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
            (func (export "main") (local $turn i32)
                (loop $again
                    (drop (call $read (i32.const 1)))
                    (br_if $again (i32.lt_u
                        (local.tee $turn (i32.add (local.get $turn) (i32.const 1)))
                        (i32.const {reads}))))))"#
    );
    let slow = Faults {
        delay_us: (delay_us, delay_us),
        ..Faults::none()
    };
    let wire = Wire::new(emulator.address(), &slow, 1, 0);
    let options = Options {
        device: Some(wire.device().parse().expect("an address")),
        stop_recording_when_slow: !wait,
        ..Options::new(program(&format!("reads-{reads}.wasm"), &text))
    };
    let session = Session::open(options).expect("a program");
    (wire, Debugger::with(session))
}

#[test]
#[ignore = "needs QEMU and the firmware: scripts/firmware.sh test"]
fn a_program_waits_for_a_slow_line() {
    let emulator = device();
    let (_wire, mut debugger) = on_a_slow_line(&emulator, 3000, 40_000, true);
    let said = debugger.do_all([go(), Command::Verify, Command::Info]);
    assert!(said[2].contains("entries: 3000"), "{}", said[2]);
}

#[test]
#[ignore = "needs QEMU and the firmware: scripts/firmware.sh test"]
fn a_program_that_does_not_wait_is_recorded_up_to_a_step_that_is_named() {
    let emulator = device();
    // The line takes a quarter of a minute for all of it, the program a fraction of a second.
    let (_wire, mut debugger) = on_a_slow_line(&emulator, 30_000, 150_000, false);
    let said = debugger
        .execute(go())
        .expect_err("it is too fast")
        .to_string();
    let (_, rest) = said.split_once("recording stopped at step ").expect(&said);
    let step: u64 = rest
        .split(',')
        .next()
        .and_then(|number| number.parse().ok())
        .expect(&said);
    // A round has 10 instructions; not all of them were recorded, and the session is where that ends.
    assert!((100..290_000).contains(&step), "{said}");
    assert_eq!(debugger.session.here().steps, step);
    assert!(debugger.warnings[0].contains(&format!("stopped at step {step}")));
    // From there it goes on, as if nothing had happened.
    debugger.do_all([Command::Verify, entries(3), Command::Verify]);
}
