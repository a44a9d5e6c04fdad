//! Chance that is the same every time.

/// Well-spread bits from a seed, the number of a stream, and a place in it.
pub(crate) fn bits(seed: u64, stream: u64, place: u64) -> u64 {
    mix(mix(seed ^ mix(stream)).wrapping_add(place))
}

/// A number from 0 (included) to 1 (excluded).
pub(crate) fn unit(seed: u64, stream: u64, place: u64) -> f64 {
    (bits(seed, stream, place) >> 11) as f64 / (1u64 << 53) as f64
}

/// SplitMix64's output function.
fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}
