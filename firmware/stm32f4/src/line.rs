//! Serial lines, with a buffer each way that an interrupt empties and fills.

use core::cell::RefCell;

use critical_section::Mutex;
use embassy_stm32::pac;
use embassy_stm32::pac::interrupt;
use embassy_stm32::pac::usart::Usart;
use heapless::Deque;

/// Half of the core's clock (APB2) or a quarter of it (APB1).
const HOST_CLOCK_HZ: u32 = crate::clock::CORE_HZ / 2;
const SENSOR_CLOCK_HZ: u32 = crate::clock::CORE_HZ / 4;
/// Of the line to the host.
const HOST_BAUD: u32 = 115_200;
/// Of the lines to sensors.
const SENSOR_BAUD: u32 = 57_600;

struct Buffers {
    incoming: Deque<u8, 2048>,
    outgoing: Deque<u8, 512>,
}

static HOST: Mutex<RefCell<Buffers>> = Mutex::new(RefCell::new(Buffers {
    incoming: Deque::new(),
    outgoing: Deque::new(),
}));

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

/// Takes what the host sent.
pub fn receive(buffer: &mut [u8]) -> usize {
    critical_section::with(|cs| {
        let mut buffers = HOST.borrow_ref_mut(cs);
        let mut length = 0;
        for place in buffer {
            let Some(byte) = buffers.incoming.pop_front() else {
                break;
            };
            *place = byte;
            length += 1;
        }
        length
    })
}

/// Takes what is to be sent to the host, as far as there is room.
pub fn send(bytes: &[u8]) -> usize {
    critical_section::with(|cs| {
        let mut buffers = HOST.borrow_ref_mut(cs);
        let mut taken = 0;
        for byte in bytes {
            if buffers.outgoing.push_back(*byte).is_err() {
                transmit(&mut buffers);
                if buffers.outgoing.push_back(*byte).is_err() {
                    break;
                }
            }
            taken += 1;
        }
        transmit(&mut buffers);
        taken
    })
}

/// Sends as much as the line takes now; an interrupt goes on with the rest.
fn transmit(buffers: &mut Buffers) {
    let line = pac::USART1;
    while line.sr().read().txe() {
        let Some(byte) = buffers.outgoing.pop_front() else {
            break;
        };
        line.dr().write(|w| w.set_dr(u16::from(byte)));
    }
    let more = !buffers.outgoing.is_empty();
    line.cr1().modify(|w| w.set_txeie(more));
}

/// The latest byte of a sensor, if one has come since the last call.
pub fn sensor(port: u8) -> Option<u8> {
    let line = sensor_line(port)?;
    let mut latest = None;
    while line.sr().read().rxne() {
        latest = Some(line.dr().read().dr() as u8);
    }
    latest
}

/// Sends a byte to a sensor.
pub fn to_sensor(port: u8, byte: u8) {
    if let Some(line) = sensor_line(port) {
        line.dr().write(|w| w.set_dr(u16::from(byte)));
    }
}

fn sensor_line(port: u8) -> Option<Usart> {
    match port {
        0 => Some(pac::USART2),
        1 => Some(pac::USART3),
        _ => None,
    }
}

#[interrupt]
fn USART1() {
    critical_section::with(|cs| {
        let mut buffers = HOST.borrow_ref_mut(cs);
        while pac::USART1.sr().read().rxne() {
            let byte = pac::USART1.dr().read().dr() as u8;
            // A byte too many is lost; the host sends the frame again.
            let _lost = buffers.incoming.push_back(byte);
        }
        transmit(&mut buffers);
    });
}
