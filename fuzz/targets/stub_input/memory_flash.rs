//! Flash that lies in memory, and whose power fails.

use std::cell::Cell;
use std::ptr::addr_of_mut;
use std::rc::Rc;

use borges_stub::{Flash, PAGE};

/// The bytes of a place for programs.
pub const PLACE: usize = 4096;
const SECTOR: usize = 1024;

/// As in a chip there is one, and it stays where it is.
static mut PLACES: [[u8; PLACE]; 2] = [[0; PLACE]; 2];

/// The device's flash, which survives the device.
#[derive(Clone)]
pub struct Chip {
    /// How many more times it is erased or written; half of the last time is done.
    power: Rc<Cell<u32>>,
}

impl Chip {
    /// Flash in which every byte is this one. There must be no other one.
    pub fn filled(byte: u8) -> Self {
        let chip = Self {
            power: Rc::new(Cell::new(u32::MAX)),
        };
        for place in 0..2 {
            // SAFETY: this is the only thread, and the one who read the former one is gone.
            unsafe { chip.place(place).write_bytes(byte, PLACE) };
        }
        chip
    }

    /// The power lasts for so many changes.
    pub fn set_power(&self, changes: u32) {
        self.power.set(changes);
    }

    fn place(&self, place: usize) -> *mut u8 {
        assert!(place < 2, "there are two places");
        addr_of_mut!(PLACES)
            .cast::<u8>()
            .wrapping_add(place * PLACE)
    }

    fn change(&self, place: usize, at: usize, length: usize, change: impl Fn(usize, u8) -> u8) {
        assert!(
            at.is_multiple_of(length) && at < PLACE,
            "nothing else is changed"
        );
        let power = self.power.get();
        self.power.set(power.saturating_sub(1));
        let length = [0, length / 2, length][power.min(2) as usize];
        for i in 0..length {
            let byte = self.place(place).wrapping_add(at + i);
            // SAFETY: it lies in that place, and the stub has lent nothing of a place that it changes.
            unsafe { byte.write(change(i, byte.read())) };
        }
    }
}

impl Flash for Chip {
    fn read(&self, place: usize) -> &'static [u8] {
        // SAFETY: a place is always there, and is not changed while the stub has lent something of it.
        unsafe { std::slice::from_raw_parts(self.place(place), PLACE) }
    }

    fn sector(&self) -> usize {
        SECTOR
    }

    fn erase(&mut self, place: usize, at: usize) {
        self.change(place, at, SECTOR, |_, _| 0xff);
    }

    fn write(&mut self, place: usize, at: usize, page: &[u8; PAGE]) {
        self.change(place, at, PAGE, |i, byte| byte & page[i]);
    }
}
