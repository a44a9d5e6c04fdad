//! Variable-length integers: 7 bits a byte, least significant first, shortest form only.
//!
//! The shortest form is required when reading, so that equal traces are equal bytes.

use alloc::vec::Vec;

/// Appends `value`.
pub(crate) fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads an integer from the front of `bytes`; the second part is how many bytes it took.
///
/// `None` if the bytes end too early, the number has more than 64 bits, or it could have been shorter.
pub(crate) fn read(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if i == 9 && bits > 1 {
            return None;
        }
        value |= bits << (7 * i);
        if byte & 0x80 == 0 {
            return (byte != 0 || i == 0).then_some((value, i + 1));
        }
    }
    None
}

/// Folds the sign into the lowest bit, so that small negative numbers are short as well.
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(crate) fn unzigzag(value: u64) -> i64 {
    ((value >> 1) as i64) ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_at_every_length() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1u64 << shift) - 1, u64::MAX >> shift] {
                let mut bytes = Vec::new();
                write(&mut bytes, value);
                assert_eq!(read(&bytes), Some((value, bytes.len())));
                assert_eq!(read(&bytes[..bytes.len() - 1]), None);
                assert_eq!(unzigzag(zigzag(value as i64)), value as i64);
            }
        }
    }

    #[test]
    fn refuses_long_forms_and_overflow() {
        assert_eq!(read(&[0x80, 0x00]), None);
        assert_eq!(read(&[0xff; 11]), None);
        assert_eq!(
            read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]),
            None
        );
        assert_eq!(read(&[]), None);
    }
}
