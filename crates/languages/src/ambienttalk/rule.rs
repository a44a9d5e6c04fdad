//! What an actor can do next, and what comes of it for others.

use super::birth::ActorId;
use super::code::{CodeId, TemplateId};
use super::state::Actor;
use super::value::{Message, Value};

/// The rule that an actor takes next, with all that it needs.
pub(super) enum Rule {
    Let(u16),
    /// Arithmetic: so many operands become the value.
    Arithmetic(usize, Value),
    /// To which instruction an `if:` goes.
    If(u32),
    NewObject(TemplateId),
    NewActor(TemplateId, ActorId),
    Invoke {
        code: CodeId,
        me: u32,
        arguments: usize,
    },
    FieldAccess(Value),
    FieldUpdate {
        me: u32,
        slot: usize,
    },
    MakeFuture,
    Println(usize),
    /// A send in the code: the message, how many operands it takes, and what it leaves.
    Send {
        message: Message,
        operands: usize,
        value: Value,
    },
    /// A send of the turn: its result, or what a future forwards.
    SendResult(Message),
    Process(Process),
}

/// What becomes of the oldest message.
pub(super) enum Process {
    /// A method of this object runs.
    Method { code: CodeId, me: u32 },
    /// A registered callback is applied to this object: it belongs to the same actor.
    Callback { code: CodeId, block: u32, me: u32 },
    /// The callback belongs to another actor: it is sent `apply`.
    FarCallback { me: u32 },
    /// The future waits: the message is stored with it.
    Store { future: u32 },
    /// The future has its value: the message goes on to that.
    Forward { value: Value },
    /// The future gets its value.
    Resolve { future: u32 },
}

/// What a rule does beyond its actor.
pub(super) enum Effect {
    Send(ActorId, Message),
    Create(Box<Actor>),
}

impl Rule {
    /// Whether other actors, or the order of the own inbox, notice it. A send to oneself counts.
    pub(super) const fn is_global(&self) -> bool {
        matches!(
            self,
            Self::Send { .. } | Self::SendResult(_) | Self::NewActor(..)
        )
    }
}

/// The operands on top of an actor's innermost call.
pub(super) struct Operands<'a>(pub(super) &'a [Value]);

impl Operands<'_> {
    pub(super) fn below_top(&self, nth: usize) -> Value {
        let at = self.0.len().checked_sub(nth + 1);
        at.map_or(Value::Null, |at| self.0[at])
    }

    pub(super) fn top(&self, count: usize) -> &[Value] {
        &self.0[self.0.len().saturating_sub(count)..]
    }
}
