//! What the firmware says when it fails: kept in memory that a reboot leaves alone, and told to the host afterwards.

use alloc::string::String;
use core::fmt::{self, Write};
use core::mem::MaybeUninit;

/// The longest text that is kept, in words of four bytes.
const CAPACITY: usize = 50;
/// Says that a text was written here and not by chance.
const MAGIC: u32 = 0x626f_7267;

/// The place of the text. It wants a static in memory that is not initialised (`.uninit`).
#[repr(C)]
pub(crate) struct LastWords {
    magic: u32,
    /// In bytes.
    length: u32,
    text: [u32; CAPACITY],
}

impl LastWords {
    /// Nothing said.
    pub(crate) const fn nowhere() -> MaybeUninit<Self> {
        MaybeUninit::uninit()
    }

    /// Keeps what a panic says, cut off if it is too long.
    pub(crate) fn keep(place: &mut MaybeUninit<Self>, message: fmt::Arguments<'_>) {
        let words = place.write(Self {
            magic: 0,
            length: 0,
            text: [0; CAPACITY],
        });
        // Cut off: what fits is kept.
        let _cut = words.write_fmt(message);
        words.magic = MAGIC;
    }

    /// What was kept before the reboot, if anything; it is returned once.
    ///
    /// # Safety
    /// `place` must be memory of static storage that nothing else writes to. Any content will do: it is checked.
    #[expect(
        unsafe_code,
        reason = "memory that a reboot leaves alone has no initial value"
    )]
    pub(crate) unsafe fn take(place: &mut MaybeUninit<Self>) -> Option<String> {
        let words: *mut u32 = place.as_mut_ptr().cast();
        // SAFETY: all fields are words, for which any bits are valid values; reading memory that was never written by
        // this program is what the caller vouches for. One by one: a volatile read of all would be unrolled.
        let word = |index: usize| unsafe { words.add(index).read_volatile() };
        let (magic, length) = (word(0), word(1) as usize);
        // SAFETY: it is the first word of `place`.
        unsafe { words.write_volatile(0) };
        if magic != MAGIC || length > 4 * CAPACITY {
            return None;
        }
        let text = (2..2 + CAPACITY).flat_map(|index| word(index).to_le_bytes());
        // A panic may quote anything: what is not ASCII is no text to send over a doubtful line.
        let readable = |byte: u8| match byte {
            b' '..=b'~' | b'\n' => char::from(byte),
            _ => '?',
        };
        Some(text.take(length).map(readable).collect())
    }
}

impl Write for LastWords {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        for byte in part.bytes() {
            let at = self.length as usize;
            let word = self.text.get_mut(at / 4).ok_or(fmt::Error)?;
            *word |= u32::from(byte) << (at % 4 * 8);
            self.length += 1;
        }
        Ok(())
    }
}
