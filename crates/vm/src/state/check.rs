//! Checks of states that come from outside: everything that executing code relies on.

use alloc::vec::Vec;

use super::core::Core;
use super::{FrameProblem, StateError};
use crate::limits::within;
use crate::machine::{Called, Machine, NONE, Phase};
use crate::types::{cells_of, each_cell};
use crate::{FuncType, ValType};

/// Checks a core and completes its frames.
pub(super) fn check(machine: &Machine, core: &mut Core) -> Result<(), StateError> {
    #[cfg(feature = "exceptions")]
    check_exceptions(machine, core)?;
    check_store(machine, core)?;
    check_control(machine, core)?;
    check_frames(machine, core)
}

/// True if `cell` holds a value of type `ty` in this machine.
fn holds(machine: &Machine, core: &Core, ty: ValType, cell: u64) -> bool {
    ty.fits(cell)
        && match ty {
            ValType::FuncRef => cell <= machine.funcs.len() as u64,
            ValType::ExnRef => cell == 0 || refers(core, cell),
            _ => true,
        }
}

/// True if `cell` is a reference to an exception.
#[cfg(feature = "exceptions")]
fn refers(core: &Core, cell: u64) -> bool {
    core.references.binary_search(&cell).is_ok()
}

/// No value has such a type.
#[cfg(not(feature = "exceptions"))]
fn refers(_: &Core, _: u64) -> bool {
    false
}

/// Checks the exceptions that there may be references to: each is of a tag, has values of its types, and is there once.
/// Those that it refers to come before it.
#[cfg(feature = "exceptions")]
fn check_exceptions(machine: &Machine, core: &mut Core) -> Result<(), StateError> {
    let Some(list) = core.exceptions.take() else {
        return Ok(());
    };
    let mut known = alloc::collections::BTreeSet::new();
    let mut end = 0;
    for (place, tag, values) in machine.each_held(&list) {
        let wrong = StateError::Exception { cell: place as u32 };
        let types = machine.tag_ty(tag).map_or(&[][..], |ty| &ty.params);
        end = values.end;
        let cells = list.get(values).unwrap_or_default();
        let mut both = each_cell(types).zip(cells);
        if !both.all(|(ty, cell)| holds(machine, core, *ty, *cell)) || !known.insert((tag, cells)) {
            return Err(wrong);
        }
        core.references.push(place as u64 + 1);
    }
    if end != list.len() {
        return Err(StateError::Exception { cell: end as u32 });
    }
    core.exceptions = Some(list);
    Ok(())
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
        if !unchanged || !holds(machine, core, ty.value, *cell) {
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
            || !cells
                .iter()
                .all(|cell| holds(machine, core, ty.element, *cell))
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
        let limit = machine.limits.memory_pages;
        within("pages of memory", (*pages).into(), limit.into())?;
    }
    #[cfg(feature = "memories")]
    {
        let all = core.pages.iter().map(|pages| u64::from(*pages)).sum();
        within("pages of memory", all, machine.limits.memory_pages.into())?;
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

/// Whether what starts is the start function of an instance that has begun.
fn is_start_function(machine: &Machine, core: &Core) -> bool {
    let mut both = machine.instances.iter().zip(&core.progress);
    both.any(|(instance, progress)| {
        let start = instance.module.start;
        let start = start.and_then(|at| instance.funcs.get(at as usize));
        start == Some(&core.control.start) && progress.started
    })
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
        cells_of(params).max(cells_of(results)) as u64,
        machine.limits.stack_slots.into(),
    )?;
    let starting = control.start != NONE;
    if starting {
        let of_an_instance = is_start_function(machine, core);
        let may_start = !matches!(control.phase, Phase::Idle | Phase::Entry | Phase::Finished);
        if !of_an_instance || !may_start {
            return Err(StateError::Entry);
        }
    }
    // The cells that are known without frames.
    let expected = match control.phase {
        Phase::Idle if (control.entry, starting) != (NONE, false) => return Err(StateError::Entry),
        Phase::Idle => &[],
        Phase::Start if !starting => return Err(StateError::Entry),
        Phase::Entry if control.entry == NONE => return Err(StateError::Entry),
        Phase::Start | Phase::Entry | Phase::Exited(_) | Phase::Trapped(_) => params,
        Phase::Finished => results,
    };
    let running = if starting {
        control.start
    } else {
        control.entry
    };
    match core.frames.first() {
        Some(bottom) => {
            let place = if starting { cells_of(params) } else { 0 };
            let may_have_frames = !matches!(control.phase, Phase::Idle | Phase::Finished);
            let may_run = bottom.func == running || tail_calls(machine, running, bottom.func);
            if !may_have_frames || !may_run || bottom.fp as usize != place {
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
            if core.cells.len() != cells_of(expected)
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
    // All bits are a half of a vector.
    for (at, ty) in (from..).zip(each_cell(types)) {
        let cell = StateError::Cell { cell: at as u32 };
        if !holds(machine, core, *ty, *core.cells.get(at).ok_or(cell)?) {
            return Err(cell);
        }
    }
    Ok(())
}

fn check_frames(machine: &Machine, core: &mut Core) -> Result<(), StateError> {
    let handler = core.control.handler;
    if handler != NONE && (handler == 0 || handler as usize >= core.frames.len()) {
        return Err(StateError::Frame {
            frame: handler,
            problem: FrameProblem::Handler,
        });
    }
    // Recursion comes to the same place again and again: each is looked at once.
    let mut sites = Vec::new();
    for number in 0..core.frames.len() {
        let wrong = |problem| StateError::Frame {
            frame: number as u32,
            problem,
        };
        let Some(frame) = core.frames.get(number).copied() else {
            break;
        };
        let place = (frame.func, frame.pc);
        let at = match sites.binary_search_by_key(&place, |(place, _): &(_, _)| *place) {
            Ok(at) => at,
            Err(at) => {
                machine
                    .code_of(frame.func)
                    .ok_or(wrong(FrameProblem::NoCode))?;
                let site = machine.site(frame.func, frame.pc);
                let site = site.ok_or(wrong(FrameProblem::Position))?;
                sites.insert(at, (place, site));
                at
            }
        };
        let Some((_, site)) = sites.get(at) else {
            break;
        };
        let room = u64::from(frame.fp) + u64::from(site.cells);
        within("cells of stack", room, machine.limits.stack_slots.into())?;
        let mut operands = site.operands.as_slice();
        let mut end = core.cells.len();
        if let Some(callee) = core.frames.get(number + 1) {
            end = callee.fp as usize;
            if number as u32 + 1 != handler {
                let ty = calls(machine, site.called, callee.func);
                let ty = ty.ok_or(wrong(FrameProblem::Caller))?;
                // The results are not there yet.
                let count = operands.len().saturating_sub(ty.results.len());
                operands = operands.get(..count).unwrap_or_default();
            }
        }
        let base = frame.fp as usize + cells_of(&site.locals);
        if base + cells_of(operands) != end {
            return Err(wrong(FrameProblem::Place));
        }
        check_cells(machine, core, frame.fp as usize, &site.locals)?;
        check_cells(machine, core, base, operands)?;
        #[cfg(feature = "exceptions")]
        for caught in &site.caught {
            // A block that caught nothing was not entered.
            let under = operands.get(..*caught).unwrap_or_default();
            let at = base + cells_of(under);
            if core.cells.get(at).is_none_or(|cell| *cell == 0) {
                return Err(StateError::Cell { cell: at as u32 });
            }
        }
        if let Some(frame) = core.frames.get_mut(number) {
            frame.branch = site.branch;
        }
    }
    Ok(())
}

/// Whether a function that was called may have come to another one by tail calls.
fn tail_calls(machine: &Machine, called: u32, other: u32) -> bool {
    let types = [called, other].map(|address| machine.funcs.get(address as usize));
    match types {
        [Some(called_func), Some(other)] => {
            machine.code_of(called).is_some() && tail_call_fits(machine, called_func.ty, other.ty)
        }
        _ => false,
    }
}

/// Whether a function of one type may come to one of another by tail calls: all give the same, which is what whoever
/// called it relies on.
fn tail_call_fits(machine: &Machine, called: u32, other: u32) -> bool {
    let mut modules = machine.instances.iter().map(|instance| &instance.module);
    let results = |ty: u32| machine.types.get(ty as usize).map(|ty| &ty.results);
    modules.any(|module| module.tail_calls) && results(called) == results(other)
}

/// The type of `callee` if that is what is called, or what that came to.
fn calls(machine: &Machine, called: Called, callee: u32) -> Option<&FuncType> {
    let ty = machine.funcs.get(callee as usize)?.ty;
    let fits = match called {
        Called::Nothing => false,
        Called::Func(address) => address == callee || tail_calls(machine, address, callee),
        Called::Type(expected) => expected == ty || tail_call_fits(machine, expected, ty),
    };
    if fits {
        machine.types.get(ty as usize)
    } else {
        None
    }
}
