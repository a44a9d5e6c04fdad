//! The stepping tier: interprets the module's bytes in place, with the side table for branches.

use super::memory::Memory;
use super::observe::{Linked, Site};
use super::slow::{self, Fixed, memory_fault};
use super::state::{Frame, NONE, State, Thread};
use super::{Func, Instance, Machine};
use crate::binary::NAMES_MEMORY;
use crate::bytes::Written;
use crate::module::{Body, Branch};
use crate::num::{self, Number};
use crate::types::Offset;
use crate::{Limits, Trap, ValType};

/// Why the stepping tier stopped. The state is complete in all cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// All steps asked for were taken.
    Budget,
    /// The bottom frame returned.
    Returned,
    /// The next instruction calls the embedder.
    HostCall,
    /// The next instruction traps.
    Trap(Trap),
    /// The next instruction is one to stop at.
    Hook,
    /// The next instruction takes frames away: a tail call, or a throw; [`Machine::step`] goes on there.
    Unwinds,
}

/// Instructions to stop before.
pub(crate) trait Hooks {
    /// True if [`Hooks::observe`] is to see every instruction.
    const OBSERVES: bool = false;

    /// False if there are none: the check costs nothing then.
    fn is_active(&self) -> bool;

    /// True to stop before the instruction at `pc` of instance `instance`.
    fn stops(&self, instance: u32, pc: usize, opcode: u8) -> bool;

    /// Sees an instruction before it is executed; true to stop there.
    fn observe(&self, _site: &Site<'_>) -> bool {
        false
    }
}

/// The bytes of an instance's memory, and where whoever writes them notes it; without a memory, what is noted `nowhere`.
fn memory_of<'s>(
    memories: &'s mut [Memory],
    instance: &Instance,
    nowhere: &'s mut Written,
) -> (&'s mut [u8], &'s mut Written) {
    match memories.get_mut(instance.memory as usize) {
        Some(memory) => memory.bytes.parts(),
        None => (&mut [], nowhere),
    }
}

/// What all accesses of an instance have as if they named a memory: something if its first memory has addresses of 64 bits,
/// which this loop does not know.
fn routed(instance: &Instance) -> u32 {
    let address = instance.module.memory.map(|memory| memory.address_type());
    match address {
        Some(ValType::I64) => NAMES_MEMORY,
        _ => 0,
    }
}

/// A LEB128 number's further bytes; validation bounds their number.
#[cold]
fn leb_rest(code: &[u8], mut pc: usize, first: u8) -> (u64, u32, usize) {
    let mut value = u64::from(first & 0x7f);
    let mut shift = 7;
    while let Some(&byte) = code.get(pc) {
        pc += 1;
        value |= u64::from(byte & 0x7f).wrapping_shl(shift);
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    (value, shift, pc)
}

#[cold]
fn signed_leb_rest(code: &[u8], pc: usize, first: u8) -> (i64, usize) {
    let (value, shift, pc) = leb_rest(code, pc, first);
    let unused = 64u32.saturating_sub(shift);
    (((value << unused) as i64) >> unused, pc)
}

/// A call's frame, or the trap that it is. The arguments end at `sp`.
#[inline(always)]
pub(crate) fn frame_for(
    body: &Body,
    func: u32,
    sp: usize,
    depth: usize,
    limits: &Limits,
) -> Result<Frame, Trap> {
    let fp = sp - usize::from(body.params);
    if depth >= limits.call_depth as usize
        || fp + body.cells() as usize > limits.stack_slots as usize
    {
        return Err(Trap::StackOverflow);
    }
    Ok(Frame {
        func,
        pc: body.start,
        branch: body.branch,
        fp: fp as u32,
    })
}

/// Resolves the function that `call_indirect` calls.
#[inline]
pub(crate) fn indirect(
    tables: &[alloc::vec::Vec<u64>],
    funcs: &[Func],
    instance: &Instance,
    (ty, table, index): (u32, u32, Offset),
) -> Result<u32, Trap> {
    let table = instance
        .tables
        .get(table as usize)
        .and_then(|at| tables.get(*at as usize));
    let cell = table
        .and_then(|table| table.get(usize::try_from(index).ok()?))
        .ok_or(Trap::UndefinedElement)?;
    let address = cell.checked_sub(1).ok_or(Trap::UninitializedElement)?;
    match funcs.get(address as usize) {
        Some(func) if Some(&func.ty) == instance.types.get(ty as usize) => Ok(address as u32),
        _ => Err(Trap::IndirectCallType),
    }
}

impl Machine {
    /// Executes at most `budget` instructions from the top frame's next one on; with
    /// `pass_first`, that one is not asked for in `hooks`.
    pub(crate) fn step<H: Hooks>(&mut self, budget: u64, hooks: &H, pass_first: bool) -> Stop {
        let until = self.state.thread.steps.saturating_add(budget);
        let mut stop = self.step_within(budget, hooks, pass_first);
        while stop == Stop::Unwinds {
            stop = match self.unwind() {
                Ok(()) => self.step_within(until - self.state.thread.steps, hooks, false),
                Err(stop) => stop,
            };
        }
        stop
    }

    /// Executes the next instruction, one that takes frames away.
    fn unwind(&mut self) -> Result<(), Stop> {
        #[cfg(feature = "exceptions")]
        if !self.is_tail_call() {
            return self.throw();
        }
        self.tail_call()
    }

    /// As [`Machine::step`], but not past what takes frames away.
    // One function, and long: the registers of the loop must stay local variables.
    #[allow(clippy::too_many_lines, unused_assignments)]
    fn step_within<H: Hooks>(&mut self, budget: u64, hooks: &H, pass_first: bool) -> Stop {
        let fixed = Fixed {
            limits: &self.limits,
            memory_types: &self.memory_types,
            table_types: &self.table_types,
        };
        let limits = &self.limits;
        let instances = self.instances.as_slice();
        let funcs = self.funcs.as_slice();
        let State { thread, store } = &mut self.state;
        let Thread {
            steps,
            frames,
            stack,
            sp: saved_sp,
            handler,
            ..
        } = thread;
        let stack: &mut [u64] = stack;
        let Some(frame) = frames.last().copied() else {
            return Stop::Returned;
        };

        // The function being executed.
        let mut instance_id = funcs[frame.func as usize].instance;
        let mut instance = &instances[instance_id as usize];
        let mut code: &[u8] = instance.module.bytes();
        let mut branches: &[Branch] = instance.module.branches();
        // Only functions with a body have frames.
        let Some(mut body) = instance.module.body(funcs[frame.func as usize].index) else {
            return Stop::HostCall;
        };
        let mut nowhere = Written::default();
        let (mut memory, mut written) = memory_of(&mut store.memories, instance, &mut nowhere);
        let mut routed = routed(instance);
        // Where it is.
        let mut pc = frame.pc as usize;
        let mut branch = frame.branch as usize;
        let mut fp = frame.fp as usize;
        let mut sp = *saved_sp;
        // Instructions to execute before looking for hooks and at the budget again, and those after.
        let mut left: u32 = 0;
        let mut rest = budget;
        let mut armed = !pass_first;
        let mut at;

        let stop = loop {
            at = pc;
            let opcode = code[pc];
            if left == 0 {
                if rest == 0 {
                    break Stop::Budget;
                }
                left = if hooks.is_active() {
                    if armed && hooks.stops(instance_id, pc, opcode) {
                        break Stop::Hook;
                    }
                    armed = true;
                    1
                } else {
                    u32::try_from(rest).unwrap_or(u32::MAX)
                };
                rest -= u64::from(left);
            }
            if H::OBSERVES {
                let site = Site {
                    instance: instance_id,
                    offset: pc,
                    locals: fp,
                    top: sp,
                    cells: stack,
                    memory,
                    body,
                    branches: branches.get(branch..).unwrap_or_default(),
                    tables: &store.tables,
                    linked: Linked { instances, funcs },
                };
                if hooks.observe(&site) {
                    break Stop::Hook;
                }
            }
            left -= 1;
            pc += 1;

            macro_rules! trap {
                ($trap:expr) => {{
                    left += 1;
                    break Stop::Trap($trap);
                }};
            }
            macro_rules! push {
                ($cell:expr) => {{
                    stack[sp] = $cell;
                    sp += 1;
                }};
            }
            macro_rules! pop {
                () => {{
                    sp -= 1;
                    stack[sp]
                }};
            }
            macro_rules! leb {
                () => {{
                    let byte = code[pc];
                    pc += 1;
                    if byte < 0x80 {
                        u32::from(byte)
                    } else {
                        let (value, _, after) = leb_rest(code, pc, byte);
                        pc = after;
                        value as u32
                    }
                }};
            }
            macro_rules! signed_leb {
                () => {{
                    let byte = code[pc];
                    pc += 1;
                    if byte < 0x80 {
                        i64::from((byte << 1) as i8 >> 1)
                    } else {
                        let (value, after) = signed_leb_rest(code, pc, byte);
                        pc = after;
                        value
                    }
                }};
            }
            // Takes an entry of the side table.
            macro_rules! take {
                ($entry:expr) => {{
                    let entry: Branch = $entry;
                    let keep = usize::from(entry.keep);
                    let to = fp + usize::from(body.locals) + usize::from(entry.height);
                    let from = sp - keep;
                    if from != to {
                        if keep == 1 {
                            stack[to] = stack[from];
                        } else if keep > 1 {
                            stack.copy_within(from..sp, to);
                        }
                        sp = to + keep;
                    }
                    pc = entry.target as usize;
                    branch = entry.next as usize;
                }};
            }
            macro_rules! enter {
                ($address:expr, $arguments_end:expr) => {{
                    let address: u32 = $address;
                    let func = funcs[address as usize];
                    let callee_instance = &instances[func.instance as usize];
                    let Some(callee) = callee_instance.module.body(func.index) else {
                        left += 1;
                        break Stop::HostCall;
                    };
                    match frame_for(callee, address, $arguments_end, frames.len(), limits) {
                        Err(trap) => trap!(trap),
                        Ok(frame) => {
                            if let Some(caller) = frames.last_mut() {
                                caller.pc = pc as u32;
                                caller.branch = branch as u32;
                            }
                            fp = frame.fp as usize;
                            let operands = fp + usize::from(callee.locals);
                            stack[fp + usize::from(callee.params)..operands].fill(0);
                            sp = operands;
                            pc = frame.pc as usize;
                            branch = frame.branch as usize;
                            frames.push(frame);
                            body = callee;
                            if func.instance != instance_id {
                                instance_id = func.instance;
                                instance = callee_instance;
                                code = instance.module.bytes();
                                branches = instance.module.branches();
                                routed = self::routed(instance);
                                (memory, written) =
                                    memory_of(&mut store.memories, instance, &mut nowhere);
                            }
                        }
                    }
                }};
            }
            macro_rules! leave {
                () => {{
                    let results = usize::from(body.results);
                    if results == 1 {
                        stack[fp] = stack[sp - 1];
                    } else {
                        stack.copy_within(sp - results..sp, fp);
                    }
                    sp = fp + results;
                    frames.pop();
                    if frames.len() as u64 == u64::from(*handler) {
                        // The handler's results are nobody's operands.
                        sp = fp;
                        *handler = NONE;
                    }
                    let Some(caller) = frames.last() else {
                        break Stop::Returned;
                    };
                    pc = caller.pc as usize;
                    branch = caller.branch as usize;
                    fp = caller.fp as usize;
                    let func = funcs[caller.func as usize];
                    if func.instance != instance_id {
                        instance_id = func.instance;
                        instance = &instances[instance_id as usize];
                        code = instance.module.bytes();
                        branches = instance.module.branches();
                        routed = self::routed(instance);
                        (memory, written) = memory_of(&mut store.memories, instance, &mut nowhere);
                    }
                    let Some(caller_body) = instance.module.body(func.index) else {
                        break Stop::HostCall;
                    };
                    body = caller_body;
                }};
            }
            macro_rules! address {
                ($base:expr, $bytes:literal) => {{
                    let align = leb!();
                    if (align | routed) & NAMES_MEMORY != 0 {
                        slow!();
                        continue;
                    }
                    let address = u64::from(leb!()) + u64::from($base as u32);
                    // Widened: the end of an access may lie beyond what `usize` has on a device.
                    if address + $bytes > memory.len() as u64 {
                        let found = store.memories.get(instance.memory as usize);
                        trap!(memory_fault(
                            found.map_or(0, |memory| memory.pages),
                            address,
                            $bytes
                        ));
                    }
                    address as usize
                }};
            }
            macro_rules! load {
                ($read:ty, $via:ty, $bytes:literal) => {{
                    let address = address!(stack[sp - 1], $bytes);
                    let mut bytes = [0; $bytes];
                    bytes.copy_from_slice(&memory[address..address + $bytes]);
                    stack[sp - 1] = <$read>::from_le_bytes(bytes) as $via as u64;
                }};
            }
            macro_rules! store {
                ($write:ty, $bytes:literal) => {{
                    let address = address!(stack[sp - 2], $bytes);
                    let value = stack[sp - 1] as $write;
                    sp -= 2;
                    written.note(address, $bytes);
                    memory[address..address + $bytes].copy_from_slice(&value.to_le_bytes());
                }};
            }
            macro_rules! slow {
                () => {{
                    match slow::execute(fixed, store, (instance, instance_id), stack, (at, sp, fp))
                    {
                        Ok((next, height)) => (pc, sp) = (next, height),
                        Err(trap) => trap!(trap),
                    }
                    (memory, written) = memory_of(&mut store.memories, instance, &mut nowhere);
                }};
            }
            // The end of a block: a `catch` drops what it caught.
            macro_rules! end {
                () => {{
                    #[cfg(feature = "exceptions")]
                    if body.catches
                        && let Some(entry) = instance.module.catch_end(at as u32)
                    {
                        take!(entry);
                    }
                }};
            }
            // Instructions that move values, in functions where some take two cells.
            macro_rules! narrow {
                ($then:expr) => {{ if body.is_wide() { slow!() } else { $then } }};
            }
            macro_rules! numeric {
                ($function:ident ($a:ident) $result:ident total) => {{
                    let result = num::$function(<$a as Number>::from_cell(stack[sp - 1]));
                    stack[sp - 1] = <$result as Number>::to_cell(result);
                }};
                ($function:ident ($a:ident) $result:ident traps) => {
                    match num::$function(<$a as Number>::from_cell(stack[sp - 1])) {
                        Ok(result) => stack[sp - 1] = <$result as Number>::to_cell(result),
                        Err(trap) => trap!(trap.into()),
                    }
                };
                ($function:ident ($a:ident, $b:ident) $result:ident total) => {{
                    let (a, b) = (stack[sp - 2], stack[sp - 1]);
                    sp -= 1;
                    let result =
                        num::$function(<$a as Number>::from_cell(a), <$b as Number>::from_cell(b));
                    stack[sp - 1] = <$result as Number>::to_cell(result);
                }};
                ($function:ident ($a:ident, $b:ident) $result:ident traps) => {{
                    let (a, b) = (stack[sp - 2], stack[sp - 1]);
                    match num::$function(<$a as Number>::from_cell(a), <$b as Number>::from_cell(b))
                    {
                        Ok(result) => {
                            sp -= 1;
                            stack[sp - 1] = <$result as Number>::to_cell(result);
                        }
                        Err(trap) => trap!(trap.into()),
                    }
                }};
            }
            macro_rules! dispatch {
                ($($number:literal $variant:ident $function:ident $text:literal
                    ($($operand:ident),+) -> $result:ident $kind:ident;)*) => {
                    match u16::from(opcode) {
                        0x00 => trap!(Trap::Unreachable),
                        0x01 => {}
                        // Block types are 33-bit numbers, mostly of one byte.
                        0x02 | 0x03 => {
                            signed_leb!();
                        }
                        0x04 => {
                            signed_leb!();
                            if pop!() as u32 == 0 {
                                let entry = branches[branch];
                                pc = entry.target as usize;
                                branch = entry.next as usize;
                            } else {
                                branch += 1;
                            }
                        }
                        0x05 => {
                            let entry = branches[branch];
                            pc = entry.target as usize;
                            branch = entry.next as usize;
                        }
                        0x0b => {
                            if pc == body.end as usize {
                                leave!();
                            } else {
                                end!();
                            }
                        }
                        0x0c => take!(branches[branch]),
                        0x0d => {
                            if pop!() as u32 == 0 {
                                leb!();
                                branch += 1;
                            } else {
                                take!(branches[branch]);
                            }
                        }
                        0x0e => {
                            let count = leb!();
                            let index = (pop!() as u32).min(count);
                            take!(branches[branch + index as usize]);
                        }
                        0x0f => leave!(),
                        0x10 => {
                            let index = leb!();
                            enter!(instance.funcs[index as usize], sp);
                        }
                        0x11 => {
                            let ty = leb!();
                            let table = leb!();
                            let index = stack[sp - 1] as Offset;
                            match indirect(&store.tables, funcs, instance, (ty, table, index)) {
                                Err(trap) => trap!(trap),
                                Ok(address) => enter!(address, sp - 1),
                            }
                        }
                        0x12 | 0x13 => {
                            left += 1;
                            break Stop::Unwinds;
                        }
                        #[cfg(feature = "exceptions")]
                        0x06 => {
                            signed_leb!();
                        }
                        #[cfg(feature = "exceptions")]
                        0x07 | 0x19 => take!(branches[branch]),
                        #[cfg(feature = "exceptions")]
                        0x18 => {
                            leb!();
                        }
                        #[cfg(feature = "exceptions")]
                        0x08..=0x0a => {
                            left += 1;
                            break Stop::Unwinds;
                        }
                        #[cfg(feature = "exceptions")]
                        0x1f => {
                            let (after, clauses) = slow::try_table(code, at);
                            pc = after;
                            branch += clauses;
                        }
                        0x1a => narrow!(sp -= 1),
                        0x1b => narrow!({
                            sp -= 2;
                            if stack[sp + 1] as u32 == 0 {
                                stack[sp - 1] = stack[sp];
                            }
                        }),
                        0x1c => narrow!({
                            // One type, always.
                            pc += 2;
                            sp -= 2;
                            if stack[sp + 1] as u32 == 0 {
                                stack[sp - 1] = stack[sp];
                            }
                        }),
                        0x20 => narrow!({
                            let index = leb!() as usize;
                            push!(stack[fp + index]);
                        }),
                        0x21 => narrow!({
                            let index = leb!() as usize;
                            stack[fp + index] = pop!();
                        }),
                        0x22 => narrow!({
                            let index = leb!() as usize;
                            stack[fp + index] = stack[sp - 1];
                        }),
                        0x23 => narrow!({
                            let index = leb!() as usize;
                            push!(store.globals[instance.globals[index] as usize]);
                        }),
                        0x24 => narrow!({
                            let index = leb!() as usize;
                            store.globals[instance.globals[index] as usize] = pop!();
                        }),
                        0x28 => load!(u32, u32, 4),
                        0x29 => load!(u64, u64, 8),
                        0x2a => load!(u32, u32, 4),
                        0x2b => load!(u64, u64, 8),
                        0x2c => load!(i8, u32, 1),
                        0x2d => load!(u8, u32, 1),
                        0x2e => load!(i16, u32, 2),
                        0x2f => load!(u16, u32, 2),
                        0x30 => load!(i8, u64, 1),
                        0x31 => load!(u8, u64, 1),
                        0x32 => load!(i16, u64, 2),
                        0x33 => load!(u16, u64, 2),
                        0x34 => load!(i32, u64, 4),
                        0x35 => load!(u32, u64, 4),
                        0x36 => store!(u32, 4),
                        0x37 => store!(u64, 8),
                        0x38 => store!(u32, 4),
                        0x39 => store!(u64, 8),
                        0x3a => store!(u8, 1),
                        0x3b => store!(u16, 2),
                        0x3c => store!(u8, 1),
                        0x3d => store!(u16, 2),
                        0x3e => store!(u32, 4),
                        0x41 => {
                            let value = signed_leb!();
                            push!(u64::from(value as u32));
                        }
                        0x42 => {
                            let value = signed_leb!();
                            push!(value as u64);
                        }
                        0x43 => {
                            let mut bytes = [0; 4];
                            bytes.copy_from_slice(&code[pc..pc + 4]);
                            pc += 4;
                            push!(u64::from(u32::from_le_bytes(bytes)));
                        }
                        0x44 => {
                            let mut bytes = [0; 8];
                            bytes.copy_from_slice(&code[pc..pc + 8]);
                            pc += 8;
                            push!(u64::from_le_bytes(bytes));
                        }
                        $($number => numeric!($function ($($operand),+) $result $kind),)*
                        // Tables, references, bulk memory, memory size, saturating conversions.
                        _ => slow!(),
                    }
                };
            }
            crate::numeric_ops! { dispatch! }
        };

        if let Some(top) = frames.last_mut() {
            top.pc = if matches!(stop, Stop::Budget | Stop::Returned) {
                pc
            } else {
                at
            } as u32;
            top.branch = branch as u32;
        }
        *saved_sp = sp;
        *steps += budget - rest - u64::from(left);
        stop
    }
}
