//! Races: which steps could have come in another order, and which other message could have been received in place of
//! one.

use std::collections::BTreeMap;

use super::{Causality, Follower, follow};
use crate::language::{Language, StepOf};

/// A message that was received, and those that could have been there first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The step that received it, among the choices of the run.
    pub received: usize,
    /// The step with which it came in.
    pub message: usize,
    /// The steps with which the others came in, in their order.
    pub rivals: Vec<usize>,
}

/// A message: the resource that orders its queue, and its number there.
type Queued<R> = (R, u32);

/// Which messages came in and were received, along a run.
///
/// `place` knows the resources that are messages: it says which resource orders the queue, and the message's number
/// there. A step that writes the message puts it in, one that reads it receives it.
#[derive(Clone, Debug)]
struct Queues<R, P> {
    place: P,
    steps: Vec<Messages<R>>,
}

/// The messages of a step.
#[derive(Clone, Debug)]
struct Messages<R> {
    came: Vec<Queued<R>>,
    received: Vec<Queued<R>>,
}

impl<R, P> Queues<R, P> {
    /// Of a run that has not begun.
    const fn new(place: P) -> Self {
        Self {
            place,
            steps: Vec::new(),
        }
    }
}

impl<L: Language, P: Fn(&L::Resource) -> Option<Queued<L::Resource>>> Follower<L>
    for Queues<L::Resource, P>
{
    fn forward(&mut self, _: &L::State, _: &L::Choice, step: &StepOf<L>) {
        let messages = |touched: &[L::Resource]| touched.iter().filter_map(&self.place).collect();
        self.steps.push(Messages {
            came: messages(&step.footprint.writes),
            received: messages(&step.footprint.reads),
        });
    }

    fn back(&mut self) {
        self.steps.pop();
    }
}

impl<R: Ord + Clone, P> Queues<R, P> {
    /// The races of the run that was followed, of which `run` has the causes: for each message that was received, those
    /// that came to the same queue later and could have been there first, while all that happened before stays the same
    /// but for the order in that queue.
    fn races<L: Language<Resource = R>>(&self, run: &Causality<L>) -> Vec<Race> {
        let mut arrivals: BTreeMap<&R, BTreeMap<u32, usize>> = BTreeMap::new();
        let mut receipts = Vec::new();
        for (nth, Messages { came, received }) in self.steps.iter().enumerate() {
            for (queue, number) in came {
                arrivals.entry(queue).or_default().insert(*number, nth);
            }
            receipts.extend(received.iter().map(|(queue, number)| (nth, queue, *number)));
        }
        let mut loose = BTreeMap::new();
        let mut found = Vec::new();
        for (received, queue, number) in receipts {
            let Some((message, others)) = arrivals.get(queue).and_then(|queued| {
                let others: Vec<_> = queued.range(number + 1..).map(|(_, nth)| *nth).collect();
                Some((*queued.get(&number)?, others))
            }) else {
                continue;
            };
            let run = loose.entry(queue).or_insert_with(|| run.without(queue));
            let mut overtaken = vec![message];
            let mut rivals = Vec::new();
            for other in others {
                let waits_for = |before: &usize| run.happens_before(*before, other);
                if !waits_for(&received) && !overtaken.iter().any(waits_for) {
                    rivals.push(other);
                }
                overtaken.push(other);
            }
            found.push(Race {
                received,
                message,
                rivals,
            });
        }
        found
    }
}

/// The races of the run that takes `choices` from `start`: of each message received, the others that could have been. None
/// if a choice is not enabled.
pub fn races<L: Language>(
    language: &L,
    start: &L::State,
    choices: &[L::Choice],
    place: impl Fn(&L::Resource) -> Option<Queued<L::Resource>>,
) -> Option<Vec<Race>> {
    let mut followers = (Causality::default(), Queues::new(place));
    follow(language, start, choices, &mut followers)?;
    let (run, queues) = followers;
    Some(queues.races(&run))
}

/// The pairs of choices of a state, by their positions, that race: two agents can take them, and either one cannot be
/// taken after the other, or they do not lead to the same state in both orders.
///
/// Such a race is an error of no end: nothing need fail on either side, but which side a run takes is an accident.
pub fn racing<L: Language>(language: &L, state: &L::State) -> Vec<[u32; 2]> {
    let mut choices = Vec::new();
    language.enabled(state, &mut choices);
    let steps: Vec<_> = choices
        .iter()
        .map(|choice| (language.agent(state, choice), language.apply(state, choice)))
        .collect();
    let after = |first: usize, choice: &L::Choice| {
        let between = &steps[first].1.as_ref()?.state;
        Some(language.canonical(language.apply(between, choice)?.state))
    };
    let mut found = Vec::new();
    for (one, choice) in choices.iter().enumerate() {
        for (other, later) in choices.iter().enumerate().skip(one + 1) {
            let both =
                || after(one, later).filter(|end| after(other, choice).as_ref() == Some(end));
            if steps[one].0 != steps[other].0 && both().is_none() {
                // There are fewer than 2^32 options: their list is in memory.
                found.push([one as u32, other as u32]);
            }
        }
    }
    found
}
