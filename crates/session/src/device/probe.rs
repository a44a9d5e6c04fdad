//! Asking what a device is, without disturbing what runs on it.

use borges_link::{Address, Key, LineOpenError};
use borges_wire::link::{Link as _, Port};
use borges_wire::{
    Channel, Command, Config, ContentHash, DeviceStatus, Epoch, Incoming, Report, RequestId,
    SCHEMA, ToDevice, ToHost, peer_schema,
};
use thiserror::Error;

/// How long a device may take to introduce itself, in µs: it greets several times a second.
const PATIENCE_US: u64 = 1_500_000;

/// How a device introduced itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// Its name: the chip's, or the simulated board's.
    pub device: String,
    /// The hash of the program on it, if there is one.
    pub program: Option<String>,
    /// What the program is doing.
    pub status: &'static str,
    /// The steps that the program has taken.
    pub steps: u64,
    /// The largest program that it takes, in bytes.
    pub program_bytes: u32,
}

/// Why a device did not introduce itself.
#[derive(Debug, Error)]
pub enum ProbeError {
    /// The line.
    #[error(transparent)]
    Line(#[from] LineOpenError),
    /// Nobody answers.
    #[error("nothing that speaks Borges' protocol answers")]
    Silent,
    /// Another version.
    #[error("a Borges device of another version: its schema is {theirs:08x}, ours {SCHEMA:08x}")]
    Schema {
        /// The device's.
        theirs: u32,
    },
}

/// The name by which a program is known on a device.
#[must_use]
pub fn program_name(module: &[u8]) -> String {
    ContentHash::of(module).to_string()
}

/// Asks what answers at an address. What runs there goes on.
///
/// # Errors
/// [`ProbeError`] if the line cannot be opened, or nothing answers in time.
pub fn probe(address: &Address, key: Option<&Key>) -> Result<Introduction, ProbeError> {
    let link = borges_link::open(address, key)?;
    let mut port = Port::new(link, Config::host(), std::process::id());
    let deadline = port.link().now_us() + PATIENCE_US;
    let hello = ToDevice {
        epoch: Epoch(1),
        id: RequestId(1),
        command: Command::Hello {
            schema: SCHEMA,
            resume: None,
        },
    };
    let hello = hello.to_bytes();
    while port.link().now_us() < deadline && port.link().trouble().is_none() {
        port.poll();
        while let Some(incoming) = port.receive() {
            match incoming {
                // With nothing else sent before it, there is room.
                Incoming::Connected => drop(port.endpoint().send(Channel::Control, &hello)),
                Incoming::Message(message) => {
                    if let Some(answer) = introduction(&message.bytes) {
                        // What was taken is acknowledged, so that the device need not say it again.
                        port.poll();
                        return answer;
                    }
                }
                _ => {}
            }
        }
    }
    Err(ProbeError::Silent)
}

/// What a message says of the device, if it is its introduction.
fn introduction(bytes: &[u8]) -> Option<Result<Introduction, ProbeError>> {
    let Ok(ToHost { report, .. }) = ToHost::from_bytes(bytes) else {
        return peer_schema(bytes, true).map(|theirs| Err(ProbeError::Schema { theirs }));
    };
    let Report::Welcome {
        device,
        limits,
        program,
        status,
        steps,
        ..
    } = report
    else {
        return None;
    };
    let status = match status {
        DeviceStatus::Idle if program.is_some() => "not started",
        DeviceStatus::Idle => "no program",
        DeviceStatus::Paused => "paused",
        DeviceStatus::Running => "running",
        DeviceStatus::Ended => "ended",
    };
    Some(Ok(Introduction {
        device,
        program: program.map(|hash| hash.to_string()),
        status,
        steps,
        program_bytes: limits.program_bytes,
    }))
}
