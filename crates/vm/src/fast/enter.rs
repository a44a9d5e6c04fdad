//! From one tier to the other.
#![allow(unsafe_code)]

use super::cx::{Call, Cx, Stopped};
use super::dispatch::execute;
use super::op::{Bank, Reason};
use super::translate::{Class, Place, Point, Site, site};
use super::{Doors, Fast, Function};
use crate::machine::{Frame, Hooks, Machine, NONE, NOTHING, Stop, Until};
use crate::types::cells_of;

/// Steps in one run of code at most, so that they fit the fuel.
const MAX_STEPS: u64 = isize::MAX as u64 / 2;

/// Stops of the stepping tier: those that the caller wants, and where code can be entered.
struct OrDoors<'f, H>(&'f H, &'f Doors);

impl<H: Hooks> Hooks for OrDoors<'_, H> {
    fn is_active(&self) -> bool {
        true
    }

    fn stops(&self, instance: u32, pc: usize, opcode: u8) -> bool {
        self.1.is_open(instance, pc) || (self.0.is_active() && self.0.stops(instance, pc, opcode))
    }
}

/// What came of running code.
enum Ran {
    /// It stopped at a point.
    Stopped,
    /// It stopped before an instruction that the stepping tier must execute.
    Before,
    /// The function that was entered returned; its results are in place, its frame still exists.
    Returned,
    /// There is no code for the next instruction, or it cannot be entered there.
    NoCode,
    /// The steps left do not suffice.
    Short,
}

impl Machine {
    /// Like [`Machine::step`], with both tiers. Instructions that `hooks` stops at must be
    /// [breakpoints](Fast::set_breakpoints) of the fast one.
    pub(crate) fn step_fast<H: Hooks>(
        &mut self,
        until: Until,
        hooks: &H,
        pass_first: bool,
    ) -> Stop {
        self.fast
            .prepare(&self.instances, &self.funcs, &self.limits);
        let start = self.state.thread.steps;
        loop {
            let (left, about) = until.left(self.state.thread.steps);
            if about == 0 {
                return Stop::Budget;
            }
            let Some(frame) = self.state.thread.frames.last().copied() else {
                return Stop::Returned;
            };
            if !(pass_first && self.state.thread.steps == start) && self.stops_here(hooks) {
                return Stop::Hook;
            }
            let ran = if left <= self.fast.reserve() {
                Ran::Short
            } else {
                self.run_code(frame, left, about)
            };
            let passes = pass_first && self.state.thread.steps == start;
            match ran {
                Ran::Stopped => {}
                Ran::Before if !passes && self.stops_here(hooks) => return Stop::Hook,
                Ran::Before if !passes && self.was_breakpoint() => {}
                Ran::Before => match self.step(1, &NOTHING, true) {
                    Stop::Budget => {}
                    stop => return stop,
                },
                Ran::Returned => {
                    if self.pop_frame() {
                        return Stop::Returned;
                    }
                }
                Ran::Short => return self.step(about, hooks, true),
                Ran::NoCode => {
                    let doors = core::mem::take(&mut self.fast.doors);
                    let stop = self.step(about, &OrDoors(hooks, &doors), true);
                    self.fast.doors = doors;
                    if stop != Stop::Hook {
                        return stop;
                    }
                }
            }
        }
    }

    fn stops_here<H: Hooks>(&self, hooks: &H) -> bool {
        let Some(location) = self.location().filter(|_| hooks.is_active()) else {
            return false;
        };
        let (id, pc) = (location.instance.0, location.offset.0 as usize);
        let instance = self.instances.get(id as usize);
        let opcode = instance.and_then(|instance| instance.module.bytes().get(pc));
        opcode.is_some_and(|opcode| hooks.stops(id, pc, *opcode))
    }

    /// Forgets the breakpoint at the next instruction, where nobody stops; false if there was none.
    fn was_breakpoint(&mut self) -> bool {
        let location = self.location();
        location.is_some_and(|location| {
            location.instance.0 == 0 && self.fast.passes(&self.instances, location.offset.0)
        })
    }

    /// Runs code from the next instruction on, if there is a point, until about so many steps are made;
    /// never more than are left.
    fn run_code(&mut self, frame: Frame, left: u64, about: u64) -> Ran {
        let code = self.fast.function(frame.func, &self.instances, &self.funcs);
        let point = code.and_then(|code| {
            // Of several points the last, which is behind a breakpoint.
            let after = code.points.partition_point(|point| point.pc <= frame.pc);
            let point = code.points.get(after.checked_sub(1)?)?;
            if point.pc != frame.pc {
                return None;
            }
            // From the start of the code, not of a part of it: branches go backward, too.
            let at = point.at as usize;
            (at < code.code.len()).then(|| (*point, code.code.as_ptr().wrapping_add(at)))
        });
        let Some((point, ip)) = point else {
            return Ran::NoCode;
        };
        // Fuel counts the steps from the base, which is where ordinal 0 would be.
        let Some(limit) = left.checked_sub(self.fast.reserve()) else {
            return Ran::Short;
        };
        let limit = limit.min(about).min(MAX_STEPS) as isize;
        let base_fuel = limit + point.ordinal as isize;
        let Some(func) = self.funcs.get(frame.func as usize) else {
            return Ran::NoCode;
        };
        let Some(instance) = self.instances.get(func.instance as usize) else {
            return Ran::NoCode;
        };
        let depth = self.state.thread.frames.len();
        let stack = self.state.thread.stack.as_mut_ptr();
        let memory = self.state.store.memories.get_mut(instance.memory as usize);
        #[cfg(feature = "host")]
        let mut noted = core::ptr::null_mut();
        let (mem, length, pages) = match memory {
            Some(memory) => {
                let (bytes, written) = memory.bytes.parts();
                #[cfg(feature = "host")]
                match crate::written::is_said() {
                    true => written.note_all(),
                    false => noted = &raw mut *written,
                }
                #[cfg(not(feature = "host"))]
                written.note_all();
                (bytes.as_mut_ptr(), bytes.len(), memory.pages)
            }
            None => (core::ptr::NonNull::dangling().as_ptr(), 0, 0),
        };
        // What is on top of the operands is in its accumulator as well.
        let top = self
            .state
            .thread
            .sp
            .checked_sub(1)
            .and_then(|top| self.state.thread.stack.get(top));
        let top = top.copied().unwrap_or(0);
        let calls = self.fast.calls.as_mut_ptr();
        let free = (self.limits.call_depth as usize).saturating_sub(depth);
        // SAFETY: the frame lies in the stack, as every frame does; there is room for as many calls
        // as there may be frames, and one more.
        let (fp, calls_start, calls_end) = unsafe {
            (
                stack.add(frame.fp as usize),
                calls.add(1),
                calls.add(1 + free),
            )
        };
        let bank = Bank {
            mem,
            fuel: base_fuel,
            f64: f64::from_bits(top),
            f32: f32::from_bits(top as u32),
        };
        let mut cx = Cx {
            fp,
            bank,
            ends: [1, 2, 4, 8].map(|size| (length + 1).saturating_sub(size)),
            length,
            pages,
            globals: self.state.store.globals.as_mut_ptr(),
            tables: self.state.store.tables.as_ptr(),
            entries: self.fast.entries.as_ptr(),
            stack_end: stack as usize + self.state.thread.stack.len() * 8,
            calls: calls_start,
            calls_end,
            stopped: None,
            #[cfg(feature = "host")]
            watched: &raw const self.fast.watched.bytes,
            #[cfg(feature = "host")]
            written: noted,
        };
        // SAFETY: `ip` is a point of compiled code, whose operations rely on what validation and
        // `State` guarantee: slots within the frame (its size was checked when it was entered),
        // existing globals, tables and functions. Nothing else touches the machine meanwhile.
        unsafe {
            calls.write(Call {
                ip: self.fast.bottom.as_ptr(),
                fp,
            });
            execute(ip, top as usize, &raw mut cx);
        }
        #[cfg(test)]
        {
            self.fast.runs += 1;
        }
        let Some(stopped) = cx.stopped else {
            return Ran::NoCode;
        };
        // SAFETY: `cx.calls` points into the same calls.
        let made = unsafe { cx.calls.offset_from(calls_start) };
        let steps = Steps {
            entry: self.state.thread.steps,
            limit,
        };
        self.land(stopped, made, steps)
    }

    /// Brings frames, operands and step count up to date after code stopped.
    fn land(&mut self, stopped: Stopped, made: isize, steps: Steps) -> Ran {
        let Stopped {
            reason,
            ip,
            acc,
            fp,
            bank,
        } = stopped;
        let stack = self.state.thread.stack.as_ptr() as usize;
        let slot = |fp: *mut u64| (fp as usize - stack) / 8;
        let fp = slot(fp);
        if core::ptr::eq(ip, self.fast.bottom.as_ptr()) {
            // Ordinals start anew behind a call.
            self.state.thread.steps = steps.at(bank.fuel, 0);
            let func = self.state.thread.frames.last().map(|frame| frame.func);
            let ty = func.and_then(|func| self.func_ty(func));
            self.state.thread.sp = fp + ty.map_or(0, |ty| cells_of(&ty.results));
            return Ran::Returned;
        }
        // The frame that was entered, and those that called since, are callers now.
        self.state.thread.frames.pop();
        let calls = self.fast.calls.get(1..).unwrap_or_default();
        for call in calls.iter().take(made.max(0) as usize) {
            // SAFETY: code goes on behind calls, whose last word this is.
            let word = unsafe { call.ip.sub(1).read() };
            let (func, point) = ((word >> 32) as u32, word as u32);
            let Some(point) = self.fast.point(func, point as usize) else {
                continue;
            };
            let (pc, branch) = (point.pc, point.branch);
            self.state.thread.frames.push(Frame {
                func,
                pc,
                branch,
                fp: slot(call.fp) as u32,
            });
        }
        let (func, site) = self.whereabouts(ip, reason);
        for (height, operand) in site.operands.iter().enumerate() {
            let cell = match (operand.place, operand.class) {
                (Place::Slot, _) => continue,
                (Place::Const(cell), _) => cell,
                (Place::Acc, Class::Int) => acc as u64,
                (Place::Acc, Class::F32) => u64::from(bank.f32.to_bits()),
                (Place::Acc, Class::F64) => bank.f64.to_bits(),
                (Place::Local(local), _) => self
                    .state
                    .thread
                    .stack
                    .get(fp + usize::from(local))
                    .copied()
                    .unwrap_or(0),
            };
            let at = fp + self.locals_of(func) + height;
            if let Some(slot) = self.state.thread.stack.get_mut(at) {
                *slot = cell;
            }
        }
        let point = site.point;
        self.state.thread.frames.push(Frame {
            func,
            pc: point.pc,
            branch: point.branch,
            fp: fp as u32,
        });
        self.state.thread.sp = fp + self.locals_of(func) + point.height as usize;
        self.state.thread.steps = steps.at(bank.fuel, point.ordinal);
        if reason == Reason::Before {
            Ran::Before
        } else {
            Ran::Stopped
        }
    }

    /// The function that `ip` is code or stub of, and what is where at that operation.
    fn whereabouts(&mut self, ip: *const u64, reason: Reason) -> (u32, Site) {
        let settled = |point| Site {
            point,
            operands: alloc::vec::Vec::new(),
        };
        if let Some(func) = self.fast.stub_owner(ip) {
            let body = self.code_of(func).map(|(_, body)| *body);
            let (pc, branch) = body.map_or((0, 0), |body| (body.start, body.branch));
            return (
                func,
                settled(Point {
                    at: 0,
                    pc,
                    branch,
                    ordinal: 0,
                    height: 0,
                }),
            );
        }
        let (func, at) = self.fast.code_owner(ip);
        let Some(Function::Compiled(code)) = self.fast.functions.get(func as usize) else {
            unreachable!("only compiled functions have code")
        };
        if reason == Reason::Fuel {
            // Of several instructions at one operation the last: those between do nothing.
            let after = code.points.partition_point(|point| point.at as usize <= at);
            if let Some(point) = code.points.get(after.wrapping_sub(1)) {
                return (func, settled(*point));
            }
        }
        if let Ok(found) = code
            .leaves
            .binary_search_by_key(&at, |point| point.at as usize)
            && let Some(point) = code.leaves.get(found)
        {
            return (func, settled(*point));
        }
        let mut scratch = core::mem::take(&mut self.fast.scratch);
        let surroundings = self.fast.surroundings(func, &self.instances, &self.funcs);
        let found =
            surroundings.and_then(|surroundings| site(surroundings, func, &mut scratch, at));
        self.fast.scratch = scratch;
        (
            func,
            found.expect("compiling is deterministic, so the operation is there again"),
        )
    }

    fn locals_of(&self, func: u32) -> usize {
        self.code_of(func)
            .map_or(0, |(_, body)| usize::from(body.locals))
    }
}

/// What the step count follows from.
#[derive(Clone, Copy)]
struct Steps {
    /// The count when code was entered.
    entry: u64,
    /// The fuel at which the base would be there.
    limit: isize,
}

impl Steps {
    fn at(self, fuel: isize, ordinal: u32) -> u64 {
        self.entry
            .wrapping_add_signed((self.limit - fuel) as i64 + i64::from(ordinal))
    }
}

impl Fast {
    /// Steps that must be left when code stops: whatever it may execute before it notices.
    pub(crate) fn reserve(&self) -> u64 {
        2 * u64::from(self.longest) + 2
    }

    fn point(&self, func: u32, number: usize) -> Option<Point> {
        match self.functions.get(func as usize)? {
            Function::Compiled(code) => code.points.get(number).copied(),
            Function::Unknown | Function::Refused => None,
        }
    }

    /// The function whose stub `ip` points to, if it points to one.
    fn stub_owner(&self, ip: *const u64) -> Option<u32> {
        let bytes = (ip as usize).checked_sub(self.stubs.as_ptr() as usize)?;
        let stub = bytes / 16;
        // The first stub is nobody's.
        (1..self.stubs.len() / 2)
            .contains(&stub)
            .then(|| stub as u32 - 1)
    }

    /// The function whose code `ip` points into, and the operation's index.
    fn code_owner(&self, ip: *const u64) -> (u32, usize) {
        let after = self
            .ranges
            .partition_point(|(start, _)| *start <= ip as usize);
        let (start, func) = self
            .ranges
            .get(after.wrapping_sub(1))
            .copied()
            .unwrap_or((0, NONE));
        (func, (ip as usize).wrapping_sub(start) / 8)
    }
}

impl Machine {
    /// Leaves everything to the stepping tier, or no longer. Nothing that can be observed changes
    /// but the time it takes.
    pub fn use_stepping_tier_only(&mut self, only: bool) {
        self.fast.off = only;
    }

    /// Leaves steps uncounted in the fast tier, to measure what counting costs. Programs cannot be
    /// stopped then, and step counts mean nothing.
    #[cfg(feature = "uncounted")]
    #[doc(hidden)]
    pub fn leave_steps_uncounted(&mut self) {
        self.fast = Fast {
            uncounted: true,
            ..Fast::default()
        };
    }
}
