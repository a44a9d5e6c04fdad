//! What steps change of a configuration: few of its parts.
//!
//! Most steps of a survey lead to configurations that are known. Their digests are those of their parts, so they need
//! not be made.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use borges_multiverse::fingerprint::Digest;

use super::state::{Actor, Channel, State, Sums, feed};

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

/// What is fed of a configuration.
struct Changed<'a>(Sums, &'a [Arc<Channel>]);

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
        for (at, old) in state.actors.iter().enumerate() {
            let born = self.born.iter().filter(|(place, _)| *place == at);
            actors.extend(born.map(|(_, actor)| Arc::clone(actor)));
            actors.push(Arc::clone(self.actor(at).unwrap_or(old)));
        }
        let last = self.born.iter().filter(|(at, _)| *at == state.actors.len());
        actors.extend(last.map(|(_, actor)| Arc::clone(actor)));
        State {
            actors: actors.into(),
            channels: self
                .channels
                .clone()
                .unwrap_or_else(|| state.channels.clone()),
        }
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
        let channels = self.channels.as_deref().unwrap_or(&state.channels);
        F::digest(&Changed(after, channels))
    }
}

impl Hash for Changed<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        feed(self.0, self.1, hasher);
    }
}
