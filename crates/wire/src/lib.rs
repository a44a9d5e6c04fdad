//! Messages and framing between the host and a device.
