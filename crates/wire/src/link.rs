//! What carries bytes, and what ties it to an endpoint.

use alloc::vec::Vec;

use crate::{Config, Endpoint, Incoming};

/// A stream of bytes between host and device, and a clock: a serial line, a socket, a radio.
///
/// It may lose, double, reorder and corrupt what it carries, and be down for a while. Nothing here
/// waits for longer than about a millisecond.
pub trait Link {
    /// Takes bytes from the front of `bytes`, and says how many: 0 if it has no room now, or is
    /// down.
    fn send(&mut self, bytes: &[u8]) -> usize;

    /// Puts what has arrived at the front of `buffer`, and says how many bytes: 0 if nothing has.
    fn receive(&mut self, buffer: &mut [u8]) -> usize;

    /// The time in µs since any beginning; it never goes back.
    fn now_us(&self) -> u64;

    /// What keeps the line from ever carrying anything, for people, if that is known.
    fn trouble(&self) -> Option<&'static str> {
        None
    }
}

impl<L: Link + ?Sized> Link for alloc::boxed::Box<L> {
    fn send(&mut self, bytes: &[u8]) -> usize {
        (**self).send(bytes)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        (**self).receive(buffer)
    }

    fn now_us(&self) -> u64 {
        (**self).now_us()
    }

    fn trouble(&self) -> Option<&'static str> {
        (**self).trouble()
    }
}

/// How much one [`Port::poll`] reads at most, so that a flood cannot keep it from anything else.
const READS_PER_POLL: usize = 64;
const READ_BYTES: usize = 256;

/// An endpoint at its end of a link.
#[derive(Debug)]
pub struct Port<L> {
    link: L,
    endpoint: Endpoint,
    outgoing: Outgoing,
}

impl<L: Link> Port<L> {
    /// Ties a new endpoint to a link. See [`Endpoint::new`] for the seed.
    pub fn new(link: L, config: Config, seed: u32) -> Self {
        Self {
            link,
            endpoint: Endpoint::new(config, seed),
            outgoing: Outgoing::default(),
        }
    }

    /// The endpoint, to send with and to look at.
    pub fn endpoint(&mut self) -> &mut Endpoint {
        &mut self.endpoint
    }

    /// The link.
    pub fn link(&mut self) -> &mut L {
        &mut self.link
    }

    /// What happened next, if anything did. See [`Endpoint::receive`].
    pub fn receive(&mut self) -> Option<Incoming> {
        self.endpoint.receive()
    }

    /// Moves bytes both ways, as far as it goes without waiting.
    ///
    /// What was taken with [`Self::receive`] since the last time is acknowledged now: who wants to
    /// be killed without losing it makes it durable before.
    pub fn poll(&mut self) {
        let now = self.link.now_us();
        let mut buffer = [0; READ_BYTES];
        for _ in 0..READS_PER_POLL {
            let length = self.link.receive(&mut buffer);
            let Some(bytes) = buffer.get(..length).filter(|bytes| !bytes.is_empty()) else {
                break;
            };
            self.endpoint.feed(now, bytes);
        }
        self.endpoint.tick(now);
        self.outgoing.pump(
            &mut (&mut self.endpoint, &mut self.link),
            |(endpoint, _)| endpoint.transmit(),
            |(_, link), bytes| link.send(bytes),
        );
    }
}

/// A frame of which a line has taken only a part.
#[derive(Debug, Default)]
pub struct Outgoing {
    frame: Vec<u8>,
    taken: usize,
}

impl Outgoing {
    /// Gives a line one frame after the other until it takes no more or there are none. `next` is the next frame of an
    /// end, and `send` says how many bytes its line takes now.
    pub fn pump<E>(
        &mut self,
        end: &mut E,
        next: impl for<'e> Fn(&'e mut E) -> Option<&'e [u8]>,
        send: impl Fn(&mut E, &[u8]) -> usize,
    ) {
        loop {
            let rest = self.frame.get(self.taken..).unwrap_or_default();
            if rest.is_empty() {
                let Some(frame) = next(end) else { return };
                self.frame.clear();
                self.frame.extend_from_slice(frame);
                self.taken = 0;
                continue;
            }
            match send(end, rest) {
                0 => return,
                length => self.taken += length,
            }
        }
    }
}
