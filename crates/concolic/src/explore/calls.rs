//! Calls of primitives on a path: inputs become expressions, outputs change the model of the outside.

use std::ops::Range;

use borges_board::{Action, PrimitiveId, PrimitiveKind};
use borges_vm::{Trap, ValType, Value};

use super::cases::unread;
use super::{Explorer, Feasible, Next, State, narrow};
use crate::constraint::Constraint;
use crate::dag::Expr;
use crate::outside::{refusals, text_refusals};
use crate::path::{Cut, End, Read, ReadPart};
use crate::set::{Set, cell_of, nice, value_of};
use crate::shadow::{Ask, KNOWN};

/// A call before which a machine stands.
pub(super) struct Calling {
    /// The imported function.
    pub(super) func: u32,
    /// The primitive that it is.
    pub(super) id: PrimitiveId,
    pub(super) args: Vec<Value>,
    /// The cells of the arguments.
    cells: Range<usize>,
    /// The cell of the result, and its type if there is one.
    to: usize,
    result: Option<ValType>,
}

impl Calling {
    /// The cells of the arguments.
    pub(super) fn cells(&self) -> Range<usize> {
        self.cells.clone()
    }
}

impl Explorer<'_, '_> {
    /// Whether an output changes what a limit of the board looks at, so that what it does must be known.
    fn is_limited(&self, state: &State, (id, args): (PrimitiveId, &[Value])) -> bool {
        let board = &self.start.board;
        let is_asked = self.is_round || self.bounds.limits_end;
        let action = || board.action(id, args, self.machine.memory());
        let only_waits = || matches!(action(), Ok(Action::Wait { .. }));
        let waits = || {
            matches!(
                action(),
                Ok(Action::Wait { .. } | Action::MotorFor { .. } | Action::MotorTurn { .. })
            )
        };
        let outside = &state.outside.state;
        is_asked
            && (board.is_limited(id) && (outside.motors_run() || !only_waits())
                || outside.has_ages(board) && waits())
    }

    /// Whether the program reads a clock or starts a timer, so that time passes for it in which it does not wait.
    fn tells_time(&self) -> bool {
        let mut primitives = self.start.primitives.iter();
        primitives.any(|id| self.start.board.tells_time(*id))
    }

    /// The call before which the machine stands.
    pub(super) fn calling(&self) -> Option<Calling> {
        let pending = self.machine.pending()?;
        Some(Calling {
            func: pending.func.0,
            id: *self.start.primitives.get(pending.func.0 as usize)?,
            result: pending.ty.results.first().copied(),
            cells: pending.cells,
            to: pending.result,
            args: pending.args,
        })
    }

    /// Lets the pending call happen. Something to do if it is not simply done.
    pub(super) fn call(&mut self, state: &mut State, calling: &Calling) -> Option<Next> {
        let Calling {
            id,
            result,
            to,
            ref args,
            ref cells,
            ..
        } = *calling;
        let board = self.start.board.clone();
        let (first, past) = (cells.start, cells.end);
        let exprs: Vec<Option<Expr>> = cells
            .clone()
            .map(|at| Some(state.shadow.cell(at)).filter(|expr| *expr != KNOWN))
            .collect();
        let kind = board
            .primitive(id)
            .map_or(PrimitiveKind::Trap, |found| found.kind);
        let is_output = matches!(kind, PrimitiveKind::Output);
        if exprs.iter().any(Option::is_some) {
            let next = match board.exits(id) {
                true => self.decide_exit(state, &exprs),
                false => self.symbolic_arguments(state, (id, args), &exprs, first, is_output),
            };
            if next.is_some() {
                return next;
            }
        }
        let refused = Next::End(End::Trapped(
            Trap::Host,
            self.machine.location().map(|location| location.offset),
        ));
        let answer = match kind {
            PrimitiveKind::Trap => return Some(refused),
            PrimitiveKind::Constant(value) => Some(value),
            PrimitiveKind::System => return self.system(state, (id, args), to).err(),
            PrimitiveKind::Input => {
                let memory = self.machine.memory().len();
                if board.check_input(id, args, memory).is_err() {
                    return Some(refused);
                }
                let read = match board.fills(id) {
                    true => self.fill(state, (id, args), result, to),
                    false => self.read(state, (id, args), result, to),
                };
                return read.err();
            }
            PrimitiveKind::Output => match self.output(state, (id, args), &exprs) {
                Ok(result) => result,
                Err(broken) => return Some(broken.unwrap_or(refused)),
            },
        };
        // Imports were bound by their types.
        let answered = self.machine.answer(answer.as_slice());
        debug_assert_eq!(answered, Ok(()));
        state.shadow.forget_cells(to, past + 1);
        None
    }

    /// Lets an output happen: its result. If it does not, where the path ends, or nothing if it is refused.
    fn output(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        exprs: &[Option<Expr>],
    ) -> Result<Option<Value>, Option<Next>> {
        let board = self.start.board.clone();
        if board.check_handler(id, args, &self.machine).is_err() {
            return Err(None);
        }
        let memory = self.machine.memory();
        let broken = || {
            let broken = board.breaks(&state.outside.state, (id, args), memory);
            broken
                .into_iter()
                .find(|broken| !self.tells_time() || !board.asks_clocks(broken.limit))
        };
        if self.bounds.limits_end
            && let Some(broken) = broken()
        {
            let at = self.machine.location().map(|location| location.offset);
            return Err(Some(Next::End(End::Broke(broken.limit, at))));
        }
        let nothing = borges_board::Captured::default();
        let outside = &mut state.outside;
        outside.wrote(&board, (id, args), memory, exprs);
        let before_us = outside.state.elapsed_us();
        let applied = outside.state.apply(&board, id, args, memory, &nothing);
        if exprs.iter().any(Option::is_some) {
            // With other values it waits for another time.
            outside.vague_us += outside.state.elapsed_us().saturating_sub(before_us);
        }
        applied.map_err(|_| None)
    }

    /// Decides what a call's arguments are, as far as it matters.
    pub(super) fn symbolic_arguments(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        exprs: &[Option<Expr>],
        first: usize,
        is_output: bool,
    ) -> Option<Next> {
        let board = self.start.board.clone();
        let subscribes = matches!(
            board.action(id, args, self.machine.memory()),
            Ok(Action::Subscribe { .. }
                | Action::Unsubscribe { .. }
                | Action::SubscribeTimer { .. })
        );
        let is_performed = is_output && !subscribes && !self.is_limited(state, (id, args));
        self.note_unread_arguments(state, (id, args), exprs, is_performed);
        if is_performed {
            // Whether the board refuses it; what exactly is done, no later input depends on.
            let (call, memory) = ((id, args), self.machine.memory());
            let (expr, set) = match text_refusals(&board, call, memory, exprs, &mut self.dag) {
                Some(refused) => refused,
                None => refusals(&board, call, memory, exprs, |expr| {
                    self.bounds_of(state, expr)
                })?,
            };
            let fine = set.complement(self.dag.ty(expr));
            if self.bounds_within(state, expr, &fine) {
                return None;
            }
            if self.bounds_within(state, expr, &set) {
                let at = self.machine.location().map(|location| location.offset);
                return Some(Next::End(End::Trapped(Trap::Host, at)));
            }
            let trap = (Trap::Host, Constraint::new(expr, set));
            return Some(Next::Asked(Ask::Traps(vec![trap])));
        }
        // An input's codomain, and which one it is, depend on its arguments; what may interrupt the program, and whether a
        // limit is broken, as well.
        for (at, expr) in exprs.iter().enumerate() {
            if let Some(expr) = expr {
                if let Some(only) = self.only_value(state, *expr) {
                    debug_assert_eq!(Some(only), args.get(at).map(|value| cell_of(*value)));
                    state.shadow.set_cell(first + at, KNOWN);
                    continue;
                }
                return Some(Next::Asked(Ask::Value(*expr)));
            }
        }
        None
    }

    /// Notes what a call's arguments depend on of what was left out of the state that a round goes on from: of an output that
    /// is performed whatever they are, only if it may be refused, or if the board's rules or clocks may look at it.
    fn note_unread_arguments(
        &mut self,
        state: &State,
        (id, args): (PrimitiveId, &[Value]),
        exprs: &[Option<Expr>],
        is_performed: bool,
    ) {
        if state.unread.is_empty() {
            return;
        }
        let board = &self.start.board;
        let matter = |expr: &Option<Expr>| {
            expr.filter(|expr| unread(state, &self.dag, *expr).next().is_some())
        };
        let asked: Vec<Option<Expr>> = exprs.iter().map(matter).collect();
        let memory = self.machine.memory();
        let is_free = is_performed
            && board.rules.is_empty()
            && !matches!(board.action(id, args, memory), Ok(Action::Wait { .. }))
            && text_refusals(board, (id, args), memory, &asked, &mut self.dag).is_none()
            && refusals(board, (id, args), memory, &asked, |expr| {
                (0, self.dag.greatest(expr))
            })
            .is_none();
        if !is_free {
            let asked = asked.into_iter().flatten();
            asked.for_each(|expr| self.reads(state, expr));
        }
    }

    /// Reads an input: its answer is an expression from now on. Something to do if it is not simply done.
    fn read(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        result: Option<ValType>,
        to: usize,
    ) -> Result<(), Next> {
        let known = self.read_value(state, (id, args), result)?;
        self.answer(state, (id, args), known, to);
        Ok(())
    }

    /// Reads what an input returns, without answering the call: its value if it can be one only.
    pub(super) fn read_value(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        result: Option<ValType>,
    ) -> Result<Option<u64>, Next> {
        if state.inputs() >= self.bounds.inputs as usize {
            return Err(Next::End(End::Inputs));
        }
        if self.is_beyond(state) {
            self.wait_before_input(state);
            return Err(Next::Waits);
        }
        let board = self.start.board.clone();
        let ty = result.unwrap_or(ValType::I32);
        let place = state.reads.len() as u32;
        let answer = self.dag.input(place, ty);
        let allowed = match state
            .outside
            .elapses(id, &mut self.dag, (&state.reads, answer))
        {
            Some(elapses) => elapses,
            None => state
                .outside
                .allowed(&board, (id, args), &mut self.dag, answer),
        };
        let mut domain = self.explored_domain(state, ty, allowed.domain);
        if let Some(cell) = self.given.take() {
            domain = domain.intersect(&Set::single(cell));
        }
        self.push_read(state, (id, args), ReadPart::Value, (ty, domain))?;
        for constraint in &allowed.constraints {
            self.reads(state, constraint.expr);
        }
        let before = state.model.clone();
        let no_value = || Next::End(End::Cut(Cut::NoValue));
        if !allowed.constraints.is_empty() {
            match self.feasible(state, &allowed.constraints) {
                Feasible::Yes(narrowed) => narrow(state, *narrowed),
                Feasible::No => return Err(no_value()),
                Feasible::Unknown(reason) => {
                    self.leave_out(state, &reason);
                    return Err(no_value());
                }
            }
        }
        if state.model != before {
            if self.followed.is_some() {
                return Err(Next::Waits);
            }
            self.patch(state);
        }
        let known = state.reads[place as usize].domain.only();
        Ok(known.filter(|_| allowed.constraints.is_empty()))
    }

    /// Notes a part of a call of an input, one of these values.
    pub(super) fn push_read(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        part: ReadPart,
        (ty, domain): (ValType, Set),
    ) -> Result<(), Next> {
        let value = match self.example_answer(state.reads.len(), &domain) {
            None => nice(&domain, ty),
            Some(None) => return Err(Next::Waits),
            Some(answer) => answer,
        };
        let value = value.ok_or(Next::End(End::Cut(Cut::NoValue)))?;
        state.reads.push(Read {
            primitive: id,
            args: args.into(),
            part,
            ty,
            domain,
            step: self.machine.steps(),
        });
        state.model.push(value);
        Ok(())
    }

    /// Answers the pending call with the input that was read last; `known` if it can be one value only.
    fn answer(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        known: Option<u64>,
        to: usize,
    ) {
        let Some(ty) = state.reads.last().map(|read| read.ty) else {
            return;
        };
        let since = match known {
            Some(cell) => self.dag.constant(ty, cell),
            None => self.dag.input(state.reads.len() as u32 - 1, ty),
        };
        let answer = match state.outside.read_clock(id, since, &mut self.dag) {
            Some(shown) => shown,
            None => {
                let known = known.map(|cell| value_of(ty, cell));
                let board = &self.start.board;
                state.outside.read(board, (id, args), since, known);
                since
            }
        };
        self.point.reset(&self.dag);
        let value = self.point.eval(&self.dag, answer, &state.model);
        let answered = self.machine.answer(&[value_of(ty, value)]);
        debug_assert_eq!(answered, Ok(()));
        state.shadow.forget_cells(to, to + args.len() + 1);
        if self.dag.as_const(answer).is_none() {
            state.shadow.set_cell(to, answer);
        }
    }

    /// What is explored of an input's domain; what is left out of it is said.
    fn explored_domain(&mut self, state: &mut State, ty: ValType, mut domain: Set) -> Set {
        if ty.is_reference() {
            // What a reference refers to is not for inputs to explore.
            domain = Set::single(domain.bounds().map_or(0, |(least, _)| least));
            self.leave_out(state, "references as inputs are explored with null only");
        }
        if state.outside.is_blurred {
            state.outside.is_blurred = false;
            self.leave_out(
                state,
                "a rule of the board may look at an output whose arguments depend on inputs: other values than those \
                 tried here may allow other inputs",
            );
        }
        domain
    }
}
