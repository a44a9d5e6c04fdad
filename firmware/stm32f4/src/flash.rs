//! The chip's flash, of which the last two sectors keep programs.
//!
//! Registers instead of the driver of `embassy-stm32`, which erases a byte at a time (so long that the watchdog bites) and
//! leaves what was there before in the cache.

use borges_firmware::place;
use borges_stub::{Flash, PAGE};
use embassy_stm32::pac;
use embassy_stm32::pac::flash::vals::Psize;

/// Of each of the last seven sectors: one is a place.
const SECTOR: usize = place::BYTES;
/// The number of the first sector with programs (RM0090, table 5).
const FIRST: u8 = 10;
const KEYS: [u32; 2] = [0x4567_0123, 0xcdef_89ab];

/// The sectors with programs.
pub struct Sectors(());

impl Sectors {
    /// The flash, if it can be written: QEMU has none of its registers, and they read as zero. Call it once.
    pub fn new() -> Option<Self> {
        let control = pac::FLASH.cr();
        control.modify(|w| w.set_lock(true));
        control.read().lock().then_some(Self(()))
    }

    /// Lets the registers be written during a change, and forgets what the caches have of before.
    fn change(&mut self, change: impl FnOnce(pac::flash::Flash)) {
        let flash = pac::FLASH;
        for key in KEYS {
            flash.keyr().write_value(key);
        }
        // Complaints about something earlier would stop this.
        flash.sr().modify(|_| {});
        change(flash);
        // The core waits for what it fetches from flash, so this is seldom true.
        while flash.sr().read().bsy() {}
        flash.cr().write(|w| w.set_lock(true));
        let access = flash.acr();
        let before = access.read();
        access.modify(|w| {
            w.set_dcen(false);
            w.set_icen(false);
        });
        access.modify(|w| {
            w.set_dcrst(true);
            w.set_icrst(true);
        });
        access.write_value(before);
    }
}

impl Flash for Sectors {
    fn read(&self, place: usize) -> &'static [u8] {
        place::content(place)
    }

    fn sector(&self) -> usize {
        SECTOR
    }

    fn erase(&mut self, place: usize, _at: usize) {
        self.change(|flash| {
            flash.cr().write(|w| {
                w.set_ser(true);
                w.set_snb(FIRST + place as u8);
                w.set_psize(Psize::PSIZE32);
            });
            flash.cr().modify(|w| w.set_strt(true));
        });
    }

    fn write(&mut self, place: usize, at: usize, page: &[u8; PAGE]) {
        assert!(at <= SECTOR - PAGE && at.is_multiple_of(PAGE));
        self.change(|flash| {
            flash.cr().write(|w| {
                w.set_pg(true);
                w.set_psize(Psize::PSIZE32);
            });
            let to: *mut u32 = place::start(place).wrapping_add(at).cast_mut().cast();
            let (words, _) = page.as_chunks();
            for (index, word) in words.iter().enumerate() {
                // SAFETY: inside the place, as was checked, which nobody reads now; aligned as the place is. With `pg` set,
                // a store is what programs the flash.
                unsafe { to.add(index).write_volatile(u32::from_le_bytes(*word)) };
                while flash.sr().read().bsy() {}
            }
        });
    }
}
