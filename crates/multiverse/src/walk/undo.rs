//! Undoing an event and what it caused, and nothing else (causal-consistent rollback).

use super::{Walk, WalkError};
use crate::causality::Causality;
use crate::language::Language;
use crate::tree::Place;

/// What [`Walk::undo`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// Where the walk stands now.
    pub place: Place,
    /// The undone events in the order of undoing, last first; each as the place after it on the
    /// path that was left.
    pub events: Vec<Place>,
}

impl<L: Language> Walk<L> {
    /// Undoes `event` and exactly its consequences: goes to the universe in which everything else
    /// on the path has happened. The old path stays in the tree.
    ///
    /// # Errors
    /// [`WalkError::NoEvent`] if no step on the path leads to `event`; [`WalkError::Entangled`] if
    /// the language's footprints are wrong. The walk then stays where it was.
    pub fn undo(&mut self, event: Place) -> Result<Undone, WalkError> {
        let (before, events) = self.events_from(event)?;
        let home = self.place();
        let rest = events.iter().filter(|event| !event.doomed);
        let rest: Vec<_> = rest.map(|event| event.choice.clone()).collect();
        self.jump(before)?;
        if self.take(&rest).is_err() {
            self.jump(home)?;
            return Err(WalkError::Entangled);
        }
        let doomed = events.iter().rev().filter(|event| event.doomed);
        Ok(Undone {
            place: self.place(),
            events: doomed.map(|event| event.place).collect(),
        })
    }

    /// The place before `event`, and the events from it on.
    fn events_from(&self, event: Place) -> Result<(Place, Vec<Event<L>>), WalkError> {
        let tree = self.tree();
        let event = tree.canonical(event).ok_or(WalkError::NoEvent)?;
        let before = tree.parent(event).ok_or(WalkError::NoEvent)?;
        if !tree.is_on_path(event, self.place()) {
            return Err(WalkError::NoEvent);
        }
        let path = || tree.between(before, self.place()).into_iter().flatten();
        let choices = path().map(|(_, taken)| &taken.choice);
        let start = self.state_at(before).ok_or(WalkError::NoEvent)?;
        let run = Causality::of(self.language(), &start, choices).ok_or(WalkError::Entangled)?;
        let events = path().enumerate().map(|(index, (place, taken))| Event {
            place,
            choice: taken.choice.clone(),
            doomed: run.happens_before(0, index),
        });
        Ok((before, events.collect()))
    }
}

/// A step on the path.
struct Event<L: Language> {
    place: Place,
    choice: L::Choice,
    /// It is the one to be undone, or depends on it.
    doomed: bool,
}
