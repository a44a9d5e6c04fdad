//! Finds the inputs that lead a program to every future within a bound.
#![forbid(unsafe_code)]

mod budget;
mod code;
mod constraint;
mod coverage;
mod dag;
mod decide;
mod distance;
mod explore;
mod forever;
mod lanes;
mod memory;
mod outside;
mod path;
mod range;
mod set;
mod shadow;
pub mod solver;
mod tree;

pub use budget::{Budget, Flow, PULSE, Progress, Spent};
pub use constraint::{Answer, Constraint};
pub use coverage::{Answered, Coverage, Witness};
pub use dag::{Dag, Expr, Node, Table};
pub use decide::{Decider, Effort};
pub use explore::{
    Accepts, Bounds, Ended, Explored, MOST_INPUTS, MOST_MOMENTS, MOST_PATHS, MOST_STEPS, Search,
    Start, Strategy, explore,
};
pub use forever::{Device, DeviceState, DeviceWay, StateWord, TheProgram, WayInput, WayNumber};
pub use path::{Cut, Delivered, End, Outcome, Path, Read, Unexplored, Way};
pub use set::{Set, cell_of, nice, value_of};
pub use tree::{Arrival, Choice, Node as SuggestionNode, Rest, Suggestions, suggest};
