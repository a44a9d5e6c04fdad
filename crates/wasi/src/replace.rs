//! Files that somebody outside changes while the program runs.

use crate::choice::Replacement;
use crate::tree::Name;
use crate::world::World;
use alloc::sync::Arc;

impl World {
    /// Which of the replacements of a file was the last one: for who must not make one twice. It is no part of what worlds
    /// are compared by, since no program can find it out.
    #[must_use]
    pub fn replacement(&self, path: &str) -> Option<u64> {
        self.replacements.get(path).copied()
    }

    /// Whether a path, as [`World::subject_named`] says it, is a file in which so many bytes have room.
    #[must_use]
    pub fn is_replaceable(&self, path: &str, length: u64) -> bool {
        let file = self.inode_named(path);
        file.is_some_and(|ino| self.tree.sizable(ino, length, self.limits()).is_ok())
    }

    /// The world once somebody outside has put these bytes in the files, where they lie: who has one open goes on in the
    /// new bytes, at the offset where it was. `None` if one of them cannot be replaced.
    pub(crate) fn replaced(&self, files: &[Replacement]) -> Option<World> {
        let mut after = self.clone();
        let now = self.now();
        for file in files {
            if !after.is_replaceable(&file.path, file.bytes.len() as u64) {
                return None;
            }
            let ino = after.inode_named(&file.path)?;
            after.tree.set_size(ino, 0, now);
            after.tree.write(ino, 0, &file.bytes, now);
            let known = Arc::make_mut(&mut after.replacements);
            known.insert(Name::from(file.path.as_str()), file.number);
        }
        Some(after)
    }
}
