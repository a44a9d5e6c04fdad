//! The chip's serial lines: one to the host, one to a sensor.

use borges_firmware::{Line, Uart};
use embassy_rp::pac;
use embassy_rp::pac::interrupt;

/// Of the line to the host, after a start.
const HOST_BAUD: u32 = 115_200;
/// Of the line to the sensor.
const SENSOR_BAUD: u32 = 57_600;

/// The line to the host.
pub static HOST: Line<Registers> = Line::new(Registers::Host);
/// The line to the sensor at port 0.
pub const SENSOR: Registers = Registers::Sensor;

/// Those of one line. Not their address: a line to the host that begins as nothing but zeros takes no flash.
pub enum Registers {
    Host,
    Sensor,
}

impl Registers {
    fn block(&self) -> pac::uart::Uart {
        match self {
            Self::Host => pac::UART0,
            Self::Sensor => pac::UART1,
        }
    }

    fn start(&self, clock_hz: u32, baud: u32) {
        let line = self.block();
        // What sets the speed is only written while the line stands still.
        line.uartcr().write(|w| w.set_uarten(false));
        // In 64ths, rounded: a sixteenth of a bit is what the divider makes.
        let divider = (clock_hz * 4 + baud / 2) / baud;
        line.uartibrd()
            .write(|w| w.set_baud_divint((divider >> 6) as u16));
        line.uartfbrd()
            .write(|w| w.set_baud_divfrac((divider & 63) as u8));
        // Eight bits, no parity. The divider is taken over with this.
        line.uartlcr_h().write(|w| {
            w.set_wlen(3);
            w.set_fen(true);
        });
        line.uartcr().write(|w| {
            w.set_uarten(true);
            w.set_txe(true);
            w.set_rxe(true);
        });
    }
}

impl Uart for Registers {
    fn take(&self) -> Option<u8> {
        let arrived = !self.block().uartfr().read().rxfe();
        arrived.then(|| self.block().uartdr().read().data())
    }

    fn is_ready(&self) -> bool {
        !self.block().uartfr().read().txff()
    }

    fn put(&self, byte: u8) {
        self.block().uartdr().write(|w| w.set_data(byte));
    }

    fn wake_when_ready(&self, wanted: bool) {
        self.block().uartimsc().modify(|w| w.set_txim(wanted));
    }
}

/// Starts both lines, whose clock has this frequency.
pub fn start(clock_hz: u32) {
    Registers::Host.start(clock_hz, HOST_BAUD);
    SENSOR.start(clock_hz, SENSOR_BAUD);
    Registers::Host.block().uartimsc().write(|w| {
        w.set_rxim(true);
        // What is too little for an interrupt of its own comes when the line has been quiet.
        w.set_rtim(true);
    });
    // SAFETY: the handler only touches what is behind the critical section.
    unsafe { cortex_m::peripheral::NVIC::unmask(pac::Interrupt::UART0_IRQ) };
}

/// Changes the speed of the line to the host.
pub fn set_speed(clock_hz: u32, baud: u32) {
    Registers::Host.start(clock_hz, baud);
}

#[interrupt]
fn UART0_IRQ() {
    HOST.on_interrupt();
}
