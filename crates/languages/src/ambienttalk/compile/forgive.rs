//! Going on after mistakes in names, and noting what they mean.

use std::collections::HashMap;

use borges_multiverse::language::Span;

use super::{Compiled, Compiler};
use crate::ambienttalk::code::{Program, Symbol};
use crate::ambienttalk::error::{ParseError, ParseErrorKind};
use crate::ambienttalk::scope::Scopes;
use crate::ambienttalk::syntax::{Expr, ExprKind, Item, Name};
use crate::text::{Forgiving, Kind, MeaningId, Notes};

/// Resolves the names of what is perhaps no program: what is noted of them, and what is wrong with them.
pub(in crate::ambienttalk) fn resolve(items: &[Item], length: usize) -> (Notes, Vec<ParseError>) {
    let none = |_: &()| false;
    let mut compiler = Compiler {
        program: Program::default(),
        symbols: HashMap::new(),
        scopes: Scopes::default(),
        forgiving: Some(Forgiving::new(&[], none, none)),
    };
    let whole = compiler.whole(items, length);
    let forgiving = compiler.forgiving;
    let (notes, mut faults) =
        forgiving.map_or_else(Default::default, |all| (all.notes, all.faults));
    faults.extend(whole.err());
    (notes, faults)
}

impl Compiler {
    /// Takes a mistake in a name, if it is forgiving.
    pub(super) fn forgive(&mut self, kind: ParseErrorKind, span: Span) -> Compiled<()> {
        Forgiving::take(&mut self.forgiving, ParseError { kind, span })
    }

    /// Notes something that is introduced, with the value that it gets, if it has one.
    pub(super) fn note(&mut self, kind: Kind, name: &Name, value: Option<&Expr>) -> MeaningId {
        let Some(forgiving) = &mut self.forgiving else {
            return MeaningId::default();
        };
        let kind = match value.map(|value| &value.kind) {
            Some(ExprKind::Literal { kind, .. }) => kind.made(),
            _ => kind,
        };
        let whole = Span {
            start: name.span.start,
            end: value.map_or(name.span.end, |value| value.span.end),
        };
        forgiving.notes.bind(kind, name.span, whole)
    }

    pub(super) fn notes(&mut self, write: impl FnOnce(&mut Notes)) {
        if let Some(forgiving) = &mut self.forgiving {
            write(&mut forgiving.notes);
        }
    }

    /// Notes that a name is looked up when the program runs.
    pub(super) fn note_selector(&mut self, name: &Name) {
        self.notes(|notes| notes.selectors.push(name.span));
    }

    /// Notes what a name means that scope `at` knows.
    pub(super) fn note_use(&mut self, at: usize, symbol: Symbol, span: Span) {
        if self.forgiving.is_some()
            && let Some(meaning) = self.scopes.meaning(at, symbol)
        {
            self.notes(|notes| notes.uses.push((span, meaning)));
        }
    }
}
