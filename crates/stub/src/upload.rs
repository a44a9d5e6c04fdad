//! Blobs that arrive in chunks.

use alloc::boxed::Box;
use alloc::vec::Vec;

use borges_vm::Lent;
use borges_wire::{BlobKind, ContentHash, Failure};

use crate::shelf::{Flash, Shelf};

/// The blobs that are complete or on their way.
#[derive(Default)]
pub(crate) struct Uploads {
    program: Option<Upload>,
    board: Option<Upload>,
    state: Option<Upload>,
    /// Where programs go, if the device has flash for them.
    shelf: Option<Shelf>,
}

struct Upload {
    hash: ContentHash,
    total: u32,
    bytes: Received,
}

/// What has arrived of a blob.
enum Received {
    InMemory(Vec<u8>),
    /// So many bytes, which the shelf has.
    OnShelf(u32),
}

/// A chunk of a blob.
pub(crate) struct Chunk<'a> {
    pub(crate) part: BlobKind,
    pub(crate) hash: ContentHash,
    pub(crate) total: u32,
    pub(crate) offset: u32,
    pub(crate) bytes: &'a [u8],
}

/// A program that is complete.
pub(crate) enum Code<'a> {
    InMemory(&'a [u8]),
    InFlash(Lent),
}

impl Uploads {
    /// From now on, programs are kept in this flash.
    pub(crate) fn keep_in(&mut self, flash: Box<dyn Flash>) {
        self.shelf = Some(Shelf::new(flash));
    }

    /// The program in flash, where there is one.
    pub(crate) fn kept(&self) -> Option<ContentHash> {
        self.shelf.as_ref().and_then(Shelf::newest)
    }

    /// The longest program, if no more than `longest` bytes of one fit into memory.
    pub(crate) fn longest_program(&self, longest: u32) -> u32 {
        let capacity = self.shelf.as_ref().map_or(0, Shelf::capacity);
        capacity.max(longest)
    }

    /// Takes a chunk of a blob, of which no more than `longest` bytes may be kept in memory. Chunks that were taken before
    /// are harmless.
    pub(crate) fn take(&mut self, chunk: &Chunk<'_>, longest: u32) -> Result<(), Failure> {
        let mut none = None;
        let (slot, shelf) = match chunk.part {
            BlobKind::Program => (&mut self.program, &mut self.shelf),
            BlobKind::Board => (&mut self.board, &mut none),
            BlobKind::State => (&mut self.state, &mut none),
        };
        // Flash wears out: what is in it is not written again.
        if shelf.as_ref().is_some_and(|shelf| shelf.has(chunk.hash)) {
            return Ok(());
        }
        let known = slot
            .as_ref()
            .is_some_and(|upload| upload.hash == chunk.hash && upload.total == chunk.total);
        if !known {
            if chunk.offset != 0 {
                return Err(Failure::Blob);
            }
            *slot = None;
            *slot = Some(Upload::begin(chunk, shelf, longest)?);
        }
        let Some(upload) = slot else {
            return Err(Failure::Blob);
        };
        let (start, have) = (u64::from(chunk.offset), upload.length());
        let end = start + chunk.bytes.len() as u64;
        if start > have || end > u64::from(upload.total) {
            return Err(Failure::Blob);
        }
        // In order: what is new begins where the blob ends so far.
        let fresh = chunk.bytes.get((have - start) as usize..);
        let taken = upload
            .append(fresh.unwrap_or_default(), shelf, longest)
            .and_then(|()| upload.end(shelf, longest));
        // What is refused, or lies in flash now, needs no memory.
        if !matches!(taken, Ok(false)) {
            *slot = None;
        }
        taken.map(|_| ())
    }

    /// A complete program.
    pub(crate) fn program(&mut self, hash: ContentHash) -> Option<Code<'_>> {
        let lent = self.shelf.as_mut().and_then(|shelf| shelf.lend(hash));
        match lent {
            Some(lent) => Some(Code::InFlash(lent)),
            None => complete(self.program.as_ref(), hash).map(Code::InMemory),
        }
    }

    /// A complete description of a board.
    pub(crate) fn board(&self, hash: ContentHash) -> Option<&[u8]> {
        complete(self.board.as_ref(), hash)
    }

    /// A complete difference of states.
    pub(crate) fn state(&self, hash: ContentHash) -> Option<&[u8]> {
        complete(self.state.as_ref(), hash)
    }

    /// Frees the memory of a blob.
    pub(crate) fn forget(&mut self, part: BlobKind) {
        match part {
            BlobKind::Program => self.program = None,
            BlobKind::Board => self.board = None,
            BlobKind::State => self.state = None,
        }
    }
}

fn complete(slot: Option<&Upload>, hash: ContentHash) -> Option<&[u8]> {
    let upload = slot.filter(|upload| upload.hash == hash && upload.is_complete())?;
    match &upload.bytes {
        Received::InMemory(bytes) => Some(bytes),
        Received::OnShelf(_) => None,
    }
}

impl Upload {
    fn begin(chunk: &Chunk<'_>, shelf: &mut Option<Shelf>, longest: u32) -> Result<Self, Failure> {
        let (hash, total) = (chunk.hash, chunk.total);
        let bytes = Received::OnShelf(0);
        let mut upload = Self { hash, total, bytes };
        let opened = shelf.as_mut().and_then(|shelf| shelf.open(total));
        if opened != Some(true) {
            upload.move_to_memory(opened.and_then(|_| shelf.take()), longest)?;
        }
        Ok(upload)
    }

    fn length(&self) -> u64 {
        match &self.bytes {
            Received::InMemory(bytes) => bytes.len() as u64,
            Received::OnShelf(length) => u64::from(*length),
        }
    }

    fn is_complete(&self) -> bool {
        self.length() == u64::from(self.total)
    }

    fn append(
        &mut self,
        fresh: &[u8],
        shelf: &mut Option<Shelf>,
        longest: u32,
    ) -> Result<(), Failure> {
        match &mut self.bytes {
            Received::InMemory(bytes) => bytes.extend_from_slice(fresh),
            Received::OnShelf(length) => {
                *length += fresh.len() as u32;
                let taken = shelf.as_mut().is_some_and(|shelf| shelf.append(fresh));
                if !taken {
                    self.move_to_memory(shelf.take(), longest)?;
                }
            }
        }
        Ok(())
    }

    /// One that is complete must be what it was announced as. Whether it lies in flash from now on.
    fn end(&mut self, shelf: &mut Option<Shelf>, longest: u32) -> Result<bool, Failure> {
        if !self.is_complete() {
            return Ok(false);
        }
        let is_whole = match &self.bytes {
            Received::InMemory(bytes) => ContentHash::of(bytes) == self.hash,
            Received::OnShelf(_) => shelf
                .as_ref()
                .is_some_and(|shelf| shelf.is_whole(self.hash)),
        };
        if !is_whole {
            return Err(Failure::Blob);
        }
        let (Received::OnShelf(_), Some(open)) = (&self.bytes, &mut *shelf) else {
            return Ok(false);
        };
        let kept = open.close(self.hash);
        if !kept {
            self.move_to_memory(shelf.take(), longest)?;
        }
        Ok(kept)
    }

    /// Goes on in memory, with what the shelf has, which is given up if there is one: it does not keep what is written.
    fn move_to_memory(&mut self, shelf: Option<Shelf>, longest: u32) -> Result<(), Failure> {
        if self.total > longest {
            return Err(Failure::Memory);
        }
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(self.total as usize)
            .map_err(|_| Failure::Memory)?;
        if let Some(shelf) = shelf {
            shelf.give_up(&mut bytes);
        }
        self.bytes = Received::InMemory(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(bytes: &'static [u8], offset: u32, whole: &[u8]) -> Chunk<'static> {
        Chunk {
            part: BlobKind::State,
            hash: ContentHash::of(whole),
            total: whole.len() as u32,
            offset,
            bytes,
        }
    }

    #[test]
    fn chunks_in_order_and_again_make_the_blob() {
        let whole = b"0123456789";
        let mut uploads = Uploads::default();
        for (bytes, offset) in [
            (&whole[..4], 0),
            (&whole[..4], 0),
            (&whole[4..9], 4),
            (&whole[3..], 3),
        ] {
            uploads.take(&chunk(bytes, offset, whole), 100).unwrap();
        }
        assert_eq!(uploads.state(ContentHash::of(whole)), Some(&whole[..]));
    }

    #[test]
    fn gaps_lies_and_giants_are_refused() {
        let whole = b"0123456789";
        let mut uploads = Uploads::default();
        assert_eq!(
            uploads.take(&chunk(b"45", 4, whole), 100),
            Err(Failure::Blob)
        );
        assert_eq!(
            uploads.take(&chunk(b"0123", 0, whole), 9),
            Err(Failure::Memory)
        );
        uploads.take(&chunk(b"0123", 0, whole), 100).unwrap();
        assert_eq!(
            uploads.take(&chunk(b"6789", 6, whole), 100),
            Err(Failure::Blob)
        );
        assert_eq!(
            uploads.take(&chunk(b"45678X", 4, whole), 100),
            Err(Failure::Blob)
        );
        assert_eq!(uploads.state(ContentHash::of(whole)), None);
    }
}
