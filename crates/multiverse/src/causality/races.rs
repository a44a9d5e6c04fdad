//! Races: which other message could have been received in place of one.

use std::collections::BTreeMap;

use super::Causality;
use crate::language::Language;

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

/// The races of the run that takes `choices` from `start`: for each message that was received, those that came to the
/// same queue later and could have been there first, while all that happened before stays the same but for the order
/// in that queue. None if a choice is not enabled.
///
/// `place` knows the resources that are messages: it says which resource orders the queue, and the message's number
/// there. A step that writes the message puts it in, one that reads it receives it.
pub fn races<L: Language>(
    language: &L,
    start: &L::State,
    choices: &[L::Choice],
    place: impl Fn(&L::Resource) -> Option<(L::Resource, u32)>,
) -> Option<Vec<Race>> {
    let run = Causality::of(language, start, choices)?;
    let mut arrivals: BTreeMap<L::Resource, BTreeMap<u32, usize>> = BTreeMap::new();
    let mut receipts = Vec::new();
    for (nth, event) in run.events().iter().enumerate() {
        for (queue, number) in event.footprint.writes.iter().filter_map(&place) {
            arrivals.entry(queue).or_default().insert(number, nth);
        }
        let read = event.footprint.reads.iter().filter_map(&place);
        receipts.extend(read.map(|(queue, number)| (nth, queue, number)));
    }
    let mut loose = BTreeMap::new();
    let mut found = Vec::new();
    for (received, queue, number) in receipts {
        let Some((message, others)) = arrivals.get(&queue).and_then(|queued| {
            let others: Vec<_> = queued.range(number + 1..).map(|(_, nth)| *nth).collect();
            Some((*queued.get(&number)?, others))
        }) else {
            continue;
        };
        let run = loose
            .entry(queue.clone())
            .or_insert_with(|| run.without(&queue));
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
    Some(found)
}
