//! Calls of an operating system: what one comes to follows from its state, the arguments and the memory. Standard input is
//! inputs, as far as somebody wants to know of it, and so is whether a call fails; what else there is to choose is as it
//! comes.

use std::ops::Range;

use borges_board::{PrimitiveId, SystemCall, Yield};
use borges_vm::num::NumericOp as N;
use borges_vm::{Trap, ValType, Value};

use super::{Explorer, MOST_VALUES, Next, State};
use crate::dag::Expr;
use crate::path::{Cut, End, ReadPart};
use crate::set::{Set, cell_of};
use crate::shadow::{Ask, Bytes};

/// Why something is left out: nobody asked for errors.
pub const FAULTS: &str = "errors that calls of the operating system may meet are not looked for";
const FAULTS_OF_STATES: &str = "errors that calls of the operating system may meet are not looked for in states: \
                                'borges paths --faults' looks for them";
/// So many bytes of standard input are looked at where bugs are looked for and nobody says how many.
pub const UNASKED_STDIN: u32 = 16;
/// Why something is left out: more of them would be read.
pub const MORE_STDIN: &str = "of standard input, 16 bytes are looked at, which may be anything";

/// Why something is left out: nobody asked for other input.
pub const STDIN: &str = "standard input is read as it was given: no other is looked at";
/// Why something is left out that nobody can ask for.
const AS_IT_COMES: &str =
    "the time, random bytes and what is ready first are as they come: no others are looked at";
const FILED: &str = "a file is read after bytes that depend on inputs were written to files";
/// Why something is left out: the codes are more than there are paths for.
const EXIT_CODES: &str =
    "the exit code depends on inputs and has too many values: it is shown as one of them";
const AFTER_INPUT: &str = "calls of the operating system are not followed once an input was read";

/// The reason, if it is one that an exploration says once, wherever it is so first.
pub(super) fn said_once(reason: &str) -> Option<&'static str> {
    let once = [
        FAULTS,
        MORE_STDIN,
        STDIN,
        AS_IT_COMES,
        super::events::UNTOLD,
    ];
    once.into_iter().find(|known| *known == reason)
}

impl Explorer<'_, '_> {
    /// Lets a call of the operating system happen. Something to do if it is not simply done.
    pub(super) fn system(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        to: usize,
    ) -> Result<(), Next> {
        let board = self.start.board.clone();
        if self.is_round && !state.reads.is_empty() {
            // What it reads of memory may depend on inputs.
            self.leave_out(state, AFTER_INPUT);
            return Err(Next::End(End::Cut(Cut::Fills)));
        }
        self.decide_memory(state, (id, args))?;
        if self.fails(state, (id, args), to)? {
            return Ok(());
        }
        let printed = |state: &State| state.outside.state.system().map(|world| world.printed());
        let before = printed(state);
        let called = self.call_system(state, (id, args), None)?;
        if let SystemCall::Wants(_) = called {
            return self.chosen(state, (id, args), &called, to);
        }
        if state.is_filed && board.reads_files(id) {
            self.leave_out(state, FILED);
            return Err(Next::End(End::Cut(Cut::Fills)));
        }
        if printed(state) == before {
            self.note_filed(state, (id, args));
        }
        self.answers(state, called, (to, args.len()), 0..0)
    }

    /// Chooses what a call wants to know.
    fn chosen(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        called: &SystemCall,
        to: usize,
    ) -> Result<(), Next> {
        if self.is_round {
            return Err(self.unfollowed(state, id));
        }
        let wanted = called.input_wanted();
        if let Some(most) = wanted.and_then(|wanted| state.choices.most_input(wanted)) {
            if state.choices.more && wanted > Some(most) {
                self.say(state, MORE_STDIN);
            }
            return self.standard_input(state, (id, args), (most, to));
        }
        self.say(state, if wanted.is_some() { STDIN } else { AS_IT_COMES });
        let usual = state.outside.state.usual(called);
        let usual = usual.unwrap_or(Value::I32(0).into());
        let (ty, cell) = (usual.value.ty(), cell_of(usual.value));
        let part = ReadPart::Given(usual.clone());
        self.push_read(state, (id, args), part, (ty, Set::single(cell)))?;
        let called = self.call_system(state, (id, args), Some(&usual))?;
        self.answers(state, called, (to, args.len()), 0..0)
    }

    /// Decides with which code the program ends: with another one it is another path, unless they are too many for that.
    pub(super) fn decide_exit(
        &mut self,
        state: &mut State,
        arguments: &[Option<Expr>],
    ) -> Option<Next> {
        let code = arguments.first().copied().flatten()?;
        if self.only_value(state, code).is_some() {
            return None;
        }
        if self.values(state, code, MOST_VALUES as u64).is_some() {
            return Some(Next::Asked(Ask::Value(code)));
        }
        self.leave_out(state, EXIT_CODES);
        None
    }

    /// Says once that something is not looked at.
    fn say(&mut self, state: &State, what: &'static str) {
        if self.followed.is_none() && self.said.insert(what) {
            self.leave_out(state, what);
        }
    }

    /// What a call comes to; if it ends the path, that.
    fn call_system(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        chosen: Option<&Yield>,
    ) -> Result<SystemCall, Next> {
        let board = self.start.board.clone();
        let memory = self.machine.memory();
        let outside = &mut state.outside.state;
        match outside.call_system(&board, id, args, memory, chosen) {
            Ok(SystemCall::Exits(code)) => {
                self.machine.exit(code);
                Err(Next::End(End::Exited(code)))
            }
            Ok(SystemCall::Traps) | Err(_) => {
                let at = self.machine.location().map(|location| location.offset);
                Err(Next::End(End::Trapped(Trap::Host, at)))
            }
            Ok(called) => Ok(called),
        }
    }

    /// Answers the pending call; the first bytes that it writes are the inputs at these places.
    fn answers(
        &mut self,
        state: &mut State,
        called: SystemCall,
        (to, arguments): (usize, usize),
        places: Range<u32>,
    ) -> Result<(), Next> {
        if let SystemCall::Answers { result, writes } = called {
            // What it wrote lies inside the memory, and imports were bound by their types.
            let answered = self.machine.answer_with(result.as_slice(), &writes);
            debug_assert_eq!(answered, Ok(()));
            state.shadow.forget_cells(to, to + arguments + 1);
            if let Some(place) = state.fails.take() {
                let has_failed = state.model[place as usize] != 0;
                state.shadow.note_decided(has_failed.into());
            }
            self.wrote_bytes(state, &writes, places);
        }
        Ok(())
    }

    /// Decides every byte of the memory that depends on inputs and that a call goes by.
    fn decide_memory(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
    ) -> Result<(), Next> {
        if state.shadow.memory.bytes().next().is_none() {
            return Ok(());
        }
        let board = self.start.board.clone();
        let memory = self.machine.memory();
        let outside = &state.outside.state;
        for (address, count) in outside.memory_read(&board, id, args, memory).decides {
            for (at, byte) in state.shadow.memory.within(address, count) {
                let expr = Bytes {
                    dag: &mut self.dag,
                    memory: &state.shadow.memory,
                }
                .of(byte);
                if self.only_value(state, expr).is_none() {
                    return Err(Next::Asked(Ask::Value(expr)));
                }
                state.shadow.memory.set(at, None);
            }
        }
        Ok(())
    }

    /// Takes note of a call that printed nothing: bytes that depend on inputs may lie in files from now on.
    fn note_filed(&mut self, state: &mut State, (id, args): (PrimitiveId, &[Value])) {
        if state.shadow.memory.bytes().next().is_none() {
            return;
        }
        let board = self.start.board.clone();
        let memory = self.machine.memory();
        let read = state.outside.state.memory_read(&board, id, args, memory);
        let mut moved = read.moved.iter();
        state.is_filed |=
            moved.any(|(address, count)| !state.shadow.memory.within(*address, *count).is_empty());
    }

    /// Lets a call fail, if it is to: whether it did.
    fn fails(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        to: usize,
    ) -> Result<bool, Next> {
        let board = self.start.board.clone();
        if state.choices.faults == 0 || self.is_round {
            if board.may_fail(id) && self.is_round {
                self.say(state, FAULTS_OF_STATES);
            } else if board.may_fail(id) && self.start.choices.faults == 0 {
                self.say(state, FAULTS);
            }
            return Ok(false);
        }
        let place = match state.fails {
            Some(place) => place,
            None => {
                let outside = &state.outside.state;
                let allowed = outside.may_fail_here(&board, id, args, self.machine.memory());
                let Some(allowed) = allowed else {
                    return Ok(false);
                };
                let errors = (ValType::I32, Set::of_codomain(&allowed));
                self.push_read(state, (id, args), ReadPart::Fault, errors)?;
                *state.fails.insert(state.reads.len() as u32 - 1)
            }
        };
        let error = self.dag.input(place, ValType::I32);
        let domain = state.reads[place as usize].domain.clone();
        let goes = domain.contains(0);
        if goes && domain.only().is_none() {
            return Err(Next::Asked(Ask::Branch(error)));
        }
        if goes {
            return Ok(false);
        }
        state.choices.faults -= 1;
        let chosen = Value::I32(state.model[place as usize] as u32 as i32).into();
        let called = self.call_system(state, (id, args), Some(&chosen))?;
        self.answers(state, called, (to, args.len()), 0..0)?;
        if domain.only().is_none() {
            let zero = self.dag.constant(ValType::I32, 0);
            let number = self.dag.binary(N::I32Sub, zero, error);
            state.shadow.set_cell(to, number);
        }
        Ok(true)
    }

    /// Reads standard input: at most so many bytes, whatever they are.
    fn standard_input(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        (most, to): (u32, usize),
    ) -> Result<(), Next> {
        let place = match state.returns {
            Some(place) => place,
            None => {
                if state.inputs() >= self.bounds.inputs as usize {
                    return Err(Next::End(End::Inputs));
                }
                if self.is_beyond(state) {
                    self.wait_before_input(state);
                    return Err(Next::Waits);
                }
                let lengths = (ValType::I32, Set::range(0, most.into()));
                self.push_read(state, (id, args), ReadPart::Value, lengths)?;
                *state.returns.insert(state.reads.len() as u32 - 1)
            }
        };
        let length = self.dag.input(place, ValType::I32);
        let Some(count) = self.only_value(state, length) else {
            return Err(Next::Asked(Ask::Value(length)));
        };
        let from = state.reads.len() as u32;
        let bytes = self.push_bytes(state, (id, args), count as usize, &Set::range(0, 255))?;
        state.returns = None;
        let count = count as u32;
        state.choices.came(count, most);
        let value = Value::I32(count as i32);
        let chosen = Yield { value, bytes };
        let called = self.call_system(state, (id, args), Some(&chosen))?;
        self.answers(state, called, (to, args.len()), from..from + count)
    }
}
