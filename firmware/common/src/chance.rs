//! Random numbers from whatever noise a chip has.

/// Mixes noise, which may be poor or none, with the time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chance(u32);

impl Chance {
    /// The next number: a step of splitmix over all noise so far.
    pub fn next(&mut self, noise: u32, now_us: u64) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9) ^ noise ^ now_us as u32;
        let mixed = (self.0 ^ self.0 >> 16).wrapping_mul(0x85eb_ca6b);
        mixed ^ mixed >> 13
    }
}
