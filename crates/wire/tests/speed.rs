//! A device finds the speed of its host's port, from whatever both of them come.

#![allow(clippy::unwrap_used)] // A test may give up.

#[allow(dead_code, unreachable_pub)] // The same links as everywhere, not a copy.
#[path = "../../sim/src/link.rs"]
mod link;

use borges_wire::speed::BAUDS;
use borges_wire::{Channel, Config, Incoming, Link, LostCause, Port, Speed};
use link::{Clock, Faults, LossyLink};
use proptest::prelude::*;

/// How long each of the two goes between two looks at the line, in µs.
const TURN_US: u64 = 1_000;

/// The device's end of a line: with another speed than the host's, bytes become others on their way.
struct DeviceEnd {
    line: LossyLink,
    host_baud: u32,
    baud: u32,
}

impl DeviceEnd {
    fn carry(&self, bytes: &mut [u8]) {
        if self.baud != self.host_baud {
            for byte in bytes {
                *byte = byte.wrapping_mul(37).wrapping_add(11);
            }
        }
    }
}

impl Link for DeviceEnd {
    fn send(&mut self, bytes: &[u8]) -> usize {
        let mut bytes = bytes.to_vec();
        self.carry(&mut bytes);
        self.line.send(&bytes)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        let length = self.line.receive(buffer);
        self.carry(&mut buffer[..length]);
        length
    }

    fn now_us(&self) -> u64 {
        self.line.now_us()
    }
}

/// A host whose port has a speed of its own, and a device that looks for it.
struct Pair {
    clock: Clock,
    host: Port<LossyLink>,
    device: Port<DeviceEnd>,
    speed: Speed,
    starts: u32,
}

impl Pair {
    fn new(host_baud: u32, delay_us: u64) -> Self {
        let clock = Clock::new_virtual();
        let faults = Faults {
            delay_us: (delay_us, delay_us),
            ..Faults::none()
        };
        let (line, other) = LossyLink::pair(&clock, &faults, 1);
        Self {
            clock,
            host: Port::new(line, Config::host(), 5),
            device: started(other, host_baud, 6),
            speed: Speed::default(),
            starts: 0,
        }
    }

    /// The device's reset button.
    fn reset(&mut self) {
        self.starts += 1;
        let DeviceEnd {
            line, host_baud, ..
        } = self.device.link();
        self.device = started(line.clone(), *host_baud, 100 + self.starts);
        self.speed = Speed::default();
    }

    fn step(&mut self) {
        self.clock.advance(TURN_US);
        self.host.poll();
        self.device.poll();
        let counters = self.device.endpoint().counters();
        if let Some(baud) = self.speed.listen(self.clock.now_us(), counters) {
            self.device.link().baud = baud;
        }
        while self.device.receive().is_some() {}
    }

    /// How long it takes until the host is told this, in µs; no longer than `most`.
    fn until(&mut self, most: u64, told: impl Fn(&Incoming) -> bool) -> Option<u64> {
        let began = self.clock.now_us();
        while self.clock.now_us() - began < most {
            self.step();
            while let Some(incoming) = self.host.receive() {
                if told(&incoming) {
                    return Some(self.clock.now_us() - began);
                }
            }
        }
        None
    }
}

/// The device's end after a start.
fn started(line: LossyLink, host_baud: u32, seed: u32) -> Port<DeviceEnd> {
    let end = DeviceEnd {
        line,
        host_baud,
        baud: BAUDS[0],
    };
    Port::new(end, Config::device(), seed)
}

proptest! {
    /// Also when the host does not know yet that the device has started anew, and goes on sending what belongs to their
    /// last connection: no frame of the new one, but no noise either.
    #[test]
    fn the_speed_is_found_at_each_start(
        index in 0..BAUDS.len(),
        delay in 0..60_000u64,
        waits in prop::collection::vec((0..3_000u64, any::<bool>()), 1..4),
    ) {
        let mut pair = Pair::new(BAUDS[index], delay);
        // A greeting or a repetition each second, of which each speed takes one.
        let most = 3_000_000 + 1_100_000 * index as u64;
        let first = pair.until(most, |told| *told == Incoming::Connected);
        prop_assert!(first.is_some(), "{} by {}", pair.device.link().baud, BAUDS[index]);
        for (wait, asks) in waits {
            pair.until(wait * 1_000, |_| false);
            pair.reset();
            if asks {
                pair.host.endpoint().send(Channel::Control, b"what is the program's state?").unwrap();
            }
            let restarted = |told: &Incoming| matches!(told, Incoming::Lost(lost) if lost.cause == LostCause::PeerRestarted);
            let heard = pair.until(most, restarted);
            prop_assert!(heard.is_some(), "{} by {}", pair.device.link().baud, BAUDS[index]);
            let again = pair.until(1_000_000, |told| *told == Incoming::Connected);
            prop_assert!(again.is_some());
        }
    }
}
