//! The twin: the device's VM and a model of its board, on the host.
//!
//! The twin never touches hardware. What the program reads comes from a [`Feed`]: the recorded path (replay), the records
//! that the device just sent (ingest), or nobody (a probe, which halts at the first input). What the program writes only
//! changes the model.

use borges_board::{Board, BoardState, Captured, Event, SystemCall, Yield};
use borges_stub::{Answer, Asked, Call, Halt, Program, World, execute};
use borges_vm::{Machine, Snapshot, StateHash};

use crate::history::entry::{Entry, EntryKind};
use crate::history::keyframes::Keyframe;

/// What the twin is told of the outside while it runs.
pub(crate) trait Feed {
    /// The step at which an event is delivered, if the next thing that happens is one.
    fn event_due(&self) -> Option<u64> {
        None
    }

    /// The event that is due.
    fn event(&mut self) -> Option<Event> {
        None
    }

    /// Whether to halt before this call, when the board's clock shows `clock_us`.
    fn stops_before(&mut self, _call: &Call<'_>, _clock_us: u64) -> bool {
        false
    }

    /// The value of an input and whether it is a mock's; nothing if it is not known (yet).
    fn input(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<(Yield, bool)>;

    /// What an output captured; nothing if it is not known that it happened.
    fn captured(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<Captured>;

    /// Called for everything that happened, in order.
    fn happened(&mut self, _entry: Entry, _before: &Before<'_>) {}
}

/// What held just before an entry: for those who need more than the entry.
pub(crate) struct Before<'a> {
    /// The call; none for an event.
    pub(crate) call: Option<&'a Call<'a>>,
    /// The board before it.
    pub(crate) board: &'a BoardState,
}

/// The replica.
#[derive(Debug)]
pub(crate) struct Twin {
    program: Program,
    pub(crate) machine: Machine,
    pub(crate) board: BoardState,
}

/// A snapshot of the twin.
#[derive(Clone, Debug)]
pub(crate) struct TwinFrame {
    pub(crate) vm: Snapshot,
    pub(crate) board: BoardState,
}

impl Keyframe for TwinFrame {
    fn for_each_piece(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        visit(&raw const *self as usize, size_of::<Self>());
        self.vm.for_each_piece(visit);
        self.board.for_each_piece(visit);
    }

    fn bytes(&self) -> usize {
        let mut board = 0;
        self.board.for_each_piece(&mut |_, bytes| {
            board += bytes;
            true
        });
        self.vm.bytes_unshared() + board + size_of::<Self>()
    }

    fn copied(&self) -> usize {
        self.vm.bytes_unshared()
    }
}

impl Twin {
    pub(crate) fn new(program: Program, machine: Machine) -> Self {
        let board = BoardState::new(&program.board);
        Self {
            program,
            machine,
            board,
        }
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn steps(&self) -> u64 {
        self.machine.steps()
    }

    /// What the board's clock shows, in µs: the time that the program has waited and that its steps took.
    pub(crate) fn clock_us(&self) -> u64 {
        clock_us(&self.program.board, &self.board, self.steps())
    }

    pub(crate) fn hash(&self) -> StateHash {
        self.machine.hash()
    }

    /// The program has returned or trapped.
    pub(crate) fn ended(&self) -> bool {
        self.machine.outcome().is_some()
    }

    pub(crate) fn frame(&self, near: Option<&TwinFrame>) -> TwinFrame {
        TwinFrame {
            vm: self.machine.snapshot(near.map(|frame| &frame.vm)),
            board: self.board.clone(),
        }
    }

    pub(crate) fn restore(&mut self, frame: &TwinFrame) {
        // A frame of this program always fits it.
        let restored = self.machine.restore(&frame.vm);
        debug_assert_eq!(restored, Ok(()));
        self.board = frame.board.clone();
    }

    /// Runs to the step count `until` at the latest, events that are due there included.
    pub(crate) fn run(&mut self, feed: &mut impl Feed, until: u64) -> Halt {
        loop {
            let event = feed.event_due().filter(|step| *step <= until);
            let limit = event.unwrap_or(until);
            if self.steps() < limit || event.is_none() {
                let mut world = TwinWorld {
                    program: &self.program,
                    board: &mut self.board,
                    feed,
                };
                match execute(&mut self.machine, &self.program, &mut world, limit) {
                    Halt::Until => {}
                    // After the call that just happened comes an event: it has its own limit.
                    Halt::Yield => continue,
                    halt => return halt,
                }
            }
            match event {
                Some(step) if step == self.steps() && self.deliver(feed) => {}
                _ => return Halt::Until,
            }
        }
    }

    /// Lets an event happen; whether there was one.
    fn deliver(&mut self, feed: &mut impl Feed) -> bool {
        let Some(event) = feed.event() else {
            return false;
        };
        if !event.enter(&mut self.machine) {
            return false;
        }
        let entry = Entry {
            step: self.machine.steps(),
            kind: EntryKind::Event(event),
        };
        let before = Before {
            call: None,
            board: &self.board,
        };
        feed.happened(entry, &before);
        true
    }
}

/// The model of the outside, told by a feed.
struct TwinWorld<'a, F> {
    program: &'a Program,
    board: &'a mut BoardState,
    feed: &'a mut F,
}

impl<F: Feed> World for TwinWorld<'_, F> {
    fn stops_before(&mut self, call: &Call<'_>) -> bool {
        let clock_us = clock_us(&self.program.board, self.board, call.steps);
        self.feed.stops_before(call, clock_us)
    }

    fn yields(&mut self) -> bool {
        self.feed.event_due().is_some()
    }

    fn input(&mut self, call: &Call<'_>) -> Answer {
        if self
            .program
            .board
            .check_input(call.primitive, call.args, call.memory.len())
            .is_err()
        {
            return Answer::Trap;
        }
        // What a recording or a device says may be anything.
        let primitive = self.program.board.primitive(call.primitive);
        let result = primitive.and_then(|primitive| primitive.result);
        let board = &self.program.board;
        let fits = |(given, _): &(Yield, bool)| {
            Some(given.value.ty()) == result && board.brings(call.primitive, call.args, given)
        };
        let asked = asked(board, self.board, call);
        let Some((yielded, mocked)) = self.feed.input(call, &asked).filter(fits) else {
            return Answer::Leave;
        };
        let entry = Entry {
            step: call.steps + 1,
            kind: EntryKind::Input {
                primitive: call.primitive,
                value: yielded.value,
                bytes: yielded.bytes.clone(),
                mocked,
            },
        };
        let before = Before {
            call: Some(call),
            board: self.board,
        };
        self.feed.happened(entry, &before);
        self.board
            .observe(board, call.primitive, call.args, yielded.value);
        Answer::brought(board, call, &yielded)
    }

    fn system(&mut self, call: &Call<'_>) -> Answer {
        let board = &self.program.board;
        let primitive = call.primitive;
        let asked = asked(board, self.board, call);
        let chosen = self.feed.input(call, &asked);
        let mut after = self.board.clone();
        let called = after.call_system(
            board,
            call.primitive,
            call.args,
            call.memory,
            chosen.as_ref().map(|(yielded, _)| yielded),
        );
        let called = match called {
            Ok(called @ SystemCall::Answers { .. }) => called,
            Ok(called) => return called.into(),
            // A recording or a device that says what cannot be.
            Err(_) if chosen.is_some() => return Answer::Leave,
            Err(_) => return Answer::Trap,
        };
        let kind = match chosen {
            Some((Yield { value, bytes }, mocked)) => EntryKind::Input {
                primitive,
                value,
                bytes,
                mocked,
            },
            None => match self.feed.captured(call, &asked) {
                Some(captured) => EntryKind::Output {
                    primitive,
                    captured,
                },
                None => return Answer::Leave,
            },
        };
        let entry = Entry {
            step: call.steps + 1,
            kind,
        };
        let before = Before {
            call: Some(call),
            board: self.board,
        };
        self.feed.happened(entry, &before);
        *self.board = after;
        called.into()
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        // A refusal depends on board, arguments and memory alone: the device refused too, and nothing was recorded.
        if self
            .program
            .board
            .action(call.primitive, call.args, call.memory)
            .is_err()
        {
            return Answer::Trap;
        }
        let asked = asked(&self.program.board, self.board, call);
        let Some(captured) = self.feed.captured(call, &asked) else {
            return Answer::Leave;
        };
        let entry = Entry {
            step: call.steps + 1,
            kind: EntryKind::Output {
                primitive: call.primitive,
                captured: captured.clone(),
            },
        };
        let before = Before {
            call: Some(call),
            board: self.board,
        };
        self.feed.happened(entry, &before);
        match self.board.apply(
            &self.program.board,
            call.primitive,
            call.args,
            call.memory,
            &captured,
        ) {
            Ok(result) => Answer::Value(result),
            Err(_) => Answer::Trap,
        }
    }
}

fn asked<'a>(board: &'a Board, state: &'a BoardState, call: &Call<'a>) -> Asked<'a> {
    Asked {
        board,
        state,
        primitive: call.primitive,
        args: call.args,
        memory: call.memory,
        steps: call.steps,
    }
}

/// The time that a program has waited and that its steps took, in µs: what the clock of a simulated board shows.
fn clock_us(board: &Board, state: &BoardState, steps: u64) -> u64 {
    let steps_us = u128::from(steps) * u128::from(board.simulation.step_ns) / 1_000;
    let steps_us = u64::try_from(steps_us).unwrap_or(u64::MAX);
    state.elapsed_us().saturating_add(steps_us)
}

/// Knows no input: runs as far as the program is determined, through its outputs.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    /// How many entries it went through.
    pub(crate) entries: u32,
}

impl Feed for Probe {
    fn input(&mut self, _call: &Call<'_>, _asked: &Asked<'_>) -> Option<(Yield, bool)> {
        None
    }

    fn captured(&mut self, _call: &Call<'_>, _asked: &Asked<'_>) -> Option<Captured> {
        Some(Captured::default())
    }

    fn happened(&mut self, _entry: Entry, _before: &Before<'_>) {
        self.entries += 1;
    }
}
