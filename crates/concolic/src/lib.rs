//! Finds the inputs that lead a program to every future within a bound.
#![forbid(unsafe_code)]

mod args;
mod budget;
mod clocks;
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
mod random;
mod range;
mod set;
mod shadow;
mod shape;
pub mod solver;
mod standing;
mod sum;
mod touch;
mod tree;
mod zone;

pub use args::Args;
pub use budget::{Budget, Flow, PULSE, Progress, Spent};
pub use constraint::{Constraint, Solution};
pub use coverage::{Coverage, Witness};
pub use dag::{Dag, Expr, LookupTable, Node};
pub use decide::{Decider, Effort};
pub use explore::{
    Accepts, Arithmetic, Bounds, Comparator, Ended, Explored, FAULTS, Findings, Gathered, Learned,
    Looked, MORE_STDIN, MOST_BYTES, MOST_INPUTS, MOST_MOMENTS, MOST_PATHS, MOST_STEPS, Numbers,
    Open, PIECES, Prefix, STDIN, Said, Search, SearchOrder, Start, Symbolic, SystemChoices, Truths,
    UNASKED_STDIN, Watched, explore,
};
pub use forever::{
    Acting, Company, Comparing, Device, DeviceState, DeviceWay, Differing, Facts, FarDevice,
    GivenUp, Interleaved, InterleavedState, InterleavedStep, Lookers, Noted, Packer, Passing,
    SentState, Showing, StateWord, TheProgram, Unread, Varies, WayInput, explore_states,
    learn_states,
};
pub use path::{Answered, Cut, Decision, Delivered, End, Path, Read, ReadPart, Unexplored, Way};
pub use set::{Set, cell_of, nice, value_of};
pub use shadow::Touched;
pub use touch::Touch;
pub use tree::{
    EventOption, InputOption, Node as SuggestionNode, OtherValues, Suggestions, suggest, suggest_on,
};
