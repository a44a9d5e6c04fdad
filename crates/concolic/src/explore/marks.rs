//! What calls of primitives touch: of the outside, of the memory, and of what may arrive.

use std::hash::{Hash, Hasher};

use borges_board::{Action, Board, Codomain, EventSource, PrimitiveKind};
use borges_vm::Write;
use borges_vm::binary::Instr;

use super::calls::Calling;
use super::{Explorer, Start, State};
use crate::set::cell_of;
use crate::shadow::KNOWN;
use crate::touch::{Marks, Touch};

impl Start {
    /// Whether the order of what calls do outside tells nothing: no rule, no limit and no clock is about it.
    fn is_plain(&self) -> bool {
        let board: &Board = &self.board;
        let mut primitives = self.primitives.iter();
        board.rules.is_empty()
            && board.invariants.is_empty()
            && !primitives.any(|id| {
                matches!(board.codomain(*id, &[]), Codomain::NotBeforeLast(_))
                    || board.clock_unit_us(*id).is_some()
            })
    }
}

impl Explorer<'_, '_> {
    /// Marks what a call touches, but for what it writes to the memory: that is known when it is answered.
    pub(super) fn mark_call(&self, state: &mut State, calling: &Calling) {
        let Some(marks) = state.marks.as_deref_mut() else {
            return;
        };
        let board = &self.start.board;
        let (id, args) = (calling.id, &*calling.args);
        let through_table = matches!(
            self.machine.next_instr(),
            Some(Instr::CallIndirect { .. } | Instr::ReturnCallIndirect { .. })
        );
        if through_table {
            marks.read(Touch::Tables);
        }
        let Some(primitive) = board.primitive(id) else {
            marks.write(Touch::Anything);
            return;
        };
        let mut cells = calling.cells();
        let first = cells.next().map(|at| state.shadow.cell(at));
        let are_known = first.is_none_or(|first| first == KNOWN)
            && cells.all(|at| state.shadow.cell(at) == KNOWN);
        let is_plain = self.start.is_plain();
        match primitive.kind {
            PrimitiveKind::Constant(_) | PrimitiveKind::Trap => {}
            PrimitiveKind::System => {
                marks.read(Touch::Memory);
                marks.write(Touch::Outside);
            }
            PrimitiveKind::Input => {
                // Where it may write depends on how large the memory is.
                marks.read(Touch::Size);
                marks.write(match is_plain && are_known {
                    true => {
                        Touch::Input(name_of(id.0.into(), args.iter().map(|arg| cell_of(*arg))))
                    }
                    false => Touch::Outside,
                });
            }
            PrimitiveKind::Output => {
                match board.text_span(id, args) {
                    Some(span) if are_known => marks.access(false, Some(span)),
                    _ if primitive.touches_memory() => marks.read(Touch::Memory),
                    _ => {}
                }
                let action = board.action(id, args, self.machine.memory()).ok();
                let is_pin_known = first == Some(KNOWN);
                mark_action(marks, action, is_plain, is_pin_known);
            }
        }
    }
}

/// Marks what an output does; nothing is known of one that is refused.
fn mark_action(marks: &mut Marks, action: Option<Action<'_>>, is_plain: bool, is_pin_known: bool) {
    let subscription = match action {
        Some(Action::Subscribe { pin, .. } | Action::Unsubscribe { pin }) => EventSource::Pin(pin),
        Some(Action::SubscribeTimer { .. }) => EventSource::Timer,
        Some(Action::Nothing) => return,
        Some(Action::Wait { .. }) if is_plain => return,
        Some(
            Action::Level { pin, .. } | Action::Duty { pin, .. } | Action::PinMode { pin, .. },
        ) if is_plain && is_pin_known => return marks.write(Touch::Pin(pin)),
        _ => return marks.write(Touch::Outside),
    };
    // Whether it is refused depends on what the table holds.
    marks.read(Touch::Tables);
    marks.write(Touch::Subscription(subscription));
    if !is_plain {
        marks.write(Touch::Outside);
    }
}

/// Marks what a call writes to the memory.
pub(super) fn mark_write(state: &mut State, write: &Write) {
    let first = u64::from(write.address);
    if let Some(marks) = state.marks.as_deref_mut()
        && let Some(last) = (write.bytes.len() as u64).checked_sub(1)
    {
        marks.access(true, Some((first, first + last)));
    }
}

/// A name of an input with its arguments: two with one name are held for one.
fn name_of(id: u64, args: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    id.hash(&mut hasher);
    args.for_each(|arg| arg.hash(&mut hasher));
    hasher.finish()
}
