//! One command language for every face of Borges.
//!
//! Tables say which commands there are; the parser, the help, the completion and `docs/commands.md` are made from
//! them. Renderers turn what comes back into text. Nothing here knows a terminal: a face brings lines and shows what
//! is said.

#![forbid(unsafe_code)]

mod agents;
pub mod arguments;
pub mod completion;
pub mod cursor;
pub mod device;
pub mod help;
pub mod interpreter;
pub mod message;
pub mod model;
pub mod page;
pub mod paint;
mod surveying;
pub mod table;
pub mod words;
