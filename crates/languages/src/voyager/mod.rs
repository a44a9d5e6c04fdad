//! Voyager: the multiverse debugger for AmbientTalk.
//!
//! A universe of the debugger is ⟨breakpoints, run|pause, step, actor states, configuration⟩; the
//! program's configuration is a part of it and knows nothing of the rest. The rules of *Multiverse
//! Debugging* (ECOOP 2019, appendix A) appear under their names in [`LinkRow::rules`]:
//!
//! - CEL-STEP-LOCAL, CEL-STEP-GLOBAL: the program takes a step, by an actor that may run.
//! - SAVE-MRB: a message with a receiver breakpoint is on its way. TRIGGER-MSB, TRIGGER-MRB and
//!   their kin: a breakpoint halts the universe. NOT-APPLICABLE-BREAKPOINT: it does not.
//! - ADD-NEW-ACTOR: an actor is born, running.
//! - PREPARE-STEP-NEXT-TURN, TRIGGER-STEP-NEXT-TURN: a step is asked for, and is there.
//! - RESUME-EXECUTION, PAUSE-EXECUTION.
//!
//! Where the original falls short this one does not: a paused actor neither computes nor sends;
//! turns are counted, not runs; a breakpoint halts every time.
//!
//! ```
//! use borges_languages::model::debug::Order;
//! use borges_languages::model::{AMBIENT_TALK, Explore, Model};
//!
//! let text = "def a := actor: { def x := 0; def set(n) { x := n } }; a<-set(1)";
//! let program = Model::parse(&AMBIENT_TALK, text).unwrap();
//! let mut voyager = program.debugger(&Explore::default());
//! let mut say = |order| voyager.carry_out(order, &mut |_| true).unwrap().ran;
//! say(Order::Break { spec: "receiver set".into() });
//! let ran = say(Order::Run).unwrap();
//! assert!(ran.ends.is_empty());
//! let ran = say(Order::Resume { universe: ran.paused[0] }).unwrap();
//! assert_eq!(ran.ends.len(), 1);
//! ```
//!
//! [`LinkRow::rules`]: crate::model::debug::LinkRow::rules

mod breakpoint;
mod catalogue;
mod goal;
mod reported;
mod show;

pub(crate) use catalogue::Actors;

pub use breakpoint::{Breakpoint, BreakpointError, Sites};
pub use goal::StepKind;
