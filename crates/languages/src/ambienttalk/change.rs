//! What steps change of a configuration: few of its parts.
//!
//! Most steps of a survey lead to configurations that are known. Their digests are those of their parts, so they need
//! not be made.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use borges_multiverse::fingerprint::Digest;

use super::state::{Actor, Channel, State, feed};

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

/// A configuration after a change.
struct Changed<'a>(&'a State, &'a Change);

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
        let changed = Changed(state, self);
        let mut actors = Vec::with_capacity(state.actors.len() + usize::from(self.born.is_some()));
        actors.extend(changed.actors().cloned());
        State {
            actors: actors.into(),
            channels: changed.channels().into(),
        }
    }

    /// The digest of the configuration after the change.
    pub(super) fn digest<F: Digest>(&self, state: &State) -> F {
        F::digest(&Changed(state, self))
    }
}

impl<'a> Changed<'a> {
    fn actors(&self) -> impl Iterator<Item = &'a Arc<Actor>> {
        let Self(state, change) = *self;
        let born = change.born.as_ref();
        let before = born.map_or(state.actors.len(), |(at, _)| *at);
        let old = move |at: usize| change.actor(at).unwrap_or(&state.actors[at]);
        let first = (0..before).map(old);
        let rest = (before..state.actors.len()).map(old);
        first.chain(born.map(|(_, actor)| actor)).chain(rest)
    }

    fn channels(&self) -> &'a [Arc<Channel>] {
        self.1.channels.as_deref().unwrap_or(&self.0.channels)
    }
}

impl Hash for Changed<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        feed(self.actors(), self.channels(), hasher);
    }
}
