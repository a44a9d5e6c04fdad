//! The world of a program on a device: hardware, mocks, and the trace of what was nondeterministic.

use alloc::vec::Vec;

use borges_board::{Board, BoardState, Driver, Hardware, PrimitiveKind, SystemCall, Yield};
use borges_vm::Value;
use borges_wire::{Bytes, MockedCalls, PrimitiveStop, Record, RecordKind, TraceEncoder};

use crate::execute::{Answer, Call, World};
use crate::mocks::{Asked, Mocks};
use crate::record::{encode_captured, encode_input, from_wire, to_wire};

/// What a device's program sees.
pub(crate) struct DeviceWorld<'a, H> {
    pub(crate) board: &'a Board,
    pub(crate) driver: &'a mut Driver<H>,
    pub(crate) mocks: &'a mut Mocks,
    pub(crate) stops: &'a [PrimitiveStop],
    /// Nothing is recorded if there is none.
    pub(crate) trace: Option<&'a mut TraceEncoder>,
    /// When the trace has so many bytes, it is time to send it.
    pub(crate) batch_bytes: usize,
    /// The step at which the program already stands stopped: the call there goes through.
    pub(crate) resumed_at: Option<u64>,
    /// Filled when a call is stopped at or refused.
    pub(crate) noticed: &'a mut Noticed,
}

/// What the world has to say beyond its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Noticed {
    /// The primitive before which the program was stopped.
    pub(crate) stopped_before: Option<u16>,
    /// Time has passed, or has yet to, or there is enough trace to send: the stub has something to look after before the
    /// program goes on.
    looks: bool,
}

impl<H: Hardware> DeviceWorld<'_, H> {
    fn record(&mut self, steps: u64, kind: RecordKind) {
        if let Some(trace) = &mut self.trace {
            // Steps only grow between two jumps, and a jump begins a new encoder: never out of order.
            let _in_order = trace.push(&Record { steps, kind });
            if trace.len() >= self.batch_bytes {
                self.noticed.looks = true;
            }
        }
    }
}

impl<H: Hardware> World for DeviceWorld<'_, H> {
    fn input(&mut self, call: &Call<'_>) -> Answer {
        self.driver.at(call.steps);
        let (id, args, memory) = (call.primitive, call.args, call.memory.len());
        let yielded = match self
            .mocks
            .take(&asked(self.board, self.driver.state(), call))
        {
            Some(mock) => self.driver.mocked(self.board, id, args, memory, mock),
            None => self.driver.input(self.board, id, args, memory),
        };
        let Ok(yielded) = yielded else {
            return Answer::Trap;
        };
        self.record(call.steps, encode_input(&yielded));
        Answer::brought(self.board, call, &yielded)
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        self.driver.at(call.steps);
        let done = self
            .driver
            .output(self.board, call.primitive, call.args, call.memory);
        // Looked at where it lies: to move it would be half of what a session costs a small core.
        let done = match &done {
            Ok(done) => done,
            Err(_) => return Answer::Trap,
        };
        if !done.captured.is_nothing() {
            self.record(
                call.steps,
                RecordKind::Captured(Bytes(encode_captured(&done.captured))),
            );
        }
        let state = self.driver.state();
        let listens = state.timer().is_some() || state.subscriptions().next().is_some();
        let due = listens && self.driver.steps_to_event() == Some(0);
        if due || !self.driver.settled() {
            self.noticed.looks = true;
        }
        Answer::Value(done.result)
    }

    fn system(&mut self, call: &Call<'_>) -> Answer {
        self.driver.at(call.steps);
        let mock = self
            .mocks
            .take(&asked(self.board, self.driver.state(), call));
        let done = self
            .driver
            .system(self.board, call.primitive, call.args, call.memory, mock);
        let Ok((answer, chosen)) = done else {
            return Answer::Trap;
        };
        if let Some(chosen) = chosen.filter(|_| matches!(answer, SystemCall::Answers { .. })) {
            self.record(call.steps, encode_input(&chosen));
        }
        answer.into()
    }

    fn stops_before(&mut self, call: &Call<'_>) -> bool {
        if self.stops.is_empty() || self.resumed_at == Some(call.steps) {
            return false;
        }
        let stops = self.stops.iter().any(|stop| holds(stop, call));
        if stops {
            self.noticed.stopped_before = Some(call.primitive.0);
        }
        stops
    }

    fn yields(&mut self) -> bool {
        // Written only where it changes: this is the way of every call.
        if self.noticed.looks {
            self.noticed.looks = false;
            return true;
        }
        false
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

/// Whether a call is one that `stop` waits for.
fn holds(stop: &PrimitiveStop, call: &Call<'_>) -> bool {
    let argument = |index: u8| call.args.get(usize::from(index)).copied();
    stop.primitive == call.primitive.0
        && stop.conditions.iter().all(|condition| {
            let value: Option<Value> = argument(condition.index);
            value.is_some_and(|value| condition.comparison.holds(to_wire(value), condition.value))
        })
}

/// A mock whose values do not have the primitive's type would stop the program for a wrong reason.
pub(crate) fn mock_fits(board: &Board, mock: &borges_wire::Mock) -> bool {
    let Some(primitive) = board.primitive(borges_board::PrimitiveId(mock.primitive)) else {
        return false;
    };
    let calls = match &mock.calls {
        MockedCalls::All => true,
        MockedCalls::With(arguments) => {
            let types = arguments.iter().map(|value| from_wire(*value).ty());
            types.eq(primitive.params.iter().copied())
        }
        MockedCalls::About(_) | MockedCalls::Input(_) => primitive.kind == PrimitiveKind::System,
        // Its bytes are a file's, not what the primitive yields.
        MockedCalls::File { .. } => return primitive.kind == PrimitiveKind::System,
    };
    let id = borges_board::PrimitiveId(mock.primitive);
    let yields = mock.values.iter().enumerate().map(|(at, value)| Yield {
        value: from_wire(*value),
        bytes: mock
            .payloads
            .get(at)
            .map_or_else(Vec::new, |bytes| bytes.0.clone())
            .into(),
    });
    calls && { yields }.all(|yielded| board.can_be_mocked(id, &yielded))
}
