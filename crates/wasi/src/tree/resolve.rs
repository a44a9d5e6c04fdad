//! From a path to what it names, without leaving the directory where it starts.

use super::{Data, Ino, Tree};
use crate::errno::Errno;
use crate::limits::WorldLimits;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// What a path names.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    /// The directory and the name in it; `None` for a path that ends in `.` or `..`, or names the start.
    pub(crate) entry: Option<(Ino, String)>,
    /// What is there.
    pub(crate) ino: Option<Ino>,
    /// True if the path ends in a slash: then it names a directory, or nothing.
    pub(crate) slash: bool,
}

/// A piece of a path that is still to be walked.
#[derive(Debug)]
enum Piece {
    Name(String),
    Up,
}

impl Tree {
    /// Walks `path` from the directory `start`, follows symbolic links on the way, and one at the end if asked to.
    ///
    /// # Errors
    /// `EPERM` where the path leads out of `start`, `ELOOP` past the limit of links, `ENOENT` and `ENOTDIR` on the way.
    /// That the end itself is missing is no error.
    pub(crate) fn resolve(
        &self,
        start: Ino,
        path: &str,
        follow: bool,
        limits: &WorldLimits,
    ) -> Result<Found, Errno> {
        self.resolve_through((start, path), follow, limits, &mut |_| {})
    }

    /// The same, and says in which directories names are looked for.
    pub(crate) fn resolve_through(
        &self,
        (start, path): (Ino, &str),
        follow: bool,
        limits: &WorldLimits,
        visit: &mut dyn FnMut(Ino),
    ) -> Result<Found, Errno> {
        if path.is_empty() {
            return Err(Errno::Noent);
        }
        if path.len() > limits.path_bytes as usize {
            return Err(Errno::Nametoolong);
        }
        self.directory(start)?;
        // A dot at the end names the directory itself, by no name that could be taken away.
        let dot = path.ends_with("/.");
        let mut slash = path.ends_with('/') || dot;
        let mut stack = vec![start];
        let mut pieces = Vec::new();
        push(&mut pieces, path)?;
        let mut links = 0;
        while let Some(piece) = pieces.pop() {
            let here = *stack.last().unwrap_or(&start);
            let Piece::Name(name) = piece else {
                stack.pop();
                if stack.is_empty() {
                    return Err(Errno::Perm);
                }
                continue;
            };
            if name.len() > limits.name_bytes as usize {
                return Err(Errno::Nametoolong);
            }
            let last = pieces.is_empty();
            visit(here);
            let there = self.directory(here)?.get(&name);
            let found = Found {
                entry: Some((here, name)),
                ino: there,
                slash,
            };
            let Some(ino) = there else {
                return if last && !dot {
                    Ok(found)
                } else {
                    Err(Errno::Noent)
                };
            };
            match &self.inode(ino)?.data {
                Data::Link(target) if !last || follow || dot => {
                    links += 1;
                    if links > limits.links {
                        return Err(Errno::Loop);
                    }
                    slash |= last && target.ends_with('/');
                    push(&mut pieces, target)?;
                }
                _ if last && !matches!(self.inode(ino)?.data, Data::Directory(_)) => {
                    return Ok(found);
                }
                Data::Directory(_) => {
                    if last && !dot {
                        return Ok(found);
                    }
                    stack.push(ino);
                }
                _ => return Err(Errno::Notdir),
            }
        }
        Ok(Found {
            entry: None,
            ino: stack.last().copied(),
            slash,
        })
    }
}

/// Puts the pieces of a path on those that are left, the first one on top.
fn push(pieces: &mut Vec<Piece>, path: &str) -> Result<(), Errno> {
    if path.starts_with('/') {
        return Err(Errno::Perm);
    }
    pieces.extend(path.rsplit('/').filter_map(|piece| match piece {
        "" | "." => None,
        ".." => Some(Piece::Up),
        name => Some(Piece::Name(name.to_owned())),
    }));
    Ok(())
}
