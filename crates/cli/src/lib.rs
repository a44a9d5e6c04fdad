//! The terminal face of Borges: the `borges` command.
//!
//! Everything the command does goes through [`borges_session`] (device programs) or
//! [`borges_multiverse`] and [`borges_languages`] (model languages); this crate reads what is typed and
//! draws what comes back.

#![forbid(unsafe_code)]

pub mod action;
pub mod args;
pub mod caredeb;
pub mod exit;
pub mod flash;
pub mod interrupt;
pub mod output;
pub mod paint;
pub mod render;
pub mod repl;
pub mod voyager;
pub mod walk;
