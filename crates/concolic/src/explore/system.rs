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
/// So many bytes of standard input are looked at where bugs are looked for and nobody says how many.
pub const UNASKED_STDIN: u32 = 16;
/// Why something is left out: more of them would be read.
pub const MORE_STDIN: &str = "of standard input, 16 bytes are looked at, which may be anything";

/// Where states are compared, so many bytes of standard input come at once, or fewer.
const MOST_PIECE: u32 = 16;
/// Why something is left out: a program asks for more at once.
pub const PIECES: &str = "where more than 16 bytes of standard input are asked for, they are looked at as coming one by one";

/// Why something is left out: nobody asked for other input.
pub const STDIN: &str = "standard input is read as it was given: no other is looked at";
/// Why something is left out that nobody can ask for.
const AS_IT_COMES: &str =
    "the time, random bytes and what is ready first are as they come: no others are looked at";
const FILED: &str = "a file is read after bytes that depend on inputs were written to files";
/// Why something is left out: the codes are more than there are paths for.
const EXIT_CODES: &str =
    "the exit code depends on inputs and has too many values: it is shown as one of them";
const KEPT: &str = "bytes that depend on inputs are written to a file, which states do not keep";

/// The reason, if it is one that an exploration says once, wherever it is so first.
pub(crate) fn said_once(reason: &str) -> Option<&'static str> {
    let once = [
        FAULTS,
        MORE_STDIN,
        PIECES,
        STDIN,
        AS_IT_COMES,
        super::events::UNTOLD,
        super::aged::FAR_BACK,
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
        if printed(state) == before && self.is_filed(state, (id, args)) {
            if self.is_round {
                self.leave_out(state, KEPT);
                return Err(Next::End(End::Cut(Cut::Fills)));
            }
            state.is_filed = true;
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
        let wanted = called.input_wanted();
        if let Some(most) = wanted.and_then(|wanted| state.choices.most_input(wanted)) {
            if self.is_round {
                return self.input_of_states(state, (id, args), (most, to));
            }
            if state.choices.more && wanted > Some(most) {
                self.say(state, MORE_STDIN);
            }
            return self.standard_input(state, (id, args), (most, to));
        }
        self.say(state, if wanted.is_some() { STDIN } else { AS_IT_COMES });
        let usual = state.outside.state.usual(called);
        self.given(state, (id, args), usual.unwrap_or(Value::I32(0).into()), to)
    }

    /// Answers a call with what it comes to, as nobody looks at anything else.
    fn given(
        &mut self,
        state: &mut State,
        call: (PrimitiveId, &[Value]),
        given: Yield,
        to: usize,
    ) -> Result<(), Next> {
        let (ty, cell) = (given.value.ty(), cell_of(given.value));
        let part = ReadPart::Given(given.clone());
        self.push_read(state, call, part, (ty, Set::single(cell)))?;
        let called = self.call_system(state, call, Some(&given))?;
        self.answers(state, called, (to, call.1.len()), 0..0)
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
                self.reads(state, expr);
                if self.only_value(state, expr).is_none() {
                    return Err(Next::Asked(Ask::Value(expr)));
                }
                state.shadow.memory.set(at, None);
            }
        }
        Ok(())
    }

    /// Of a call that printed nothing: whether bytes that depend on inputs lie in files from now on.
    fn is_filed(&mut self, state: &mut State, (id, args): (PrimitiveId, &[Value])) -> bool {
        if state.shadow.memory.bytes().next().is_none() {
            return false;
        }
        let board = self.start.board.clone();
        let memory = self.machine.memory();
        let read = state.outside.state.memory_read(&board, id, args, memory);
        let mut is_filed = false;
        for (address, count) in read.moved {
            for (_, byte) in state.shadow.memory.within(address, count) {
                self.reads(state, byte.value);
                is_filed |= self.only_value(state, byte.value).is_none();
            }
        }
        is_filed
    }

    /// Lets a call fail, if it is to: whether it did.
    fn fails(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        to: usize,
    ) -> Result<bool, Next> {
        let board = self.start.board.clone();
        if state.choices.faults == 0 {
            if board.may_fail(id) && self.start.choices.faults == 0 {
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
                if self.is_round && self.passes != Some(self.machine.steps()) {
                    self.wait_before_input(state);
                    return Err(Next::Waits);
                }
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

    /// Reads standard input where states are compared: as many bytes as are wanted or fewer. Once it is over, time passes
    /// where it is read: a program that goes on asking comes round there.
    fn input_of_states(
        &mut self,
        state: &mut State,
        call: (PrimitiveId, &[Value]),
        (most, to): (u32, usize),
    ) -> Result<(), Next> {
        if most > 0 {
            let most = match state.choices.piece {
                Some(piece) => most.min(piece),
                None if most > MOST_PIECE => {
                    self.say(state, PIECES);
                    1
                }
                None => most,
            };
            return self.standard_input(state, call, (most, to));
        }
        if self.stops_in_time(state) {
            self.wait_before_input(state);
            return Err(Next::Waits);
        }
        self.given(state, call, Value::I32(0).into(), to)
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
