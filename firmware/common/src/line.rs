//! A serial line with a buffer each way, which an interrupt empties and fills.

use core::cell::RefCell;

use critical_section::Mutex;
use heapless::Deque;

use crate::queue;

/// The registers of a chip's serial line.
pub trait Uart {
    /// A byte that has arrived.
    fn take(&self) -> Option<u8>;

    /// Whether there is room for a byte to send.
    fn is_ready(&self) -> bool;

    /// Sends a byte: only when it is ready.
    fn put(&self, byte: u8);

    /// Whether an interrupt is wanted when there is room again.
    fn wake_when_ready(&self, wanted: bool);
}

/// Bytes that are moved with interrupts off: on a fast line, the next one must not come twice meanwhile.
const PIECE: usize = 16;

struct Buffers {
    incoming: Deque<u8, 2048>,
    outgoing: Deque<u8, 512>,
}

/// A serial line. Let its interrupt handler call [`Line::on_interrupt`].
pub struct Line<U> {
    uart: U,
    buffers: Mutex<RefCell<Buffers>>,
}

impl<U: Uart> Line<U> {
    /// A line on which nothing has happened.
    pub const fn new(uart: U) -> Self {
        Self {
            uart,
            buffers: Mutex::new(RefCell::new(Buffers {
                incoming: Deque::new(),
                outgoing: Deque::new(),
            })),
        }
    }

    /// Takes what has arrived; how many bytes.
    pub fn receive(&self, buffer: &mut [u8]) -> usize {
        let mut length = 0;
        for piece in buffer.chunks_mut(PIECE) {
            let taken = critical_section::with(|cs| {
                queue::take(&mut self.buffers.borrow_ref_mut(cs).incoming, piece)
            });
            length += taken;
            if taken < piece.len() {
                break;
            }
        }
        length
    }

    /// Takes what is to be sent, as far as there is room; how many bytes.
    pub fn send(&self, bytes: &[u8]) -> usize {
        critical_section::with(|cs| {
            let mut buffers = self.buffers.borrow_ref_mut(cs);
            let mut taken = 0;
            loop {
                let rest = bytes.get(taken..).unwrap_or_default();
                let now = queue::put(&mut buffers.outgoing, rest);
                self.transmit(&mut buffers);
                // The line may have made room for more.
                taken += now;
                if now == 0 {
                    return taken;
                }
            }
        })
    }

    /// Moves what has arrived out of the registers, and what is to be sent into them.
    pub fn on_interrupt(&self) {
        critical_section::with(|cs| {
            let mut buffers = self.buffers.borrow_ref_mut(cs);
            while let Some(byte) = self.uart.take() {
                // A byte too many is lost; the host sends the frame again.
                let _lost = buffers.incoming.push_back(byte);
            }
            self.transmit(&mut buffers);
        });
    }

    /// Sends as much as the line takes now; an interrupt goes on with the rest.
    fn transmit(&self, buffers: &mut Buffers) {
        while self.uart.is_ready() {
            let Some(byte) = buffers.outgoing.pop_front() else {
                break;
            };
            self.uart.put(byte);
        }
        self.uart.wake_when_ready(!buffers.outgoing.is_empty());
    }
}
