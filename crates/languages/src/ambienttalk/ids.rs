//! By what values and code name places of the program.

/// A name that messages, methods and fields are found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbol(pub(super) u32);

/// A place in the source from which messages are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// A method's, block's or initialiser's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CodeId(pub(super) u32);

/// What a literal makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TemplateId(pub(super) u32);

/// What messages can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Selector {
    /// A method.
    Method(Symbol),
    /// Resolves a future: its result has come.
    Resolve,
    /// Registers a callback (`when: … becomes: …`).
    Register,
}
