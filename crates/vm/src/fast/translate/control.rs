//! Instructions that decide where to go on: blocks, branches, calls.

use alloc::vec::Vec;

use super::super::cx::{Entry, kind};
use super::super::op::Code;
use super::super::op::control::{CALL_WORDS, TAIL_CALL_WORDS};
use super::compute::words;
use super::emit::{Class, Comparison, Source, pack, pack_high};
use super::{Point, Translator};
use crate::binary::{BlockType, BranchTargets};
#[cfg(feature = "exceptions")]
use crate::binary::{Catches, Instr};
use crate::types::{cells_of, in_cells};
use crate::{FuncType, ValType};

/// Instructions after which ordinals start anew at the next label: few enough that stopping exactly is cheap, and so many
/// that it costs nothing while running.
const SPAN: u32 = 256;

/// A branch whose target was not known when it was written.
#[derive(Clone, Copy, Debug)]
struct Fixup {
    /// Its operation.
    at: usize,
    /// The word of its distance; that of its step delta follows.
    word: usize,
    /// Instructions retired when it is taken, counted like ordinals.
    steps: i64,
}

/// A block that is open.
#[derive(Debug)]
pub(super) struct Label {
    /// Operands beneath those that the block takes.
    height: usize,
    params: Vec<ValType>,
    results: Vec<ValType>,
    /// For a loop: the start of its body, and the ordinal there.
    body: Option<(usize, u32)>,
    /// Branches to the end.
    open: Vec<Fixup>,
    /// The branch of an `if` whose `else` did not come yet.
    otherwise: Option<Fixup>,
    /// True if an exception may lead to the end.
    catches: bool,
    /// True if what was caught lies under its operands.
    caught: bool,
}

impl Label {
    /// The body of a function. Branches to it return, unless its last `end` has a breakpoint: else it has no fixups.
    pub(super) fn function(results: &[ValType]) -> Label {
        Label {
            height: 0,
            params: Vec::new(),
            results: results.to_vec(),
            body: None,
            open: Vec::new(),
            otherwise: None,
            catches: false,
            caught: false,
        }
    }

    /// How many operands a branch takes along.
    fn arity(&self) -> usize {
        if self.body.is_some() {
            self.params.len()
        } else {
            self.results.len()
        }
    }
}

/// What a conditional branch depends on.
enum Condition {
    Compare(Comparison),
    Value(Source),
}

impl Translator<'_> {
    fn open_block(&mut self, ty: BlockType) -> &mut Label {
        let (params, results) = match ty {
            BlockType::Empty => (Vec::new(), Vec::new()),
            BlockType::Value(ty) => (Vec::new(), in_cells(&[ty]).into_owned()),
            BlockType::Func(index) => {
                match self.surroundings.instance.module.types.get(index as usize) {
                    Some(ty) => (
                        in_cells(&ty.params).into_owned(),
                        in_cells(&ty.results).into_owned(),
                    ),
                    None => (Vec::new(), Vec::new()),
                }
            }
        };
        let height = self.emitter.stack.len().saturating_sub(params.len());
        self.labels.push(Label {
            height,
            params,
            results,
            body: None,
            open: Vec::new(),
            otherwise: None,
            catches: false,
            caught: false,
        });
        let last = self.labels.len() - 1;
        &mut self.labels[last]
    }

    pub(super) fn block(&mut self, ty: BlockType) {
        self.emitter.settle_all();
        self.open_block(ty);
    }

    /// A block. The other tier throws and catches; the labels of the clauses are points, so that what comes then is
    /// executed here again.
    #[cfg(feature = "exceptions")]
    pub(super) fn try_table(&mut self, ty: BlockType, catches: Catches<'_>) {
        for clause in catches.clauses() {
            let number = self.labels.len().wrapping_sub(1 + clause.label as usize);
            if let Some(label) = self.labels.get_mut(number) {
                // The start of a loop is a point anyway.
                label.catches = label.body.is_none();
            }
        }
        self.block(ty);
    }

    /// A clause of a `try`. Whoever comes from before it goes on behind the block; the other tier enters it, when something
    /// was thrown.
    #[cfg(feature = "exceptions")]
    pub(super) fn catch(&mut self, instr: &Instr<'_>) {
        if self.dead.take().is_none() {
            self.go_to(0);
        }
        self.restart_ordinals();
        let module = &self.surroundings.instance.module;
        let ty = match instr {
            Instr::Catch(tag) => module.tag_type(*tag),
            _ => None,
        };
        let values = ty.map_or(&[][..], |ty| &ty.params);
        let Some(label) = self.labels.last_mut() else {
            return;
        };
        label.caught = true;
        self.emitter.stack.truncate(label.height);
        self.emitter.push_slots(&[ValType::ExnRef]);
        self.emitter.push_slots(&in_cells(values));
        self.emitter.barrier();
        self.point();
    }

    pub(super) fn loop_(&mut self, ty: BlockType) {
        self.emitter.settle_all();
        if self.next_ordinal >= SPAN {
            self.restart();
        }
        self.emitter.barrier();
        let body = Some((self.emitter.code.len(), self.next_ordinal));
        self.open_block(ty).body = body;
        self.point();
    }

    pub(super) fn if_(&mut self, ty: BlockType) {
        let condition = self.condition();
        self.emitter.settle_all();
        let fixup = self.branch_on(condition, false, i64::from(self.next_ordinal));
        self.open_block(ty).otherwise = Some(fixup);
    }

    pub(super) fn else_(&mut self) {
        let alive = self.dead.take().is_none();
        let Some(mut label) = self.labels.pop() else {
            return;
        };
        if alive {
            self.emitter.settle_all();
            let fixup = self.jump(i64::from(self.next_ordinal));
            label.open.push(fixup);
        }
        // Whoever comes here pays on the way.
        self.restart_ordinals();
        self.emitter.stack.truncate(label.height);
        self.emitter.push_slots(&label.params);
        self.emitter.barrier();
        if let Some(fixup) = label.otherwise.take() {
            self.bind(fixup);
        }
        self.point();
        self.labels.push(label);
    }

    pub(super) fn end(&mut self) {
        let alive = self.dead.is_none();
        let Some(label) = self.labels.pop() else {
            return;
        };
        if self.labels.is_empty() {
            if alive {
                self.return_(self.next_ordinal);
            }
            return;
        }
        if alive && label.caught {
            // The results move to where what was caught lay.
            let count = label.results.len();
            let first = self.emitter.stack.len().saturating_sub(count);
            self.put_operands(first, count, label.height);
        } else if label.open.is_empty() && label.otherwise.is_none() && !label.catches {
            // Nothing branches here: the code goes on, or still cannot be reached.
            return;
        }
        self.join(label);
    }

    /// Whoever branches to the end of a block, or comes there from before, goes on here.
    fn join(&mut self, label: Label) {
        if self.dead.take().is_some() {
            self.restart_ordinals();
        } else {
            if !label.caught {
                self.emitter.settle_all();
            }
            if self.next_ordinal >= SPAN {
                self.restart();
            }
        }
        self.emitter.stack.truncate(label.height);
        self.emitter.push_slots(&label.results);
        self.emitter.barrier();
        for fixup in label.open.into_iter().chain(label.otherwise) {
            self.bind(fixup);
        }
        self.point();
    }

    /// Branches to the function's label end here, before its last `end`, which has a breakpoint.
    pub(super) fn join_returns(&mut self) {
        let label = self.labels.pop();
        if let Some(label) = label.filter(|label| !label.open.is_empty()) {
            self.join(label);
        }
        self.labels.push(Label::function(&self.result_types));
    }

    pub(super) fn br(&mut self, label: u32) {
        self.go_to(label);
        self.dead = Some(0);
    }

    pub(super) fn br_if(&mut self, label: u32) {
        let condition = self.condition();
        let Some((height, arity, returns)) = self.target(label) else {
            return;
        };
        let operands = self.emitter.stack.len();
        let in_place = arity == 0 || operands - arity == height;
        if in_place && !returns {
            for height in operands - arity..operands {
                self.emitter.settle(height);
            }
            let fixup = self.branch_on(condition, true, i64::from(self.next_ordinal));
            self.aim(label, fixup);
        } else {
            // Around the code that moves the operands and goes.
            let around = self.branch_on(condition, false, 0);
            let memory = self.emitter.memory();
            self.go_to(label);
            self.emitter.recall(memory);
            self.bind_at(around, self.emitter.code.len(), 0);
        }
    }

    pub(super) fn br_table(&mut self, targets: BranchTargets<'_>) {
        let index = self.emitter.pop();
        let height = self.emitter.stack.len();
        let index = match index {
            Source::Const(_) => Source::Slot(self.emitter.in_slot(index, Class::Int, height)),
            index => index,
        };
        let code = if matches!(index, Source::Acc(_)) {
            Code::TableAcc
        } else {
            Code::TableSlot
        };
        let at = self
            .emitter
            .emit(code, &[pack_high(0, index.slot(), targets.len())]);
        let first = self.emitter.code.len();
        let words = 2 * (targets.len() as usize + 1);
        if !self.emitter.grow(words) {
            return;
        }
        self.emitter.code.resize(first + words, 0);
        // Code that moves operands, or returns, is written once for each label that needs it.
        let mut stubs: Vec<(u32, usize)> = Vec::new();
        let memory = self.emitter.memory();
        for (number, label) in targets.labels().enumerate() {
            let Some((height, arity, returns)) = self.target(label) else {
                continue;
            };
            let word = first + 2 * number;
            let settled =
                self.emitter.are_settled(arity) && self.emitter.stack.len() - arity == height;
            if !returns && (arity == 0 || settled) {
                self.aim(
                    label,
                    Fixup {
                        at,
                        word,
                        steps: i64::from(self.next_ordinal),
                    },
                );
                continue;
            }
            let known = stubs
                .iter()
                .find(|(stub, _)| *stub == label)
                .map(|(_, start)| *start);
            let start = known.unwrap_or_else(|| {
                let start = self.emitter.code.len();
                stubs.push((label, start));
                self.go_to(label);
                start
            });
            self.bind_at(Fixup { at, word, steps: 0 }, start, 0);
            self.emitter.recall(memory);
        }
        self.dead = Some(0);
    }

    pub(super) fn call(&mut self, func: u32, is_tail: bool) {
        let surroundings = self.surroundings;
        let address = surroundings
            .instance
            .funcs
            .get(func as usize)
            .copied()
            .unwrap_or(0);
        let module = &surroundings.instance.module;
        let Some(ty) = module.func_type(crate::FuncIdx(func)) else {
            return;
        };
        let callee = surroundings.funcs.get(address as usize);
        let local = callee.is_some_and(|callee| {
            callee.instance == surroundings.id && module.body(callee.index).is_some()
        });
        if !local {
            return match is_tail {
                true => self.leave_for_good(),
                false => self.leave(cells_of(&ty.params), &in_cells(&ty.results)),
            };
        }
        self.emitter.settle_all();
        let entry = (size_of::<Entry>() * (address as usize + 1)) as u64;
        if is_tail {
            self.tail_call_with(Code::TailCall, (0, 0), entry, cells_of(&ty.params));
        } else {
            self.call_with(Code::Call, (0, 0), entry, ty);
        }
    }

    pub(super) fn call_indirect(&mut self, ty: u32, table: u32, is_tail: bool) {
        let instance = self.surroundings.instance;
        let height = self.emitter.stack.len().saturating_sub(1);
        let index = match self.emitter.pop() {
            constant @ Source::Const(_) => {
                Source::Slot(self.emitter.in_slot(constant, Class::Int, height))
            }
            index => index,
        };
        let Some(types) = instance.module.types.get(ty as usize) else {
            return;
        };
        self.emitter.settle_all();
        let code = match (matches!(index, Source::Acc(_)), is_tail) {
            (true, false) => Code::CallIndirectAcc,
            (false, false) => Code::CallIndirectSlot,
            (true, true) => Code::TailCallIndirectAcc,
            (false, true) => Code::TailCallIndirectSlot,
        };
        let table = instance.tables.get(table as usize).copied().unwrap_or(0);
        let ty = instance.types.get(ty as usize).copied().unwrap_or(0);
        let callee = kind(self.surroundings.id, ty);
        let operands = (index.slot(), table);
        if is_tail {
            self.tail_call_with(code, operands, callee, cells_of(&types.params));
        } else {
            self.call_with(code, operands, callee, types);
        }
    }

    fn tail_call_with(
        &mut self,
        code: Code,
        (index, table): (u16, u32),
        callee: u64,
        params: usize,
    ) {
        let operands = self.emitter.stack.len().saturating_sub(params);
        let first = self.emitter.slot_at(operands);
        let delta = self.delta(i64::from(self.next_ordinal));
        let words: [u64; TAIL_CALL_WORDS - 1] = [pack_high(index, first, table), callee, delta];
        self.emitter.emit(code, &words);
        self.dead = Some(0);
    }

    fn call_with(&mut self, code: Code, (index, table): (u16, u32), callee: u64, ty: &FuncType) {
        let params = cells_of(&ty.params);
        let operands = self.emitter.stack.len().saturating_sub(params);
        let first = self.emitter.slot_at(operands);
        let delta = self.delta(i64::from(self.next_ordinal));
        let point = u64::from(self.address) << 32 | self.points.len() as u64;
        let words: [u64; CALL_WORDS - 1] = [pack_high(index, first, table), callee, delta, point];
        self.emitter.emit(code, &words);
        self.emitter.stack.truncate(operands);
        self.came_back(&in_cells(&ty.results));
    }

    /// Stops before the instruction, which takes so many operands and gives results of these types:
    /// the other tier executes it.
    pub(super) fn leave(&mut self, params: usize, results: &[ValType]) {
        self.leave_here();
        let operands = self.emitter.stack.len().saturating_sub(params);
        self.emitter.stack.truncate(operands);
        self.came_back(results);
    }

    /// Stops before the instruction, which the other tier executes, and behind which nothing goes on.
    pub(super) fn leave_for_good(&mut self) {
        self.leave_here();
        self.dead = Some(0);
    }

    #[inline(never)]
    pub(super) fn leave_here(&mut self) {
        self.emitter.settle_all();
        let point = Point {
            at: self.emitter.code.len() as u32,
            pc: self.pc,
            branch: self.branch,
            ordinal: self.ordinal,
            height: self.emitter.stack.len() as u32,
        };
        self.emitter.keep(&mut self.leaves, point);
        self.emitter.emit(Code::Leave, &[]);
    }

    /// Another function, or the other tier, left its results in their slots. A single one is in its
    /// accumulator as well.
    fn came_back(&mut self, results: &[ValType]) {
        self.emitter.push_slots(results);
        if results.len() == 1 {
            self.emitter.barrier_with_top();
        } else {
            self.emitter.barrier();
        }
        self.restart_ordinals();
        self.point();
    }

    /// Counts ordinals anew from here, where all operands are in their slots: who goes on pays for the steps so far, so
    /// that it is soon noticed when they are used up.
    fn restart(&mut self) {
        let fixup = self.jump(i64::from(self.next_ordinal));
        self.restart_ordinals();
        self.bind(fixup);
    }

    /// Where a long piece of code has no labels: as [`Translator::restart`], between two instructions that no operation
    /// has both of.
    pub(super) fn interrupt(&mut self) {
        self.emitter.settle_all();
        self.restart();
        self.emitter.barrier();
        self.point();
    }

    pub(super) fn restart_ordinals(&mut self) {
        self.longest = self.longest.max(self.next_ordinal);
        self.next_ordinal = 0;
    }

    /// Returns the topmost operands, `steps` instructions after ordinal 0. Operands stay on the
    /// stack.
    pub(super) fn return_(&mut self, steps: u32) {
        let delta = self.delta(i64::from(steps));
        let results = self.result_types.len();
        let height = self.emitter.stack.len();
        if results == 0 {
            self.emitter.emit(Code::Return, &[delta]);
        } else if results == 1 {
            let (source, class) = self.emitter.peek(height.saturating_sub(1));
            let operands = pack([0, source.slot(), 0, 0]);
            let (slot, acc, constant) = match class {
                Class::Int => (
                    Code::ReturnIntSlot,
                    Code::ReturnIntAcc,
                    Code::ReturnIntConst,
                ),
                Class::F32 => (
                    Code::ReturnF32Slot,
                    Code::ReturnF32Acc,
                    Code::ReturnF32Const,
                ),
                Class::F64 => (
                    Code::ReturnF64Slot,
                    Code::ReturnF64Acc,
                    Code::ReturnF64Const,
                ),
            };
            match source {
                Source::Slot(_) => self.emitter.emit(slot, &[operands, delta]),
                Source::Acc(_) => self.emitter.emit(acc, &[operands, delta]),
                Source::Const(cell) => self.emitter.emit(constant, &[operands, delta, cell]),
            };
        } else {
            // Results may be locals that others overwrite: to their own slots first.
            let first = height.saturating_sub(results);
            self.put_operands(first, results, first);
            let operands = pack([0, self.emitter.slot_at(first), results as u16, 0]);
            self.emitter.emit(Code::Move, &[operands]);
            self.emitter.emit(Code::Return, &[delta]);
        }
    }

    /// Writes `count` operands from height `first` on to the slots from height `to` on, which are
    /// not above. Operands stay on the stack, where they are.
    fn put_operands(&mut self, first: usize, count: usize, to: usize) {
        for number in 0..count {
            let (source, class) = self.emitter.peek(first + number);
            let slot = self.emitter.slot_at(to + number);
            self.emitter.put(slot, source, class);
        }
    }

    /// Branches to a label, or returns. Operands stay on the stack.
    fn go_to(&mut self, label: u32) {
        let Some((height, arity, returns)) = self.target(label) else {
            return;
        };
        if returns {
            // The function's last `end` is retired as well.
            return self.return_(self.next_ordinal + 1);
        }
        let first = self.emitter.stack.len().saturating_sub(arity);
        self.put_operands(first, arity, height);
        let fixup = self.jump(i64::from(self.next_ordinal));
        self.aim(label, fixup);
    }

    /// Height and arity of a label, and whether a branch to it returns: it is the function's, and nobody
    /// stops at the last `end` on the way.
    fn target(&self, label: u32) -> Option<(usize, usize, bool)> {
        let number = self.labels.len().checked_sub(1 + label as usize)?;
        let label = self.labels.get(number)?;
        let returns = number == 0 && !self.stops_at(self.body.end - 1);
        Some((label.height, label.arity(), returns))
    }

    /// Directs a branch to a label.
    fn aim(&mut self, label: u32, fixup: Fixup) {
        let number = self.labels.len().wrapping_sub(1 + label as usize);
        let Some(label) = self.labels.get_mut(number) else {
            return;
        };
        match label.body {
            Some((body, ordinal)) => self.bind_at(fixup, body, ordinal),
            None => label.open.push(fixup),
        }
    }

    /// Directs a branch to the end of the code, before the next instruction.
    fn bind(&mut self, fixup: Fixup) {
        self.bind_at(fixup, self.emitter.code.len(), self.next_ordinal);
    }

    #[inline(never)]
    fn bind_at(&mut self, fixup: Fixup, target: usize, ordinal: u32) {
        let distance = (target as i64 - fixup.at as i64) * 8;
        let delta = self.delta(fixup.steps - i64::from(ordinal));
        if let Some([word, next, ..]) = self.emitter.code.get_mut(fixup.word..) {
            (*word, *next) = (distance as u64, delta);
        }
    }

    /// A step delta as an operand.
    fn delta(&self, steps: i64) -> u64 {
        if self.surroundings.counting {
            steps as u64
        } else {
            0
        }
    }

    fn jump(&mut self, steps: i64) -> Fixup {
        let at = self.emitter.emit(Code::Jump, &[0, 0]);
        Fixup {
            at,
            word: at + 1,
            steps,
        }
    }

    /// Pops a condition.
    fn condition(&mut self) -> Condition {
        match self.emitter.take_back() {
            Some(comparison) => Condition::Compare(comparison),
            None => {
                let height = self.emitter.stack.len().saturating_sub(1);
                Condition::Value(match self.emitter.pop() {
                    constant @ Source::Const(_) => {
                        Source::Slot(self.emitter.in_slot(constant, Class::Int, height))
                    }
                    source => source,
                })
            }
        }
    }

    /// Branches if the condition is as `wanted`.
    fn branch_on(&mut self, condition: Condition, wanted: bool, steps: i64) -> Fixup {
        let at = match condition {
            Condition::Value(source) => self.branch_on_value(source, wanted),
            Condition::Compare(comparison) => self.branch_on_comparison(comparison, wanted),
        };
        Fixup {
            at,
            word: self.emitter.code.len().saturating_sub(2),
            steps,
        }
    }

    fn branch_on_value(&mut self, source: Source, wanted: bool) -> usize {
        let code = match (source, wanted) {
            (Source::Acc(_), true) => Code::BranchIfAcc,
            (Source::Acc(_), false) => Code::BranchIfZeroAcc,
            (_, true) => Code::BranchIfSlot,
            (_, false) => Code::BranchIfZeroSlot,
        };
        self.emitter
            .emit(code, &[pack([0, source.slot(), 0, 0]), 0, 0])
    }

    fn branch_on_comparison(&mut self, comparison: Comparison, wanted: bool) -> usize {
        use super::super::op::Mirrored;
        let Comparison {
            op,
            first,
            second,
            wide,
            negated,
        } = comparison;
        let wanted = wanted != negated;
        if let (Mirrored::I32Eq | Mirrored::I32Ne, Source::Const(0)) = (op, second) {
            return self.branch_on_value(first, wanted == (op == Mirrored::I32Ne));
        }
        // Only what has a branch is a comparison.
        let Some(branch) = op.branch() else {
            return self.branch_on_value(first, wanted);
        };
        let branch = if wanted { branch } else { branch.contrary() };
        let (words, count) = words(first, second, wide);
        let at = self
            .emitter
            .emit(branch.code(first.at(), second.at()), &words[..count]);
        if self.emitter.grow(2) {
            self.emitter.code.extend_from_slice(&[0, 0]);
        }
        at
    }
}
