//! Where the program has to stop.

use alloc::vec::Vec;

use borges_board::Hardware;
use borges_vm::{CodeOffset, NoInstruction};
use borges_wire::{Failure, Measure};

use super::{Done, Stub, check};

impl<H: Hardware> Stub<H> {
    pub(super) fn set_breakpoints(&mut self, offsets: Vec<u32>) -> Done {
        check(
            Measure::Breakpoints,
            offsets.len() as u64,
            self.config.limits.breakpoints,
        )?;
        let before = core::mem::replace(
            &mut self.breakpoints,
            offsets.into_iter().map(CodeOffset).collect(),
        );
        let adopted = self.adopt_stops();
        if adopted.is_err() {
            self.breakpoints = before;
        }
        adopted
    }

    pub(super) fn set_watches(&mut self, watches: &[borges_wire::Watch]) -> Done {
        check(
            Measure::Watches,
            watches.len() as u64,
            self.config.limits.watches,
        )?;
        let mut list = Vec::new();
        for watch in watches {
            let Some(watch) = vm_watch(watch) else {
                return Err(Failure::WatchesReads);
            };
            list.push(watch);
        }
        let before = core::mem::replace(&mut self.watches, list);
        let adopted = self.adopt_stops();
        if adopted.is_err() {
            self.watches = before;
        }
        adopted
    }

    /// Gives the VM the breakpoints and watches in force.
    pub(super) fn adopt_stops(&mut self) -> Done {
        if let Some(begun) = &mut self.begun {
            let machine = &mut begun.machine;
            machine
                .set_breakpoints(&self.breakpoints)
                .map_err(|NoInstruction(offset)| Failure::NoInstruction(offset.0))?;
            machine.set_watches(&self.watches);
        }
        Ok(None)
    }
}

/// The VM's watch for the wire's; nothing for reads, which the VM does not watch.
fn vm_watch(watch: &borges_wire::Watch) -> Option<borges_vm::Watch> {
    use borges_wire::WatchAccess;
    let (access, vm) = match *watch {
        borges_wire::Watch::Memory {
            memory,
            address,
            length,
            access,
        } => (
            access,
            borges_vm::Watch::Memory {
                memory,
                start: address,
                length,
            },
        ),
        borges_wire::Watch::Global { index, access } => (access, borges_vm::Watch::Global(index)),
        borges_wire::Watch::Local {
            frame,
            index,
            access,
        } => (
            access,
            borges_vm::Watch::Local {
                frame,
                local: index,
            },
        ),
    };
    (access == WatchAccess::Write).then_some(vm)
}
