//! Others look at the states of a graph ahead of it: it is the graph that it would be without them.

use std::collections::VecDeque;

use borges_multiverse::graph::{Graph, Status};
use borges_multiverse::language::Language;

use super::language::Steps;
use super::travel::{SentState, Showing};
use super::whole::Asks;
use super::{Device, DeviceState, DeviceWay, Facts, Look, Lookers};
use crate::budget::Budget;

/// Who may be with an exploration of a program's states.
pub trait Company {
    /// Those who look at states ahead, at a graph that has become large, of a program to which these facts were told;
    /// nobody, unless somebody does. They are let go before the exploration ends.
    fn hire(&self, facts: &Facts) -> Option<Box<dyn Lookers>>;
}

/// Nobody.
impl Company for () {
    fn hire(&self, _facts: &Facts) -> Option<Box<dyn Lookers>> {
        None
    }
}

/// So many states are given out before they are asked for, or somewhat fewer: who looks takes the first of those that it
/// has room for.
const GIVEN: usize = 1024;

/// With so many that they have taken, lookers are not asked whether they have room for more: to ask takes as long as to look
/// at a small state.
const ENOUGH: usize = 64;

/// Those who look at a graph's states ahead of it.
pub(super) struct Ahead {
    lookers: Box<dyn Lookers>,
    /// States that were found and are to be followed, in that order, besides those that were given out.
    coming: VecDeque<DeviceState>,
    /// Those that were, first.
    given: VecDeque<(DeviceState, SentState)>,
    /// So many of these the lookers have taken.
    taken: usize,
}

impl Ahead {
    /// A state was found that will be followed after all that are known.
    pub(super) fn comes(&mut self, state: &DeviceState) {
        // Of an end there is nothing to look at.
        if state.end().is_none() {
            self.coming.push_back(state.clone());
        }
    }

    /// What a state shows that is followed now; nothing if nobody looks at it.
    fn showing(
        &mut self,
        state: &DeviceState,
        (sent, budget): (&dyn Fn(&DeviceState) -> SentState, &Budget<'_>),
    ) -> Option<Showing> {
        if self.given.len() < GIVEN / 2 {
            let more = GIVEN - self.given.len();
            let more = self.coming.drain(..more.min(self.coming.len()));
            self.given.extend(more.map(|state| {
                let sent = sent(&state);
                (state, sent)
            }));
        }
        let (next, _) = self.given.front()?;
        if next != state {
            // Somebody opens states in another order: this one's turn comes, or has come.
            return None;
        }
        if self.taken < ENOUGH.min(self.given.len()) {
            let mut taken = 0;
            let coming = self.given.iter().map(|(_, sent)| sent);
            self.lookers.look_ahead(&mut coming.inspect(|_| taken += 1));
            self.taken = taken;
        }
        self.taken = self.taken.saturating_sub(1);
        let (_, sent) = self.given.pop_front()?;
        self.lookers.showing(&sent, budget)
    }
}

impl Device<'_> {
    /// From now on these look at the states of a graph that is explored breadth first, until it is
    /// [alone](Self::look_alone) again.
    pub(super) fn look_ahead_by(
        &self,
        lookers: Box<dyn Lookers>,
        graph: &Graph<impl Language<State = DeviceState>>,
    ) {
        let waits = |node| graph.status(node) == Some(Status::Waiting);
        let waiting = graph.nodes().filter(|node| waits(*node));
        let mut ahead = Ahead {
            lookers,
            coming: VecDeque::new(),
            given: VecDeque::new(),
            taken: 0,
        };
        let coming = waiting.filter_map(|node| graph.state(node));
        coming.for_each(|state| ahead.comes(state));
        self.ahead.replace(Some(ahead));
    }

    /// Whether others look at states ahead.
    pub(super) fn has_company(&self) -> bool {
        self.ahead.borrow().is_some()
    }

    /// Nobody else looks any more.
    pub(super) fn look_alone(&self) {
        self.ahead.replace(None);
    }

    /// The ways from a state that somebody looked at ahead; false if nobody did. What parts its values is noted.
    pub(super) fn expand_ahead(&self, state: &DeviceState, steps: &mut Steps) -> bool {
        let sent = |state: &DeviceState| self.sent(state);
        let mut ahead = self.ahead.borrow_mut();
        let shown = ahead
            .as_mut()
            .and_then(|ahead| ahead.showing(state, (&sent, self.budget)));
        drop(ahead);
        let Some(showing) = shown else {
            return false;
        };
        let look = self.heard(state, showing);
        self.follow(state, look, steps);
        true
    }

    /// A look, as somebody else had it.
    fn heard(&self, state: &DeviceState, showing: Showing) -> Look {
        let (ways, cone, taught) = showing.into_parts();
        let mut look = self.taught(taught);
        let (asked, to): (Vec<Asks>, Vec<SentState>) = ways.into_iter().unzip();
        let to: Vec<DeviceState> = to.iter().map(|to| self.once_arrived(to)).collect();
        let asked = self.asked_together(state, &to, (asked, cone.as_ref()));
        // Of ways a graph keeps the numbers: what is read on one is told by who goes it again.
        let way = |number| DeviceWay {
            number,
            input: None,
            event: None,
            is_partial: false,
        };
        look.ways = (0..).map(way).zip(to).collect();
        look.asks(asked);
        look
    }
}

impl Look {
    /// What its ways ask of the state's values.
    pub(super) fn asks(&mut self, asked: Vec<Asks>) {
        for ((way, _), asked) in self.ways.iter_mut().zip(&asked) {
            way.is_partial = *asked != Asks::Nothing;
            if let Asks::These { conditions, .. } = asked {
                let first = || conditions.first().cloned();
                self.divides = self.divides.take().or_else(first);
            }
        }
        self.asked = asked;
    }
}
