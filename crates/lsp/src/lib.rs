//! The Language Server Protocol for the model languages: what editors show of a program before anybody runs it.
//!
//! [`serve`] serves one editor on two streams, [`run`] one on a connection. What is known of a text is what its language says
//! of it ([`borges_languages::text::Gloss`]); here it is put into the protocol's words, and its places into the protocol's
//! lines and UTF-16 units.
//!
//! # Invariants
//! - What arrives is a stranger's: lengths are bounded, what is no message is told and passed by, places beyond a text are
//!   its end, and nothing is asked of the editor that it could leave out.
//! - Every request is answered once. What a document's mistakes are is told when nothing more has arrived, for its newest
//!   text.
//! - An edit never changes what a program does: one that is renamed or laid out is read again before it is offered.

#![forbid(unsafe_code)]

mod complete;
mod diagnose;
mod documents;
mod edit;
mod lines;
mod navigate;
mod outline;
mod refusal;
mod serve;
mod server;
mod told;

pub use serve::serve;
pub use server::{Farewell, run};
