//! Instructions on other memories than the first, or on one whose addresses have 64 bits. Both tiers leave them to this:
//! what there is one of stays as fast as if there were nothing else.

use super::Instance;
use super::memory::Memory;
use super::slow::{self, Fixed, Operands, memory_fault, range};
use super::state::Store;
use crate::Trap;
use crate::binary::{Elsewhere, MemoryArg, memory_width};
use crate::types::Offset;

/// Executes an instruction of instance `id`.
pub(super) fn execute(
    fixed: Fixed<'_>,
    store: &mut Store,
    (instance, id): (&Instance, u32),
    operands: &mut Operands<'_>,
    instr: Elsewhere,
) -> Result<(), Trap> {
    let address = instance.memory_at(instr.memory());
    let memory = store.memories.get_mut(address as usize);
    match instr {
        Elsewhere::Load(opcode, arg, _) => load(memory, operands, opcode, arg),
        Elsewhere::Store(opcode, arg, _) => write(memory, operands, opcode, arg),
        #[cfg(feature = "simd")]
        Elsewhere::Wide(op, arg, _) => operands.vector(memory, op, &arg),
        Elsewhere::Size(_) => {
            operands.push(memory.map_or(0, |memory| memory.pages).into());
            Ok(())
        }
        Elsewhere::Grow(_) => {
            let delta = operands.pop() as Offset;
            operands.push(slow::memory_grow(store, fixed, address, delta));
            Ok(())
        }
        Elsewhere::Init { data, memory } => {
            slow::memory_init(store, instance, id, memory, data, operands.three())
        }
        Elsewhere::Copy { from, .. } => {
            let from = instance.memory_at(from);
            copy(store, (address, from), operands.three())
        }
        Elsewhere::Fill(_) => slow::memory_fill(store, address, operands.three()),
    }
}

fn load(
    memory: Option<&mut Memory>,
    operands: &mut Operands<'_>,
    opcode: u8,
    arg: MemoryArg,
) -> Result<(), Trap> {
    let memory = memory.ok_or(Trap::MemoryOutOfBounds)?;
    let (_, width) = memory_width(opcode);
    let range = memory.place(operands.pop() as Offset, arg.offset, width)?;
    let mut bytes = [0; 8];
    let found = memory.bytes.get(range).unwrap_or_default();
    bytes
        .iter_mut()
        .zip(found)
        .for_each(|(to, from)| *to = *from);
    let bits = u64::from_le_bytes(bytes);
    operands.push(match opcode {
        0x2c => u64::from(i32::from(bits as i8) as u32),
        0x2e => u64::from(i32::from(bits as i16) as u32),
        0x30 => i64::from(bits as i8) as u64,
        0x32 => i64::from(bits as i16) as u64,
        0x34 => i64::from(bits as i32) as u64,
        _ => bits,
    });
    Ok(())
}

/// A store.
fn write(
    memory: Option<&mut Memory>,
    operands: &mut Operands<'_>,
    opcode: u8,
    arg: MemoryArg,
) -> Result<(), Trap> {
    let memory = memory.ok_or(Trap::MemoryOutOfBounds)?;
    let (_, width) = memory_width(opcode);
    let bytes = operands.pop().to_le_bytes();
    let range = memory.place(operands.pop() as Offset, arg.offset, width)?;
    let room = memory.bytes.range_mut(range).unwrap_or_default();
    room.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
    Ok(())
}

/// `memory.copy` from one memory to another: destination, source, count.
fn copy(
    store: &mut Store,
    (to_memory, from_memory): (u32, u32),
    [to, from, count]: [Offset; 3],
) -> Result<(), Trap> {
    // An instance may have one memory under two indices.
    if to_memory == from_memory {
        return slow::memory_copy(store, to_memory, [to, from, count]);
    }
    let both = [to_memory as usize, from_memory as usize];
    let [target, source] =
        (store.memories.get_disjoint_mut(both)).map_err(|_| Trap::MemoryOutOfBounds)?;
    let outside = |memory: &Memory, at: Offset| memory_fault(memory.pages, at.into(), count.into());
    let read = range(from, count, source.bytes.len()).ok_or_else(|| outside(source, from))?;
    let written = range(to, count, target.bytes.len()).ok_or_else(|| outside(target, to))?;
    let read = source.bytes.get(read).unwrap_or_default();
    let room = target.bytes.range_mut(written).unwrap_or_default();
    room.copy_from_slice(read);
    Ok(())
}
