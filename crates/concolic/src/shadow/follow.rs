//! Following instructions: what they move, what they compute, and what has to be decided first.

use std::collections::BTreeSet;

use borges_vm::num::NumericOp as N;
use borges_vm::{Observer, Site, ValType};

use super::traps::{converts, divides};
use super::{Ask, Follower, KNOWN, Stopped};
use crate::code::{Decoded, Op};
use crate::dag::Expr;
use crate::path::Cut;
use crate::set::{MOST_COMBINATIONS, combinations};
use crate::touch::Own;

impl Observer for Follower<'_> {
    #[inline]
    fn before(&mut self, site: &Site<'_>) -> bool {
        let Some(number) = self.code.number(site.offset()) else {
            return false;
        };
        let decoded = *self.code.decoded(number);
        if self.is_moment && !self.is_quiet(number, decoded, site) {
            self.stopped = Some(Stopped::Moment);
            return true;
        }
        let passes = std::mem::take(&mut self.passes_stop);
        if decoded.is_stop && !passes && self.decided.is_none() {
            self.stopped = Some(Stopped::Place);
            return true;
        }
        self.coverage.execute(number);
        if let Some(params) = decoded.begins {
            self.shadow
                .forget_cells(site.locals() + params as usize, site.top());
        }
        let is_touching = self.is_touching(number, decoded.op, site);
        let touches = self.touches(number, decoded.op, site);
        let stopped = self.follow(decoded.op, site);
        self.decided = None;
        if let Some(stopped) = stopped {
            self.stopped = Some(stopped);
            return true;
        }
        self.mark(touches, site);
        match decoded.op {
            Op::If | Op::BrIf => {
                let holds = known(site, 1) as u32 != 0;
                self.coverage.branch(number, holds);
                self.shadow.note_branch(number, holds.into());
            }
            Op::BrTable(labels) => {
                let label = (known(site, 1) as u32).min(labels - 1);
                let target = site.branch(label as usize).map_or(0, |to| to.target.0);
                self.shadow.note_branch(number, target);
            }
            Op::Select if self.selects_fork => {
                self.shadow
                    .note_branch(number, (known(site, 1) as u32 != 0).into());
            }
            _ if is_touching => self.is_moment = true,
            _ if decoded.begins.is_some() => self.shadow.note_branch(number, u32::MAX),
            _ => {}
        }
        false
    }
}

impl Follower<'_> {
    /// Whether no handler can tell if the next instruction is executed before it or after, whichever they are: those of today
    /// may subscribe others. A moment waits until these are over: by then, less is left of what was read.
    #[inline]
    fn is_quiet(&self, number: usize, decoded: Decoded, site: &Site<'_>) -> bool {
        if self.touching.is_none() {
            return true;
        }
        let computes = match decoded.op {
            Op::PushKnown | Op::Pop | Op::RefIsNull => true,
            Op::LocalGet(_) | Op::LocalSet(_) | Op::LocalTee(_) => true,
            Op::Unary(op) => !converts(op),
            Op::Binary(op) => !divides(op),
            Op::Select => !self.selects_fork && self.shadow.cell(site.top() - 1) == KNOWN,
            _ => false,
        };
        let is_own = matches!(self.code.own(number), Own::Nothing);
        computes && is_own && !decoded.is_stop
    }

    #[inline]
    fn follow(&mut self, op: Op, site: &Site<'_>) -> Option<Stopped> {
        let top = site.top();
        match op {
            Op::Nothing | Op::Pop => {}
            Op::Vectors => return Some(Stopped::Cut(Cut::Vectors)),
            Op::Throw => return Some(Stopped::Cut(Cut::Exceptions)),
            Op::Elsewhere => return Some(Stopped::Cut(Cut::Memories)),
            // What is there is known: nothing that is followed changes it.
            Op::LoadElsewhere if self.shadow.cell(top - 1) == KNOWN => {}
            Op::LoadElsewhere => return Some(Stopped::Cut(Cut::Memories)),
            Op::PushKnown => self.shadow.set_cell(top, KNOWN),
            Op::LocalGet(index) => {
                let expr = self.shadow.cell(site.locals() + index as usize);
                self.shadow.set_cell(top, expr);
            }
            Op::LocalSet(index) | Op::LocalTee(index) => {
                let expr = self.shadow.cell(top - 1);
                self.shadow.set_cell(site.locals() + index as usize, expr);
            }
            Op::Unary(op) => {
                let a = self.shadow.cell(top - 1);
                if a != KNOWN {
                    return self.unary(op, a, top);
                }
            }
            Op::Binary(op) => {
                let (a, b) = (self.shadow.cell(top - 2), self.shadow.cell(top - 1));
                if a != KNOWN || b != KNOWN {
                    return self.binary(op, site);
                }
            }
            Op::GlobalGet(index) => {
                let expr = self.shadow.global(index);
                self.shadow.set_cell(top, expr);
            }
            Op::GlobalSet(index) => {
                let expr = self.shadow.cell(top - 1);
                self.shadow.set_global(index, expr);
            }
            Op::Load { opcode, offset } => return self.load(opcode, offset, site),
            Op::Store { opcode, offset } => return self.store(opcode, offset, site),
            _ => return self.follow_rare(op, site),
        }
        None
    }

    fn follow_rare(&mut self, op: Op, site: &Site<'_>) -> Option<Stopped> {
        let top = site.top();
        match op {
            Op::If => return self.condition(site),
            Op::Br => return self.transfer(site, 0, top),
            Op::BrIf => {
                let stopped = self.condition(site);
                if stopped.is_some() || known(site, 1) as u32 == 0 {
                    return stopped;
                }
                return self.transfer(site, 0, top - 1);
            }
            Op::BrTable(labels) => return self.br_table(labels, site),
            Op::Return => {
                let results = site.results();
                self.shadow
                    .move_cells(top - results, site.locals(), results);
            }
            Op::CallIndirect(table) => return self.indirect(table, site),
            Op::TailCall(table) => return self.tail_call(table, site),
            Op::EndCatch => {
                if let Some(end) = site.catch_end() {
                    self.shadow.move_cells(top - end.count, end.to, end.count);
                }
            }
            Op::Select => {
                let condition = self.shadow.cell(top - 1);
                let forks = self.selects_fork || self.decided.is_some();
                if condition == KNOWN || forks || self.is_wide(condition, site) {
                    let stopped = self.condition(site);
                    if stopped.is_some() {
                        return stopped;
                    }
                    if known(site, 1) as u32 == 0 {
                        let no = self.shadow.cell(top - 2);
                        self.shadow.set_cell(top - 3, no);
                    }
                } else {
                    return self.select(condition, site);
                }
            }
            Op::MemoryGrow => {
                let stopped = self.must_be_known(&[top - 1]);
                if stopped.is_some() {
                    return stopped;
                }
                self.shadow.set_cell(top - 1, KNOWN);
            }
            Op::RefIsNull => self.shadow.set_cell(top - 1, KNOWN),
            Op::MemoryInit | Op::MemoryCopy => return self.move_bytes(op, site),
            Op::MemoryFill => return self.fill(site),
            Op::TableMove => return self.must_be_known(&[top - 3, top - 2, top - 1]),
            Op::TableFill => return self.must_be_known(&[top - 3, top - 1]),
            Op::TableSet => return self.must_be_known(&[top - 2]),
            Op::TableGet => {
                let stopped = self.must_be_known(&[top - 1]);
                if stopped.is_some() {
                    return stopped;
                }
                self.shadow.set_cell(top - 1, KNOWN);
            }
            Op::TableGrow => {
                let stopped = self.must_be_known(&[top - 1]);
                if stopped.is_some() {
                    return stopped;
                }
                self.shadow.set_cell(top - 2, KNOWN);
            }
            _ => {}
        }
        None
    }

    /// The expression of the operand at a depth of 1 (uppermost) or more.
    pub(super) fn operand(&mut self, site: &Site<'_>, depth: usize, ty: ValType) -> Expr {
        match self.shadow.cell(site.top() - depth) {
            KNOWN => self.dag.constant(ty, known(site, depth)),
            expr => expr,
        }
    }

    /// What a cell is noted to be: an expression that turned out to be a constant is known.
    pub(super) fn put(&mut self, at: usize, expr: Expr) {
        let expr = match self.dag.as_const(expr) {
            Some(_) => KNOWN,
            None => expr,
        };
        self.shadow.set_cell(at, expr);
    }

    /// Asks for the value of the first of these cells that is not known.
    pub(super) fn must_be_known(&mut self, cells: &[usize]) -> Option<Stopped> {
        for at in cells {
            let expr = self.shadow.cell(*at);
            if expr != KNOWN {
                if self.decided.take().is_none() {
                    return Some(Stopped::Ask(Ask::Value(expr)));
                }
                // The machine has the value that was decided for.
                self.shadow.set_cell(*at, KNOWN);
            }
        }
        None
    }

    fn condition(&mut self, site: &Site<'_>) -> Option<Stopped> {
        let condition = self.shadow.cell(site.top() - 1);
        if condition == KNOWN || self.decided.is_some() {
            return None;
        }
        Some(Stopped::Ask(Ask::Branch(condition)))
    }

    fn indirect(&self, table: u32, site: &Site<'_>) -> Option<Stopped> {
        let index = self.shadow.cell(site.top() - 1);
        if index == KNOWN || self.decided.is_some() {
            return None;
        }
        Some(Stopped::Ask(Ask::Indirect(index, table)))
    }

    fn tail_call(&mut self, table: Option<u32>, site: &Site<'_>) -> Option<Stopped> {
        let stopped = table.and_then(|table| self.indirect(table, site));
        // Nothing moves if a primitive is called: its arguments are asked for where they are.
        if stopped.is_none()
            && let Some(arguments) = site.tail_call()
        {
            let count = arguments.len();
            self.shadow
                .move_cells(arguments.start, site.locals(), count);
        }
        stopped
    }

    /// Follows a branch that is taken; its operands end at `top`.
    fn transfer(&mut self, site: &Site<'_>, label: usize, top: usize) -> Option<Stopped> {
        let transfer = site.branch(label)?;
        let count = transfer.count;
        self.shadow.move_cells(top - count, transfer.to, count);
        if let Some(most) = self.most_rounds
            && transfer.target <= site.offset()
        {
            let rounds = self.shadow.rounds.entry(transfer.target).or_insert(0);
            *rounds += 1;
            if *rounds >= most {
                return Some(Stopped::Cut(Cut::Rounds));
            }
        }
        None
    }

    fn br_table(&mut self, labels: u32, site: &Site<'_>) -> Option<Stopped> {
        let index = self.shadow.cell(site.top() - 1);
        if index != KNOWN && self.decided.is_none() {
            let targets = (0..labels as usize).map_while(|label| site.branch(label));
            let targets = targets.map(|transfer| transfer.target).collect();
            return Some(Stopped::Ask(Ask::Switch(index, targets)));
        }
        let label = (known(site, 1) as u32).min(labels - 1);
        self.transfer(site, label as usize, site.top() - 1)
    }

    /// Whether what is chosen depends on so many values together that they are not counted out: a state keeps it as it came
    /// about then, and that grows from state to state. Of ways that part here each one knows what it has.
    fn is_wide(&self, condition: Expr, site: &Site<'_>) -> bool {
        let Some(reads) = self.reads else {
            return false;
        };
        let top = site.top();
        let chosen = [self.shadow.cell(top - 3), self.shadow.cell(top - 2)];
        let exprs = chosen.into_iter().filter(|expr| *expr != KNOWN);
        let inputs: BTreeSet<u32> = exprs
            .chain([condition])
            .flat_map(|expr| self.dag.inputs(expr).iter().copied())
            .collect();
        let domains = inputs.iter().filter_map(|at| reads.get(*at as usize));
        combinations(domains.map(|read| &read.domain)) > MOST_COMBINATIONS
    }

    fn select(&mut self, condition: Expr, site: &Site<'_>) -> Option<Stopped> {
        let top = site.top();
        let ty = self.code.select_type(site.offset());
        let (yes, no) = (self.operand(site, 3, ty), self.operand(site, 2, ty));
        let chosen = self.dag.choose(condition, yes, no);
        self.put(top - 3, chosen);
        None
    }

    fn unary(&mut self, op: N, a: Expr, top: usize) -> Option<Stopped> {
        if self.decided.is_none() {
            let traps = self.conversion_traps(op, a);
            if !traps.is_empty() {
                return Some(Stopped::Ask(Ask::Traps(traps)));
            }
        }
        let result = self.dag.unary(op, a);
        self.put(top - 1, result);
        None
    }

    fn binary(&mut self, op: N, site: &Site<'_>) -> Option<Stopped> {
        let (a, b) = (
            self.operand(site, 2, op.operands()[0]),
            self.operand(site, 1, op.operands()[1]),
        );
        if self.decided.is_none() {
            let traps = self.division_traps(op, a, b);
            if !traps.is_empty() {
                return Some(Stopped::Ask(Ask::Traps(traps)));
            }
        }
        let result = self.dag.binary(op, a, b);
        self.put(site.top() - 2, result);
        None
    }
}

/// The machine's cell at a depth of 1 (uppermost) or more.
#[inline]
pub(super) fn known(site: &Site<'_>, depth: usize) -> u64 {
    let cells = site.cells();
    cells
        .len()
        .checked_sub(depth)
        .and_then(|at| cells.get(at))
        .copied()
        .unwrap_or(0)
}
