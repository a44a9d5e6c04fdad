//! The chip's serial lines: one to the host, two to sensors.

use borges_firmware::{Line, Uart};
use embassy_stm32::pac;
use embassy_stm32::pac::interrupt;
use embassy_stm32::pac::usart::Usart;

/// Half of the core's clock (APB2) or a quarter of it (APB1).
const HOST_CLOCK_HZ: u32 = crate::clock::CORE_HZ / 2;
const SENSOR_CLOCK_HZ: u32 = crate::clock::CORE_HZ / 4;
/// Of the line to the host, after a start.
const HOST_BAUD: u32 = 115_200;
/// Of the lines to sensors.
const SENSOR_BAUD: u32 = 57_600;

/// The line to the host.
pub static HOST: Line<Registers> = Line::new(Registers(pac::USART1));

/// Those of one line.
pub struct Registers(Usart);

impl Uart for Registers {
    fn take(&self) -> Option<u8> {
        let arrived = self.0.sr().read().rxne();
        arrived.then(|| self.0.dr().read().dr() as u8)
    }

    fn is_ready(&self) -> bool {
        self.0.sr().read().txe()
    }

    fn put(&self, byte: u8) {
        self.0.dr().write(|w| w.set_dr(u16::from(byte)));
    }

    fn wake_when_ready(&self, wanted: bool) {
        self.0.cr1().modify(|w| w.set_txeie(wanted));
    }
}

fn start_line(line: Usart, clock_hz: u32, baud: u32) {
    line.brr().write(|w| w.0 = clock_hz.div_ceil(baud));
    line.cr1().write(|w| {
        w.set_ue(true);
        w.set_te(true);
        w.set_re(true);
    });
}

/// Starts the lines to the host and to the sensors.
pub fn start() {
    start_line(pac::USART1, HOST_CLOCK_HZ, HOST_BAUD);
    start_line(pac::USART2, SENSOR_CLOCK_HZ, SENSOR_BAUD);
    start_line(pac::USART3, SENSOR_CLOCK_HZ, SENSOR_BAUD);
    pac::USART1.cr1().modify(|w| w.set_rxneie(true));
    // SAFETY: the handler only touches what is behind the critical section.
    unsafe { cortex_m::peripheral::NVIC::unmask(pac::Interrupt::USART1) };
}

/// Changes the speed of the line to the host.
pub fn set_speed(baud: u32) {
    let line = pac::USART1;
    line.cr1().modify(|w| w.set_ue(false));
    line.brr().write(|w| w.0 = HOST_CLOCK_HZ.div_ceil(baud));
    line.cr1().modify(|w| w.set_ue(true));
}

/// The latest byte of a sensor, if one has come since the last call.
pub fn sensor(port: u8) -> Option<u8> {
    let line = sensor_line(port)?;
    core::iter::from_fn(|| line.take()).last()
}

/// Sends a byte to a sensor.
pub fn to_sensor(port: u8, byte: u8) {
    if let Some(line) = sensor_line(port) {
        line.put(byte);
    }
}

fn sensor_line(port: u8) -> Option<Registers> {
    match port {
        0 => Some(Registers(pac::USART2)),
        1 => Some(Registers(pac::USART3)),
        _ => None,
    }
}

#[interrupt]
fn USART1() {
    HOST.on_interrupt();
}
