//! A device, and a host that says what it likes.

use borges_board::{Board, Shared};
use borges_sim::SimBoard;
use borges_stub::{Config, Stub};
use borges_vm::Limits;
use borges_wire::{
    Channel, Command, ContentHash, DeviceLimits, Endpoint, Epoch, Incoming, Report, RequestId,
    ToDevice, ToHost,
};

/// A device and a host, for which a millisecond passes with every slice of the program.
pub(crate) struct Line {
    pub stub: Stub<SimBoard>,
    pub host: Endpoint,
    pub now_us: u64,
    last_id: u32,
    pub reports: Vec<(u64, Report)>,
}

impl Line {
    /// A device with a board and without a program, and a host that is not connected yet.
    pub(crate) fn new() -> Self {
        let board = Board::default_board();
        let hardware = SimBoard::new(&board);
        let endpoint = borges_wire::Config::device();
        let vm = Limits::small();
        let config = Config {
            name: "traced".to_owned(),
            limits: DeviceLimits {
                message_bytes: endpoint.message_bytes,
                program_bytes: 8 << 10,
                delta_bytes: 8 << 10,
                memory_pages: vm.memory_pages,
                trace_bytes: 1024,
                breakpoints: 8,
                watches: 4,
                mocks: 8,
            },
            vm,
            slice: 5,
            endpoint,
            seed: 1,
        };
        Self {
            stub: Stub::new(config, Shared::new(board), ContentHash::of(b""), hardware),
            host: Endpoint::new(borges_wire::Config::host(), 2),
            now_us: 0,
            last_id: 0,
            reports: Vec::new(),
        }
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, milliseconds: u64) {
        for _ in 0..milliseconds {
            self.now_us += 1000;
            self.host.tick(self.now_us);
            while let Some(frame) = self.host.transmit() {
                self.stub.feed(self.now_us, frame);
            }
            self.stub.poll(self.now_us);
            while let Some(frame) = self.stub.transmit() {
                self.host.feed(self.now_us, frame);
            }
            while let Some(incoming) = self.host.receive() {
                if let Incoming::Message(message) = incoming {
                    let report = ToHost::from_bytes(&message.bytes).unwrap().report;
                    self.reports.push((self.now_us, report));
                }
            }
        }
    }

    /// Sends a command, and lets it be carried out.
    pub(crate) fn say(&mut self, command: Command) {
        self.last_id += 1;
        let (epoch, id) = (Epoch(1), RequestId(self.last_id));
        let bytes = ToDevice { epoch, id, command }.to_bytes();
        self.host.send(Channel::Control, &bytes).unwrap();
        self.pass(3);
    }
}
