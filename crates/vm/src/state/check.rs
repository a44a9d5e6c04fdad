//! Checks of states that come from outside: everything that executing code relies on.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::core::Core;
use super::{FrameProblem, StateError};
use crate::binary::Instr;
use crate::limits::within;
use crate::machine::{Machine, NONE, Phase};
use crate::module::Typing;
use crate::{CodeOffset, ValType};

/// What is known about a position in a function.
struct Site {
    /// The operands there.
    operands: Vec<ValType>,
    /// The first entry of the side table at or after it.
    branch: u32,
    /// What the instruction before it calls.
    called: Called,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    Nothing,
    /// A function's address.
    Func(u32),
    /// Any function of this of the machine's types.
    Type(u32),
}

/// Checks a core and completes its frames.
pub(super) fn check(machine: &Machine, core: &mut Core) -> Result<(), StateError> {
    check_store(machine, core)?;
    check_control(machine, core)?;
    check_frames(machine, core)
}

/// True if `cell` holds a value of type `ty` in this machine.
fn holds(machine: &Machine, ty: ValType, cell: u64) -> bool {
    ty.fits(cell) && (ty != ValType::FuncRef || cell <= machine.funcs.len() as u64)
}

fn check_store(machine: &Machine, core: &Core) -> Result<(), StateError> {
    let store = &machine.state.store;
    if core.globals.len() != machine.global_types.len() {
        return Err(StateError::Global {
            global: core.globals.len() as u32,
        });
    }
    for (number, (ty, cell)) in machine.global_types.iter().zip(&core.globals).enumerate() {
        let unchanged = ty.mutable || store.globals.get(number) == Some(cell);
        if !unchanged || !holds(machine, ty.value, *cell) {
            return Err(StateError::Global {
                global: number as u32,
            });
        }
    }
    if core.tables.len() != machine.table_types.len() {
        return Err(StateError::Table {
            table: core.tables.len() as u32,
        });
    }
    for (number, (ty, cells)) in machine.table_types.iter().zip(&core.tables).enumerate() {
        let most = ty
            .max
            .unwrap_or(u32::MAX)
            .min(machine.limits.table_elements);
        let size = cells.len() as u64;
        if size < u64::from(ty.min)
            || size > u64::from(most)
            || !cells.iter().all(|cell| holds(machine, ty.element, *cell))
        {
            return Err(StateError::Table {
                table: number as u32,
            });
        }
    }
    if core.pages.len() != machine.memory_types.len() {
        return Err(StateError::Memory {
            memory: core.pages.len() as u32,
        });
    }
    for (number, (ty, pages)) in machine.memory_types.iter().zip(&core.pages).enumerate() {
        let most = ty.max.unwrap_or(u32::MAX);
        if *pages < ty.min || *pages > most {
            return Err(StateError::Memory {
                memory: number as u32,
            });
        }
        within(
            "pages of memory",
            (*pages).into(),
            machine.limits.memory_pages.into(),
        )?;
    }
    for (number, instance) in machine.instances.iter().enumerate() {
        let fits = core.progress.get(number).is_some_and(|progress| {
            progress.dropped_elements.len() == instance.module.elements.len()
                && progress.dropped_data.len() == instance.module.data.len()
        });
        if !fits || core.progress.len() != machine.instances.len() {
            return Err(StateError::Segments {
                instance: number as u32,
            });
        }
    }
    Ok(())
}

/// Checks what runs, and the cells that lie under the bottom frame.
fn check_control(machine: &Machine, core: &Core) -> Result<(), StateError> {
    let control = &core.control;
    let types = |address| match address {
        NONE => Ok((&[][..], &[][..])),
        _ => match machine.func_ty(address) {
            Some(ty) => Ok((ty.params.as_slice(), ty.results.as_slice())),
            None => Err(StateError::Entry),
        },
    };
    let (params, results) = types(control.entry)?;
    within(
        "cells of stack",
        params.len().max(results.len()) as u64,
        machine.limits.stack_slots.into(),
    )?;
    let starting = control.start != NONE;
    if starting {
        let of_an_instance =
            machine
                .instances
                .iter()
                .zip(&core.progress)
                .any(|(instance, progress)| {
                    let start = instance
                        .module
                        .start
                        .and_then(|at| instance.funcs.get(at as usize));
                    start == Some(&control.start) && progress.started
                });
        if !of_an_instance || !matches!(control.phase, Phase::Start | Phase::Trapped(_)) {
            return Err(StateError::Entry);
        }
    }
    // The cells that are known without frames.
    let expected = match control.phase {
        Phase::Idle if (control.entry, starting) != (NONE, false) => return Err(StateError::Entry),
        Phase::Idle => &[],
        Phase::Start if !starting => return Err(StateError::Entry),
        Phase::Entry if control.entry == NONE => return Err(StateError::Entry),
        Phase::Start | Phase::Entry | Phase::Trapped(_) => params,
        Phase::Finished => results,
    };
    let running = if starting {
        control.start
    } else {
        control.entry
    };
    match core.frames.first() {
        Some(bottom) => {
            let place = if starting { params.len() } else { 0 };
            let may_have_frames = !matches!(control.phase, Phase::Idle | Phase::Finished);
            if !may_have_frames || bottom.func != running || bottom.fp as usize != place {
                return Err(StateError::Entry);
            }
            // In phase `Start` the entry's arguments lie under the bottom frame.
            if starting {
                check_cells(machine, core, 0, params)
            } else {
                Ok(())
            }
        }
        None => {
            // A function with code has a frame, unless it did not even fit.
            let has_code = running != NONE && machine.code_of(running).is_some();
            let running_now = matches!(control.phase, Phase::Start | Phase::Entry);
            if core.cells.len() != expected.len()
                || (running_now && has_code)
                || control.handler != NONE
            {
                return Err(StateError::Entry);
            }
            check_cells(machine, core, 0, expected)
        }
    }
}

/// Checks that the cells from `from` on hold values of these types.
fn check_cells(
    machine: &Machine,
    core: &Core,
    from: usize,
    types: &[ValType],
) -> Result<(), StateError> {
    for (at, ty) in (from..).zip(types) {
        let cell = StateError::Cell { cell: at as u32 };
        if !holds(machine, *ty, *core.cells.get(at).ok_or(cell)?) {
            return Err(cell);
        }
    }
    Ok(())
}

fn check_frames(machine: &Machine, core: &mut Core) -> Result<(), StateError> {
    let handler = core.control.handler as usize;
    if core.control.handler != NONE && (handler == 0 || handler >= core.frames.len()) {
        let problem = FrameProblem::Handler;
        return Err(StateError::Frame {
            frame: core.control.handler,
            problem,
        });
    }
    // Recursion comes to the same place again and again: each is looked at once.
    let mut sites = BTreeMap::new();
    for number in 0..core.frames.len() {
        let wrong = |problem| StateError::Frame {
            frame: number as u32,
            problem,
        };
        let Some(frame) = core.frames.get(number).copied() else {
            break;
        };
        let (_, body) = machine
            .code_of(frame.func)
            .ok_or(wrong(FrameProblem::NoCode))?;
        if !sites.contains_key(&(frame.func, frame.pc)) {
            let site = site(machine, frame.func, frame.pc);
            sites.insert(
                (frame.func, frame.pc),
                site.ok_or(wrong(FrameProblem::Position))?,
            );
        }
        let Some(site) = sites.get(&(frame.func, frame.pc)) else {
            break;
        };
        let room = u64::from(frame.fp) + u64::from(body.cells());
        within("cells of stack", room, machine.limits.stack_slots.into())?;
        let mut operands = site.operands.as_slice();
        let end = match core.frames.get(number + 1) {
            None => core.cells.len(),
            Some(callee) => {
                let (_, callee_body) = machine.code_of(callee.func).ok_or(StateError::Frame {
                    frame: number as u32 + 1,
                    problem: FrameProblem::NoCode,
                })?;
                if number + 1 != handler {
                    if !calls(machine, site.called, callee.func) {
                        return Err(wrong(FrameProblem::Caller));
                    }
                    // The results are not there yet.
                    let count = operands.len().saturating_sub(callee_body.results.into());
                    operands = operands.get(..count).unwrap_or_default();
                }
                callee.fp as usize
            }
        };
        let base = frame.fp as usize + usize::from(body.locals);
        if base + operands.len() != end {
            return Err(wrong(FrameProblem::Place));
        }
        let (instance, index) = (machine.funcs.get(frame.func as usize))
            .and_then(|func| Some((machine.instances.get(func.instance as usize)?, func.index)))
            .ok_or(wrong(FrameProblem::NoCode))?;
        let locals = instance.module.local_types(crate::FuncIdx(index));
        check_cells(machine, core, frame.fp as usize, &locals)?;
        check_cells(machine, core, base, operands)?;
        let branch = site.branch;
        if let Some(frame) = core.frames.get_mut(number) {
            frame.branch = branch;
        }
    }
    Ok(())
}

fn calls(machine: &Machine, called: Called, callee: u32) -> bool {
    match called {
        Called::Nothing => false,
        Called::Func(address) => address == callee,
        Called::Type(ty) => machine
            .funcs
            .get(callee as usize)
            .is_some_and(|func| func.ty == ty),
    }
}

/// What is known about a position; nothing if no instruction starts there that can be reached.
fn site(machine: &Machine, func: u32, pc: u32) -> Option<Site> {
    let (instance, body) = machine.code_of(func)?;
    let index = machine.funcs.get(func as usize)?.index;
    let mut typing = Typing::of_body(&instance.module, index)?;
    if !(body.start..body.end).contains(&pc) {
        return None;
    }
    let mut branch = body.branch;
    let mut called = Called::Nothing;
    while typing.at() < pc as usize {
        let instr = typing.read().ok()?;
        typing.apply(&instr, None).ok()?;
        called = match instr {
            Instr::Call(callee) => Called::Func(*instance.funcs.get(callee as usize)?),
            Instr::CallIndirect { ty, .. } => Called::Type(*instance.types.get(ty as usize)?),
            _ => Called::Nothing,
        };
        branch += match instr {
            Instr::If(_) | Instr::Else | Instr::Br(_) | Instr::BrIf(_) => 1,
            Instr::BrTable(targets) => targets.len() + 1,
            _ => 0,
        };
    }
    typing.advance_to(CodeOffset(pc))?;
    Some(Site {
        operands: typing.operand_types()?,
        branch,
        called,
    })
}
