//! What a program is held to: goals with a verdict, for scripts.

use borges_multiverse::language::{Outcome, Verdict};
use serde::{Deserialize, Serialize};

use super::Model;
use super::debug::Refused;
use super::races::Pairs;
use super::reported::Reported;
use super::step::Step;
use crate::predicate::{Kind, Predicate, PredicateError};

/// What a program is held to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    text: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// Every run ends, or there is an end, and each end satisfies it.
    Ends(Predicate),
    /// No state that a run comes to satisfies it.
    Never(Predicate),
    /// No run comes to that.
    No(Verdict),
}

/// What became of a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Finding {
    /// The goal in the user's words.
    pub goal: String,
    /// Whether the program keeps to it; unknown where nothing speaks against it but not everything was explored.
    pub holds: Option<bool>,
    /// What speaks against it: the end or state.
    pub found: Option<String>,
    /// Its number in the graph.
    pub state: Option<u32>,
    /// A shortest way there.
    pub trace: Vec<Step>,
    /// The pairs of steps that race, those of the same two places of the source once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub races: Vec<[Step; 2]>,
}

impl Goal {
    /// Every outcome satisfies a predicate.
    ///
    /// # Errors
    /// It is no predicate about this program.
    pub fn expect(model: &Model, text: &str) -> Result<Self, PredicateError> {
        Ok(Self {
            text: format!("expect {text}"),
            what: What::Ends(model.program().predicate(text)?),
        })
    }

    /// No run comes to a `deadlock`, gets `stuck`, has a `failed` assertion, comes to a `race`, or to a state that
    /// satisfies a predicate.
    ///
    /// # Errors
    /// It is neither.
    pub fn forbid(model: &Model, text: &str) -> Result<Self, PredicateError> {
        let bad = [
            Verdict::Deadlock,
            Verdict::Stuck,
            Verdict::Failed,
            Verdict::Race,
        ];
        let named = |verdict: &Verdict| verdict.to_string() == text.trim();
        let what = match bad.into_iter().find(named) {
            Some(verdict) => What::No(verdict),
            None => What::Never(model.program().predicate(text)?),
        };
        let text = format!("forbid {text}");
        Ok(Self { text, what })
    }

    /// Reads what [`Goal::text`] says.
    ///
    /// # Errors
    /// It is about nothing that this program has.
    pub fn read(model: &Model, text: &str) -> Result<Self, PredicateError> {
        match text.split_once(' ') {
            Some(("expect", text)) => Self::expect(model, text),
            Some(("forbid", text)) => Self::forbid(model, text),
            _ => Self::forbid(model, text),
        }
    }

    /// It in the user's words.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether judging it takes steps from every state, which can take as long as finding the states did.
    #[must_use]
    pub fn looks_at_steps(&self) -> bool {
        self.what == What::No(Verdict::Race)
    }

    /// Whether a state speaks against it; where `outcome` is said, it is an end.
    fn is_broken_by<P: Reported>(
        &self,
        language: &P,
        state: &P::State,
        outcome: Option<&Outcome<P::Value>>,
    ) -> bool {
        match &self.what {
            What::Ends(predicate) => outcome.is_some() && !predicate.holds(language, state),
            What::Never(predicate) => predicate.holds(language, state),
            What::No(verdict) => outcome.is_some_and(|outcome| outcome.verdicts.has(*verdict)),
        }
    }
}

/// What is known of a goal for which not all states were looked at, to be kept in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The goal in the user's words.
    pub goal: String,
    /// Its names that no state had.
    pub unmet: Vec<String>,
    /// The options of a way to a state that speaks against it, and that state in words.
    pub against: Option<(Vec<u32>, String)>,
    /// Whether a run ended.
    pub ends: bool,
}

/// A goal while states are looked at, and what speaks against it so far; `W` says where a state is.
#[derive(Clone)]
pub(super) struct Judging<'g, W> {
    goal: &'g Goal,
    /// Its names that no state had.
    unmet: Vec<(Kind, String)>,
    /// The first state that speaks against it, and that in words.
    against: Option<(W, String)>,
    /// Whether a run ended.
    ends: bool,
    races: Pairs,
}

impl<'g, W> Judging<'g, W> {
    pub(super) fn new(goal: &'g Goal) -> Self {
        let names = match &goal.what {
            What::Ends(predicate) | What::Never(predicate) => predicate.names(),
            What::No(_) => Vec::new(),
        };
        let names = names.into_iter();
        Self {
            goal,
            unmet: names.map(|(kind, name)| (kind, name.to_owned())).collect(),
            against: None,
            ends: false,
            races: Pairs::default(),
        }
    }

    /// Looks at a state, the nearest first; true if no other one can say more. `step` is what an option of it does.
    pub(super) fn look<P: Reported>(
        &mut self,
        (language, state): (&P, &P::State),
        outcome: Option<&Outcome<P::Value>>,
        at: impl FnOnce() -> W,
        step: impl Fn(u32) -> Option<Step>,
    ) -> bool {
        self.ends |= outcome.is_some();
        let unmet = &mut self.unmet;
        unmet.retain(|(kind, name)| !language.has(state, *kind, name));
        let all = self.goal.looks_at_steps();
        let before = self.races.found.len();
        if all {
            self.races.add(language.racing(state), step);
        }
        let is_broken = self.races.found.len() > before
            || self.against.is_none() && self.goal.is_broken_by(language, state, outcome);
        if is_broken && self.against.is_none() {
            let found = outcome.map_or_else(|| language.show(state), ToString::to_string);
            self.against = Some((at(), found));
        }
        !all && self.against.is_some() && self.unmet.is_empty()
    }

    /// What came of it, and where; `complete` if all `states` were looked at.
    ///
    /// # Errors
    /// The goal names what no state has: it would be about nothing.
    pub(super) fn finding(
        self,
        complete: bool,
        states: u64,
    ) -> Result<(Finding, Option<W>), Refused> {
        match self.unmet.into_iter().next() {
            Some((_, name)) if complete => return Err(Refused::Never(name)),
            Some((_, name)) => return Err(Refused::NotYet(name, states)),
            None => {}
        }
        let (at, state) = self.against.unzip();
        let endless = matches!(self.goal.what, What::Ends(_)) && !self.ends && complete;
        let found = match self.races.found.len() {
            0 => state.or(endless.then(|| "no run ends, so there is no outcome".to_owned())),
            1 => Some("two steps can come in either order, and it matters".to_owned()),
            pairs => Some(format!(
                "{pairs} pairs of steps can come in either order, and it matters"
            )),
        };
        let finding = Finding {
            goal: self.goal.text.clone(),
            holds: match (&found, complete) {
                (Some(_), _) => Some(false),
                (None, true) => Some(true),
                (None, false) => None,
            },
            found,
            state: None,
            trace: Vec::new(),
            races: self.races.found,
        };
        Ok((finding, at))
    }
}

/// Where a state is said by the options of a shortest way there.
impl<'g> Judging<'g, Vec<u32>> {
    /// Looks on from what is known.
    pub(super) fn go_on(goal: &'g Goal, pending: Pending) -> Self {
        let mut judging = Self::new(goal);
        judging
            .unmet
            .retain(|(_, name)| pending.unmet.contains(name));
        judging.against = pending.against;
        judging.ends = pending.ends;
        judging
    }

    /// What is known of it so far.
    pub(super) fn pending(&self) -> Pending {
        Pending {
            goal: self.goal.text.clone(),
            unmet: self.unmet.iter().map(|(_, name)| name.clone()).collect(),
            against: self.against.clone(),
            ends: self.ends,
        }
    }

    /// What came of it elsewhere too.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.unmet.retain(|name| other.unmet.contains(name));
        self.ends |= other.ends;
        self.races.extend(other.races);
        self.against = match (self.against, other.against) {
            (Some(one), Some(other)) if other.0.len() < one.0.len() => Some(other),
            (one, other) => one.or(other),
        };
        self
    }
}
