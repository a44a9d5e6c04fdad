//! Files and folders as they travel to who knows what they were.

use super::{Data, Directory, Ino, Inode, Name, Times, Tree};
use crate::limits::WorldLimits;
use crate::store::{Content, PortableContent};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// An inode, as far as it is not what it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PortableInode {
    data: PortableData,
    links: u32,
    times: Times,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum PortableData {
    File(PortableContent),
    Directory {
        parent: Ino,
        /// Names, with inodes and numbers in the order in which they came.
        entries: Vec<(String, Ino, u64)>,
    },
    Link(String),
}

impl Tree {
    /// It, to be sent to who knows `first`: what is not as it was there, and nothing of what is gone.
    pub(crate) fn portable(&self, first: &Tree) -> Vec<(Ino, Option<PortableInode>)> {
        let differing = self.inodes.differing(&first.inodes).into_iter();
        let portable = |ino: Ino| {
            let inode = self.inode(ino).ok()?;
            let before = first.file(ino).cloned().unwrap_or_default();
            Some(PortableInode {
                data: match &inode.data {
                    Data::File(content) => PortableData::File(content.portable(&before)),
                    Data::Directory(directory) => PortableData::Directory {
                        parent: directory.parent(),
                        entries: directory
                            .from(0)
                            .map(|(order, name, ino)| (String::from(&**name), ino, order))
                            .collect(),
                    },
                    Data::Link(target) => PortableData::Link(String::from(&**target)),
                },
                links: inode.links,
                times: inode.times,
            })
        };
        differing.map(|ino| (ino, portable(ino))).collect()
    }

    /// Makes an inode what arrived, where it still is what it was; `None` if there is no such inode.
    pub(crate) fn set_arrived(
        &mut self,
        ino: Ino,
        inode: Option<PortableInode>,
        limits: &WorldLimits,
    ) -> Option<()> {
        let Some(arrived) = inode else {
            self.inodes.remove(ino)?;
            return Some(());
        };
        let before: Content = self.file(ino).cloned().unwrap_or_default();
        let data = match arrived.data {
            PortableData::File(content) => Data::File(content.on(&before, limits.file_bytes)?),
            PortableData::Directory { parent, entries } => {
                Data::Directory(Arc::new(Directory::of(parent, entries)?))
            }
            PortableData::Link(target) => Data::Link(Name::from(target)),
        };
        let inode = Inode {
            data,
            links: arrived.links,
            times: arrived.times,
        };
        self.inodes.place(ino, Arc::new(inode));
        Some(())
    }

    /// Counts the bytes of all files anew; `None` if they are more than can be counted.
    pub(crate) fn count_bytes(&mut self) -> Option<()> {
        let mut bytes = Some(0_u64);
        self.for_each(|_, inode| {
            if let Data::File(content) = &inode.data {
                bytes = bytes.and_then(|bytes| bytes.checked_add(content.len()));
            }
        });
        self.bytes = bytes?;
        Some(())
    }

    /// All inodes, by number.
    pub(crate) fn for_each(&self, mut each: impl FnMut(Ino, &Inode)) {
        self.inodes.for_each(|ino, inode| each(ino, inode));
    }
}
