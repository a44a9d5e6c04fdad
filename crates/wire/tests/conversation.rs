//! A whole conversation, frame by frame, with the moments at which the ends wake and all that they counted: on a good
//! line, on one that loses and doubles, in silence, before a full window and after a restart.
//!
//! `BORGES_UPDATE=1 cargo test -p borges-wire --test conversation` rewrites the file.
#![allow(clippy::unwrap_used)] // A test may give up.

use std::fmt::Write as _;
use std::path::Path;

use borges_wire::*;

/// What becomes of the next frames, one letter each: it arrives (`.`), is lost (`x`), is doubled (`2`) or comes with a
/// byte changed (`!`). What is not said arrives.
struct Talk {
    ends: [Endpoint; 2],
    now: u64,
    fate: String,
    log: String,
    /// The first frame with a message.
    old: Vec<u8>,
}

const NAMES: [&str; 2] = ["host", "device"];
const HOST: usize = 0;
const DEVICE: usize = 1;

impl Talk {
    fn new() -> Self {
        let host = Config {
            window: 3,
            ack_delay_us: 2_000,
            ..Config::host()
        };
        let device = Config {
            window: 3,
            segment_bytes: 32,
            ..Config::device()
        };
        Self {
            ends: [Endpoint::new(host, 1), Endpoint::new(device, 2)],
            now: 0,
            fate: String::new(),
            log: String::new(),
            old: Vec::new(),
        }
    }

    fn say(&mut self, heading: &str, fate: &str) {
        writeln!(self.log, "# {heading}").unwrap();
        self.fate = fate.to_owned();
    }

    /// From one moment that an end names to the next, for so long.
    fn pass(&mut self, us: u64) {
        let end = self.now + us;
        for turn in 0.. {
            assert!(turn < 1_000, "the ends do not come to rest");
            for (nth, name) in NAMES.iter().enumerate() {
                self.ends[nth].tick(self.now);
                while let Some(frame) = self.ends[nth].transmit().map(<[u8]>::to_vec) {
                    let fate = if self.fate.is_empty() {
                        '.'
                    } else {
                        self.fate.remove(0)
                    };
                    writeln!(
                        self.log,
                        "{:>8} {name} {fate} {} bytes",
                        self.now,
                        frame.len()
                    )
                    .unwrap();
                    if self.old.is_empty() && frame.len() > 25 {
                        self.old = frame.clone();
                    }
                    let mut arrives = frame;
                    match fate {
                        'x' => continue,
                        '2' => arrives.extend(arrives.clone()),
                        '!' => arrives[2] ^= 0x55,
                        _ => {}
                    }
                    self.ends[1 - nth].feed(self.now, &arrives);
                }
            }
            let wake = self.ends.iter().map(Endpoint::next_wake).min().unwrap();
            if wake > end {
                break;
            }
            self.now = wake.max(self.now + 1);
        }
        self.now = end;
    }

    fn send(&mut self, end: usize, channel: Channel, lengths: &[usize]) {
        self.ends[end].tick(self.now);
        for &length in lengths {
            let sent = self.ends[end].send(channel, &vec![7; length]);
            writeln!(
                self.log,
                "{:>8} {} says {length} bytes: {sent:?}",
                self.now, NAMES[end]
            )
            .unwrap();
        }
    }

    /// What an end hears.
    fn hear(&mut self, end: usize) {
        while let Some(incoming) = self.ends[end].receive() {
            let what = match incoming {
                Incoming::Message(message) => format!("{} bytes", message.bytes.len()),
                other => format!("{other:?}"),
            };
            writeln!(self.log, "{:>8} {} hears {what}", self.now, NAMES[end]).unwrap();
        }
    }

    fn count(&mut self) {
        for (end, name) in self.ends.iter().zip(NAMES) {
            writeln!(self.log, "{name}: {:?}", end.counters()).unwrap();
        }
    }
}

#[test]
fn a_conversation_goes_as_it_always_went() {
    let mut talk = Talk::new();
    talk.say("They meet; the first greeting is lost.", "x");
    talk.pass(2_000_000);
    talk.hear(HOST);
    talk.hear(DEVICE);
    talk.say(
        "Control goes at once, traces wait for company, or until nothing shall wait.",
        "",
    );
    talk.send(HOST, Channel::Control, &[3]);
    talk.send(DEVICE, Channel::Trace, &[4]);
    talk.pass(1_000);
    talk.ends[DEVICE].flush();
    talk.pass(10_000);
    talk.send(DEVICE, Channel::Trace, &[4, 5]);
    talk.pass(100_000);
    talk.hear(HOST);
    talk.hear(DEVICE);
    talk.count();
    talk.say("Frames are lost, doubled and damaged.", "x2!.x2");
    talk.send(DEVICE, Channel::Trace, &[100]);
    talk.send(HOST, Channel::Control, &[50]);
    talk.pass(1_000_000);
    talk.hear(HOST);
    talk.hear(DEVICE);
    talk.count();
    talk.say(
        "The host takes nothing: the window fills, and the device asks.",
        "",
    );
    talk.send(DEVICE, Channel::Trace, &[32; 8]);
    talk.pass(3_000_000);
    talk.hear(HOST);
    talk.pass(500_000);
    talk.hear(HOST);
    talk.count();
    talk.say("Nobody hears anything for three seconds.", &"x".repeat(30));
    talk.pass(3_000_000);
    talk.hear(HOST);
    talk.hear(DEVICE);
    talk.say("And then again.", "");
    talk.pass(2_000_000);
    talk.hear(HOST);
    talk.hear(DEVICE);
    talk.count();
    talk.say("The host begins anew while a message is under way.", "");
    talk.send(DEVICE, Channel::Control, &[9]);
    talk.ends[HOST].restart();
    talk.pass(2_000_000);
    // They can only greet until both have taken what is left; then they meet at once.
    talk.hear(HOST);
    talk.hear(DEVICE);
    talk.pass(1_000);
    talk.hear(HOST);
    talk.hear(DEVICE);
    talk.count();
    talk.say("A frame of the first connection comes again.", "");
    let old = talk.old.clone();
    talk.ends[HOST].feed(talk.now, &old);
    talk.pass(1_000);
    talk.hear(HOST);
    talk.hear(DEVICE);
    talk.count();

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/conversation.txt");
    if std::env::var_os("BORGES_UPDATE").is_some() {
        std::fs::write(&path, &talk.log).unwrap();
    }
    assert_eq!(talk.log, std::fs::read_to_string(path).unwrap());
}
