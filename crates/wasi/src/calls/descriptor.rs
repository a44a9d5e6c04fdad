//! What is done with descriptors, but moving bytes.

use super::stat::kind;
use crate::call::{Call, Done};
use crate::errno::Errno;
use crate::rights;
use crate::store::Content;
use crate::world::Open;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// All flags of a descriptor.
pub(super) const FLAGS: u32 = 0x1f;

/// A hint about what will be read: there is nothing to be faster.
pub(super) fn advise(call: &mut Call<'_>) -> Done {
    call.file(0, rights::FD_ADVISE)?;
    if call.small(3) > 5 {
        return Err(Errno::Inval.into());
    }
    Ok(())
}

pub(super) fn allocate(call: &mut Call<'_>) -> Done {
    let (ino, _) = call.file(0, rights::FD_ALLOCATE)?;
    let (offset, len) = (call.large(1), call.large(2));
    if len == 0 {
        return Err(Errno::Inval.into());
    }
    let end = offset.checked_add(len).ok_or(Errno::Fbig)?;
    if end > call.world.tree.file(ino).map_or(0, Content::len) {
        resize(call, ino, end)?;
    }
    Ok(())
}

pub(super) fn set_size(call: &mut Call<'_>) -> Done {
    let (ino, _) = call.file(0, rights::FD_FILESTAT_SET_SIZE)?;
    let size = call.large(1);
    resize(call, ino, size)
}

fn resize(call: &mut Call<'_>, ino: crate::tree::Ino, size: u64) -> Done {
    if size > i64::MAX as u64 {
        return Err(Errno::Inval.into());
    }
    call.world.tree.sizable(ino, size, call.limits())?;
    let now = call.world.now();
    call.world.tree.set_size(ino, size, now);
    Ok(())
}

pub(super) fn close(call: &mut Call<'_>) -> Done {
    let open = call.descriptor(0)?.open;
    call.world.descriptors.remove(call.small(0));
    call.release(open);
    Ok(())
}

/// Everything has always arrived.
pub(super) fn sync(call: &mut Call<'_>, right: u64) -> Done {
    match call.descriptor(0)?.open {
        Open::Input | Open::Output(_) => Err(Errno::Inval.into()),
        Open::Inode(_) => call.allowed(0, right).map(|_| ()),
    }
}

pub(super) fn status(call: &mut Call<'_>) -> Done {
    let descriptor = call.descriptor(0)?.clone();
    let kind = kind(call, descriptor.open)?;
    let place = call.pointer(1);
    call.place(place, 24, 8)?;
    let mut bytes = Vec::with_capacity(24);
    bytes.extend_from_slice(&[kind, 0]);
    bytes.extend_from_slice(&descriptor.flags.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&descriptor.base.to_le_bytes());
    bytes.extend_from_slice(&descriptor.inheriting.to_le_bytes());
    call.write(place, bytes);
    Ok(())
}

pub(super) fn set_flags(call: &mut Call<'_>) -> Done {
    call.allowed(0, rights::FD_FDSTAT_SET_FLAGS)?;
    let flags = call.small(1);
    if flags & !FLAGS != 0 {
        return Err(Errno::Inval.into());
    }
    call.change(0, |descriptor| descriptor.flags = flags as u16);
    Ok(())
}

/// Rights can only be given away.
pub(super) fn set_rights(call: &mut Call<'_>) -> Done {
    let (base, inheriting) = (call.large(1), call.large(2));
    let descriptor = call.descriptor(0)?;
    if base & !descriptor.base != 0 || inheriting & !descriptor.inheriting != 0 {
        return Err(Errno::Notcapable.into());
    }
    call.change(0, |descriptor| {
        descriptor.base = base;
        descriptor.inheriting = inheriting;
    });
    Ok(())
}

pub(super) fn given(call: &mut Call<'_>) -> Done {
    let name = call.descriptor(0)?.given.clone().ok_or(Errno::Badf)?;
    let place = call.pointer(1);
    call.place(place, 8, 4)?;
    call.write_small(place, 0);
    call.write_small(place + 4, name.len() as u32);
    Ok(())
}

pub(super) fn given_name(call: &mut Call<'_>) -> Done {
    let name = call.descriptor(0)?.given.clone().ok_or(Errno::Badf)?;
    let (place, len) = (call.pointer(1), call.pointer(2));
    if len < name.len() as u64 {
        return Err(Errno::Nametoolong.into());
    }
    call.place(place, name.len() as u64, 1)?;
    call.write(place, name.as_bytes().to_vec());
    Ok(())
}

/// The entries of a directory, as many bytes of them as fit; the last one may be cut off.
pub(super) fn list(call: &mut Call<'_>) -> Done {
    let ino = call.directory(0, rights::FD_READDIR)?;
    let (place, len) = (call.pointer(1), call.pointer(2));
    call.place(place, len, 1)?;
    let used = call.pointer(4);
    call.place(used, 4, 4)?;
    let cookie = call.large(3);
    let tree = &call.world.tree;
    let directory = tree.directory(ino)?;
    let mut bytes = Vec::new();
    let mut entry = |next: u64, name: &str, ino: u32| -> Result<bool, Errno> {
        bytes.extend_from_slice(&next.to_le_bytes());
        bytes.extend_from_slice(&(u64::from(ino) + 1).to_le_bytes());
        bytes.extend_from_slice(&(name.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&[tree.inode(ino)?.kind(), 0, 0, 0]);
        bytes.extend_from_slice(name.as_bytes());
        Ok(bytes.len() as u64 >= len)
    };
    let mut full = cookie == 0 && entry(1, ".", ino)?;
    full = full || (cookie <= 1 && entry(2, "..", directory.parent())?);
    if !full {
        for (order, name, ino) in directory.from(cookie.saturating_sub(2)) {
            if entry(order + 3, name, ino)? {
                break;
            }
        }
    }
    bytes.truncate(len as usize);
    call.write_small(used, bytes.len() as u32);
    call.write(place, bytes);
    Ok(())
}

pub(super) fn renumber(call: &mut Call<'_>) -> Done {
    let moved = Arc::clone(call.descriptor(0)?);
    let replaced = call.descriptor(1)?.open;
    let (from, to) = (call.small(0), call.small(1));
    if from != to {
        call.world.descriptors.remove(from);
        call.world.descriptors.put(to, moved);
        call.release(replaced);
    }
    Ok(())
}
