//! What the firmware of all microcontrollers shares.
//!
//! A [`Chip`] says what a microcontroller can do, in terms of pins, times and bytes; [`Pins`] makes the primitives of a
//! board out of that, and [`serve`] runs the stub on it, for ever.
//!
//! # Invariants
//! - Nothing here blocks for longer than the program itself asked to wait, and even then the line is served.
//! - What came over the line cannot stop the device: a failure of our own is kept over the reboot that follows and
//!   reported to the host ([`start`], [`keep_last_words`]).
#![no_std]

extern crate alloc;

mod chance;
mod chip;
mod display;
mod heap;
mod last_words;
mod line;
mod motor;
mod pins;
pub mod place;
pub mod queue;
mod serve;
mod start;
mod strip;

pub use chance::Chance;
pub use chip::{Chip, Pwm, Wiring};
pub use line::{Line, Uart};
pub use motor::Stepper;
pub use pins::Pins;
pub use serve::{Measures, serve};
pub use start::{keep_last_words, start};
pub use strip::send_pixels;
