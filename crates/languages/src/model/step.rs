//! What is a step, steps as they are reported, and what is left out, and why.

use borges_multiverse::graph::Pause;
use borges_multiverse::language::{Label, Language};
use borges_multiverse::walk::Walk;
use serde::Serialize;

use crate::source;

/// What is a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grain {
    /// Every rule.
    #[default]
    Rule,
    /// What other actors notice, and the taking of a message: all rules of an actor up to the next
    /// send, the next creation of an actor, or the end of the turn are one step.
    Visible,
}

/// When messages to other actors arrive. Messages to oneself always arrive at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// In the same step.
    #[default]
    Immediate,
    /// Later, those of one sender to one receiver in the order in which they were sent.
    Fifo,
    /// Later, in any order.
    Unordered,
}

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Step {
    /// Who takes it.
    pub agent: String,
    /// The rule.
    pub rule: &'static str,
    /// What it does.
    pub text: String,
    /// Where in the source, from 1.
    pub line: Option<u32>,
    /// The column there.
    pub column: Option<u32>,
    /// Its position among what could happen, from 0.
    pub option: u32,
    /// How many things could happen.
    pub options: u32,
    /// How many rules it stands for.
    pub rules: u64,
}

impl Step {
    /// A step of `agent`, of the program with this text: the `option`th of so many, which stands for so many rules.
    pub(super) fn new(
        text: &str,
        agent: String,
        label: Label,
        (option, options): (usize, usize),
        rules: u64,
    ) -> Self {
        let at = label.span.map(|span| source::position(text, span.start));
        Self {
            agent,
            rule: label.rule,
            text: label.text,
            line: at.map(|at| at.line),
            column: at.map(|at| at.column),
            // There are fewer than 2^32 options: their list is in memory.
            option: option as u32,
            options: options as u32,
            rules,
        }
    }

    /// The steps of a run, as far as there is one with these choices; `name` says how agents are called.
    pub(super) fn all<P: Language>(
        language: &P,
        text: &str,
        name: impl Fn(&P::State, &P::Agent) -> String,
        choices: impl IntoIterator<Item = P::Choice>,
    ) -> Vec<Self> {
        let (mut state, mut enabled, mut steps) = (language.initial(), Vec::new(), Vec::new());
        for choice in choices {
            enabled.clear();
            language.enabled(&state, &mut enabled);
            let option = enabled.iter().position(|other| *other == choice);
            let Some((step, label)) = language.tell(&state, &choice) else {
                break;
            };
            let agent = name(&state, &step.agent);
            let (option, rules) = ((option.unwrap_or(0), enabled.len()), step.next.steps);
            steps.push(Self::new(text, agent, label, option, rules));
            state = step.next.state;
        }
        steps
    }

    /// The `nth` of what can happen where a walk stands; `name` says how agents are called.
    pub(super) fn at<P: Language>(
        walk: &Walk<&P>,
        text: &str,
        name: impl Fn(&P::State, &P::Agent) -> String,
        nth: usize,
    ) -> Option<Self> {
        let state = walk.state();
        let (step, label) = walk.language().tell(state, walk.options().get(nth)?)?;
        let agent = name(state, &step.agent);
        let option = (nth, walk.options().len());
        Some(Self::new(text, agent, label, option, step.next.steps))
    }
}

/// Why an exploration is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// The limit of states was reached.
    States,
    /// The limit of depth was reached.
    Depth,
    /// It was cancelled.
    Cancelled,
    /// The time was used up.
    Time,
    /// It came to the breakpoint that it looked for.
    Met,
    /// The language does not know how some states go on.
    Unfollowed,
}

impl Why {
    /// Why an exploration that paused so knows less than everything.
    pub(super) const fn of(pause: Pause) -> Option<Self> {
        match pause {
            Pause::Complete => None,
            Pause::Depth => Some(Self::Depth),
            Pause::Unfollowed => Some(Self::Unfollowed),
            Pause::States | Pause::Full => Some(Self::States),
            Pause::Cancelled => Some(Self::Cancelled),
        }
    }
}

/// What an exploration leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reduction {
    /// Nothing: the graph of all states.
    #[default]
    None,
    /// All runs of a class but one (dynamic partial-order reduction).
    Dpor,
}
