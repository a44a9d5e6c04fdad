//! Values, objects, messages.

use super::birth::ActorId;
use super::ids::{Selector, SiteId, TemplateId};

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Value {
    /// Nothing.
    Null,
    /// A truth value.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A text, by its number in the program.
    Text(u32),
    /// An object: whose, and which of its actor's entities.
    Object(ActorId, u32),
    /// A future.
    Future(ActorId, u32),
    /// What resolves the future of this number.
    Resolver(ActorId, u32),
    /// In a message under way: the copy of an isolate that travels with it.
    Copy(u32),
}

impl Value {
    /// To whom a reference leads.
    pub(super) const fn actor(self) -> Option<ActorId> {
        match self {
            Self::Object(actor, _) | Self::Future(actor, _) | Self::Resolver(actor, _) => {
                Some(actor)
            }
            _ => None,
        }
    }
}

/// An object: a block too is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Object {
    pub(super) template: TemplateId,
    /// Captured values, then fields.
    pub(super) slots: Vec<Value>,
}

/// What an actor's heap holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Entity {
    Object(Object),
    Future(Future),
}

impl Entity {
    pub(super) fn values(&self) -> Vec<Value> {
        match self {
            Self::Object(object) => object.slots.clone(),
            Self::Future(Future::Resolved(value)) => vec![*value],
            Self::Future(Future::Pending(queue)) => {
                queue.iter().flat_map(Message::values).collect()
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Future {
    /// Messages that wait for the value, oldest first.
    Pending(Vec<Message>),
    Resolved(Value),
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Message {
    /// Where it was sent from in the source; a result, where its request was.
    pub(super) site: SiteId,
    pub(super) receiver: Value,
    pub(super) selector: Selector,
    pub(super) arguments: Vec<Value>,
    /// The hidden argument of two-way messages: what its result is sent to.
    pub(super) resolver: Option<Value>,
    /// Isolates that travel with it.
    pub(super) copies: Vec<Object>,
    /// Whether it has passed through a future.
    pub(super) forwarded: bool,
}

impl Message {
    /// All its references, also those within its copies.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> + '_ {
        let inner = self.copies.iter().flat_map(|copy| copy.slots.iter());
        let outer = self.arguments.iter().chain(&self.resolver);
        outer.chain(inner).copied().chain([self.receiver])
    }

    /// The same, to be changed.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let inner = self.copies.iter_mut().flat_map(|copy| &mut copy.slots);
        let outer = self.arguments.iter_mut().chain(&mut self.resolver);
        outer.chain(inner).chain([&mut self.receiver])
    }
}
