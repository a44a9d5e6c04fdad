//! A live debugging session: a program, a device, its twin, and the multiverse seen so far.

#![forbid(unsafe_code)]

pub mod command;
pub mod listing;
