//! Simulated boards and devices.

pub mod link;

pub use link::{Clock, Faults, LossyLink, MemoryLink};
