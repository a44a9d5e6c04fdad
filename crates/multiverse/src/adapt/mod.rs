//! Languages made from languages: a debugger, an observer, a coarser grain and a bound of preemptions are transition
//! systems over a transition system, so that everything that works on a language works on them.

mod abstracted;
pub mod erased;
mod observed;
mod preempting;
mod runs;
mod stepping;

pub use abstracted::{Abstracted, Permute, Stands};
pub use observed::{Observed, Observer};
pub use preempting::{Preempting, Scheduled};
pub use runs::Runs;
pub use stepping::{Mode, StepChoice, Stepper, Stepping};
