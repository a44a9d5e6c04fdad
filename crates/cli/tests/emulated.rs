//! Sessions on the firmware itself, in an emulated microcontroller: they go exactly as on the simulated board.
//!
//! Ignored unless asked for, because they need the emulators and the built firmware: `scripts/firmware.sh test`.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::emulator::{Chip, Emulator, PICO, PICO_USB, STM32F4};
use support::{example, fresh, program};

/// What a session prints, without the line that names the device and what depends on how fast its line is.
fn transcript(program: &Path, script: &str, device: Option<&str>) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borges"));
    command.arg("repl").arg(program).arg("--keep-going");
    command.args(["-x", script]);
    if let Some(address) = device {
        command.args(["--device", address]);
    }
    let output = command.output().expect("borges runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let same = |line: &&str| {
        !["device ", "link "]
            .iter()
            .any(|word| line.starts_with(word))
    };
    text.lines().filter(same).collect::<Vec<_>>().join("\n")
}

/// A session prints the same on the simulated board and on all emulated ones, state hashes included.
fn same_everywhere(program: &Path, script: &str) {
    same_on(&[&STM32F4, &PICO], program, script);
}

fn same_on(chips: &[&Chip], program: &Path, script: &str) {
    let simulated = transcript(program, script, None);
    for chip in chips {
        let emulator = Emulator::start(chip);
        let emulated = transcript(program, script, Some(&emulator.device()));
        assert_eq!(simulated, emulated, "{}", chip.firmware);
    }
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn the_dial_turns_and_turns_back() {
    same_on(
        &[&STM32F4, &PICO, &PICO_USB],
        &example("color-dial"),
        "break color-dial.ts:19; mock read_uart_sensor(0) = 5; continue; verify; step; verify; board; \
         step; step; back; back; follow; verify; board; step; verify; tree",
    );
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn another_mock_leads_to_another_universe_and_a_jump_comes_back() {
    same_everywhere(
        &example("color-dial"),
        "mock read_uart_sensor(0) = 5; break color-dial.ts:20; continue; verify; bookmark five; restart; follow; \
         mock read_uart_sensor(0) = 2; fork; continue; verify; board; jump five; follow; verify; board; tree",
    );
}

/// The color dial, built for the `number`th time: another program that does the same.
fn rebuilt(number: usize) -> PathBuf {
    let mut program = std::fs::read(example("color-dial")).expect("the example is there");
    // Empty custom sections without a name.
    program.extend([0, 1, 0].repeat(number));
    let path = fresh(&format!("rebuilt-{number}.wasm"));
    std::fs::write(&path, program).expect("a file beside the tests can be written");
    path
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_rebuilt_program_is_uploaded_and_goes_on() {
    same_everywhere(
        &example("color-dial"),
        &format!(
            "mock read_uart_sensor(0) = 5; break call drive_motor_degrees; continue; upload {}; continue; step; verify; \
             board",
            rebuilt(1).display()
        ),
    );
}

/// The memory of each program takes more than half of the heap, and what is small comes to lie wherever there is room.
#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn there_is_memory_for_one_program_after_the_other() {
    let mut script =
        "mock read_uart_sensor(0) = 5; break call drive_motor_degrees; continue".to_owned();
    for number in 2..=6 {
        let program = rebuilt(number);
        script += "; step; step; step; back; back";
        script += &format!("; upload {}; continue", program.display());
    }
    same_on(&[&STM32F4], &example("color-dial"), &script);
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_device_answers_while_its_program_waits() {
    // Longer than one waits for a silent device, in much less than what it executes between two looks at the line.
    let sleeper = program(
        "sleeper.wasm",
        r#"(module
            (import "env" "chip_delay" (func $delay (param i32)))
            (import "env" "chip_digital_write" (func $write (param i32 i32)))
            (func (export "main")
                (call $delay (i32.const 6000))
                (call $write (i32.const 2) (i32.const 1))
                (call $delay (i32.const 6000))))"#,
    );
    same_everywhere(&sleeper, "continue; verify; board");
}
