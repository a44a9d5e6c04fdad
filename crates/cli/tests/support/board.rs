//! A simulated board in a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::example;

/// A board in a process of its own.
pub(crate) struct Board {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Board {
    pub(crate) fn start(key_file: Option<&Path>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_borges"));
        command.args(["board", "--json", "--listen", "127.0.0.1:0"]);
        command.arg(example("color-dial").with_file_name("board.toml"));
        if let Some(file) = key_file {
            command.arg("--key-file").arg(file);
        }
        let mut process = command
            .stdout(Stdio::piped())
            .spawn()
            .expect("borges starts");
        let stdout = process.stdout.take().expect("it was piped");
        let mut lines = BufReader::new(stdout).lines();
        let first = lines.next().expect("a line").expect("of text");
        // It never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let said: serde_json::Value = serde_json::from_str(&first).expect("an object");
        let device = said["device"].as_str().expect("an address");
        let address = device.trim_start_matches("tcp:").parse();
        let address = address.expect("host and port");
        Self { process, address }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ended = self.process.kill();
        let _status = self.process.wait();
    }
}
