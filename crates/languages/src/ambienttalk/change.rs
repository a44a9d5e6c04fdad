//! What steps change of a configuration: few of its parts.
//!
//! Most steps of a survey lead to configurations that are known. Their digests are those of their parts, so they need
//! not be made.

use std::sync::Arc;

use borges_multiverse::fingerprint::Digest;

use super::state::{Actor, Channel, State, Sums};

/// What a step changes.
pub(super) struct Change {
    /// Who acts and who gets a message, with their places.
    actors: [Option<(usize, Arc<Actor>)>; 2],
    /// A new actor, and its place before the one that is there.
    pub(super) born: Option<(usize, Arc<Actor>)>,
    /// All messages that are under way, if others are.
    pub(super) channels: Option<Box<[Arc<Channel>]>>,
    /// In rules.
    pub(super) steps: u64,
}

impl Change {
    /// Nothing, by so many rules.
    pub(super) const fn of(steps: u64) -> Self {
        Self {
            actors: [None, None],
            born: None,
            channels: None,
            steps,
        }
    }

    /// The actor in this place, if it is another one.
    pub(super) fn actor(&self, at: usize) -> Option<&Arc<Actor>> {
        let mut changed = self.actors.iter().flatten();
        changed
            .find(|(place, _)| *place == at)
            .map(|(_, actor)| actor)
    }

    /// Puts another actor into this place. A step does so with two.
    pub(super) fn put(&mut self, at: usize, actor: Arc<Actor>) {
        let is_there =
            |slot: &Option<(usize, _)>| slot.as_ref().is_none_or(|(place, _)| *place == at);
        let slot = self.actors.iter_mut().find(|slot| is_there(slot));
        debug_assert!(slot.is_some(), "a step changes two actors");
        if let Some(slot) = slot {
            *slot = Some((at, actor));
        }
    }

    /// The configuration after the change.
    pub(super) fn made(&self, state: &State) -> State {
        let mut actors = Vec::with_capacity(state.actors.len() + usize::from(self.born.is_some()));
        let changed = state.actors.iter().enumerate();
        actors.extend(changed.map(|(at, old)| Arc::clone(self.actor(at).unwrap_or(old))));
        if let Some((at, born)) = &self.born {
            actors.insert(*at, Arc::clone(born));
        }
        State {
            actors: actors.into(),
            channels: self.channels(state).into(),
        }
    }

    fn channels<'a>(&'a self, state: &'a State) -> &'a [Arc<Channel>] {
        self.channels.as_deref().unwrap_or(&state.channels)
    }

    /// The digest of the configuration after the change, where `sums` are those of its actors before.
    pub(super) fn digest<F: Digest>(&self, state: &State, sums: Sums) -> F {
        let mut after = sums;
        for (at, actor) in self.actors.iter().flatten() {
            after = after.without(&state.actors[*at]).with(actor);
        }
        if let Some((_, born)) = &self.born {
            after = after.with(born);
        }
        F::digest(&after.with_channels(self.channels(state)))
    }
}
