//! A chip without pins: what is measured is the session, not the hardware.

use borges_firmware::{Chip, Pwm, Wiring};

/// Nothing hangs on it, and every look at its clock is a millisecond later, so that delays are over at once.
#[derive(Debug, Default)]
pub struct Nothing {
    now_ms: u64,
    read: u16,
}

impl Chip for Nothing {
    const PINS: u8 = 64;
    const WIRING: Wiring = Wiring {
        buzzer: None,
        motors: &[],
        touch: &[],
    };

    fn now_us(&mut self) -> u64 {
        self.now_ms += 1;
        self.now_ms * 1000
    }

    fn alive(&mut self) {}

    fn receive(&mut self, _: &mut [u8]) -> usize {
        0
    }

    fn send(&mut self, bytes: &[u8]) -> usize {
        bytes.len()
    }

    fn pin_mode(&mut self, _: u8, _: Option<i32>) {}

    fn write(&mut self, _: u8, _: bool) {}

    fn read(&mut self, _: u8) -> bool {
        false
    }

    /// Changes from one reading to the next, as a joystick does.
    fn analog(&mut self, _: u8) -> u16 {
        self.read = self.read.wrapping_mul(5).wrapping_add(1237) & 0xfff;
        self.read
    }

    fn pwm(&mut self, _: u8, _: Option<Pwm>) {}

    fn spi(&mut self, _: &[u8]) {}

    fn pixels(&mut self, _: &[u32]) {}

    fn sensor(&mut self, _: u8) -> Option<u8> {
        None
    }

    fn sensor_mode(&mut self, _: u8, _: u8) {}

    fn watch_edges(&mut self, _: u8, _: Option<i32>) {}

    fn edge(&mut self) -> Option<u8> {
        None
    }

    fn random(&mut self) -> u32 {
        self.read.into()
    }
}
