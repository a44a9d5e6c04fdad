//! Bytes from files and streams to memory, and back; where the next ones are.

use crate::call::{Buffers, Call, Done};
use crate::choice::{Chosen, Wants};
use crate::errno::Errno;
use crate::function::Preview;
use crate::rights;
use crate::world::{Open, Output};
use alloc::vec::Vec;

pub(super) fn read(call: &mut Call<'_>) -> Done {
    if call
        .allowed(0, rights::FD_READ)
        .is_ok_and(|descriptor| descriptor.open == Open::Input)
    {
        return read_input(call);
    }
    let offset = call.descriptor(0)?.offset;
    let len = read_file(call, offset, 3, rights::FD_READ)?;
    call.change(0, |descriptor| descriptor.offset += u64::from(len));
    Ok(())
}

pub(super) fn read_at(call: &mut Call<'_>) -> Done {
    let offset = call.large(3);
    read_file(call, offset, 4, rights::FD_READ | rights::FD_SEEK).map(|_| ())
}

/// Reads from a file and says how many bytes. `count` is the argument that says where that goes.
fn read_file(call: &mut Call<'_>, offset: u64, count: usize, rights: u64) -> Done<u32> {
    if let Open::Input | Open::Output(_) = call.descriptor(0)?.open {
        // A stream that can be read was read by now, and none has positions.
        let reads = rights == rights::FD_READ;
        return Err(if reads { Errno::Badf } else { Errno::Spipe }.into());
    }
    let (ino, _) = call.file(0, rights)?;
    let buffers = call.buffers(1)?;
    let place = call.pointer(count);
    call.place(place, 4, 4)?;
    if offset > i64::MAX as u64 {
        return Err(Errno::Inval.into());
    }
    let most = call.short(buffers.len)?;
    let bytes = call.world.tree.file(ino)?.read(offset, most as usize);
    call.scatter(&buffers, &bytes);
    call.write_small(place, bytes.len() as u32);
    Ok(bytes.len() as u32)
}

fn read_input(call: &mut Call<'_>) -> Done {
    let buffers = call.buffers(1)?;
    let place = call.pointer(3);
    call.place(place, 4, 4)?;
    let bytes = match call.chosen {
        None if buffers.len == 0 => Vec::new(),
        Some(Chosen::Bytes(bytes)) if bytes.len() <= buffers.len as usize => bytes.clone(),
        _ => {
            return Err(call.misuse(Some(Wants::Input {
                at_most: buffers.len,
            })));
        }
    };
    call.world.input_read = call.world.input_read.saturating_add(bytes.len() as u64);
    call.scatter(&buffers, &bytes);
    call.write_small(place, bytes.len() as u32);
    Ok(())
}

pub(super) fn write(call: &mut Call<'_>) -> Done {
    match call.descriptor(0)?.open {
        Open::Input => Err(Errno::Badf.into()),
        Open::Output(output) => write_output(call, output),
        Open::Inode(_) => {
            let (ino, descriptor) = call.file(0, rights::FD_WRITE)?;
            let offset = if descriptor.appends() {
                call.world.tree.file(ino)?.len()
            } else {
                descriptor.offset
            };
            let len = write_file(call, offset, 3, rights::FD_WRITE)?;
            call.change(0, |descriptor| descriptor.offset = offset + u64::from(len));
            Ok(())
        }
    }
}

pub(super) fn write_at(call: &mut Call<'_>) -> Done {
    let rights = rights::FD_WRITE | rights::FD_SEEK;
    let (ino, descriptor) = call.file(0, rights)?;
    let offset = if descriptor.appends() {
        // As Linux does it, against POSIX.
        call.world.tree.file(ino)?.len()
    } else {
        call.large(3)
    };
    write_file(call, offset, 4, rights).map(|_| ())
}

/// Writes to a file and says how many bytes. `count` is the argument that says where that goes.
fn write_file(call: &mut Call<'_>, offset: u64, count: usize, rights: u64) -> Done<u32> {
    let (ino, _) = call.file(0, rights)?;
    let (buffers, place) = sources(call, count)?;
    if offset > i64::MAX as u64 {
        return Err(Errno::Inval.into());
    }
    let wanted = u64::from(call.short(buffers.len)?);
    let len = call
        .world
        .tree
        .write_len(ino, offset, wanted, call.limits())? as u32;
    let bytes = call.gather(&buffers, len)?;
    if !bytes.is_empty() {
        let now = call.world.now();
        call.world.tree.write(ino, offset, &bytes, now);
    }
    call.write_small(place, len);
    Ok(len)
}

fn write_output(call: &mut Call<'_>, output: Output) -> Done {
    call.allowed(0, rights::FD_WRITE)?;
    let (buffers, place) = sources(call, 3)?;
    let wanted = u64::from(call.short(buffers.len)?);
    let end = call.world.output(output).len();
    let room = call.limits().output_bytes.saturating_sub(end);
    if room == 0 && wanted > 0 {
        return Err(Errno::Nospc.into());
    }
    let bytes = call.gather(&buffers, wanted.min(room) as u32)?;
    call.world.written[output as usize].write(end, &bytes);
    call.write_small(place, bytes.len() as u32);
    Ok(())
}

/// The buffers of a write, and where the count of written bytes goes.
fn sources(call: &Call<'_>, count: usize) -> Done<(Buffers, u64)> {
    let buffers = call.buffers(1)?;
    let place = call.pointer(count);
    call.place(place, 4, 4)?;
    Ok((buffers, place))
}

pub(super) fn seek(call: &mut Call<'_>) -> Done {
    let (delta, whence, place) = (call.large(1) as i64, call.small(2), call.pointer(3));
    let base = match (call.preview, whence) {
        (Preview::One, 0) | (Preview::Unstable, 2) => Base::Start,
        (Preview::One, 1) | (Preview::Unstable, 0) => Base::Here,
        (Preview::One, 2) | (Preview::Unstable, 1) => Base::End,
        _ => return Err(Errno::Inval.into()),
    };
    let (ino, descriptor) = call.file(0, 0)?;
    // To ask where one is takes no right to go elsewhere.
    let asks = base == Base::Here && delta == 0;
    let right = rights::FD_SEEK | if asks { rights::FD_TELL } else { 0 };
    if descriptor.base & right == 0 {
        return Err(Errno::Notcapable.into());
    }
    let base = match base {
        Base::Start => 0,
        Base::Here => descriptor.offset,
        Base::End => call.world.tree.file(ino)?.len(),
    };
    let offset = i64::try_from(base)
        .ok()
        .and_then(|base| base.checked_add(delta))
        .and_then(|offset| u64::try_from(offset).ok())
        .ok_or(Errno::Inval)?;
    call.place(place, 8, 8)?;
    call.change(0, |descriptor| descriptor.offset = offset);
    call.write_large(place, offset);
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Base {
    Start,
    Here,
    End,
}

pub(super) fn tell(call: &mut Call<'_>) -> Done {
    let (_, descriptor) = call.file(0, 0)?;
    if descriptor.base & (rights::FD_TELL | rights::FD_SEEK) == 0 {
        return Err(Errno::Notcapable.into());
    }
    let place = call.pointer(1);
    call.place(place, 8, 8)?;
    call.write_large(place, descriptor.offset);
    Ok(())
}
