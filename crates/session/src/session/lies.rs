//! A device that lies: every frame is well formed, what is in it may be anything.
//!
//! Whatever it says, nothing panics or waits for ever, nothing recorded is lost, and every universe shown is what its
//! path leads to.
#![allow(clippy::unwrap_used)]

use std::collections::VecDeque;

use borges_sim::Faults;
use borges_vm::StateHash;
use borges_wire::link::{Link, Port};
use borges_wire::{Channel, Config, Endpoint, Epoch, Incoming, PauseReason, Report, ToHost};

use crate::command::unobserved;
use crate::command::{Act, Direction, Event, Flow, StepSize};
use crate::device::client::says_only_how_far;
use crate::device::simulated::simulated;
use crate::{CommandError, Options, Session};

const PROGRAM: &str = r#"(module
    (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (import "env" "chip_delay" (func $delay (param i32)))
    (global $sum (mut i32) (i32.const 0))
    (func (export "main") (local $turn i32)
        (loop $again
            (global.set $sum (i32.add (global.get $sum) (call $read (i32.const 10))))
            (call $write (i32.const 5) (i32.and (global.get $sum) (i32.const 1)))
            (call $delay (i32.const 1))
            (local.set $turn (i32.add (local.get $turn) (i32.const 1)))
            (br_if $again (i32.lt_u (local.get $turn) (i32.const 300))))
        (loop $spin (br $spin))))"#;

/// What becomes of the device's messages on their way.
trait Lie {
    /// What is sent in place of a message: nothing, or several.
    fn tell(&mut self, truth: Vec<u8>) -> Vec<Vec<u8>>;
}

/// A line with somebody in the middle, who speaks the protocol to both sides.
struct Liar<L> {
    device: Port<Box<dyn Link>>,
    host: Endpoint,
    out: Vec<u8>,
    lie: L,
    now: u64,
    /// Messages that the host's end had no room for.
    waiting: VecDeque<(Channel, Vec<u8>)>,
}

impl<L: Lie> Liar<L> {
    fn new(device: Box<dyn Link>, lie: L) -> Self {
        let like_a_device = Config {
            message_bytes: 1 << 20,
            send_bytes: 1 << 20,
            segment_bytes: 4096,
            window: 32,
            ..Config::device()
        };
        Self {
            device: Port::new(device, Config::host(), 7),
            host: Endpoint::new(like_a_device, 8),
            out: Vec::new(),
            lie,
            now: 0,
            waiting: VecDeque::new(),
        }
    }

    fn pass_on(&mut self) {
        while let Some(incoming) = self.host.receive() {
            if let Incoming::Message(message) = incoming {
                let _ = self.device.endpoint().send(message.channel, &message.bytes);
            }
        }
        self.device.poll();
        self.now = self.device.link().now_us();
        while let Some(incoming) = self.device.receive() {
            if let Incoming::Message(message) = incoming {
                let told = self.lie.tell(message.bytes);
                let told = told.into_iter().map(|bytes| (message.channel, bytes));
                self.waiting.extend(told);
            }
        }
        while let Some((channel, bytes)) = self.waiting.front() {
            if self.host.send(*channel, bytes).is_err() {
                break;
            }
            self.waiting.pop_front();
        }
    }
}

impl<L: Lie> Link for Liar<L> {
    fn send(&mut self, bytes: &[u8]) -> usize {
        self.host.feed(self.now, bytes);
        bytes.len()
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        if self.out.is_empty() {
            self.pass_on();
            self.host.tick(self.now);
            while let Some(frame) = self.host.transmit() {
                self.out.extend_from_slice(frame);
            }
        }
        let length = self.out.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.out[..length]);
        self.out.drain(..length);
        length
    }

    fn now_us(&self) -> u64 {
        self.now
    }
}

/// Damages some messages, forges others.
struct Anything(fastrand::Rng);

impl Lie for Anything {
    fn tell(&mut self, mut bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let rng = &mut self.0;
        let length = bytes.len();
        // A busy program says often how far it is: if each time were a chance to lie, nothing else would be said.
        let told = ToHost::from_bytes(&bytes);
        if told.is_ok_and(|told| says_only_how_far(&told.report)) && rng.u32(..16) > 0 {
            return vec![bytes];
        }
        match rng.u32(..64) {
            0 => Vec::new(),
            1 => vec![bytes.clone(), bytes],
            2 => vec![bytes[..rng.usize(..=length)].to_vec()],
            3 => vec![std::iter::repeat_with(|| rng.u8(..)).take(length).collect()],
            4..=9 if length > 0 => {
                bytes[rng.usize(..length)] = rng.u8(..);
                vec![bytes]
            }
            10..=15 => vec![self.forge(&bytes)],
            _ => vec![bytes],
        }
    }
}

impl Anything {
    /// A message that can be read, and that nobody has a reason to send now.
    fn forge(&mut self, truth: &[u8]) -> Vec<u8> {
        let rng = &mut self.0;
        let epoch = ToHost::from_bytes(truth).map_or(Epoch(1), |told| told.epoch);
        let mut number = || {
            let bits = rng.u32(..64);
            rng.u64(..) >> bits
        };
        // Either a bit ahead or farther than anybody believes: in between the twin goes there, which takes its time.
        let steps = match number() % 8 {
            0 => number() | 1 << 60,
            _ => number() >> 44,
        };
        let (state, next_record) = (number(), number());
        let report = match number() % 5 {
            0 => Report::Paused {
                reason: PauseReason::Requested,
                steps,
                state,
                next_record: next_record % 8,
            },
            1 => Report::State {
                id: None,
                steps,
                state,
                next_record,
            },
            2 => Report::Trace {
                first: next_record % 8,
                base: steps,
                records: (0..next_record % 20)
                    .map(|_| number() as u8)
                    .collect::<Vec<u8>>()
                    .into(),
            },
            3 => Report::Overrun { steps },
            _ => Report::Paused {
                reason: PauseReason::Trapped { code: 0 },
                steps: u64::MAX,
                state,
                next_record: 0,
            },
        };
        ToHost { epoch, report }.to_bytes()
    }
}

fn session(folder: &tempfile::TempDir, lie: impl Lie + 'static) -> Result<Session, CommandError> {
    let path = folder.path().join("program.wasm");
    std::fs::write(&path, wat::parse_str(PROGRAM).unwrap()).unwrap();
    let options = Options {
        faults: Some((Faults::none(), 1)),
        device_slice: 500,
        ..Options::new(path)
    };
    let mut session = Session::open(options).unwrap();
    let (device, _) = simulated(&session.options, session.stage.loaded.board_file());
    session.runner.connect(
        Box::new(Liar::new(device, lie)),
        &mut session.stage,
        &session.options,
        &mut unobserved,
    )?;
    Ok(session)
}

/// Two looks at a running program, then a pause.
fn impatient() -> impl FnMut(Event) -> Flow {
    let mut looks = 0;
    move |event| {
        looks += u32::from(matches!(event, Event::Progress { .. }));
        if looks > 2 {
            Flow::Pause
        } else {
            Flow::Continue
        }
    }
}

fn random_command(rng: &mut fastrand::Rng) -> Act {
    let direction = match rng.u32(..3) {
        0 => Direction::Backward,
        _ => Direction::Forward,
    };
    match rng.u32(..8) {
        0 => Act::Continue { direction },
        1 => Act::Follow { always: None },
        2 => Act::Verify,
        3 => Act::Jump {
            target: format!("0.{}", rng.u32(..12)),
        },
        4 => Act::Restart,
        _ => Act::Step {
            agent: None,
            direction,
            size: [StepSize::Entry, StepSize::Instruction][rng.usize(..2)],
            count: rng.u64(1..5),
        },
    }
}

/// Every end of the multiverse is what its path leads to.
fn check(session: &mut Session) {
    let here = session.stage.history.here();
    let branches: Vec<_> = session.stage.history.tree().branches().collect();
    for branch in branches {
        let tip = session.stage.history.tip_of(branch);
        session.stage.history.seek(tip, &mut unobserved).unwrap();
        let StateHash(shown) = session.stage.history.twin().hash();
        session
            .stage
            .history
            .seek_afresh(tip, &mut unobserved)
            .unwrap();
        assert_eq!(session.stage.history.twin().hash(), StateHash(shown));
    }
    session.stage.history.seek(here, &mut unobserved).unwrap();
}

#[test]
fn whatever_a_device_says_nothing_false_is_shown_and_nothing_is_lost() {
    let mut failures = 0;
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let folder = tempfile::tempdir().unwrap();
        let Ok(mut session) = session(&folder, Anything(rng.fork())) else {
            failures += 1;
            continue;
        };
        let mut entries = 0;
        for _ in 0..12 {
            let command = random_command(&mut rng);
            let done = session.execute(command, &mut impatient());
            failures += u32::from(done.is_err());
            let now = session.stage.history.tree().entry_count();
            assert!(
                now >= entries,
                "seed {seed}: {entries} entries were recorded, {now} are left"
            );
            entries = now;
        }
        check(&mut session);
    }
    assert!(
        failures > 60,
        "only {failures} commands failed: were there any lies?"
    );
}

/// Says something else in place of the first message that is meant.
struct Once<M> {
    meant: fn(&Report) -> bool,
    instead: Option<M>,
}

impl<M: FnOnce(Report) -> Vec<Report>> Lie for Once<M> {
    fn tell(&mut self, truth: Vec<u8>) -> Vec<Vec<u8>> {
        let ToHost { epoch, report } = ToHost::from_bytes(&truth).unwrap();
        if !(self.meant)(&report) {
            return vec![truth];
        }
        let Some(instead) = self.instead.take() else {
            return vec![truth];
        };
        let say = |report| ToHost { epoch, report }.to_bytes();
        instead(report).into_iter().map(say).collect()
    }
}

/// What running says with a device that lies once.
fn run(
    meant: fn(&Report) -> bool,
    instead: impl FnOnce(Report) -> Vec<Report> + 'static,
) -> String {
    let folder = tempfile::tempdir().unwrap();
    let instead = Some(instead);
    let mut session = session(&folder, Once { meant, instead }).unwrap();
    let onward = Act::Continue {
        direction: Direction::Forward,
    };
    let failed = session.execute(onward, &mut impatient()).unwrap_err();
    check(&mut session);
    failed.to_string()
}

#[test]
fn nobody_has_to_wait_for_a_device_that_says_it_is_far() {
    let said = run(
        |report| matches!(report, Report::Paused { .. }),
        |truth| match truth {
            Report::Paused {
                reason,
                state,
                next_record,
                ..
            } => vec![Report::Paused {
                reason,
                steps: u64::MAX,
                state,
                next_record,
            }],
            other => vec![other],
        },
    );
    assert!(
        said.contains("says that it is at step 18446744073709551615, and it was at step"),
        "{said}"
    );
}

#[test]
fn a_device_that_never_says_that_it_paused_is_left() {
    let said = run(
        |report| matches!(report, Report::Paused { .. }),
        |_| Vec::new(),
    );
    assert!(
        said.contains("paused while running: the device has not answered yet"),
        "{said}"
    );
}

/// From some answer on, the device lives and answers nothing.
struct Mute(u32);

impl Lie for Mute {
    fn tell(&mut self, truth: Vec<u8>) -> Vec<Vec<u8>> {
        let answers = ToHost::from_bytes(&truth).unwrap().report;
        let is_late = matches!(answers, Report::Done { id } if id.0 > self.0);
        if is_late { Vec::new() } else { vec![truth] }
    }
}

/// Whatever the answer is to, the wait for it ends when the user wants it to, and not before; nothing is lost.
#[test]
fn the_wait_for_an_answer_can_be_paused() {
    for last in 3..9 {
        let folder = tempfile::tempdir().unwrap();
        let mut session = session(&folder, Mute(last)).unwrap();
        let onward = || Act::Continue {
            direction: Direction::Forward,
        };
        let mut waits = 0;
        let mut patient_for_a_while = |event: Event| {
            let Event::Progress { what, done, .. } = event else {
                return Flow::Continue;
            };
            let is_wait = what.contains("no answer from the device yet");
            waits += u32::from(is_wait);
            match is_wait && done >= 4 {
                true => Flow::Pause,
                false => Flow::Continue,
            }
        };
        // A run ends by itself or not at all: 40 steps do.
        let command = Act::Step {
            agent: None,
            direction: Direction::Forward,
            size: StepSize::Entry,
            count: 5,
        };
        let failed = session.execute(command, &mut patient_for_a_while);
        let said = failed.unwrap_err().to_string();
        assert!(
            said.contains("the device has not answered yet"),
            "{last}: {said}"
        );
        assert!(waits > 1, "{last}");
        check(&mut session);
        // It still does not answer, and whoever does not want to wait hears that at once.
        let said = session
            .execute(onward(), &mut |_| Flow::Pause)
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("has not answered yet") || said.contains("paused"),
            "{last}: {said}"
        );
        // Who waits is told in the end.
        let said = session
            .execute(onward(), &mut unobserved)
            .unwrap_err()
            .to_string();
        assert!(said.contains("has not answered for 10 s"), "{last}: {said}");
        check(&mut session);
    }
}

#[test]
fn a_device_that_talks_and_does_not_answer_is_left() {
    let said = run(
        |report| matches!(report, Report::Done { id } if id.0 > 4),
        |_| vec![Report::Overrun { steps: 1 }; 70_000],
    );
    assert!(
        said.contains("says a lot while pausing and does not answer"),
        "{said}"
    );
}
