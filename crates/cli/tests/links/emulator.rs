//! An emulated board that can be reset, with its serial line on a socket.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The firmware, below the folder that `BORGES_FIRMWARE` names.
const FIRMWARE: &str = "thumbv7em-none-eabihf/release/borges-stm32f4";
/// How long an emulator may take to start.
const START: Duration = Duration::from_secs(20);

/// An emulated board whose serial line is a socket.
pub(crate) struct Emulator {
    process: Child,
    address: SocketAddr,
}

impl Emulator {
    pub(crate) fn start() -> Self {
        let firmware = std::env::var_os("BORGES_FIRMWARE")
            .map(|folder| PathBuf::from(folder).join(FIRMWARE))
            .expect("BORGES_FIRMWARE names the built firmware: run scripts/firmware.sh test");
        // The port is free now; should another program take it before QEMU does, QEMU says so and the test fails.
        let address = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port");
        let process = Command::new("qemu-system-arm")
            .args([
                "-M",
                "netduinoplus2",
                "-display",
                "none",
                "-monitor",
                "stdio",
            ])
            .arg("-kernel")
            .arg(firmware)
            .args(["-serial", &format!("tcp:{address},server,nowait")])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("qemu-system-arm starts: is it installed?");
        let mut emulator = Self { process, address };
        let started = Instant::now();
        // Looked at without connecting: a connection that closes at once would be the cable pulled.
        while !is_listening(address.port()) {
            let ended = emulator.process.try_wait().expect("its state");
            assert!(ended.is_none(), "the emulator ended: {ended:?}");
            assert!(started.elapsed() < START, "the emulator does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        emulator
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// As one names it to a debugger.
    pub(crate) fn device(&self) -> String {
        format!("tcp:{}", self.address)
    }

    /// Presses the reset button.
    pub(crate) fn reset(&mut self) {
        let monitor = self.process.stdin.as_mut().expect("it was piped");
        monitor
            .write_all(b"system_reset\n")
            .expect("the emulator listens");
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
