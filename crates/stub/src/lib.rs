//! The debug server that runs beside the VM on a device.
