//! What differs between the files of two worlds.

use crate::names::joined;
use crate::setup::Item;
use crate::tree::{Data, Directory, Ino, Name};
use crate::world::World;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
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

/// What two worlds have at a path at which they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The folder, an index into [`Setup::folders`](crate::Setup::folders).
    pub folder: usize,
    /// The names from the folder to what differs.
    pub path: Vec<String>,
    /// What the first one has there.
    pub before: Option<Item>,
    /// What the second one has there.
    pub after: Option<Item>,
}

impl World {
    /// The paths at which the files of `other` differ from those of this world, in order. Times and numbers of inodes
    /// do not count. What the two share is not looked at. Both have the same folders: they began with one setup.
    #[must_use]
    pub fn changed_files(&self, other: &World) -> Vec<FileChange> {
        let change = |(folder, names, before, after): Place| {
            let (name, _) = self.roots().nth(folder)?;
            let path = names
                .iter()
                .fold(name.to_string(), |path, name| joined(&path, name));
            let kind = kind(self.data(before), other.data(after));
            Some(FileChange { path, kind })
        };
        differing(self, other)
            .into_iter()
            .filter_map(change)
            .collect()
    }

    /// The same with what is there: what has to be done to the files of this world so that they are those of `other`.
    /// Where a folder is on one side only, it comes with everything in it.
    #[must_use]
    pub fn rewritten(&self, other: &World) -> Vec<Rewritten> {
        let rewritten = |(folder, names, before, after): Place| Rewritten {
            folder,
            path: names.iter().map(ToString::to_string).collect(),
            before: before.and_then(|ino| self.item(ino)),
            after: after.and_then(|ino| other.item(ino)),
        };
        differing(self, other).into_iter().map(rewritten).collect()
    }

    /// Whether `other` has something else than this world at a path that [`Self::subject_named`] has checked: other bytes,
    /// another file of the same bytes, nothing. What is in a folder does not count, it has paths of its own.
    #[must_use]
    pub fn differs_at(&self, other: &World, subject: &str) -> bool {
        let (before, after) = (self.inode_named(subject), other.inode_named(subject));
        before != after
            || match (self.data(before), other.data(after)) {
                (Some(Data::File(here)), Some(Data::File(there))) => {
                    here.first_difference(there).is_some()
                }
                (Some(Data::Link(here)), Some(Data::Link(there))) => here != there,
                (Some(Data::Directory(_)), Some(Data::Directory(_))) | (None, None) => false,
                _ => true,
            }
    }

    fn data(&self, ino: Option<Ino>) -> Option<&Data> {
        Some(&self.tree.inode(ino?).ok()?.data)
    }
}

/// The index of a folder, the names from there, and what the two worlds have.
type Place = (usize, Vec<Name>, Option<Ino>, Option<Ino>);

/// Where two worlds differ, in order; not what is in a folder that only one of them has.
fn differing(one: &World, other: &World) -> Vec<Place> {
    let mut found = Vec::new();
    let roots = one.roots().zip(other.roots());
    for (folder, ((_, here), (_, there))) in roots.enumerate() {
        let mut walk = Walk {
            one,
            other,
            folder,
            path: Vec::new(),
            found: &mut found,
        };
        walk.at(Some(here), Some(there));
    }
    found
}

struct Walk<'a> {
    one: &'a World,
    other: &'a World,
    folder: usize,
    path: Vec<Name>,
    found: &'a mut Vec<Place>,
}

impl Walk<'_> {
    fn at(&mut self, before: Option<Ino>, after: Option<Ino>) {
        let same = match (self.one.data(before), self.other.data(after)) {
            (Some(Data::Directory(here)), Some(Data::Directory(there))) => {
                return self.folders(here, there);
            }
            (Some(Data::File(here)), Some(Data::File(there))) => {
                here.first_difference(there).is_none()
            }
            (Some(Data::Link(here)), Some(Data::Link(there))) => here == there,
            (here, there) => here.is_none() && there.is_none(),
        };
        if !same {
            self.found
                .push((self.folder, self.path.clone(), before, after));
        }
    }

    fn folders(&mut self, here: &Directory, there: &Directory) {
        let names: BTreeSet<&Name> = names(here).chain(names(there)).collect();
        for name in names {
            self.path.push(name.clone());
            self.at(here.get(name), there.get(name));
            self.path.pop();
        }
    }
}

fn names(directory: &Directory) -> impl Iterator<Item = &Name> {
    directory.entries().map(|(name, _)| name)
}

/// In what they differ, known that they do.
fn kind(before: Option<&Data>, after: Option<&Data>) -> FileChangeKind {
    match (before, after) {
        (None, _) => FileChangeKind::Added,
        (_, None) => FileChangeKind::Removed,
        (Some(Data::File(before)), Some(Data::File(after))) => FileChangeKind::Bytes {
            first: before.first_difference(after).unwrap_or_default(),
            before: before.len(),
            after: after.len(),
        },
        _ => FileChangeKind::Replaced,
    }
}
