//! Firmware for boards with a USB drive: the Raspberry Pi Pico takes a file in the UF2 format.
//!
//! [`Image`] is what lies where in flash; it comes from an ELF file ([`Image::from_elf`]) or is written and checked as
//! UF2 ([`uf2`]). [`drive`] finds the board.

pub(crate) mod drive;
mod elf;
pub(crate) mod uf2;

use std::collections::BTreeMap;

use thiserror::Error;

/// How much of flash is written at a time.
pub(crate) const PAGE_BYTES: usize = 256;
/// Where the flash of an RP2040 begins, and what it can have at most.
pub(crate) const FLASH: std::ops::Range<u32> = 0x1000_0000..0x1100_0000;

/// What lies where in a board's flash, in whole pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Image {
    /// By address.
    pages: BTreeMap<u32, [u8; PAGE_BYTES]>,
}

impl Image {
    /// How many pages it has.
    #[must_use]
    pub(crate) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Puts bytes at an address; what was there before is replaced.
    fn put(&mut self, address: u32, bytes: &[u8]) -> Result<(), ImageError> {
        let outside = ImageError::Outside { address };
        let length = u32::try_from(bytes.len()).map_err(|_| outside)?;
        let end = address.checked_add(length).ok_or(outside)?;
        if address < FLASH.start || end > FLASH.end {
            return Err(outside);
        }
        for (at, byte) in (address..).zip(bytes) {
            let offset = at as usize % PAGE_BYTES;
            let page = self.pages.entry(at - offset as u32).or_insert([0; _]);
            page[offset] = *byte;
        }
        Ok(())
    }
}

/// This is no firmware for an RP2040.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum ImageError {
    /// It is no UF2 file, and no ELF file.
    #[error("it is neither UF2 nor ELF")]
    Neither,
    /// It is cut off, or followed by something else.
    #[error("a UF2 file has blocks of 512 bytes; this one has {0} bytes")]
    Cut(usize),
    /// A block is no block.
    #[error("block {0} is damaged")]
    Damaged(usize),
    /// A block is missing or out of order.
    #[error("block {block} says that it is number {number} of {total}")]
    Order {
        /// Which it is.
        block: usize,
        /// Which it says that it is.
        number: u32,
        /// Of how many.
        total: u32,
    },
    /// It is for another chip.
    #[error("it is for another chip ({}), not for the RP2040", family_name(*.0))]
    Family(u32),
    /// It says for no chip.
    #[error("it does not say for which chip it is")]
    NoFamily,
    /// It wants to be somewhere else.
    #[error("something in it belongs to address {address:#010x}, which is not flash of an RP2040")]
    Outside {
        /// Where.
        address: u32,
    },
    /// The ELF file is damaged, or none of a 32-bit ARM.
    #[error("it is no ELF file of a 32-bit ARM that can be read")]
    Elf,
    /// There is nothing at the start of flash, so the chip would not start.
    #[error(
        "it has nothing at the start of flash, where an RP2040 looks for its second-stage bootloader"
    )]
    NoBoot,
}

fn family_name(family: u32) -> String {
    let name = match family {
        0xe48b_ff57 => "RP2XXX, absolute",
        0xe48b_ff59 => "RP2350, ARM",
        0xe48b_ff5a => "RP2350, RISC-V",
        0x5775_5a57 => "STM32F4",
        0xada5_2840 => "nRF52840",
        0x68ed_2b88 => "SAMD21",
        _ => return format!("family {family:#010x}"),
    };
    name.to_owned()
}

/// Reads firmware for an RP2040, whichever of the two formats it has, and checks it.
///
/// # Errors
/// [`ImageError`] says what it is instead.
pub(crate) fn read(bytes: &[u8]) -> Result<Image, ImageError> {
    let image = if bytes.starts_with(b"\x7fELF") {
        Image::from_elf(bytes)?
    } else if uf2::is_uf2(bytes) {
        uf2::read(bytes)?
    } else {
        return Err(ImageError::Neither);
    };
    if image.pages.contains_key(&FLASH.start) {
        Ok(image)
    } else {
        Err(ImageError::NoBoot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bootloader's page, and some code two pages further on.
    pub(super) fn image() -> Image {
        let mut image = Image::default();
        image.put(FLASH.start, &[1; PAGE_BYTES]).unwrap();
        image.put(FLASH.start + 0x2f0, &[2; 300]).unwrap();
        image
    }

    #[test]
    fn what_is_written_is_read_again() {
        let image = image();
        assert_eq!(image.pages(), 4);
        assert_eq!(read(&uf2::write(&image)), Ok(image));
    }

    #[test]
    fn what_is_no_firmware_for_the_chip_is_refused_and_named() {
        let good = uf2::write(&image());
        // What to change, in which byte of the second block, and what is said then.
        let spoil = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[512 + at] = byte;
            read(&bytes).expect_err("spoilt").to_string()
        };
        for (at, byte, said) in [
            (0, 0, "block 1 is damaged"),
            (511, 0, "block 1 is damaged"),
            (9, 0, "does not say for which chip"),
            (15, 0x20, "0x2000"),
            (16, 255, "block 1 is damaged"),
            (20, 7, "block 1 says that it is number 7 of 4"),
            (24, 9, "block 1 says that it is number 1 of 9"),
            (28, 0x59, "RP2350, ARM"),
        ] {
            let message = spoil(at, byte);
            assert!(message.contains(said), "{message}");
        }
        assert_eq!(read(&good[..700]), Err(ImageError::Cut(700)));
        assert_eq!(read(b"\0asm"), Err(ImageError::Neither));
        assert_eq!(read(b"\x7fELF and more"), Err(ImageError::Elf));
        let mut no_boot = Image::default();
        no_boot.put(FLASH.start + 256, &[1]).unwrap();
        assert_eq!(read(&uf2::write(&no_boot)), Err(ImageError::NoBoot));
    }
}
