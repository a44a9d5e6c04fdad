//! Hostile bytes: random ones, damaged frames, and frames of a peer that lies.

#![allow(clippy::unwrap_used)] // A test may give up.

use borges_wire::*;

/// xorshift64*, so that a failure can be replayed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn bytes(&mut self, longest: usize) -> Vec<u8> {
        (0..self.below(longest))
            .map(|_| self.next() as u8)
            .collect()
    }

    fn mutate(&mut self, frame: &[u8]) -> Vec<u8> {
        let mut frame = frame.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(frame.len());
            match self.below(6) {
                0 if !frame.is_empty() => frame[at] ^= 1 << self.below(8),
                1 if !frame.is_empty() => drop(frame.remove(at)),
                2 => frame.insert(at, self.next() as u8),
                3 => frame.truncate(at),
                4 => frame.extend_from_within(at..),
                _ => frame.insert(at, 0),
            }
        }
        frame
    }
}

fn frames(endpoint: &mut Endpoint) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    while let Some(frame) = endpoint.transmit() {
        frames.push(frame.to_vec());
    }
    frames
}

/// Two ends go on talking while 100,000 random, damaged and repeated frames arrive at both.
#[test]
fn a_conversation_goes_on_amid_hostile_frames() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut host = Endpoint::new(Config::host(), 1);
    let mut device = Endpoint::new(Config::device(), 2);
    let (mut sent, mut received, mut hostile) = (0u32, 0u32, 0u32);
    let mut recorded: Vec<Vec<u8>> = Vec::new();
    let mut now = 0;
    while hostile < 100_000 {
        now += 500;
        if device.send(Channel::Trace, &sent.to_le_bytes()).is_ok() {
            sent += 1;
        }
        for (from, to) in [(0, 1), (1, 0)] {
            let ends = [&mut host, &mut device];
            ends[from].tick(now);
            for frame in frames(ends[from]) {
                ends[to].feed(now, &frame);
                if recorded.len() < 500 {
                    recorded.push(frame);
                } else {
                    let at = random.below(500);
                    recorded[at] = frame;
                }
            }
        }
        for end in [&mut host, &mut device] {
            for _ in 0..4 {
                let bytes = match random.below(3) {
                    0 => random.bytes(400),
                    1 => recorded[random.below(recorded.len())].clone(),
                    _ => {
                        let at = random.below(recorded.len());
                        random.mutate(&recorded[at])
                    }
                };
                end.feed(now, &bytes);
                hostile += 1;
            }
        }
        while let Some(incoming) = host.receive() {
            match incoming {
                Incoming::Message(message) => {
                    assert_eq!(message.bytes, received.to_le_bytes());
                    received += 1;
                }
                Incoming::Lost(lost) => panic!("{lost:?}"),
                _ => {}
            }
        }
        while let Some(incoming) = device.receive() {
            assert!(
                !matches!(incoming, Incoming::Lost(_) | Incoming::Message(_)),
                "{incoming:?}"
            );
        }
        assert!(
            device.memory_bytes() < 16 << 10,
            "{}",
            device.memory_bytes()
        );
        assert!(host.memory_bytes() < 128 << 10, "{}", host.memory_bytes());
    }
    assert!(sent > 5000 && received + 500 > sent, "{received} of {sent}");
    assert!(host.counters().bad_frames > 10_000, "{:?}", host.counters());
    assert_eq!(host.counters().connections, 1);
}

/// Nothing but noise, and nobody who takes what comes of it.
#[test]
fn noise_alone_leaves_an_end_looking_for_its_peer_in_bounded_memory() {
    let mut random = Random(99);
    let mut device = Endpoint::new(Config::device(), 2);
    for round in 0..100_000u64 {
        let bytes = random.bytes(64);
        device.feed(round * 100, &bytes);
        device.tick(round * 100);
        while device.transmit().is_some() {}
    }
    assert_eq!(device.state(), ConnectionState::Opening);
    assert!(device.memory_bytes() < 4 << 10, "{}", device.memory_bytes());
}

/// A peer that makes correct frames with absurd content: it speaks our protocol through an endpoint
/// of its own, whose messages are cut differently by what it claims to take.
#[test]
fn a_peer_that_announces_more_than_we_take_is_cut_off() {
    // The host believes that it may send messages of 1 MiB and 32 segments at a time, because what
    // it hears is doctored.
    let mut host = Endpoint::new(Config::host(), 1);
    let honest = Config {
        message_bytes: 100,
        window: 2,
        segment_bytes: 64,
        ..Config::device()
    };
    let lying = Config {
        message_bytes: 1 << 20,
        window: 32,
        ..honest
    };
    // The same seed gives both the same token: `mouth` greets with its measures, `victim` receives.
    let mut mouth = Endpoint::new(lying, 2);
    let mut victim = Endpoint::new(honest, 2);
    let mut lost = Vec::new();
    for round in 0..400u64 {
        let now = round * 1000;
        host.tick(now);
        mouth.tick(now);
        victim.tick(now);
        for frame in frames(&mut host) {
            mouth.feed(now, &frame);
            victim.feed(now, &frame);
        }
        for frame in frames(&mut mouth) {
            host.feed(now, &frame);
        }
        drop(frames(&mut victim));
        while let Some(incoming) = victim.receive() {
            match incoming {
                Incoming::Message(message) => assert!(message.bytes.len() <= 100),
                Incoming::Lost(event) => lost.push(event.cause),
                _ => {}
            }
        }
        while mouth.receive().is_some() || host.receive().is_some() {}
        let _ = host.send(Channel::Control, &[7; 8]);
        let _ = host.send(Channel::Control, &[7; 5000]);
        assert!(victim.memory_bytes() < 4 << 10, "{}", victim.memory_bytes());
    }
    assert!(
        victim.counters().stray_frames > 0,
        "{:?}",
        victim.counters()
    );
    assert_eq!(lost, [LostCause::Violation]);
}
