//! What differs between the files of two worlds.

use crate::names::joined;
use crate::tree::{Data, Directory, Ino};
use crate::world::World;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A path at which two worlds differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path, from the name that the program has for the folder on.
    pub path: String,
    /// In what they differ.
    pub kind: FileChangeKind,
}

/// In what two worlds differ at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChangeKind {
    /// Only the second one has it; with everything in it, if it is a folder.
    Added,
    /// Only the first one has it; with everything in it, if it is a folder.
    Removed,
    /// A file with other bytes.
    Bytes {
        /// The first byte that differs, or that only one of them has.
        first: u64,
        /// How many bytes there were.
        before: u64,
        /// How many bytes there are.
        after: u64,
    },
    /// A link to something else, or another kind of thing.
    Replaced,
}

impl World {
    /// The paths at which the files of `other` differ from those of this world, in order. Times and numbers of inodes
    /// do not count. What the two share is not looked at.
    #[must_use]
    pub fn changed_files(&self, other: &World) -> Vec<FileChange> {
        let mut changes = Vec::new();
        for (name, root) in self.roots() {
            match other.roots().find(|(there, _)| *there == name) {
                Some((_, there)) => folders(self, root, other, there, name, &mut changes),
                None => changes.push(change(name.to_string(), FileChangeKind::Removed)),
            }
        }
        for (name, _) in other.roots() {
            if !self.roots().any(|(here, _)| here == name) {
                changes.push(change(name.to_string(), FileChangeKind::Added));
            }
        }
        changes
    }
}

fn change(path: String, kind: FileChangeKind) -> FileChange {
    FileChange { path, kind }
}

fn folders(
    one: &World,
    here: Ino,
    other: &World,
    there: Ino,
    path: &str,
    changes: &mut Vec<FileChange>,
) {
    let (Ok(here), Ok(there)) = (one.tree.directory(here), other.tree.directory(there)) else {
        return;
    };
    let names: BTreeSet<&str> = names(here).chain(names(there)).collect();
    for name in names {
        let path = joined(path, name);
        match (here.get(name), there.get(name)) {
            (Some(before), Some(after)) => inodes(one, before, other, after, path, changes),
            (Some(_), None) => changes.push(change(path, FileChangeKind::Removed)),
            _ => changes.push(change(path, FileChangeKind::Added)),
        }
    }
}

fn names(directory: &Directory) -> impl Iterator<Item = &str> {
    directory.entries().map(|(name, _)| &**name)
}

fn inodes(
    one: &World,
    before: Ino,
    other: &World,
    after: Ino,
    path: String,
    changes: &mut Vec<FileChange>,
) {
    let (Ok(here), Ok(there)) = (one.tree.inode(before), other.tree.inode(after)) else {
        return;
    };
    match (&here.data, &there.data) {
        (Data::Directory(_), Data::Directory(_)) => {
            folders(one, before, other, after, &path, changes)
        }
        (Data::File(before), Data::File(after)) => {
            if let Some(first) = before.first_difference(after) {
                changes.push(change(
                    path,
                    FileChangeKind::Bytes {
                        first,
                        before: before.len(),
                        after: after.len(),
                    },
                ));
            }
        }
        (Data::Link(before), Data::Link(after))
            if Arc::ptr_eq(before, after) || before == after => {}
        _ => changes.push(change(path, FileChangeKind::Replaced)),
    }
}
