//! The UF2 format (<https://github.com/microsoft/uf2>): blocks of 512 bytes, each of which says where it belongs.

use super::{Image, ImageError, PAGE_BYTES};

const BLOCK_BYTES: usize = 512;
const MAGIC_START: [u32; 2] = [0x0a32_4655, 0x9e5d_5157];
const MAGIC_END: u32 = 0x0ab1_6f30;
/// The block is no part of flash: a comment.
const NOT_FLASH: u32 = 1;
/// The block names the family of chips that it is for.
const HAS_FAMILY: u32 = 0x2000;
const RP2040: u32 = 0xe48b_ff56;
/// Where a block's bytes begin.
const PAYLOAD_AT: usize = 32;

/// Whether a file begins as UF2 files do.
#[must_use]
pub(crate) fn is_uf2(bytes: &[u8]) -> bool {
    word(bytes, 0) == Some(MAGIC_START[0])
}

/// Reads a UF2 file for an RP2040.
///
/// # Errors
/// [`ImageError`] says what is wrong with which block.
pub(crate) fn read(bytes: &[u8]) -> Result<Image, ImageError> {
    let blocks = bytes.chunks_exact(BLOCK_BYTES);
    if !blocks.remainder().is_empty() {
        return Err(ImageError::Cut(bytes.len()));
    }
    let total = blocks.len();
    let mut image = Image::default();
    for (i, block) in blocks.enumerate() {
        let field = |at| word(block, at).ok_or(ImageError::Damaged(i));
        let magic = [field(0)?, field(4)?];
        if magic != MAGIC_START || field(BLOCK_BYTES - 4)? != MAGIC_END {
            return Err(ImageError::Damaged(i));
        }
        let (number, of) = (field(20)?, field(24)?);
        if (number as usize, of as usize) != (i, total) {
            return Err(ImageError::Order {
                block: i,
                number,
                total: of,
            });
        }
        let flags = field(8)?;
        if flags & NOT_FLASH != 0 {
            continue;
        }
        match field(28)? {
            _ if flags & HAS_FAMILY == 0 => return Err(ImageError::NoFamily),
            RP2040 => {}
            other => return Err(ImageError::Family(other)),
        }
        // The chip's own loader takes whole pages only.
        if field(16)? as usize != PAGE_BYTES {
            return Err(ImageError::Damaged(i));
        }
        let payload = block.get(PAYLOAD_AT..PAYLOAD_AT + PAGE_BYTES);
        image.put(field(12)?, payload.ok_or(ImageError::Damaged(i))?)?;
    }
    Ok(image)
}

/// Writes an image as a UF2 file for an RP2040.
#[must_use]
pub(crate) fn write(image: &Image) -> Vec<u8> {
    let total = image.pages.len() as u32;
    let mut file = Vec::with_capacity(image.pages.len() * BLOCK_BYTES);
    for (number, (address, page)) in (0..).zip(&image.pages) {
        let header = [
            MAGIC_START[0],
            MAGIC_START[1],
            HAS_FAMILY,
            *address,
            PAGE_BYTES as u32,
            number,
            total,
            RP2040,
        ];
        file.extend(header.iter().flat_map(|word| word.to_le_bytes()));
        file.extend_from_slice(page);
        file.resize(file.len().next_multiple_of(BLOCK_BYTES) - 4, 0);
        file.extend_from_slice(&MAGIC_END.to_le_bytes());
    }
    file
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}
