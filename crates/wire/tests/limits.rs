//! The limits of an endpoint: at each of them, and one past it.

#![allow(clippy::unwrap_used)] // A test may give up.

use borges_wire::link::Link;
use borges_wire::*;

/// Two ends on a line that loses nothing and takes no time.
struct Ends {
    host: Endpoint,
    device: Endpoint,
    now: u64,
}

impl Ends {
    fn connected(host: Config, device: Config) -> Self {
        let mut ends = Self {
            host: Endpoint::new(host, 1),
            device: Endpoint::new(device, 2),
            now: 0,
        };
        for _ in 0..100 {
            ends.pass(1000);
        }
        assert_eq!(ends.host.receive(), Some(Incoming::Connected));
        assert_eq!(ends.device.receive(), Some(Incoming::Connected));
        ends
    }

    /// Time passes, and what is sent arrives.
    fn pass(&mut self, us: u64) {
        self.now += us;
        let now = self.now;
        self.host.tick(now);
        self.device.tick(now);
        while let Some(frame) = self.host.transmit().map(<[u8]>::to_vec) {
            self.device.feed(now, &frame);
        }
        while let Some(frame) = self.device.transmit().map(<[u8]>::to_vec) {
            self.host.feed(now, &frame);
        }
    }
}

#[test]
fn the_longest_message_is_what_the_peer_takes_and_what_fits_into_our_own_buffer() {
    let host = Config {
        message_bytes: 5000,
        send_bytes: 700,
        ..Config::host()
    };
    let device = Config {
        message_bytes: 600,
        send_bytes: 1000,
        ..Config::device()
    };
    let mut ends = Ends::connected(host, device);
    // The host's own buffer has room for 695, the device takes 600.
    assert_eq!(ends.host.longest_message(), Some(600));
    assert!(ends.host.can_send(600));
    let too_long = |limit| Err(SendError::TooLong { limit });
    assert_eq!(ends.host.send(Channel::Control, &[0; 601]), too_long(600));
    // The host takes 5000, the device's own buffer has room for 995.
    assert_eq!(ends.device.longest_message(), Some(995));
    assert_eq!(ends.device.send(Channel::Control, &[0; 996]), too_long(995));
    assert_eq!(ends.device.send(Channel::Control, &[7; 995]), Ok(()));
    for _ in 0..50 {
        ends.pass(1000);
    }
    let Some(Incoming::Message(message)) = ends.host.receive() else {
        panic!("it should have arrived");
    };
    assert_eq!(message.bytes, [7; 995]);
}

/// Silence is told of only where there is room for it: eight things wait at most.
#[test]
fn no_more_is_told_than_somebody_takes() {
    const EVENTS: usize = 8;
    let config = Config {
        keep_alive_us: 1 << 30,
        ..Config::device()
    };
    let silence = u64::from(config.quiet_us);
    for full in [true, false] {
        let mut ends = Ends::connected(Config::host(), config);
        let mut told = 0;
        while told < EVENTS - usize::from(!full) * 2 {
            // The device hears nothing for a while, and then something again.
            ends.now += silence;
            ends.device.tick(ends.now);
            ends.pass(1);
            ends.pass(u64::from(Config::host().keep_alive_us));
            told += 2;
        }
        assert_eq!(ends.device.state(), ConnectionState::Open);
        ends.now += silence;
        ends.device.tick(ends.now);
        let expected = match full {
            true => ConnectionState::Open,
            false => ConnectionState::Quiet,
        };
        assert_eq!(ends.device.state(), expected);
        let mut events = Vec::new();
        while let Some(event) = ends.device.receive() {
            events.push(event);
        }
        assert!(events.len() <= EVENTS, "{events:?}");
        // Once there is room, what is still so is told.
        ends.device.tick(ends.now + 1);
        assert_eq!(ends.device.state(), ConnectionState::Quiet);
    }
}

/// Who looks for a peer does it less and less often, and at least at the longest interval.
#[test]
fn greetings_back_off_to_the_longest_interval() {
    let config = Config {
        min_timeout_us: 20_000,
        max_timeout_us: 300_000,
        ..Config::device()
    };
    let mut alone = Endpoint::new(config, 1);
    let mut greeted = Vec::new();
    for now in (0..2_000_000).step_by(1000) {
        alone.tick(now);
        while alone.transmit().is_some() {
            greeted.push(now);
        }
    }
    let intervals: Vec<u64> = greeted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let expected = [20_000, 40_000, 80_000, 160_000, 300_000, 300_000];
    assert_eq!(intervals[..6], expected);
    assert!(intervals[6..].iter().all(|interval| *interval == 300_000));
}

#[test]
fn impossible_measures_become_the_nearest_possible_ones() {
    let with = |change: fn(&mut Config)| {
        let mut config = Config::host();
        change(&mut config);
        *Endpoint::new(config, 1).config()
    };
    let cases: [(Config, Config); 14] = [
        (with(|c| c.window = 1), with(|c| c.window = 0)),
        (with(|c| c.window = 32), with(|c| c.window = 33)),
        (
            with(|c| c.segment_bytes = 16),
            with(|c| c.segment_bytes = 15),
        ),
        (
            with(|c| c.segment_bytes = 1 << 14),
            with(|c| c.segment_bytes = (1 << 14) + 1),
        ),
        (with(|c| c.message_bytes = 1), with(|c| c.message_bytes = 0)),
        (
            with(|c| c.message_bytes = 1 << 28),
            with(|c| c.message_bytes = (1 << 28) + 1),
        ),
        (with(|c| c.send_bytes = 16), with(|c| c.send_bytes = 15)),
        (
            with(|c| c.send_bytes = 1 << 28),
            with(|c| c.send_bytes = (1 << 28) + 1),
        ),
        (
            with(|c| c.min_timeout_us = 1),
            with(|c| c.min_timeout_us = 0),
        ),
        (
            with(|c| c.max_timeout_us = 20_000),
            with(|c| c.max_timeout_us = 19_999),
        ),
        (with(|c| c.keep_alive_us = 1), with(|c| c.keep_alive_us = 0)),
        (with(|c| c.window = 2), with(|c| c.window = 2)),
        (
            with(|c| c.segment_bytes = 17),
            with(|c| c.segment_bytes = 17),
        ),
        (with(|c| c.message_bytes = 2), with(|c| c.message_bytes = 2)),
    ];
    for (at, past) in cases {
        assert_eq!(at, past);
    }
    // What is possible stays what it is.
    assert_eq!(with(|c| c.window = 31).window, 31);
    assert_eq!(with(|c| c.window = 32).window, 32);
    assert_eq!(with(|c| c.window = 1).window, 1);
    assert_eq!(with(|c| c.segment_bytes = 16).segment_bytes, 16);
    assert_eq!(with(|c| c.segment_bytes = 1 << 14).segment_bytes, 1 << 14);
    assert_eq!(with(|c| c.message_bytes = 1 << 28).message_bytes, 1 << 28);
    assert_eq!(with(|c| c.send_bytes = 16).send_bytes, 16);
    assert_eq!(with(|c| c.max_timeout_us = 20_001).max_timeout_us, 20_001);
}

/// Text that nobody takes is kept up to a limit, and counted beyond it.
#[test]
fn text_of_others_is_kept_up_to_its_limit() {
    for (length, dropped) in [(256, 0), (257, 1)] {
        let mut endpoint = Endpoint::new(Config::device(), 1);
        let text = vec![b'x'; length];
        for chunk in text.chunks(100) {
            endpoint.feed(0, chunk);
        }
        endpoint.tick(1_000_000);
        assert_eq!(endpoint.counters().foreign_dropped, dropped);
        assert_eq!(endpoint.receive(), Some(Incoming::Foreign(vec![b'x'; 256])));
    }
}

/// Text without an end is handed out after 50 ms of silence, and not before.
#[test]
fn text_waits_for_its_end_for_a_while() {
    let mut endpoint = Endpoint::new(Config::device(), 1);
    endpoint.feed(1000, b"half a line");
    endpoint.tick(50_999);
    assert_eq!(endpoint.receive(), None);
    endpoint.tick(51_000);
    let text = Incoming::Foreign(b"half a line".to_vec());
    assert_eq!(endpoint.receive(), Some(text));
}

/// What is longer than every frame is none, and is not kept until a zero comes.
#[test]
fn what_is_longer_than_every_frame_is_given_up_at_once() {
    let config = Config {
        segment_bytes: 100,
        ..Config::device()
    };
    // A segment with the 11 bytes around it, as COBS needs at most.
    for (length, bad) in [(112, 0), (113, 1)] {
        let mut endpoint = Endpoint::new(config, 1);
        endpoint.feed(0, &vec![0xff; length]);
        assert_eq!(endpoint.counters().bad_frames, bad, "{length}");
        // Its zero ends it, in one count.
        endpoint.feed(0, &[0]);
        assert_eq!(endpoint.counters().bad_frames, 1, "{length}");
    }
}

/// A line with so many bytes to read and no end of patience.
struct Flood(usize);

impl Link for Flood {
    fn send(&mut self, bytes: &[u8]) -> usize {
        bytes.len()
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        let length = self.0.min(buffer.len());
        buffer[..length].fill(b'x');
        self.0 -= length;
        length
    }

    fn now_us(&self) -> u64 {
        0
    }
}

#[test]
fn a_flood_does_not_keep_a_port_from_anything_else() {
    const MOST: usize = 64 * 256;
    for (length, left) in [(MOST, 0), (MOST + 1, 1)] {
        let mut port = Port::new(Flood(length), Config::device(), 1);
        port.poll();
        assert_eq!(port.link().0, left);
        port.poll();
        assert_eq!(port.link().0, 0);
    }
}

#[test]
fn long_bytes_are_shown_by_their_beginning() {
    let shown = |length: usize| format!("{:?}", Bytes(vec![0xab; length]));
    assert_eq!(shown(16), format!("16 bytes: ab{}", " ab".repeat(15)));
    assert_eq!(shown(17), format!("17 bytes: ab{} …", " ab".repeat(15)));
}

/// What an end says of when it wants to be called next is so: until then it neither sends nor says anything, and then it
/// does.
fn wakes_when_it_says(end: &mut Endpoint, mut now: u64, wakes: u32) {
    for nth in 0..wakes {
        let wake = end.next_wake();
        assert!(wake > now && wake < u64::MAX, "{wake} at {now}");
        while now + 997 < wake {
            now += 997;
            end.tick(now);
            assert_eq!(end.transmit(), None, "{nth}: {now} of {wake}");
            assert_eq!(end.receive(), None, "{nth}: {now} of {wake}");
        }
        now = wake;
        end.tick(now);
        let mut does = end.receive().is_some();
        while end.transmit().is_some() {
            does = true;
        }
        assert!(does, "{nth}: nothing at {wake}");
    }
}

#[test]
fn nothing_happens_before_the_moment_that_an_end_names() {
    // The peer has gone: signs of life, then the note that it is silent, and signs of life again.
    let mut ends = Ends::connected(Config::host(), Config::device());
    wakes_when_it_says(&mut ends.host, ends.now, 12);

    // The peer is there and takes nothing in: it is asked now and then whether that has changed.
    let mut ends = Ends::connected(Config::host(), Config::device());
    while ends.host.can_send(100) {
        ends.host.send(Channel::Trace, &[7; 100]).unwrap();
        ends.pass(100);
    }
    for _ in 0..50 {
        ends.pass(2000);
    }
    wakes_when_it_says(&mut ends.host, ends.now, 3);

    // Nobody has answered yet: greetings, further and further apart.
    let mut alone = Endpoint::new(Config::host(), 3);
    alone.tick(0);
    assert_eq!(alone.next_wake(), 0, "the greeting is due");
    assert!(alone.transmit().is_some());
    wakes_when_it_says(&mut alone, 0, 5);
}

#[test]
fn memory_is_that_of_what_waits_and_of_what_was_lost() {
    let mut ends = Ends::connected(Config::host(), Config::device());
    let before = ends.host.memory_bytes();
    assert!(before >= size_of::<Endpoint>());
    for _ in 0..4 {
        ends.host.send(Channel::Trace, &[7; 200]).unwrap();
    }
    assert!(ends.host.memory_bytes() >= before + 800);
    ends.host.restart();
    // The messages are in what it says of the loss, and nobody can send until there is a peer again.
    assert!(ends.host.memory_bytes() >= size_of::<Endpoint>() + 800);
    assert!(!ends.host.can_send(1));
    let Some(Incoming::Lost(lost)) = ends.host.receive() else {
        panic!("a restart loses the connection");
    };
    assert_eq!(lost.cause, LostCause::Restarted);
    assert_eq!(lost.sent.len() + lost.unsent.len(), 4);
    drop(lost);
    assert!(ends.host.memory_bytes() < before + 800);
}

#[test]
fn a_device_keeps_two_kilobytes_of_what_it_sends() {
    let mut ends = Ends::connected(Config::host(), Config::device());
    while ends.device.can_send(100) {
        ends.device.send(Channel::Trace, &[7; 100]).unwrap();
    }
    let waiting = ends.device.waiting();
    assert!((1900..=2048).contains(&waiting), "{waiting}");
}

/// A line that is broken, and one that says nothing of itself.
struct Broken;
struct Fine;

impl Link for Broken {
    fn send(&mut self, bytes: &[u8]) -> usize {
        bytes.len() / 2
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        buffer[..3].copy_from_slice(b"abc");
        3
    }

    fn now_us(&self) -> u64 {
        17
    }

    fn trouble(&self) -> Option<&'static str> {
        Some("no such port")
    }
}

impl Link for Fine {
    fn send(&mut self, _: &[u8]) -> usize {
        0
    }

    fn receive(&mut self, _: &mut [u8]) -> usize {
        0
    }

    fn now_us(&self) -> u64 {
        0
    }
}

#[test]
fn a_link_in_a_box_is_that_link() {
    let mut link: Box<dyn Link> = Box::new(Broken);
    let mut buffer = [0; 8];
    assert_eq!(link.send(&[0; 6]), 3);
    assert_eq!(
        (link.receive(&mut buffer), &buffer[..4]),
        (3, &b"abc\0"[..])
    );
    assert_eq!((link.now_us(), link.trouble()), (17, Some("no such port")));
    link = Box::new(Fine);
    assert_eq!(link.trouble(), None);
}

#[test]
fn a_number_that_is_cut_off_is_told_from_one_that_is_wrong() {
    let read = |bytes: &[u8]| {
        TraceDecoder::new(0, bytes)
            .next()
            .map(|read| read.unwrap_err())
    };
    let is_cut = |error| matches!(error, Some(TraceError::Truncated { .. }));
    let is_wrong = |error| matches!(error, Some(TraceError::BadNumber { .. }));
    assert!(is_cut(read(&[0x80, 0x80])));
    // It could have been shorter, and it has more than 64 bits.
    assert!(is_wrong(read(&[0x80, 0x00])));
    assert!(is_wrong(read(&[0xff; 10])));
    assert!(is_cut(read(&[0xff; 9])));
}

#[test]
fn a_trace_is_empty_until_something_is_recorded() {
    let mut trace = TraceEncoder::new(0, 0);
    assert!(trace.is_empty());
    let record = Record {
        steps: 3,
        kind: RecordKind::Pause,
    };
    trace.push(&record).unwrap();
    assert!(!trace.is_empty());
    assert!(trace.take().is_some());
    assert!(trace.is_empty());
}

/// Formats that have no byte strings write them as lists.
#[test]
fn bytes_can_be_a_list() {
    use serde::de::IntoDeserializer as _;
    use serde::de::value::{Error, SeqDeserializer};
    let list: SeqDeserializer<_, Error> = vec![1_u8, 2, 3].into_deserializer();
    let read: Result<Bytes, Error> = serde::Deserialize::deserialize(list);
    assert_eq!(read.unwrap(), Bytes(vec![1, 2, 3]));
}
