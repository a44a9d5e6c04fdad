//! Plain runs from input to input.

use borges_board::{Action, BoardState, Captured, Codomain, PrimitiveKind};
use borges_concolic::Start;
use borges_vm::{CodeOffset, Exit, Machine, Trap, Value};

/// A plain run that stands before an input, or before time passes for the second time at one place.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) machine: Machine,
    pub(crate) board: BoardState,
}

/// What comes of a plain run.
#[allow(dead_code, reason = "not every test looks at all of it")]
pub(crate) enum Comes {
    Stands(Box<Standing>),
    /// It trapped, or returned; and how it stands then.
    Ends(Option<(Trap, Option<CodeOffset>)>, Box<Standing>),
}

/// Lets the pending call happen, an input with this answer, and runs to the next stop.
pub(crate) fn go_on(
    start: &Start,
    mut standing: Standing,
    mut answer: Option<Value>,
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
            PrimitiveKind::Trap | PrimitiveKind::System => return refused(standing),
            PrimitiveKind::Constant(value) => Some(value),
            PrimitiveKind::Input if board.check_input(id, &args, usize::MAX).is_err() => {
                return refused(standing);
            }
            PrimitiveKind::Input => match answer.take() {
                Some(value) => {
                    standing.board.observe(board, id, &args, value);
                    Some(value)
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

/// The values that an input may have in a state; none if it is no input that is asked for.
pub(crate) fn codomain(start: &Start, standing: &Standing) -> Option<Codomain> {
    let pending = standing.machine.pending()?;
    let id = start.primitives[pending.func.0 as usize];
    let is_input = matches!(start.board.primitive(id)?.kind, PrimitiveKind::Input);
    is_input.then(|| start.board.codomain_at(id, &pending.args, &standing.board))
}
