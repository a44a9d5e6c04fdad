//! A simulated device for a board.

use borges_sim::{SimBoard, SimDevice, SimHandle};
use borges_stub::Stub;
use borges_wire::link::Link;
use borges_wire::{ContentHash, DeviceLimits};

use crate::options::Options;
use crate::program::Board;

/// A simulated device for a board.
pub(crate) fn simulated(options: &Options, board: &Board) -> (Box<dyn Link>, SimHandle<SimBoard>) {
    let stub = simulated_stub(options, board, 1);
    match &options.faults {
        None => {
            let (device, handle) = SimDevice::new(stub);
            (Box::new(device), handle)
        }
        Some((faults, seed)) => {
            let (device, handle) = SimDevice::lossy(stub, faults, *seed);
            (Box::new(device), handle)
        }
    }
}

/// The debug server of a simulated device; `boot` differs from one start to the next.
pub(crate) fn simulated_stub(options: &Options, board: &Board, boot: u32) -> Stub<SimBoard> {
    let mut description = board.description.clone();
    if let Some(seed) = options.seed {
        description.simulation.seed = seed;
    }
    let hardware = SimBoard::new(&description).paced(options.pace.clone());
    let vm = board.vm_limits();
    let config = borges_stub::Config {
        name: format!("simulated board '{}'", description.name),
        limits: DeviceLimits {
            message_bytes: 1 << 16,
            program_bytes: vm.module_bytes,
            delta_bytes: if options.device_takes_differences {
                u32::MAX
            } else {
                0
            },
            memory_pages: vm.memory_pages,
            trace_bytes: 1 << 20,
            breakpoints: 1 << 16,
            watches: 256,
            mocks: 1 << 16,
        },
        vm,
        slice: options.device_slice,
        endpoint: borges_wire::Config {
            message_bytes: 1 << 20,
            send_bytes: 1 << 20,
            segment_bytes: 4096,
            window: 32,
            batch_us: 2_000,
            ..borges_wire::Config::device()
        },
        seed: boot,
    };
    Stub::new(
        config,
        borges_vm::Shared::new(description),
        ContentHash::of(&board.portable()),
        hardware,
    )
}
