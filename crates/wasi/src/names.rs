//! Names for what calls are about.

use crate::function::{Function, WasiImport};
use crate::memory::Memory;
use crate::tree::Ino;
use crate::world::{Open, Output, World};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A descriptor, to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenDescriptor {
    /// Its number.
    pub number: u32,
    /// `stdin`, `stdout`, `stderr`, or a path; a file that no directory leads to any more is `(removed)`.
    pub name: String,
    /// Where the next read or write happens.
    pub offset: u64,
    /// Its flags: append 1, dsync 2, nonblock 4, rsync 8, sync 16.
    pub flags: u16,
}

impl World {
    /// What a call is about, for who shows calls or makes those about one file fail: the path of a file as the program
    /// writes it, from the name of a folder that it was given on, or `stdin`, `stdout`, `stderr`. Links are not
    /// followed. `None` for a call about nothing, or nothing that is there.
    #[must_use]
    pub fn subject(&self, import: WasiImport, args: &[u64], memory: &dyn Memory) -> Option<String> {
        let (descriptor, path) = match import.function {
            Function::PathOpen
            | Function::PathFilestatGet
            | Function::PathFilestatSetTimes
            | Function::PathLink => (0, Some(2)),
            Function::PathCreateDirectory
            | Function::PathReadlink
            | Function::PathRemoveDirectory
            | Function::PathRename
            | Function::PathUnlinkFile => (0, Some(1)),
            Function::PathSymlink => (2, Some(3)),
            function if function.name().starts_with("fd_") => (0, None),
            _ => return None,
        };
        let number = u32::try_from(*args.get(descriptor)?).ok()?;
        let above = self.descriptor_name(self.descriptors.get(number)?.open)?;
        let Some(path) = path else {
            return Some(above);
        };
        let bytes = memory.bytes(*args.get(path)?, *args.get(path + 1)?)?;
        let path = core::str::from_utf8(bytes).ok()?;
        Some(match path {
            "." | "./" => above,
            path => joined(&above, path.trim_start_matches("./")),
        })
    }

    /// The name of what a descriptor leads to.
    fn descriptor_name(&self, open: Open) -> Option<String> {
        Some(match open {
            Open::Input => "stdin".to_string(),
            Open::Output(Output::Standard) => "stdout".to_string(),
            Open::Output(Output::Error) => "stderr".to_string(),
            Open::Inode(ino) => match self.tree.directory(ino) {
                Ok(_) => self.folder_name(ino)?,
                Err(_) => self.paths().remove(&ino)?,
            },
        })
    }

    /// The path of a directory, upwards from it.
    fn folder_name(&self, ino: Ino) -> Option<String> {
        if let Some((name, _)) = self.roots().find(|(_, root)| *root == ino) {
            return Some(name.to_string());
        }
        let parent = self.tree.directory(ino).ok()?.parent();
        let mut entries = self.tree.directory(parent).ok()?.entries();
        let (name, _) = entries.find(|(_, entry)| *entry == ino)?;
        Some(joined(&self.folder_name(parent)?, name))
    }

    /// A path of every inode that has one.
    fn paths(&self) -> BTreeMap<Ino, String> {
        let mut paths = BTreeMap::new();
        for (name, root) in self.roots() {
            paths.insert(root, name.to_string());
            self.note_paths(root, name, &mut paths);
        }
        paths
    }

    /// The open descriptors.
    #[must_use]
    pub fn descriptors(&self) -> Vec<OpenDescriptor> {
        let paths = self.paths();
        let mut shown = Vec::new();
        self.descriptors.for_each(|number, descriptor| {
            shown.push(OpenDescriptor {
                number,
                name: match descriptor.open {
                    Open::Inode(ino) => paths.get(&ino).cloned(),
                    stream => self.descriptor_name(stream),
                }
                .unwrap_or_else(|| "(removed)".to_string()),
                offset: descriptor.offset,
                flags: descriptor.flags,
            });
        });
        shown
    }

    fn note_paths(&self, ino: Ino, path: &str, paths: &mut BTreeMap<Ino, String>) {
        let Ok(directory) = self.tree.directory(ino) else {
            return;
        };
        for (name, ino) in directory.entries() {
            let path = joined(path, name);
            self.note_paths(ino, &path, paths);
            paths.entry(ino).or_insert(path);
        }
    }
}

/// A name below a path.
pub(crate) fn joined(path: &str, name: &str) -> String {
    if path.ends_with('/') {
        format!("{path}{name}")
    } else {
        format!("{path}/{name}")
    }
}
