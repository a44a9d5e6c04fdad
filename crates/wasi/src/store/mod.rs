//! Persistent stores: what shares its parts with its clones, so that a copy costs nothing and a change little.

mod cache;
mod content;
mod held;
mod numbered;
mod portable;
mod sparse;

pub(crate) use cache::{Cache, Digest, Hasher};
pub use content::{BLOCK, Content};
pub(crate) use held::Held;
pub(crate) use numbered::Numbered;
pub(crate) use portable::PortableContent;
pub(crate) use sparse::Sparse;
