//! AmbientTalk: actors, objects, futures.
//!
//! The language is the Featherweight AmbientTalk of *Multiverse Debugging* (ECOOP 2019); listing 1
//! of that paper runs as printed. A program is the body of the main actor. Rules, by name:
//!
//! | | |
//! |---|---|
//! | within an actor | LET, ARITHMETIC, IF, NEW-OBJECT, NEW-ISOLATE, INVOKE, FIELD-ACCESS, FIELD-UPDATE, MAKE-FUTURE, PRINTLN |
//! | taking a message | PROCESS-MESSAGE, PROCESS-CALLBACK, MESSAGE-TO-FUTURE, RESOLVE |
//! | noticed by others | LOCAL-ASYNCHRONOUS-SEND, FAR-ASYNCHRONOUS-SEND, NEW-ACTOR, DELIVER |
//!
//! A turn that answers a two-way message ends by sending the result; a future that gets its value
//! sends on what waited for it, one message a step, in order.
//!
//! Decisions where the papers leave room:
//!
//! - Integers have 64 bits; what does not fit is stuck, not wrapped.
//! - Blocks and objects take in variables by value, so a captured variable cannot be assigned to
//!   (the parser says so); fields can.
//! - Actors and isolates see nothing around them but what `{|x| …}` names.
//! - Each actor prints to an output of its own: an order between two actors' lines would be no
//!   order of the program.
//! - Names of actors are their births, names of objects the lowest that is free; at the end of a
//!   turn an actor forgets what nobody can reach. So states that differ in history only are equal.
//!
//! ```
//! use borges_languages::ambienttalk::{AmbientTalk, Options};
//! use borges_multiverse::graph::{Exploration, Limits, Strategy};
//!
//! let text = "def cell := actor: { def x := 0; def set(n) { x := n } }; cell<-set(1); cell<-set(2);";
//! let program = AmbientTalk::parse(text, Options::default())?;
//! let mut exploration = Exploration::new(&program, Strategy::BreadthFirst);
//! exploration.run(&Limits::default(), |_| true);
//! assert_eq!(exploration.graph().ends().count(), 1);
//! # Ok::<(), borges_languages::ambienttalk::ParseError>(())
//! ```

#[cfg(test)]
#[path = "../../tests/common/actors.rs"]
mod actors;
mod answer;
mod birth;
mod change;
mod code;
mod compile;
#[cfg(test)]
#[path = "../../tests/common/damage.rs"]
mod damage;
mod error;
mod gloss;
mod ids;
mod language;
mod lex;
mod memo;
mod names;
mod parse;
mod passing;
mod print;
mod rule;
mod scope;
mod state;
mod step;
mod symmetry;
mod syntax;
mod value;
mod view;

pub use answer::Answer;
pub use birth::ActorId;
pub use code::SiteId;
pub use error::{ParseError, ParseErrorKind};
pub(crate) use gloss::gloss;
pub use language::{Agent, AmbientTalk, Choice, Delivery, Grain, Options, Resource};
pub use print::format;
pub use state::{State, Stuck};
pub use view::{ActorView, Doing, Next};
