//! What was recorded elsewhere, as what a board here answers: as it does by itself where that is the same, with a choice
//! where there is one, and else word for word.

use std::collections::BTreeMap;

use borges_board::{BoardState, Captured, PrimitiveKind, SystemCall, Yield, yielded};
use borges_stub::{Asked, Call, Program};
use borges_vm::Value;
use borges_wasi::{Chosen, Errno, Function, MemoryWrite, Wants};

use super::ImportError;
use super::follow::{Followed, Follower};
use super::recording::RecordedCall;
use super::seen::Seen;
use crate::history::twin::Feed;

/// Feeds the twin with a recording.
pub(super) struct Teller<'f, 'r> {
    pub(super) follower: &'f mut Follower<'r>,
    program: Program,
    /// The board as the twin has it.
    state: BoardState,
    /// Calls that were answered as they were recorded, because the model would have answered otherwise.
    pub(super) told: BTreeMap<String, u64>,
    /// Why the program was left.
    pub(super) failed: Option<ImportError>,
}

impl<'f, 'r> Teller<'f, 'r> {
    pub(super) fn new(follower: &'f mut Follower<'r>, program: &Program) -> Self {
        Self {
            follower,
            state: BoardState::new(&program.board),
            program: program.clone(),
            told: BTreeMap::new(),
            failed: None,
        }
    }

    fn taken(&mut self, call: &Call<'_>) -> Option<RecordedCall> {
        if self.failed.is_some() {
            return None;
        }
        match self.follower.take(call) {
            Ok(Followed::Call(recorded)) => Some(recorded),
            Ok(_) => None,
            Err(error) => {
                self.failed = Some(error);
                None
            }
        }
    }

    /// What an input of a board yielded, if it can yield that.
    fn input_of(&self, call: &Call<'_>, recorded: &RecordedCall) -> Option<Yield> {
        let board = &self.program.board;
        let value = recorded.results.first().copied()?;
        let seen = Seen::new(call.memory, &recorded.writes);
        // As many zeros as it brings bytes, to find where they go.
        let room = board.with_bytes(call.primitive, call.args, value, Vec::new());
        let mut brought = Vec::new();
        for write in board.writes(call.primitive, call.args, &room) {
            brought.extend(seen.bytes(u64::from(write.address), write.bytes.len() as u64)?);
        }
        let yielded = board.with_bytes(call.primitive, call.args, value, brought);
        let writes = board.writes(call.primitive, call.args, &yielded);
        seen.as_after(&writes).then_some(yielded)
    }

    /// Lets a call of the operating system happen here, if it comes to what was recorded.
    fn attempt(
        &mut self,
        call: &Call<'_>,
        recorded: &RecordedCall,
        chosen: Option<&Chosen>,
    ) -> Attempt {
        let mut after = self.state.clone();
        let yielded = chosen.map(yielded);
        let called = after.call_system(
            &self.program.board,
            call.primitive,
            call.args,
            call.memory,
            yielded.as_ref(),
        );
        match called {
            Ok(SystemCall::Wants(wants)) => Attempt::Wants(wants),
            Ok(SystemCall::Answers { result, writes })
                if result.as_slice() == recorded.results
                    && Seen::new(call.memory, &recorded.writes).as_after(&writes) =>
            {
                self.state = after;
                Attempt::Same(yielded)
            }
            _ => Attempt::Other,
        }
    }

    /// The choice with which a call of the operating system comes to what was recorded; none if it does by itself.
    fn choice(
        &mut self,
        function: Function,
        call: &Call<'_>,
        recorded: &RecordedCall,
    ) -> Option<Yield> {
        // Where nobody keeps rights, a file is opened without any: so it is not here.
        let without_rights = function == Function::PathOpen
            && call.args.get(5) == Some(&Value::I64(0))
            && recorded.results == [Value::I32(0)];
        let attempted = match without_rights {
            true => Attempt::Other,
            false => self.attempt(call, recorded, None),
        };
        let chosen = match attempted {
            Attempt::Same(nothing) => return nothing,
            Attempt::Wants(wants) => natural(&wants, function, call, recorded),
            Attempt::Other => changed(function, call, recorded),
        };
        for chosen in &chosen {
            if let Attempt::Same(yielded) = self.attempt(call, recorded, Some(chosen)) {
                return yielded;
            }
        }
        *self.told.entry(function.name().to_owned()).or_default() += 1;
        let code = match recorded.results.first() {
            Some(Value::I32(code)) => *code,
            _ => 0,
        };
        let mut all = Errno::ALL.iter().copied();
        let writes = recorded.writes.iter().map(|write| MemoryWrite {
            address: write.address,
            bytes: write.bytes.clone(),
        });
        let told = all
            .find(|errno| i32::from(errno.code()) == code)
            .map(|errno| Chosen::Told {
                errno,
                writes: writes.collect(),
            });
        match told.map(|told| self.attempt(call, recorded, Some(&told))) {
            Some(Attempt::Same(yielded)) => yielded,
            _ => {
                self.failed = Some(ImportError::Diverged {
                    number: recorded.number,
                    step: call.steps,
                    what: format!(
                        "{} returned {code}, and there is no such error",
                        function.name()
                    ),
                });
                None
            }
        }
    }
}

/// What comes of trying.
enum Attempt {
    /// What was recorded, with this choice.
    Same(Option<Yield>),
    /// Something has to be chosen.
    Wants(Wants),
    /// Something else.
    Other,
}

/// What may have been chosen of what a call wants to know.
fn natural(
    wants: &Wants,
    function: Function,
    call: &Call<'_>,
    recorded: &RecordedCall,
) -> Vec<Chosen> {
    let seen = Seen::new(call.memory, &recorded.writes);
    let failed = changed(function, call, recorded);
    if !failed.is_empty() && recorded.results != [Value::I32(0)] {
        return failed;
    }
    let chosen = match wants {
        Wants::Time { last, .. } => {
            let shown = seen.pointer(call, 2).and_then(|at| seen.long(at));
            shown.and_then(|shown| Some(Chosen::Later(shown.checked_sub(*last)?)))
        }
        Wants::Random { bytes } => {
            let at = seen.pointer(call, 0);
            at.and_then(|at| Some(Chosen::Bytes(seen.bytes(at, u64::from(*bytes))?)))
        }
        Wants::Input { .. } => seen.read(call).map(Chosen::Bytes),
        Wants::Ready { alternatives } => {
            return (0..alternatives.len() as u32).map(Chosen::Ready).collect();
        }
    };
    chosen.into_iter().collect()
}

/// With what choice a call may go otherwise than by itself.
fn changed(function: Function, call: &Call<'_>, recorded: &RecordedCall) -> Vec<Chosen> {
    let seen = Seen::new(call.memory, &recorded.writes);
    let moved = || {
        let at = seen.pointer(call, call.args.len().checked_sub(1)?)?;
        Some(Chosen::Short(seen.word(at)?))
    };
    match recorded.results[..] {
        [Value::I32(0)] if function.moves_bytes() => moved().into_iter().collect(),
        [Value::I32(code)] => {
            let faults = function.faults().iter().copied();
            let faults = faults.filter(|errno| i32::from(errno.code()) == code);
            faults.map(Chosen::Fault).collect()
        }
        _ => Vec::new(),
    }
}

impl Feed for Teller<'_, '_> {
    fn input(&mut self, call: &Call<'_>, _: &Asked<'_>) -> Option<(Yield, bool)> {
        let board = self.program.board.clone();
        if board.exits(call.primitive) {
            return None;
        }
        let recorded = self.taken(call)?;
        if let Some(function) = board.system_function(call.primitive) {
            return Some((self.choice(function, call, &recorded)?, false));
        }
        match self.input_of(call, &recorded) {
            Some(yielded) => {
                self.state
                    .observe(&board, call.primitive, call.args, yielded.value);
                Some((yielded, false))
            }
            None => {
                let name = &self.follower.recording.imports[recorded.import].name;
                let what = format!("{name} brought something that it cannot bring on this board");
                let (number, step) = (recorded.number, call.steps);
                self.failed = Some(ImportError::Diverged { number, step, what });
                None
            }
        }
    }

    fn captured(&mut self, call: &Call<'_>, _: &Asked<'_>) -> Option<Captured> {
        let board = self.program.board.clone();
        let kind = board.primitive(call.primitive)?.kind;
        if kind == PrimitiveKind::System {
            // It was taken when its choice was asked for.
            return self.failed.is_none().then_some(Captured::Nothing);
        }
        let recorded = self.taken(call)?;
        let captured = Captured::Nothing;
        let result = self
            .state
            .apply(&board, call.primitive, call.args, call.memory, &captured);
        if result.ok()?.as_slice() != recorded.results || !recorded.writes.is_empty() {
            let name = &self.follower.recording.imports[recorded.import].name;
            let what =
                format!("{name} is an output here, and it brought something when it was recorded");
            let (number, step) = (recorded.number, call.steps);
            self.failed = Some(ImportError::Diverged { number, step, what });
            return None;
        }
        Some(captured)
    }
}
