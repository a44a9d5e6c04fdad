//! The two places at the end of the flash in which programs are kept.

unsafe extern "C" {
    /// Where they are: `memory.x` says.
    static _programs: u8;
}

/// The length of each, in bytes.
pub const BYTES: usize = 128 << 10;

/// Where one begins, in memory.
///
/// # Panics
/// If there is no such place.
pub fn start(place: usize) -> *const u8 {
    assert!(place < 2);
    (&raw const _programs).wrapping_add(place * BYTES)
}

/// What lies in one. It must not be written while that is lent ([`borges_stub::Flash::read`]).
///
/// # Panics
/// If there is no such place.
pub fn content(place: usize) -> &'static [u8] {
    // SAFETY: this is flash that nothing else lies in, and `memory.x` keeps it for the two places.
    unsafe { core::slice::from_raw_parts(start(place), BYTES) }
}
