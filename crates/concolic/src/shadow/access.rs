//! Memory: loads and stores, at addresses that may depend on inputs.

use borges_vm::num::NumericOp as N;
use borges_vm::{Site, ValType};

use super::Bytes;
use super::follow::known;
use super::{Ask, Decided, Follower, KNOWN, Stopped};
use crate::code::Op;
use crate::dag::{Expr, LookupTable};
use crate::memory::Byte;

/// So many addresses of a load are told apart; for more, the exploration looks at one at a time.
const MOST_LOADED: u64 = 1 << 14;
/// The same for stores, each of which makes a condition for every byte.
const MOST_STORED: u64 = 1 << 10;

impl Follower<'_> {
    /// Asks where an access goes whose address depends on inputs.
    fn access(address: Expr, offset: u32, width: u64, most: u64, site: &Site<'_>) -> Stopped {
        let last = (site.memory().len() as u64).checked_sub(u64::from(offset) + width);
        Stopped::Ask(Ask::Access {
            address,
            last,
            most,
        })
    }

    pub(super) fn load(&mut self, opcode: u8, offset: u32, site: &Site<'_>) -> Option<Stopped> {
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
                let value = self.dag.lookup(LookupTable { first, values }, address);
                self.put(at, value);
                None
            }
            Some(Decided::Go) => {
                self.shadow.set_cell(at, KNOWN);
                self.load(opcode, offset, site)
            }
        }
    }

    pub(super) fn store(&mut self, opcode: u8, offset: u32, site: &Site<'_>) -> Option<Stopped> {
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
            .map(|number| self.bytes().of(Byte { value, number }))
            .collect();
        // All old bytes are read before any is written: each new one depends on its own old one only.
        for &start in addresses {
            let start_cell = self.dag.constant(ValType::I32, start);
            let here = self.dag.binary(N::I32Eq, address, start_cell);
            for (number, byte) in (0..).zip(&bytes) {
                let at = start + u64::from(offset) + number;
                let old = self.bytes().byte_at(at, site.memory());
                let new = self.dag.choose(here, *byte, old);
                let new = self.dag.as_const(new).is_none().then_some(Byte {
                    value: new,
                    number: 0,
                });
                self.shadow.memory.set(at, new);
            }
        }
    }

    fn bytes(&mut self) -> Bytes<'_> {
        Bytes {
            dag: self.dag,
            memory: &self.shadow.memory,
        }
    }

    /// What a load at a known address gives.
    fn loaded(&mut self, opcode: u8, address: u64, memory: &[u8]) -> Expr {
        let width = width_of(opcode);
        let raw = self.bytes().raw(address, width, memory);
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

    pub(super) fn move_bytes(&mut self, op: Op, site: &Site<'_>) -> Option<Stopped> {
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

    pub(super) fn fill(&mut self, site: &Site<'_>) -> Option<Stopped> {
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

/// How many bytes the memory access with this opcode reads or writes.
pub(super) fn width_of(opcode: u8) -> u64 {
    match opcode {
        0x29 | 0x2b | 0x37 | 0x39 => 8,
        0x28 | 0x2a | 0x34 | 0x35 | 0x36 | 0x38 | 0x3e => 4,
        0x2e | 0x2f | 0x32 | 0x33 | 0x3b | 0x3d => 2,
        _ => 1,
    }
}
