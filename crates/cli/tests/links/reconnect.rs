//! Cables that are pulled, devices that reboot, devices that were running when the debugger came.

use std::io::{BufRead as _, BufReader};
use std::process::{Command as Process, Stdio};

use borges_session::command::{Direction, StepSize};
use borges_session::{Act, Session};
use borges_sim::Faults;

use crate::support::emulator::{Chip, Emulator, PICO, PICO_FAST, PICO_USB};
use crate::support::{example, fresh};
use crate::wire::Wire;
use crate::{Debugger, colour, entries, follow, step};

/// Some way into the program, at an input, with outputs behind.
fn some_way() -> [Act; 4] {
    [colour(5), entries(7), Act::Verify, colour(2)]
}

/// On from there, back, and on again.
fn further() -> [Act; 6] {
    [
        entries(4),
        Act::Verify,
        step(Direction::Backward, StepSize::Entry, 6),
        follow(),
        Act::Verify,
        entries(2),
    ]
}

fn a_pulled_cable_costs_nothing(chip: &Chip) {
    let emulator = Emulator::start(chip);
    let wire = Wire::new(emulator.address(), &Faults::none(), 1, 0);
    let mut debugger = Debugger::on_the_dial(Some(&wire.device()));
    let mut simulated = Debugger::on_the_dial(None);
    assert_eq!(debugger.do_all(some_way()), simulated.do_all(some_way()));
    wire.plug(false);
    // Plugged in again while the debugger waits for an answer.
    let plugging = std::thread::scope(|scope| {
        scope.spawn(|| {
            wire.stay_out(2000);
            wire.plug(true);
        });
        debugger.do_all(further())
    });
    assert_eq!(plugging, simulated.do_all(further()));
    // And once more between two commands.
    wire.plug(false);
    wire.plug(true);
    assert_eq!(debugger.do_all(further()), simulated.do_all(further()));
    assert!(debugger.warnings.is_empty(), "{:?}", debugger.warnings);
}

fn a_device_that_reboots_is_brought_back_to_the_place_shown(chip: &Chip) {
    let mut emulator = Emulator::start(chip);
    let mut debugger = Debugger::on_the_dial(Some(&emulator.device()));
    let mut simulated = Debugger::on_the_dial(None);
    assert_eq!(debugger.do_all(some_way()), simulated.do_all(some_way()));
    emulator.reset();
    goes_on_after_a_restart(&mut debugger, &mut simulated);
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_device_that_reboots_comes_back_at_its_usb_port() {
    a_device_that_reboots_is_brought_back_to_the_place_shown(&PICO_USB);
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_device_that_reboots_finds_the_speed_of_the_line_again() {
    a_device_that_reboots_is_brought_back_to_the_place_shown(&PICO_FAST);
}

/// The debugger says that the device has restarted, and brings it to the place shown.
fn goes_on_after_a_restart(debugger: &mut Debugger, simulated: &mut Debugger) {
    let said = debugger.execute(Act::Verify);
    let said = said
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert!(said.contains("the device has restarted"), "{said}");
    assert!(said.contains("loads the program again"), "{said}");
    // Nothing of what was recorded is lost, and the device comes to where the user is.
    let again = [follow(), Act::Verify];
    let brought = debugger.do_all(again.clone());
    assert_eq!(brought[1], simulated.do_all(again)[1]);
    assert_eq!(debugger.do_all(further()), simulated.do_all(further()));
}

/// On the Pico only: QEMU's STM32F405 has no watchdog.
#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_core_that_hangs_is_restarted_by_its_watchdog() {
    let mut emulator = Emulator::start(&PICO);
    let mut debugger = Debugger::on_the_dial(Some(&emulator.device()));
    let mut simulated = Debugger::on_the_dial(None);
    assert_eq!(debugger.do_all(some_way()), simulated.do_all(some_way()));
    emulator.hang();
    goes_on_after_a_restart(&mut debugger, &mut simulated);
}

fn a_session_goes_on_where_the_last_one_left_the_device(chip: &Chip) {
    let emulator = Emulator::start(chip);
    let file = fresh(&format!("left-{}.borges", chip.name()));
    let mut first = Debugger::on(
        &example("color-dial"),
        Some(&emulator.device()),
        Some(&file),
    );
    let mut simulated = Debugger::on_the_dial(None);
    assert_eq!(first.do_all(some_way()), simulated.do_all(some_way()));
    drop(first);
    let mut second = Debugger::with(Session::resume(&file).expect("a session file"));
    assert_eq!(second.do_all(further()), simulated.do_all(further()));
    let [warning] = second.warnings.as_slice() else {
        panic!("{:?}", second.warnings);
    };
    assert!(
        warning.contains("stands where the last session left it"),
        "{warning}"
    );
}

fn a_program_that_runs_for_nobody_is_found_and_stopped(chip: &Chip) {
    let emulator = Emulator::start(chip);
    let wire = Wire::new(emulator.address(), &Faults::none(), 1, 0);
    let file = fresh(&format!("killed-{}.borges", chip.name()));
    // A debugger that is killed while the program runs.
    let mut killed = Process::new(env!("CARGO_BIN_EXE_borges"))
        .arg("repl")
        .arg(example("color-dial"))
        .args(["--device", &wire.device()])
        .arg("--session")
        .arg(&file)
        .args(["-x", "mock read_uart_sensor(0) = 5; step; continue"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("borges starts");
    let stdout = killed.stdout.take().expect("it was piped");
    let mut said = BufReader::new(stdout).lines().map_while(Result::ok);
    assert!(said.any(|line| line == "> continue"), "it got so far");
    // It reports what it does: it was told, and runs on by itself afterwards.
    wire.wait_for_device(20);
    killed.kill().expect("it runs for ever");
    killed.wait().expect("it was killed");
    let mut second = Debugger::with(Session::resume(&file).expect("a session file"));
    second.do_all([Act::Verify]);
    let [warning] = second.warnings.as_slice() else {
        panic!("{:?}", second.warnings);
    };
    for part in [
        "was running on the device, at step",
        "is not recorded",
        "begins anew",
    ] {
        assert!(warning.contains(part), "{warning}");
    }
    second.do_all([follow(), Act::Verify, entries(5), Act::Verify]);
    // Another program, for a session that knows nothing of the first.
    drop(second);
    let mut third = Debugger::on(&example("light-sensor"), Some(&emulator.device()), None);
    third.do_all([entries(1), Act::Verify]);
    assert!(
        third.warnings[0].contains("another program stood still on the device"),
        "{:?}",
        third.warnings
    );
}

on_every_chip! {
    a_pulled_cable_costs_nothing,
    a_device_that_reboots_is_brought_back_to_the_place_shown,
    a_session_goes_on_where_the_last_one_left_the_device,
    a_program_that_runs_for_nobody_is_found_and_stopped,
}
