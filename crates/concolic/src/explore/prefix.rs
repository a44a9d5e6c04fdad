//! The beginning of a path as what was chosen on it: so an exploration goes on later, or somewhere else.
//!
//! Nothing symbolic is in it. Who goes on from a prefix runs the program again with the same inputs and events, with the
//! shadow on, and takes every case that they decide: no question is put to a solver, because the inputs are an answer to
//! all of them. Ways are only left open from where the prefix ends. So no two of the prefixes that an exploration leaves
//! lead to the same run, nor does one of them to a run that was looked at.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{State, Waiting};
use crate::path::Delivered;

/// The beginning of a path. That without turns is the start of the program, which all begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Prefix {
    /// What the inputs answer, as cells.
    pub inputs: Vec<u64>,
    /// The events that arrive.
    pub events: Vec<Delivered>,
    /// Where it ends: after so many *turns*, which are instructions that depend on inputs, and moments at which events may
    /// arrive.
    pub turns: u32,
    /// No path that begins so has fewer inputs.
    pub reads: u32,
}

/// A run whose inputs are given.
pub(super) struct Followed {
    /// They, as cells.
    pub(super) inputs: Vec<u64>,
    /// Where it comes to an end, if it is a prefix; others know nothing of events.
    pub(super) until: Option<Until>,
}

/// Where a prefix ends.
pub(super) struct Until {
    pub(super) events: Vec<Delivered>,
    pub(super) turns: u32,
    /// One of the events could not arrive.
    pub(super) is_lost: bool,
}

impl Followed {
    /// A run to its end, at which no events arrive.
    pub(super) fn to_its_end(inputs: Vec<u64>) -> Self {
        Followed {
            inputs,
            until: None,
        }
    }
}

/// Where an exploration was cut off: what it did since is not to be relied on.
pub(super) struct Unsure {
    /// How the path began that was under way.
    pub(super) prefix: Prefix,
    /// So many paths had been waiting by then,
    pub(super) waiting: usize,
    /// and so many at the frontier.
    pub(super) frontier: usize,
}

/// Prefixes to begin with: the start of the program, unless others are given.
pub(super) fn origins(given: Vec<Prefix>) -> VecDeque<Prefix> {
    match given.is_empty() {
        true => VecDeque::from([Prefix::default()]),
        false => given.into(),
    }
}

impl State {
    pub(super) fn prefix(&self) -> Prefix {
        Prefix {
            inputs: self.model.clone(),
            events: self.events.clone(),
            turns: self.turns,
            reads: self.inputs() as u32,
        }
    }
}

impl Waiting {
    pub(super) fn prefix(&self) -> Prefix {
        let mut prefix = self.state.prefix();
        prefix.events.extend(self.event.map(|event| Delivered {
            event,
            step: self.snapshot.steps(),
            place: self.state.reads.len() as u32,
        }));
        prefix.reads += u32::from(self.is_at_call);
        prefix
    }
}
