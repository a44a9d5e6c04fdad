//! What the firmware says when it fails: kept in memory that a reboot leaves alone, and told to the host afterwards.

use core::fmt::{self, Write};
use core::mem::MaybeUninit;

/// The longest text that is kept, in bytes.
const CAPACITY: usize = 200;
/// Says that a text was written here and not by chance.
const MAGIC: u32 = 0x626f_7267;

/// The place of the text. It wants a static in memory that is not initialised (`.uninit`).
#[repr(C)]
pub(crate) struct LastWords {
    magic: u32,
    length: u32,
    text: [u8; CAPACITY],
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
    pub(crate) unsafe fn take(place: &mut MaybeUninit<Self>) -> Option<alloc::string::String> {
        // SAFETY: all fields are integers, for which any bytes are valid values; reading memory that was never written
        // by this program is what the caller vouches for.
        let words = unsafe { core::ptr::read_volatile(place.as_ptr()) };
        place.write(Self {
            magic: 0,
            length: 0,
            text: [0; CAPACITY],
        });
        if words.magic != MAGIC {
            return None;
        }
        let text = words.text.get(..words.length as usize)?;
        Some(alloc::string::String::from_utf8_lossy(text).into_owned())
    }
}

impl Write for LastWords {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let at = self.length as usize;
        let room = CAPACITY.saturating_sub(at).min(part.len());
        let (Some(to), Some(from)) = (
            self.text.get_mut(at..at + room),
            part.as_bytes().get(..room),
        ) else {
            return Err(fmt::Error);
        };
        to.copy_from_slice(from);
        self.length += room as u32;
        if room == part.len() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}
