//! What the source calls a word of a program's state.

use borges_concolic::{DeviceState, StateWord};
use borges_debuginfo::{FramePoint, Holder, Variable};
use borges_vm::{CodeOffset, Machine};

use super::Subject;
use crate::scene::Machines;

/// As the source calls it, or where it is; `states` are some in which it is there.
pub(super) fn named<'s>(
    subject: &Subject,
    states: impl Iterator<Item = &'s DeviceState>,
    word: StateWord,
) -> String {
    let info = &subject.info;
    let mut machine = subject.start.machine.clone();
    match word {
        StateWord::Global(_) | StateWord::Memory(_) => {
            let stop = stop(&machine, 0);
            let globals = info.globals().iter();
            let found = name(subject, &machine, stop, globals, word);
            found.unwrap_or_else(|| match word {
                StateWord::Global(at) => format!("global {at}"),
                StateWord::Memory(at) => format!("the word at {at:#x}"),
                StateWord::Local { .. } => String::new(),
            })
        }
        StateWord::Local { frame, func, local } => {
            let function = info.function(func).name;
            for state in states {
                let Some(snapshot) = state.snapshot() else {
                    continue;
                };
                // Snapshots of a program fit its machine.
                let restored = machine.restore(snapshot).is_ok();
                let depth = machine.depth().checked_sub(frame as usize + 1);
                let Some(number) = depth.filter(|_| restored) else {
                    continue;
                };
                if machine.frame(number).is_none_or(|view| view.func != func) {
                    continue;
                }
                let stop = stop(&machine, number);
                let variables = info.variables_at(stop);
                if let Some(name) = name(subject, &machine, stop, variables.iter(), word) {
                    return format!("{name} of {function}");
                }
                break;
            }
            format!("${local} of {function}")
        }
    }
}

fn stop(machine: &Machine, frame: usize) -> FramePoint {
    FramePoint {
        frame: frame as u32,
        offset: machine
            .frame(frame)
            .map_or(CodeOffset(0), |view| view.offset),
        inlined: 0,
    }
}

/// The variable that lies there.
fn name<'v>(
    subject: &Subject,
    machine: &Machine,
    stop: FramePoint,
    mut variables: impl Iterator<Item = &'v Variable>,
    word: StateWord,
) -> Option<String> {
    let is_there = |source: &Holder, length: u32| match (source, word) {
        (Holder::Global(index), StateWord::Global(at)) => *index == at,
        (Holder::Local { index, .. }, StateWord::Local { local, .. }) => *index == local,
        (Holder::Memory { address, .. }, StateWord::Memory(at)) => {
            *address < at.saturating_add(4) && at < address.saturating_add(length)
        }
        _ => false,
    };
    let found = variables.find(|variable| {
        let object = subject.info.locate(variable, stop, &Machines(machine));
        object.is_ok_and(|object| {
            let mut pieces = object.place.pieces.iter();
            pieces.any(|piece| is_there(&piece.source, piece.length))
        })
    });
    found.map(|variable| variable.name.clone())
}
