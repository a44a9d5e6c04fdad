//! What actors did before.
//!
//! A step is a function of its actor alone, and few different actors make very many different
//! configurations. So what an actor comes to is remembered, and equal actors are one and the same:
//! a step then costs a look into a table, and a configuration a pointer for each actor.
//!
//! Nothing depends on what is remembered; when it grows too large it is forgotten.

use std::borrow::{Borrow, Cow};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::birth::ActorId;
use super::state::Actor;
use super::value::Message;

/// Tables with a lock each, so that several workers seldom wait for one another.
const SHARDS: usize = 32;

/// Entries of a table before it is emptied.
const FULL: usize = 4096;

/// Actors of another memory of which it is known which ones they are here: those that come together consist of few.
const GUESTS: usize = 256;

/// What an actor's step comes to.
pub(super) struct Done {
    pub(super) actor: Arc<Actor>,
    pub(super) effect: Option<Effect>,
    /// In rules.
    pub(super) steps: u64,
}

/// What a step does beyond its actor.
pub(super) enum Effect {
    Send(ActorId, Arc<Message>),
    Create(Arc<Actor>),
}

/// The memory of one program, run in one way.
pub(super) struct Memo {
    shards: [Mutex<Shard>; SHARDS],
    messages: Mutex<HashSet<Arc<Message>>>,
    guests: Mutex<Vec<Option<Guest>>>,
}

/// An actor of another memory, and the equal one of this. It is held, so that nothing else gets its address.
#[derive(Clone)]
struct Guest {
    there: Arc<Actor>,
    here: Arc<Actor>,
}

#[derive(Default)]
struct Shard {
    actors: HashSet<Known, Plain>,
    steps: HashMap<Known, Option<Arc<Done>>, Plain>,
    arrivals: HashMap<Arrival, Arc<Actor>, Plain>,
}

/// An actor, found by its digest.
#[derive(PartialEq, Eq, Hash)]
struct Known(Arc<Actor>);

/// An actor and a message that it gets.
struct Arrival(Arc<Actor>, Arc<Message>);

type Plain = BuildHasherDefault<Digest>;

/// Digests are mixed well already.
#[derive(Default)]
struct Digest(u64);

impl Memo {
    pub(super) fn new() -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            messages: Mutex::default(),
            guests: Mutex::default(),
        }
    }

    fn shard(&self, digest: u64) -> MutexGuard<'_, Shard> {
        let shard = &self.shards[(digest >> 32) as usize % SHARDS];
        // Entries are whole or not there: a panic elsewhere leaves nothing half done.
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The one actor that is equal to this one.
    pub(super) fn intern(&self, actor: Cow<'_, Actor>) -> Arc<Actor> {
        let mut shard = self.shard(actor.digest);
        if let Some(known) = shard.actors.get(&*actor) {
            return Arc::clone(&known.0);
        }
        let actor = Arc::new(actor.into_owned());
        if shard.actors.len() >= FULL {
            shard.actors.clear();
        }
        shard.actors.insert(Known(Arc::clone(&actor)));
        actor
    }

    /// The ones that are equal to these, which another memory made.
    pub(super) fn at_home(&self, actors: &[Arc<Actor>]) -> Box<[Arc<Actor>]> {
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        guests.resize(GUESTS, None);
        let own = actors.iter().map(|actor| {
            let place = &mut guests[(by_address(actor) >> 32) as usize % GUESTS];
            match place {
                Some(guest) if Arc::ptr_eq(&guest.there, actor) => Arc::clone(&guest.here),
                _ => {
                    let (there, here) = (Arc::clone(actor), self.intern(Cow::Borrowed(&**actor)));
                    *place = Some(Guest {
                        there,
                        here: Arc::clone(&here),
                    });
                    here
                }
            }
        });
        own.collect()
    }

    /// The one message that is equal to this one.
    pub(super) fn message(&self, message: Cow<'_, Message>) -> Arc<Message> {
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = messages.get(&*message) {
            return Arc::clone(known);
        }
        if messages.len() >= FULL {
            messages.clear();
        }
        let message = Arc::new(message.into_owned());
        messages.insert(Arc::clone(&message));
        message
    }

    /// What an actor's step comes to; `take` takes it if it is not known.
    pub(super) fn step(
        &self,
        actor: &Arc<Actor>,
        take: impl FnOnce() -> Option<Done>,
    ) -> Option<Arc<Done>> {
        if let Some(done) = self.shard(actor.digest).steps.get(&**actor) {
            return done.clone();
        }
        // Without the lock: the step asks for other tables.
        let done = take().map(Arc::new);
        let mut shard = self.shard(actor.digest);
        if shard.steps.len() >= FULL {
            shard.steps.clear();
        }
        shard.steps.insert(Known(Arc::clone(actor)), done.clone());
        done
    }

    /// An actor after a message has arrived; `arrive` has it arrive if that is not known.
    pub(super) fn arrival(
        &self,
        actor: &Arc<Actor>,
        message: &Arc<Message>,
        arrive: impl FnOnce() -> Actor,
    ) -> Arc<Actor> {
        let key = Arrival(Arc::clone(actor), Arc::clone(message));
        if let Some(known) = self.shard(actor.digest).arrivals.get(&key) {
            return Arc::clone(known);
        }
        let after = self.intern(Cow::Owned(arrive()));
        let mut shard = self.shard(actor.digest);
        if shard.arrivals.len() >= FULL {
            shard.arrivals.clear();
        }
        shard.arrivals.insert(key, Arc::clone(&after));
        after
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo").finish_non_exhaustive()
    }
}

impl Borrow<Actor> for Known {
    fn borrow(&self) -> &Actor {
        &self.0
    }
}

impl PartialEq for Arrival {
    fn eq(&self, other: &Self) -> bool {
        // Messages of remembered steps are the same ones again, so there is no need to look inside.
        Arc::ptr_eq(&self.1, &other.1) && self.0 == other.0
    }
}

impl Eq for Arrival {}

impl Hash for Arrival {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        // The entry holds the message, so that nothing else gets its address.
        hasher.write_u64(self.0.digest ^ by_address(&self.1));
    }
}

/// Says which one it is as long as it is held; mixed well.
fn by_address<T>(thing: &Arc<T>) -> u64 {
    (Arc::as_ptr(thing).addr() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, digest: u64) {
        self.0 ^= digest;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use borges_multiverse::language::Language as _;

    use super::super::language::{AmbientTalk, Delivery, Options};
    use super::super::state::State;
    use super::*;

    /// Two that answer a third one, which asks both.
    const ASKING: &str = "def asked := actor: { def ask(n) { n + 1 } };
        def other := actor: { def ask(n) { n + 2 } };
        def asker := actor: { def go(a, b) { def one := a<-ask(1); def two := b<-ask(2); one } };
        asker<-go(asked, other)";

    #[test]
    fn what_another_memory_made_is_equal_at_home_and_shared_with_nobody() {
        for delivery in [Delivery::Immediate, Delivery::Unordered] {
            let options = Options {
                delivery,
                ..Options::default()
            };
            let ours = AmbientTalk::parse(ASKING, options).unwrap();
            let theirs = ours.apart().unwrap();
            let mut seen = HashSet::from([theirs.initial()]);
            let mut todo = vec![theirs.initial()];
            while let Some(state) = todo.pop() {
                let taken = ours.at_home(state.clone());
                assert_eq!(taken, state);
                let apart = taken.actors.iter().zip(&state.actors);
                assert!(apart.clone().all(|(our, their)| !Arc::ptr_eq(our, their)));
                // Once more it is the same one.
                let again = ours.at_home(state.clone());
                let once = again.actors.iter().zip(&taken.actors);
                assert!(once.clone().all(|(one, other)| Arc::ptr_eq(one, other)));
                let messages = |state: &State| {
                    let all = state.channels.iter().flat_map(|channel| &channel.messages);
                    all.map(|(_, message)| Arc::as_ptr(message))
                        .collect::<Vec<_>>()
                };
                assert_eq!(messages(&again), messages(&taken));
                assert!(
                    messages(&taken)
                        .iter()
                        .all(|at| !messages(&state).contains(at))
                );
                let mut steps = Vec::new();
                theirs.expand(&state, &mut steps);
                let nexts = steps.into_iter().map(|(_, next)| next.state);
                todo.extend(nexts.filter(|next| seen.insert(next.clone())));
            }
            assert!(seen.len() > 10, "{}", seen.len());
        }
    }
}
