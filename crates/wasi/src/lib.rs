//! WASI preview 1 as a world whose whole state is one value.
//!
//! A program that imports `wasi_snapshot_preview1` calls a [`World`]: arguments and environment, folders with files,
//! descriptors, streams, clocks. [`World::call`] is a deterministic function of the world, the arguments, the memory
//! and, where the answer is nobody's to know, of a choice that the embedding makes.
//!
//! | type | what it is |
//! |---|---|
//! | [`Setup`] | what a world begins with |
//! | [`World`] | the state: cheap to clone, compared and hashed by content |
//! | [`WasiImport`], [`Function`] | the 46 functions, by name, with signatures and the errors they may be made to fail with |
//! | [`Called`] | what a call comes to: an answer, the end, a trap, or a question |
//! | [`Wants`], [`Chosen`] | the question, and the answer of the embedding, as plain data |
//! | [`PortableWorld`] | a state as it travels to who knows how it began |
//! | [`Touches`], [`WorldPart`] | what a call touches: the parts of the world that it reads, and those that it changes |
//! | [`FileChange`] | where the files of two worlds differ |
//!
//! # Invariants
//! - A call writes to no memory: it hands back what is to be written, all of it within the memory.
//! - Whatever does not come to an answer with [`Errno::Success`] has changed nothing (but a failing `fd_close`).
//! - A world shares with its clones all that is equal: to keep a state costs nothing, and a change copies a block of
//!   [`BLOCK`] bytes and a node of each level above it.
//! - Equal contents are equal worlds with equal hashes, by whatever way they came about.
//! - Nothing here does I/O, reads a clock, draws a random number or panics on any argument.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod answer;
mod call;
mod calls;
mod choice;
mod diff;
mod errno;
mod function;
mod limits;
mod memory;
mod names;
mod portable;
mod replace;
mod rights;
mod setup;
mod store;
mod touched;
mod tree;
mod world;

pub use answer::{Called, WasiAnswer};
pub use choice::{Chosen, ClockId, Misuse, Replacement, Wants};
pub use diff::{FileChange, FileChangeKind, Rewritten};
pub use errno::Errno;
pub use function::{Function, Preview, WasiImport, WasmType};
pub use limits::WorldLimits;
pub use memory::{BadPointer, Memory, MemoryWrite};
pub use names::{Listed, NoSubject, OpenDescriptor};
pub use portable::PortableWorld;
pub use setup::{Item, Setup, SetupError};
pub use store::{BLOCK, Content};
pub use touched::{Touches, WorldPart};
pub use world::{Output, World};
