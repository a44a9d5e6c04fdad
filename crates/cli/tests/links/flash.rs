//! Programs in the Pico's flash: they survive a restart, and need no second upload. QEMU's STM32F405 has no flash that
//! could be written, so that all other tests show what happens without.

use std::fs;
use std::path::{Path, PathBuf};

use borges_session::{Act, Look, Reply};

use crate::support::emulator::{Emulator, PICO};
use crate::support::{fresh, program};
use crate::{Debugger, entries};

/// Where the first program lies in flash, and the page before it says what it is.
const LABEL: usize = 0x1c_0000;
const PROGRAM: usize = LABEL + 256;

/// A program that reads an input again and again, with a section of so many bytes that means nothing.
fn reader(name: &str, length: usize) -> PathBuf {
    let text = format!(
        r#"(module
            (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
            (func (export "main")
                (loop $again (br_if $again (i32.lt_u (call $read (i32.const 1)) (i32.const 2)))))
            (@custom "ballast" "{}"))"#,
        "x".repeat(length)
    );
    program(name, &text)
}

/// Goes some way into a program; the bytes that were sent to the device.
fn sent(emulator: &Emulator, program: &Path) -> u64 {
    let mut debugger = Debugger::on(program, Some(&emulator.device()), None);
    debugger.do_all([entries(3), Act::Verify]);
    assert!(debugger.warnings.is_empty(), "{:?}", debugger.warnings);
    match debugger.execute(Look::Info) {
        Ok(Reply::Info(info)) => info.sent_bytes,
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_program_in_flash_is_uploaded_once() {
    const LENGTH: u64 = 8000;
    let (first, second) = (
        reader("kept-1.wasm", LENGTH as usize),
        reader("kept-2.wasm", LENGTH as usize + 1),
    );
    let flash = fresh("kept.flash");
    let mut emulator = Emulator::with_flash(&PICO, &flash);
    assert!(sent(&emulator, &first) > LENGTH);
    emulator.reset();
    assert!(sent(&emulator, &first) < LENGTH / 2);
    emulator.reset();
    assert!(sent(&emulator, &second) > LENGTH);
    drop(emulator);
    let emulator = Emulator::with_flash(&PICO, &flash);
    assert!(sent(&emulator, &second) < LENGTH / 2);
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_program_that_flash_has_lost_is_uploaded_again() {
    const LENGTH: u64 = 3000;
    let program = reader("lost.wasm", LENGTH as usize);
    let flash = fresh("lost.flash");
    assert!(sent(&Emulator::with_flash(&PICO, &flash), &program) > LENGTH);
    let whole = fs::read(&flash).expect("the emulator wrote it");
    let bytes = fs::read(&program).expect("it was written");
    assert_eq!(whole[PROGRAM..][..bytes.len()], bytes);
    let flipped = |at: usize| {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        damaged
    };
    let cut_off = {
        let mut damaged = whole.clone();
        damaged[PROGRAM + bytes.len() / 2..].fill(0xff);
        damaged
    };
    for damaged in [flipped(LABEL + 8), flipped(PROGRAM + 2000), cut_off] {
        fs::write(&flash, damaged).expect("it was there");
        let emulator = Emulator::with_flash(&PICO, &flash);
        assert!(sent(&emulator, &program) > LENGTH);
    }
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_program_too_long_for_memory_runs_in_flash() {
    // More than is ever kept in memory, which is 48 KiB.
    let program = reader("long.wasm", 60_000);
    assert!(sent(&Emulator::start(&PICO), &program) > 60_000);
}
