//! Debugging a program in all its universes at once, whatever its language.
//!
//! A debugger is an adaptor over a language: [`Debugged`] is the program with the debugger's own
//! state beside it (does it run or pause, whom does the user hold, what is waited for), so the
//! [`Graph`] of the core holds the universes of a session as it holds those of any program: each
//! once. What can be waited for in a language, its [`Catalogue`] says: breakpoints, and steps,
//! which are temporary breakpoints.
//!
//! - [`Catalogue`]: what a language says about breakpoints and steps.
//! - [`Debugged`]: the program under the debugger, a [`Language`].
//! - [`Debugger`]: a session: commands of the user, and the universes that they lead to.
//!
//! # Invariants
//! - What a universe can do never changes: it names the set of breakpoints that it goes by, and
//!   sets are only added.
//! - The debugger changes nothing in the program: leaving out what it adds to a universe gives a
//!   state that the program reaches by the same steps.
//! - A command adds universes and links; none is changed or taken away, but by a restart.

mod configuration;
mod debugged;
mod debugger;
mod links;

pub use configuration::{AgentMode, AgentOf, ChoiceOf, Configuration, Hit, Mode, StateOf};
pub use debugged::Debugged;
pub use debugger::{Debugger, KeepGoing, Ran, Status};
pub use links::{Link, LinkId, Said};

#[cfg(doc)]
use crate::graph::Graph;
use crate::language::Language;

/// A breakpoint of a session; its number is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BreakpointId(pub u32);

/// What led to a state.
pub struct Arrival<'a, L: Language + ?Sized> {
    /// The step; none at the program's start.
    pub before: Option<(&'a L::State, &'a L::Choice)>,
    /// The state that it led to.
    pub after: &'a L::State,
}

/// What can be waited for in programs of a language.
///
/// As those of [`Language`], the methods are functions of their arguments alone.
pub trait Catalogue {
    /// The language.
    type Program: Language;
    /// What halts the program wherever it happens, any number of times.
    type Breakpoint: Clone;
    /// What a step under way still waits for.
    type Goal: Clone + Eq + std::hash::Hash;
    /// A kind of step, as the user names it.
    type Step: Copy + Eq + std::hash::Hash;

    /// Whether a universe in which a step has come to its end remembers whose step it was. Where it does not, steps
    /// that lead to one state lead to one universe.
    const REMEMBERS_STEPS: bool;

    /// The program.
    fn program(&self) -> &Self::Program;

    /// The agents at which a breakpoint halts on an arrival, nobody where it is about the state as a whole; empty if
    /// it does not halt.
    fn hits(
        &self,
        breakpoint: &Self::Breakpoint,
        arrival: &Arrival<'_, Self::Program>,
    ) -> Vec<Option<AgentOf<Self>>>;

    /// What a step waits for after an arrival; none if it has come to its end there.
    fn advance(&self, goal: Self::Goal, arrival: &Arrival<'_, Self::Program>)
    -> Option<Self::Goal>;

    /// The step that a goal belongs to, and at whom it halts.
    fn step_of(&self, goal: &Self::Goal) -> (Self::Step, AgentOf<Self>);

    /// Whether an agent may act while a step is under way; by default, all may.
    fn lets(&self, _goal: &Self::Goal, _agent: &AgentOf<Self>) -> bool {
        true
    }

    /// What happens from one state to another within a step of the program, where it takes several rules together; none
    /// if the one does not follow from the other by such a rule.
    fn within(&self, _from: &StateOf<Self>, _to: &StateOf<Self>) -> Option<String> {
        None
    }

    /// How near a state is to one in which the breakpoint halts: higher is nearer. It only orders
    /// a search.
    fn nearness(&self, _breakpoint: &Self::Breakpoint, _state: &StateOf<Self>) -> i64 {
        0
    }
}
