//! Well-spread bits, the same on every machine and for ever: readings, links and samples that were made from a seed once
//! are in files and transcripts.

/// What SplitMix64 adds between two numbers (Steele, Lea, Flood 2014).
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number that SplitMix64 gives in the state `n`, which is `n + GOLDEN` then.
pub fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(GOLDEN);
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_numbers_come_out() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(GOLDEN), 0x6e78_9e6a_a1b9_65f4);
    }
}
