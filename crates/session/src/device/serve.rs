//! A simulated board that other processes debug: what stands in for a device on the network, without one.

use std::path::Path;

use borges_link::{Gate, GateEvent};
use borges_sim::SimBoard;
use borges_stub::Stub;
use borges_wire::link::{Link as _, Outgoing};

use crate::device::simulated::simulated_stub;
use crate::options::Options;
use crate::program::{Board, OpenError};

/// Steps between two looks at the line: about a millisecond.
const SLICE: u64 = 200_000;
/// How much is read at a time.
const READ_BYTES: usize = 4096;

/// A simulated board at a gate. What runs on it goes on when the debugger leaves.
pub struct BoardServer {
    stub: Stub<SimBoard>,
    name: String,
    gate: Gate,
    outgoing: Outgoing,
}

impl BoardServer {
    /// The board that a file describes, or the default one.
    ///
    /// # Errors
    /// The board file cannot be read, or is wrong.
    pub fn new(file: Option<&Path>, seed: Option<u64>, gate: Gate) -> Result<Self, OpenError> {
        let board = match file {
            Some(file) => Board::find(file, Some(file))?,
            // The default board: no program is near whose board file it could be.
            None => Board::parse(String::new(), Path::new(""))?,
        };
        let options = Options {
            seed,
            device_slice: SLICE,
            ..Options::new("")
        };
        let name = board.description.name.clone();
        Ok(Self {
            stub: simulated_stub(&options, &board, std::process::id()),
            name,
            gate,
            outgoing: Outgoing::default(),
        })
    }

    /// The board's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lets the board work once: takes what has arrived, runs a slice of the program, sends what there is. Waits for
    /// about a millisecond if there is nothing to do. Who came and who left is returned.
    pub fn work(&mut self) -> Vec<GateEvent> {
        let mut buffer = [0; READ_BYTES];
        let now = self.gate.now_us();
        let length = self.gate.receive(&mut buffer);
        let good = self.stub.endpoint().counters().frames_received;
        self.stub
            .feed(now, buffer.get(..length).unwrap_or_default());
        if self.stub.endpoint().counters().frames_received > good {
            self.gate.vouch();
        }
        self.stub.poll(now);
        self.outgoing.pump(
            &mut (&mut self.stub, &mut self.gate),
            |(stub, _)| stub.transmit(),
            |(_, gate), bytes| gate.send(bytes),
        );
        self.gate.visits()
    }
}
