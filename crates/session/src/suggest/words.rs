//! What the source calls a word of a program's state.

use borges_concolic::{DeviceState, StateWord};
use borges_debuginfo::{DebugInfo, Expression, FramePoint, Holder, NoScope, Object, Variable};
use borges_vm::Machine;

use super::Subject;
use crate::scene::{Machines, stands_at};

/// As the source calls it, or where it is; `states` are some in which it may be there.
pub(super) fn named<'s>(
    subject: &Subject,
    states: impl Iterator<Item = &'s DeviceState>,
    word: StateWord,
) -> String {
    let mut machine = subject.start.machine.clone();
    for state in states.take(MOST_ASKED) {
        // Snapshots of a program fit its machine.
        let stands = state.snapshot().map(|snapshot| machine.restore(snapshot));
        if stands.is_some_and(|restored| restored.is_ok())
            && let Some(name) = name(subject, &machine, word)
        {
            return name;
        }
    }
    match word {
        StateWord::Clock(id) => {
            let board = &subject.start.board;
            let clock = board.primitive(id).map_or("a clock", |found| &*found.name);
            format!("the time that {clock} shows")
        }
        StateWord::Global(at) => format!("global {at}"),
        StateWord::Memory(at) => format!("the word at {at:#x}"),
        StateWord::Local { func, local, .. } => {
            format!("${local} of {}", subject.info.function(func).name)
        }
    }
}

/// The words that something of the program's is at its start, to be taken for anything.
///
/// # Errors
/// Why it means no such words.
pub(super) fn meant(subject: &Subject, text: &str) -> Result<Vec<StateWord>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("'{text}': {error}");
    let expression = Expression::parse(text).map_err(|error| wrong(&error))?;
    let machine = &subject.start.machine;
    let Some(point) = subject.scene(machine).stops().next() else {
        return Err(wrong(&"there is no program"));
    };
    let value = subject
        .info
        .evaluate(&expression, point, &Machines(machine), &NoScope);
    let place = value.map_err(|error| wrong(&error))?.place();
    let words = place
        .iter()
        .flat_map(|place| &place.pieces)
        .map(|piece| match piece.source {
            Holder::Memory {
                memory: 0,
                address,
                length,
            } => {
                let (first, last) = (address / 4, (address + length.max(1) - 1) / 4);
                Some(
                    (first..=last)
                        .map(|word| StateWord::Memory(4 * word))
                        .collect(),
                )
            }
            Holder::Global(at) => Some(vec![StateWord::Global(at)]),
            _ => None,
        });
    let words: Option<Vec<Vec<StateWord>>> = words.collect();
    let words = words
        .map(|words| words.concat())
        .filter(|words| !words.is_empty());
    words.ok_or_else(|| {
        wrong(
            &"only what lies in memory or in a global can be taken for anything, from the start on",
        )
    })
}

/// States in which a name is looked for.
const MOST_ASKED: usize = 20;
/// Parts of a value that are looked at, on each of so many levels.
const MOST_PARTS: u64 = 64;
const MOST_LEVELS: usize = 4;

/// The variable that the word belongs to in a state: a global, or a local of a function on the stack.
fn name(subject: &Subject, machine: &Machine, word: StateWord) -> Option<String> {
    let info = &subject.info;
    let point = |frame: usize| FramePoint {
        frame: frame as u32,
        offset: stands_at(machine, frame),
        inlined: 0,
    };
    let looking = Looking {
        info,
        machine,
        word,
    };
    let global = looking.among(info.globals().iter(), point(0), None);
    global.or_else(|| {
        (0..machine.depth()).find_map(|frame| {
            let variables = info.variables_at(point(frame));
            let name = looking.among(variables.iter(), point(frame), Some(frame))?;
            let standing = machine.standing().nth(frame)?;
            Some(format!("{name} of {}", info.function(standing.func).name))
        })
    })
}

/// A word that is looked for.
struct Looking<'l> {
    info: &'l DebugInfo,
    machine: &'l Machine,
    word: StateWord,
}

impl Looking<'_> {
    fn among<'v>(
        &self,
        mut variables: impl Iterator<Item = &'v Variable>,
        point: FramePoint,
        frame: Option<usize>,
    ) -> Option<String> {
        variables.find_map(|variable| {
            let object = self
                .info
                .locate(variable, point, &Machines(self.machine))
                .ok()?;
            self.holds(&object, frame)
                .then(|| self.part(&variable.name, object, frame))
        })
    }

    /// Whether the word is (a part of) the object.
    fn holds(&self, object: &Object, frame: Option<usize>) -> bool {
        object
            .place
            .pieces
            .iter()
            .any(|piece| match (&piece.source, self.word) {
                (Holder::Global(index), StateWord::Global(at)) => *index == at,
                (
                    Holder::Local { index, .. },
                    StateWord::Local {
                        frame: from,
                        func,
                        local,
                    },
                ) => {
                    let here = frame.and_then(|frame| self.machine.standing().nth(frame));
                    let depth = frame.map(|frame| self.machine.depth() - frame - 1);
                    *index == local
                        && depth == Some(from as usize)
                        && here.is_some_and(|standing| standing.func == func)
                }
                (
                    Holder::Memory {
                        memory: 0,
                        address,
                        length,
                    },
                    StateWord::Memory(at),
                ) => *address < at.saturating_add(4) && at < address.saturating_add(*length),
                _ => false,
            })
    }

    /// The part of a value that the word is, by its path.
    fn part(&self, name: &str, object: Object, frame: Option<usize>) -> String {
        let (mut name, mut object) = (name.to_owned(), object);
        for _ in 0..MOST_LEVELS {
            let parts = self
                .info
                .children(&object, &Machines(self.machine), 0, MOST_PARTS);
            let Some(part) = parts
                .into_iter()
                .find(|part| self.holds(&part.object, frame))
            else {
                break;
            };
            let dot = if part.name.starts_with('[') { "" } else { "." };
            name = format!("{name}{dot}{}", part.name);
            object = part.object;
        }
        name
    }
}
