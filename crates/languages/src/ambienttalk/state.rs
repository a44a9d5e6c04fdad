//! Configurations: actors, their heaps, messages under way.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use borges_multiverse::fingerprint::Fingerprint;

use super::birth::ActorId;
use super::code::{CodeId, SiteId};
use super::value::{Entity, Future, Message, Object, Value};

/// A configuration: all actors in the order of their births, and the messages that are delivered
/// later.
///
/// Actors are shared between states that differ in others, and carry the digest of their content.
#[derive(Clone)]
pub struct State {
    pub(super) actors: Box<[Arc<Actor>]>,
    /// In the order of sender and receiver; never empty ones, unless messages are numbered.
    pub(super) channels: Box<[Arc<Channel>]>,
}

/// Messages from one actor to another that are not yet delivered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Channel {
    pub(super) from: ActorId,
    pub(super) to: ActorId,
    /// With their numbers.
    pub(super) messages: Vec<(u32, Arc<Message>)>,
    /// How many were sent, where messages are numbered.
    pub(super) sent: u32,
}

/// An actor ⟨id, objects, inbox, expression⟩.
#[derive(Clone, Default)]
pub(super) struct Actor {
    pub(super) id: ActorId,
    /// How many actors it has created.
    pub(super) children: u32,
    /// Its objects and futures. A name is the lowest that was free; the first is the actor's own
    /// object.
    pub(super) heap: Vec<Option<Slot>>,
    /// Oldest first.
    pub(super) inbox: Vec<Arc<Message>>,
    /// What is evaluated, the innermost call last.
    pub(super) frames: Vec<Frame>,
    /// What the turn has still to send: its result, or what a future forwards.
    pub(super) outbox: Vec<Arc<Message>>,
    pub(super) turn: Option<Turn>,
    pub(super) output: Vec<Arc<str>>,
    /// How many messages were taken from the inbox, where messages are numbered.
    pub(super) taken: u32,
    /// Why the actor cannot take the step that is next; derived from the rest.
    pub(super) stuck: Option<Stuck>,
    /// The digest of the rest, but for the number of messages taken.
    pub(super) content: u64,
    /// The digest of that and the number of messages taken.
    pub(super) digest: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    pub(super) entity: Arc<Entity>,
    /// Whether another actor may know it. It then stays for good.
    pub(super) exported: bool,
}

/// A call that is being evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub(super) code: CodeId,
    pub(super) pc: u32,
    /// The object to which the code belongs.
    pub(super) me: u32,
    /// Whether the call yields that object, as the initialiser of a new one does.
    pub(super) yields_me: bool,
    /// Local variables, then operands.
    pub(super) values: Vec<Value>,
}

/// The message that an actor is working on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Turn {
    pub(super) site: SiteId,
    /// What runs because of the message.
    pub(super) code: Option<CodeId>,
    pub(super) resolver: Option<Value>,
}

/// Why an actor is stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum Stuck {
    /// A call or field access on a reference to another actor's object.
    #[error("the object belongs to another actor: only messages (<-) reach it")]
    Far,
    /// The receiver is no object.
    #[error("the receiver is no object")]
    NoObject,
    /// The object has no such method.
    #[error("the object has no such method")]
    NoMethod,
    /// The object has no such field.
    #[error("the object has no such field")]
    NoField,
    /// The method takes another number of arguments.
    #[error("the method takes another number of arguments")]
    Arity,
    /// An operand of an arithmetic operation is no integer.
    #[error("an operand is no integer")]
    NoInteger,
    /// The result does not fit 64 bits.
    #[error("the result is too large")]
    Overflow,
    /// The condition of an `if:` is no truth value.
    #[error("the condition is neither true nor false")]
    NoBoolean,
    /// Too many calls within each other.
    #[error("calls nest too deep")]
    Deep,
    /// Too many objects.
    #[error("the actor has too many objects")]
    Heap,
    /// The name of a new actor would be too long.
    #[error("actors have created actors for too many generations")]
    Generations,
}

impl Actor {
    /// Whether it has nothing to evaluate: the expression is a value.
    pub(super) fn is_idle(&self) -> bool {
        self.frames.is_empty() && self.outbox.is_empty()
    }

    pub(super) fn object(&self, name: u32) -> Option<&Object> {
        match &*self.slot(name)?.entity {
            Entity::Object(object) => Some(object),
            Entity::Future(_) => None,
        }
    }

    pub(super) fn future(&self, name: u32) -> Option<&Future> {
        match &*self.slot(name)?.entity {
            Entity::Future(future) => Some(future),
            Entity::Object(_) => None,
        }
    }

    pub(super) fn slot(&self, name: u32) -> Option<&Slot> {
        self.heap.get(name as usize)?.as_ref()
    }

    fn entity_mut(&mut self, name: u32) -> Option<&mut Entity> {
        let slot = self.heap.get_mut(name as usize)?.as_mut()?;
        Some(Arc::make_mut(&mut slot.entity))
    }

    pub(super) fn object_mut(&mut self, name: u32) -> Option<&mut Object> {
        match self.entity_mut(name)? {
            Entity::Object(object) => Some(object),
            Entity::Future(_) => None,
        }
    }

    pub(super) fn future_mut(&mut self, name: u32) -> Option<&mut Future> {
        match self.entity_mut(name)? {
            Entity::Future(future) => Some(future),
            Entity::Object(_) => None,
        }
    }

    /// Puts a new entity under the lowest free name.
    pub(super) fn allocate(&mut self, entity: Entity) -> u32 {
        let slot = Some(Slot {
            entity: Arc::new(entity),
            exported: false,
        });
        let free = self.heap.iter().position(Option::is_none);
        let name = free.unwrap_or(self.heap.len());
        match self.heap.get_mut(name) {
            Some(place) => *place = slot,
            None => self.heap.push(slot),
        }
        // The semantics keeps heaps far below 2^32.
        name as u32
    }

    /// Notes that other actors may know `value` from now on.
    pub(super) fn export(&mut self, value: Value) {
        if let Value::Object(owner, name) | Value::Future(owner, name) = value
            && owner == self.id
            && let Some(Some(slot)) = self.heap.get_mut(name as usize)
        {
            slot.exported = true;
        }
    }

    /// Drops what nobody can reach, so that states which differ in leftovers only are equal.
    pub(super) fn collect(&mut self) {
        let mut marked = vec![false; self.heap.len()];
        let mut todo: Vec<u32> = vec![0];
        for (name, slot) in self.heap.iter().enumerate() {
            let pending = |slot: &Slot| matches!(&*slot.entity, Entity::Future(Future::Pending(_)));
            if slot
                .as_ref()
                .is_some_and(|slot| slot.exported || pending(slot))
            {
                todo.push(name as u32);
            }
        }
        let own = |value: Value| match value {
            Value::Object(owner, name)
            | Value::Future(owner, name)
            | Value::Resolver(owner, name)
                if owner == self.id =>
            {
                Some(name)
            }
            _ => None,
        };
        todo.extend(
            self.inbox
                .iter()
                .flat_map(|message| message.values())
                .filter_map(own),
        );
        while let Some(name) = todo.pop() {
            let Some(mark) = marked.get_mut(name as usize).filter(|mark| !**mark) else {
                continue;
            };
            *mark = true;
            if let Some(slot) = self.slot(name) {
                todo.extend(slot.entity.values().into_iter().filter_map(own));
            }
        }
        for (slot, marked) in self.heap.iter_mut().zip(marked) {
            if !marked {
                *slot = None;
            }
        }
        while self.heap.last().is_some_and(Option::is_none) {
            self.heap.pop();
        }
    }

    pub(super) fn digest(&mut self) {
        self.content = Fingerprint::of(&Content(self)).0;
        self.count();
    }

    fn count(&mut self) {
        self.digest = Fingerprint::of(&(self.content, self.taken)).0;
    }

    /// The same actor as if it had taken no message so far.
    pub(super) fn uncounted(&self) -> Self {
        let mut actor = self.clone();
        actor.taken = 0;
        actor.count();
        actor
    }
}

/// An actor without what is derived.
struct Content<'a>(&'a Actor);

impl Hash for Content<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let actor = self.0;
        (actor.id, actor.children).hash(hasher);
        (&actor.heap, &actor.inbox).hash(hasher);
        (&actor.frames, &actor.outbox, &actor.turn, &actor.output).hash(hasher);
    }
}

impl Hash for Actor {
    /// Digests are mixed well already.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.digest);
    }
}

impl PartialEq for Actor {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || self.digest == other.digest
                && (self.id, self.children, self.taken) == (other.id, other.children, other.taken)
                && self.inbox == other.inbox
                && self.heap == other.heap
                && self.frames == other.frames
                && self.outbox == other.outbox
                && self.turn == other.turn
                && self.output == other.output
    }
}

impl Eq for Actor {}

impl State {
    pub(super) fn actor(&self, id: ActorId) -> Option<&Arc<Actor>> {
        self.place(id).map(|at| &self.actors[at])
    }

    /// Where an actor is.
    pub(super) fn place(&self, id: ActorId) -> Option<usize> {
        self.actors.binary_search_by_key(&id, |actor| actor.id).ok()
    }

    pub(super) fn channel(&self, from: ActorId, to: ActorId) -> Option<&Arc<Channel>> {
        let at = self.channel_at(from, to).ok()?;
        self.channels.get(at)
    }

    /// Where a channel is, or where it would be.
    pub(super) fn channel_at(&self, from: ActorId, to: ActorId) -> Result<usize, usize> {
        self.channels
            .binary_search_by_key(&(from, to), |channel| (channel.from, channel.to))
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.actors == other.actors && self.channels == other.channels
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        Sums::of(&self.actors)
            .with_channels(&self.channels)
            .hash(hasher);
    }
}

/// What a set of actors is known by: two sums over their digests, which other actors are taken from and added to without
/// a look at the rest. No two actors of a set are equal, and digests are as good as drawn by lot; sums of such are, too
/// (M. Bellare, D. Micciancio, *A new paradigm for collision-free hashing: incrementality at reduced cost*, 1997).
#[derive(Clone, Copy, Default, Hash)]
pub(super) struct Sums(u64, u64);

impl Sums {
    pub(super) fn of(actors: &[Arc<Actor>]) -> Self {
        actors
            .iter()
            .fold(Self::default(), |sums, actor| sums.with(actor))
    }

    pub(super) fn with(self, actor: &Actor) -> Self {
        let (one, other) = Self::terms(actor);
        Self(self.0.wrapping_add(one), self.1.wrapping_add(other))
    }

    pub(super) fn without(self, actor: &Actor) -> Self {
        let (one, other) = Self::terms(actor);
        Self(self.0.wrapping_sub(one), self.1.wrapping_sub(other))
    }

    /// What the digest of a configuration is made of.
    pub(super) fn with_channels(self, channels: &[Arc<Channel>]) -> impl Hash {
        (self, channels)
    }

    /// The second is no linear function of the first, so that one sum says nothing of the other.
    fn terms(actor: &Actor) -> (u64, u64) {
        const BY: u64 = 0xd1b5_4a32_d192_ed03;
        let product = u128::from(actor.digest ^ BY.rotate_left(32)) * u128::from(BY);
        (actor.digest, product as u64 ^ (product >> 64) as u64)
    }
}

impl fmt::Debug for State {
    /// The digests: the text needs the program, see `Language::show`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.actors.iter().map(|actor| (actor.id, actor.digest)))
            .finish()
    }
}
