//! Words that are taken for *anything*: counters that keep a graph from closing.
//!
//! A program may count for ever what nobody asks about, and every count makes a new state. Such a word is found where many
//! states at one place differ in it alone, and from then on it may have any value in every state: a full-range variable.
//! Where nothing that the program does depends on it, that is no abstraction but a proof that it has no influence; where
//! something does, the graph may have more runs than the program, and says so.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use borges_vm::{FuncIdx, Machine, ValType};

use super::live::Live;
use super::state::{Before, Place, Stands, State};
use crate::dag::Expr;
use crate::explore::{State as Path, Workbench};
use crate::memory::Byte;
use crate::path::Read;
use crate::set::Set;

/// Something that is compared: one word of a program's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Word {
    /// A global.
    Global(u32),
    /// Four bytes of the memory, from an address that is a multiple of four on.
    Memory(u32),
    /// A local of a function on the stack.
    Local {
        /// Its frame, counted from the outermost.
        frame: u32,
        /// The function.
        func: FuncIdx,
        /// The local, parameters first.
        local: u32,
    },
}

/// So many words at most are taken for anything: they are marked in the bits of a number.
pub(super) const MOST_WORDS: usize = 64;
/// So many values of a word, all else being equal, are not a coincidence.
const MANY_VALUES: usize = 12;
/// So many states at one place are looked at.
const MOST_COMPARED: usize = 4000;

/// Puts a variable of its own into each of these words that is there; which reads of the path they are.
pub(super) fn free(
    bench: &mut Workbench,
    path: &mut Path,
    live: &Live,
    words: &[Word],
) -> Vec<(usize, u64)> {
    let mut fresh = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let place = path.reads.len();
        let ty = match *word {
            Word::Global(at) => {
                let ty = live.global_type(at);
                let expr = bench.dag.input(place as u32, ty);
                path.shadow.set_global(at, expr);
                ty
            }
            Word::Memory(at) => {
                let value = bench.dag.input(place as u32, ValType::I32);
                for number in 0..4 {
                    let byte = Byte { value, number };
                    let at = u64::from(at) + u64::from(number);
                    path.shadow.memory.set(at, Some(byte));
                }
                ValType::I32
            }
            Word::Local { frame, func, local } => {
                let Some((cell, ty)) = cell_of(&bench.machine, frame, func, local) else {
                    continue;
                };
                let expr = bench.dag.input(place as u32, ty);
                path.shadow.set_cell(cell, expr);
                ty
            }
        };
        path.reads.push(Read {
            primitive: borges_board::PrimitiveId(0),
            args: Vec::new(),
            ty,
            domain: Set::all(ty),
            step: 0,
        });
        path.model.push(0);
        fresh.push((place, 1 << number));
    }
    fresh
}

/// Where a local lies in the stack.
fn cell_of(machine: &Machine, frame: u32, func: FuncIdx, local: u32) -> Option<(usize, ValType)> {
    let mut start = machine.cells().len();
    let depth = machine.depth();
    for (at, found) in machine.frames().enumerate() {
        start = start.checked_sub(found.locals.len() + found.operands.len())?;
        if depth - at - 1 == frame as usize {
            let value = found.locals.get(local as usize)?;
            return (found.func == func).then(|| (start + local as usize, value.ty()));
        }
    }
    None
}

/// The word that many of these states, all at one place, differ in alone, if there is one that `words` have not yet. What
/// counts to a bound comes to it in time: `before` has how many values each word had when it was looked at last, and one
/// that has not many more now is none.
pub(super) fn counter(
    bench: &mut Workbench,
    states: &[State],
    words: &[Word],
    before: &mut HashMap<Word, usize>,
) -> Option<Word> {
    let mut by_place: BTreeMap<u64, Vec<&Before>> = BTreeMap::new();
    for state in states {
        if let Stands::Before(before) = &state.0.stands {
            by_place.entry(before.place).or_default().push(before);
        }
    }
    let mut now: HashMap<Word, usize> = HashMap::new();
    for group in by_place.values() {
        let first = group.len().saturating_sub(MOST_COMPARED);
        for (word, values) in differing(bench, &group[first..]) {
            let most = now.entry(word).or_insert(0);
            *most = values.max(*most);
        }
    }
    let grows = |(word, values): &(&Word, &usize)| {
        let has_grown = before
            .get(*word)
            .is_some_and(|known| 2 * **values >= 3 * known);
        **values >= MANY_VALUES && has_grown && !words.contains(word)
    };
    let best = now
        .iter()
        .filter(grows)
        .max_by_key(|(word, values)| (**values, **word));
    let best = best.map(|(word, _)| *word);
    *before = now;
    best
}

/// What a state has in a word: a value, or an expression.
type Content = (u64, Option<Expr>);

/// Words in which some of the states differ alone, and how many values they have there.
fn differing(bench: &mut Workbench, group: &[&Before]) -> Vec<(Word, usize)> {
    let all: Vec<BTreeMap<Word, Content>> = group
        .iter()
        .map(|before| words_of(bench, before, group[0]))
        .collect();
    let names: BTreeSet<Word> = all.iter().flat_map(|words| words.keys().copied()).collect();
    let varying: Vec<Word> = names
        .into_iter()
        .filter(|word| all.iter().any(|words| words.get(word) != all[0].get(word)))
        .collect();
    let mut found = Vec::new();
    for word in &varying {
        let mut groups: HashMap<u64, BTreeSet<Content>> = HashMap::new();
        for (words, before) in all.iter().zip(group) {
            let mut hasher = DefaultHasher::new();
            before.board.hash64().hash(&mut hasher);
            for other in varying.iter().filter(|other| *other != word) {
                words.get(other).hash(&mut hasher);
            }
            let content = words.get(word).copied().unwrap_or((0, None));
            groups.entry(hasher.finish()).or_default().insert(content);
        }
        let most = groups.values().map(BTreeSet::len).max().unwrap_or(0);
        found.push((*word, most));
    }
    found
}

/// The words of a state; of the memory, those in which it differs from another: what it does not differ in is missing, as
/// it is of the other.
fn words_of(bench: &mut Workbench, before: &Before, other: &Before) -> BTreeMap<Word, Content> {
    let mut words = BTreeMap::new();
    // A snapshot of this machine fits it.
    let restored = bench.machine.restore(&before.snapshot);
    debug_assert_eq!(restored, Ok(()));
    let machine = &bench.machine;
    let (depth, mut start) = (machine.depth(), machine.cells().len());
    let mut locals = HashMap::new();
    for (at, frame) in machine.frames().enumerate() {
        start = start.saturating_sub(frame.locals.len() + frame.operands.len());
        for (local, _) in frame.locals.iter().enumerate() {
            let word = Word::Local {
                frame: (depth - at - 1) as u32,
                func: frame.func,
                local: local as u32,
            };
            locals.insert(start + local, word);
            words.insert(word, (machine.cells()[start + local], None));
        }
    }
    for (at, value) in (0..).zip(machine.globals()) {
        words.insert(Word::Global(at), (crate::set::cell_of(value), None));
    }
    for (at, [ours, _]) in before.snapshot.differing_words(&other.snapshot) {
        words.insert(Word::Memory(at), (u64::from(ours), None));
    }
    for (place, expr) in &before.places {
        let word = match place {
            Place::Cell(at) => locals.get(&(*at as usize)).copied(),
            Place::Global(at) => Some(Word::Global(*at)),
            Place::Byte(at, _) => Some(Word::Memory(at & !3)),
            Place::Reading(..) | Place::Level(_) => None,
        };
        if let Some(word) = word {
            words.insert(word, (0, Some(*expr)));
        }
    }
    words
}
