//! The core: the recipe for languages, the multiverse as a tree and as a graph.
//!
//! Everything here is pure: no input or output, no clock, no threads, no async. What a function
//! needs from the world (time to stop, who wants progress) its caller passes in.
//!
//! - [`language`]: the recipe, what a language says about itself.
//! - [`adapt`]: a debugger, an observer, a coarser grain as languages over a language.
//! - [`causality`]: what happened before what, undoing an event, one run for each class of runs.
//! - [`debug`]: breakpoints, steps and held agents, in all universes at once.
//! - [`graph`]: the multiverse of a model language: exploration, paths, reach, cycles.
//! - [`heed`]: whoever waits for a long look at a graph can stop it.
//! - [`list`]: lists that states share, for states that are cheap to clone, to compare and to hash.
//! - [`priority`]: which agents make room for others.
//! - [`temporal`]: formulas about runs, answered with a witness.
//! - [`tree`]: the multiverse of a program that runs on a device: branches of dense traces.
//! - [`workers`]: who does the work, where much can be done at the same time.
//! - [`walk`]: a walk through the universes of a model language, one at a time.
//!
//! Nothing assumes that a multiverse fits into one process for ever: outside names are contents
//! (a trace, a [`fingerprint::Fingerprint`]), dense numbers are private to one graph, and every
//! exploration can be paused and resumed.

#![forbid(unsafe_code)]

pub mod adapt;
pub mod causality;
pub mod debug;
pub mod fingerprint;
pub mod graph;
pub mod heed;
pub mod language;
pub mod list;
pub mod priority;
pub mod random;
pub mod temporal;
pub mod tree;
pub mod walk;
pub mod workers;

/// Runs the code of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/multiverse.md")]
struct Guide;
