//! The end of the board's flash, which keeps programs.

use borges_firmware::place;
use borges_stub::{Flash, PAGE};
use embassy_rp::Peri;
use embassy_rp::flash::{Blocking, ERASE_SIZE};
use embassy_rp::peripherals::FLASH;

/// Of the whole flash of a Pico.
const FLASH_BYTES: usize = 2 << 20;
/// Where flash is in memory.
const BASE: usize = 0x1000_0000;

/// The part of the flash with programs.
pub struct Programs(embassy_rp::flash::Flash<'static, FLASH, Blocking, FLASH_BYTES>);

impl Programs {
    /// The flash.
    pub fn new(flash: Peri<'static, FLASH>) -> Self {
        Self(embassy_rp::flash::Flash::new_blocking(flash))
    }

    /// An offset in a place as one in the whole flash.
    fn offset(place: usize, at: usize) -> u32 {
        assert!(at < place::BYTES);
        (place::start(place).addr() - BASE + at) as u32
    }
}

impl Flash for Programs {
    fn read(&self, place: usize) -> &'static [u8] {
        place::content(place)
    }

    fn sector(&self) -> usize {
        ERASE_SIZE
    }

    fn erase(&mut self, place: usize, at: usize) {
        let from = Self::offset(place, at);
        // Whether it worked is seen by looking.
        let _done = self.0.blocking_erase(from, from + ERASE_SIZE as u32);
    }

    fn write(&mut self, place: usize, at: usize, page: &[u8; PAGE]) {
        // Whether it worked is seen by looking.
        let _done = self.0.blocking_write(Self::offset(place, at), page);
    }
}
