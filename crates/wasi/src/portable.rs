//! A world as it travels from one process to another that knows how it began: what differs from that.

use crate::store::{Numbered, PortableContent};
use crate::tree::{Data, Ino, Name, PortableInode, is_name};
use crate::world::{Descriptor, Open, World};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A world in a form that can be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortableWorld {
    /// Those that are not as they were; nothing of one that is gone.
    inodes: Vec<(Ino, Option<PortableInode>)>,
    descriptors: Vec<(u32, Descriptor)>,
    clocks: [u64; 4],
    input_read: u64,
    drawn: u64,
    written: [PortableContent; 2],
    replacements: Vec<(String, u64)>,
}

/// More than any program can have drawn.
const MOST_DRAWN: u64 = u64::MAX / 2;

impl World {
    /// It, to be sent to who knows `first`, with which the program began.
    #[must_use]
    pub fn portable(&self, first: &World) -> PortableWorld {
        let mut descriptors = Vec::new();
        self.descriptors.for_each(|number, descriptor| {
            descriptors.push((number, Descriptor::clone(descriptor)))
        });
        let [output, error] = &self.written;
        let replacements = self.replacements.iter();
        PortableWorld {
            inodes: self.tree.portable(&first.tree),
            descriptors,
            clocks: self.clocks,
            input_read: self.input_read,
            drawn: self.drawn,
            written: [
                output.portable(&first.written[0]),
                error.portable(&first.written[1]),
            ],
            replacements: replacements
                .map(|(path, number)| (String::from(&**path), *number))
                .collect(),
        }
    }

    /// Whether a program that began with its limits can have come to it, as far as anything that it calls depends on that:
    /// what is named is there, folders are trees, and nothing is more than the limits allow.
    fn is_whole(&self) -> bool {
        let limits = self.limits();
        let is_open = |descriptor: &Descriptor| match descriptor.open {
            Open::Inode(ino) => self.tree.inode(ino).is_ok(),
            Open::Input | Open::Output(_) => true,
        };
        let mut are_open = true;
        self.descriptors.for_each(|_, descriptor| {
            are_open &= is_open(descriptor) && i64::try_from(descriptor.offset).is_ok();
        });
        are_open
            && self.descriptors.len() <= limits.descriptors as usize
            && self.drawn <= MOST_DRAWN
            && self
                .written
                .iter()
                .all(|written| written.len() <= limits.output_bytes)
            && self.tree.len() <= limits.inodes as usize
            && self.tree.bytes() <= limits.bytes
            && self.is_forest()
    }

    /// Whether every folder is in one at the most, which it names, and every entry leads to something that counts it.
    fn is_forest(&self) -> bool {
        let limits = self.limits();
        let mut entries: BTreeMap<Ino, u32> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut left: Vec<(Ino, Ino, u32)> = Vec::new();
        for (_, root) in self.roots() {
            left.push((root, root, 0));
            *entries.entry(root).or_default() += 1;
        }
        while let Some((ino, parent, depth)) = left.pop() {
            let Ok(directory) = self.tree.directory(ino) else {
                return false;
            };
            if depth > limits.depth || directory.parent() != parent || !seen.insert(ino) {
                return false;
            }
            for (name, entered) in directory.entries() {
                if !is_name(name, limits.name_bytes) {
                    return false;
                }
                *entries.entry(entered).or_default() += 1;
                match self.tree.inode(entered).map(|inode| &inode.data) {
                    Ok(Data::Directory(_)) => left.push((entered, ino, depth + 1)),
                    Ok(_) => {}
                    Err(_) => return false,
                }
            }
        }
        let mut is_one = true;
        self.tree.for_each(|ino, inode| {
            let is_fine = match &inode.data {
                // One that was removed while it was open.
                Data::Directory(directory) => seen.contains(&ino) || directory.is_empty(),
                Data::File(content) => content.len() <= limits.file_bytes,
                Data::Link(target) => target.len() <= limits.path_bytes as usize,
            };
            let links = entries.get(&ino).copied().unwrap_or(0);
            is_one &= is_fine && inode.links == links && links <= limits.hard_links;
        });
        is_one
    }
}

impl PortableWorld {
    /// The world that arrived where the program began with `first`; nothing if that cannot have become it.
    #[must_use]
    pub fn on(self, first: &World) -> Option<World> {
        let limits = *first.limits();
        let mut world = first.clone();
        for (ino, inode) in self.inodes {
            if ino >= limits.inodes {
                return None;
            }
            world.tree.set_arrived(ino, inode, &limits)?;
        }
        world.tree.count_bytes()?;
        world.descriptors = Numbered::default();
        for (number, descriptor) in self.descriptors {
            if number >= limits.descriptors || world.descriptors.get(number).is_some() {
                return None;
            }
            world.descriptors.place(number, Arc::new(descriptor));
        }
        let [output, error] = self.written;
        world.written = [
            output.on(&first.written[0], limits.output_bytes)?,
            error.on(&first.written[1], limits.output_bytes)?,
        ];
        (world.clocks, world.input_read, world.drawn) = (self.clocks, self.input_read, self.drawn);
        let replacements = self.replacements.into_iter();
        world.replacements = Arc::new(
            replacements
                .map(|(path, number)| (Name::from(path), number))
                .collect(),
        );
        world.is_whole().then_some(world)
    }
}
