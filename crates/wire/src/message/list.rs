//! Lists in messages, which may come from somebody hostile.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Reads a list that grows as its elements arrive.
///
/// The usual way reserves room for as many elements as the message may hold by its length, which is
/// up to 64 times the message: too much for a device.
pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Elements<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut elements = Vec::new();
            while let Some(element) = seq.next_element()? {
                elements.push(element);
            }
            Ok(elements)
        }
    }
    deserializer.deserialize_seq(Elements(PhantomData))
}
