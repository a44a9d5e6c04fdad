//! A device finds the speed of its host's port, from whatever both of them come.

#![allow(clippy::unwrap_used)] // A test may give up.

use std::collections::VecDeque;

use borges_wire::speed::BAUDS;
use borges_wire::{Channel, Config, Endpoint, Incoming, LostCause, Speed};
use proptest::prelude::*;

/// How long each of the two goes between two looks at the line, in µs.
const TURN_US: u64 = 1_000;

/// Bytes under way, with the speed at which they were sent and the time when they arrive.
type Way = VecDeque<(u64, u32, Vec<u8>)>;

/// What a byte becomes where the ends differ.
fn carried(byte: u8, same: bool) -> u8 {
    if same {
        byte
    } else {
        byte.wrapping_mul(37).wrapping_add(11)
    }
}

/// Puts the frames of an end on their way.
fn sends(end: &mut Endpoint, way: &mut Way, arrival: u64, baud: u32) {
    while let Some(frame) = end.transmit() {
        way.push_back((arrival, baud, frame.to_vec()));
    }
}

/// What has arrived by now at an end that listens with this speed.
fn arrives(way: &mut Way, now: u64, baud: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while way.front().is_some_and(|&(at, ..)| at <= now) {
        let (_, sent, frame) = way.pop_front().unwrap();
        bytes.extend(frame.iter().map(|&byte| carried(byte, sent == baud)));
    }
    bytes
}

/// A host whose port has a speed of its own, and a device that looks for it.
struct Line {
    now: u64,
    /// From one end to the other, in µs.
    delay: u64,
    host_baud: u32,
    host: Endpoint,
    to_device: Way,
    to_host: Way,
    device: Endpoint,
    device_baud: u32,
    speed: Speed,
    starts: u32,
}

impl Line {
    fn new(host_baud: u32, delay: u64) -> Self {
        Self {
            now: 0,
            delay,
            host_baud,
            host: Endpoint::new(Config::host(), 5),
            to_device: Way::new(),
            to_host: Way::new(),
            device: Endpoint::new(Config::device(), 6),
            device_baud: BAUDS[0],
            speed: Speed::default(),
            starts: 0,
        }
    }

    /// The device's reset button.
    fn reset(&mut self) {
        self.starts += 1;
        self.device = Endpoint::new(Config::device(), 100 + self.starts);
        self.device_baud = BAUDS[0];
        self.speed = Speed::default();
    }

    fn step(&mut self) {
        self.now += TURN_US;
        let (now, arrival) = (self.now, self.now + self.delay);
        let heard = arrives(&mut self.to_host, now, self.host_baud);
        self.host.feed(now, &heard);
        self.host.tick(now);
        sends(&mut self.host, &mut self.to_device, arrival, self.host_baud);
        let heard = arrives(&mut self.to_device, now, self.device_baud);
        self.device.feed(now, &heard);
        if let Some(baud) = self.speed.listen(now, self.device.counters()) {
            self.device_baud = baud;
        }
        self.device.tick(now);
        sends(
            &mut self.device,
            &mut self.to_host,
            arrival,
            self.device_baud,
        );
        while self.device.receive().is_some() {}
    }

    /// How long it takes until the host is told this, in µs; no longer than `most`.
    fn until(&mut self, most: u64, told: impl Fn(&Incoming) -> bool) -> Option<u64> {
        let began = self.now;
        while self.now - began < most {
            self.step();
            while let Some(incoming) = self.host.receive() {
                if told(&incoming) {
                    return Some(self.now - began);
                }
            }
        }
        None
    }
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
        let mut line = Line::new(BAUDS[index], delay);
        // A greeting or a repetition each second, of which each speed takes one.
        let most = 3_000_000 + 1_100_000 * index as u64;
        let first = line.until(most, |told| *told == Incoming::Connected);
        prop_assert!(first.is_some(), "{} by {}", line.device_baud, line.host_baud);
        for (wait, asks) in waits {
            line.until(wait * 1_000, |_| false);
            line.reset();
            if asks {
                line.host.send(Channel::Control, b"what is the program's state?").unwrap();
            }
            let restarted = |told: &Incoming| matches!(told, Incoming::Lost(lost) if lost.cause == LostCause::PeerRestarted);
            let heard = line.until(most, restarted);
            prop_assert!(heard.is_some(), "{} by {}", line.device_baud, line.host_baud);
            let again = line.until(1_000_000, |told| *told == Incoming::Connected);
            prop_assert!(again.is_some());
        }
    }
}
