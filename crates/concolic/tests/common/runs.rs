//! Plain runs from input to input.

use borges_board::{
    Action, BoardState, Captured, Codomain, PrimitiveId, PrimitiveKind, SystemCall, Yield,
};
use borges_concolic::Start;
use borges_vm::{CodeOffset, Exit, Machine, Trap, Value};

/// A plain run that stands before an input, or before time passes for the second time at one place.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) machine: Machine,
    pub(crate) board: BoardState,
}

/// What comes of a plain run.
pub(crate) enum Comes {
    Stands(Box<Standing>),
    /// It trapped, or returned; and how it stands then.
    Ends(Option<(Trap, Option<CodeOffset>)>, Box<Standing>),
}

/// Lets the pending call happen, an input with this answer, and runs to the next stop.
pub(crate) fn go_on(
    start: &Start,
    mut standing: Standing,
    mut answer: Option<Yield>,
    mut at_call: bool,
) -> Comes {
    let board = &start.board;
    let mut waited: Vec<CodeOffset> = Vec::new();
    loop {
        if !at_call {
            match standing.machine.run(u64::MAX) {
                Exit::HostCall => {}
                Exit::Finished => return Comes::Ends(None, Box::new(standing)),
                Exit::Trapped(trap) => {
                    let at = standing.machine.location().map(|location| location.offset);
                    return Comes::Ends(Some((trap, at)), Box::new(standing));
                }
                other => panic!("{other:?}"),
            }
        }
        let machine = &mut standing.machine;
        let at = machine.location().expect("a place").offset;
        let pending = machine.pending().expect("a call");
        let id = start.primitives[pending.func.0 as usize];
        let args = pending.args.clone();
        let waits = matches!(
            board.action(id, &args, machine.memory()),
            Ok(Action::Wait { .. })
        );
        let refused = |standing| Comes::Ends(Some((Trap::Host, Some(at))), Box::new(standing));
        let result = match board.primitive(id).expect("known").kind {
            PrimitiveKind::Trap => return refused(standing),
            PrimitiveKind::System => {
                if asks_input(start, &standing, id, &args).is_some() {
                    let has_waited = standing.board.input_is_over() && !waited.contains(&at);
                    if answer.is_none() && !has_waited {
                        return Comes::Stands(Box::new(standing));
                    }
                    waited.push(at);
                }
                if !system(start, &mut standing, (id, &args), answer.take()) {
                    return Comes::Ends(None, Box::new(standing));
                }
                at_call = false;
                continue;
            }
            PrimitiveKind::Constant(value) => Some(value),
            PrimitiveKind::Input if board.check_input(id, &args, usize::MAX).is_err() => {
                return refused(standing);
            }
            PrimitiveKind::Input => match answer.take() {
                Some(yielded) => {
                    standing.board.observe(board, id, &args, yielded.value);
                    let writes = board.writes(id, &args, &yielded);
                    let answered = standing.machine.answer_with(&[yielded.value], &writes);
                    answered.expect("an answer of the right type");
                    at_call = false;
                    continue;
                }
                None => return Comes::Stands(Box::new(standing)),
            },
            PrimitiveKind::Output => {
                if waits && waited.contains(&at) {
                    return Comes::Stands(Box::new(standing));
                }
                if waits {
                    waited.push(at);
                }
                match standing
                    .board
                    .apply(board, id, &args, machine.memory(), &Captured::default())
                {
                    Ok(result) => result,
                    Err(_) => return refused(standing),
                }
            }
        };
        standing
            .machine
            .answer(result.as_slice())
            .expect("an answer of the right type");
        at_call = false;
    }
}

/// How many bytes of standard input are asked for at the most, if some are.
fn asks_input(start: &Start, standing: &Standing, id: PrimitiveId, args: &[Value]) -> Option<u32> {
    let memory = standing.machine.memory();
    let wanted = standing.board.input_wanted(&start.board, id, args, memory);
    wanted.map(|(_, most)| most)
}

/// Lets a call of an operating system happen, with standard input if it wants some; false if it ends the program.
fn system(
    start: &Start,
    standing: &mut Standing,
    (id, args): (PrimitiveId, &[Value]),
    answer: Option<Yield>,
) -> bool {
    let is_over = standing.board.input_is_over();
    let came = answer.unwrap_or_else(|| Value::I32(0).into());
    let chosen = asks_input(start, standing, id, args).map(|_| &came);
    let memory = standing.machine.memory();
    let called = standing
        .board
        .call_system(&start.board, id, args, memory, chosen);
    if chosen.is_some() {
        let is_over = is_over || came.bytes.is_empty();
        standing.board = standing.board.clone().with_system_influence(Some(is_over));
    }
    match called.expect("a call of the system") {
        SystemCall::Answers { result, writes } => {
            let answered = standing.machine.answer_with(result.as_slice(), &writes);
            answered.expect("the right type");
            true
        }
        SystemCall::Exits(code) => {
            standing.machine.exit(code);
            false
        }
        other => panic!("{other:?}"),
    }
}

/// The values that an input may have in a state; none if it is no input that is asked for.
pub(crate) fn codomain(start: &Start, standing: &Standing) -> Option<Codomain> {
    let pending = standing.machine.pending()?;
    let id = start.primitives[pending.func.0 as usize];
    let is_input = matches!(start.board.primitive(id)?.kind, PrimitiveKind::Input);
    if asks_input(start, standing, id, &pending.args).is_some() {
        let lengths = Codomain::range(Value::I32(0), Value::I32(1));
        return (!standing.board.input_is_over()).then_some(lengths);
    }
    is_input.then(|| start.board.codomain_at(id, &pending.args, &standing.board))
}

/// All that an input may yield with this value: what it puts into memory differs.
pub(crate) fn yields(start: &Start, standing: &Standing, value: Value) -> Vec<Yield> {
    let pending = standing.machine.pending().expect("a call");
    let (id, args) = (start.primitives[pending.func.0 as usize], &pending.args);
    let (count, allowed) = match (asks_input(start, standing, id, args), value) {
        (Some(_), Value::I32(count)) => {
            let any = Codomain::range(Value::I32(0), Value::I32(255));
            (count as usize, any)
        }
        _ => start.board.bytes_with(id, args, value),
    };
    let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 0..count {
        let bytes = 0..allowed.count().expect("few values");
        let bytes: Vec<u8> = bytes
            .filter_map(|nth| match allowed.nth(nth)? {
                Value::I32(byte) => Some(byte as u8),
                _ => None,
            })
            .collect();
        let longer = texts.iter().flat_map(|text| {
            let with = |byte: &u8| [&**text, &[*byte]].concat();
            bytes.iter().map(with).collect::<Vec<_>>()
        });
        texts = longer.collect();
    }
    let texts = texts.into_iter();
    texts
        .map(|text| Yield {
            value,
            bytes: text.into(),
        })
        .collect()
}
