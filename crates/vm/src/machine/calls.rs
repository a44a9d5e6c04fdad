//! Calls: those that wait for the embedder's answer, and tail calls.

use alloc::vec::Vec;
use core::ops::Range;
use thiserror::Error;

use super::link::InstanceId;
use super::state::Phase;
use super::step::{Stop, frame_for, indirect};
use super::{Func, Machine};
use crate::binary::{Instr, Reader};
use crate::types::Offset;
use crate::types::cells_of;
use crate::{FuncIdx, FuncType, Trap, ValType, Value};

/// A call that the embedder must answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCall<'m> {
    /// The instance whose import is called.
    pub instance: InstanceId,
    /// The imported function.
    pub func: FuncIdx,
    /// Its type.
    pub ty: &'m FuncType,
    /// The arguments.
    pub args: Vec<Value>,
    /// Which of [`Machine::cells`] they are.
    pub cells: Range<usize>,
    /// Which of [`Machine::cells`] the first result will be: that of the first argument, or of the frame that a tail call
    /// leaves.
    pub result: usize,
}

/// Why an answer is refused; the call still waits for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AnswerError {
    /// No call waits.
    #[error("no call of the embedder waits for an answer")]
    NoCall,
    /// The results are not those of the function's type.
    #[error("the results do not have the function's types")]
    Results,
    /// A write reaches beyond the end of memory.
    #[error("{length} bytes at address {address} reach beyond the end of memory")]
    Outside {
        /// Where it begins.
        address: u32,
        /// How long it is, in bytes.
        length: usize,
    },
}

/// Bytes that an answer puts into the first instance's memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// Where they begin.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What the next instruction calls.
struct Call {
    address: u32,
    /// Past the arguments in the stack.
    arguments_end: usize,
    after: After,
}

/// What comes after a call.
enum After {
    /// The instruction at this offset.
    Instr(u32),
    /// The function that the calling one would return to: it was a tail call.
    Caller,
    /// Nothing: the function was begun directly.
    End,
}

impl Call {
    /// Which cells of the stack so many arguments are.
    fn arguments(&self, count: usize) -> Option<core::ops::Range<usize>> {
        Some(self.arguments_end.checked_sub(count)?..self.arguments_end)
    }
}

impl Machine {
    /// The call of the embedder that the next instruction is, if it is one; after
    /// [`Trap::Host`], the call that was refused, so that it can be told why.
    pub fn pending(&self) -> Option<HostCall<'_>> {
        let mut args = Vec::new();
        let (pending, func) = self.pending_in(&mut args)?;
        let ty = self.types.get(func.ty as usize)?;
        let params = cells_of(&ty.params);
        Some(HostCall {
            instance: InstanceId(func.instance),
            func: FuncIdx(func.index),
            ty,
            args,
            cells: pending.arguments(params)?,
            result: self.results_of(&pending, params)?,
        })
    }

    /// The imported function of [`Machine::pending`], whose arguments replace those in `args`: who answers one call after
    /// the other allocates memory for the longest only.
    pub fn pending_func(&self, args: &mut Vec<Value>) -> Option<FuncIdx> {
        let (_, func) = self.pending_in(args)?;
        Some(FuncIdx(func.index))
    }

    fn results_of(&self, pending: &Call, params: usize) -> Option<usize> {
        match (&pending.after, self.state.thread.frames.last()) {
            (After::Caller, Some(frame)) => Some(frame.fp as usize),
            _ => pending.arguments_end.checked_sub(params),
        }
    }

    fn pending_in(&self, args: &mut Vec<Value>) -> Option<(Call, &Func)> {
        args.clear();
        let pending = self.find_pending()?;
        let func = self.funcs.get(pending.address as usize)?;
        let ty = self.types.get(func.ty as usize)?;
        let cells = self
            .state
            .thread
            .stack
            .get(pending.arguments(cells_of(&ty.params))?)?;
        args.extend(Value::all_from_cells(&ty.params, cells));
        Some((pending, func))
    }

    /// Gives the waiting call its results: the call is retired and counts as a step.
    ///
    /// # Errors
    /// [`AnswerError`]; the call still waits then.
    pub fn answer(&mut self, results: &[Value]) -> Result<(), AnswerError> {
        if !self.is_running() {
            return Err(AnswerError::NoCall);
        }
        let pending = self.find_pending().ok_or(AnswerError::NoCall)?;
        let ty = self.func_ty(pending.address).ok_or(AnswerError::NoCall)?;
        if !fit(&ty.results, results) || !results.iter().all(|v| self.refers_to_something(*v)) {
            return Err(AnswerError::Results);
        }
        let start = self.results_of(&pending, cells_of(&ty.params));
        let start = start.ok_or(AnswerError::NoCall)?;
        let room = self.state.thread.stack.get_mut(start..);
        let count = Value::write_all(results, room.ok_or(AnswerError::Results)?);
        self.state.thread.sp = start + count.ok_or(AnswerError::Results)?;
        // A loaded state may claim any number of steps.
        self.state.thread.steps = self.state.thread.steps.saturating_add(1);
        match (pending.after, self.state.thread.frames.last_mut()) {
            (After::Instr(after), Some(frame)) => frame.pc = after,
            (After::Caller, _) => {
                if self.pop_frame() {
                    self.returned();
                }
            }
            _ => self.returned(),
        }
        Ok(())
    }

    /// Like [`Machine::answer`], for a call that also writes to the first instance's memory: one step. Of writes that
    /// overlap, the later one counts.
    ///
    /// # Errors
    /// [`AnswerError`]; the call still waits then, and nothing is written.
    pub fn answer_with(&mut self, results: &[Value], writes: &[Write]) -> Result<(), AnswerError> {
        let size = self.memory().len();
        let outside = |write: &&Write| {
            let end = (write.address as usize).checked_add(write.bytes.len());
            end.is_none_or(|end| end > size)
        };
        if let Some(write) = writes.iter().find(outside) {
            return Err(AnswerError::Outside {
                address: write.address,
                length: write.bytes.len(),
            });
        }
        self.answer(results)?;
        let memories = &mut self.state.store.memories;
        let memory =
            (self.instances.first()).and_then(|first| memories.get_mut(first.memory as usize));
        let Some(memory) = memory else {
            return Ok(());
        };
        for Write { address, bytes } in writes {
            let room = *address as usize..*address as usize + bytes.len();
            if let Some(room) = memory.bytes.range_mut(room) {
                room.copy_from_slice(bytes);
            }
        }
        Ok(())
    }

    /// Numbers refer to nothing, references to functions must name one that exists. No exception comes from the
    /// embedder.
    pub(super) fn refers_to_something(&self, value: Value) -> bool {
        match value {
            Value::FuncRef(Some(address)) => (address as usize) < self.funcs.len(),
            Value::ExnRef(reference) => reference.is_none(),
            _ => true,
        }
    }

    fn find_pending(&self) -> Option<Call> {
        let sp = self.state.thread.sp;
        let base = |address| Call {
            address,
            arguments_end: sp,
            after: After::End,
        };
        if self.state.thread.frames.is_empty() {
            return match self.state.thread.phase {
                Phase::Start => Some(base(self.state.thread.start)),
                Phase::Entry => Some(base(self.state.thread.entry)),
                _ => None,
            };
        }
        let in_call = matches!(
            self.state.thread.phase,
            Phase::Trapped(Trap::Host) | Phase::Exited(_)
        );
        if !self.is_running() && !in_call {
            return None;
        }
        let call = self.next_call()?.ok()?;
        self.code_of(call.address).is_none().then_some(call)
    }

    /// What the next instruction calls, if it is a call; the trap if it calls nothing.
    fn next_call(&self) -> Option<Result<Call, Trap>> {
        let frame = self.state.thread.frames.last()?;
        let (instance, _) = self.code_of(frame.func)?;
        let bytes = instance.module.bytes();
        let mut reader = Reader::new(bytes, frame.pc as usize, bytes.len());
        let instr = Instr::read(&mut reader).ok()?;
        let after = match instr {
            Instr::ReturnCall(_) | Instr::ReturnCallIndirect { .. } => After::Caller,
            _ => After::Instr(reader.at() as u32),
        };
        let mut arguments_end = self.state.thread.sp;
        let address = match instr {
            Instr::Call(func) | Instr::ReturnCall(func) => *instance.funcs.get(func as usize)?,
            Instr::CallIndirect { ty, table } | Instr::ReturnCallIndirect { ty, table } => {
                arguments_end = arguments_end.checked_sub(1)?;
                let index = *self.state.thread.stack.get(arguments_end)? as Offset;
                let tables = &self.state.store.tables;
                match indirect(tables, &self.funcs, instance, (ty, table, index)) {
                    Ok(address) => address,
                    Err(trap) => return Some(Err(trap)),
                }
            }
            _ => return None,
        };
        Some(Ok(Call {
            address,
            arguments_end,
            after,
        }))
    }

    /// True if the next instruction is a tail call.
    #[cfg(feature = "exceptions")]
    pub(super) fn is_tail_call(&self) -> bool {
        matches!(
            self.next_instr(),
            Some(Instr::ReturnCall(_) | Instr::ReturnCallIndirect { .. })
        )
    }

    /// Executes the next instruction, a tail call: the top frame gives way to that of the called function.
    // Not in the loop of the stepping tier, which takes a large part of a device's flash as it is.
    pub(super) fn tail_call(&mut self) -> Result<(), Stop> {
        let call = self.next_call().ok_or(Stop::HostCall)?;
        let call = call.map_err(Stop::Trap)?;
        let (_, &body) = self.code_of(call.address).ok_or(Stop::HostCall)?;
        let frame = self.state.thread.frames.last().ok_or(Stop::Returned)?;
        let start = frame.fp as usize;
        let end = start + usize::from(body.params);
        let depth = self.state.thread.frames.len() - 1;
        let frame = frame_for(&body, call.address, end, depth, &self.limits).map_err(Stop::Trap)?;
        let arguments = call.arguments_end - usize::from(body.params)..call.arguments_end;
        self.state.thread.stack.copy_within(arguments, start);
        self.state.thread.frames.pop();
        self.push_frame(frame, &body, end);
        self.state.thread.steps += 1;
        Ok(())
    }
}

/// Whether values have these types.
pub(super) fn fit(types: &[ValType], values: &[Value]) -> bool {
    types.len() == values.len()
        && types
            .iter()
            .zip(values)
            .all(|(ty, value)| *ty == value.ty())
}
