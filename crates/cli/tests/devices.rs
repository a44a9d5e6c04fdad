//! `borges devices` and `borges flash`, without hardware: a pseudo-terminal is a serial port, a folder is a drive.
#![cfg(unix)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serialport::{SerialPort as _, TTYPort};
use support::board::Board;
use support::example;

fn borges(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borges"));
    command.args(arguments).output().expect("borges runs")
}

/// What a command prints that works.
fn printed(arguments: &[&str]) -> String {
    let output = borges(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a command says that does not.
fn refusal(arguments: &[&str]) -> String {
    let output = borges(arguments);
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A serial port with a board at its other end.
fn serial_port(board: &Board) -> String {
    let (mut near, far) = TTYPort::pair().expect("a pseudo-terminal");
    let name = far.name().expect("it has a name");
    let mut socket = TcpStream::connect(board.address).expect("the board");
    let mut from_board = socket.try_clone().expect("a second handle");
    let mut to_host = near.try_clone_native().expect("a second handle");
    std::thread::spawn(move || std::io::copy(&mut from_board, &mut to_host));
    near.set_timeout(Duration::from_secs(60))
        .expect("a timeout");
    std::thread::spawn(move || {
        // The far end stays open here, or the near one would end with the first debugger.
        let _open = far;
        let mut buffer = [0; 4096];
        while let Ok(length) = near.read(&mut buffer) {
            if socket.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
    });
    name
}

#[test]
fn what_answers_on_a_serial_port_is_shown_and_debugged() {
    let board = Board::start(None);
    let port = format!("serial:{}", serial_port(&board));
    let empty = printed(&["devices", &port]);
    assert!(
        empty.contains("simulated board 'Color dial': no program; takes one of up to"),
        "{empty}"
    );
    let program = example("color-dial").display().to_string();
    let script = "step; step; step; verify";
    let fast = ["--device", &port, "--baud", "921600", "-x", script];
    let session = printed(&[&["repl", &program][..], &fast].concat());
    assert!(
        session.contains("device and twin agree at step"),
        "{session}"
    );
    let full = printed(&["devices", &port, "--program", &program]);
    assert!(
        full.contains(&format!("program {program}, paused, at step ")),
        "{full}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["devices", &port, "--json"])).expect("an object");
    assert_eq!(json["devices"][0]["status"], "paused");
}

#[test]
fn where_nothing_answers_it_says_so() {
    let (_near, mut far) = TTYPort::pair().expect("a pseudo-terminal");
    let port = format!("serial:{}", far.name().expect("it has a name"));
    let said = printed(&["devices", &port]);
    assert!(
        said.contains("nothing that speaks Borges' protocol answers"),
        "{said}"
    );
    // A port that another program keeps to itself is left alone.
    far.set_exclusive(true).expect("a lock");
    let said = printed(&["devices", &port]);
    assert!(said.contains("cannot be opened"), "{said}");
    assert!(refusal(&["devices", "ttyS0"]).contains("write serial:PORT"));
    let listed = printed(&["devices", "--list", "--json"]);
    assert!(listed.contains("\"devices\""), "{listed}");
}

#[test]
fn only_serial_ports_have_a_baud_rate() {
    let program = example("color-dial").display().to_string();
    let at = [
        "--device",
        "tcp:127.0.0.1:9",
        "--baud",
        "9600",
        "-x",
        "step",
    ];
    let said = refusal(&[&["repl", &program][..], &at].concat());
    assert!(
        said.contains("only serial ports have a baud rate"),
        "{said}"
    );
}

/// An empty folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _was_there = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// An ELF file for a 32-bit ARM with these bytes at this address.
fn elf(address: u32, content: &[u8]) -> Vec<u8> {
    const HEADER: u32 = 52;
    const SEGMENT: u32 = 32;
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let halves = |file: &mut Vec<u8>, halves: &[u16]| {
        file.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
    };
    let words = |file: &mut Vec<u8>, words: &[u32]| {
        file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    };
    // An executable for ARM (40), version 1; no entry; segments behind the header, no sections; one segment.
    halves(&mut file, &[2, 40]);
    words(&mut file, &[1, 0, HEADER, 0, 0]);
    halves(&mut file, &[HEADER as u16, SEGMENT as u16, 1, 0, 0, 0]);
    let length = content.len() as u32;
    // Loaded (1), from behind the headers, to an address, readable.
    words(
        &mut file,
        &[1, HEADER + SEGMENT, address, address, length, length, 4, 4],
    );
    file.extend_from_slice(content);
    file
}

#[test]
fn firmware_is_checked_turned_into_uf2_and_put_on_the_drive() {
    let folder = folder("flash");
    let path = |name: &str| folder.join(name).display().to_string();
    let drive = folder.join("drive");
    std::fs::create_dir(&drive).expect("a folder");
    std::fs::write(path("pico.elf"), elf(0x1000_0000, &[7; 700])).expect("a file");
    let drive_path = drive.display().to_string();
    let flash = ["flash", &path("pico.elf"), "--drive", &drive_path];
    assert!(refusal(&flash).contains("is not the drive of a Pico"));
    let info = "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n";
    std::fs::write(drive.join("INFO_UF2.TXT"), info).expect("a file");
    assert!(printed(&flash).contains("768 bytes of flash written"));
    let written = std::fs::read(drive.join("borges.uf2")).expect("it was written");
    assert_eq!(written.len(), 3 * 512);
    // As a file, and from UF2 to UF2: the same bytes.
    let out = path("out.uf2");
    printed(&["flash", &path("pico.elf"), "--output", &out]);
    assert_eq!(std::fs::read(&out).expect("it was written"), written);
    let again = path("again.uf2");
    printed(&["flash", &out, "--output", &again]);
    assert_eq!(std::fs::read(&again).expect("it was written"), written);
    // What belongs elsewhere is not written.
    std::fs::write(path("stm.elf"), elf(0x0800_0000, &[7; 700])).expect("a file");
    let said = refusal(&["flash", &path("stm.elf"), "--output", &path("no.uf2")]);
    assert!(
        said.contains("0x08000000, which is not flash of an RP2040"),
        "{said}"
    );
    assert!(said.contains("--chip"), "{said}");
    assert!(!folder.join("no.uf2").exists());
}

#[test]
fn other_chips_are_left_to_probe_rs() {
    let folder = folder("probe");
    let elf_path = folder.join("stm.elf").display().to_string();
    std::fs::write(&elf_path, elf(0x0800_0000, &[7; 4])).expect("a file");
    let flash = |path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_borges"));
        command
            .args(["flash", &elf_path, "--chip", "STM32F405RGTx"])
            .env("PATH", path);
        command.output().expect("borges runs")
    };
    let missing = flash(&folder);
    let said = String::from_utf8_lossy(&missing.stderr);
    assert!(said.contains("https://probe.rs"), "{said}");
    assert!(
        said.contains("probe-rs download --chip STM32F405RGTx"),
        "{said}"
    );
    // One that only says what it was asked.
    let tool = folder.join("probe-rs");
    std::fs::write(&tool, "#!/bin/sh\necho \"$@\"\n").expect("a file");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&tool, executable).expect("a mode");
    let said = String::from_utf8_lossy(&flash(&folder).stdout).into_owned();
    let wanted = format!("download --chip STM32F405RGTx {elf_path}\nreset --chip STM32F405RGTx\n");
    assert!(said.starts_with(&wanted), "{said}");
}
