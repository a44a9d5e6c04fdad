//! A device program as a language, at whose states others look: one keeps account.

use std::cell::{Cell, RefCell};

use borges_multiverse::fingerprint::WideFingerprint;
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome};
use hashbrown::{HashMap, HashSet};

use super::language::outcome_of;
use super::state::Stands;
use super::{Device, MOST_COVERING, Noted, SentState, Showing, TheProgram};
use crate::budget::Budget;

/// It is looked for news after so many states, and whenever there are twice as many: news comes in many parts.
const FIRST_LOOK: u64 = 16;

/// Those who look at states.
pub trait Lookers {
    /// What a state shows, which somebody looks at that is [telling](Device::telling); nothing if there is no more time to wait for that. One
    /// who looks is given states in the order in which they are asked for here, or ahead of it in that same order.
    fn showing(&self, state: &SentState, looking: &Budget<'_>) -> Option<Showing>;

    /// These states are asked for next, in this order: as many as they have room for may be looked at meanwhile.
    fn look_ahead(&self, _coming: &mut dyn Iterator<Item = &SentState>) {}
}

/// A device program whose states others look at. Of states nothing is kept but what has to be known of all that were found
/// before: what they taught, and the last few hundred at each place, which stand for what they are all of.
///
/// All of that depends on the order in which states are followed, and on nothing else.
pub struct FarDevice<'d, K> {
    account: Device<'d>,
    /// Goes ways that were gone.
    again: Device<'d>,
    initial: SentState,
    lookers: K,
    is_put_back: Cell<bool>,
    has_news: Cell<bool>,
    /// How a survey numbers states that were followed and may stand for others.
    numbers: RefCell<HashMap<WideFingerprint, u32>>,
}

impl<'d, K: Lookers> FarDevice<'d, K> {
    /// `account` keeps account and goes on from what was `noted` before, `again` goes ways that were gone: two devices of
    /// the same program with the same facts, as those are who look.
    #[must_use]
    pub fn new(account: Device<'d>, noted: &Noted, again: Device<'d>, lookers: K) -> Self {
        let account = account.forgetful().with_noted(noted);
        Self {
            initial: account.sent(&account.initial),
            account,
            again: again.telling(),
            lookers,
            is_put_back: Cell::default(),
            has_news: Cell::default(),
            numbers: RefCell::default(),
        }
    }

    /// Who keeps account: what was learnt and noted.
    pub const fn account(&self) -> &Device<'d> {
        &self.account
    }

    /// Those who look.
    pub const fn lookers(&self) -> &K {
        &self.lookers
    }

    /// Whether the state that was to be followed last was not: there was no time, or there is [news](Self::has_news). It
    /// must be put back.
    #[must_use]
    pub fn is_put_back(&self) -> bool {
        self.is_put_back.get()
    }

    /// Whether so much was learnt that it is time to begin again with it.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.has_news.get()
    }

    /// As [`Device::is_misled`]: nothing can be gone on with.
    #[must_use]
    pub fn is_misled(&self) -> bool {
        self.account.is_misled() || self.again.is_misled()
    }

    /// A state that is followed has this number in a survey: by it [`Self::covering`] names it.
    pub fn number(&self, state: &SentState, number: u32) {
        if !state.is_several() {
            return;
        }
        let mut numbers = self.numbers.borrow_mut();
        if numbers.len() == numbers.capacity() {
            let stand: HashSet<_> = self.names().into_iter().collect();
            numbers.retain(|name, _| stand.contains(name));
            let room = numbers.len().max(MOST_COVERING);
            numbers.reserve(room);
        }
        numbers.insert(state.name(), number);
    }

    /// The numbers of the states that stand for what they are all of, in the order in which they are to be
    /// [told](Self::cover_again) to whoever goes on; `waiting` are those that wait to be followed.
    pub fn covering<'s>(&self, waiting: impl Iterator<Item = (u32, &'s SentState)>) -> Vec<u32> {
        let waiting: HashMap<_, _> = waiting
            .filter(|(_, state)| state.is_several())
            .map(|(number, state)| (state.name(), number))
            .collect();
        let numbers = self.numbers.borrow();
        let of = |name: &WideFingerprint| waiting.get(name).or_else(|| numbers.get(name)).copied();
        self.names().iter().filter_map(of).collect()
    }

    /// The names of these states.
    fn names(&self) -> Vec<WideFingerprint> {
        let wider = self.account.wider.borrow();
        let mut places: Vec<_> = wider.iter().collect();
        places.sort_unstable_by_key(|(place, _)| **place);
        let names = places
            .iter()
            .flat_map(|(_, here)| here.iter().map(|state| state.0.content));
        names.collect()
    }

    /// These, with their numbers, and no others stand for what they are all of.
    pub fn cover_again(&self, states: Vec<(u32, SentState)>) {
        self.account.wider.borrow_mut().clear();
        for (number, sent) in states {
            let state = self.account.arrived(&sent);
            if let Stands::Before(before) = &state.0.stands {
                let mut wider = self.account.wider.borrow_mut();
                let here = wider.entry(before.place()).or_default();
                // A file may say anything.
                if here.len() < 2 * MOST_COVERING {
                    here.push(state.clone());
                }
            }
            self.number(&sent, number);
        }
    }

    fn put_back(&self, is_news: bool) {
        self.is_put_back.set(true);
        self.has_news.set(is_news);
    }
}

impl<K: Lookers> Language for FarDevice<'_, K> {
    type State = SentState;
    /// The number of a way.
    type Choice = u32;
    type Agent = TheProgram;
    type Resource = TheProgram;
    type Value = String;

    fn initial(&self) -> SentState {
        self.initial.clone()
    }

    fn enabled(&self, state: &SentState, choices: &mut Vec<u32>) {
        let ways = self.again.ways(&self.again.arrived(state));
        choices.extend(0..ways.len() as u32);
    }

    fn apply(&self, state: &SentState, choice: &u32) -> Option<Next<SentState>> {
        let ways = self.again.ways(&self.again.arrived(state)).into_iter();
        let (way, to) = ways.into_iter().nth(*choice as usize)?;
        Some(Next {
            is_partial: way.is_partial,
            ..Next::one(self.again.sent(&to))
        })
    }

    fn expand(&self, state: &SentState, steps: &mut Vec<(u32, Next<SentState>)>) {
        self.is_put_back.set(false);
        let followed = self.account.followed();
        let is_time = followed >= FIRST_LOOK && followed.is_power_of_two();
        if is_time && self.account.news().is_some() {
            self.put_back(true);
            return;
        }
        let Some(showing) = self.lookers.showing(state, self.account.budget) else {
            self.put_back(false);
            return;
        };
        let heard = self.account.hear(state, showing);
        if self.is_misled() {
            self.put_back(false);
            return;
        }
        let ways = (0..).zip(heard);
        steps.extend(ways.map(|(number, (is_partial, to))| {
            let next = Next::one(to);
            (number, Next { is_partial, ..next })
        }));
    }

    fn outcome(&self, state: &SentState) -> Outcome<String> {
        outcome_of(state.end())
    }

    fn agent(&self, _: &SentState, _: &u32) -> TheProgram {
        TheProgram
    }

    fn label(&self, state: &SentState, choice: &u32) -> Label {
        let state = self.again.arrived(state);
        let ways = self.again.ways(&state).into_iter();
        let way = ways.into_iter().nth(*choice as usize);
        way.map_or_else(
            || Label {
                rule: "way",
                text: choice.to_string(),
                span: None,
            },
            |(way, _)| self.again.label(&state, &way),
        )
    }

    fn footprint(&self, _: &SentState, _: &u32) -> Footprint<TheProgram> {
        TheProgram::footprint()
    }

    fn show(&self, state: &SentState) -> String {
        self.again.show(&self.again.arrived(state))
    }
}
