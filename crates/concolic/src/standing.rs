//! Where machines stand.

use borges_vm::{Machine, Snapshot};

/// Takes a machine back to where one of the same program stood. Of its memory only what differs is written.
pub(crate) fn go_back(machine: &mut Machine, to: &Snapshot) {
    // Machines of one exploration are of one program within the same limits: their snapshots fit them.
    let restored = machine.restore(to);
    debug_assert_eq!(restored, Ok(()));
}
