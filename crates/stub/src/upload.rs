//! Blobs that arrive in chunks.

use alloc::vec::Vec;

use borges_wire::{ContentHash, FailureCode, Part};

/// The blobs that are complete or on their way.
#[derive(Debug, Default)]
pub(crate) struct Uploads {
    program: Option<Upload>,
    board: Option<Upload>,
    state: Option<Upload>,
}

#[derive(Debug)]
struct Upload {
    hash: ContentHash,
    total: u32,
    bytes: Vec<u8>,
}

/// A chunk of a blob.
pub(crate) struct Chunk<'a> {
    pub(crate) part: Part,
    pub(crate) hash: ContentHash,
    pub(crate) total: u32,
    pub(crate) offset: u32,
    pub(crate) bytes: &'a [u8],
}

impl Uploads {
    /// Takes a chunk. Chunks that were taken before are harmless.
    pub(crate) fn take(&mut self, chunk: &Chunk<'_>, longest: u32) -> Result<(), FailureCode> {
        if chunk.total > longest {
            return Err(FailureCode::Limit);
        }
        let slot = self.slot(chunk.part);
        let known = slot
            .as_ref()
            .is_some_and(|upload| upload.hash == chunk.hash && upload.total == chunk.total);
        if !known {
            if chunk.offset != 0 {
                return Err(FailureCode::Blob);
            }
            let mut bytes = Vec::new();
            bytes
                .try_reserve_exact(chunk.total as usize)
                .map_err(|_| FailureCode::Limit)?;
            let (hash, total) = (chunk.hash, chunk.total);
            *slot = Some(Upload { hash, total, bytes });
        }
        let Some(upload) = slot else {
            return Err(FailureCode::Blob);
        };
        let have = upload.bytes.len() as u64;
        let (start, end) = (
            u64::from(chunk.offset),
            u64::from(chunk.offset) + chunk.bytes.len() as u64,
        );
        if start > have || end > u64::from(upload.total) {
            return Err(FailureCode::Blob);
        }
        if end > have {
            // In order: what is new begins where the blob ends so far.
            let fresh = chunk
                .bytes
                .get((have - start) as usize..)
                .unwrap_or_default();
            upload.bytes.extend_from_slice(fresh);
            if upload.is_complete() && ContentHash::of(&upload.bytes) != upload.hash {
                *slot = None;
                return Err(FailureCode::Blob);
            }
        }
        Ok(())
    }

    /// A complete blob.
    pub(crate) fn complete(&self, part: Part, hash: ContentHash) -> Option<&[u8]> {
        let slot = match part {
            Part::Program => &self.program,
            Part::Board => &self.board,
            Part::State => &self.state,
        };
        let upload = slot
            .as_ref()
            .filter(|upload| upload.hash == hash && upload.is_complete())?;
        Some(&upload.bytes)
    }

    /// Frees a blob.
    pub(crate) fn forget(&mut self, part: Part) {
        *self.slot(part) = None;
    }

    fn slot(&mut self, part: Part) -> &mut Option<Upload> {
        match part {
            Part::Program => &mut self.program,
            Part::Board => &mut self.board,
            Part::State => &mut self.state,
        }
    }
}

impl Upload {
    fn is_complete(&self) -> bool {
        self.bytes.len() as u64 == u64::from(self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(bytes: &'static [u8], offset: u32, whole: &[u8]) -> Chunk<'static> {
        Chunk {
            part: Part::State,
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
        assert_eq!(
            uploads.complete(Part::State, ContentHash::of(whole)),
            Some(&whole[..])
        );
    }

    #[test]
    fn gaps_lies_and_giants_are_refused() {
        let whole = b"0123456789";
        let mut uploads = Uploads::default();
        assert_eq!(
            uploads.take(&chunk(b"45", 4, whole), 100),
            Err(FailureCode::Blob)
        );
        assert_eq!(
            uploads.take(&chunk(b"0123", 0, whole), 9),
            Err(FailureCode::Limit)
        );
        uploads.take(&chunk(b"0123", 0, whole), 100).unwrap();
        assert_eq!(
            uploads.take(&chunk(b"6789", 6, whole), 100),
            Err(FailureCode::Blob)
        );
        assert_eq!(
            uploads.take(&chunk(b"45678X", 4, whole), 100),
            Err(FailureCode::Blob)
        );
        assert_eq!(uploads.complete(Part::State, ContentHash::of(whole)), None);
    }
}
