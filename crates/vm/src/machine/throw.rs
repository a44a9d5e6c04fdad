//! Exceptions: thrown, carried, caught.
//!
//! What a program has references to lies in one list of cells ([`Store::exceptions`](super::state::Store)): of each
//! exception its tag's address and the cells of its values. A reference is the place of that in the list, plus one. No
//! program can tell two equal exceptions apart, so each is there once: how often it was thrown is no part of the state.
//! What is thrown and caught without a reference to it never comes there. Nobody counts references; once the list is
//! full, what nothing refers to any more is taken out.

use alloc::vec::Vec;
use core::ops::Range;

use super::Machine;
use super::link::InstanceId;
use super::state::NONE;
use super::step::Stop;
use crate::binary::Instr;
use crate::module::{Branch, Reference};
use crate::types::cells_of;
use crate::value::ref_to_cell;
use crate::{CodeOffset, FuncType, Trap, ValType, Value};

/// A tag of the machine, by its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    /// Its type among [`Machine::types`].
    pub(crate) ty: u32,
    /// The instance that defines it or, for one of nobody else's, imports it.
    pub(crate) instance: u32,
    /// Its index there.
    pub(crate) index: u32,
}

/// An exception that is thrown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown {
    /// The instance that its tag is of.
    pub instance: InstanceId,
    /// The index of the tag there.
    pub tag: u32,
    /// What it carries.
    pub values: Vec<Value>,
}

/// Where the values of an exception are.
enum Values {
    /// These cells of the stack.
    Operands(Range<usize>),
    /// In the list: so there is a reference.
    Held(u64),
}

/// What the next instruction throws.
struct Flying {
    /// The tag's address.
    tag: u32,
    values: Values,
}

/// Where an exception is caught.
struct Caught {
    /// The frame, counted from the bottom.
    frame: usize,
    /// The clause's branch.
    branch: Branch,
    /// True if it takes the values.
    values: bool,
    reference: Reference,
}

impl Machine {
    /// The exception that the next instruction throws; after
    /// [`Trap::UncaughtException`](crate::Trap::UncaughtException), the one that nothing caught.
    pub fn thrown(&self) -> Option<Thrown> {
        let flying = self.flying()?.ok()?;
        let tag = self.tags.get(flying.tag as usize)?;
        let params = &self.tag_ty(flying.tag)?.params;
        Some(Thrown {
            instance: InstanceId(tag.instance),
            tag: tag.index,
            values: Value::all_from_cells(params, self.values_of(&flying)?).collect(),
        })
    }

    /// Where the program may go on if the function that runs throws something that it does not catch itself: in the
    /// first instance's code, sorted.
    pub fn catch_labels(&self) -> Vec<CodeOffset> {
        let callers = self.state.thread.frames.iter().rev().skip(1);
        let mut labels: Vec<_> = callers
            .filter_map(|caller| {
                let func = self.funcs.get(caller.func as usize)?;
                let instance = self.instances.get(func.instance as usize)?;
                (func.instance == 0).then(|| instance.module.catches(caller.pc))
            })
            .flatten()
            .map(|clause| CodeOffset(clause.branch.target))
            .collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// What the next instruction throws, if that is what it does; the trap if there is nothing to throw.
    fn flying(&self) -> Option<Result<Flying, Trap>> {
        let sp = self.state.thread.sp;
        match self.next_instr()? {
            Instr::Throw(index) => {
                let func = self
                    .funcs
                    .get(self.state.thread.frames.last()?.func as usize)?;
                let instance = self.instances.get(func.instance as usize)?;
                let tag = *instance.tags.get(index as usize)?;
                let count = cells_of(&self.tag_ty(tag)?.params);
                let values = Values::Operands(sp.checked_sub(count)?..sp);
                Some(Ok(Flying { tag, values }))
            }
            instr @ (Instr::ThrowRef | Instr::Rethrow(_)) => {
                let at = match instr {
                    Instr::ThrowRef => sp.checked_sub(1)?,
                    _ => self.caught_at()?,
                };
                let cell = *self.state.thread.stack.get(at)?;
                let Some(place) = cell.checked_sub(1) else {
                    return Some(Err(Trap::NullException));
                };
                let held = self.state.store.exceptions.as_ref()?;
                let tag = *held.get(place as usize)? as u32;
                let values = Values::Held(cell);
                Some(Ok(Flying { tag, values }))
            }
            _ => None,
        }
    }

    /// The cell of what the next instruction, a `rethrow`, throws again.
    fn caught_at(&self) -> Option<usize> {
        let frame = self.state.thread.frames.last()?;
        let (instance, body) = self.code_of(frame.func)?;
        let entry = instance.module.branches().get(frame.branch as usize)?;
        Some(frame.fp as usize + usize::from(body.locals) + usize::from(entry.height))
    }

    fn values_of(&self, flying: &Flying) -> Option<&[u64]> {
        match &flying.values {
            Values::Operands(range) => self.state.thread.stack.get(range.clone()),
            // The tag lies at the place before.
            Values::Held(cell) => {
                let start = *cell as usize;
                let count = cells_of(&self.tag_ty(flying.tag)?.params);
                let held = self.state.store.exceptions.as_ref()?;
                held.get(start..start + count)
            }
        }
    }

    pub(crate) fn tag_ty(&self, tag: u32) -> Option<&FuncType> {
        self.types.get(self.tags.get(tag as usize)?.ty as usize)
    }

    /// Executes the next instruction, a `throw`, `throw_ref` or `rethrow`, in one step: frames go until one catches it. If none
    /// does, nothing changes but that the program traps.
    pub(super) fn throw(&mut self) -> Result<(), Stop> {
        let flying = self.flying().ok_or(Stop::HostCall)?;
        let flying = flying.map_err(Stop::Trap)?;
        let caught = self
            .catcher(flying.tag)
            .ok_or(Stop::Trap(Trap::UncaughtException))?;
        let reference = match (caught.reference, &flying.values) {
            (Reference::None, _) => None,
            (_, Values::Held(cell)) => Some(*cell),
            (_, Values::Operands(range)) => {
                Some(self.hold(flying.tag, range.clone()).map_err(Stop::Trap)?)
            }
        };
        // Validation made sure that there is room: the label's operands are among the function's.
        let locals = self
            .state
            .thread
            .frames
            .get(caught.frame)
            .and_then(|frame| {
                let (_, body) = self.code_of(frame.func)?;
                Some(frame.fp as usize + usize::from(body.locals))
            });
        let mut to = locals.ok_or(Stop::HostCall)? + usize::from(caught.branch.height);
        let values = match caught.values {
            true => self.values_of(&flying).unwrap_or_default().to_vec(),
            false => Vec::new(),
        };
        let under = reference.filter(|_| caught.reference == Reference::Under);
        let above = reference.filter(|_| caught.reference == Reference::Above);
        for cell in under.into_iter().chain(values).chain(above) {
            if let Some(room) = self.state.thread.stack.get_mut(to) {
                *room = cell;
            }
            to += 1;
        }
        let thread = &mut self.state.thread;
        thread.frames.truncate(caught.frame + 1);
        if let Some(frame) = thread.frames.last_mut() {
            (frame.pc, frame.branch) = (caught.branch.target, caught.branch.next);
        }
        if thread.handler as usize > caught.frame {
            thread.handler = NONE;
        }
        thread.sp = to;
        thread.steps += 1;
        Ok(())
    }

    /// What catches an exception of this tag that the next instruction throws. It does not get past a handler, which
    /// nobody in the program called.
    fn catcher(&self, tag: u32) -> Option<Caught> {
        let top = self.state.thread.frames.len().checked_sub(1)?;
        for (number, frame) in self.state.thread.frames.iter().enumerate().rev() {
            let (instance, _) = self.code_of(frame.func)?;
            // Callers stand behind their call.
            let past = frame.pc + u32::from(number == top);
            let catches = |wanted: Option<u32>| match wanted {
                Some(index) => instance.tags.get(index as usize) == Some(&tag),
                None => true,
            };
            let mut clauses = instance.module.catches(past);
            if let Some(clause) = clauses.find(|clause| catches(clause.tag)) {
                return Some(Caught {
                    frame: number,
                    branch: clause.branch,
                    values: clause.tag.is_some(),
                    reference: clause.reference,
                });
            }
            if number as u64 == u64::from(self.state.thread.handler) {
                return None;
            }
        }
        None
    }

    /// A reference to the exception of this tag with these cells of the stack as its values.
    fn hold(&mut self, tag: u32, range: Range<usize>) -> Result<u64, Trap> {
        let full = self.limits.exception_cells as usize;
        if let Some(place) = self.held(tag, range.clone()) {
            return Ok(place);
        }
        let length = |machine: &Machine| {
            let held = machine.state.store.exceptions.as_ref();
            held.map_or(0, Vec::len) + 1 + range.len()
        };
        if length(self) > full {
            self.let_go();
        }
        if length(self) > full {
            return Err(Trap::TooManyExceptions);
        }
        let cells = self.state.thread.stack.get(range).unwrap_or_default();
        let held = self.state.store.exceptions.get_or_insert_default();
        let place = held.len();
        held.push(tag.into());
        held.extend_from_slice(cells);
        Ok(ref_to_cell(Some(place as u32)))
    }

    /// The reference to that exception, if there is one.
    fn held(&self, tag: u32, range: Range<usize>) -> Option<u64> {
        let cells = self.state.thread.stack.get(range)?;
        let held = self.state.store.exceptions.as_ref()?;
        let mut all = self.each_held(held);
        let found =
            all.find(|(_, found, values)| *found == tag && held.get(values.clone()) == Some(cells));
        found.map(|(place, ..)| ref_to_cell(Some(place as u32)))
    }

    /// The exceptions in such a list: the place of each, its tag, and where its values are. Ends where something is none.
    pub(crate) fn each_held<'h>(
        &'h self,
        list: &'h [u64],
    ) -> impl Iterator<Item = (usize, u32, Range<usize>)> + use<'h> {
        let mut next = 0;
        core::iter::from_fn(move || {
            let place = next;
            let tag = u32::try_from(*list.get(place)?).ok()?;
            let end = place + 1 + cells_of(&self.tag_ty(tag)?.params);
            next = end;
            (end <= list.len()).then_some((place, tag, place + 1..end))
        })
    }

    /// Takes out of the list what nothing refers to. What is left keeps its order.
    fn let_go(&mut self) {
        let Some(list) = self.state.store.exceptions.take() else {
            return;
        };
        // Of all that refer to something: where they are.
        let cells = self.referring_cells();
        let mut is_live = alloc::vec![false; list.len() + 1];
        let mut mark = |cell: u64| {
            if let Some(live) = is_live.get_mut(cell as usize) {
                *live = true;
            }
        };
        let state = &self.state;
        let stack = cells.iter().filter_map(|at| state.thread.stack.get(*at));
        stack.for_each(|cell| mark(*cell));
        self.globals_and_tables().for_each(|cell| mark(*cell));
        // Exceptions refer to earlier ones only, so those that do come first here.
        let all: Vec<_> = self.each_held(&list).collect();
        for (place, tag, values) in all.iter().rev() {
            if !is_live.get(place + 1).is_some_and(|live| *live) {
                continue;
            }
            for at in self.references_in(*tag, values.start) {
                if let Some(live) = list
                    .get(at)
                    .and_then(|cell| is_live.get_mut(*cell as usize))
                {
                    *live = true;
                }
            }
        }
        let mut moved = alloc::vec![0; list.len() + 1];
        let mut kept = Vec::new();
        for (place, tag, values) in &all {
            if !is_live.get(place + 1).is_some_and(|live| *live) {
                continue;
            }
            let start = kept.len();
            moved[place + 1] = start as u64 + 1;
            kept.extend_from_slice(list.get(*place..values.end).unwrap_or_default());
            for at in self.references_in(*tag, start + 1) {
                kept[at] = moved.get(kept[at] as usize).copied().unwrap_or(0);
            }
        }
        let to = |cell: &mut u64| *cell = moved.get(*cell as usize).copied().unwrap_or(0);
        let state = &mut self.state;
        for at in cells {
            if let Some(cell) = state.thread.stack.get_mut(at) {
                to(cell);
            }
        }
        for (ty, cell) in self.global_types.iter().zip(&mut state.store.globals) {
            if ty.value == ValType::ExnRef {
                to(cell);
            }
        }
        for (ty, table) in self.table_types.iter().zip(&mut state.store.tables) {
            if ty.element == ValType::ExnRef {
                table.iter_mut().for_each(to);
            }
        }
        state.store.exceptions = Some(kept);
    }

    /// Which values of an exception that begin at `start` in a list are references to exceptions.
    pub(crate) fn references_in(
        &self,
        tag: u32,
        start: usize,
    ) -> impl Iterator<Item = usize> + use<> {
        let params = self.tag_ty(tag).map_or(&[][..], |ty| &ty.params);
        let types = crate::types::each_cell(params).zip(start..);
        let places = types.filter(|(ty, _)| **ty == ValType::ExnRef);
        places.map(|(_, at)| at).collect::<Vec<_>>().into_iter()
    }

    /// The globals and elements that may refer to exceptions.
    fn globals_and_tables(&self) -> impl Iterator<Item = &u64> {
        let store = &self.state.store;
        let globals = self.global_types.iter().zip(&store.globals);
        let globals = globals.filter(|(ty, _)| ty.value == ValType::ExnRef);
        let tables = self.table_types.iter().zip(&store.tables);
        let tables = tables.filter(|(ty, _)| ty.element == ValType::ExnRef);
        let elements = tables.flat_map(|(_, table)| table);
        globals.map(|(_, cell)| cell).chain(elements)
    }

    /// The cells of the stack that refer to exceptions.
    fn referring_cells(&self) -> Vec<usize> {
        let mut cells = Vec::new();
        for frame in self.frames() {
            let refers = |value: &Value| matches!(value, Value::ExnRef(Some(_)));
            let mut at = frame.cell;
            for local in &frame.locals {
                if refers(local) {
                    cells.push(at);
                }
                at += local.ty().cells();
            }
            let mut caught = frame.caught.iter().peekable();
            for number in 0..=frame.operands.len() {
                while caught.next_if(|(above, _)| *above == number).is_some() {
                    cells.push(at);
                    at += 1;
                }
                if let Some(operand) = frame.operands.get(number) {
                    if refers(operand) {
                        cells.push(at);
                    }
                    at += operand.ty().cells();
                }
            }
        }
        cells
    }
}
