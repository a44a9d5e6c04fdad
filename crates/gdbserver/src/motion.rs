//! Motions that a debugger asks for, carried out while it waits, and why they end.

use std::io;

use borges_session::command::{Act, Direction, Reply, StepSize, Stop, StopReason};
use borges_session::{Flow, Session};
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::state_machine::GdbStubStateMachine;
use gdbstub::stub::{GdbStub, SingleThreadStopReason};
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use gdbstub::target::ext::breakpoints::WatchKind;
use gdbstub_arch::wasm::reg::id::WasmRegId;

use crate::target::{Motion, Twin};

impl Motion {
    fn act(self) -> Act {
        let step = |direction| Act::Step {
            agent: None,
            direction,
            size: StepSize::Instruction,
            count: 1,
        };
        match self {
            Self::Run => Act::RunOn,
            Self::RunBack => Act::Continue {
                direction: Direction::Backward,
            },
            Self::Step => step(Direction::Forward),
            Self::StepBack => step(Direction::Backward),
        }
    }
}

type Reason = SingleThreadStopReason<u64>;

/// The way to the debugger.
pub(crate) type Line = Box<dyn ConnectionExt<Error = io::Error>>;

const fn signal(signal: Signal) -> Reason {
    Reason::SignalWithThread { tid: (), signal }
}

/// Speaks with a debugger until it leaves.
///
/// # Errors
/// Why the conversation ended before its time, for people.
pub(crate) fn converse(connection: Line, twin: &mut Twin) -> Result<(), String> {
    let in_words = |error| format!("the debugger's connection: {error}");
    let lost = |error| format!("the debugger's connection was lost: {error}");
    let mut stub = GdbStub::new(connection)
        .run_state_machine(twin)
        .map_err(in_words)?;
    loop {
        stub = match stub {
            GdbStubStateMachine::Idle(mut idle) => {
                let byte = idle.borrow_conn().read().map_err(lost)?;
                idle.incoming_data(twin, byte)
            }
            GdbStubStateMachine::Running(mut running) => {
                match stopped(twin, running.borrow_conn()).map_err(lost)? {
                    Some(reason) => {
                        // LLDB tells a breakpoint from another signal by where the program stands.
                        let here = twin.here().to_le_bytes();
                        let mut registers = std::iter::once((WasmRegId::Pc, here.as_slice()));
                        running.report_stop_with_regs(twin, reason, &mut registers)
                    }
                    None => {
                        let byte = running.borrow_conn().read().map_err(lost)?;
                        running.incoming_data(twin, byte)
                    }
                }
            }
            GdbStubStateMachine::CtrlCInterrupt(interrupt) => {
                interrupt.interrupt_handled(twin, Some(signal(Signal::SIGINT)))
            }
            GdbStubStateMachine::Disconnected(_) => return Ok(()),
        }
        .map_err(in_words)?;
    }
}

/// Carries out the motion that was asked for: why it ended; nothing if the debugger spoke meanwhile.
fn stopped(twin: &mut Twin, connection: &mut Line) -> Result<Option<Reason>, io::Error> {
    let motion = twin.motion.take().unwrap_or(Motion::Run);
    let (mut spoke, mut broken) = (false, None);
    let stop = moved(&mut twin.session.borrow_mut(), motion, &mut || {
        match connection.peek() {
            Ok(byte) => spoke |= byte.is_some(),
            Err(error) => broken = Some(error),
        }
        spoke || broken.is_some()
    });
    match broken {
        Some(error) => Err(error),
        None if spoke => Ok(None),
        None => Ok(Some(match stop {
            Ok(stop) => reason(twin, motion, &stop.reason),
            // It has not moved.
            Err(_) => signal(Signal::SIGTRAP),
        })),
    }
}

/// Moves, until `asked` says that it shall not.
fn moved(
    session: &mut Session,
    motion: Motion,
    asked: &mut dyn FnMut() -> bool,
) -> Result<Stop, String> {
    let reply = session.execute(motion.act(), &mut |_| match asked() {
        true => Flow::Pause,
        false => Flow::Continue,
    });
    match reply {
        Ok(Reply::Stopped(stop)) => Ok(stop),
        Ok(_) => Err("a motion was answered with something else".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Why it stopped, in the protocol's words. The ends of what there is are the ends of a log that is replayed: the debugger
/// stays, and can go the other way.
fn reason(twin: &Twin, motion: Motion, stopped: &StopReason) -> Reason {
    let log = |pos| Reason::ReplayLog { tid: None, pos };
    match stopped {
        StopReason::Done | StopReason::Limit { .. } => signal(Signal::SIGTRAP),
        StopReason::Breakpoint { id } => match twin.watches.get(id) {
            Some((addr, _)) => Reason::Watch {
                tid: (),
                kind: WatchKind::Write,
                addr: *addr,
            },
            None => Reason::SwBreak(()),
        },
        StopReason::Trapped { .. } => signal(Signal::SIGABRT),
        StopReason::Paused => signal(Signal::SIGINT),
        StopReason::Start => log(ReplayLogPosition::Begin),
        StopReason::Finished { .. } => log(ReplayLogPosition::End),
        StopReason::Tip | StopReason::NotFound | StopReason::Bound => match motion {
            Motion::Run | Motion::Step => log(ReplayLogPosition::End),
            Motion::RunBack | Motion::StepBack => log(ReplayLogPosition::Begin),
        },
    }
}
