//! An emulated board in a process of its own, with its serial line on a socket.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long an emulator may take to start.
const START: Duration = Duration::from_secs(20);

/// A microcontroller that can be emulated.
pub(crate) struct Chip {
    /// The firmware, below the folder that `BORGES_FIRMWARE` names.
    pub(crate) firmware: &'static str,
    /// The largest program that it takes, in bytes.
    pub(crate) program_bytes: usize,
    /// So many branches in a program are more than it has memory for.
    pub(crate) branches: usize,
    /// The command that runs a firmware with its serial line at a port.
    command: fn(&Path, SocketAddr) -> Command,
}

/// In QEMU, whose monitor listens to its standard input.
pub(crate) const STM32F4: Chip = Chip {
    firmware: "thumbv7em-none-eabihf/fast/borges-stm32f4",
    program_bytes: 24 << 10,
    branches: 3 << 10,
    command: |firmware, address| {
        let mut qemu = Command::new("qemu-system-arm");
        qemu.args(["-M", "netduinoplus2", "-display", "none"]);
        qemu.args(["-monitor", "stdio"]);
        qemu.arg("-kernel").arg(firmware);
        qemu.args(["-serial", &format!("tcp:{address},server,nowait")]);
        qemu
    },
};

impl Chip {
    /// The firmware's name.
    pub(crate) fn name(&self) -> &'static str {
        self.firmware.rsplit('/').next().unwrap()
    }
}

/// In rp2040js, which understands the same word on its standard input.
pub(crate) const PICO: Chip = Chip {
    firmware: "thumbv6m-none-eabi/release/borges-pico",
    program_bytes: (128 << 10) - 256,
    branches: 5 << 10,
    command: |firmware, address| {
        let mut node = Command::new("node");
        node.arg(super::root().join("firmware/tools/emulator.js"));
        node.arg(firmware).arg(address.port().to_string());
        node
    },
};

/// The same, with the host at the USB port.
pub(crate) const PICO_USB: Chip = Chip {
    firmware: "thumbv6m-none-eabi/release/borges-pico-usb",
    command: |firmware, address| {
        let mut node = (PICO.command)(firmware, address);
        node.arg("--usb");
        node
    },
    ..PICO
};

/// The same, with a host whose serial port has another speed than the firmware has after a start.
pub(crate) const PICO_FAST: Chip = Chip {
    command: |firmware, address| {
        let mut node = (PICO.command)(firmware, address);
        node.arg("--baud=921600");
        node
    },
    ..PICO
};

/// An emulated board whose serial line is a socket.
pub(crate) struct Emulator {
    process: Child,
    address: SocketAddr,
}

impl Emulator {
    pub(crate) fn start(chip: &Chip) -> Self {
        Self::run(chip, None)
    }

    /// One with what this file has in its flash, and which keeps it there; only the Pico.
    pub(crate) fn with_flash(chip: &Chip, file: &Path) -> Self {
        Self::run(chip, Some(file))
    }

    fn run(chip: &Chip, flash: Option<&Path>) -> Self {
        let firmware = std::env::var_os("BORGES_FIRMWARE")
            .map(|folder| PathBuf::from(folder).join(chip.firmware))
            .expect("BORGES_FIRMWARE names the built firmware: run scripts/firmware.sh test");
        // One emulator after the other, so that no two are given the same port. Should another program take it first,
        // the emulator says so and the test fails.
        static STARTING: Mutex<()> = Mutex::new(());
        let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let address = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port");
        let process = (chip.command)(&firmware, address)
            .args(flash)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the emulator starts: scripts/setup.sh tests installs it");
        let mut emulator = Self { process, address };
        let started = Instant::now();
        // Looked at without connecting: a connection that closes at once would be the cable pulled.
        while !is_listening(emulator.process.id(), address.port()) {
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
        self.say("system_reset");
    }

    /// From now on the core executes nothing, while time passes. QEMU does not know how.
    pub(crate) fn hang(&mut self) {
        self.say("hang");
    }

    fn say(&mut self, word: &str) {
        let monitor = self.process.stdin.as_mut().expect("it was piped");
        writeln!(monitor, "{word}").expect("the emulator listens");
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // It may have ended already, which a test that needed it has noticed.
        let _ended = self.process.kill();
        let _status = self.process.wait();
    }
}

/// Whether this process listens on a port of this machine, according to the kernel's tables: that somebody does is not
/// enough, for another test that looks for a free port has it for a moment.
fn is_listening(process: u32, port: u16) -> bool {
    const LISTEN: &str = "0A";
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the kernel's table of sockets");
    let sockets: Vec<PathBuf> = table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            let listens =
                fields.get(1)?.ends_with(&format!(":{port:04X}")) && fields.get(3)? == &LISTEN;
            listens.then(|| {
                fields
                    .get(9)
                    .map(|inode| format!("socket:[{inode}]").into())
            })?
        })
        .collect();
    // A process that has just ended has no files any more.
    let Ok(files) = std::fs::read_dir(format!("/proc/{process}/fd")) else {
        return false;
    };
    files
        .flatten()
        .any(|file| std::fs::read_link(file.path()).is_ok_and(|target| sockets.contains(&target)))
}
