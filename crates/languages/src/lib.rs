//! Model languages on the multiverse core: parser, semantics, and the recipe.
//!
//! - [`language`]: which languages there are.
//! - [`amb`]: λ_amb, numbers with addition and McCarthy's ambiguous choice.
//! - [`ambienttalk`]: actors, objects, futures.
//! - [`muoz`]: μOz, threads that communicate over ports.
//! - [`model`]: all of them behind one type, explored to one report.
//! - [`predicate`]: expressions over the states of any of them.
//! - [`source`]: places in source texts, for all languages.
//! - [`text`]: what the words of a text mean, for editors.
//! - [`voyager`]: the multiverse debugger for AmbientTalk.

#![forbid(unsafe_code)]

pub mod amb;
pub mod ambienttalk;
mod datum;
pub mod language;
mod layout;
pub mod model;
pub mod muoz;
pub mod predicate;
pub mod source;
pub mod text;
pub mod voyager;
