//! The program on its way: slices, events, trace, and how it comes to stand still.

use alloc::vec::Vec;

use borges_board::Hardware;
use borges_vm::{Exit, Outcome, Trap, Until};
use borges_wire::{Batch, Bytes, Channel, Failure, Overflow, PauseReason, Report};

use super::{Done, Running, Stub};
use crate::execute::{Halt, execute};
use crate::record::{encode_event, to_wire};
use crate::world::{DeviceWorld, Noticed};

/// How long a record waits for company, in microseconds. A message costs a small core some thousand instructions, as much
/// as a hundred calls of primitives; a person who watches does not notice the delay.
const TRACE_US: u64 = 50_000;

/// A program without records says each time how far it is that it has come so many steps further: the twin, which follows,
/// has no more than them to make up for when the program is paused. A small core says so some ten times in a second.
const REACHED_STEPS: u64 = 250_000;

impl<H: Hardware> Stub<H> {
    pub(super) fn run(&mut self, until: Option<u64>) -> Done {
        let begun = self.paused()?;
        let resumed_at = Some(begun.machine.steps());
        begun.running = Some(Running { until, resumed_at });
        Ok(None)
    }

    pub(super) fn pause(&mut self) -> Done {
        let Some(begun) = &mut self.begun else {
            return Err(Failure::NotBegun);
        };
        begun.running = None;
        self.paused_report(PauseReason::Requested);
        Ok(None)
    }

    /// Enters the handler of an event that the host names.
    pub(super) fn inject(&mut self, kind: u8, payload: Bytes) -> Done {
        let Some(event) = crate::record::decode_event(kind, &payload) else {
            return Err(Failure::Event);
        };
        let overrun = self.overrun;
        let begun = self.paused()?;
        if !event.enter(&mut begun.machine) {
            return Err(Failure::Event);
        }
        if !overrun {
            begun.record_event(kind, payload);
        }
        Ok(None)
    }

    /// Runs one slice; whether there was something to run.
    pub(super) fn slice(&mut self) -> bool {
        if self.must_wait() {
            return false;
        }
        let Some(begun) = &mut self.begun else {
            return false;
        };
        let Some(running) = &begun.running else {
            return false;
        };
        if !self.driver.settled() {
            return false;
        }
        let (until, resumed_at) = (running.until, running.resumed_at);
        let steps = begun.machine.steps();
        let there = until.is_some_and(|until| steps >= until);
        // A run of no steps delivers what is due, once.
        if there && resumed_at != Some(steps) {
            self.stop(PauseReason::Until);
            return true;
        }
        match self.events(resumed_at) {
            Some(reason) => self.stop(reason),
            // An event whose handler is gone ends the program.
            None if there && !self.has_ended() => self.stop(PauseReason::Until),
            None => self.advance(until),
        }
        true
    }

    /// How much trace goes into one message: it must fit, leave the buffer room for what comes meanwhile, and be replayed
    /// within milliseconds, so that the host hears of a pause.
    pub(super) fn batch_bytes(&self) -> usize {
        const BATCH_BYTES: u32 = 1 << 10;
        let limits = &self.config.limits;
        let batch = (limits.trace_bytes / 2).min(limits.message_bytes / 2);
        batch.clamp(64, BATCH_BYTES) as usize
    }

    /// Whether the program must wait for the link.
    pub(super) fn must_wait(&mut self) -> bool {
        let Some(begun) = &self.begun else {
            return false;
        };
        // A full batch that is still here could not be sent.
        let full = begun.trace.len() >= self.batch_bytes() || self.waiting.len() > 64;
        if full
            && self.overflow == Overflow::StopRecording
            && !self.overrun
            && begun.running.is_some()
        {
            self.overrun = true;
            let steps = begun.machine.steps();
            self.report(Report::Overrun { steps });
        }
        full && !self.overrun
    }

    fn has_ended(&self) -> bool {
        let begun = self.begun.as_ref();
        begun.is_some_and(|begun| begun.machine.outcome().is_some())
    }

    /// Delivers an event if one is due; the reason to stop if the host wants to see it first.
    pub(super) fn events(&mut self, resumed_at: Option<u64>) -> Option<PauseReason> {
        let begun = self.begun.as_mut()?;
        let steps = begun.machine.steps();
        self.driver.at(steps);
        if begun.machine.in_handler() {
            return None;
        }
        if begun.held.is_none() && self.board_events {
            begun.held = self.driver.poll_event();
        }
        let event = begun.held?;
        let (kind, payload) = encode_event(&event);
        if self.stop_on_events && resumed_at != Some(steps) {
            return Some(PauseReason::Event { kind });
        }
        begun.held = None;
        if event.enter(&mut begun.machine) {
            // In the handler, at the same step, the program has not stood yet.
            if let Some(running) = &mut begun.running {
                running.resumed_at = None;
            }
            if !self.overrun {
                begun.record_event(kind, payload);
            }
        }
        None
    }

    /// Executes up to a slice's length.
    pub(super) fn advance(&mut self, until: Option<u64>) {
        let batch_bytes = self.batch_bytes();
        let Some(begun) = &mut self.begun else {
            return;
        };
        let resumed_at = begun
            .running
            .as_ref()
            .and_then(|running| running.resumed_at);
        let steps = begun.machine.steps();
        let about = steps.saturating_add(self.config.slice);
        let end = until.unwrap_or(u64::MAX);
        let distance = self.driver.steps_to_event().filter(|_| self.board_events);
        // An event that is due while a handler runs comes right after it, at the same step however the run is sliced.
        let waiting = distance == Some(0) && begun.machine.in_handler();
        let mut limit = match distance {
            Some(distance) => end.min(steps.saturating_add(distance.max(1))),
            None => end,
        };
        let mut noticed = Noticed::default();
        let mut world = DeviceWorld {
            batch_bytes,
            board: &self.board,
            driver: &mut self.driver,
            mocks: &mut self.mocks,
            stops: &self.stops,
            trace: (!self.overrun).then_some(&mut begun.trace),
            resumed_at,
            noticed: &mut noticed,
        };
        let halt = loop {
            let until = Until {
                exactly: limit,
                about,
            };
            let halt = execute(&mut begun.machine, &begun.program, &mut world, until);
            let again = waiting
                && halt == Halt::Until
                && begun.machine.in_handler()
                && limit < end.min(about);
            if !again {
                break halt;
            }
            limit += 1;
        };
        if self.check_every > 0 && begun.machine.steps() >= begun.next_check {
            begun.next_check = begun.machine.steps().saturating_add(self.check_every);
            let state = begun.state(None);
            self.flush_trace();
            self.report(state);
        }
        if let Some(reason) = self.pause_reason(halt, &noticed, resumed_at) {
            self.stop(reason);
        }
    }

    /// Why the program stands still now, if it does.
    fn pause_reason(
        &self,
        halt: Halt,
        noticed: &Noticed,
        resumed_at: Option<u64>,
    ) -> Option<PauseReason> {
        Some(match halt {
            Halt::Until | Halt::Yield => return None,
            Halt::Left => PauseReason::Primitive {
                primitive: noticed.stopped_before.unwrap_or(u16::MAX),
            },
            Halt::Finished => {
                let outcome = self
                    .begun
                    .as_ref()
                    .and_then(|begun| begun.machine.outcome());
                let results = match outcome {
                    Some(Outcome::Finished(values)) => {
                        values.iter().map(|value| to_wire(*value)).collect()
                    }
                    _ => Vec::new(),
                };
                PauseReason::Finished { results }
            }
            Halt::Trapped(trap) => PauseReason::Trapped {
                code: trap_code(trap),
            },
            // The program stands there already, and goes on.
            Halt::Stop(Exit::Breakpoint(_)) if resumed_at == Some(self.steps()) => return None,
            Halt::Stop(Exit::Breakpoint(offset)) => PauseReason::Breakpoint { offset: offset.0 },
            Halt::Stop(Exit::Watch { watch, offset }) => PauseReason::Watch {
                watch: watch as u32,
                offset: offset.0,
            },
            Halt::Stop(_) => PauseReason::Requested,
        })
    }

    pub(super) fn stop(&mut self, reason: PauseReason) {
        if let Some(begun) = &mut self.begun {
            begun.running = None;
        }
        self.paused_report(reason);
    }

    pub(super) fn paused_report(&mut self, reason: PauseReason) {
        self.flush_trace();
        if let Some(begun) = &self.begun {
            let (steps, state) = (begun.machine.steps(), begun.machine.hash().0);
            let next_record = begun.trace.next_record();
            self.report(Report::Paused {
                reason,
                steps,
                state,
                next_record,
            });
        }
    }

    /// Hands the trace to the line when it fills a message, has waited for [`TRACE_US`], or the program stands still; if
    /// there is none, how far the program came after every [`REACHED_STEPS`], and before a delay that lasts.
    pub(super) fn flush_trace_in_time(&mut self, now_us: u64) {
        let full = self.batch_bytes();
        let Some(begun) = &mut self.begun else {
            return;
        };
        if begun.trace.is_empty() {
            if begun.running.is_some() && !self.overrun && self.waiting.is_empty() {
                let lasts = !self.driver.settled();
                let since = lasts.then(|| *begun.trace_since.get_or_insert(now_us));
                let late = since.is_some_and(|since| now_us.saturating_sub(since) >= TRACE_US);
                let least = if late { 1 } else { REACHED_STEPS };
                let reached = begun.trace.reach(begun.machine.steps(), least);
                if !lasts || reached.is_some() {
                    begun.trace_since = None;
                }
                if let Some(batch) = reached {
                    self.send_trace(batch);
                }
            }
            return;
        }
        let since = *begun.trace_since.get_or_insert(now_us);
        let late = now_us.saturating_sub(since) >= TRACE_US;
        if late || begun.running.is_none() || begun.trace.len() >= full {
            self.flush_trace();
        }
    }

    /// Hands the recorded trace to the line, if it takes it now.
    pub(super) fn flush_trace(&mut self) {
        let Some(begun) = &mut self.begun else {
            return;
        };
        // Order matters more than speed: nothing overtakes what waits.
        if begun.trace.is_empty() || !self.waiting.is_empty() && begun.running.is_some() {
            return;
        }
        if let Some(batch) = begun.trace.take() {
            begun.trace_since = None;
            self.send_trace(batch);
        }
    }

    fn send_trace(&mut self, batch: Batch) {
        let report = Report::Trace {
            first: batch.first,
            base: batch.base,
            records: batch.bytes,
        };
        self.send(Channel::Trace, report);
    }
}

fn trap_code(trap: Trap) -> u8 {
    trap as u8
}
