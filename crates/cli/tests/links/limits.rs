//! Programs that are too much for the firmware, or for its line: an error that says so, and the device still answers.

use std::path::Path;

use borges_session::{Act, CommandError, Look, Options, Session};
use borges_sim::Faults;

use crate::support::emulator::{Chip, Emulator};
use crate::support::{example, program};
use crate::wire::Wire;
use crate::{Debugger, entries};

/// The device still answers: another program runs on it as it should.
fn still_answers(emulator: &Emulator) {
    let mut debugger = Debugger::on(&example("light-sensor"), Some(&emulator.device()), None);
    debugger.do_all([entries(2), Act::Verify]);
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

fn go() -> Act {
    Act::Continue {
        direction: borges_session::command::Direction::Forward,
    }
}

fn a_module_that_is_too_large_is_refused(chip: &Chip) {
    let emulator = Emulator::start(chip);
    let data = "x".repeat(chip.program_bytes);
    let text = format!(r#"(module (func (export "main")) (@custom "ballast" "{data}"))"#);
    let said = refusal(&emulator, &program("large.wasm", &text));
    assert!(
        said.contains("that is more than it can take: ")
            && said.contains(&format!(
                "bytes of the program, at most {}",
                chip.program_bytes
            )),
        "{said}"
    );
    still_answers(&emulator);
}

fn a_device_without_enough_memory_says_so(chip: &Chip) {
    let emulator = Emulator::start(chip);
    // Within every limit by itself, and together more than there is.
    let branches = "(block (br_if 0 (i32.const 0)))".repeat(chip.branches);
    let tables = "(table 1000 funcref)".repeat(4);
    let text = format!(r#"(module (memory 1) {tables} (func (export "main") {branches}))"#);
    let said = refusal(&emulator, &program("hungry.wasm", &text));
    // Where exactly it runs out, the measures of the chip decide.
    let failed = said.contains("the device has restarted, because its software failed")
        && said.contains("memory allocation of");
    assert!(
        failed || said.contains("it has no memory left for that"),
        "{said}"
    );
    still_answers(&emulator);
}

fn a_program_without_an_end_to_its_calls_traps_as_on_the_twin(chip: &Chip) {
    let emulator = Emulator::start(chip);
    let endless = program(
        "endless.wasm",
        r#"(module (func $again (param i32) (call $again (i32.add (local.get 0) (i32.const 1))))
            (func (export "main") (call $again (i32.const 0))))"#,
    );
    let mut debugger = run(&emulator, &endless).expect("a trap is no failure of the device");
    let said = debugger.do_all([Act::Verify]);
    assert!(said[0].contains("device and twin agree"), "{said:?}");
    drop(debugger);
    still_answers(&emulator);
}

/// A session with a program that reads an input so many times, as fast as it can, on a line that can be made slow.
fn reading(emulator: &Emulator, reads: u32, wait: bool) -> (Wire, Debugger) {
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
    let wire = Wire::new(emulator.address(), &Faults::none(), 1, 0);
    let options = Options {
        device: Some(wire.device().parse().expect("an address")),
        stop_recording_when_slow: !wait,
        ..Options::new(program(&format!("reads-{reads}.wasm"), &text))
    };
    let session = Session::open(options).expect("a program");
    (wire, Debugger::with(session))
}

fn a_program_waits_for_a_slow_line(chip: &Chip) {
    let emulator = Emulator::start(chip);
    let (wire, mut debugger) = reading(&emulator, 3000, true);
    wire.slow(40_000);
    debugger.do_all([go(), Act::Verify]);
    let info = format!("{:?}", debugger.execute(Look::Info));
    assert!(info.contains("entries: 3000"), "{info}");
}

fn a_program_that_does_not_wait_is_recorded_up_to_a_step_that_is_named(chip: &Chip) {
    let emulator = Emulator::start(chip);
    let (wire, mut debugger) = reading(&emulator, 30_000, false);
    // The line takes minutes for all of it, the program a quarter of one where the emulator is slow.
    wire.slow(1_000_000);
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
    wire.slow(0);
    debugger.do_all([Act::Verify, entries(3), Act::Verify]);
}

on_every_chip! {
    a_module_that_is_too_large_is_refused,
    a_device_without_enough_memory_says_so,
    a_program_without_an_end_to_its_calls_traps_as_on_the_twin,
    a_program_waits_for_a_slow_line,
    a_program_that_does_not_wait_is_recorded_up_to_a_step_that_is_named,
}
