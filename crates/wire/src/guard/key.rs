//! Keys, and what can be said with them.

use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// How long what a key says is.
pub(super) const MAC_BYTES: usize = 32;
/// Shorter keys can be found by trying.
const SHORTEST: usize = 16;
/// Nobody needs more, and a device keeps it in memory.
const LONGEST: usize = 256;

/// What both ends know and nobody else.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Vec<u8>);

/// These bytes are no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It could be guessed.
    #[error("a key has at least {SHORTEST} bytes, this one has {0}")]
    Short(usize),
    /// It is longer than a device takes.
    #[error("a key has at most {LONGEST} bytes, this one has {0}")]
    Long(usize),
}

impl Key {
    /// A key of these bytes: random ones, or a long sentence.
    ///
    /// # Errors
    /// [`KeyError`] if they are too few or too many.
    pub fn new(secret: &[u8]) -> Result<Self, KeyError> {
        match secret.len() {
            length if length < SHORTEST => Err(KeyError::Short(length)),
            length if length > LONGEST => Err(KeyError::Long(length)),
            _ => Ok(Self(secret.to_vec())),
        }
    }

    /// A message about something, in an envelope that nobody makes without this key.
    pub fn seal(&self, about: &str, message: &[u8]) -> Vec<u8> {
        let mut sealed = self.envelope(about, message).to_vec();
        sealed.extend_from_slice(message);
        sealed
    }

    /// The message about that in an envelope; nothing if it was made without this key, is about something else, or was
    /// changed.
    pub fn unseal<'m>(&self, about: &str, sealed: &'m [u8]) -> Option<&'m [u8]> {
        let (envelope, message) = sealed.split_at_checked(MAC_BYTES)?;
        let length = (about.len() as u64).to_le_bytes();
        self.says(&[b"sealed", &length, about.as_bytes(), message], envelope)
            .then_some(message)
    }

    fn envelope(&self, about: &str, message: &[u8]) -> [u8; MAC_BYTES] {
        let length = (about.len() as u64).to_le_bytes();
        self.mac(&[b"sealed", &length, about.as_bytes(), message])
    }

    /// HMAC-SHA256 of the parts one after another.
    pub(super) fn mac(&self, parts: &[&[u8]]) -> [u8; MAC_BYTES] {
        keyed(&self.0, parts).finalize().into_bytes().into()
    }

    /// Whether `said` is what [`Self::mac`] gives, found out in a time that does not depend on where they differ.
    pub(super) fn says(&self, parts: &[&[u8]], said: &[u8]) -> bool {
        keyed(&self.0, parts).verify_slice(said).is_ok()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whatever is printed for debugging ends up in a log.
        f.write_str("Key(…)")
    }
}

/// An HMAC that has read the parts.
pub(super) fn keyed(key: &[u8], parts: &[&[u8]]) -> Hmac<Sha256> {
    let mut mac =
        <Hmac<Sha256> as Mac>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_the_key_opens_what_was_sealed_and_nobody_else() {
        let key = Key::new(b"a key of sixteen").unwrap();
        let other = Key::new(b"another sixteen!").unwrap();
        for message in [&b""[..], b"x", &[7; 1000]] {
            let sealed = key.seal("jobs", message);
            assert_eq!(key.unseal("jobs", &sealed), Some(message));
            assert_eq!(key.unseal("job", &sealed), None);
            assert_eq!(other.unseal("jobs", &sealed), None);
            for at in 0..sealed.len() {
                let mut changed = sealed.clone();
                changed[at] ^= 1;
                assert_eq!(key.unseal("jobs", &changed), None, "{at}");
                assert_eq!(key.unseal("jobs", &sealed[..at]), None, "{at}");
            }
        }
    }
}
