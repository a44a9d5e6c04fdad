//! Sessions on the firmware itself, in an emulated microcontroller: they go exactly as on the simulated board.
//!
//! Ignored unless asked for, because they need QEMU and the built firmware: `scripts/firmware.sh test`.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long an emulator may take to start.
const START: Duration = Duration::from_secs(20);

/// An emulated board whose serial line is a socket.
struct Emulator {
    process: Child,
    port: u16,
}

impl Emulator {
    fn start() -> Self {
        let firmware = std::env::var_os("BORGES_FIRMWARE")
            .map(PathBuf::from)
            .expect("BORGES_FIRMWARE names the built firmware: run scripts/firmware.sh test");
        // The port is free now; should another program take it before QEMU does, QEMU says so and the test fails.
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let process = Command::new("qemu-system-arm")
            .args(["-M", "netduinoplus2", "-nographic", "-monitor", "none"])
            .arg("-kernel")
            .arg(firmware)
            .args(["-serial", &format!("tcp:127.0.0.1:{port},server,nowait")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("qemu-system-arm starts: is it installed?");
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

fn same_on_both(name: &str, script: &str) {
    same_transcripts(&example(name), script);
}

fn same_transcripts(program: &Path, script: &str) {
    let emulator = Emulator::start();
    let simulated = transcript(program, script, None);
    let emulated = transcript(program, script, Some(&emulator.address()));
    assert_eq!(simulated, emulated);
}

#[test]
#[ignore = "needs QEMU and the firmware: scripts/firmware.sh test"]
fn the_dial_turns_and_turns_back() {
    same_on_both(
        "color-dial",
        "break color-dial.ts:19; mock read_uart_sensor(0) = 5; continue; verify; step; verify; board; \
         step; step; back; back; follow; verify; board; step; verify; tree",
    );
}

#[test]
#[ignore = "needs QEMU and the firmware: scripts/firmware.sh test"]
fn another_mock_leads_to_another_universe_and_a_jump_comes_back() {
    same_on_both(
        "color-dial",
        "mock read_uart_sensor(0) = 5; break color-dial.ts:20; continue; verify; bookmark five; restart; follow; \
         mock read_uart_sensor(0) = 2; fork; continue; verify; board; jump five; follow; verify; board; tree",
    );
}

#[test]
#[ignore = "needs QEMU and the firmware: scripts/firmware.sh test"]
fn a_rebuilt_program_is_uploaded_and_goes_on() {
    let mut rebuilt = std::fs::read(example("color-dial")).expect("the example is there");
    // An empty custom section without a name: another program that does the same.
    rebuilt.extend([0, 1, 0]);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rebuilt.wasm");
    std::fs::write(&path, rebuilt).expect("a file beside the tests can be written");
    same_on_both(
        "color-dial",
        &format!(
            "mock read_uart_sensor(0) = 5; break call drive_motor_degrees; continue; upload {}; continue; step; verify; \
             board",
            path.display()
        ),
    );
}

#[test]
#[ignore = "needs QEMU and the firmware: scripts/firmware.sh test"]
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
    same_transcripts(&program, "continue; verify; board");
}
