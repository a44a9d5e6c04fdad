//! Directories, files and symbolic links: a persistent table of inodes.

mod inode;
mod portable;
mod resolve;

pub(crate) use inode::{Data, Directory, Ino, Inode, Name, Times, is_name};
pub(crate) use portable::PortableInode;
pub(crate) use resolve::Found;

use crate::errno::Errno;
use crate::limits::WorldLimits;
use crate::store::{Content, Digest, Held, Numbered};
use alloc::sync::Arc;

/// All inodes: those that directories lead to, and those that only descriptors hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    inodes: Numbered<Arc<Inode>>,
    /// The lengths of all files together. Follows from `inodes`.
    bytes: u64,
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        self.inodes == other.inodes
    }
}

impl Digest for Tree {
    fn digest(&self) -> u64 {
        self.inodes.digest()
    }
}

impl Held for Tree {
    fn pieces(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        self.inodes.pieces(visit);
    }

    fn beyond(&self, other: Option<&Tree>) -> usize {
        self.inodes.beyond(other.map(|other| &other.inodes))
    }
}

impl Tree {
    /// The inode of this number: whoever holds a number of an inode holds the inode.
    pub(crate) fn inode(&self, ino: Ino) -> Result<&Inode, Errno> {
        self.inodes.get(ino).map(|inode| &**inode).ok_or(Errno::Io)
    }

    /// What a directory has, or that it is none.
    pub(crate) fn directory(&self, ino: Ino) -> Result<&Directory, Errno> {
        match &self.inode(ino)?.data {
            Data::Directory(directory) => Ok(directory),
            _ => Err(Errno::Notdir),
        }
    }

    /// The bytes of a file, or that it is none.
    pub(crate) fn file(&self, ino: Ino) -> Result<&Content, Errno> {
        match &self.inode(ino)?.data {
            Data::File(content) => Ok(content),
            Data::Directory(_) => Err(Errno::Isdir),
            Data::Link(_) => Err(Errno::Inval),
        }
    }

    /// How many inodes there are.
    pub(crate) fn len(&self) -> usize {
        self.inodes.len()
    }

    /// The lengths of all files together.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether one more inode fits.
    pub(crate) fn room(&self, limits: &WorldLimits) -> Result<(), Errno> {
        if self.inodes.len() < limits.inodes as usize {
            Ok(())
        } else {
            Err(Errno::Nospc)
        }
    }

    /// Whether a directory of `height` levels fits into another one.
    pub(crate) fn nestable(
        &self,
        directory: Ino,
        height: u32,
        limits: &WorldLimits,
    ) -> Result<(), Errno> {
        let mut depth = height;
        let mut here = directory;
        while depth <= limits.depth {
            let parent = self.directory(here)?.parent();
            if parent == here {
                return Ok(());
            }
            here = parent;
            depth += 1;
        }
        Err(Errno::Nametoolong)
    }

    /// The levels of a directory, itself included.
    pub(crate) fn height(&self, directory: Ino) -> u32 {
        let below = self
            .directory(directory)
            .into_iter()
            .flat_map(Directory::entries);
        let heights = below.map(|(_, ino)| {
            if self.directory(ino).is_ok() {
                self.height(ino)
            } else {
                0
            }
        });
        1 + heights.max().unwrap_or(0)
    }

    /// A new inode that no directory leads to yet.
    pub(crate) fn create(&mut self, data: Data, times: Times) -> Ino {
        if let Data::File(content) = &data {
            self.bytes += content.len();
        }
        self.inodes.insert(Arc::new(Inode {
            data,
            links: 0,
            times,
        }))
    }

    /// Makes a directory a root: it stays, and is the one above itself.
    pub(crate) fn adopt(&mut self, root: Ino) {
        self.change(root, |inode| {
            inode.links = 1;
            if let Data::Directory(directory) = &mut inode.data {
                Arc::make_mut(directory).set_parent(root);
            }
        });
    }

    /// Changes an inode.
    fn change(&mut self, ino: Ino, change: impl FnOnce(&mut Inode)) {
        self.inodes
            .change(ino, |inode| change(Arc::make_mut(inode)));
    }

    /// Sets the times of an inode.
    pub(crate) fn set_times(&mut self, ino: Ino, times: Times) {
        self.change(ino, |inode| inode.times = times);
    }

    /// Enters an inode in a directory under a name that is free there.
    pub(crate) fn enter(&mut self, directory: Ino, name: Name, ino: Ino, now: u64) {
        self.change(directory, |inode| {
            if let Data::Directory(directory) = &mut inode.data {
                Arc::make_mut(directory).insert(name, ino);
            }
            inode.times.modified(now);
        });
        self.change(ino, |inode| {
            inode.links += 1;
            inode.times.changed = now;
            if let Data::Directory(entered) = &mut inode.data {
                Arc::make_mut(entered).set_parent(directory);
            }
        });
    }

    /// Takes a name out of a directory. The inode stays until [`Tree::forget`].
    pub(crate) fn leave(&mut self, directory: Ino, name: &str, now: u64) -> Option<Ino> {
        let mut left = None;
        self.change(directory, |inode| {
            if let Data::Directory(directory) = &mut inode.data {
                left = Arc::make_mut(directory).remove(name);
            }
            inode.times.modified(now);
        });
        if let Some(ino) = left {
            self.change(ino, |inode| {
                inode.links -= 1;
                inode.times.changed = now;
            });
        }
        left
    }

    /// Drops an inode that nothing leads to and nobody holds.
    pub(crate) fn forget(&mut self, ino: Ino) {
        if let Some(inode) = self.inodes.remove(ino)
            && let Data::File(content) = &inode.data
        {
            self.bytes -= content.len();
        }
    }

    /// How far a write of `len` bytes at `offset` of a file with `size` bytes may go: at least one byte, or why not.
    fn writable(
        &self,
        size: u64,
        offset: u64,
        len: u64,
        limits: &WorldLimits,
    ) -> Result<u64, Errno> {
        if len == 0 {
            return Ok(0);
        }
        let by_file = limits.file_bytes.saturating_sub(offset);
        if by_file == 0 {
            return Err(Errno::Fbig);
        }
        let end = size.saturating_add(limits.bytes.saturating_sub(self.bytes));
        let by_disk = end.saturating_sub(offset);
        if by_disk == 0 {
            return Err(Errno::Nospc);
        }
        Ok(len.min(by_file).min(by_disk))
    }

    /// How many of `len` bytes a write at `offset` of a file will take.
    pub(crate) fn write_len(
        &self,
        ino: Ino,
        offset: u64,
        len: u64,
        limits: &WorldLimits,
    ) -> Result<u64, Errno> {
        self.writable(self.file(ino)?.len(), offset, len, limits)
    }

    /// Writes bytes that [`Tree::write_len`] has said yes to.
    pub(crate) fn write(&mut self, ino: Ino, offset: u64, bytes: &[u8], now: u64) {
        self.resized(ino, now, |content| content.write(offset, bytes));
    }

    /// Whether a file may get this size.
    pub(crate) fn sizable(&self, ino: Ino, size: u64, limits: &WorldLimits) -> Result<(), Errno> {
        let content = self.file(ino)?;
        if size > limits.file_bytes {
            return Err(Errno::Fbig);
        }
        let more = size.saturating_sub(content.len());
        if more > limits.bytes.saturating_sub(self.bytes) {
            return Err(Errno::Nospc);
        }
        Ok(())
    }

    /// Gives a file a size that [`Tree::sizable`] has said yes to.
    pub(crate) fn set_size(&mut self, ino: Ino, size: u64, now: u64) {
        self.resized(ino, now, |content| content.set_len(size));
    }

    fn resized(&mut self, ino: Ino, now: u64, change: impl FnOnce(&mut Content)) {
        let (mut before, mut after) = (0, 0);
        self.change(ino, |inode| {
            if let Data::File(content) = &mut inode.data {
                before = content.len();
                change(content);
                after = content.len();
                inode.times.modified(now);
            }
        });
        self.bytes = self.bytes - before + after;
    }
}
