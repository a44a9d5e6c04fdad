//! What an ELF file puts into flash.

use object::elf::{EM_ARM, FileHeader32, PT_LOAD};
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use object::{Endianness, elf};

use super::{Image, ImageError};

impl Image {
    /// What an ELF file puts into the flash of an RP2040.
    ///
    /// # Errors
    /// [`ImageError`] if it is none of a 32-bit ARM, or belongs elsewhere.
    pub(crate) fn from_elf(bytes: &[u8]) -> Result<Self, ImageError> {
        let header = elf::FileHeader32::<Endianness>::parse(bytes);
        let header: &FileHeader32<Endianness> = header.map_err(|_| ImageError::Elf)?;
        let endian = header.endian().map_err(|_| ImageError::Elf)?;
        if header.e_machine(endian) != EM_ARM {
            return Err(ImageError::Elf);
        }
        let mut image = Self::default();
        for segment in header
            .program_headers(endian, bytes)
            .map_err(|_| ImageError::Elf)?
        {
            if segment.p_type(endian) != PT_LOAD {
                continue;
            }
            let content = segment.data(endian, bytes).map_err(|()| ImageError::Elf)?;
            // A segment without bytes is memory that the program clears itself.
            if !content.is_empty() {
                image.put(segment.p_paddr(endian), content)?;
            }
        }
        Ok(image)
    }
}
