//! Race sets: what else a receive could have got, and who else could have got it.

use std::collections::BTreeSet;

use super::event::{Act, Event};
use super::machine::{EventId, Machine};
use super::name::{ThreadName, VariableName};

/// Who could have received a message instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rival {
    /// This later receive.
    Event(EventId),
    /// This thread, which waits on the port.
    Waiting(ThreadName),
}

impl Machine {
    /// The sends whose message `receive` could have got, had they been faster, while all that
    /// happened before it stays the same but for the order on its port. In the order of the queue.
    #[must_use]
    pub fn race_set(&self, receive: EventId) -> Vec<EventId> {
        let Some(Act::Receive { port, number, .. }) = self.event(receive).map(|event| &event.act)
        else {
            return Vec::new();
        };
        let from = *number as usize;
        let sends = self.sends(port);
        let could = |nth: usize, send: EventId| {
            // Messages overtake each other; all else keeps its order.
            let before = self.closure([send], |id| self.causes_without(id, Some(port), None));
            let overtaken = sends.get(from..nth).unwrap_or_default();
            !before.contains(&receive) && !overtaken.iter().any(|other| before.contains(other))
        };
        let later = sends.iter().copied().enumerate().skip(from + 1);
        later
            .filter(|(nth, send)| could(*nth, *send))
            .map(|(_, send)| send)
            .collect()
    }

    /// Who could have got what `receive` got, had they been faster.
    #[must_use]
    pub fn rivals(&self, receive: EventId) -> Vec<Rival> {
        let Some(Act::Receive { port, number, .. }) = self.event(receive).map(|event| &event.act)
        else {
            return Vec::new();
        };
        let receives = self.receives(port);
        let later = receives.get(*number as usize..).unwrap_or_default();
        let free = |before: &BTreeSet<EventId>, event: Option<EventId>| {
            !later
                .iter()
                .any(|other| Some(*other) != event && before.contains(other))
        };
        let past = |start: Vec<EventId>| {
            self.closure(start, |id| self.causes_without(id, None, Some(port)))
        };
        let could = |id: &&EventId| {
            let own = self
                .event(**id)
                .map(|event| self.own_causes(event))
                .unwrap_or_default();
            free(&past(own), None)
        };
        let events = later
            .iter()
            .skip(1)
            .filter(could)
            .map(|id| Rival::Event(*id));
        let waits = |thread: &&ThreadName| {
            if self.program().waits_on(self.state(), thread).as_ref() != Some(port) {
                return false;
            }
            let last = self
                .history(thread)
                .last()
                .copied()
                .or_else(|| self.creation(thread));
            free(&past(last.into_iter().collect()), None)
        };
        let threads = self
            .state()
            .threads()
            .filter(waits)
            .cloned()
            .map(Rival::Waiting);
        events.chain(threads).collect()
    }

    /// The direct causes by definition 1, without the order of sends to one port and that of
    /// receives from one.
    fn causes_without(
        &self,
        id: EventId,
        sends: Option<&VariableName>,
        receives: Option<&VariableName>,
    ) -> Vec<EventId> {
        let Some(event) = self.event(id) else {
            return Vec::new();
        };
        let Event { act, .. } = event;
        let mut causes = self.direct_causes(id);
        let loose = match act {
            Act::Send { port, number, .. } if sends == Some(port) => number
                .checked_sub(1)
                .and_then(|nth| self.sends(port).get(nth as usize)),
            Act::Receive { port, number, .. } if receives == Some(port) => number
                .checked_sub(1)
                .and_then(|nth| self.receives(port).get(nth as usize)),
            _ => None,
        };
        if let Some(loose) = loose {
            let own = self.own_causes(event);
            causes.retain(|cause| cause != loose || own.contains(cause));
        }
        causes
    }
}
