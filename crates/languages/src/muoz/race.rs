//! Race sets: what else a receive could have got, and who else could have got it.

use borges_multiverse::causality::{Race, races};
use borges_multiverse::language::Language;

use super::event::Event;
use super::machine::{EventId, Machine};
use super::name::ThreadName;
use super::recipe::Resource;
use super::record::Recording;
use super::rule::Act;

/// Who could have received a message instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rival {
    /// This later receive.
    Event(EventId),
    /// This thread, which waits on the port.
    Waiting(ThreadName),
}

impl Machine {
    /// For each receive, the sends whose message it could have got, had they been faster, while all
    /// that happened before it stays the same but for the order on its port.
    #[must_use]
    pub fn race_sets(&self) -> Vec<(EventId, Vec<EventId>)> {
        let program = self.program();
        let Recording(run) = Recording::of(self);
        let found = races(&**program, &program.initial(), &run, Resource::queued);
        let id = |nth: usize| EventId(nth as u32);
        let told = |race: Race| {
            let rivals = race.rivals.into_iter().map(id);
            (id(race.received), rivals.collect())
        };
        found.into_iter().flatten().map(told).collect()
    }

    /// Who could have got what `receive` got, had they been faster.
    #[must_use]
    pub fn rivals(&self, receive: EventId) -> Vec<Rival> {
        let Some(Act::Receive { port, number, .. }) = self.event(receive).map(|event| &event.act)
        else {
            return Vec::new();
        };
        let later = self.receives(port).split_off(*number as usize);
        // The order of receives is what could have been otherwise.
        let run = self
            .causality(EventId(0))
            .without(&Resource::Exit(port.clone()));
        let could = |thread: &ThreadName, turns: u32| {
            let own = |event: &Event| event.thread == *thread && event.nth + 1 == turns;
            let own = self.first(own).or_else(|| self.creation(thread));
            let needs = |other: &EventId| {
                own.is_some_and(|own| run.happens_before(other.0 as usize, own.0 as usize))
            };
            !later.iter().any(needs)
        };
        let events = later.iter().skip(1).filter(|id| {
            let event = self.event(**id);
            event.is_some_and(|event| could(&event.thread, event.nth))
        });
        let waits = |thread: &&ThreadName| {
            self.program().waits_on(self.state(), thread).as_ref() == Some(port)
                && could(thread, self.history(thread).len() as u32)
        };
        let threads = self.state().threads().filter(waits);
        let events = events.map(|id| Rival::Event(*id));
        events.chain(threads.cloned().map(Rival::Waiting)).collect()
    }
}
