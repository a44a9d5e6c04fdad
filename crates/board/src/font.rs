//! The font of `display_draw_string`: cells of 8 × 16 dots, as WARDuino has them.

use embedded_graphics::{
    geometry::{OriginDimensions, Point},
    image::GetPixel,
    mono_font::{MonoFont, ascii::FONT_8X13},
    pixelcolor::BinaryColor,
};

const FONT: &MonoFont<'_> = &FONT_8X13;
/// The font's 13 rows sit one below the upper edge of the cell.
const TOP: usize = 1;

/// The rows of a character, leftmost dot in the highest bit. What is not printable ASCII looks like a question mark.
pub fn glyph(byte: u8) -> [u8; 16] {
    let character = if (b' '..=b'~').contains(&byte) {
        byte
    } else {
        b'?'
    };
    let size = FONT.character_size;
    let index = u32::from(character - b' ');
    let columns = FONT.image.size().width / size.width;
    let (x0, y0) = (
        (index % columns) * size.width,
        (index / columns) * size.height,
    );
    let mut rows = [0; 16];
    for (y, row) in (0..size.height).zip(rows.iter_mut().skip(TOP)) {
        for x in 0..size.width.min(8) {
            let dot = FONT
                .image
                .pixel(Point::new((x0 + x) as i32, (y0 + y) as i32));
            if dot == Some(BinaryColor::On) {
                *row |= 0x80 >> x;
            }
        }
    }
    rows
}
