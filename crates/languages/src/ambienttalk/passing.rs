//! Messages between actors: what they carry, what is copied on the way, and where they go on to.

use std::sync::Arc;

use super::birth::ActorId;
use super::code::{Program, Selector, SiteId};
use super::rule::{Effect, Operands, Rule};
use super::state::{Actor, Stuck};
use super::syntax::LiteralKind;
use super::value::{Entity, Future, Message, Object, Value};

impl Actor {
    /// RESOLVE: the future has its value; what waited goes on to that, in order.
    pub(super) fn resolve(&mut self, future: u32, message: Message) {
        let names = self.unpack(message.copies);
        let value = message.arguments.first().copied().unwrap_or(Value::Null);
        let value = renamed(value, self.id, &names);
        let Some(entity) = self.future_mut(future) else {
            return;
        };
        let before = std::mem::replace(entity, Future::Resolved(value));
        if let Future::Pending(queue) = before {
            for message in queue {
                // Not forwarded is only what no value understands; it stays a message to the
                // future, and its actor gets stuck on it.
                let next = forwarded(&message, value).unwrap_or(message);
                self.outbox.push(Arc::new(next));
            }
        }
    }

    /// LOCAL- or FAR-ASYNCHRONOUS-SEND.
    pub(super) fn send(&mut self, program: &Program, mut message: Message) -> Option<Effect> {
        let to = message.receiver.actor()?;
        if to == self.id {
            self.inbox.push(Arc::new(message));
            return None;
        }
        let mut copies = std::mem::take(&mut message.copies);
        self.pack(program, &mut message.arguments, &mut copies);
        message.copies = copies;
        Some(Effect::Send(to, message))
    }

    /// Makes values fit to leave the actor: isolates, and isolates that they reach, are copied; all
    /// else goes by far reference.
    pub(super) fn pack(
        &mut self,
        program: &Program,
        values: &mut [Value],
        copies: &mut Vec<Object>,
    ) {
        let mut known: Vec<(u32, u32)> = Vec::new();
        let mut copied = |actor: &Self, copies: &mut Vec<Object>, value: Value| {
            let Value::Object(owner, name) = value else {
                return value;
            };
            let object = actor.object(name).filter(|_| owner == actor.id);
            let is_isolate =
                |object: &&Object| program.template(object.template).kind == LiteralKind::Isolate;
            let Some(object) = object.filter(is_isolate) else {
                return value;
            };
            if let Some((_, copy)) = known.iter().find(|(known, _)| *known == name) {
                return Value::Copy(*copy);
            }
            // Heaps are far smaller than 2^32.
            let copy = copies.len() as u32;
            known.push((name, copy));
            copies.push(object.clone());
            Value::Copy(copy)
        };
        for value in values.iter_mut() {
            *value = copied(self, copies, *value);
        }
        let mut next = 0;
        while next < copies.len() {
            let mut slots = std::mem::take(&mut copies[next].slots);
            for value in &mut slots {
                *value = copied(self, copies, *value);
            }
            copies[next].slots = slots;
            next += 1;
        }
        let inner = copies.iter().flat_map(|copy| copy.slots.iter());
        for value in values.iter().chain(inner) {
            self.export(*value);
        }
    }

    /// Gives what travelled with a message fresh names here.
    pub(super) fn unpack(&mut self, copies: Vec<Object>) -> Vec<u32> {
        let mut names = Vec::new();
        for copy in copies {
            names.push(self.allocate(Entity::Object(copy)));
        }
        let id = self.id;
        for name in &names {
            if let Some(object) = self.object_mut(*name) {
                for value in &mut object.slots {
                    *value = renamed(*value, id, &names);
                }
            }
        }
        names
    }
}

/// A copy that arrived, under its new name.
pub(super) fn renamed(value: Value, owner: ActorId, names: &[u32]) -> Value {
    match value {
        Value::Copy(copy) => names
            .get(copy as usize)
            .map_or(Value::Null, |name| Value::Object(owner, *name)),
        other => other,
    }
}

/// `callback<-apply(argument)`, on behalf of `registration`.
pub(super) fn apply(registration: &Message, callback: Value, argument: Value) -> Message {
    Message {
        receiver: callback,
        selector: Selector::Method(Program::APPLY),
        arguments: vec![argument],
        forwarded: true,
        ..registration.clone()
    }
}

/// The message that goes on to the value of a future, or of what was taken for one.
pub(super) fn forwarded(message: &Message, value: Value) -> Result<Message, Stuck> {
    match (value, message.selector) {
        (Value::Object(..) | Value::Future(..), _) => Ok(Message {
            receiver: value,
            forwarded: true,
            ..message.clone()
        }),
        // A number belongs to nobody: the callback gets it at once.
        (_, Selector::Register) => {
            let callback = message.arguments.first().copied().unwrap_or(Value::Null);
            Ok(apply(message, callback, value))
        }
        _ => Err(Stuck::NoObject),
    }
}

pub(super) fn send(
    operands: &Operands<'_>,
    site: SiteId,
    selector: Selector,
    arguments: usize,
    two_way: bool,
) -> Result<Rule, Stuck> {
    let future = two_way.then(|| operands.below_top(0));
    let mut taken = operands.top(arguments + usize::from(two_way)).to_vec();
    taken.truncate(arguments);
    let receiver = operands.below_top(arguments + usize::from(two_way));
    let resolver = match future {
        Some(Value::Future(owner, name)) => Some(Value::Resolver(owner, name)),
        _ => None,
    };
    let message = Message {
        site,
        receiver,
        selector,
        arguments: taken,
        resolver,
        copies: Vec::new(),
        forwarded: false,
    };
    let message = match receiver {
        Value::Object(..) | Value::Future(..) => message,
        _ => forwarded(&message, receiver)?,
    };
    Ok(Rule::Send {
        message,
        operands: arguments + 1 + usize::from(two_way),
        value: future.unwrap_or(Value::Null),
    })
}
