//! Beginning, running, answering calls of the embedder, interrupting.

use alloc::vec::Vec;
use thiserror::Error;

use super::calls::fit;
use super::debug::NOTHING;
use super::link::InstanceId;
use super::state::{NONE, Phase};
use super::step::{Hooks, Stop, frame_for};
use super::{Instance, Machine};
use crate::binary::Instr;
use crate::types::cells_of;
use crate::{CodeOffset, FuncIdx, Trap, Value};

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The entry returned these results.
    Finished(Vec<Value>),
    /// It ended itself in a call of the embedder ([`Machine::exit`]), with this code.
    Exited(u32),
    /// It was aborted.
    Trapped(Trap),
}

/// How far to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until {
    /// Stop at exactly this step count at the latest.
    pub exactly: u64,
    /// Stop before, wherever it costs nothing to, once this step count is reached. An exact stop has
    /// the last instructions, some hundred, executed one by one: who only wants to look around now and
    /// then can spare that.
    pub about: u64,
}

impl From<u64> for Until {
    /// Exactly.
    fn from(steps: u64) -> Until {
        Until {
            exactly: steps,
            about: steps,
        }
    }
}

impl Until {
    /// Steps from `steps` on: to the exact stop, and to the other, which is never behind it.
    pub(crate) fn left(self, steps: u64) -> (u64, u64) {
        let exactly = self.exactly.saturating_sub(steps);
        (exactly, self.about.saturating_sub(steps).min(exactly))
    }
}

/// Why [`Machine::run`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The entry returned, or the program ended itself, or nothing was begun.
    Finished,
    /// The program was aborted.
    Trapped(Trap),
    /// A step count asked for is reached.
    Budget,
    /// The next instruction is a call that the embedder must answer.
    HostCall,
    /// A breakpoint stands at the next instruction.
    Breakpoint(CodeOffset),
    /// The last instruction wrote something watched.
    Watch {
        /// The watch, by its place in the list that was set.
        watch: usize,
        /// The instruction that wrote it.
        offset: CodeOffset,
    },
}

/// Why a function cannot be begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BeginError {
    /// Another entry runs: let it end, or load another state.
    #[error("a program is running already")]
    Busy,
    /// There is no such instance or function.
    #[error("no function {} in instance {}", .func.0, .instance.0)]
    UnknownFunc {
        /// The instance asked for.
        instance: InstanceId,
        /// The function asked for.
        func: FuncIdx,
    },
    /// The arguments are not those of the function's type.
    #[error("the arguments do not have the function's types")]
    Arguments,
    /// The stack cannot even hold the arguments or results.
    #[error("the stack is too small for the function's arguments or results")]
    Stack,
}

/// Why a handler cannot be entered; nothing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InterruptError {
    /// No program runs.
    #[error("no program is running")]
    NotRunning,
    /// A handler runs, and handlers do not nest.
    #[error("a handler is running already")]
    Nested,
    /// The table has no function there, or one of the embedder.
    #[error("the table has no function of the program at this index")]
    NoFunction,
    /// The arguments are not those of the function's type.
    #[error("the arguments do not have the handler's types")]
    Arguments,
    /// The stack has no room for the handler.
    #[error("the stack has no room for the handler")]
    Stack,
}

/// The next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The instance whose code it is.
    pub instance: InstanceId,
    /// The function.
    pub func: FuncIdx,
    /// The instruction's opcode.
    pub offset: CodeOffset,
}

impl Machine {
    /// Begins a function of the first instance; if that has a start function that did not run yet,
    /// it runs first. Nothing is executed before [`Machine::run`].
    ///
    /// # Errors
    /// [`BeginError`]; nothing changed then.
    pub fn begin(&mut self, func: FuncIdx, args: &[Value]) -> Result<(), BeginError> {
        self.begin_in(InstanceId(0), func, args)
    }

    /// Like [`Machine::begin`], in any instance.
    ///
    /// # Errors
    /// [`BeginError`]; nothing changed then.
    pub fn begin_in(
        &mut self,
        instance: InstanceId,
        func: FuncIdx,
        args: &[Value],
    ) -> Result<(), BeginError> {
        if self.is_running() {
            return Err(BeginError::Busy);
        }
        let unknown = BeginError::UnknownFunc { instance, func };
        let found = self.instances.get(instance.0 as usize).ok_or(unknown)?;
        let address = *found.funcs.get(func.0 as usize).ok_or(unknown)?;
        let ty = self.func_ty(address).ok_or(unknown)?;
        if !fit(&ty.params, args) || !args.iter().all(|arg| self.refers_to_something(*arg)) {
            return Err(BeginError::Arguments);
        }
        if cells_of(&ty.params).max(cells_of(&ty.results)) > self.state.thread.stack.len() {
            return Err(BeginError::Stack);
        }
        self.reset();
        let count = Value::write_all(args, &mut self.state.thread.stack);
        self.state.thread.sp = count.ok_or(BeginError::Stack)?;
        self.state.thread.entry = address;
        if !self.begin_start(instance) {
            self.enter_entry();
        }
        Ok(())
    }

    /// Begins only the start function of an instance.
    ///
    /// Gives false if it has none or it ran before; nothing changed then.
    ///
    /// # Errors
    /// [`BeginError::Busy`] if a program runs.
    pub fn start(&mut self, instance: InstanceId) -> Result<bool, BeginError> {
        if self.is_running() {
            return Err(BeginError::Busy);
        }
        let progress = self.state.store.progress.get(instance.0 as usize);
        if progress.is_none_or(|progress| progress.started) {
            return Ok(false);
        }
        self.reset();
        Ok(self.begin_start(instance))
    }

    /// Runs until the step count is `until`, or something else happens before. An instruction is
    /// executed wholly or not at all, and the machine stops at exactly as many steps; with an
    /// [`Until`], earlier if that is good enough.
    pub fn run(&mut self, until: impl Into<Until>) -> Exit {
        let until = until.into();
        loop {
            match self.state.thread.phase {
                Phase::Idle | Phase::Finished | Phase::Exited(_) => return Exit::Finished,
                Phase::Trapped(trap) => return Exit::Trapped(trap),
                Phase::Start | Phase::Entry => {}
            }
            if until.left(self.state.thread.steps).1 == 0 {
                // Runs in slices must not miss a breakpoint where one ends.
                return self.report_breakpoint().unwrap_or(Exit::Budget);
            }
            if self.state.thread.frames.is_empty() {
                return Exit::HostCall;
            }
            let stop = if self.is_debugged() {
                match self.step_debugged(until) {
                    Ok(stop) => stop,
                    Err(exit) => return exit,
                }
            } else {
                self.advance(until, &NOTHING, false)
            };
            match stop {
                Stop::Budget => return Exit::Budget,
                Stop::HostCall => return Exit::HostCall,
                Stop::Trap(trap) => self.abort(trap),
                Stop::Returned => self.returned(),
                // Never asked for.
                Stop::Hook | Stop::Unwinds => return Exit::Budget,
            }
        }
    }

    /// Executes instructions by whichever tier is best.
    pub(super) fn advance<H: Hooks>(&mut self, until: Until, hooks: &H, pass_first: bool) -> Stop {
        #[cfg(borges_fast)]
        if self.fast.is_on() {
            return self.step_fast(until, hooks, pass_first);
        }
        let (_, about) = until.left(self.state.thread.steps);
        self.step(about, hooks, pass_first)
    }

    /// Ends the running program in the call that waits, with a code: the call never returns, and counts as a step.
    /// Without effect if none runs.
    pub fn exit(&mut self, code: u32) {
        if self.is_running() {
            self.state.thread.steps = self.state.thread.steps.saturating_add(1);
            self.state.thread.phase = Phase::Exited(code);
            self.settle();
        }
    }

    /// Aborts the running program, as if its next instruction trapped. Without effect if none
    /// runs.
    pub fn trap(&mut self, trap: Trap) {
        if self.is_running() {
            self.abort(trap);
        }
    }

    /// Enters a function of the first instance's table `0` as a handler, before the next
    /// instruction. When it returns, its results are dropped and the program goes on where it was.
    ///
    /// # Errors
    /// [`InterruptError`]; nothing changed then.
    pub fn interrupt(&mut self, table_index: u32, args: &[Value]) -> Result<(), InterruptError> {
        if !self.is_running() || self.state.thread.frames.is_empty() {
            return Err(InterruptError::NotRunning);
        }
        if self.in_handler() {
            return Err(InterruptError::Nested);
        }
        let table = self
            .instances
            .first()
            .and_then(|instance| instance.tables.first());
        let table = table.and_then(|&at| self.state.store.tables.get(at as usize));
        let cell = table
            .and_then(|table| table.get(table_index as usize))
            .copied();
        let address = cell.and_then(|cell| cell.checked_sub(1));
        let address = address.ok_or(InterruptError::NoFunction)? as u32;
        let func = self
            .funcs
            .get(address as usize)
            .ok_or(InterruptError::NoFunction)?;
        let instance = self.instances.get(func.instance as usize);
        let body = instance.and_then(|instance| instance.module.body(func.index));
        let body = *body.ok_or(InterruptError::NoFunction)?;
        let ty = self.func_ty(address).ok_or(InterruptError::NoFunction)?;
        if !fit(&ty.params, args) || !args.iter().all(|arg| self.refers_to_something(*arg)) {
            return Err(InterruptError::Arguments);
        }
        let depth = self.state.thread.frames.len();
        let end = self.state.thread.sp + cells_of(&ty.params);
        let frame = frame_for(&body, address, end, depth, &self.limits)
            .map_err(|_| InterruptError::Stack)?;
        let room = self
            .state
            .thread
            .stack
            .get_mut(self.state.thread.sp..)
            .ok_or(InterruptError::Stack)?;
        Value::write_all(args, room).ok_or(InterruptError::Stack)?;
        self.state.thread.handler = depth as u32;
        self.push_frame(frame, &body, end);
        Ok(())
    }

    /// True while a handler runs that [`Machine::interrupt`] entered.
    pub fn in_handler(&self) -> bool {
        self.state.thread.handler != NONE
    }

    /// True between the beginning of a program and its end.
    pub fn is_running(&self) -> bool {
        matches!(self.state.thread.phase, Phase::Start | Phase::Entry)
    }

    /// The next instruction (after a trap, the one that trapped); nothing if none is left, or if
    /// the embedder's function was begun directly.
    pub fn location(&self) -> Option<Location> {
        let frame = self.state.thread.frames.last()?;
        let func = self.funcs.get(frame.func as usize)?;
        Some(Location {
            instance: InstanceId(func.instance),
            func: FuncIdx(func.index),
            offset: CodeOffset(frame.pc),
        })
    }

    /// The next instruction, decoded.
    pub fn next_instr(&self) -> Option<Instr<'_>> {
        let frame = self.state.thread.frames.last()?;
        let (instance, _) = self.code_of(frame.func)?;
        let bytes = instance.module.bytes();
        let mut reader = crate::binary::Reader::new(bytes, frame.pc as usize, bytes.len());
        let instr = Instr::read(&mut reader).ok()?;
        Some(instance.module.named(instr))
    }

    /// How many frames there are.
    pub fn depth(&self) -> usize {
        self.state.thread.frames.len()
    }

    /// Instance and body of a function of the program.
    pub(crate) fn code_of(&self, address: u32) -> Option<(&Instance, &crate::module::Body)> {
        let func = self.funcs.get(address as usize)?;
        let instance = self.instances.get(func.instance as usize)?;
        Some((instance, instance.module.body(func.index)?))
    }

    /// Forgets how the last program ended.
    fn reset(&mut self) {
        self.outcome = None;
        let thread = &mut self.state.thread;
        (thread.phase, thread.entry, thread.start) = (Phase::Idle, NONE, NONE);
        (thread.handler, thread.sp) = (NONE, 0);
        thread.frames.clear();
    }

    /// Enters the start function of an instance, once.
    fn begin_start(&mut self, instance: InstanceId) -> bool {
        let found = self.instances.get(instance.0 as usize);
        let address = found.and_then(|found| {
            let start = found.module.start?;
            found.funcs.get(start as usize).copied()
        });
        let progress = self.state.store.progress.get_mut(instance.0 as usize);
        let (Some(address), Some(progress)) = (address, progress) else {
            return false;
        };
        if core::mem::replace(&mut progress.started, true) {
            return false;
        }
        self.state.thread.phase = Phase::Start;
        self.state.thread.start = address;
        self.enter(address);
        true
    }

    /// Enters the entry, whose arguments are all that is on the stack.
    fn enter_entry(&mut self) {
        self.state.thread.phase = Phase::Entry;
        self.state.thread.start = NONE;
        match self.state.thread.entry {
            NONE => self.finish(),
            address => self.enter(address),
        }
    }

    /// Enters a function at the bottom of the call stack. One of the embedder has no frame.
    fn enter(&mut self, address: u32) {
        let Some((_, &body)) = self.code_of(address) else {
            return;
        };
        let sp = self.state.thread.sp;
        match frame_for(
            &body,
            address,
            sp,
            self.state.thread.frames.len(),
            &self.limits,
        ) {
            Ok(frame) => self.push_frame(frame, &body, sp),
            Err(trap) => self.abort(trap),
        }
    }

    /// Pushes a frame whose arguments end at `end`; the room was checked.
    pub(super) fn push_frame(
        &mut self,
        frame: super::Frame,
        body: &crate::module::Body,
        end: usize,
    ) {
        let operands = frame.fp as usize + usize::from(body.locals);
        if let Some(locals) = self.state.thread.stack.get_mut(end..operands) {
            locals.fill(0);
        }
        self.state.thread.sp = operands;
        self.state.thread.frames.push(frame);
    }

    /// Drops the frame of a function whose results are in place; true if it was the lowest.
    pub(crate) fn pop_frame(&mut self) -> bool {
        let Some(frame) = self.state.thread.frames.pop() else {
            return true;
        };
        if self.state.thread.frames.len() as u64 == u64::from(self.state.thread.handler) {
            // The handler's results are nobody's operands.
            self.state.thread.sp = frame.fp as usize;
            self.state.thread.handler = NONE;
        }
        self.state.thread.frames.is_empty()
    }

    /// The function at the bottom of the call stack returned.
    pub(crate) fn returned(&mut self) {
        if self.state.thread.phase == Phase::Start {
            self.enter_entry();
        } else {
            self.finish();
        }
    }

    fn finish(&mut self) {
        self.state.thread.phase = Phase::Finished;
        self.settle();
    }

    pub(super) fn abort(&mut self, trap: Trap) {
        self.state.thread.phase = Phase::Trapped(trap);
        self.settle();
    }

    /// Derives the outcome from the state.
    pub(crate) fn settle(&mut self) {
        self.outcome = match self.state.thread.phase {
            Phase::Trapped(trap) => Some(Outcome::Trapped(trap)),
            Phase::Exited(code) => Some(Outcome::Exited(code)),
            Phase::Finished => {
                let results = self
                    .func_ty(self.state.thread.entry)
                    .map(|ty| ty.results.as_slice());
                let results = results.unwrap_or_default();
                let values = Value::all_from_cells(results, &self.state.thread.stack);
                Some(Outcome::Finished(values.collect()))
            }
            Phase::Idle | Phase::Start | Phase::Entry => None,
        };
    }
}
