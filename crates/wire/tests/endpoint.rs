//! The promises of the endpoint, over lines of all kinds.

#![allow(clippy::unwrap_used)] // A test may give up.

#[allow(dead_code, unreachable_pub)] // The same links as everywhere, not a copy.
#[path = "../../sim/src/link.rs"]
mod link;

use borges_wire::*;
use link::{Clock, Faults, LossyLink, MemoryLink};
use proptest::prelude::*;

/// One end with a program that numbers what it sends and checks what it receives.
struct End {
    port: Port<LossyLink>,
    random: u64,
    sent: u32,
    received: u32,
    longest: usize,
    foreign: Vec<u8>,
    connected: u32,
    lost: Vec<Lost>,
    quiet: u32,
    back: u32,
}

const CHANNELS: [Channel; 3] = [Channel::Control, Channel::Trace, Channel::Console];

/// Message number `n`: its number, then bytes that follow from it.
fn message(n: u32, longest: usize) -> Message {
    let length = (n.wrapping_mul(0x9e37_79b9) >> 8) as usize;
    // Mostly short ones, and now and then one that takes many segments.
    let length = if n.is_multiple_of(16) {
        length % longest.max(1)
    } else {
        length % 24
    };
    let mut bytes = n.to_le_bytes().to_vec();
    bytes.extend((0..length).map(|i| (i as u32 ^ n) as u8));
    Message {
        channel: CHANNELS[n as usize % 3],
        bytes,
    }
}

impl End {
    fn new(link: LossyLink, config: Config, seed: u32, longest: usize) -> Self {
        Self {
            port: Port::new(link, config, seed),
            random: u64::from(seed) << 17 | 1,
            sent: 0,
            received: 0,
            longest,
            foreign: Vec::new(),
            connected: 0,
            lost: Vec::new(),
            quiet: 0,
            back: 0,
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % limit
    }

    /// Sends while it may, up to `count` in all, and sometimes pauses.
    fn send_up_to(&mut self, count: u32) {
        while self.sent < count && self.below(8) != 0 {
            let message = message(self.sent, self.longest);
            match self.port.endpoint().send(message.channel, &message.bytes) {
                Ok(()) => self.sent += 1,
                Err(SendError::Full | SendError::Closed) => return,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Takes what has arrived, and sometimes not all of it.
    fn receive(&mut self, peer_longest: usize) {
        while self.below(32) != 0 {
            match self.port.receive() {
                None => return,
                Some(Incoming::Message(found)) => {
                    assert_eq!(found, message(self.received, peer_longest));
                    self.received += 1;
                }
                Some(Incoming::Foreign(bytes)) => self.foreign.extend(bytes),
                Some(Incoming::Connected) => self.connected += 1,
                Some(Incoming::Lost(lost)) => self.lost.push(lost),
                Some(Incoming::Quiet) => self.quiet += 1,
                Some(Incoming::Back) => self.back += 1,
            }
        }
    }
}

struct Line {
    clock: Clock,
    host: End,
    device: End,
    bound: usize,
}

/// A device even smaller than usual, so that its limits are met all the time.
fn small_device() -> Config {
    Config {
        window: 4,
        segment_bytes: 64,
        message_bytes: 600,
        send_bytes: 700,
        ..Config::device()
    }
}

impl Line {
    fn new(faults: &Faults, seed: u64) -> Self {
        let clock = Clock::new_virtual();
        let (a, b) = LossyLink::pair(&clock, faults, seed);
        let config = small_device();
        let bound = config.send_bytes as usize
            + usize::from(config.window) * usize::from(config.segment_bytes)
            + 2 * config.message_bytes as usize
            + config.foreign_bytes as usize
            + 8 * usize::from(config.segment_bytes)
            + 4096;
        Self {
            clock,
            host: End::new(a, Config::host(), seed as u32 | 1, 590),
            device: End::new(b, config, (seed as u32) << 1, 690),
            bound,
        }
    }

    fn step(&mut self, count: u32) {
        self.host.send_up_to(count);
        self.device.send_up_to(count);
        self.host.port.poll();
        self.device.port.poll();
        self.host.receive(self.device.longest);
        self.device.receive(self.host.longest);
        self.host.port.poll();
        self.device.port.poll();
        let used = self.device.port.endpoint().memory_bytes();
        assert!(used <= self.bound, "{used} bytes of {}", self.bound);
        // To the next moment at which anything happens; programs do something every 2 ms at least.
        let now = self.clock.now_us();
        let ends = [&mut self.host, &mut self.device];
        let wakes = ends.map(|end| {
            let arrival = end.port.link().next_arrival_us().unwrap_or(u64::MAX);
            end.port.endpoint().next_wake().min(arrival)
        });
        let next = wakes[0].min(wakes[1]).clamp(now + 20, now + 2000);
        self.clock.advance(next - now);
    }

    fn done(&mut self, count: u32) -> bool {
        self.host.received == count
            && self.device.received == count
            && self.host.port.endpoint().waiting() == 0
            && self.device.port.endpoint().waiting() == 0
    }

    /// Until both have everything.
    fn run(&mut self, count: u32) {
        while !self.done(count) {
            self.step(count);
            assert!(self.clock.now_us() < 3_600_000_000, "an hour has passed");
        }
    }
}

fn check(faults: &Faults, seed: u64, count: u32) -> Line {
    let mut line = Line::new(faults, seed);
    line.run(count);
    assert_eq!((line.host.connected, line.device.connected), (1, 1));
    assert!(line.host.lost.is_empty() && line.device.lost.is_empty());
    line
}

#[test]
fn a_good_line_needs_no_retransmission() {
    let mut line = check(&Faults::none(), 1, 5000);
    for end in [&mut line.host, &mut line.device] {
        let counters = end.port.endpoint().counters();
        assert_eq!(counters.retransmissions, 0, "{counters:?}");
        assert_eq!(
            (
                counters.duplicates,
                counters.bad_frames,
                counters.stray_frames
            ),
            (0, 0, 0)
        );
    }
}

#[test]
fn a_bad_line_delivers_thousands_of_messages_once_and_in_order() {
    for seed in 0..20 {
        let mut line = check(&Faults::bad(), seed, 3000);
        let counters = line.host.port.endpoint().counters();
        assert!(
            counters.retransmissions > 0 && counters.duplicates > 0,
            "{counters:?}"
        );
        assert!(counters.bad_frames > 0, "{counters:?}");
    }
}

#[test]
fn a_terrible_line_delivers_as_well() {
    let faults = Faults {
        loss: 0.4,
        duplicate: 0.2,
        corrupt: 0.2,
        reorder: 0.3,
        babble: 0.3,
        delay_us: (0, 50_000),
    };
    for seed in 0..4 {
        check(&faults, seed, 300);
    }
}

#[test]
fn a_plug_that_is_pulled_again_and_again_loses_nothing() {
    for seed in 0..10 {
        let mut line = Line::new(&Faults::bad(), seed);
        let mut pulled = 0;
        while !line.done(2000) {
            let up_for = 1 + line.host.below(300);
            for _ in 0..up_for {
                line.step(2000);
            }
            line.host.port.link().set_up(false);
            pulled += 1;
            let until = line.clock.now_us() + line.device.below(6_000_000);
            while line.clock.now_us() < until {
                line.step(2000);
            }
            line.host.port.link().set_up(true);
            assert!(pulled < 10_000);
        }
        assert_eq!((line.host.connected, line.device.connected), (1, 1));
        assert!(line.host.lost.is_empty() && line.device.lost.is_empty());
        assert!(line.host.quiet > 0, "silences of 2 s are reported");
        assert!(line.host.quiet - line.host.back <= 1);
    }
}

#[test]
fn a_program_that_takes_nothing_stops_its_peer_without_loss() {
    let mut line = Line::new(&Faults::bad(), 3);
    // The device's program sleeps: the host fills the window and its own buffer, and waits.
    for _ in 0..20_000 {
        line.host.send_up_to(100_000);
        line.host.port.poll();
        line.device.port.poll();
        line.host.receive(690);
        line.clock.advance(500);
    }
    assert!(!line.host.port.endpoint().can_send(100));
    assert!(line.device.port.endpoint().memory_bytes() <= line.bound);
    let count = line.host.sent;
    line.run(count);
}

#[test]
fn text_of_others_does_not_break_frames_and_is_handed_out() {
    let faults = Faults {
        babble: 0.3,
        ..Faults::none()
    };
    let line = check(&faults, 5, 2000);
    let text = b"a text\r\n";
    assert!(line.host.foreign.len() > 100 * text.len());
    assert!(
        line.host
            .foreign
            .chunks(text.len())
            .all(|chunk| chunk == text)
    );
}

#[test]
fn text_without_a_frame_after_it_is_handed_out_in_time_and_bounded() {
    let mut endpoint = Endpoint::new(Config::host(), 1);
    endpoint.feed(0, "Guru Meditation: größte Not".as_bytes());
    endpoint.tick(10_000);
    assert_eq!(endpoint.receive(), None);
    endpoint.tick(60_000);
    let text = "Guru Meditation: größte Not".as_bytes().to_vec();
    assert_eq!(endpoint.receive(), Some(Incoming::Foreign(text)));
    for _ in 0..10_000 {
        endpoint.feed(60_000, &[b'x'; 1000]);
    }
    let Some(Incoming::Foreign(text)) = endpoint.receive() else {
        panic!("no text")
    };
    assert_eq!(text.len(), 1 << 16);
    let counters = endpoint.counters();
    assert!(counters.foreign_dropped > 9_000_000, "{counters:?}");
    assert!(endpoint.memory_bytes() < 1 << 17);
}

/// Restarts one end now and then. The survivor must be told exactly what may be lost.
fn check_restarts(seed: u64, same_seed: bool) {
    let mut line = Line::new(&Faults::bad(), seed);
    for round in 0..12u32 {
        let steps = 200 + line.host.below(400);
        for _ in 0..steps {
            line.step(u32::MAX);
        }
        let config = small_device();
        let reboot_device = round % 2 == 0;
        // A device may lack a source of new seeds, a host does not.
        let boot = if same_seed && reboot_device {
            77
        } else {
            1000 + round
        };
        let (survivor, dead) = if reboot_device {
            (&mut line.host, &mut line.device)
        } else {
            (&mut line.device, &mut line.host)
        };
        let taken = dead.received;
        let link = dead.port.link().clone();
        let (config, longest) = if reboot_device {
            (config, 690)
        } else {
            (Config::host(), 590)
        };
        *dead = End::new(link, config, boot, longest);
        let sent = survivor.sent;
        survivor.sent = u32::MAX; // It sends nothing until it knows.
        let dead_knows_nothing_of = survivor.received;
        let connected = survivor.connected;
        // Until the survivor has noticed, and both are in the new connection. What the dead one had
        // under way may still arrive before that.
        while survivor_of(&mut line, reboot_device).connected == connected
            || dead_of(&mut line, reboot_device).connected == 0
        {
            line.step(0);
        }
        let survivor = survivor_of(&mut line, reboot_device);
        assert!(survivor.received >= dead_knows_nothing_of);
        let lost = survivor.lost.drain(..).next().unwrap();
        assert_eq!(lost.cause, LostCause::PeerRestarted);
        // All messages before `first` were taken for sure; those in `lost.sent` perhaps; no others.
        let first = sent - (lost.sent.len() + lost.unsent.len()) as u32;
        let never = sent - lost.unsent.len() as u32;
        assert!(
            (first..=never).contains(&taken),
            "{first} ≤ {taken} ≤ {never}"
        );
        for (n, found) in (first..).zip(lost.sent.iter().chain(&lost.unsent)) {
            assert_eq!(*found, message(n, survivor.longest));
        }
        // Both begin anew.
        survivor.sent = 0;
        survivor.received = 0;
        assert!(survivor.lost.is_empty());
    }
    for end in [&mut line.host, &mut line.device] {
        end.lost.clear();
    }
    let count = line.host.sent.max(line.device.sent) + 100;
    line.run(count);
    assert!(line.host.lost.is_empty() && line.device.lost.is_empty());
}

fn survivor_of(line: &mut Line, reboot_device: bool) -> &mut End {
    if reboot_device {
        &mut line.host
    } else {
        &mut line.device
    }
}

fn dead_of(line: &mut Line, reboot_device: bool) -> &mut End {
    if reboot_device {
        &mut line.device
    } else {
        &mut line.host
    }
}

#[test]
fn a_restart_is_noticed_and_what_may_be_lost_is_handed_back() {
    for seed in 0..40 {
        check_restarts(seed, false);
    }
}

#[test]
fn a_device_without_new_seeds_is_noticed_as_well() {
    for seed in 0..40 {
        check_restarts(seed, true);
    }
}

#[test]
fn what_was_not_consumed_is_handed_back_even_if_it_arrived() {
    let clock = Clock::new_virtual();
    let (a, b) = MemoryLink::pair(&clock);
    let mut host = Port::new(a, Config::host(), 1);
    let mut device = Port::new(b, Config::device(), 2);
    let pump = |host: &mut Port<_>, device: &mut Port<_>| {
        for _ in 0..40 {
            host.poll();
            device.poll();
            clock.advance(1000);
        }
    };
    pump(&mut host, &mut device);
    assert_eq!(host.receive(), Some(Incoming::Connected));
    for n in 0..3u8 {
        device.endpoint().send(Channel::Control, &[n]).unwrap();
        pump(&mut host, &mut device);
    }
    // Everything has arrived. The host takes two of three and is killed before it says so.
    for n in 0..2u8 {
        let message = Message {
            channel: Channel::Control,
            bytes: vec![n],
        };
        assert_eq!(host.receive(), Some(Incoming::Message(message)));
        if n == 0 {
            pump(&mut host, &mut device);
        }
    }
    let link = host.link().clone();
    let mut host = Port::new(link, Config::host(), 3);
    assert_eq!(device.receive(), Some(Incoming::Connected));
    pump(&mut host, &mut device);
    let Some(Incoming::Lost(lost)) = device.receive() else {
        panic!("not noticed")
    };
    let lost: Vec<_> = lost.sent.iter().map(|message| message.bytes[0]).collect();
    assert_eq!(lost, [1, 2]);
    pump(&mut host, &mut device);
    assert_eq!(device.receive(), Some(Incoming::Connected));
    assert_eq!(host.receive(), Some(Incoming::Connected));
}

#[test]
fn an_echo_is_not_a_peer() {
    let mut endpoint = Endpoint::new(Config::host(), 1);
    for now in 0..100 {
        endpoint.tick(now * 100_000);
        while let Some(frame) = endpoint.transmit().map(<[u8]>::to_vec) {
            endpoint.feed(now * 100_000, &frame);
        }
    }
    assert_eq!(endpoint.state(), ConnectionState::Opening);
    assert!(endpoint.counters().echoes > 10);
}

#[test]
fn sending_needs_a_connection_room_and_a_length_that_the_peer_takes() {
    let mut line = Line::new(&Faults::none(), 1);
    assert_eq!(
        line.host.port.endpoint().send(Channel::Control, b"x"),
        Err(SendError::Closed)
    );
    for _ in 0..10 {
        line.step(0);
    }
    let host = line.host.port.endpoint();
    assert_eq!(host.longest_message(), Some(600));
    let error = host.send(Channel::Control, &[0; 601]);
    assert_eq!(error, Err(SendError::TooLong { limit: 600 }));
    let device = line.device.port.endpoint();
    device.send(Channel::Trace, &[0; 690]).unwrap();
    assert_eq!(device.send(Channel::Trace, &[0; 10]), Err(SendError::Full));
    host_takes_all(&mut line);
    assert!(line.device.port.endpoint().can_send(690));
}

fn host_takes_all(line: &mut Line) {
    for _ in 0..100 {
        line.host.port.poll();
        line.device.port.poll();
        while line.host.port.receive().is_some() {}
        line.clock.advance(1000);
    }
}

/// The device's program reads a sensor again and again; its stub sends a batch every 5 ms, which at
/// an input every 100 µs is about 50 of them.
#[test]
fn an_input_takes_at_most_six_bytes_on_the_wire() {
    let clock = Clock::new_virtual();
    let (a, b) = MemoryLink::pair(&clock);
    let mut host = Port::new(a, Config::host(), 1);
    let mut device = Port::new(b, Config::device(), 2);
    let mut encoder = TraceEncoder::new(0, 0);
    let (mut steps, mut random) = (0u64, 1u64);
    let (mut costs, mut inputs) = (Vec::new(), 0u64);
    let mut seen = 0u64;
    let mut before = (0, 0);
    while inputs < 20_000 {
        for _ in 0..50 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            // Steps between inputs: from 1 to 16383, all magnitudes alike; values of a 12-bit
            // converter.
            let gap = ((random >> 40) & 0x3fff) >> ((random >> 30) % 14);
            let value = Value::I32((random >> 50) as i32 & 4095);
            steps += gap;
            encoder
                .push(&Record {
                    steps,
                    kind: RecordKind::Input(value),
                })
                .unwrap();
            steps += 1;
            inputs += 1;
            clock.advance(100);
        }
        if let Some(batch) = encoder.take() {
            let report = Report::Trace {
                first: batch.first,
                base: batch.base,
                records: batch.bytes,
            };
            let bytes = ToHost {
                epoch: Epoch(1),
                report,
            }
            .to_bytes();
            while device.endpoint().send(Channel::Trace, &bytes).is_err() {
                device.poll();
                host.poll();
                while device.receive().is_some() || host.receive().is_some() {}
                clock.advance(1000);
            }
        }
        device.poll();
        host.poll();
        while let Some(incoming) = host.receive() {
            let Incoming::Message(message) = incoming else {
                continue;
            };
            let Report::Trace { base, records, .. } =
                ToHost::from_bytes(&message.bytes).unwrap().report
            else {
                continue;
            };
            let count = TraceDecoder::new(base, &records)
                .map(Result::unwrap)
                .count() as u64;
            seen += count;
            // What both sides have sent since the last batch, acknowledgements included.
            let after = (
                device.endpoint().counters().bytes_sent,
                host.endpoint().counters().bytes_sent,
            );
            let spent = after.0 - before.0 + after.1 - before.1;
            before = after;
            costs.extend((0..count).map(|_| spent as f64 / count as f64));
        }
        host.poll();
    }
    assert!(seen >= inputs - 200);
    costs.sort_by(f64::total_cmp);
    let median = costs[costs.len() / 2];
    let trace = device.endpoint().counters().bytes_sent as f64 / inputs as f64;
    println!("median {median:.2} bytes an input both ways, {trace:.2} from the device on average");
    assert!(median <= 6.0, "{median}");
    assert_eq!(device.endpoint().counters().retransmissions, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_line_delivers_once_and_in_order(
        seed in any::<u64>(),
        loss in 0.0..0.3f64,
        duplicate in 0.0..0.3f64,
        corrupt in 0.0..0.1f64,
        reorder in 0.0..0.3f64,
        babble in 0.0..0.2f64,
        delay in 0..10_000u64,
    ) {
        let delay_us = (delay / 4, delay);
        check(&Faults { loss, duplicate, corrupt, reorder, babble, delay_us }, seed, 400);
    }
}
