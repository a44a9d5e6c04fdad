//! All states of a program as a picture: data for faces that draw.

use serde::{Deserialize, Serialize};

/// The states that a program can come to, as many as are drawn, and the ways between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct StatesPicture {
    /// The states; the first is the universe where it was asked.
    pub states: Vec<PictureState>,
    /// The ways between those that are drawn.
    pub ways: Vec<PictureWay>,
    /// How many states are not drawn.
    pub left_out: u32,
    /// All ways, also those that are not drawn.
    pub edges: u32,
    /// Whether there are no others, over all inputs, for ever.
    pub complete: bool,
    /// The expression by which they are coloured.
    pub colour: Option<String>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct PictureState {
    /// The fewest ways from the first state.
    pub row: u32,
    /// What it is.
    pub kind: StateKind,
    /// Where the program stands, or how it ended.
    pub place: String,
    /// What the expression comes to, if it means something here.
    pub values: Option<String>,
}

/// What a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum StateKind {
    /// The program stands before a call.
    State,
    /// Interrupts may arrive.
    Moment,
    /// It trapped.
    Trap,
    /// It returned.
    Returned,
    /// What follows was not explored.
    Open,
}

/// A way from one state to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct PictureWay {
    /// The number of the state that it leaves.
    pub from: u32,
    /// The one that it leads to.
    pub to: u32,
    /// The input that is read, with the set of values that take this way; or what else happens.
    pub label: String,
    /// Only some of the values that the state stands for take it, or it is not known that all do.
    pub partial: bool,
}
