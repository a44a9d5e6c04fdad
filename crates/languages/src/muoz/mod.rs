//! μOz: threads that share nothing but ports.
//!
//! The language of *Causal-Consistent Reversible Debugging* (FASE 2014), in the paper's notation
//! and in that of the released tool:
//!
//! ```text
//! L ::= S (; S)*                       a blank will do for ;
//! S ::= skip | <br> | assert G | if G then L else L end | thread L end
//!     | let x = V in L end | let x = {receive y} in L end | {send x a} | {x a*}
//! G ::= x | (E op E)                   op: == < > <= >=
//! V ::= true | false | port | proc {x*} L end | E
//! E ::= integers, identifiers, + - * /, parentheses
//! a ::= an identifier or a literal
//! ```
//!
//! `NewPort`, `Send` and `Receive` are the paper's spellings; comments are `//` and `/* */`.
//!
//! Decisions: integers have 64 bits, and a thread whose result does not fit is stuck, as after a
//! division by zero; a literal argument stands for a `let` around the statement; entering and
//! leaving a scope is no step; procedures know their own names; identifiers must be bound where
//! they stand. Threads are named by causal birth ([`ThreadName`]), variables by their binder and
//! a number; [`Names`] makes the names that people see.

pub mod caredeb;
mod draft;
mod error;
mod event;
mod gloss;
mod lex;
mod machine;
mod name;
mod names;
mod outcome;
mod parse;
mod print;
mod program;
mod race;
mod recipe;
mod record;
mod rule;
mod semantics;
mod show;
mod state;
mod wait;
mod words;

pub use error::{ParseError, ParseErrorKind};
pub use event::Event;
pub(crate) use gloss::gloss;
pub use machine::{EventId, Machine, NoStep, Refusal, Reversible};
pub use name::{NoThreadName, ThreadName, VariableName};
pub use names::Names;
pub use outcome::{Answer, Message};
pub use print::{Notation, Pretty, format};
pub use race::Rival;
pub use recipe::Resource;
pub use record::{Recording, RecordingError};
pub use rule::{Act, Rule};
pub use semantics::{MuOz, Stuck};
pub use state::{State, Value};
pub use wait::Wait;
