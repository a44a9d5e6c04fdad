//! Opening files and directories.

use super::descriptor::FLAGS;
use crate::call::{Call, Done};
use crate::errno::Errno;
use crate::rights;
use crate::store::Content;
use crate::tree::{Data, Found, Ino, Name, Times};
use crate::world::{Descriptor, Open};
use alloc::sync::Arc;

pub(crate) const CREATE: u32 = 1;
const DIRECTORY: u32 = 2;
const EXCLUSIVE: u32 = 4;
pub(crate) const TRUNCATE: u32 = 8;

/// What will happen once nothing stands in the way.
enum Plan {
    Open(Ino),
    Truncate(Ino),
    Create(Ino, Name),
}

pub(super) fn open(call: &mut Call<'_>) -> Done {
    let (lookup, how, flags) = (call.small(1), call.small(4), call.small(7));
    let mut needed = rights::PATH_OPEN;
    if how & CREATE != 0 {
        needed |= rights::PATH_CREATE_FILE;
    }
    if how & TRUNCATE != 0 {
        needed |= rights::PATH_FILESTAT_SET_SIZE;
    }
    let start = call.directory(0, needed)?;
    let path = call.path(2)?;
    let folder_only = how & DIRECTORY != 0;
    let bad = lookup > 1
        || how & !0xf != 0
        || flags & !FLAGS != 0
        || (folder_only && how & (CREATE | EXCLUSIVE | TRUNCATE) != 0);
    if bad {
        return Err(Errno::Inval.into());
    }
    let follow = follows(lookup, how, &path);
    let found = call
        .world
        .tree
        .resolve(start, &path, follow, call.limits())?;
    let plan = plan(call, found, how)?;
    if call.world.descriptors.len() >= call.limits().descriptors as usize {
        return Err(Errno::Mfile.into());
    }
    let place = call.pointer(8);
    call.place(place, 4, 4)?;

    let inherited = call.descriptor(0)?.inheriting;
    let now = call.world.now();
    let tree = &mut call.world.tree;
    let ino = match plan {
        Plan::Open(ino) => ino,
        Plan::Truncate(ino) => {
            tree.set_size(ino, 0, now);
            ino
        }
        Plan::Create(directory, name) => {
            let ino = tree.create(Data::File(Content::default()), Times::new(now));
            tree.enter(directory, name, ino, now);
            ino
        }
    };
    let folder = tree.directory(ino).is_ok();
    let possible = if folder {
        rights::DIRECTORY
    } else {
        rights::FILE
    };
    let number = call.world.descriptors.insert(Arc::new(Descriptor {
        open: Open::Inode(ino),
        given: None,
        base: call.large(5) & inherited & possible,
        inheriting: if folder { call.large(6) & inherited } else { 0 },
        flags: flags as u16,
        offset: 0,
    }));
    call.write_small(place, number);
    Ok(())
}

/// Whether a link at the end of a path is followed.
pub(crate) fn follows(lookup: u32, how: u32, path: &str) -> bool {
    let exclusive = how & (CREATE | EXCLUSIVE) == CREATE | EXCLUSIVE;
    !exclusive && (lookup == 1 || path.ends_with('/'))
}

/// What opening comes to, or why it fails.
fn plan(call: &Call<'_>, found: Found, how: u32) -> Done<Plan> {
    let tree = &call.world.tree;
    let creates = how & CREATE != 0;
    let Some(ino) = found.ino else {
        if !creates {
            return Err(Errno::Noent.into());
        }
        if found.slash {
            return Err(Errno::Isdir.into());
        }
        let (directory, name) = found.entry.ok_or(Errno::Noent)?;
        if tree.inode(directory)?.links == 0 {
            return Err(Errno::Noent.into());
        }
        tree.room(call.limits())?;
        return Ok(Plan::Create(directory, Name::from(name)));
    };
    if creates && how & EXCLUSIVE != 0 {
        return Err(Errno::Exist.into());
    }
    let folder_only = how & DIRECTORY != 0 || found.slash;
    match &tree.inode(ino)?.data {
        Data::Directory(_) => {
            let writes = call.large(5) & rights::FD_WRITE != 0;
            if writes || how & (CREATE | TRUNCATE) != 0 {
                return Err(Errno::Isdir.into());
            }
            Ok(Plan::Open(ino))
        }
        Data::Link(_) | Data::File(_) if folder_only => Err(Errno::Notdir.into()),
        Data::Link(_) => Err(Errno::Loop.into()),
        Data::File(_) if how & TRUNCATE != 0 => Ok(Plan::Truncate(ino)),
        Data::File(_) => Ok(Plan::Open(ino)),
    }
}
