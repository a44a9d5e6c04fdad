//! A wire between a debugger and a device, which loses and damages frames, and can be pulled out.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use borges_sim::{Clock, Faults, LossyLink};
use borges_wire::link::Link;

/// Between two looks at a wire on which nothing happens.
const PAUSE: Duration = Duration::from_micros(200);

/// A wire between a debugger and a device.
pub(crate) struct Wire {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    unplugged: AtomicBool,
    ended: AtomicBool,
    /// How often the connection was cut by chance.
    cuts: AtomicU64,
    /// What frames take from one end to the other, where that was changed.
    delay_us: AtomicU64,
    /// How often the wire was looked at while it was pulled out.
    looks_unplugged: AtomicU64,
    /// Frames that the device has sent.
    from_device: AtomicU64,
}

impl Wire {
    /// A wire to a device. Of what happens on it, all that chance decides follows from the seed: after every so many
    /// frames (on average `cut_every`; 0 for never) the connection is cut.
    pub(crate) fn new(device: SocketAddr, faults: &Faults, seed: u64, cut_every: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener
            .set_nonblocking(true)
            .expect("a listener that does not wait");
        let address = listener.local_addr().expect("its number");
        let shared = Arc::new(Shared::default());
        let (host, other) = LossyLink::pair(&Clock::new_real(), faults, seed);
        let mut carrier = Carrier {
            listener,
            device_at: device,
            host: End::new(host),
            device: End::new(other),
            chance: fastrand::Rng::with_seed(seed),
            cut_every,
            delay_us: 0,
            shared: shared.clone(),
        };
        std::thread::spawn(move || carrier.carry());
        Self { address, shared }
    }

    /// As one names it to a debugger.
    pub(crate) fn device(&self) -> String {
        format!("tcp:{}", self.address)
    }

    /// Pulls the wire out, or plugs it in again. Once it returns from pulling, both ends are cut off.
    pub(crate) fn plug(&self, plugged: bool) {
        self.shared.unplugged.store(!plugged, Ordering::SeqCst);
        if !plugged {
            // One look may have begun before.
            self.wait_for(&self.shared.looks_unplugged, 2);
        }
    }

    /// Waits until so many more looks were taken at the wire while it is pulled out: whoever tries to open the line again
    /// has tried meanwhile.
    pub(crate) fn stay_out(&self, looks: u64) {
        self.wait_for(&self.shared.looks_unplugged, looks);
    }

    /// Waits until the device has sent so many more frames.
    pub(crate) fn wait_for_device(&self, frames: u64) {
        self.wait_for(&self.shared.from_device, frames);
    }

    fn wait_for(&self, counter: &AtomicU64, more: u64) {
        let goal = counter.load(Ordering::SeqCst) + more;
        while counter.load(Ordering::SeqCst) < goal {
            std::thread::yield_now();
        }
    }

    /// From now on, frames take so long and are neither lost nor damaged.
    pub(crate) fn slow(&self, delay_us: u64) {
        self.shared.delay_us.store(delay_us, Ordering::SeqCst);
    }

    /// How often the connection was cut by chance.
    pub(crate) fn cuts(&self) -> u64 {
        self.shared.cuts.load(Ordering::SeqCst)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
    }
}

/// What moves the bytes, on a thread of its own.
struct Carrier {
    listener: TcpListener,
    device_at: SocketAddr,
    host: End,
    device: End,
    chance: fastrand::Rng,
    cut_every: u64,
    delay_us: u64,
    shared: Arc<Shared>,
}

impl Carrier {
    fn carry(&mut self) {
        while !self.shared.ended.load(Ordering::SeqCst) {
            let plugged = !self.shared.unplugged.load(Ordering::SeqCst);
            self.host.link.set_up(plugged);
            self.slow_down();
            if !plugged {
                (self.host.socket, self.device.socket) = (None, None);
                self.shared.looks_unplugged.fetch_add(1, Ordering::SeqCst);
            } else {
                self.connect();
            }
            let from_device = self.device.take_in();
            self.shared
                .from_device
                .fetch_add(from_device as u64, Ordering::SeqCst);
            let frames = self.host.take_in() + from_device;
            let moved = self.host.give_out() | self.device.give_out();
            for _ in 0..frames {
                if self.cut_every > 0 && self.chance.u64(..self.cut_every) == 0 {
                    (self.host.socket, self.device.socket) = (None, None);
                    self.shared.cuts.fetch_add(1, Ordering::SeqCst);
                }
            }
            if frames == 0 && !moved {
                std::thread::sleep(PAUSE);
            }
        }
    }

    fn slow_down(&mut self) {
        let delay_us = self.shared.delay_us.load(Ordering::SeqCst);
        if delay_us != self.delay_us {
            self.delay_us = delay_us;
            self.host.link.set_faults(&Faults {
                delay_us: (delay_us, delay_us),
                ..Faults::none()
            });
        }
    }

    /// The device is connected while a debugger is.
    fn connect(&mut self) {
        if let Ok((socket, _)) = self.listener.accept() {
            self.host.adopt(socket);
        }
        if self.host.socket.is_none() {
            self.device.socket = None;
        } else if self.device.socket.is_none()
            && let Ok(socket) = TcpStream::connect(self.device_at)
        {
            self.device.adopt(socket);
        }
    }
}

/// One end of the wire: a socket, and the line behind it.
struct End {
    socket: Option<TcpStream>,
    link: LossyLink,
    /// A frame that is not complete: it is lost or damaged as a whole.
    partial: Vec<u8>,
}

impl End {
    fn new(link: LossyLink) -> Self {
        Self {
            socket: None,
            link,
            partial: Vec::new(),
        }
    }

    fn adopt(&mut self, socket: TcpStream) {
        socket
            .set_nonblocking(true)
            .expect("a socket that does not wait");
        socket
            .set_nodelay(true)
            .expect("a socket that sends at once");
        self.partial.clear();
        self.socket = Some(socket);
    }

    /// Puts what the socket has on the line; how many frames.
    fn take_in(&mut self) -> usize {
        let Some(socket) = &mut self.socket else {
            return 0;
        };
        let mut buffer = [0; 4096];
        let length = match socket.read(&mut buffer) {
            Ok(length @ 1..) => length,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return 0,
            // It has ended.
            _ => {
                self.socket = None;
                return 0;
            }
        };
        let mut frames = 0;
        for &byte in &buffer[..length] {
            self.partial.push(byte);
            // A frame begins and ends with a zero.
            if byte == 0 && self.partial.len() > 1 {
                self.link.send(&self.partial);
                self.partial.clear();
                frames += 1;
            }
        }
        frames
    }

    /// Gives the socket what came over the line; whether there was anything.
    fn give_out(&mut self) -> bool {
        let mut buffer = [0; 4096];
        let length = self.link.receive(&mut buffer);
        if let Some(socket) = &mut self.socket
            && length > 0
            && socket.write_all(&buffer[..length]).is_err()
        {
            self.socket = None;
        }
        length > 0
    }
}
