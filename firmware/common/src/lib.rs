//! What the firmware of all microcontrollers shares.
//!
//! A [`Chip`] says what a microcontroller can do, in terms of pins, times and bytes; [`Pins`] makes the primitives of a
//! board out of that, and [`serve`] runs the stub on it, for ever.
//!
//! # Invariants
//! - Nothing here blocks for longer than the program itself asked to wait, and even then the line is served.
//! - What came over the line cannot stop the device: a failure of our own is kept over the reboot that follows and
//!   reported to the host ([`last_words`]).
#![no_std]

extern crate alloc;

mod chip;
mod display;
pub mod last_words;
mod motor;
mod pins;
mod serve;

pub use chip::{Chip, Pwm, Wiring};
pub use motor::Stepper;
pub use pins::Pins;
pub use serve::{Measures, serve};
