//! What can be asked about the futures of a universe, and what comes back: data for every face.

use borges_concolic::SystemChoices;
use serde::{Deserialize, Serialize};

use super::broker::Seekers;
use super::picture::StatesPicture;
use super::proof::{ClaimReport, Demanded, StatesReport};
use crate::command::{CodePlace, UniverseId};

pub use super::proof::{SuggestedInput, UnexploredReport};

/// A question about the futures of the universe shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    /// What else can happen from here?
    Paths,
    /// How do I get there?
    Reach {
        /// Where.
        target: Destination,
    },
    /// Which traps and failed assertions lie ahead?
    Bugs,
    /// Which choice on the way here made this (or the target) inevitable, and since which one was it possible?
    Why {
        /// What must not happen; nothing for the trap that the program has ended with here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Destination>,
    },
    /// Which lines and branches does no explored path reach?
    Cover,
    /// What do all runs from here come to, for ever?
    States {
        /// What must be of conditions.
        demands: Vec<Demanded>,
    },
    /// What do all states from here look like?
    Picture {
        /// What colours them: an expression of the source.
        colour: Option<String>,
        /// A state, by its number, to which a shortest way is wanted.
        to: Option<u32>,
    },
    /// Do all runs from here fulfil a temporal formula?
    Check {
        /// The formula.
        formula: String,
    },
}

impl Question {
    /// Whether it is about states, over all inputs for ever.
    pub(crate) fn is_of_states(&self) -> bool {
        matches!(
            self,
            Question::States { .. } | Question::Picture { .. } | Question::Check { .. }
        )
    }
}

/// Something that a path can come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Destination {
    /// A place is about to be executed, perhaps only while a condition holds.
    Place {
        /// Where.
        place: CodePlace,
        /// An expression that must not be zero there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
    },
    /// A condition holds at the beginning of any line.
    Condition {
        /// An expression that must not be zero.
        condition: String,
    },
    /// The program traps.
    Trap {
        /// Part of the trap's name; nothing for any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        named: Option<String>,
    },
}

/// In which order to explore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// A path to its end, then the last branch before that.
    #[default]
    Depth,
    /// Fewest inputs first.
    Breadth,
    /// Code that was not executed yet first.
    Coverage,
    /// In an order that the seed determines.
    Random(u64),
}

/// Bounds of an exploration; what is left out is as the question needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(default)]
pub struct Within {
    /// Inputs on a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<u32>,
    /// Events (interrupts, timers) on a path; without a bound none arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<u32>,
    /// Instructions on a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Paths in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<u32>,
    /// Rounds of each loop on a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// So many bytes of standard input may be anything; without it, it is as it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<u32>,
    /// So many calls of an operating system may fail on a path; of states, any number of them, if it is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<u32>,
    /// Of states: standard input comes in pieces of at most so many bytes; without it, as it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// A place before which paths end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<CodePlace>,
    /// Time for all of it, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u32>,
    /// In which order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Whether a `select` counts as a branch.
    pub selects: bool,
    /// Whether each end is told with the board as it is there, where the paths are few.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub boards: bool,
    /// Who answers what trying values cannot: `none`, `z3`, `bitwuzla`, `cvc5`; nothing for the best there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// Who looks for paths, if there is a bound on inputs; nothing for one thread. Without a bound they are looked at level by
    /// level, which one does best: who goes on from another's path runs all of it again. No face that is asked from
    /// elsewhere may say so.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub seekers: Option<Box<Seekers>>,
}

impl Within {
    /// What is looked at of an operating system, for a question.
    ///
    /// # Errors
    /// More of standard input than can be looked at, or pieces that it cannot come in, or that do not matter.
    pub(crate) fn choices(&self, question: &Question) -> Result<SystemChoices, String> {
        if self.stdin.is_some_and(|bytes| bytes > MOST_STDIN) {
            return Err(format!(
                "at most {MOST_STDIN} bytes of standard input can be anything"
            ));
        }
        known_pieces(self.pieces)?;
        if question.is_of_states() {
            let fails = self.faults.unwrap_or(0) > 0;
            return Ok(SystemChoices::any_input(fails, self.pieces));
        }
        if self.pieces.is_some() {
            let message = "pieces of standard input are told apart by questions about all states: 'explore' and 'check'";
            return Err(message.to_owned());
        }
        Ok(SystemChoices {
            stdin: self.stdin,
            faults: self.faults.unwrap_or(0),
            more: false,
            ..SystemChoices::default()
        })
    }
}

/// Refuses pieces that standard input does not come in.
///
/// # Errors
/// Which there are.
pub(crate) fn known_pieces(pieces: Option<u32>) -> Result<(), String> {
    match pieces.is_none_or(|bytes| (1..=MOST_STDIN).contains(&bytes)) {
        true => Ok(()),
        false => Err(format!(
            "standard input comes in pieces of 1 to {MOST_STDIN} bytes"
        )),
    }
}

/// Of standard input, so many bytes can be anything, or come at once.
pub const MOST_STDIN: u32 = 255;

/// The answer to a question, or as much of it as is known so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SuggestionListing {
    /// The question in words.
    pub question: String,
    /// The universe that the futures are those of.
    pub from: Option<UniverseId>,
    /// Whether more is to come.
    pub working: bool,
    /// Paths that were explored.
    pub paths: u32,
    /// The most options at one input.
    pub max_options: u32,
    /// Whether these are all within the bound on inputs and the place to stop at.
    pub complete: bool,
    /// Whether that is so over all inputs for ever: the program's states were explored, and there are no others.
    pub forever: bool,
    /// What ended it before everything was looked at: `time`, `cancelled`, `paths`, `enough`; nothing if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// All paths with so many inputs were looked at; nothing if not even those with none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked: Option<u32>,
    /// Paths that trap.
    pub traps: u32,
    /// Questions that a solver was asked.
    pub solver_queries: u32,
    /// Questions answered by trying values.
    pub evaluations: u32,
    /// Time it took.
    pub time_ms: u32,
    /// The paths merged on what they share; children come after their parents, the first is the root.
    pub nodes: Vec<SuggestionNode>,
    /// Where paths end, by number; what a question asks for comes first, shortest first.
    pub found: Vec<FoundPath>,
    /// For a `why`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<WhyListing>,
    /// For a `cover`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover: Option<CoverListing>,
    /// For a question about all states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<StatesReport>,
    /// For one that draws all states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<StatesPicture>,
    /// For one about a formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimReport>,
    /// What was left out, and why.
    pub unexplored: Vec<UnexploredReport>,
}

/// An input that is read, or an end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SuggestionNode {
    /// The call that reads the input; nothing at an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// What it may answer.
    pub options: Vec<SuggestedOption>,
    /// What else it may answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<RestListing>,
    /// At an end: its index in [`SuggestionListing::found`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<u32>,
}

/// Answers of an input that stand in for no option: each keeps some of the paths behind one, not all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RestListing {
    /// These, in words.
    pub set: String,
    /// The representatives of the options whose paths some of them keep.
    pub options: Vec<String>,
}

/// An answer of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SuggestedOption {
    /// The representative.
    pub value: String,
    /// The values that can stand in for it, in words.
    pub set: String,
    /// Whether that is all of them.
    pub exact: bool,
    /// The node that follows.
    pub next: u32,
    /// The universe right after it, for `jump`.
    pub moment: String,
}

/// A path that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FoundPath {
    /// `returned`, `trapped`, `stopped`, `inputs` (it would read one more than the bound), or `cut`.
    pub kind: String,
    /// Which trap, or what cut it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where in the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Its inputs, in order.
    pub inputs: Vec<SuggestedInput>,
    /// Its end, for `jump`.
    pub moment: String,
    /// The board there, if that was asked for ([`Within::boards`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "BoardView | null"))]
    pub board: Option<serde_json::Value>,
}

/// Which choice decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct WhyListing {
    /// What happened, in words.
    pub what: String,
    /// The choice after which nothing else could happen; nothing if something else still can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inevitable: Option<Turn>,
    /// The first choice after which it could happen within the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub possible: Option<Turn>,
    /// What the answer leaves open, in words; empty if nothing.
    pub open: Vec<String>,
    /// It is said over all inputs, for ever.
    pub forever: bool,
}

/// A choice on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Turn {
    /// The choice in words; the start of the program if it is none.
    pub choice: String,
    /// The universe right after it.
    pub universe: UniverseId,
    /// How many choices lie before it.
    pub number: u32,
}

/// What explored paths execute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CoverListing {
    /// The program's lines with code.
    pub lines: Vec<CoveredLine>,
    /// Branches that went one way only.
    pub branches: Vec<OneSided>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct CoveredLine {
    /// The file.
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// Values of the inputs that lead there; nothing if no explored path does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<String>>,
    /// The same with the calls that read them, and interrupts that arrive.
    #[serde(default)]
    pub reads: Vec<SuggestedInput>,
}

/// A branch that went one way only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OneSided {
    /// Where.
    pub place: String,
    /// The instruction.
    pub offset: u32,
    /// What its condition always was.
    pub always: bool,
}
