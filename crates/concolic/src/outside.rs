//! What inputs may answer when earlier answers are not known but expressions: the board's rules as constraints.

use borges_board::{
    Action, Board, BoardState, Bound, Codomain, PrimitiveId, PrimitiveKind, Quantity, Refusal,
    RuleClaim,
};
use borges_vm::num::NumericOp as N;
use borges_vm::{ValType, Value};

use crate::clocks::Clock;
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::path::Read;
use crate::set::{Set, cell_of};

/// The outside on a path: the board's model as far as it is known, and expressions for the rest.
#[derive(Clone, Debug)]
pub(crate) struct Outside {
    pub(crate) state: BoardState,
    /// The inputs read on this path, with what they answered.
    pub(crate) readings: Vec<(PrimitiveId, Vec<Value>, Expr)>,
    /// The levels written to pins that depend on inputs.
    pub(crate) levels: Vec<(u8, Expr)>,
    /// An output depends on an input in a way that a rule may look at.
    pub(crate) is_blurred: bool,
    /// The clocks whose times are kept relative to each other.
    pub(crate) clocks: Vec<Clock>,
    /// Of the time that the board's model says has passed, so much depends on inputs, in microseconds.
    pub(crate) vague_us: u64,
}

/// What an input may answer.
#[derive(Debug)]
pub(crate) struct Allowed {
    /// Whatever the earlier answers were, it is one of these.
    pub(crate) domain: Set,
    /// What relates it to earlier answers; the new input is the expression that was given.
    pub(crate) constraints: Vec<Constraint>,
}

impl Outside {
    pub(crate) fn new(state: BoardState) -> Self {
        Outside {
            state,
            readings: Vec::new(),
            levels: Vec::new(),
            is_blurred: false,
            clocks: Vec::new(),
            vague_us: 0,
        }
    }

    /// How long the program has waited for certain since the state began, in microseconds.
    pub(crate) fn waited_us(&self) -> u64 {
        self.state.elapsed_us().saturating_sub(self.vague_us)
    }

    /// Whether the program has waited for longer than what is known of some clock's times.
    pub(crate) fn is_far_ahead(&self) -> bool {
        let waited_us = self.waited_us();
        self.clocks.iter().any(|clock| clock.is_behind(waited_us))
    }

    /// What may have passed since a clock's origin when it is read; nothing if no origin of it is kept.
    pub(crate) fn elapses(
        &self,
        id: PrimitiveId,
        dag: &mut Dag,
        (reads, answer): (&[Read], Expr),
    ) -> Option<Allowed> {
        let clock = self.clocks.iter().find(|clock| clock.id == id)?;
        let (domain, constraints) = clock.elapses(self.waited_us(), dag, (reads, answer));
        Some(Allowed {
            domain,
            constraints,
        })
    }

    /// Takes note of a reading of such a clock: what had passed since its origin. What it shows then.
    pub(crate) fn read_clock(
        &mut self,
        id: PrimitiveId,
        since: Expr,
        dag: &mut Dag,
    ) -> Option<Expr> {
        let waited_us = self.waited_us();
        let clock = self.clocks.iter_mut().find(|clock| clock.id == id)?;
        Some(clock.read(since, waited_us, dag))
    }

    /// Takes note of an input's answer; `known` if it is not an expression.
    pub(crate) fn read(
        &mut self,
        board: &Board,
        (id, args): (PrimitiveId, &[Value]),
        answer: Expr,
        known: Option<Value>,
    ) {
        match known {
            Some(value) => self.state.observe(board, id, args, value),
            None => self.readings.push((id, args.to_vec(), answer)),
        }
    }

    /// Takes note of an output; `exprs` are the arguments that depend on inputs.
    pub(crate) fn wrote(
        &mut self,
        board: &Board,
        (id, args): (PrimitiveId, &[Value]),
        memory: &[u8],
        exprs: &[Option<Expr>],
    ) {
        if board.rules.is_empty() {
            return;
        }
        let symbolic = exprs.iter().any(Option::is_some);
        match board.action(id, args, memory) {
            Ok(Action::Level { pin, .. }) if exprs.first() == Some(&None) => {
                self.levels.retain(|(at, _)| *at != pin);
                if let Some(Some(level)) = exprs.get(1) {
                    self.levels.push((pin, *level));
                }
            }
            // What the model has now is what the values at hand come to.
            Ok(action) if symbolic => {
                let where_known = exprs.first() == Some(&None);
                let looks = |quantity: &Quantity| may_set(&action, where_known, quantity);
                let mut conditions = board.rules.iter().flat_map(|rule| &rule.conditions);
                self.is_blurred |= conditions.any(|part| looks(&part.quantity));
            }
            _ => {}
        }
    }

    /// What an input may answer here; `answer` is the expression of its answer.
    pub(crate) fn allowed(
        &mut self,
        board: &Board,
        (id, args): (PrimitiveId, &[Value]),
        dag: &mut Dag,
        answer: Expr,
    ) -> Allowed {
        let plain = board.codomain(id, args);
        let is_clock = matches!(plain, Codomain::NotBeforeLast(_));
        let mut constraints = Vec::new();
        if is_clock {
            self.clock(board, (id, args), dag, answer, &mut constraints);
        }
        if board.rules.is_empty() {
            let codomain = board.codomain_at(id, args, &self.state);
            return Allowed {
                domain: Set::of_codomain(&codomain),
                constraints,
            };
        }
        let mut without_rules = board.clone();
        without_rules.rules.clear();
        let codomain = without_rules.codomain_at(id, args, &self.state);
        let mut domain = Set::of_codomain(&codomain);
        for rule in &board.rules {
            let claims: Vec<&RuleClaim> = rule
                .claims
                .iter()
                .filter(|claim| claim.call.is(id, args))
                .collect();
            if claims.is_empty() {
                continue;
            }
            let mut condition = Some(dag.constant(ValType::I32, 1));
            for part in &rule.conditions {
                let holds = self.quantity(board, &part.quantity, &part.values, dag);
                condition = match (condition, holds) {
                    (Some(a), Some(b)) => Some(dag.binary(N::I32And, a, b)),
                    // Of a reading that was never made nothing is said.
                    _ => None,
                };
            }
            let Some(condition) = condition else {
                continue;
            };
            for claim in claims {
                let claimed = self.claimed(&claim.bound, (id, args), dag, answer);
                let unless = dag.unary(N::I32Eqz, condition);
                match (claimed, dag.as_const(condition)) {
                    (_, Some(0)) => {}
                    (Claimed::Nothing, _) => {}
                    (Claimed::Within(set), Some(_)) => domain = domain.intersect(&set),
                    (Claimed::Within(set), None) => {
                        let holds = member(dag, answer, &set.to_codomain(dag.ty(answer)));
                        let either = dag.binary(N::I32Or, unless, holds);
                        constraints.push(Constraint::new(either, Set::nonzero()));
                    }
                    (Claimed::Holds(holds), _) => {
                        let either = dag.binary(N::I32Or, unless, holds);
                        constraints.push(Constraint::new(either, Set::nonzero()));
                    }
                }
            }
        }
        Allowed {
            domain,
            constraints,
        }
    }

    /// A clock does not show less than it did: 32-bit clocks count unsigned, and of one in the second half of its range
    /// nothing is said.
    fn clock(
        &self,
        board: &Board,
        (id, args): (PrimitiveId, &[Value]),
        dag: &mut Dag,
        answer: Expr,
        constraints: &mut Vec<Constraint>,
    ) {
        let own = board.primitive(id).is_some_and(|p| p.is_declared());
        for (other, with, earlier) in &self.readings {
            if *other != id || own && with != args {
                continue;
            }
            let earlier = *earlier;
            let holds = match dag.ty(answer) {
                ValType::I64 => dag.binary(N::I64GeS, answer, earlier),
                ValType::I32 if own => dag.binary(N::I32GeS, answer, earlier),
                ValType::I32 => {
                    let half = dag.constant(ValType::I32, i32::MAX as u64);
                    let later = dag.binary(N::I32GeU, answer, earlier);
                    let wraps = dag.binary(N::I32GtU, earlier, half);
                    dag.binary(N::I32Or, later, wraps)
                }
                ValType::F32 => dag.binary(N::F32Ge, answer, earlier),
                ValType::F64 => dag.binary(N::F64Ge, answer, earlier),
                _ => continue,
            };
            constraints.push(Constraint::new(holds, Set::nonzero()));
        }
    }

    /// Whether a quantity is one of some values, as an expression; nothing if it is a reading that was never made.
    fn quantity(
        &mut self,
        board: &Board,
        quantity: &Quantity,
        values: &Codomain,
        dag: &mut Dag,
    ) -> Option<Expr> {
        let known = |dag: &mut Dag, holds: bool| Some(dag.constant(ValType::I32, holds.into()));
        match quantity {
            Quantity::Reading(call) => {
                let mut readings = self.readings.iter().rev();
                let last = readings.find(|(id, args, _)| call.is(*id, args));
                if let Some((_, _, expr)) = last {
                    return Some(member(dag, *expr, values));
                }
            }
            Quantity::Level(pin) => {
                let level = self.levels.iter().find(|(at, _)| at == pin);
                if let Some((_, expr)) = level {
                    let zero = dag.constant(ValType::I32, 0);
                    let high = dag.binary(N::I32Ne, *expr, zero);
                    let wide = dag.unary(N::I64ExtendI32U, high);
                    return Some(member(dag, wide, values));
                }
            }
            _ => {}
        }
        // It is known: the rule itself can be asked.
        let rule = borges_board::Rule {
            text: String::new(),
            conditions: vec![borges_board::RuleCondition {
                quantity: quantity.clone(),
                values: values.clone(),
            }],
            claims: Vec::new(),
        };
        known(dag, rule.applies(board, &self.state))
    }

    /// What a claim says of an answer.
    fn claimed(
        &self,
        bound: &Bound,
        (id, args): (PrimitiveId, &[Value]),
        dag: &mut Dag,
        answer: Expr,
    ) -> Claimed {
        if let Bound::Within(values) = bound {
            return Claimed::Within(Set::of_codomain(values));
        }
        let mut readings = self.readings.iter().rev();
        let last = readings.find(|(other, with, _)| *other == id && with == args);
        let last = match last {
            Some((_, _, expr)) => *expr,
            None => match self.state.last_reading(id, args) {
                Some(value) => dag.constant(value.ty(), cell_of(value)),
                None => return Claimed::Nothing,
            },
        };
        match bound {
            Bound::ChangeAtMost(step) => changes_at_most(dag, answer, last, *step),
            Bound::NeverFalls => Claimed::Holds(at_least(dag, answer, last)),
            Bound::NeverRises => Claimed::Holds(at_least(dag, last, answer)),
            Bound::Within(_) => Claimed::Nothing,
        }
    }
}

/// What a claim comes to.
enum Claimed {
    Nothing,
    Within(Set),
    Holds(Expr),
}

/// Whether an output may change a quantity; what it is done to (its first argument) is as given, or anything.
fn may_set(action: &Action<'_>, where_known: bool, quantity: &Quantity) -> bool {
    let same = |done_to: u8, looked_at: u8| !where_known || done_to == looked_at;
    match (action, quantity) {
        (_, Quantity::Reading(_)) => false,
        (
            Action::Level { pin, .. } | Action::PinMode { pin, .. } | Action::Duty { pin, .. },
            Quantity::Level(at) | Quantity::Duty(at) | Quantity::Mode(at),
        ) => same(*pin, *at),
        // A channel drives whatever pins are attached to it.
        (
            Action::ChannelSetup { .. } | Action::ChannelAttach { .. } | Action::ChannelDuty { .. },
            Quantity::Level(_) | Quantity::Duty(_) | Quantity::Mode(_),
        ) => true,
        (
            Action::MotorSpeed { motor, .. }
            | Action::MotorFor { motor, .. }
            | Action::MotorTurn { motor, .. },
            Quantity::Angle(at) | Quantity::Speed(at),
        ) => same(*motor, *at),
        // Motors turn while time passes.
        (Action::Wait { .. }, Quantity::Angle(_)) => true,
        (Action::Tone(_), Quantity::Tone) => true,
        (Action::Declared { primitive, .. }, Quantity::Register(id, ..)) => primitive == id,
        // It decides what a sensor reads, which rules may be about.
        (Action::SensorMode { .. }, _) => true,
        _ => false,
    }
}

/// `a >= b`, as codomains order values.
fn at_least(dag: &mut Dag, a: Expr, b: Expr) -> Expr {
    let op = match dag.ty(a) {
        ValType::I64 => N::I64GeS,
        ValType::F32 => N::F32Ge,
        ValType::F64 => N::F64Ge,
        _ => N::I32GeS,
    };
    dag.binary(op, a, b)
}

fn changes_at_most(dag: &mut Dag, answer: Expr, last: Expr, step: Value) -> Claimed {
    let step_cell = cell_of(step);
    match (dag.ty(answer), step) {
        (ValType::I32, Value::I32(step)) => {
            // In 64 bits nothing overflows.
            let (a, b) = (
                dag.unary(N::I64ExtendI32S, answer),
                dag.unary(N::I64ExtendI32S, last),
            );
            let change = dag.binary(N::I64Sub, a, b);
            let range = Codomain::range(Value::I64(-i64::from(step)), Value::I64(step.into()));
            Claimed::Holds(member(dag, change, &range))
        }
        (ty @ (ValType::I64 | ValType::F32 | ValType::F64), _) => {
            let (add, sub) = match ty {
                ValType::I64 => (N::I64Add, N::I64Sub),
                ValType::F32 => (N::F32Add, N::F32Sub),
                _ => (N::F64Add, N::F64Sub),
            };
            let step = dag.constant(ty, step_cell);
            let (low, high) = (dag.binary(sub, last, step), dag.binary(add, last, step));
            let (over, under) = (at_least(dag, answer, low), at_least(dag, high, answer));
            Claimed::Holds(dag.binary(N::I32And, over, under))
        }
        _ => Claimed::Nothing,
    }
}

/// Whether an expression is one of some values.
fn member(dag: &mut Dag, expr: Expr, values: &Codomain) -> Expr {
    let mut any = dag.constant(ValType::I32, 0);
    for (low, high) in values.intervals() {
        let low = dag.constant(low.ty(), cell_of(low));
        let high = dag.constant(high.ty(), cell_of(high));
        let (over, under) = (at_least(dag, expr, low), at_least(dag, high, expr));
        let inside = dag.binary(N::I32And, over, under);
        any = dag.binary(N::I32Or, any, inside);
    }
    any
}

/// So many values of an argument are tried. Boards refuse numbers of things that they have not (at most 256 of each) and
/// the number 0; that a text is somewhere else, [`text_refusals`] knows.
const MOST_NUMBERED: u64 = 1 << 12;

/// When an output that shows a text is refused: where the text ends, and the ends that lie outside the memory. Nothing if
/// neither its address nor its length depends on inputs.
pub(crate) fn text_refusals(
    board: &Board,
    (id, args): (PrimitiveId, &[Value]),
    memory: &[u8],
    exprs: &[Option<Expr>],
    dag: &mut Dag,
) -> Option<(Expr, Set)> {
    let first = match board.action(id, args, memory) {
        Ok(Action::Text(_)) => 0,
        Ok(Action::DisplayText { .. }) => 2,
        // The only text among several arguments is that of a display.
        Err(Refusal::TextOutsideMemory { .. }) if args.len() > 2 => 2,
        Err(Refusal::TextOutsideMemory { .. }) => 0,
        _ => return None,
    };
    let parts = exprs.get(first..first + 2)?;
    if parts.iter().all(Option::is_none) {
        return None;
    }
    let mut end = dag.constant(ValType::I64, 0);
    for (part, value) in parts.iter().zip(&args[first..]) {
        let part = part.unwrap_or_else(|| dag.constant(value.ty(), cell_of(*value)));
        let wide = dag.unary(N::I64ExtendI32U, part);
        end = dag.binary(N::I64Add, end, wide);
    }
    Some((end, Set::range(memory.len() as u64 + 1, u64::MAX)))
}

/// Whether an output is refused, by argument: for each one that depends on inputs, the values with which it is refused
/// when the others are as given. `None` if it is refused (or performed) whatever the arguments.
pub(crate) fn refusals(
    board: &Board,
    (id, args): (PrimitiveId, &[Value]),
    memory: &[u8],
    exprs: &[Option<Expr>],
    bounds: impl Fn(Expr) -> (u64, u64),
) -> Option<(Expr, Set)> {
    let kind = board.primitive(id).map(|primitive| primitive.kind);
    let refused = |args: &[Value]| match kind {
        Some(PrimitiveKind::Input) => board.check_input(id, args, memory.len()).is_err(),
        _ => board.action(id, args, memory).is_err(),
    };
    for (at, expr) in exprs.iter().enumerate() {
        let (Some(expr), Some(Value::I32(_))) = (expr, args.get(at)) else {
            continue;
        };
        let with = |cell: u64| {
            let mut changed = args.to_vec();
            changed[at] = Value::I32(cell as u32 as i32);
            refused(&changed)
        };
        let (low, high) = bounds(*expr);
        let few = high - low < MOST_NUMBERED;
        let high = if few { high } else { MOST_NUMBERED };
        let low = if few { low } else { 0 };
        let mut set = Vec::new();
        for cell in low..=high {
            if with(cell) {
                set.push((cell, cell));
            }
        }
        if !few && with(MOST_NUMBERED) {
            set.push((MOST_NUMBERED, u64::from(u32::MAX)));
        }
        let set = Set::of(set);
        if !set.is_empty() {
            return Some((*expr, set));
        }
    }
    None
}
