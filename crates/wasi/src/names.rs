//! Names for what calls are about.

use crate::function::{Function, WasiImport};
use crate::memory::Memory;
use crate::store::Content;
use crate::tree::{Data, Ino};
use crate::world::{Open, Output, World};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The names of the streams.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// The part of a path that leads up.
const UP: &str = "..";

/// Why no call can be about something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSubject {
    /// Calls of this function are about no file.
    #[error("calls of {} are about no file", .0.name())]
    Nothing(Function),
    /// It is in no folder of the program's.
    #[error("{}", outside(text, folders, *streams))]
    Outside {
        /// What was named.
        text: String,
        /// The names of the folders that the program was given.
        folders: Vec<String>,
        /// A stream could be named too.
        streams: bool,
    },
}

fn outside(text: &str, folders: &[String], streams: bool) -> String {
    let paths = match folders {
        [] => None,
        folders => Some(format!(
            "paths that begin with \"{}\"",
            folders.join("\" or \"")
        )),
    };
    let streams = streams.then(|| format!("\"{}\"", STREAMS.join("\", \"")));
    let can: Vec<String> = streams.into_iter().chain(paths).collect();
    match &*can {
        [] => format!(
            "no such call is about \"{text}\": the program has no folder, and --dir HOST::GUEST gives it one"
        ),
        can => format!(
            "no such call is about \"{text}\", but about {}",
            can.join(", ")
        ),
    }
}

/// Which argument of a function is the descriptor that it is about, and which the path from there, if it has one.
fn path_of(function: Function) -> Option<(usize, Option<usize>)> {
    Some(match function {
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
    })
}

/// Goes on along a path. Parts that lead up are left out with the part before them, as long as there is one.
fn walk<'p>(parts: &mut Vec<&'p str>, path: &'p str) {
    for part in path.split('/') {
        match part {
            "" | "." => {}
            UP if parts.last().is_some_and(|last| *last != UP) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
}

/// The path of these parts from a folder.
fn path(root: &str, parts: &[&str]) -> String {
    match parts {
        [] => root.to_string(),
        parts => joined(root, &parts.join("/")),
    }
}

/// A descriptor, to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenDescriptor {
    /// Its number.
    pub number: u32,
    /// `stdin`, `stdout`, `stderr`, or a path; a file that no directory leads to any more is `(removed)`.
    pub name: String,
    /// Where the next read or write happens.
    pub offset: u64,
    /// Its rights, as WASI's bits.
    pub rights: u64,
    /// Its flags: append 1, dsync 2, nonblock 4, rsync 8, sync 16.
    pub flags: u16,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// A file with so many bytes.
    File(u64),
    /// A directory.
    Folder,
    /// A link to this path.
    Link(String),
}

impl World {
    /// What a call is about, for who shows calls: a path from the name of a folder that the program was given on, or
    /// `stdin`, `stdout`, `stderr`. Links are not followed, `.` and `..` are left out. `None` for a call about nothing,
    /// or nothing that is there.
    #[must_use]
    pub fn subject(&self, import: WasiImport, args: &[u64], memory: &dyn Memory) -> Option<String> {
        let (open, path) = self.target(import.function, args, memory)?;
        match path {
            Some(path) => self.path_from(open, path),
            None => self.descriptor_name(open),
        }
    }

    /// Whether a call is about `subject`, which [`Self::subject_named`] has checked: that which [`Self::subject`] says,
    /// or another name of the same file.
    #[must_use]
    pub fn is_about(
        &self,
        import: WasiImport,
        args: &[u64],
        memory: &dyn Memory,
        subject: &str,
    ) -> bool {
        match self.target(import.function, args, memory) {
            // Not by its name: to find that, all files are looked through.
            Some((Open::Inode(ino), None)) => self.inode_named(subject) == Some(ino),
            Some((open, None)) => self.descriptor_name(open).as_deref() == Some(subject),
            Some((open, Some(path))) => self.path_from(open, path).as_deref() == Some(subject),
            None => false,
        }
    }

    /// What calls of a function may be about, as a user names it: a path below a folder that the program was given, or a
    /// stream. The same in the words of [`Self::subject`].
    ///
    /// # Errors
    /// [`NoSubject`] if no such call can be about that.
    pub fn subject_named(&self, function: Function, text: &str) -> Result<String, NoSubject> {
        let of_path = path_of(function).ok_or(NoSubject::Nothing(function))?;
        if of_path.1.is_none() && STREAMS.contains(&text) {
            return Ok(text.to_string());
        }
        let below = |root: &str| {
            let rest = match (root, text.strip_prefix(root)) {
                (_, Some(rest)) if root.ends_with('/') || rest.is_empty() => rest,
                (_, Some(rest)) if rest.starts_with('/') => rest,
                (".", _) if !text.starts_with('/') => text,
                _ => return None,
            };
            let mut parts = Vec::new();
            walk(&mut parts, rest);
            let is_below = parts.first() != Some(&UP) && !text.is_empty() && !text.contains('\0');
            is_below.then(|| (root.len(), path(root, &parts)))
        };
        let found = self.roots().filter_map(|(root, _)| below(root)).max();
        found
            .map(|(_, subject)| subject)
            .ok_or_else(|| NoSubject::Outside {
                text: text.to_string(),
                folders: self.roots().map(|(root, _)| root.to_string()).collect(),
                streams: of_path.1.is_none(),
            })
    }

    /// What the descriptor of a call leads to, and the path that is meant from there.
    fn target<'m>(
        &self,
        function: Function,
        args: &[u64],
        memory: &'m dyn Memory,
    ) -> Option<(Open, Option<&'m str>)> {
        let (descriptor, path) = path_of(function)?;
        let number = u32::try_from(*args.get(descriptor)?).ok()?;
        let open = self.descriptors.get(number)?.open;
        let Some(path) = path else {
            return Some((open, None));
        };
        let bytes = memory.bytes(*args.get(path)?, *args.get(path + 1)?)?;
        Some((open, Some(core::str::from_utf8(bytes).ok()?)))
    }

    /// The name of what a path leads to from a descriptor.
    fn path_from(&self, open: Open, relative: &str) -> Option<String> {
        let above = self.descriptor_name(open)?;
        let mut roots = self.roots();
        match open {
            Open::Inode(ino) if !relative.starts_with('/') => {
                let top = self.top(ino);
                let (root, _) = roots.find(|(_, root)| *root == top)?;
                let mut parts = Vec::new();
                walk(&mut parts, above.get(root.len()..)?);
                walk(&mut parts, relative);
                Some(path(root, &parts))
            }
            // Such a call fails, whatever is there.
            _ => Some(joined(&above, relative)),
        }
    }

    /// The folder of the program's that a directory is in.
    fn top(&self, mut ino: Ino) -> Ino {
        while let Ok(directory) = self.tree.directory(ino)
            && !self.roots().any(|(_, root)| root == ino)
            && directory.parent() != ino
        {
            ino = directory.parent();
        }
        ino
    }

    /// What is at a path that [`Self::subject_named`] has checked.
    #[must_use]
    pub fn at_path(&self, subject: &str) -> Option<Listed> {
        self.inode_named(subject).map(|ino| self.listed_at(ino))
    }

    fn listed_at(&self, ino: Ino) -> Listed {
        match self.tree.inode(ino).map(|inode| &inode.data) {
            Ok(Data::File(content)) => Listed::File(content.len()),
            Ok(Data::Link(target)) => Listed::Link(target.to_string()),
            _ => Listed::Folder,
        }
    }

    /// What is there by a name that [`Self::subject_named`] has checked.
    pub(crate) fn inode_named(&self, subject: &str) -> Option<Ino> {
        let below = |root: &str| {
            let rest = subject.strip_prefix(root)?;
            let is_below = rest.is_empty() || root.ends_with('/') || rest.starts_with('/');
            is_below.then_some(rest)
        };
        let found = self
            .roots()
            .filter_map(|(root, ino)| Some((root.len(), ino, below(root)?)));
        let (_, ino, rest) = found.max_by_key(|(length, ..)| *length)?;
        let mut names = rest.split('/').filter(|name| !name.is_empty());
        names.try_fold(ino, |ino, name| self.tree.directory(ino).ok()?.get(name))
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

    /// All files, directories and links below the folders that the program was given, by their paths.
    #[must_use]
    pub fn listed(&self) -> BTreeMap<String, Listed> {
        let mut list = BTreeMap::new();
        for (name, root) in self.roots() {
            self.list(root, name, &mut list);
        }
        list
    }

    fn list(&self, ino: Ino, path: &str, found: &mut BTreeMap<String, Listed>) {
        let Ok(directory) = self.tree.directory(ino) else {
            return;
        };
        for (name, ino) in directory.entries() {
            let path = joined(path, name);
            let listed = self.listed_at(ino);
            self.list(ino, &path, found);
            found.insert(path, listed);
        }
    }

    /// What is in the file with this path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&Content> {
        self.tree.file(self.inode_named(path)?).ok()
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
                rights: descriptor.base,
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
