//! What an inode holds.

use crate::store::{Cache, Content, Digest, Hasher, Held};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The number of an inode. Programs see one more, because some of them take 0 for an entry that is not there.
pub(crate) type Ino = u32;

/// A name in a directory.
pub(crate) type Name = Arc<str>;

/// Whether something in a folder can be called that.
pub(crate) fn is_name(name: &str, most: u32) -> bool {
    let is_special = name.is_empty() || name == "." || name == "..";
    !is_special && !name.contains(['/', '\0']) && name.len() <= most as usize
}

/// A file, a directory or a symbolic link.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inode {
    pub(crate) data: Data,
    /// How many entries lead to it.
    pub(crate) links: u32,
    pub(crate) times: Times,
}

impl Inode {
    /// The number that preview 1 has for what it is.
    pub(crate) fn kind(&self) -> u8 {
        match &self.data {
            Data::Directory(_) => 3,
            Data::File(_) => 4,
            Data::Link(_) => 7,
        }
    }

    /// The bytes of a file, or of a link's target.
    pub(crate) fn size(&self) -> u64 {
        match &self.data {
            Data::File(content) => content.len(),
            Data::Directory(_) => 0,
            Data::Link(target) => target.len() as u64,
        }
    }
}

/// When something was read, written and changed, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) accessed: u64,
    pub(crate) modified: u64,
    pub(crate) changed: u64,
}

impl Times {
    /// All at once.
    pub(crate) fn new(now: u64) -> Times {
        Times {
            accessed: now,
            modified: now,
            changed: now,
        }
    }

    /// Its content is another one since now.
    pub(crate) fn modified(&mut self, now: u64) {
        self.modified = now;
        self.changed = now;
    }
}

/// What an inode is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    File(Content),
    Directory(Arc<Directory>),
    Link(Arc<str>),
}

/// The entries of a directory, by name and in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    digest: Cache,
    /// The directory above; a root is its own.
    parent: Ino,
    by_name: BTreeMap<Name, Entry>,
    by_order: BTreeMap<u64, Name>,
}

/// More entries than ever come.
const MOST_ORDER: u64 = u64::MAX / 2;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    ino: Ino,
    order: u64,
}

impl PartialEq for Directory {
    fn eq(&self, other: &Directory) -> bool {
        self.parent == other.parent && self.by_name == other.by_name
    }
}

impl Directory {
    /// An empty one.
    pub(crate) fn new(parent: Ino) -> Directory {
        Directory {
            digest: Cache::default(),
            parent,
            by_name: BTreeMap::new(),
            by_order: BTreeMap::new(),
        }
    }

    /// With these entries, each with its number in their order; `None` if two have one name or one number.
    pub(super) fn of(parent: Ino, entries: Vec<(String, Ino, u64)>) -> Option<Directory> {
        let mut directory = Directory::new(parent);
        for (name, ino, order) in entries {
            let name = Name::from(name);
            let is_new = order < MOST_ORDER
                && directory.by_order.insert(order, name.clone()).is_none()
                && directory
                    .by_name
                    .insert(name, Entry { ino, order })
                    .is_none();
            is_new.then_some(())?;
        }
        Some(directory)
    }

    pub(crate) fn parent(&self) -> Ino {
        self.parent
    }

    pub(crate) fn set_parent(&mut self, parent: Ino) {
        self.digest.clear();
        self.parent = parent;
    }

    pub(crate) fn get(&self, name: &str) -> Option<Ino> {
        self.by_name.get(name).map(|entry| entry.ino)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Names and inodes, by name.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Name, Ino)> {
        self.by_name.iter().map(|(name, entry)| (name, entry.ino))
    }

    /// Entries whose number in the order is `order` or greater: number, name, inode. A number stays with its entry as
    /// long as the entry is there, so whoever reads a directory in parts and removes what was read misses nothing.
    pub(crate) fn from(&self, order: u64) -> impl Iterator<Item = (u64, &Name, Ino)> {
        self.by_order
            .range(order..)
            .filter_map(|(&order, name)| Some((order, name, self.get(name)?)))
    }

    pub(crate) fn insert(&mut self, name: Name, ino: Ino) {
        self.digest.clear();
        let order = self
            .by_order
            .last_key_value()
            .map_or(0, |(last, _)| last + 1);
        self.by_order.insert(order, name.clone());
        self.by_name.insert(name, Entry { ino, order });
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Ino> {
        self.digest.clear();
        let entry = self.by_name.remove(name)?;
        self.by_order.remove(&entry.order);
        Some(entry.ino)
    }
}

impl Directory {
    /// About how many bytes it takes: two maps with the names once.
    fn size(&self) -> usize {
        let names: usize = self.by_name.keys().map(|name| name.len()).sum();
        size_of::<Directory>() + names + self.by_name.len() * 2 * size_of::<(Name, Entry, u64)>()
    }
}

impl Digest for Directory {
    fn digest(&self) -> u64 {
        self.digest.get(|| {
            let mut hasher = Hasher::default();
            hasher.word(u64::from(self.parent));
            for (name, entry) in &self.by_name {
                hasher.bytes(name.as_bytes());
                hasher.word(u64::from(entry.ino));
                hasher.word(entry.order);
            }
            hasher.finish()
        })
    }
}

impl Digest for Arc<Inode> {
    fn digest(&self) -> u64 {
        let mut hasher = Hasher::default();
        match &self.data {
            Data::File(content) => hasher.word(content.digest()),
            Data::Directory(directory) => hasher.word(directory.digest()),
            Data::Link(target) => hasher.bytes(target.as_bytes()),
        }
        hasher.word(u64::from(self.links));
        hasher.word(self.times.accessed);
        hasher.word(self.times.modified);
        hasher.word(self.times.changed);
        hasher.finish()
    }
}

impl Held for Arc<Inode> {
    fn pieces(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        if !visit(Arc::as_ptr(self) as usize, size_of::<Inode>()) {
            return;
        }
        match &self.data {
            Data::File(content) => content.pieces(visit),
            Data::Directory(directory) => {
                visit(Arc::as_ptr(directory) as usize, directory.size());
            }
            Data::Link(target) => {
                visit(target.as_ptr() as usize, target.len());
            }
        }
    }

    fn beyond(&self, other: Option<&Arc<Inode>>) -> usize {
        if other.is_some_and(|other| Arc::ptr_eq(self, other)) {
            return 0;
        }
        size_of::<Inode>()
            + match (&self.data, other.map(|other| &other.data)) {
                (Data::File(one), Some(Data::File(other))) => one.beyond(Some(other)),
                (Data::File(one), _) => one.beyond(None),
                (Data::Directory(one), Some(Data::Directory(other))) if Arc::ptr_eq(one, other) => {
                    0
                }
                (Data::Directory(directory), _) => directory.size(),
                (Data::Link(target), _) => target.len(),
            }
    }
}
