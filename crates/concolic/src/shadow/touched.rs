//! The bytes that handlers of events touch, as they run.

use std::rc::Rc;

use borges_vm::Site;
use serde::{Deserialize, Serialize};

use super::access::width_of;
use super::follow::known;
use super::{Decided, Follower, KNOWN};
use crate::code::Op;
use crate::touch::{ByteSet, Own, Span, Touch};

/// Of more bytes, it is any.
const MOST: usize = 1 << 12;

/// Bytes of the memory that handlers of events read and write by single loads and stores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    reads: ByteSet,
    writes: ByteSet,
    /// It may be any others.
    is_anything: bool,
}

/// What is known of the bytes that handlers touch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches {
    /// These and no others, as far as `seen` says nothing else; nothing if it may be any.
    pub(crate) assumed: Option<Rc<Touched>>,
    /// Those that were seen to be touched.
    pub(crate) seen: Touched,
}

/// Whether an instruction touches what handlers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touching {
    Never,
    /// A load or a store may.
    ByAddress,
    Always,
}

impl Touched {
    fn add(&mut self, is_store: bool, span: Option<Span>) {
        let bytes = match is_store {
            true => &mut self.writes,
            false => &mut self.reads,
        };
        match span {
            Some(span) if span.1 - span.0 < MOST as u64 && bytes.count() < MOST => bytes.add(span),
            _ => self.is_anything = true,
        }
    }

    /// Whether the order of this access and a handler matters.
    fn conflicts(&self, is_store: bool, span: Option<Span>) -> bool {
        let Some(span) = span.filter(|_| !self.is_anything) else {
            return true;
        };
        self.writes.touches(span) || is_store && self.reads.touches(span)
    }

    /// Whether these are all of others.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.is_anything
            || !other.is_anything
                && self.reads.covers(&other.reads)
                && self.writes.covers(&other.writes)
    }

    /// These, and others.
    pub(crate) fn with(&self, other: &Self) -> Self {
        Touched {
            reads: self.reads.with(&other.reads),
            writes: self.writes.with(&other.writes),
            is_anything: self.is_anything || other.is_anything,
        }
    }
}

impl Follower<'_> {
    /// Whether the next instruction touches what handlers do; what a handler touches is noted.
    #[inline]
    pub(super) fn is_touching(&mut self, number: usize, op: Op, site: &Site<'_>) -> bool {
        let is_touching = self.touching.map(|touching| touching[number]);
        let is_access = matches!(op, Op::Load { .. } | Op::Store { .. });
        if self.touched.is_some() && is_access {
            let (is_store, span) = self.span(op, site);
            if let Some(touched) = self.touched.as_mut() {
                touched.add(is_store, span);
            }
        }
        match is_touching {
            None | Some(Touching::Never) => false,
            Some(Touching::Always) => true,
            Some(Touching::ByAddress) => {
                let (is_store, span) = self.span(op, site);
                let assumed = self.assumed;
                assumed.is_none_or(|assumed| assumed.conflicts(is_store, span))
            }
        }
    }

    /// What the next instruction touches, if somebody wants to know: to be marked once nothing is left to be decided.
    #[inline]
    pub(super) fn touches(
        &self,
        number: usize,
        op: Op,
        site: &Site<'_>,
    ) -> (Own, (bool, Option<Span>)) {
        match self.marks {
            None => (Own::Nothing, (false, None)),
            Some(_) => match self.code.own(number) {
                Own::Access => (Own::Access, self.span(op, site)),
                own => (own, (false, None)),
            },
        }
    }

    /// Marks what an instruction touches that is about to be executed.
    #[inline]
    pub(super) fn mark(
        &mut self,
        (own, (is_store, span)): (Own, (bool, Option<Span>)),
        site: &Site<'_>,
    ) {
        let Some(marks) = self.marks.as_deref_mut() else {
            return;
        };
        let operand = |depth| u64::from(known(site, depth) as u32);
        // All operands of what moves bytes are known by then.
        let stretch = |first: u64| {
            let last = (first + operand(1)).checked_sub(1);
            last.filter(|last| first <= *last).map(|last| (first, last))
        };
        let mut moves = |is_store: bool, first: u64| match stretch(first) {
            Some(span) => marks.access(is_store, Some(span)),
            // Nothing is moved, if that lies within the memory.
            None => marks.read(Touch::Size),
        };
        match own {
            Own::Nothing => {}
            Own::Access => marks.access(is_store, span),
            Own::Fill => moves(true, operand(3)),
            Own::Init => {
                moves(true, operand(3));
                marks.read(Touch::Segments);
            }
            Own::Copy => {
                moves(false, operand(2));
                moves(true, operand(3));
            }
            Own::Reads(touch) => marks.read(touch),
            Own::Writes(touch) => marks.write(touch),
        }
    }

    /// Whether an access is a store, and where it goes, if that is known.
    fn span(&self, op: Op, site: &Site<'_>) -> (bool, Option<Span>) {
        let (is_store, opcode, offset) = match op {
            Op::Load { opcode, offset } => (false, opcode, offset),
            Op::Store { opcode, offset } => (true, opcode, offset),
            _ => return (true, None),
        };
        let depth = 1 + usize::from(is_store);
        let address = u64::from(known(site, depth) as u32);
        let bounds = match (self.shadow.cell(site.top() - depth), &self.decided) {
            (KNOWN, _) => Some((address, address)),
            (_, Some(Decided::Addresses(all))) => all.first().copied().zip(all.last().copied()),
            // It is executed for the address that the machine has.
            (_, Some(Decided::Go)) => Some((address, address)),
            _ => None,
        };
        let far = u64::from(offset);
        let span = |(first, last): Span| (first + far, last + far + width_of(opcode) - 1);
        (is_store, bounds.map(span))
    }
}
