//! The state of the program and of the session: variables, memory, facts.

use std::ops::Range;

use borges_vm::Machine;

use super::layout::Layout;
use crate::command::listing::{
    ExaminedListing, ExaminedUnit, MemoryListing, Variable, VariableListing,
};
use crate::command::{Reply, Whole};
use crate::error::CommandError;
use crate::scene::{Address, Scene, named_memory};
use crate::stage::Stage;

pub(crate) fn variables(
    stage: &Stage,
    last: &[Variable],
    frame: u32,
) -> Result<Reply, CommandError> {
    of(stage.scene(), last, frame).map(Reply::Variables)
}

/// The variables of a frame, with marks at what is different from `last`.
pub(crate) fn of(
    scene: Scene<'_>,
    last: &[Variable],
    frame: u32,
) -> Result<VariableListing, CommandError> {
    let mut locals = scene.locals(frame)?;
    let (globals, of_libraries) = scene.globals();
    let operands = scene.operands(frame)?;
    for variable in &mut locals {
        let before = last.iter().find(|old| old.name == variable.name);
        variable.changed = before.is_some_and(|old: &Variable| old.value != variable.value);
    }
    Ok(VariableListing {
        frame,
        locals,
        globals,
        of_libraries,
        operands,
    })
}

/// Children of a value that are told at a time.
const MOST_CHILDREN: u64 = 1_000;

/// What a value, or a part of it, has in it.
pub(crate) fn expand(
    stage: &Stage,
    of: &Whole,
    frame: u32,
    path: &[u64],
    wanted: Range<u64>,
) -> Result<Reply, CommandError> {
    let end = wanted.end.min(wanted.start.saturating_add(MOST_CHILDREN));
    let range = wanted.start..end;
    let expanded = stage.scene().expanded(of, frame, path, range);
    expanded.map(Reply::Expanded)
}

/// The bytes of one of the program's memories.
fn memory_at(machine: &Machine, index: u32) -> Result<&[u8], CommandError> {
    match machine.memory_at(index) {
        Some(bytes) => Ok(bytes),
        // What has none has one of no bytes.
        None if index == 0 => Ok(&[]),
        None => {
            let count = machine.module().map_or(0, |m| m.memory_types().count());
            let have = match count {
                0 => "no memory".to_owned(),
                1 => "one memory, which is memory 0".to_owned(),
                _ => format!("{count} memories, from 0 to {}", count - 1),
            };
            Err(CommandError::NoSuch(format!(
                "there is no memory {index}: the program has {have}"
            )))
        }
    }
}

/// An address that is not in a memory.
fn outside(number: i128, memory: &[u8], index: u32) -> CommandError {
    let size = memory.len();
    let which = named_memory(index);
    CommandError::NoSuch(format!(
        "address {number} is not in {which} of {size} bytes"
    ))
}

pub(crate) fn memory(
    stage: &Stage,
    index: Option<u32>,
    address: &str,
    length: u32,
) -> Result<Reply, CommandError> {
    let Address { memory, number } = stage.scene().address(address)?;
    let index = index.unwrap_or(memory);
    let object_bytes = match index == memory {
        true => stage.scene().object_bytes(address),
        false => 0,
    };
    let memory = memory_at(&stage.history.twin().machine, index)?;
    let outside = || outside(number, memory, index);
    let address = u32::try_from(number).map_err(|_| outside())?;
    let bytes = memory
        .get(address as usize..)
        .filter(|bytes| !bytes.is_empty())
        .ok_or_else(outside)?;
    let bytes = bytes[..bytes.len().min(length as usize)].to_vec();
    Ok(Reply::Memory(MemoryListing {
        address,
        bytes,
        object_bytes,
        memory: index,
    }))
}

pub(crate) fn examine(
    stage: &Stage,
    index: Option<u32>,
    layout: &str,
    address: &str,
) -> Result<Reply, CommandError> {
    let layout = Layout::read(layout)?;
    let scene = stage.scene();
    let Address {
        memory,
        number: start,
    } = scene.address(address)?;
    let index = index.unwrap_or(memory);
    let (mut units, mut at) = (Vec::new(), start);
    let memory = memory_at(scene.machine, index)?;
    for _ in 0..layout.count {
        let unit = u32::try_from(at)
            .ok()
            .and_then(|at| layout.unit(memory, at));
        let Some((value, bytes)) = unit else { break };
        units.push(ExaminedUnit {
            address: at as u32,
            value,
        });
        at += i128::from(bytes);
    }
    if units.is_empty() {
        return Err(outside(start, memory, index));
    }
    let per_line = layout.per_line();
    Ok(Reply::Examined(ExaminedListing { units, per_line }))
}
