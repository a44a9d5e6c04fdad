//! What is known of a file, and its times.

use crate::call::{Call, Done};
use crate::errno::Errno;
use crate::function::Preview;
use crate::rights;
use crate::tree::{Ino, Times};
use crate::world::Open;
use alloc::vec::Vec;

const UNKNOWN: u8 = 0;
const CHARACTER_DEVICE: u8 = 2;
/// The device of all files.
const DEVICE: u64 = 1;

/// The number of the kind of what a descriptor leads to: a stream that is no terminal has none.
pub(super) fn kind(call: &Call<'_>, open: Open) -> Done<u8> {
    let stream = match open {
        Open::Inode(ino) => return Ok(call.world.tree.inode(ino)?.kind()),
        Open::Input => 0,
        Open::Output(output) => 1 + output as usize,
    };
    Ok(if call.world.fixed.terminals[stream] {
        CHARACTER_DEVICE
    } else {
        UNKNOWN
    })
}

pub(super) fn of_descriptor(call: &mut Call<'_>) -> Done {
    let open = call.allowed(0, rights::FD_FILESTAT_GET)?.open;
    match open {
        Open::Inode(ino) => of_inode(call, ino, 1),
        Open::Input | Open::Output(_) => {
            let kind = kind(call, open)?;
            let zero = Times::new(0);
            answer(call, 1, kind, [0, 0, 0, 0], zero)
        }
    }
}

pub(super) fn of_path(call: &mut Call<'_>) -> Done {
    let ino = named(call, rights::PATH_FILESTAT_GET)?;
    of_inode(call, ino, 4)
}

/// The inode that descriptor, flags and path name, the first four arguments.
fn named(call: &Call<'_>, right: u64) -> Done<Ino> {
    let start = call.directory(0, right)?;
    let flags = call.small(1);
    if flags > 1 {
        return Err(Errno::Inval.into());
    }
    let path = call.path(2)?;
    let follow = flags == 1 || path.ends_with('/');
    let found = call
        .world
        .tree
        .resolve(start, &path, follow, call.limits())?;
    let ino = found.ino.ok_or(Errno::Noent)?;
    if found.slash {
        call.world.tree.directory(ino)?;
    }
    Ok(ino)
}

fn of_inode(call: &mut Call<'_>, ino: Ino, place: usize) -> Done {
    let inode = call.world.tree.inode(ino)?;
    let (kind, times) = (inode.kind(), inode.times);
    let numbers = [
        DEVICE,
        u64::from(ino) + 1,
        u64::from(inode.links),
        inode.size(),
    ];
    answer(call, place, kind, numbers, times)
}

/// Writes what is known: device, inode, links and size.
fn answer(
    call: &mut Call<'_>,
    place: usize,
    kind: u8,
    [device, inode, links, size]: [u64; 4],
    times: Times,
) -> Done {
    let mut bytes = Vec::with_capacity(64);
    bytes.extend_from_slice(&device.to_le_bytes());
    bytes.extend_from_slice(&inode.to_le_bytes());
    match call.preview {
        Preview::One => {
            bytes.extend_from_slice(&[kind, 0, 0, 0, 0, 0, 0, 0]);
            bytes.extend_from_slice(&links.to_le_bytes());
        }
        Preview::Unstable => {
            bytes.extend_from_slice(&[kind, 0, 0, 0]);
            bytes.extend_from_slice(&(links as u32).to_le_bytes());
        }
    }
    for number in [size, times.accessed, times.modified, times.changed] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    let place = call.pointer(place);
    call.place(place, bytes.len() as u64, 8)?;
    call.write(place, bytes);
    Ok(())
}

pub(super) fn set_times_of_descriptor(call: &mut Call<'_>) -> Done {
    let Open::Inode(ino) = call.allowed(0, rights::FD_FILESTAT_SET_TIMES)?.open else {
        return Err(Errno::Badf.into());
    };
    set_times(call, ino, 1)
}

pub(super) fn set_times_of_path(call: &mut Call<'_>) -> Done {
    let ino = named(call, rights::PATH_FILESTAT_SET_TIMES)?;
    set_times(call, ino, 4)
}

/// Sets times: read, written, and flags that say which, and whether to now, from the argument `first` on.
fn set_times(call: &mut Call<'_>, ino: Ino, first: usize) -> Done {
    let flags = call.small(first + 2);
    if flags & !0xf != 0 || flags & 3 == 3 || flags & 0xc == 0xc {
        return Err(Errno::Inval.into());
    }
    let now = call.world.now();
    let mut times = call.world.tree.inode(ino)?.times;
    match flags & 3 {
        1 => times.accessed = call.large(first),
        2 => times.accessed = now,
        _ => {}
    }
    match flags & 0xc {
        4 => times.modified = call.large(first + 1),
        8 => times.modified = now,
        _ => {}
    }
    if flags != 0 {
        times.changed = now;
    }
    call.world.tree.set_times(ino, times);
    Ok(())
}
