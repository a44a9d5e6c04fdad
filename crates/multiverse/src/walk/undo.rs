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
    /// The events on the path to this universe that depend on `event`, a place on that path which
    /// stands for the step that leads to it. In the order in which they happened.
    ///
    /// # Errors
    /// [`WalkError::NoEvent`] if no step on the path leads to `event`.
    pub fn consequences(&self, event: Place) -> Result<Vec<Place>, WalkError> {
        let (_, events) = self.events_from(event)?;
        Ok(events
            .into_iter()
            .filter(|event| event.doomed)
            .skip(1)
            .map(|event| event.place)
            .collect())
    }

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

    /// Undoes `event` if nothing depends on it.
    ///
    /// # Errors
    /// [`WalkError::Consequences`] names what must be undone first; otherwise as [`Walk::undo`].
    /// The walk then stays where it was.
    pub fn undo_only(&mut self, event: Place) -> Result<Undone, WalkError> {
        let consequences = self.consequences(event)?;
        if consequences.is_empty() {
            self.undo(event)
        } else {
            Err(WalkError::Consequences(consequences))
        }
    }

    /// The last step of `agent` on the path to this universe.
    #[must_use]
    pub fn last_event_of(&self, agent: &L::Agent) -> Option<Place> {
        let path = || self.tree().between(Place::ROOT, self.place());
        let choices = path().into_iter().flatten();
        let choices = choices.map(|(_, taken)| &taken.choice);
        let run = Causality::of(self.language(), &self.state_at(Place::ROOT)?, choices)?;
        let last = run.last_of(agent)?;
        path()?.nth(last).map(|(place, _)| place)
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
