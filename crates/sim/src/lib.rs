//! Simulated boards and devices.
//!
//! [`SimBoard`] is hardware that exists in this program only: readings come from sources (constants, scripts, waves,
//! noise) and from models of things in the world (a disc under a sensor, a heated room), its clock is virtual, and
//! all chance derives from the board's seed. [`Environment`] is what programs have done to the outside.

mod board;
mod device;
mod environment;
pub mod link;
mod pace;
mod random;
mod room;
mod source;

pub use board::SimBoard;
pub use device::{SimDevice, SimHandle};
pub use environment::Environment;
pub use link::{Clock, Faults, LossyLink, MemoryLink};
pub use pace::{Metronome, Pace};
pub use room::Room;
