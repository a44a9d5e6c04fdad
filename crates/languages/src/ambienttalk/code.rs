//! Programs as the semantics runs them.

use borges_multiverse::language::Span;

pub use super::ids::SiteId;
pub(super) use super::ids::{CodeId, Selector, Symbol, TemplateId};
use super::syntax::{LiteralKind, Operator};
use super::value::Value;

/// A machine instruction.
///
/// Those from [`Instr::Let`] on are rules of the semantics; the others only bring values to their
/// places (the calculus substitutes instead) and are taken along with the rule before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instr {
    Const(Value),
    /// The value of a local variable.
    Load(u16),
    /// The object to which the code belongs.
    Me,
    /// A value taken into that object when it was made.
    Capture(u16),
    Pop,
    Jump(u32),
    /// Ends the code; what is on top is its value.
    Return,

    /// Sets a local variable.
    Let(u16),
    Arithmetic(Operator),
    Negate,
    /// Goes on if the condition is true, jumps if it is false.
    If(u32),
    /// Takes the captured values.
    NewObject(TemplateId),
    NewActor(TemplateId),
    Invoke(Symbol, u8),
    FieldAccess(Symbol),
    FieldUpdate(Symbol),
    MakeFuture,
    /// Takes the receiver, the arguments, and the future of a two-way message, which stays.
    Send {
        site: SiteId,
        selector: Selector,
        arguments: u8,
        two_way: bool,
    },
    Println(u8),
}

impl Instr {
    /// Whether this is a rule of the semantics.
    pub(super) const fn is_rule(self) -> bool {
        !matches!(
            self,
            Self::Const(_)
                | Self::Load(_)
                | Self::Me
                | Self::Capture(_)
                | Self::Pop
                | Self::Jump(_)
                | Self::Return
        )
    }
}

#[derive(Clone, Debug)]
pub(super) struct Code {
    /// The method's name; `apply` for blocks, `init` for initialisers.
    pub(super) name: Symbol,
    pub(super) params: u16,
    /// Parameters and variables.
    pub(super) locals: u16,
    pub(super) instrs: Vec<Instr>,
    /// The places of the instructions.
    pub(super) spans: Vec<Span>,
    /// The names of the local variables, for views.
    pub(super) local_names: Vec<Symbol>,
}

#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) kind: LiteralKind,
    /// The names of captured values and then of fields: the object's slots.
    pub(super) slots: Vec<Symbol>,
    pub(super) captures: u16,
    pub(super) methods: Vec<(Symbol, CodeId)>,
    pub(super) init: CodeId,
}

impl Template {
    pub(super) fn method(&self, name: Symbol) -> Option<CodeId> {
        let found = self.methods.iter().find(|(method, _)| *method == name);
        found.map(|(_, code)| *code)
    }

    /// The slot of a field; captured values are no fields.
    pub(super) fn field(&self, name: Symbol) -> Option<usize> {
        let captures = usize::from(self.captures);
        let fields = self.slots.get(captures..)?;
        fields
            .iter()
            .position(|field| *field == name)
            .map(|at| at + captures)
    }
}

/// A send in the source.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) span: Span,
    pub(super) selector: Symbol,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) codes: Vec<Code>,
    pub(super) templates: Vec<Template>,
    pub(super) symbols: Vec<String>,
    pub(super) texts: Vec<String>,
    pub(super) sites: Vec<Site>,
    /// Where the lines of the text begin, after the first.
    pub(super) line_starts: Box<[u32]>,
}

impl Program {
    /// The literal of the main actor: compiled first.
    pub(super) const MAIN: TemplateId = TemplateId(0);
    /// The name of what blocks do.
    pub(super) const APPLY: Symbol = Symbol(0);
    /// The name of initialisers.
    pub(super) const INIT: Symbol = Symbol(1);

    pub(super) fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.0 as usize]
    }

    pub(super) fn code(&self, id: CodeId) -> &Code {
        &self.codes[id.0 as usize]
    }

    pub(super) fn name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.0 as usize]
    }

    pub(super) fn site(&self, site: SiteId) -> &Site {
        &self.sites[site.0 as usize]
    }

    pub(super) fn selector(&self, selector: Selector) -> &str {
        match selector {
            Selector::Method(symbol) => self.name(symbol),
            Selector::Resolve => "resolve",
            Selector::Register => "when",
        }
    }
}
