//! Voyager: the multiverse debugger for AmbientTalk.
//!
//! A universe of the debugger is ⟨breakpoints, run|pause, step, actor states, configuration⟩; the
//! program's configuration is a part of it and knows nothing of the rest. The rules of *Multiverse
//! Debugging* (ECOOP 2019, appendix A) appear under their names in [`Edge::rules`]:
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
//! use borges_languages::voyager::{Command, Reply, Voyager};
//!
//! let text = "def a := actor: { def x := 0; def set(n) { x := n } }; a<-set(1)";
//! let mut voyager = Voyager::new(text).unwrap();
//! voyager.execute(Command::Break("receiver set".into())).unwrap();
//! let Ok(Reply::Ran(ran)) = voyager.execute(Command::Run) else { panic!() };
//! assert!(ran.ends.is_empty());
//! let [paused] = ran.paused[..] else { panic!() };
//! let Ok(Reply::Ran(ran)) = voyager.execute(Command::Resume(paused)) else { panic!() };
//! assert_eq!(ran.ends.len(), 1);
//! ```

mod breakpoint;
mod command;
mod face;
mod goal;
mod session;
mod show;
mod universe;
mod verdict;

pub(crate) use verdict::{verdicts_on, witness};

pub use breakpoint::{Breakpoint, BreakpointError, Sites};
pub use command::{Change, Command, Node, Ran, Reply, VoyagerError};
pub use goal::StepKind;
pub use session::Voyager;
pub use universe::{
    ActorMode, BreakpointId, Edge, EdgeId, EdgeKind, Hit, Mode, Status, UniverseId,
};
pub use verdict::{Verdict, Verdicts, Witness};
