//! Simulated devices: a stub on some hardware, at the other end of a link in this process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use borges_board::Hardware;
use borges_stub::{Poll, Stub};
use borges_wire::link::Link;

use crate::link::{Clock, Faults, LossyLink};

/// How far a virtual clock moves at each look at a bad line, in µs, while the device waits and while it works.
const TICK_US: u64 = 500;
const WORK_US: u64 = 50;

/// How long a slice may take, and how short it is before longer ones are tried: a program that fills a display does in
/// a thousand steps what others do in a million, and a pause is heard between two slices.
const LONG: Duration = Duration::from_millis(8);
const SHORT: Duration = Duration::from_millis(2);
const SHORTEST: u64 = 500;
/// Slices shorter than this were chosen so: they stay as they are, and a run ends where it would on a quiet machine.
const COARSE: u64 = 50_000;

/// So long a device that waits for its own clock leaves the processor to others.
const NAP: Duration = Duration::from_millis(1);

/// The host's end of a link whose other end is a stub in this process.
///
/// The device works whenever the host looks at the link: everything happens in one thread and in one order, so a session
/// on a simulated device can be repeated exactly.
pub struct SimDevice<H> {
    stub: Arc<Mutex<Stub<H>>>,
    line: Line,
    clock: Clock,
    /// The longest slices that the device takes, in steps.
    longest: u64,
}

/// What lies between the two.
enum Line {
    /// A perfect line; what the device sent and the host has not read.
    Direct(Vec<u8>),
    /// A bad one: the host's end and the device's.
    Lossy {
        host: LossyLink,
        device: LossyLink,
        /// What the line did not take yet.
        rest: Vec<u8>,
    },
}

/// Access to a simulated device beside its link: to look at the hardware, and to turn its knobs.
pub struct SimHandle<H> {
    stub: Arc<Mutex<Stub<H>>>,
    /// The device's end of a bad line.
    line: Option<LossyLink>,
}

/// Takes shorter slices if the last one took long, longer ones if it was soon over.
fn adapt<H: Hardware>(stub: &mut Stub<H>, longest: u64, took: Duration) {
    let steps = stub.slice_steps();
    if took > LONG {
        stub.set_slice_steps((steps / 2).max(SHORTEST));
    } else if took < SHORT && steps < longest {
        stub.set_slice_steps((steps * 2).min(longest));
    }
}

impl<H: Hardware> SimDevice<H> {
    /// A device on a perfect line, with the real clock.
    pub fn new(stub: Stub<H>) -> (Self, SimHandle<H>) {
        let longest = stub.slice_steps();
        let stub = Arc::new(Mutex::new(stub));
        let device = Self {
            stub: stub.clone(),
            line: Line::Direct(Vec::new()),
            clock: Clock::new_real(),
            longest,
        };
        (device, SimHandle { stub, line: None })
    }

    /// A device on a bad line, with a virtual clock: all that goes wrong follows from `seed`.
    pub fn lossy(stub: Stub<H>, faults: &Faults, seed: u64) -> (Self, SimHandle<H>) {
        let longest = stub.slice_steps();
        let stub = Arc::new(Mutex::new(stub));
        let clock = Clock::new_virtual();
        let (host, device) = LossyLink::pair(&clock, faults, seed);
        let line = Some(device.clone());
        let device = Self {
            stub: stub.clone(),
            line: Line::Lossy {
                host,
                device,
                rest: Vec::new(),
            },
            clock,
            longest,
        };
        (device, SimHandle { stub, line })
    }

    /// Lets the device work once.
    fn work(&mut self) {
        let mut stub = lock(&self.stub);
        let now = self.clock.now_us();
        match &mut self.line {
            Line::Direct(out) => {
                let begun = Instant::now();
                let idle = stub.poll(now) == Poll::Idle;
                if self.longest >= COARSE {
                    adapt(&mut stub, self.longest, begun.elapsed());
                }
                if idle && stub.is_waiting() {
                    std::thread::sleep(NAP);
                }
                while let Some(frame) = stub.transmit() {
                    out.extend_from_slice(frame);
                }
            }
            Line::Lossy { device, rest, .. } => {
                let mut buffer = [0; 512];
                loop {
                    let length = device.receive(&mut buffer);
                    if length == 0 {
                        break;
                    }
                    stub.feed(now, &buffer[..length]);
                }
                self.clock.advance(match stub.poll(now) {
                    Poll::Idle => TICK_US,
                    Poll::Busy => WORK_US,
                });
                while let Some(frame) = stub.transmit() {
                    rest.extend_from_slice(frame);
                }
                let taken = device.send(rest);
                rest.drain(..taken);
            }
        }
    }
}

impl<H: Hardware> Link for SimDevice<H> {
    fn send(&mut self, bytes: &[u8]) -> usize {
        match &mut self.line {
            Line::Direct(_) => {
                lock(&self.stub).feed(self.clock.now_us(), bytes);
                bytes.len()
            }
            Line::Lossy { host, .. } => host.send(bytes),
        }
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        if matches!(&self.line, Line::Direct(out) if out.is_empty()) {
            self.work();
        }
        match &mut self.line {
            Line::Direct(out) => {
                let length = out.len().min(buffer.len());
                buffer[..length].copy_from_slice(&out[..length]);
                out.drain(..length);
                length
            }
            Line::Lossy { .. } => {
                self.work();
                match &mut self.line {
                    Line::Lossy { host, .. } => host.receive(buffer),
                    Line::Direct(_) => 0,
                }
            }
        }
    }

    fn now_us(&self) -> u64 {
        self.clock.now_us()
    }
}

impl<H> SimHandle<H> {
    /// Looks at the device.
    pub fn with<T>(&self, look: impl FnOnce(&mut Stub<H>) -> T) -> T {
        look(&mut lock(&self.stub))
    }

    /// Pulls the cable of a bad line, or plugs it in again, in tests; nothing on a perfect one.
    pub fn set_cable(&self, plugged: bool) {
        if let Some(line) = &self.line {
            line.set_up(plugged);
        }
    }
}

impl<H> Clone for SimHandle<H> {
    fn clone(&self) -> Self {
        Self {
            stub: self.stub.clone(),
            line: self.line.clone(),
        }
    }
}

/// A panic in another thread while it held the lock leaves a device that can still be asked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
