//! Arguments, environment, clocks, randomness and the end of a program.

use crate::call::{Call, Done, Stop};
use crate::choice::{Chosen, ClockId, Wants};
use crate::errno::Errno;
use alloc::sync::Arc;
use alloc::vec::Vec;

pub(super) fn arguments(call: &mut Call<'_>) -> Done {
    let fixed = Arc::clone(&call.world.fixed);
    texts(call, &fixed.arguments)
}

pub(super) fn environment(call: &mut Call<'_>) -> Done {
    let fixed = Arc::clone(&call.world.fixed);
    texts(call, &fixed.environment)
}

pub(super) fn argument_sizes(call: &mut Call<'_>) -> Done {
    let fixed = Arc::clone(&call.world.fixed);
    sizes(call, &fixed.arguments)
}

pub(super) fn environment_sizes(call: &mut Call<'_>) -> Done {
    let fixed = Arc::clone(&call.world.fixed);
    sizes(call, &fixed.environment)
}

/// Writes texts one behind the other, and a pointer to each.
fn texts(call: &mut Call<'_>, texts: &[Vec<u8>]) -> Done {
    let (pointers, bytes) = (call.pointer(0), call.pointer(1));
    let all = texts.concat();
    call.place(pointers, texts.len() as u64 * 4, 4)?;
    call.place(bytes, all.len() as u64, 1)?;
    let mut at = bytes as u32;
    let mut list = Vec::with_capacity(texts.len() * 4);
    for text in texts {
        list.extend_from_slice(&at.to_le_bytes());
        at = at.wrapping_add(text.len() as u32);
    }
    call.write(pointers, list);
    call.write(bytes, all);
    Ok(())
}

/// Writes how many texts there are, and their bytes.
fn sizes(call: &mut Call<'_>, texts: &[Vec<u8>]) -> Done {
    let (count, bytes) = (call.pointer(0), call.pointer(1));
    call.place(count, 4, 4)?;
    call.place(bytes, 4, 4)?;
    call.write_small(count, texts.len() as u32);
    call.write_small(bytes, texts.iter().map(Vec::len).sum::<usize>() as u32);
    Ok(())
}

fn clock(call: &Call<'_>, index: usize) -> Done<ClockId> {
    let number = call.small(index) as usize;
    Ok(*ClockId::ALL.get(number).ok_or(Errno::Inval)?)
}

pub(super) fn clock_resolution(call: &mut Call<'_>) -> Done {
    clock(call, 0)?;
    let place = call.pointer(1);
    call.place(place, 8, 8)?;
    call.write_large(place, 1);
    Ok(())
}

pub(super) fn clock_time(call: &mut Call<'_>) -> Done {
    let clock = clock(call, 0)?;
    let place = call.pointer(2);
    call.place(place, 8, 8)?;
    let last = call.world.clock(clock);
    let time = match call.chosen {
        Some(Chosen::Later(since)) => last.saturating_add(*since),
        _ => return Err(call.misuse(Some(Wants::Time { clock, last }))),
    };
    call.world.clocks[clock as usize] = time;
    call.write_large(place, time);
    Ok(())
}

pub(super) fn random(call: &mut Call<'_>) -> Done {
    let (place, count) = (call.pointer(0), call.small(1));
    call.place(place, u64::from(count), 1)?;
    let bytes = match call.chosen {
        Some(Chosen::Bytes(bytes)) if bytes.len() == count as usize => bytes.clone(),
        None if count == 0 => Vec::new(),
        _ => return Err(call.misuse(Some(Wants::Random { bytes: count }))),
    };
    call.world.drawn += u64::from(count);
    call.write(place, bytes);
    Ok(())
}

pub(super) fn exit(call: &mut Call<'_>) -> Done {
    Err(Stop::Exit(call.small(0)))
}

/// There are no signals.
pub(super) fn raise(_: &mut Call<'_>) -> Done {
    Err(Errno::Notsup.into())
}

/// There are no sockets.
pub(super) fn socket(call: &mut Call<'_>) -> Done {
    call.descriptor(0)?;
    Err(Errno::Notsock.into())
}
