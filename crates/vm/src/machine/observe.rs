//! Looking on while the stepping tier executes: what a shadow of the state is kept up to date with.

use alloc::vec::Vec;
use core::cell::RefCell;
use core::ops::Range;

use super::link::InstanceId;
use super::run::Exit;
use super::state::Phase;
use super::step::{Hooks, Stop, indirect};
use super::{Func, Instance, Machine};
use crate::CodeOffset;
use crate::binary::{Instr, Reader};
use crate::module::{Body, Branch};
use crate::types::Offset;

/// Looks on while the stepping tier executes.
pub trait Observer {
    /// Called before every instruction; true stops the machine there.
    fn before(&mut self, site: &Site<'_>) -> bool;
}

/// An instruction that is about to be executed, and the cells that it works on.
#[derive(Clone, Copy, Debug)]
pub struct Site<'s> {
    pub(super) instance: u32,
    pub(super) offset: usize,
    pub(super) locals: usize,
    pub(super) top: usize,
    pub(super) cells: &'s [u64],
    pub(super) memory: &'s [u8],
    pub(super) body: &'s Body,
    pub(super) branches: &'s [Branch],
    pub(super) tables: &'s [Vec<u64>],
    pub(super) linked: Linked<'s>,
}

/// What instantiation fixed, as far as sites tell of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linked<'s> {
    pub(super) instances: &'s [Instance],
    pub(super) funcs: &'s [Func],
}

/// Where a branch moves the operands that its label takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The next instruction.
    pub target: CodeOffset,
    /// The cell of the first operand.
    pub to: usize,
    /// How many operands move: those that are uppermost then.
    pub count: usize,
}

impl<'s> Site<'s> {
    /// The instance whose code it is.
    pub fn instance(&self) -> InstanceId {
        InstanceId(self.instance)
    }

    /// The instruction's opcode.
    pub fn offset(&self) -> CodeOffset {
        CodeOffset(self.offset as u32)
    }

    /// The cell of the first local.
    pub fn locals(&self) -> usize {
        self.locals
    }

    /// Past the uppermost operand's cell.
    pub fn top(&self) -> usize {
        self.top
    }

    /// The cells in use, locals and operands of all frames.
    pub fn cells(&self) -> &'s [u64] {
        self.cells.get(..self.top).unwrap_or_default()
    }

    /// The bytes of the instance's memory.
    pub fn memory(&self) -> &'s [u8] {
        self.memory
    }

    /// How many results the function has.
    pub fn results(&self) -> usize {
        self.body.results.into()
    }

    /// What the branch to a label of this instruction does (`br_table` has several, the default is
    /// the last); for `if`, what happens without its condition. The condition is still on the stack.
    pub fn branch(&self, label: usize) -> Option<Transfer> {
        Some(self.transfer(self.branches.get(label)?))
    }

    /// What this instruction, an `end`, does if a `catch` ends there: its results move to where what it caught lay.
    #[cfg(feature = "exceptions")]
    pub fn catch_end(&self) -> Option<Transfer> {
        let instance = self.linked.instances.get(self.instance as usize)?;
        let entry = instance.module.catch_end(self.offset as u32)?;
        Some(self.transfer(&entry))
    }

    fn transfer(&self, entry: &Branch) -> Transfer {
        Transfer {
            target: CodeOffset(entry.target),
            to: self.locals + usize::from(self.body.locals) + usize::from(entry.height),
            count: entry.keep.into(),
        }
    }
}

impl Site<'_> {
    /// The cells of the arguments of this instruction, a tail call, that become the first locals of the function which is
    /// entered; nothing if none is, as when the embedder is called.
    pub fn tail_call(&self) -> Option<Range<usize>> {
        let instance = self.linked.instances.get(self.instance as usize)?;
        let bytes = instance.module.bytes();
        let mut reader = Reader::new(bytes, self.offset, bytes.len());
        let (address, end) = match Instr::read(&mut reader).ok()? {
            Instr::ReturnCall(func) => (*instance.funcs.get(func as usize)?, self.top),
            Instr::ReturnCallIndirect { ty, table } => {
                let end = self.top.checked_sub(1)?;
                let index = *self.cells.get(end)? as Offset;
                let wanted = (ty, table, index);
                let found = indirect(self.tables, self.linked.funcs, instance, wanted);
                (found.ok()?, end)
            }
            _ => return None,
        };
        let func = self.linked.funcs.get(address as usize)?;
        let callee = self.linked.instances.get(func.instance as usize)?;
        let params = callee.module.body(func.index)?.params;
        Some(end.checked_sub(params.into())?..end)
    }
}

/// Makes hooks of an observer. The stepping loop only lends its hooks.
struct Observed<'o, O>(RefCell<&'o mut O>);

impl<O: Observer> Hooks for Observed<'_, O> {
    const OBSERVES: bool = true;

    fn is_active(&self) -> bool {
        false
    }

    fn stops(&self, _: u32, _: usize, _: u8) -> bool {
        false
    }

    #[inline(always)]
    fn observe(&self, site: &Site<'_>) -> bool {
        // Nothing that the observer is lent leads back here.
        self.0
            .try_borrow_mut()
            .is_ok_and(|mut observer| observer.before(site))
    }
}

impl Machine {
    /// Like [`Machine::run`], with an observer that sees every instruction and may stop before it:
    /// the exit is [`Exit::Budget`] then. Breakpoints and watches are not heeded.
    pub fn run_observed(&mut self, until: u64, observer: &mut impl Observer) -> Exit {
        let hooks = Observed(RefCell::new(observer));
        loop {
            match self.state.thread.phase {
                Phase::Idle | Phase::Finished | Phase::Exited(_) => return Exit::Finished,
                Phase::Trapped(trap) => return Exit::Trapped(trap),
                Phase::Start | Phase::Entry => {}
            }
            let budget = until.saturating_sub(self.state.thread.steps);
            if budget == 0 {
                return Exit::Budget;
            }
            if self.state.thread.frames.is_empty() {
                return Exit::HostCall;
            }
            match self.step(budget, &hooks, false) {
                Stop::Budget | Stop::Hook | Stop::Unwinds => return Exit::Budget,
                Stop::HostCall => return Exit::HostCall,
                Stop::Trap(trap) => self.abort(trap),
                Stop::Returned => self.returned(),
            }
        }
    }

    /// The cells in use: locals and operands of all frames, the outermost first. Narrow values are
    /// zero-extended, a reference is its index plus one, null is 0.
    pub fn cells(&self) -> &[u64] {
        self.state.thread.cells()
    }

    /// Puts another value of the same type into a cell in use; false if there is no such cell.
    ///
    /// This is for exploring what a program would do had it read something else: a state that no
    /// run reaches is the caller's doing.
    pub fn set_cell(&mut self, cell: usize, bits: u64) -> bool {
        let used = self.state.thread.stack.get_mut(..self.state.thread.sp);
        match used.and_then(|cells| cells.get_mut(cell)) {
            Some(slot) => {
                *slot = bits;
                true
            }
            None => false,
        }
    }

    /// Puts another value of the same type into a global of the first instance, as its cell; false
    /// if there is no such global. See [`Machine::set_cell`].
    pub fn set_global_cell(&mut self, global: u32, bits: u64) -> bool {
        let first = self.instances.first();
        let address = first.and_then(|first| first.globals.get(global as usize));
        let slot = address.and_then(|&at| self.state.store.globals.get_mut(at as usize));
        slot.map(|slot| *slot = bits).is_some()
    }
}
