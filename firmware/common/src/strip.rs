//! A strip of WS2812 pixels on a pin.

use crate::Chip;

/// How long a bit is high and low, in turns of the core's clock: 0.4 µs and 0.8 µs, or the other way round for a one.
#[derive(Clone, Copy, Debug)]
struct Pulse {
    short: u32,
    long: u32,
}

/// Sends colours, `0xRRGGBB` each, to the strip on a pin of a chip whose core runs at `core_hz`.
pub fn send_pixels<C: Chip>(chip: &mut C, pin: u8, colours: &[u32], core_hz: u32) {
    let pulse = Pulse {
        short: core_hz / 2_500_000,
        long: core_hz / 1_250_000,
    };
    chip.pin_mode(pin, Some(2));
    for colour in colours {
        // An interrupt may lengthen the pause between two pixels, but not a bit.
        critical_section::with(|_| send_pixel(chip, pin, *colour, pulse));
    }
}

/// The strip takes green, red and blue, the highest bit first.
fn send_pixel<C: Chip>(chip: &mut C, pin: u8, rgb: u32, Pulse { short, long }: Pulse) {
    let grb = (rgb & 0x00ff00) << 8 | (rgb & 0xff0000) >> 8 | rgb & 0x0000ff;
    for bit in (0..24).rev() {
        let one = grb >> bit & 1 == 1;
        let (high, low) = if one { (long, short) } else { (short, long) };
        chip.write(pin, true);
        cortex_m::asm::delay(high);
        chip.write(pin, false);
        cortex_m::asm::delay(low);
    }
}
