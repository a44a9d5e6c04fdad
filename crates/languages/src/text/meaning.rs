//! What a text introduces.

use borges_multiverse::language::Span;

/// Something that a name stands for; the number of a [`Meaning`] of a [`super::Gloss`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeaningId(pub u32);

/// What something is that a text introduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A variable that holds the value of an expression.
    Variable,
    /// A variable that holds what is received.
    Received,
    /// A port.
    Port,
    /// A procedure.
    Procedure,
    /// A parameter of a procedure or method.
    Parameter,
    /// A parameter of a block.
    Given,
    /// A thread; it has no name.
    Thread,
    /// An actor.
    Actor,
    /// An object.
    Object,
    /// An isolate.
    Isolate,
    /// A block.
    Block,
    /// A field.
    Field,
    /// A method.
    Method,
}

impl Kind {
    /// What people call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Variable => "variable",
            Self::Received => "received value",
            Self::Port => "port",
            Self::Procedure => "procedure",
            Self::Parameter | Self::Given => "parameter",
            Self::Thread => "thread",
            Self::Actor => "actor",
            Self::Object => "object",
            Self::Isolate => "isolate",
            Self::Block => "block",
            Self::Field => "field",
            Self::Method => "method",
        }
    }

    /// Whether it can be called with arguments that the text names.
    #[must_use]
    pub const fn is_callable(self) -> bool {
        matches!(self, Self::Procedure | Self::Method)
    }
}

/// Something that a text introduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// What it is.
    pub kind: Kind,
    /// Its name where it is introduced; the keyword, if it has none.
    pub name: Span,
    /// All that introduces it.
    pub whole: Span,
    /// Where it can be seen, unless another of its name is nearer or a wall is between.
    pub seen: Span,
    /// Whether it belongs to an object, so that messages can reach it by its name.
    pub is_member: bool,
}

impl Meaning {
    /// Whether it has a name: threads, and literals that are values of nothing, have none.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.kind != Kind::Thread && (self.name.start != self.whole.start || self.is_parameter())
    }

    fn is_parameter(&self) -> bool {
        matches!(self.kind, Kind::Parameter | Kind::Given)
    }
}
