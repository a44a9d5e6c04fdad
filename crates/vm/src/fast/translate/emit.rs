//! The compiler's view of the operand stack, and the code it writes.
//!
//! Operands are not moved when an instruction pushes them: the compiler remembers where each one
//! is, and operations take it from there. Only where code is entered or left (labels, calls) are
//! all operands in the slots that the stepping tier expects them in.

use alloc::vec::Vec;

use super::super::dispatch::handler_word;
use super::super::op::{At, Code, Mirrored, Word};
use super::{Point, Site};
use crate::ValType;

/// The three kinds of accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Class {
    Int,
    F32,
    F64,
}

impl Class {
    pub(super) fn of(ty: ValType) -> Class {
        match ty {
            ValType::F32 => Class::F32,
            ValType::F64 => Class::F64,
            // In that of `f64`: see `Word`.
            ValType::I64
            | ValType::FuncRef
            | ValType::ExternRef
            | ValType::V128
            | ValType::ExnRef
                if size_of::<Word>() < 8 =>
            {
                Class::F64
            }
            ValType::I32
            | ValType::I64
            | ValType::FuncRef
            | ValType::ExternRef
            | ValType::V128
            | ValType::ExnRef => Class::Int,
        }
    }
}

/// Where an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Place {
    /// In its own slot.
    Slot,
    /// In a local: it was pushed by `local.get`, and the local was not written since.
    Local(u16),
    /// Nowhere: it is this cell.
    Const(u64),
    /// Only in the accumulator of its class.
    Acc,
}

/// An operand on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Operand {
    pub(in super::super) class: Class,
    pub(in super::super) place: Place,
}

/// An operand as an operation takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Slot(u16),
    /// In the accumulator; in this slot as well, if in any.
    Acc(Option<u16>),
    Const(u64),
}

impl Source {
    pub(super) fn at(self) -> At {
        match self {
            Source::Slot(_) => At::Slot,
            Source::Acc(_) => At::Acc,
            Source::Const(_) => At::Const,
        }
    }

    /// The slot, for the operand word; 0 if it is in none.
    pub(super) fn slot(self) -> u16 {
        match self {
            Source::Slot(slot) => slot,
            _ => 0,
        }
    }
}

/// What an accumulator holds.
#[derive(Clone, Copy, Debug)]
struct Accumulator {
    /// The operation that wrote it, in the form without a slot.
    producer: (usize, Code),
    /// The operand, by its height, that is in this accumulator only.
    operand: Option<usize>,
    /// A slot with the same content.
    slot: Option<u16>,
}

const EMPTY: Accumulator = Accumulator {
    producer: (0, Code::Leave),
    operand: None,
    slot: None,
};

/// The last operation written, as long as the next one may take its place.
#[derive(Clone, Copy, Debug)]
struct Last {
    at: usize,
    what: What,
    /// The integer accumulator before it.
    before: Accumulator,
}

/// What the last operation is, if that is of interest.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// A comparison that gives an `i32`, or a bitwise and; with `negated`, the contrary is meant.
    Compare(Comparison),
    /// A copy of a slot.
    Copy { to: u16, from: u16 },
    /// It writes a vector to its slots, which are on top.
    #[cfg(feature = "simd")]
    Vector,
    /// Anything else.
    Other,
}

/// Two operands and what to compute of them; operands in the order that the forms want.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    pub(super) op: Mirrored,
    pub(super) first: Source,
    pub(super) second: Source,
    /// True if a constant takes a word of its own.
    pub(super) wide: bool,
    pub(super) negated: bool,
}

/// An operation's operand word: numbers of slots, as distances.
pub(super) fn pack(slots: [u16; 4]) -> u64 {
    slots
        .iter()
        .rev()
        .fold(0, |word, slot| word << 16 | distance(*slot))
}

/// How far a slot is from the first one, in bytes. (It fits a half-word: functions with more slots
/// are not compiled.)
fn distance(slot: u16) -> u64 {
    u64::from(slot.wrapping_mul(8))
}

/// An operand word of two slots with a 32-bit number in its upper half.
pub(super) fn pack_high(first: u16, second: u16, high: u32) -> u64 {
    pack([first, second, 0, 0]) | u64::from(high) << 32
}

/// Words by which the code's memory grows: small devices have little.
const GROWTH: usize = 256;

/// Code being written, and where the operands are at its end.
pub(super) struct Emitter {
    pub(super) code: Vec<u64>,
    /// Words that it may have.
    pub(super) room: usize,
    /// It would need more, or memory that there is not.
    pub(super) full: bool,
    pub(super) stack: Vec<Operand>,
    /// Cells of the locals: operands have their slots behind.
    locals: u16,
    accumulators: [Accumulator; 3],
    last: Option<Last>,
    /// The operation whose site is wanted, the state before the instruction being translated, and
    /// the site.
    wanted: Option<usize>,
    before: Option<Site>,
    site: Option<Site>,
}

/// What accumulators hold, to come back to.
#[derive(Clone, Copy)]
pub(super) struct Memory([Accumulator; 3]);

impl Emitter {
    pub(super) fn new(locals: u16, wanted: Option<usize>) -> Emitter {
        Emitter {
            code: Vec::new(),
            room: usize::MAX,
            full: false,
            stack: Vec::new(),
            locals,
            accumulators: [EMPTY; 3],
            last: None,
            wanted,
            before: None,
            site: None,
        }
    }

    /// Whether a site is wanted, and the code known.
    fn is_seeking(&self) -> bool {
        self.wanted.is_some()
    }

    /// The next instruction begins here.
    pub(super) fn begin(&mut self, point: Point) {
        if self.is_seeking() {
            self.before = Some(Site {
                point,
                operands: self.stack.clone(),
            });
        }
    }

    /// The site that was wanted, if its operation was written.
    pub(super) fn site(self) -> Option<Site> {
        self.site
    }

    /// What accumulators hold now.
    pub(super) fn memory(&self) -> Memory {
        Memory(self.accumulators)
    }

    /// Code that goes elsewhere was written in between: accumulators hold what they held.
    pub(super) fn recall(&mut self, memory: Memory) {
        self.accumulators = memory.0;
        self.last = None;
    }

    /// The slot of the operand at this height.
    pub(super) fn slot_at(&self, height: usize) -> u16 {
        self.locals.wrapping_add(height as u16)
    }

    /// The topmost operand's class.
    pub(super) fn top_class(&self) -> Class {
        self.stack
            .last()
            .map_or(Class::Int, |operand| operand.class)
    }

    /// Pushes an operand that needs no operation.
    pub(super) fn push(&mut self, class: Class, place: Place) {
        self.stack.push(Operand { class, place });
    }

    /// Pushes an operand that was written to its slot.
    pub(super) fn push_slot(&mut self, class: Class) {
        let slot = self.slot_at(self.stack.len());
        self.wrote(slot);
        self.push(class, Place::Slot);
    }

    /// Pushes operands of these types that were written to their slots.
    #[inline(never)]
    pub(super) fn push_slots(&mut self, types: &[ValType]) {
        for ty in types {
            self.push_slot(Class::of(*ty));
        }
    }

    /// Takes the topmost operand off the stack.
    pub(super) fn pop(&mut self) -> Source {
        // Validated code never pops what is not there.
        let Some(operand) = self.stack.pop() else {
            return Source::Const(0);
        };
        let source = self.source(operand, self.stack.len());
        if operand.place == Place::Acc {
            self.accumulators[operand.class as usize].operand = None;
        }
        source
    }

    /// How an operation would take the operand at this height, without popping it.
    pub(super) fn peek(&self, height: usize) -> (Source, Class) {
        match self.stack.get(height) {
            Some(operand) => (self.source(*operand, height), operand.class),
            None => (Source::Const(0), Class::Int),
        }
    }

    fn source(&self, operand: Operand, height: usize) -> Source {
        let acc = &self.accumulators[operand.class as usize];
        let slot = match operand.place {
            Place::Const(cell) => return Source::Const(cell),
            Place::Acc => return Source::Acc(None),
            Place::Slot => self.slot_at(height),
            Place::Local(local) => local,
        };
        if acc.slot == Some(slot) {
            Source::Acc(Some(slot))
        } else {
            Source::Slot(slot)
        }
    }

    /// Keeps a point among `points`, which nobody wants of a function that is compiled again.
    pub(super) fn keep(&mut self, points: &mut Vec<Point>, point: Point) {
        if self.is_seeking() {
            return;
        }
        match points.try_reserve(1) {
            Ok(()) => points.push(point),
            Err(_) => self.full = true,
        }
    }

    /// Makes room for so many words. Without, the function cannot be compiled: it is
    /// [full](Self::full), and whatever is written until the compiler looks is lost.
    pub(super) fn grow(&mut self, words: usize) -> bool {
        let words = self.code.len() + words;
        let more = words.next_multiple_of(GROWTH) - self.code.len();
        let fits = words <= self.room
            && (words <= self.code.capacity() || self.code.try_reserve_exact(more).is_ok());
        self.full |= !fits;
        fits
    }

    /// Writes an operation with these operand words and gives its place.
    pub(super) fn emit(&mut self, code: Code, operands: &[u64]) -> usize {
        let at = self.code.len();
        self.last = None;
        if !self.grow(1 + operands.len()) {
            return at;
        }
        self.code.push(handler_word(code));
        self.code.extend_from_slice(operands);
        if self.wanted == Some(at) {
            // An operation that was taken back may have stood here before; the last one counts.
            self.site = self.before.clone().map(|mut site| {
                site.point.at = at as u32;
                site
            });
        }
        at
    }

    /// Writes an operation, in the form without a slot, whose result is pushed.
    pub(super) fn emit_result(&mut self, code: Code, operands: &[u64], class: Class, what: What) {
        self.save(class);
        let before = self.accumulators[Class::Int as usize];
        let at = self.emit(code, operands);
        self.accumulators[class as usize] = Accumulator {
            producer: (at, code),
            operand: Some(self.stack.len()),
            slot: None,
        };
        self.push(class, Place::Acc);
        self.last = Some(Last { at, what, before });
    }

    /// An operation without a slot gets one, now that it is known where the result goes.
    fn retarget(&mut self, (at, code): (usize, Code), slot: u16) {
        if let Some([handler, operands, ..]) = self.code.get_mut(at..) {
            *handler = handler_word(Code(code.0 + 1));
            *operands = *operands & !0xffff | distance(slot);
        }
        self.wrote(slot);
    }

    /// If this accumulator alone holds an operand, lets it be written to its slot as well.
    fn save(&mut self, class: Class) {
        let acc = self.accumulators[class as usize];
        if let Some(height) = acc.operand {
            let slot = self.slot_at(height);
            self.retarget(acc.producer, slot);
            self.accumulators[class as usize] = Accumulator {
                operand: None,
                slot: Some(slot),
                ..acc
            };
            if let Some(operand) = self.stack.get_mut(height) {
                operand.place = Place::Slot;
            }
        }
    }

    /// A slot was written: accumulators no longer hold the same.
    fn wrote(&mut self, slot: u16) {
        for acc in &mut self.accumulators {
            if acc.slot == Some(slot) {
                acc.slot = None;
            }
        }
    }

    /// Writes a source of this class to a slot.
    pub(super) fn put(&mut self, slot: u16, source: Source, class: Class) {
        match source {
            Source::Slot(from) | Source::Acc(Some(from)) if from == slot => {}
            Source::Const(cell) => {
                self.emit(Code::PutConst, &[pack([slot, 0, 0, 0]), cell]);
                self.wrote(slot);
            }
            Source::Acc(_) => {
                let code = match class {
                    Class::Int => Code::PutInt,
                    Class::F32 => Code::PutF32,
                    Class::F64 => Code::PutF64,
                };
                self.emit(code, &[pack([slot, 0, 0, 0])]);
                self.wrote(slot);
                self.accumulators[class as usize].slot = Some(slot);
            }
            Source::Slot(from) => {
                self.copy(slot, from);
                self.wrote(slot);
            }
        }
    }

    /// Copies a slot, in one operation with the copy before if there is one.
    fn copy(&mut self, to: u16, from: u16) {
        if let Some(Last {
            at,
            what:
                What::Copy {
                    to: to_before,
                    from: from_before,
                },
            ..
        }) = self.last
        {
            self.code.truncate(at);
            self.emit(Code::CopyTwo, &[pack([to_before, from_before, to, from])]);
            return;
        }
        let at = self.emit(Code::Copy, &[pack([to, from, 0, 0])]);
        self.last = Some(Last {
            at,
            what: What::Copy { to, from },
            before: EMPTY,
        });
    }

    /// Brings the operand at this height into its slot.
    pub(super) fn settle(&mut self, height: usize) {
        let Some(&operand) = self.stack.get(height) else {
            return;
        };
        match operand.place {
            Place::Slot => return,
            Place::Acc => return self.save(operand.class),
            Place::Local(_) | Place::Const(_) => {}
        }
        let slot = self.slot_at(height);
        self.put(slot, self.source(operand, height), operand.class);
        if let Some(operand) = self.stack.get_mut(height) {
            operand.place = Place::Slot;
        }
    }

    /// Brings all operands into their slots.
    pub(super) fn settle_all(&mut self) {
        for height in 0..self.stack.len() {
            self.settle(height);
        }
    }

    /// The slot of an operand that was just popped from this height; it is brought into one if it
    /// is in none.
    pub(super) fn in_slot(&mut self, source: Source, class: Class, height: usize) -> u16 {
        match source {
            Source::Slot(slot) | Source::Acc(Some(slot)) => slot,
            Source::Const(_) => {
                let slot = self.slot_at(height);
                self.put(slot, source, class);
                slot
            }
            Source::Acc(None) => {
                let slot = self.slot_at(height);
                let acc = self.accumulators[class as usize];
                self.retarget(acc.producer, slot);
                self.accumulators[class as usize].slot = Some(slot);
                slot
            }
        }
    }

    /// True if so many topmost operands are all in their slots.
    pub(super) fn are_settled(&self, count: usize) -> bool {
        self.stack
            .iter()
            .rev()
            .take(count)
            .all(|operand| operand.place == Place::Slot)
    }

    /// Operands that are the value of this local get slots of their own: it will be overwritten.
    fn detach(&mut self, local: u16) {
        for height in 0..self.stack.len() {
            if self
                .stack
                .get(height)
                .is_some_and(|operand| operand.place == Place::Local(local))
            {
                self.settle(height);
            }
        }
    }

    /// `local.set`.
    pub(super) fn set_local(&mut self, local: u16) {
        let class = self.top_class();
        let acc = self.accumulators[class as usize];
        let source = self.pop();
        self.detach(local);
        let fresh = self.last.is_some_and(|last| last.at == acc.producer.0);
        if source == Source::Acc(None) && fresh {
            // The operation before writes the local itself.
            self.retarget(acc.producer, local);
            self.accumulators[class as usize].slot = Some(local);
            self.last = None;
        } else {
            self.put(local, source, class);
        }
    }

    /// The operation written last, at `at`, gave the vector on top.
    #[cfg(feature = "simd")]
    pub(super) fn gave_vector(&mut self, at: usize) {
        let (what, before) = (What::Vector, EMPTY);
        self.last = Some(Last { at, what, before });
    }

    /// `local.set` of a local of one or two cells.
    #[cfg(feature = "simd")]
    pub(super) fn set_locals(&mut self, cells: core::ops::Range<u16>) {
        if cells.len() == 1 {
            return self.set_local(cells.start);
        }
        let is_fresh = |last: Option<Last>| {
            let last = last.filter(|last| matches!(last.what, What::Vector));
            last.map(|last| last.at)
        };
        // What it gave may lie under the vector on top, or be gone.
        let height = self.stack.len().saturating_sub(2);
        let on_top = self.are_settled(2).then(|| distance(self.slot_at(height)));
        let given = is_fresh(self.last).filter(|at| {
            let operands = self.code.get(at + 1).copied();
            operands.map(|operands| operands & 0xffff) == on_top
        });
        // Nothing is written in between if no operand is the value that the local had.
        cells.clone().for_each(|cell| self.detach(cell));
        match is_fresh(self.last) {
            Some(at) if given == Some(at) => {
                // The operation writes the local itself.
                if let Some(operands) = self.code.get_mut(at + 1) {
                    *operands = *operands & !0xffff | distance(cells.start);
                }
                self.last = None;
                self.pop();
                self.pop();
                cells.for_each(|cell| self.wrote(cell));
            }
            _ => cells.rev().for_each(|cell| self.set_local(cell)),
        }
    }

    /// Takes back the last operation if it is a comparison that gave the topmost operand; pops that
    /// operand.
    pub(super) fn take_back(&mut self) -> Option<Comparison> {
        let Some(What::Compare(comparison)) = self.last_result() else {
            return None;
        };
        let last = self.last.take()?;
        self.stack.pop();
        self.code.truncate(last.at);
        self.accumulators[Class::Int as usize] = last.before;
        Some(comparison)
    }

    /// What the last operation is, if it gave the topmost operand.
    pub(super) fn last_result(&self) -> Option<What> {
        let last = self.last?;
        let acc = self.accumulators[self.top_class() as usize];
        let top = acc
            .operand
            .is_some_and(|height| height + 1 == self.stack.len());
        (top && acc.producer.0 == last.at).then_some(last.what)
    }

    /// Marks the last comparison as meant contrarily; the next instruction must be a branch.
    pub(super) fn negate_last(&mut self) {
        if let Some(Last {
            what: What::Compare(comparison),
            ..
        }) = &mut self.last
        {
            comparison.negated = !comparison.negated;
        }
    }

    /// Code can be entered here: accumulators hold nothing known.
    pub(super) fn barrier(&mut self) {
        self.accumulators = [EMPTY; 3];
        self.last = None;
    }

    /// As [`Emitter::barrier`], but the topmost operand, which is in its slot, is in its accumulator
    /// as well.
    pub(super) fn barrier_with_top(&mut self) {
        self.barrier();
        if let Some(height) = self.stack.len().checked_sub(1) {
            let class = self.top_class();
            self.accumulators[class as usize].slot = Some(self.slot_at(height));
        }
    }
}
