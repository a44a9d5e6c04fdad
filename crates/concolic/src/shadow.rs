//! The shadow of a machine's state: for every cell, global and byte, the expression that it is.
//!
//! The machine executes; the shadow follows. What an instruction computes is taken from the machine ([`Dag`] nodes are
//! its numeric instructions); what it moves, the machine tells ([`Site`]).

use std::collections::HashMap;

use borges_vm::num::NumericOp as N;
use borges_vm::{CodeOffset, Observer, Site, Trap, ValType};

use crate::code::{Code, Op};
use crate::coverage::Coverage;
use crate::dag::{Dag, Expr, Table};
use crate::decide::Constraint;
use crate::memory::{Byte, Memory};
use crate::set::{Set, greatest};

/// The expression of everything that is known: the machine has its value.
pub(crate) const KNOWN: Expr = Expr(0);

/// For every place of the state, the expression that it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    cells: Vec<Expr>,
    globals: Vec<Expr>,
    pub(crate) memory: Memory,
    /// How often every loop was begun again, if somebody counts.
    pub(crate) rounds: HashMap<CodeOffset, u32>,
}

impl Shadow {
    #[inline]
    pub(crate) fn cell(&self, at: usize) -> Expr {
        self.cells.get(at).copied().unwrap_or(KNOWN)
    }

    #[inline]
    pub(crate) fn set_cell(&mut self, at: usize, expr: Expr) {
        if self.cells.len() <= at {
            if expr == KNOWN {
                return;
            }
            self.cells.resize(at + 1, KNOWN);
        }
        self.cells[at] = expr;
    }

    pub(crate) fn forget_cells(&mut self, from: usize, to: usize) {
        let to = to.min(self.cells.len());
        if let Some(cells) = self.cells.get_mut(from..to) {
            cells.fill(KNOWN);
        }
    }

    /// The cells below `top` that depend on inputs.
    pub(crate) fn cells_in_use(&self, top: usize) -> impl Iterator<Item = (usize, Expr)> + '_ {
        let cells = self.cells.iter().copied().enumerate().take(top);
        cells.filter(|(_, expr)| *expr != KNOWN)
    }

    /// The globals that depend on inputs.
    pub(crate) fn globals(&self) -> impl Iterator<Item = (u32, Expr)> + '_ {
        let globals = (0..).zip(self.globals.iter().copied());
        globals.filter(|(_, expr)| *expr != KNOWN)
    }

    fn global(&self, index: u32) -> Expr {
        self.globals.get(index as usize).copied().unwrap_or(KNOWN)
    }

    fn set_global(&mut self, index: u32, expr: Expr) {
        let at = index as usize;
        if self.globals.len() <= at {
            if expr == KNOWN {
                return;
            }
            self.globals.resize(at + 1, KNOWN);
        }
        self.globals[at] = expr;
    }

    /// Moves cells down, as branches and returns do.
    fn move_cells(&mut self, from: usize, to: usize, count: usize) {
        for at in 0..count {
            let expr = self.cell(from + at);
            self.set_cell(to + at, expr);
        }
    }
}

/// What has to be decided before an instruction that depends on inputs can be executed.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    /// Whether a condition is zero: `if`, `br_if` (and `select`, if asked for).
    Branch(Expr),
    /// Which label: the target of every label, the default last.
    Switch(Expr, Vec<CodeOffset>),
    /// Which function of a table.
    Indirect(Expr, u32),
    /// Whether it traps: one condition for every trap; they exclude each other.
    Traps(Vec<(Trap, Constraint)>),
    /// Whether the address is one from which the access stays inside the memory, and which it can be then.
    Access {
        address: Expr,
        /// The greatest one inside, if there is any.
        last: Option<u64>,
        /// So many addresses can be told apart.
        most: u64,
    },
    /// Which value: the instruction is executed for one at a time.
    Value(Expr),
}

/// What was decided.
#[derive(Clone, Debug)]
pub(crate) enum Decided {
    /// The machine's state is such that the instruction does the right thing.
    Go,
    /// The addresses that an access can have, in order.
    Addresses(Vec<u64>),
}

/// Why the machine was stopped.
#[derive(Clone, Debug)]
pub(crate) enum Stopped {
    Ask(Ask),
    /// At a place where exploration stops.
    Place,
    /// A loop was begun too often.
    Rounds,
}

/// Follows the machine from instruction to instruction.
pub(crate) struct Follower<'f> {
    pub(crate) code: &'f Code,
    pub(crate) dag: &'f mut Dag,
    pub(crate) shadow: &'f mut Shadow,
    pub(crate) coverage: &'f mut Coverage,
    /// The place to stop at that the machine stands at is none this time.
    pub(crate) passes_stop: bool,
    pub(crate) most_rounds: Option<u32>,
    pub(crate) selects_fork: bool,
    /// For the next instruction alone.
    pub(crate) decided: Option<Decided>,
    /// Why it stopped.
    pub(crate) stopped: Option<Stopped>,
}

/// So many addresses of a load are told apart; for more, the exploration looks at one at a time.
const MOST_LOADED: u64 = 1 << 14;
/// The same for stores, each of which makes a condition for every byte.
const MOST_STORED: u64 = 1 << 10;

impl Observer for Follower<'_> {
    #[inline]
    fn before(&mut self, site: &Site<'_>) -> bool {
        let Some(number) = self.code.number(site.offset()) else {
            return false;
        };
        let decoded = *self.code.decoded(number);
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
        let stopped = self.follow(decoded.op, site);
        self.decided = None;
        if let Some(stopped) = stopped {
            self.stopped = Some(stopped);
            return true;
        }
        if matches!(decoded.op, Op::If | Op::BrIf) {
            self.coverage.branch(number, known(site, 1) as u32 != 0);
        }
        false
    }
}

impl Follower<'_> {
    #[inline]
    fn follow(&mut self, op: Op, site: &Site<'_>) -> Option<Stopped> {
        let top = site.top();
        match op {
            Op::Nothing | Op::Pop => {}
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
            Op::CallIndirect(table) => {
                let index = self.shadow.cell(top - 1);
                if index != KNOWN && self.decided.is_none() {
                    return Some(Stopped::Ask(Ask::Indirect(index, table)));
                }
            }
            Op::Select => {
                let condition = self.shadow.cell(top - 1);
                if condition == KNOWN || self.selects_fork {
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
    fn operand(&mut self, site: &Site<'_>, depth: usize, ty: ValType) -> Expr {
        match self.shadow.cell(site.top() - depth) {
            KNOWN => self.dag.constant(ty, known(site, depth)),
            expr => expr,
        }
    }

    /// What a cell is noted to be: an expression that turned out to be a constant is known.
    fn put(&mut self, at: usize, expr: Expr) {
        let expr = match self.dag.as_const(expr) {
            Some(_) => KNOWN,
            None => expr,
        };
        self.shadow.set_cell(at, expr);
    }

    /// Asks for the value of the first of these cells that is not known.
    fn must_be_known(&mut self, cells: &[usize]) -> Option<Stopped> {
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
                return Some(Stopped::Rounds);
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

    fn division_traps(&mut self, op: N, a: Expr, b: Expr) -> Vec<(Trap, Constraint)> {
        let mut traps = Vec::new();
        let divides = matches!(
            op,
            N::I32DivS
                | N::I32DivU
                | N::I32RemS
                | N::I32RemU
                | N::I64DivS
                | N::I64DivU
                | N::I64RemS
                | N::I64RemU
        );
        if divides && self.dag.as_const(b).is_none_or(|b| b == 0) {
            let zero = Constraint::new(b, Set::single(0));
            traps.push((Trap::DivideByZero, zero));
        }
        let overflow = match op {
            N::I32DivS => Some((N::I32Eq, ValType::I32)),
            N::I64DivS => Some((N::I64Eq, ValType::I64)),
            _ => None,
        };
        if let Some((equal, ty)) = overflow {
            let all = greatest(ty);
            let least = self.dag.constant(ty, (all >> 1) + 1);
            let minus_one = self.dag.constant(ty, all);
            let a_least = self.dag.binary(equal, a, least);
            let b_minus_one = self.dag.binary(equal, b, minus_one);
            let overflows = self.dag.binary(N::I32And, a_least, b_minus_one);
            if self.dag.as_const(overflows) != Some(0) {
                let one = Constraint::new(overflows, Set::single(1));
                traps.push((Trap::IntegerOverflow, one));
            }
        }
        traps
    }

    fn conversion_traps(&mut self, op: N, a: Expr) -> Vec<(Trap, Constraint)> {
        let traps = matches!(
            op,
            N::I32TruncF32S
                | N::I32TruncF32U
                | N::I32TruncF64S
                | N::I32TruncF64U
                | N::I64TruncF32S
                | N::I64TruncF32U
                | N::I64TruncF64S
                | N::I64TruncF64U
        );
        if !traps {
            return Vec::new();
        }
        let ty = op.operands()[0];
        let (sign, infinity) = match ty {
            ValType::F32 => (1_u64 << 31, u64::from(f32::INFINITY.to_bits())),
            _ => (1_u64 << 63, f64::INFINITY.to_bits()),
        };
        // The bits of a float count its magnitude: from some magnitude on, it does not fit.
        let fits = |bits: u64| op.apply(&[bits]).is_ok();
        let first_unfit = |sign: u64| {
            let (mut low, mut high) = (0, infinity);
            while low < high {
                let middle = low + (high - low) / 2;
                if fits(sign | middle) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        let unfit = Set::of(vec![
            (first_unfit(0), infinity),
            (sign | first_unfit(sign), sign | infinity),
        ]);
        let nan = Set::of(vec![
            (infinity + 1, sign - 1),
            (sign | (infinity + 1), greatest(ty)),
        ]);
        vec![
            (Trap::InvalidConversion, Constraint::new(a, nan)),
            (Trap::IntegerOverflow, Constraint::new(a, unfit)),
        ]
    }

    /// Asks where an access goes whose address depends on inputs.
    fn access(address: Expr, offset: u32, width: u64, most: u64, site: &Site<'_>) -> Stopped {
        let last = (site.memory().len() as u64).checked_sub(u64::from(offset) + width);
        Stopped::Ask(Ask::Access {
            address,
            last,
            most,
        })
    }

    fn load(&mut self, opcode: u8, offset: u32, site: &Site<'_>) -> Option<Stopped> {
        let width = width_of(opcode);
        let at = site.top() - 1;
        let address = self.shadow.cell(at);
        if address == KNOWN {
            let start = u64::from(known(site, 1) as u32) + u64::from(offset);
            if self.shadow.memory.touches(start, width) {
                let value = self.loaded(opcode, start, site.memory());
                self.put(at, value);
            }
            return None;
        }
        match self.decided.take() {
            None => Some(Self::access(address, offset, width, MOST_LOADED, site)),
            Some(Decided::Addresses(addresses)) => {
                let (Some(&first), Some(&last)) = (addresses.first(), addresses.last()) else {
                    return None;
                };
                let values = (first..=last).map(|address| {
                    // Those in between that the address cannot be are never looked up.
                    let is_one = addresses.binary_search(&address).is_ok();
                    let address = if is_one { address } else { first };
                    self.loaded(opcode, address + u64::from(offset), site.memory())
                });
                let values = values.collect();
                let value = self.dag.lookup(Table { first, values }, address);
                self.put(at, value);
                None
            }
            Some(Decided::Go) => {
                self.shadow.set_cell(at, KNOWN);
                self.load(opcode, offset, site)
            }
        }
    }

    fn store(&mut self, opcode: u8, offset: u32, site: &Site<'_>) -> Option<Stopped> {
        let width = width_of(opcode);
        let top = site.top();
        let (address, value) = (self.shadow.cell(top - 2), self.shadow.cell(top - 1));
        if address == KNOWN {
            let start = u64::from(known(site, 2) as u32) + u64::from(offset);
            if value == KNOWN {
                if self.shadow.memory.touches(start, width) {
                    (start..start + width).for_each(|at| self.shadow.memory.set(at, None));
                }
            } else if start + width <= site.memory().len() as u64 {
                let value = self.stored(opcode, site);
                for number in 0..width as u8 {
                    let byte = Byte { value, number };
                    self.shadow
                        .memory
                        .set(start + u64::from(number), Some(byte));
                }
            }
            return None;
        }
        match self.decided.take() {
            None => Some(Self::access(address, offset, width, MOST_STORED, site)),
            Some(Decided::Addresses(addresses)) => {
                self.store_somewhere(opcode, address, &addresses, offset, site);
                None
            }
            Some(Decided::Go) => {
                self.shadow.set_cell(top - 2, KNOWN);
                self.store(opcode, offset, site)
            }
        }
    }

    /// The value that a store writes, as an integer.
    fn stored(&mut self, opcode: u8, site: &Site<'_>) -> Expr {
        let ty = match opcode {
            0x36 | 0x3a | 0x3b => ValType::I32,
            0x38 => ValType::F32,
            0x39 => ValType::F64,
            _ => ValType::I64,
        };
        let value = self.operand(site, 1, ty);
        match ty {
            ValType::F32 => self.dag.unary(N::I32ReinterpretF32, value),
            ValType::F64 => self.dag.unary(N::I64ReinterpretF64, value),
            _ => value,
        }
    }

    /// A store to one of several addresses: each byte that it may reach becomes a choice.
    fn store_somewhere(
        &mut self,
        opcode: u8,
        address: Expr,
        addresses: &[u64],
        offset: u32,
        site: &Site<'_>,
    ) {
        let width = width_of(opcode);
        let value = self.stored(opcode, site);
        let bytes: Vec<Expr> = (0..width as u8)
            .map(|number| self.byte_of(Byte { value, number }))
            .collect();
        // All old bytes are read before any is written: each new one depends on its own old one only.
        for &start in addresses {
            let start_cell = self.dag.constant(ValType::I32, start);
            let here = self.dag.binary(N::I32Eq, address, start_cell);
            for (number, byte) in (0..).zip(&bytes) {
                let at = start + u64::from(offset) + number;
                let old = self.byte_at(at, site.memory());
                let new = self.dag.choose(here, *byte, old);
                let new = self.dag.as_const(new).is_none().then_some(Byte {
                    value: new,
                    number: 0,
                });
                self.shadow.memory.set(at, new);
            }
        }
    }

    /// A byte as an expression of 0 to 255.
    fn byte_of(&mut self, byte: Byte) -> Expr {
        let by = u64::from(byte.number) * 8;
        let mut value = byte.value;
        if self.dag.ty(value) == ValType::I64 {
            let by = self.dag.constant(ValType::I64, by);
            value = self.dag.binary(N::I64ShrU, value, by);
            value = self.dag.unary(N::I32WrapI64, value);
        } else {
            let by = self.dag.constant(ValType::I32, by);
            value = self.dag.binary(N::I32ShrU, value, by);
        }
        let mask = self.dag.constant(ValType::I32, 0xff);
        self.dag.binary(N::I32And, value, mask)
    }

    /// The byte at an address, as an expression.
    fn byte_at(&mut self, address: u64, memory: &[u8]) -> Expr {
        match self.shadow.memory.byte(address) {
            Some(byte) => self.byte_of(byte),
            None => {
                let byte = memory.get(address as usize).copied().unwrap_or(0);
                self.dag.constant(ValType::I32, byte.into())
            }
        }
    }

    /// What a load at a known address gives.
    fn loaded(&mut self, opcode: u8, address: u64, memory: &[u8]) -> Expr {
        let width = width_of(opcode);
        let raw = self.raw(address, width, memory);
        match opcode {
            0x2a => self.dag.unary(N::F32ReinterpretI32, raw),
            0x2b => self.dag.unary(N::F64ReinterpretI64, raw),
            0x2c => self.dag.unary(N::I32Extend8S, raw),
            0x2e => self.dag.unary(N::I32Extend16S, raw),
            0x30 => {
                let narrow = self.dag.unary(N::I32Extend8S, raw);
                self.dag.unary(N::I64ExtendI32S, narrow)
            }
            0x32 => {
                let narrow = self.dag.unary(N::I32Extend16S, raw);
                self.dag.unary(N::I64ExtendI32S, narrow)
            }
            0x34 => self.dag.unary(N::I64ExtendI32S, raw),
            0x31 | 0x33 | 0x35 => self.dag.unary(N::I64ExtendI32U, raw),
            _ => raw,
        }
    }

    /// Bytes as an unsigned integer: of 32 bits, or of 64 if there are eight.
    fn raw(&mut self, address: u64, width: u64, memory: &[u8]) -> Expr {
        let bytes: Vec<Option<Byte>> = (address..address + width)
            .map(|at| self.shadow.memory.byte(at))
            .collect();
        let wide = width == 8;
        let ty = if wide { ValType::I64 } else { ValType::I32 };
        if bytes.iter().all(Option::is_none) {
            let known = memory.get(address as usize..(address + width) as usize);
            let known = known.unwrap_or_default().iter().rev();
            let cell = known.fold(0, |cell, byte| cell << 8 | u64::from(*byte));
            return self.dag.constant(ty, cell);
        }
        if let Some(whole) = self.contiguous(&bytes, wide) {
            return whole;
        }
        let mut result = self.dag.constant(ty, 0);
        for (number, at) in (0_u64..).zip(address..address + width) {
            let mut byte = self.byte_at(at, memory);
            if wide {
                byte = self.dag.unary(N::I64ExtendI32U, byte);
            }
            let by = self.dag.constant(ty, number * 8);
            let (shl, or) = if wide {
                (N::I64Shl, N::I64Or)
            } else {
                (N::I32Shl, N::I32Or)
            };
            let part = self.dag.binary(shl, byte, by);
            result = self.dag.binary(or, result, part);
        }
        result
    }

    /// Consecutive bytes of one value: that value, or a part of it.
    fn contiguous(&mut self, bytes: &[Option<Byte>], wide: bool) -> Option<Expr> {
        let first = (*bytes.first()?)?;
        for (number, byte) in (first.number..).zip(bytes) {
            if *byte
                != Some(Byte {
                    value: first.value,
                    number,
                })
            {
                return None;
            }
        }
        let of_64 = self.dag.ty(first.value) == ValType::I64;
        if wide {
            return (of_64 && first.number == 0).then_some(first.value);
        }
        let by = u64::from(first.number) * 8;
        let mut value = first.value;
        if of_64 {
            let by = self.dag.constant(ValType::I64, by);
            value = self.dag.binary(N::I64ShrU, value, by);
            value = self.dag.unary(N::I32WrapI64, value);
        } else {
            let by = self.dag.constant(ValType::I32, by);
            value = self.dag.binary(N::I32ShrU, value, by);
        }
        let mask = u64::from(u32::MAX) >> (32 - 8 * bytes.len());
        let mask = self.dag.constant(ValType::I32, mask);
        Some(self.dag.binary(N::I32And, value, mask))
    }

    fn move_bytes(&mut self, op: Op, site: &Site<'_>) -> Option<Stopped> {
        let top = site.top();
        let stopped = self.must_be_known(&[top - 3, top - 2, top - 1]);
        if stopped.is_some() {
            return stopped;
        }
        let operand = |depth| u64::from(known(site, depth) as u32);
        let (to, from, count) = (operand(3), operand(2), operand(1));
        let length = site.memory().len() as u64;
        if to + count > length {
            // It traps.
            return None;
        }
        let moved = match op {
            Op::MemoryCopy => self.shadow.memory.within(from, count),
            _ => Vec::new(),
        };
        for (at, _) in self.shadow.memory.within(to, count) {
            self.shadow.memory.set(at, None);
        }
        for (at, byte) in moved {
            self.shadow.memory.set(at - from + to, Some(byte));
        }
        None
    }

    fn fill(&mut self, site: &Site<'_>) -> Option<Stopped> {
        let top = site.top();
        let stopped = self.must_be_known(&[top - 3, top - 1]);
        if stopped.is_some() {
            return stopped;
        }
        let operand = |depth| u64::from(known(site, depth) as u32);
        let (to, count) = (operand(3), operand(1));
        if to + count > site.memory().len() as u64 {
            return None;
        }
        let value = self.shadow.cell(top - 2);
        if value == KNOWN {
            for (at, _) in self.shadow.memory.within(to, count) {
                self.shadow.memory.set(at, None);
            }
        } else {
            for at in to..to + count {
                self.shadow.memory.set(at, Some(Byte { value, number: 0 }));
            }
        }
        None
    }
}

/// The machine's cell at a depth of 1 (uppermost) or more.
#[inline]
fn known(site: &Site<'_>, depth: usize) -> u64 {
    let cells = site.cells();
    cells
        .len()
        .checked_sub(depth)
        .and_then(|at| cells.get(at))
        .copied()
        .unwrap_or(0)
}

/// How many bytes the memory access with this opcode reads or writes.
fn width_of(opcode: u8) -> u64 {
    match opcode {
        0x29 | 0x2b | 0x37 | 0x39 => 8,
        0x28 | 0x2a | 0x34 | 0x35 | 0x36 | 0x38 | 0x3e => 4,
        0x2e | 0x2f | 0x32 | 0x33 | 0x3b | 0x3d => 2,
        _ => 1,
    }
}
