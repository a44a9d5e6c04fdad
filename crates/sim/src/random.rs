//! Chance that is the same every time.

use borges_board::mix;

/// Well-spread bits from a seed, the number of a stream, and a place in it.
pub(crate) fn bits(seed: u64, stream: u64, place: u64) -> u64 {
    mix(mix(seed ^ mix(stream)).wrapping_add(place))
}

/// A number from 0 (included) to 1 (excluded).
pub(crate) fn unit(seed: u64, stream: u64, place: u64) -> f64 {
    (bits(seed, stream, place) >> 11) as f64 / (1u64 << 53) as f64
}
