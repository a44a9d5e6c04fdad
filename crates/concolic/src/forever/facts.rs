//! What exploring a program's states has taught of it: to begin again with.

use std::collections::BTreeSet;

use borges_board::PrimitiveId;
use serde::{Deserialize, Serialize};

use super::anything::{MOST_WORDS, StateWord};
use super::counters::{self, Differing};
use super::times::TimeWord;
use super::unread::KeptLearning;
use super::{Comparing, Device, DeviceState, Unread, left_out};
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

    /// The words that are taken for anything.
    #[must_use]
    pub fn anything(&self) -> &[StateWord] {
        &self.words
    }

    /// The words that are taken for anything on which something that the program does depends: there may be more runs
    /// here than it has.
    #[must_use]
    pub fn maybe(&self) -> Vec<StateWord> {
        let is_marked = |at: usize| self.influence.get() >> at & 1 != 0;
        let words = self.words.iter().copied().enumerate();
        words
            .filter(|(at, _)| is_marked(*at))
            .map(|(_, word)| word)
            .collect()
    }

    /// A word that many of these states differ in alone, more than when it was asked last, if there is one: to be taken
    /// for anything from the start on. Some are compared nevertheless.
    pub(super) fn counter(
        &self,
        states: &[DeviceState],
        compared: &[StateWord],
    ) -> Option<StateWord> {
        if self.words.len() >= MOST_WORDS {
            return None;
        }
        let words = [&self.words, compared].concat();
        let mut counted = self.counted.borrow_mut();
        self.with_bench(|bench| counters::counter(bench, states, &words, &mut counted))?
    }

    /// What was learnt of the memory that can be left out, if that is news: exploring must begin again with it.
    #[must_use]
    pub fn learned(&self) -> Option<Unread> {
        self.unread.borrow().news()
    }

    /// What of the memory is left out.
    #[must_use]
    pub fn unread(&self) -> Unread {
        self.unread.borrow().unread().clone()
    }

    /// What these states suggest that may be left out as well, if there is anything: to be tried from the start on.
    #[must_use]
    pub fn suggested(&self, states: &[DeviceState]) -> Option<Unread> {
        let is_compared = self.calls.is_some();
        let suggested = || left_out::with_differing(&self.unread.borrow(), states);
        (!is_compared).then(suggested).flatten()
    }

    /// Words in which these states differ and how, those first that may keep their graph from closing.
    #[must_use]
    pub fn differ_most(&self, states: &[DeviceState]) -> Vec<Differing> {
        let found = self.with_bench(|bench| counters::differ_most(bench, states));
        found.unwrap_or_default()
    }

    /// All words that have ever held a time.
    pub(super) fn times_seen(&self) -> Vec<TimeWord> {
        let found = self.found_times.borrow();
        let times: BTreeSet<TimeWord> = self.times.iter().chain(&*found).copied().collect();
        times.into_iter().collect()
    }

    /// The words that hold times of a clock somewhere, and of which; to begin again with, if what a clock shows mattered.
    #[must_use]
    pub fn times(&self) -> Vec<(StateWord, PrimitiveId)> {
        let found = self.found_times.borrow();
        let named = found
            .iter()
            .map(|(word, clock)| (*word, self.clocks[*clock as usize].id));
        named.collect()
    }

    /// The bytes that handlers touch, if there are more than was assumed.
    pub(super) fn newly_touched(&self) -> Option<Touched> {
        let bench = self.bench.borrow();
        let touched = &bench.as_ref()?.touched;
        let assumed = touched.assumed.as_deref()?;
        (!assumed.covers(&touched.seen)).then(|| assumed.with(&touched.seen))
    }

    /// What was seen that handlers touch, if it is more than these.
    pub(super) fn touched_besides(&self, known: &Touched) -> Option<Touched> {
        let bench = self.bench.borrow();
        let seen = &bench.as_ref()?.touched.seen;
        (!known.covers(seen)).then(|| seen.clone())
    }

    /// Handlers touch these too.
    pub(super) fn see_touched(&self, more: &Touched) {
        if let Some(bench) = self.bench.borrow_mut().as_mut()
            && !bench.touched.seen.covers(more)
        {
            bench.touched.seen = bench.touched.seen.with(more);
        }
    }

    /// Words that hold times, if what a clock shows mattered and that is news.
    pub(super) fn new_times(&self) -> Option<Vec<(StateWord, PrimitiveId)>> {
        let has_mattered = self.influence.get() & ((1 << self.clocks.len()) - 1) != 0;
        let is_new = |word: &TimeWord| !self.times.contains(word);
        (has_mattered && self.found_times.borrow().iter().any(is_new)).then(|| self.times())
    }
}
