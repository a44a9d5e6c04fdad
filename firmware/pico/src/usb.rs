//! The USB port: a serial line to the host (CDC-ACM), beside the one on pins.
//!
//! There is no executor: one future has all that USB does, and whoever looks at the line polls it.

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::cell::RefCell;
use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use borges_firmware::queue;
use embassy_futures::join::join3;
use embassy_rp::Peri;
use embassy_rp::bind_interrupts;
use embassy_rp::peripherals::USB;
use embassy_rp::usb::{Driver, InterruptHandler};
use embassy_usb::class::cdc_acm::{CdcAcmClass, Receiver, Sender, State};
use embassy_usb::{Builder, Config};
use heapless::Deque;

/// The largest packet.
const PACKET: usize = 64;
/// Raspberry Pi's number for firmware of others that is a serial line.
const VENDOR: u16 = 0x2e8a;
const PRODUCT: u16 = 0x000a;

bind_interrupts!(struct Interrupts {
    USBCTRL_IRQ => InterruptHandler<USB>;
});

type Bus = Driver<'static, USB>;

/// The line.
pub struct Usb {
    buffers: Rc<RefCell<Buffers>>,
    task: Pin<Box<dyn Future<Output = ()>>>,
}

#[derive(Default)]
struct Buffers {
    incoming: Deque<u8, 512>,
    outgoing: Deque<u8, 512>,
    /// Somebody has the cable.
    connected: bool,
}

impl Usb {
    /// Starts the port. Call it once.
    pub fn start(port: Peri<'static, USB>) -> Self {
        let buffers = Rc::new(RefCell::new(Buffers::default()));
        let mut config = Config::new(VENDOR, PRODUCT);
        config.manufacturer = Some("Raspberry Pi");
        config.product = Some("Pico with Borges");
        let mut builder = Builder::new(
            Driver::new(port, Interrupts),
            config,
            Box::leak(Box::new([0; 128])),
            &mut [],
            &mut [],
            Box::leak(Box::new([0; 64])),
        );
        let state = Box::leak(Box::new(State::new()));
        let (sender, receiver) = CdcAcmClass::new(&mut builder, state, PACKET as u16).split();
        let (to, from) = (buffers.clone(), buffers.clone());
        let task = Box::pin(async move {
            let mut device = builder.build();
            join3(device.run(), receive(receiver, &to), send(sender, &from)).await;
        });
        Self { buffers, task }
    }

    /// Takes what has arrived; how many bytes.
    pub fn receive(&mut self, buffer: &mut [u8]) -> usize {
        self.poll();
        queue::take(&mut self.buffers.borrow_mut().incoming, buffer)
    }

    /// Takes what is to be sent, as far as there is room; how many bytes.
    pub fn send(&mut self, bytes: &[u8]) -> usize {
        queue::put(&mut self.buffers.borrow_mut().outgoing, bytes)
    }

    /// Whether somebody has the cable.
    pub fn is_connected(&self) -> bool {
        self.buffers.borrow().connected
    }

    fn poll(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        // It never ends.
        let _pending = self.task.as_mut().poll(&mut context);
    }
}

async fn receive(mut line: Receiver<'static, Bus>, buffers: &RefCell<Buffers>) {
    let mut packet = [0; PACKET];
    loop {
        line.wait_connection().await;
        buffers.borrow_mut().connected = true;
        loop {
            // What has no room yet stays with the host.
            let room = |buffers: &mut Buffers| buffers.incoming.capacity() - buffers.incoming.len();
            until(buffers, |buffers| room(buffers) >= PACKET).await;
            let Ok(length) = line.read_packet(&mut packet).await else {
                break;
            };
            let arrived = packet.get(..length).unwrap_or_default();
            // There was room for all of it.
            let _all = queue::put(&mut buffers.borrow_mut().incoming, arrived);
        }
        let mut buffers = buffers.borrow_mut();
        buffers.connected = false;
        buffers.outgoing.clear();
    }
}

async fn send(mut line: Sender<'static, Bus>, buffers: &RefCell<Buffers>) {
    loop {
        until(buffers, |buffers| {
            buffers.connected && !buffers.outgoing.is_empty()
        })
        .await;
        // Shorter than the largest one: so the host knows that it is the last.
        let mut packet = [0; PACKET - 1];
        let length = queue::take(&mut buffers.borrow_mut().outgoing, &mut packet);
        // A cable that is pulled loses frames; they are sent again.
        let _sent = line
            .write_packet(packet.get(..length).unwrap_or_default())
            .await;
    }
}

/// Waits until something is so with the buffers.
async fn until(buffers: &RefCell<Buffers>, is_so: impl Fn(&mut Buffers) -> bool) {
    poll_fn(|_| match is_so(&mut buffers.borrow_mut()) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}
