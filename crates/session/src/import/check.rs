//! The checks in recordings. Of many bytes they are about sums: an engine makes them of four numbers at a time, and so in
//! little time.

use crc::{CRC_32_ISO_HDLC, Crc, Digest};

/// The check of all formats that have one.
pub(super) static CHECK: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// So many bytes and more have sums.
pub(super) const MANY: usize = 64;

/// Adds bytes to a check: themselves, or the sums of many.
pub(super) fn add(check: &mut Digest<'static, u32>, bytes: &[u8]) {
    if bytes.len() < MANY {
        check.update(bytes);
        return;
    }
    let (blocks, rest) = bytes.as_chunks::<16>();
    let (mut a, mut b) = ([0_u32; 4], [0_u32; 4]);
    for block in blocks {
        let (words, _) = block.as_chunks::<4>();
        for ((a, b), word) in a.iter_mut().zip(&mut b).zip(words) {
            *a = a.rotate_left(7).wrapping_add(u32::from_le_bytes(*word));
            *b = b.rotate_left(12).wrapping_add(*a);
        }
    }
    for sum in a.into_iter().chain(b) {
        check.update(&sum.to_le_bytes());
    }
    check.update(rest);
}

/// The length and check of bytes, as recordings have them of the program.
pub(super) fn check_of(bytes: &[u8]) -> (u64, u32) {
    (bytes.len() as u64, CHECK.checksum(bytes))
}

/// A check in half as many bits.
pub(super) fn folded(check: u32) -> u16 {
    (check ^ (check >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8]) -> u32 {
        let mut check = CHECK.digest();
        add(&mut check, bytes);
        check.finalize()
    }

    #[test]
    fn few_bytes_have_no_sums() {
        let bytes: Vec<u8> = (0..MANY as u8).collect();
        assert_eq!(check(&bytes[1..]), CHECK.checksum(&bytes[1..]));
        assert_ne!(check(&bytes), CHECK.checksum(&bytes));
    }

    #[test]
    fn every_bit_and_every_exchange_of_words_changes_them() {
        let bytes: Vec<u8> = (0..=99_u8).map(|byte| byte.wrapping_mul(37)).collect();
        let whole = check(&bytes);
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(check(&changed), whole, "bit {bit}");
        }
        for (one, other) in (0..24).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let mut changed = bytes.clone();
            for at in 0..4 {
                changed.swap(4 * one + at, 4 * other + at);
            }
            assert_ne!(check(&changed), whole, "words {one} and {other}");
        }
    }

    #[test]
    fn what_goes_from_one_word_to_another_changes_them() {
        // Turns by 7 and by 12 are back after 32 words of a lane: after 512 bytes.
        for apart in (16..=4096).step_by(16) {
            let mut bytes = vec![3_u8; 4200];
            let whole = check(&bytes);
            bytes[40] += 1;
            bytes[40 + apart] -= 1;
            assert_ne!(check(&bytes), whole, "{apart} bytes apart");
        }
    }
}
