//! Numbers to bytes and back: variable-length, seven bits a byte, the lowest first.

use alloc::vec::Vec;

use super::StateError;

pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads what [`put`] wrote, and raw bytes.
#[derive(Clone, Copy)]
pub(super) struct Input<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Input<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Input { bytes, at: 0 }
    }

    pub(super) fn damaged(&self) -> StateError {
        StateError::Damaged { at: self.at }
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn raw(&mut self, length: usize) -> Result<&'b [u8], StateError> {
        if length > self.left() {
            return Err(self.damaged());
        }
        let raw = self
            .bytes
            .get(self.at..self.at + length)
            .ok_or(self.damaged())?;
        self.at += length;
        Ok(raw)
    }

    pub(super) fn byte(&mut self) -> Result<u8, StateError> {
        let byte = self.bytes.get(self.at).copied().ok_or(self.damaged())?;
        self.at += 1;
        Ok(byte)
    }

    pub(super) fn fixed(&mut self) -> Result<u64, StateError> {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.raw(8)?);
        Ok(u64::from_le_bytes(bytes))
    }

    pub(super) fn u64(&mut self) -> Result<u64, StateError> {
        let start = *self;
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(start.damaged())
    }

    pub(super) fn u32(&mut self) -> Result<u32, StateError> {
        let start = *self;
        u32::try_from(self.u64()?).map_err(|_| start.damaged())
    }

    /// The number of entries of a list of things of at least one byte each.
    pub(super) fn count(&mut self) -> Result<usize, StateError> {
        let start = *self;
        let count = self.u64()?;
        if count > self.left() as u64 {
            return Err(start.damaged());
        }
        Ok(count as usize)
    }

    /// An error unless all was read.
    pub(super) fn end(&self) -> Result<(), StateError> {
        if self.left() == 0 {
            Ok(())
        } else {
            Err(self.damaged())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [
            0,
            1,
            127,
            128,
            0x3fff,
            0x4000,
            u64::from(u32::MAX),
            1 << 63,
            u64::MAX,
        ] {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            let mut input = Input::new(&bytes);
            assert_eq!(input.u64(), Ok(value));
            assert_eq!(input.end(), Ok(()));
            for length in 0..bytes.len() {
                assert!(Input::new(&bytes[..length]).u64().is_err());
            }
        }
        assert!(Input::new(&[0xff; 11]).u64().is_err());
        assert!(Input::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).u32().is_err());
        assert!(Input::new(&[3, 0, 0]).count().is_err());
    }
}
