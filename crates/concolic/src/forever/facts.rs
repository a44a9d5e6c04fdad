//! What exploring a program's states has taught of it: to begin again with.

use borges_board::PrimitiveId;
use serde::{Deserialize, Serialize};

use super::anything::StateWord;
use super::unread::KeptLearning;
use super::{Comparing, Device, Unread};
use crate::shadow::Touched;

/// What is known of a program when its states are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Words that are taken for anything: they count for ever, or somebody says so.
    pub(super) anything: Vec<StateWord>,
    /// The bytes that handlers of events touch.
    pub(super) touched: Option<Touched>,
    /// Words that hold times of clocks.
    pub(super) times: Vec<(StateWord, PrimitiveId)>,
    /// What of the memory is written before it is read.
    pub(super) unread: Unread,
    /// Words that were taken for anything once, and on which something depended then. Where they are compared, that is tried
    /// as long as there are few states.
    #[serde(skip)]
    pub(super) tried: Vec<StateWord>,
}

impl Facts {
    /// What is said before anything is known.
    pub(super) fn of(about: &Comparing<'_>) -> Self {
        Facts {
            anything: about.anything.clone(),
            touched: Some(about.touched.clone().unwrap_or_default()),
            times: about.times.clone(),
            unread: about.unread.clone(),
            tried: Vec::new(),
        }
    }

    /// What tells states apart, with these facts instead of those that it has.
    #[must_use]
    pub fn told<'d>(self, about: &Comparing<'d>) -> Comparing<'d> {
        Comparing {
            anything: self.anything,
            touched: self.touched,
            times: self.times,
            unread: self.unread,
            ..about.clone()
        }
    }
}

/// What was noted while states were looked at, besides facts: to go on with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// Bits of the words on which something depended.
    influence: u64,
    times: Vec<(StateWord, PrimitiveId)>,
    partial: u64,
    steps: u64,
    /// States that were followed.
    followed: u64,
    /// What was learnt since looking began, but not begun again with.
    learning: Option<KeptLearning>,
    touched: Touched,
}

impl Device<'_> {
    /// What it was told, and has not learnt itself.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let bench = self.bench.borrow();
        let assumed = bench
            .as_ref()
            .and_then(|bench| bench.touched.assumed.as_deref());
        let times = self.times.iter();
        Facts {
            anything: self.words[self.clocks.len()..].to_vec(),
            touched: assumed.cloned(),
            times: times
                .map(|(word, clock)| (*word, self.clocks[*clock as usize].id))
                .collect(),
            unread: self.unread(),
            tried: Vec::new(),
        }
    }

    /// What it was told, with what it has learnt besides, if there is anything: looking at states must begin again with
    /// that.
    #[must_use]
    pub fn news(&self) -> Option<Facts> {
        // What was left out for want of these comes before what that may have shown.
        if let Some(bytes) = self.newly_touched() {
            let touched = Some(bytes);
            return Some(Facts {
                touched,
                ..self.facts()
            });
        }
        if let Some(times) = self.new_times() {
            return Some(Facts {
                times,
                ..self.facts()
            });
        }
        self.learned().map(|unread| Facts {
            unread,
            ..self.facts()
        })
    }

    /// What was noted.
    #[must_use]
    pub fn noted(&self) -> Noted {
        Noted {
            influence: self.influence.get(),
            times: self.times(),
            partial: self.partial(),
            steps: self.steps(),
            followed: self.followed(),
            learning: Some(self.unread.borrow().kept()),
            touched: self
                .touched_besides(&Touched::default())
                .unwrap_or_default(),
        }
    }

    /// Goes on from what was noted before.
    pub(super) fn with_noted(mut self, noted: &Noted) -> Self {
        let times = noted.times.iter().filter_map(|(word, id)| {
            let number = self.clocks.iter().position(|clock| clock.id == *id)?;
            Some((*word, number as u32))
        });
        self.found_times
            .borrow_mut()
            .extend(times.collect::<Vec<_>>());
        self.influence.set(noted.influence);
        self.steps.set(noted.steps);
        self.set_counted(noted.partial, noted.followed);
        if let Some(learning) = &noted.learning {
            self.unread.borrow_mut().go_on(learning);
        }
        self.see_touched(&noted.touched);
        self
    }
}
