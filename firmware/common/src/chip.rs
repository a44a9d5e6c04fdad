//! What a microcontroller can do.

use crate::Stepper;

/// A pulse-width modulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pwm {
    /// Its frequency in Hz; 0: as the chip likes.
    pub frequency_hz: u32,
    /// Its duty, of 4095.
    pub duty: u16,
}

/// What hangs on the pins of a chip besides what the program itself puts there.
#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    /// The pin of the buzzer.
    pub buzzer: Option<u8>,
    /// The motors, each a stepper with a driver.
    pub motors: &'static [Stepper],
    /// The touch sensor of each sensor port.
    pub touch: &'static [u8],
}

/// A microcontroller, behind its hardware abstraction layer. Pins that do not exist read low and ignore what is written.
pub trait Chip {
    /// How many pins the board may name, numbered from 0.
    const PINS: u8;
    /// What hangs on them.
    const WIRING: Wiring;

    /// Time since the start in microseconds; never goes back.
    fn now_us(&mut self) -> u64;

    /// Tells the watchdog that all is well.
    fn alive(&mut self);

    /// Takes what has arrived from the host; how many bytes.
    fn receive(&mut self, buffer: &mut [u8]) -> usize;

    /// Sends bytes to the host; how many could be taken now.
    fn send(&mut self, bytes: &[u8]) -> usize;

    /// Changes the speed of the serial line to the host. What is under way on it is lost. Without a serial line, nothing.
    fn set_speed(&mut self, _baud: u32) {}

    /// Makes a pin an input (mode 0), an input with pull-up (1), or an output (2); `None`: as after the start.
    fn pin_mode(&mut self, pin: u8, mode: Option<i32>);

    /// Writes a level to a pin.
    fn write(&mut self, pin: u8, level: bool);

    /// Reads the level of a pin.
    fn read(&mut self, pin: u8) -> bool;

    /// Reads the voltage at a pin: 0 to 4095 for nothing to full.
    fn analog(&mut self, pin: u8) -> u16;

    /// Puts a modulation on a pin, or takes it away.
    fn pwm(&mut self, pin: u8, pwm: Option<Pwm>);

    /// Sends bytes on the SPI bus.
    fn spi(&mut self, bytes: &[u8]);

    /// Sends colours to the strip of WS2812 pixels, `0xRRGGBB` each.
    fn pixels(&mut self, colours: &[u32]);

    /// The latest byte that the sensor at a port has sent.
    fn sensor(&mut self, port: u8) -> Option<u8>;

    /// Sends a byte to the sensor at a port.
    fn sensor_mode(&mut self, port: u8, mode: u8);

    /// From now on, edges of a pin are kept: any (1), falling (2), rising (3), or none.
    fn watch_edges(&mut self, pin: u8, mode: Option<i32>);

    /// A pin with an edge that was kept; each is returned once.
    fn edge(&mut self) -> Option<u8>;

    /// A random number.
    fn random(&mut self) -> u32;
}
