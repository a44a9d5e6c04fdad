//! Scopes: what names mean where they stand, and what is captured from around.

use borges_multiverse::language::Span;

use super::code::{Instr, Symbol};
use super::syntax::LiteralKind;
use crate::text::MeaningId;

/// The literals that are being compiled, each within the one before it.
#[derive(Default)]
pub(super) struct Scopes(pub(super) Vec<Scope>);

/// A literal that is being compiled.
pub(super) struct Scope {
    pub(super) kind: LiteralKind,
    /// What its objects take in when they are made, and where each comes from outside.
    pub(super) captures: Vec<(Captured, Spot)>,
    pub(super) fields: Vec<Symbol>,
    /// With the numbers of their parameters.
    pub(super) methods: Vec<(Symbol, usize)>,
    /// What its fields and methods mean, for the notes.
    pub(super) meanings: Vec<(Symbol, MeaningId)>,
    /// The code that is being compiled.
    pub(super) code: Option<Open>,
}

/// Code that is being compiled.
#[derive(Default)]
pub(super) struct Open {
    pub(super) instrs: Vec<Instr>,
    pub(super) spans: Vec<Span>,
    /// Variables that can be seen here.
    pub(super) visible: Vec<(Symbol, u16)>,
    pub(super) names: Vec<Symbol>,
    /// Variables that were taken into a block or object.
    pub(super) captured: Vec<u16>,
    /// Variables that were assigned to after their definition, and where first.
    pub(super) assigned: Vec<(u16, Span)>,
    /// What its variables mean, for the notes.
    pub(super) meanings: Vec<(u16, MeaningId)>,
}

/// What is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Captured {
    Variable(Symbol),
    /// The object of the scope with this number.
    SelfOf(usize),
}

/// Where a name leads, seen from one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Local(u16),
    Capture(u16),
    /// The object of the scope itself.
    Me,
}

pub(super) enum Meaning {
    Value(Spot),
    /// A field of the object at a place.
    Field(Spot),
    /// A method of the object at a place, and how many parameters it has.
    Method(Spot, usize),
}

/// Why a name means nothing.
pub(super) enum Unknown {
    Nowhere,
    /// It is known outside an actor or isolate.
    Outside(LiteralKind),
}

impl Scopes {
    /// What `name` means in the scope with number `at`.
    pub(super) fn resolve(&mut self, at: usize, name: Symbol) -> Result<Meaning, Unknown> {
        let scope = &self.0[at];
        let code = scope.code.as_ref();
        let local = code.and_then(|code| code.visible.iter().rfind(|(known, _)| *known == name));
        if let Some((_, slot)) = local {
            return Ok(Meaning::Value(Spot::Local(*slot)));
        }
        if let Some(slot) = scope.captured(Captured::Variable(name)) {
            return Ok(Meaning::Value(Spot::Capture(slot)));
        }
        if scope.fields.contains(&name) {
            return Ok(Meaning::Field(Spot::Me));
        }
        if let Some((_, params)) = scope.methods.iter().find(|(method, _)| *method == name) {
            return Ok(Meaning::Method(Spot::Me, *params));
        }
        let isolated = scope.kind.is_isolated();
        let Some(around) = at.checked_sub(1) else {
            return Err(Unknown::Nowhere);
        };
        if isolated {
            let kind = scope.kind;
            return Err(match self.resolve_quietly(around, name) {
                true => Unknown::Outside(kind),
                false => Unknown::Nowhere,
            });
        }
        let outer = self.resolve(around, name)?;
        Ok(match outer {
            Meaning::Value(place) => {
                Meaning::Value(self.capture(at, Captured::Variable(name), place))
            }
            Meaning::Field(place) => Meaning::Field(self.capture_self(at, place)),
            Meaning::Method(place, params) => Meaning::Method(self.capture_self(at, place), params),
        })
    }

    /// Whether `name` means something in scope `at` or around it, without capturing anything.
    pub(super) fn resolve_quietly(&self, at: usize, name: Symbol) -> bool {
        self.0[..=at].iter().any(|scope| {
            let visible = scope.code.as_ref().map(|code| &code.visible);
            visible.is_some_and(|visible| visible.iter().any(|(known, _)| *known == name))
                || scope.captured(Captured::Variable(name)).is_some()
                || scope.fields.contains(&name)
                || scope.methods.iter().any(|(method, _)| *method == name)
        })
    }

    /// What `name`, which is known in scope `at`, means there: what was captured means what it means outside.
    pub(super) fn meaning(&self, at: usize, name: Symbol) -> Option<MeaningId> {
        let mut around = self.0[..=at].iter().rev();
        around.find_map(|scope| {
            let local = scope.code.as_ref().and_then(|code| {
                let (_, slot) = code.visible.iter().rfind(|(known, _)| *known == name)?;
                let found = code.meanings.iter().rfind(|(known, _)| known == slot);
                found.map(|(_, meaning)| *meaning)
            });
            let member = scope.meanings.iter().find(|(known, _)| *known == name);
            local.or_else(|| member.map(|(_, meaning)| *meaning))
        })
    }

    /// Takes the value at `outer`, a place of the scope around `at`, into scope `at`.
    pub(super) fn capture(&mut self, at: usize, what: Captured, outer: Spot) -> Spot {
        if let Some(slot) = self.0[at].captured(what) {
            return Spot::Capture(slot);
        }
        if let Spot::Local(slot) = outer
            && let Some(code) = &mut self.0[at - 1].code
        {
            code.captured.push(slot);
        }
        let captures = &mut self.0[at].captures;
        captures.push((what, outer));
        Spot::Capture((captures.len() - 1) as u16)
    }

    /// Takes the object at `outer`, which owns a field or method, into scope `at`.
    pub(super) fn capture_self(&mut self, at: usize, outer: Spot) -> Spot {
        let owner = match outer {
            Spot::Me => at - 1,
            Spot::Capture(slot) => match self.0[at - 1].captures[usize::from(slot)].0 {
                Captured::SelfOf(owner) => owner,
                Captured::Variable(_) => at - 1,
            },
            Spot::Local(_) => at - 1,
        };
        self.capture(at, Captured::SelfOf(owner), outer)
    }

    /// The place of `self` in scope `at`: blocks use that of the object around them.
    pub(super) fn self_place(&mut self, at: usize) -> Spot {
        if self.0[at].kind != LiteralKind::Block || at == 0 {
            return Spot::Me;
        }
        let outer = self.self_place(at - 1);
        self.capture_self(at, outer)
    }
}

impl Scope {
    pub(super) fn captured(&self, what: Captured) -> Option<u16> {
        let found = self.captures.iter().position(|(known, _)| *known == what);
        found.map(|at| at as u16)
    }
}
