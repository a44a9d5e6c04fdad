//! The core: the recipe for languages, the multiverse as a tree and as a graph.
//!
//! Everything here is pure: no input or output, no clock, no threads, no async. What a function
//! needs from the world (time to stop, who wants progress) its caller passes in.
//!
//! - [`tree`]: the multiverse of a program that runs on a device: branches of dense traces.

#![forbid(unsafe_code)]

pub mod tree;
