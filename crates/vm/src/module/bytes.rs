//! Where the bytes of a module lie: in memory of its own, or where somebody else keeps them.

use alloc::boxed::Box;
use core::ops::Deref;

use crate::Shared;

/// Bytes that stay where they are as long as this exists, such as those of a program in a device's flash.
#[derive(Clone, Debug)]
pub struct Lent {
    bytes: &'static [u8],
    lease: Shared<()>,
}

impl Lent {
    /// Lends bytes. Whoever wants to change them counts `lease` first: there is one more of it for each that has them.
    pub fn new(bytes: &'static [u8], lease: &Shared<()>) -> Self {
        let lease = lease.clone();
        Self { bytes, lease }
    }
}

impl Deref for Lent {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

/// The bytes of a module.
#[derive(Debug)]
pub(super) struct Bytes {
    place: Storage,
    /// What keeps lent bytes in place.
    _lease: Option<Shared<()>>,
}

/// Both are a pointer and a length at one offset: to look at them costs no question which of the two it is.
#[derive(Debug)]
enum Storage {
    Own(Box<[u8]>),
    Lent(&'static [u8]),
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self {
            place: Storage::Own(bytes.into()),
            _lease: None,
        }
    }
}

impl From<Lent> for Bytes {
    fn from(lent: Lent) -> Self {
        Self {
            place: Storage::Lent(lent.bytes),
            _lease: Some(lent.lease),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.place {
            Storage::Own(bytes) => bytes,
            Storage::Lent(bytes) => bytes,
        }
    }
}
