//! Records: what travels once both ends have proved that they have the key.

use alloc::vec::Vec;

use hmac::Mac as _;

use super::key::{MAC_BYTES, keyed};
use super::{Intrusion, fill};

const LENGTH_BYTES: usize = 2;
/// The most bytes in a record: about four frames of a microcontroller, so that its buffer stays small.
const MOST: usize = 1024;
/// How much of its HMAC a record carries.
const TAG_BYTES: usize = 16;
/// Enough to keep a line busy; the rest waits where it is.
const OUTGOING_BYTES: usize = 8 * 1024;

/// The key and the number of the next record of one direction.
#[derive(Debug)]
struct Course {
    key: [u8; MAC_BYTES],
    number: u64,
}

impl Course {
    /// What the next record's tag is made from.
    fn next(&mut self, length: [u8; LENGTH_BYTES], bytes: &[u8]) -> hmac::Hmac<sha2::Sha256> {
        let number = self.number.to_le_bytes();
        // 2^64 records take longer than any connection lasts.
        self.number = self.number.wrapping_add(1);
        keyed(&self.key, &[&number, &length, bytes])
    }
}

/// What arrives.
#[derive(Debug)]
pub(super) struct Incoming(Course);

impl Incoming {
    pub(super) fn new(key: [u8; MAC_BYTES]) -> Self {
        Self(Course { key, number: 0 })
    }

    /// Takes up to one record from the front of `bytes`; what is in it goes to `plain` if the tag is right.
    pub(super) fn take(
        &mut self,
        partial: &mut Vec<u8>,
        bytes: &mut &[u8],
        plain: &mut Vec<u8>,
    ) -> Result<(), Intrusion> {
        if !fill(partial, LENGTH_BYTES, bytes) {
            return Ok(());
        }
        let length = partial.first_chunk().copied().ok_or(Intrusion::Forged)?;
        let payload = usize::from(u16::from_le_bytes(length));
        if payload > MOST {
            return Err(Intrusion::Forged);
        }
        if !fill(partial, LENGTH_BYTES + payload + TAG_BYTES, bytes) {
            return Ok(());
        }
        let record = partial.get(LENGTH_BYTES..).unwrap_or_default();
        let (content, tag) = record.split_at_checked(payload).ok_or(Intrusion::Forged)?;
        self.0
            .next(length, content)
            .verify_truncated_left(tag)
            .map_err(|_| Intrusion::Forged)?;
        plain.extend_from_slice(content);
        partial.clear();
        Ok(())
    }
}

/// What is sent.
#[derive(Debug)]
pub(super) struct Outgoing(Course);

impl Outgoing {
    pub(super) fn new(key: [u8; MAC_BYTES]) -> Self {
        Self(Course { key, number: 0 })
    }

    /// Puts bytes from the front of `plain` into records at the end of `line`, and says how many.
    pub(super) fn seal(&mut self, plain: &[u8], line: &mut Vec<u8>) -> usize {
        let mut taken = 0;
        for content in plain.chunks(MOST) {
            if line.len() >= OUTGOING_BYTES {
                break;
            }
            // At most `MOST`, which two bytes hold.
            let length = (content.len() as u16).to_le_bytes();
            let tag = self.0.next(length, content).finalize().into_bytes();
            line.extend_from_slice(&length);
            line.extend_from_slice(content);
            line.extend(tag.iter().take(TAG_BYTES));
            taken += content.len();
        }
        taken
    }
}
