//! Simulated boards and devices.
