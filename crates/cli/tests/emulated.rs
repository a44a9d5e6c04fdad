//! Sessions on the firmware itself, in an emulated microcontroller: they go exactly as on the simulated board.
//!
//! Ignored unless asked for, because they need the emulators and the built firmware: `scripts/firmware.sh test`.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long an emulator may take to start.
const START: Duration = Duration::from_secs(20);

/// A microcontroller that can be emulated.
struct Board {
    /// The firmware, below the folder that `BORGES_FIRMWARE` names.
    firmware: &'static str,
    /// The command that runs a firmware with its serial line at a port.
    command: fn(&Path, u16) -> Command,
}

const BOARDS: [Board; 2] = [
    Board {
        firmware: "thumbv7em-none-eabihf/release/borges-stm32f4",
        command: |firmware, port| {
            let mut qemu = Command::new("qemu-system-arm");
            qemu.args(["-M", "netduinoplus2", "-nographic", "-monitor", "none"]);
            qemu.arg("-kernel").arg(firmware);
            qemu.args(["-serial", &format!("tcp:127.0.0.1:{port},server,nowait")]);
            qemu
        },
    },
    Board {
        firmware: "thumbv6m-none-eabi/release/borges-pico",
        command: |firmware, port| {
            let script = "../../firmware/tools/emulator.js";
            let mut node = Command::new("node");
            node.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script));
            node.arg(firmware).arg(port.to_string());
            node
        },
    },
];

/// An emulated board whose serial line is a socket.
struct Emulator {
    process: Child,
    port: u16,
}

impl Emulator {
    fn start(board: &Board) -> Self {
        let firmware = std::env::var_os("BORGES_FIRMWARE")
            .map(|folder| PathBuf::from(folder).join(board.firmware))
            .expect("BORGES_FIRMWARE names the built firmware: run scripts/firmware.sh test");
        // The port is free now; should another program take it first, the emulator says so and the test fails.
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let process = (board.command)(&firmware, port)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("the emulator starts: scripts/setup.sh tests installs it");
        let mut emulator = Self { process, port };
        let started = Instant::now();
        // Looked at without connecting: a connection that closes at once would be the cable pulled.
        while !is_listening(port) {
            let ended = emulator.process.try_wait().expect("its state");
            assert!(ended.is_none(), "the emulator ended: {ended:?}");
            assert!(started.elapsed() < START, "the emulator does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        emulator
    }

    fn address(&self) -> String {
        format!("tcp:127.0.0.1:{}", self.port)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // It may have ended already, which a test that needed it has noticed.
        let _ended = self.process.kill();
        let _status = self.process.wait();
    }
}

/// Whether somebody listens on a port of this machine, according to the kernel's table.
fn is_listening(port: u16) -> bool {
    const LISTEN: &str = "0A";
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the kernel's table of sockets");
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let (local, state) = (fields.next(), fields.nth(1));
        local.is_some_and(|local| local.ends_with(&format!(":{port:04X}"))) && state == Some(LISTEN)
    })
}

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

fn example(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(name).join(name).with_extension("wasm")
}

/// A session prints the same on the simulated board and on all emulated ones, state hashes included.
fn same_everywhere(program: &Path, script: &str) {
    let simulated = transcript(program, script, None);
    for board in &BOARDS {
        let emulator = Emulator::start(board);
        let emulated = transcript(program, script, Some(&emulator.address()));
        assert_eq!(simulated, emulated, "{}", board.firmware);
    }
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn the_dial_turns_and_turns_back() {
    same_everywhere(
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

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_rebuilt_program_is_uploaded_and_goes_on() {
    let mut rebuilt = std::fs::read(example("color-dial")).expect("the example is there");
    // An empty custom section without a name: another program that does the same.
    rebuilt.extend([0, 1, 0]);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rebuilt.wasm");
    std::fs::write(&path, rebuilt).expect("a file beside the tests can be written");
    same_everywhere(
        &example("color-dial"),
        &format!(
            "mock read_uart_sensor(0) = 5; break call drive_motor_degrees; continue; upload {}; continue; step; verify; \
             board",
            path.display()
        ),
    );
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn a_device_answers_while_its_program_waits() {
    // Longer than one waits for a silent device, in much less than what it executes between two looks at the line.
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sleeper.wasm");
    let bytes = wat::parse_str(
        r#"(module
            (import "env" "chip_delay" (func $delay (param i32)))
            (import "env" "chip_digital_write" (func $write (param i32 i32)))
            (func (export "main")
                (call $delay (i32.const 6000))
                (call $write (i32.const 2) (i32.const 1))
                (call $delay (i32.const 6000))))"#,
    );
    std::fs::write(&program, bytes.expect("the text is a module"))
        .expect("a file beside the tests can be written");
    same_everywhere(&program, "continue; verify; board");
}
