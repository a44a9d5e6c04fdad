//! What is done with names of files and directories.

use crate::call::{Call, Done};
use crate::errno::Errno;
use crate::rights;
use crate::tree::{Data, Directory, Found, Ino, Name, Times};
use alloc::sync::Arc;

/// Where the path of two arguments leads from a descriptor that has a right; a link at its end is what is named.
fn named(call: &Call<'_>, descriptor: usize, path: usize, right: u64) -> Done<Found> {
    let start = call.directory(descriptor, right)?;
    let path = call.path(path)?;
    Ok(call
        .world
        .tree
        .resolve(start, &path, false, call.limits())?)
}

/// The directory and the name for something new.
fn free(call: &Call<'_>, found: Found) -> Done<(Ino, Name)> {
    if let Some(ino) = found.ino {
        let folder = call.world.tree.directory(ino).is_ok();
        return Err(if found.slash && !folder {
            Errno::Notdir
        } else {
            Errno::Exist
        }
        .into());
    }
    let (directory, name) = found.entry.ok_or(Errno::Exist)?;
    if call.world.tree.inode(directory)?.links == 0 {
        return Err(Errno::Noent.into());
    }
    Ok((directory, Name::from(name)))
}

pub(super) fn create_directory(call: &mut Call<'_>) -> Done {
    let found = named(call, 0, 1, rights::PATH_CREATE_DIRECTORY)?;
    let (directory, name) = free(call, found)?;
    call.world.tree.room(call.limits())?;
    call.world.tree.nestable(directory, 1, call.limits())?;
    let now = call.world.now();
    let data = Data::Directory(Arc::new(Directory::new(directory)));
    let ino = call.world.tree.create(data, Times::new(now));
    call.world.tree.enter(directory, name, ino, now);
    Ok(())
}

pub(super) fn symlink(call: &mut Call<'_>) -> Done {
    let target = call.path(0)?;
    let found = named(call, 2, 3, rights::PATH_SYMLINK)?;
    if target.is_empty() {
        return Err(Errno::Noent.into());
    }
    // It would lead out of everything that the program was given.
    if target.starts_with('/') {
        return Err(Errno::Perm.into());
    }
    let slash = found.slash;
    let (directory, name) = free(call, found)?;
    if slash {
        return Err(Errno::Noent.into());
    }
    call.world.tree.room(call.limits())?;
    let now = call.world.now();
    let ino = call
        .world
        .tree
        .create(Data::Link(Arc::from(target)), Times::new(now));
    call.world.tree.enter(directory, name, ino, now);
    Ok(())
}

pub(super) fn read_link(call: &mut Call<'_>) -> Done {
    let found = named(call, 0, 1, rights::PATH_READLINK)?;
    let ino = found.ino.ok_or(Errno::Noent)?;
    let target = match &call.world.tree.inode(ino)?.data {
        Data::Link(_) if found.slash => return Err(Errno::Notdir.into()),
        Data::Link(target) => Arc::clone(target),
        _ => return Err(Errno::Inval.into()),
    };
    let (place, used) = (call.pointer(3), call.pointer(5));
    let len = target.len().min(call.small(4) as usize);
    call.place(place, len as u64, 1)?;
    call.place(used, 4, 4)?;
    call.write(place, target.as_bytes()[..len].to_vec());
    call.write_small(used, len as u32);
    Ok(())
}

pub(super) fn link(call: &mut Call<'_>) -> Done {
    // As in wasmtime, a link at the end of the path is never followed.
    let flags = call.small(1);
    let source = named(call, 0, 2, rights::PATH_LINK_SOURCE)?;
    let target = named(call, 4, 5, rights::PATH_LINK_TARGET)?;
    if flags != 0 {
        return Err(Errno::Inval.into());
    }
    let ino = source.ino.ok_or(Errno::Noent)?;
    let inode = call.world.tree.inode(ino)?;
    if let Data::Directory(_) = inode.data {
        return Err(Errno::Perm.into());
    }
    if source.slash {
        return Err(Errno::Notdir.into());
    }
    if inode.links >= call.limits().hard_links {
        return Err(Errno::Mlink.into());
    }
    let slash = target.slash;
    let (directory, name) = free(call, target)?;
    if slash {
        return Err(Errno::Noent.into());
    }
    let now = call.world.now();
    call.world.tree.enter(directory, name, ino, now);
    Ok(())
}

pub(super) fn unlink(call: &mut Call<'_>) -> Done {
    let found = named(call, 0, 1, rights::PATH_UNLINK_FILE)?;
    let ino = found.ino.ok_or(Errno::Noent)?;
    if call.world.tree.directory(ino).is_ok() {
        return Err(Errno::Isdir.into());
    }
    if found.slash {
        return Err(Errno::Notdir.into());
    }
    let (directory, name) = found.entry.ok_or(Errno::Isdir)?;
    let now = call.world.now();
    let left = call.world.tree.leave(directory, &name, now);
    call.dropped(left);
    Ok(())
}

pub(super) fn remove_directory(call: &mut Call<'_>) -> Done {
    let found = named(call, 0, 1, rights::PATH_REMOVE_DIRECTORY)?;
    let ino = found.ino.ok_or(Errno::Noent)?;
    let empty = call.world.tree.directory(ino)?.is_empty();
    // The path ends in a dot, or two.
    let (directory, name) = found.entry.ok_or(Errno::Inval)?;
    if !empty {
        return Err(Errno::Notempty.into());
    }
    let now = call.world.now();
    let left = call.world.tree.leave(directory, &name, now);
    call.dropped(left);
    Ok(())
}

pub(super) fn rename(call: &mut Call<'_>) -> Done {
    let source = named(call, 0, 1, rights::PATH_RENAME_SOURCE)?;
    let target = named(call, 3, 4, rights::PATH_RENAME_TARGET)?;
    let ino = source.ino.ok_or(Errno::Noent)?;
    let (from, old) = source.entry.ok_or(Errno::Busy)?;
    let (to, new) = target.entry.ok_or(Errno::Busy)?;
    let tree = &call.world.tree;
    let folder = tree.directory(ino).is_ok();
    if !folder && (source.slash || target.slash) {
        return Err(Errno::Notdir.into());
    }
    if tree.inode(to)?.links == 0 {
        return Err(Errno::Noent.into());
    }
    if folder && is_within(call, to, ino)? {
        return Err(Errno::Inval.into());
    }
    if target.ino == Some(ino) {
        return Ok(());
    }
    if let Some(replaced) = target.ino {
        match (folder, tree.directory(replaced)) {
            (true, Err(_)) => return Err(Errno::Notdir.into()),
            (false, Ok(_)) => return Err(Errno::Isdir.into()),
            (true, Ok(replaced)) if !replaced.is_empty() => return Err(Errno::Notempty.into()),
            _ => {}
        }
    }
    if folder && from != to {
        tree.nestable(to, tree.height(ino), call.limits())?;
    }
    let now = call.world.now();
    let tree = &mut call.world.tree;
    let replaced = tree.leave(to, &new, now);
    tree.leave(from, &old, now);
    tree.enter(to, Name::from(new), ino, now);
    call.dropped(replaced);
    Ok(())
}

/// True if a directory is `above`, or lies in it.
fn is_within(call: &Call<'_>, directory: Ino, above: Ino) -> Done<bool> {
    let mut here = directory;
    loop {
        if here == above {
            return Ok(true);
        }
        let parent = call.world.tree.directory(here)?.parent();
        if parent == here {
            return Ok(false);
        }
        here = parent;
    }
}
