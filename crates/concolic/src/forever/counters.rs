//! Finding the words that keep a graph from closing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use borges_vm::FrameView;
use hashbrown::{HashMap, HashSet};

use super::anything::{StateWord, locals};
use super::place::Place;
use super::state::{Before, DeviceState, Stands};
use crate::dag::{Dag, Expr, Node};
use crate::explore::Workbench;
use crate::standing::go_back;
use crate::sum::Sum;

/// So many values of a word, all else being equal, are not a coincidence.
const MANY_VALUES: usize = 12;
/// So many states at one place are looked at.
const MOST_COMPARED: usize = 1000;

/// The word that many of these states, all at one place, differ in alone, if there is one that `words` have not yet. What
/// counts to a bound comes to it in time: `before` has how many values each word had when it was looked at last, and one
/// that has not many more now is none.
pub(super) fn counter(
    bench: &mut Workbench,
    states: &[DeviceState],
    words: &[StateWord],
    before: &mut HashMap<StateWord, usize>,
) -> Option<StateWord> {
    let mut by_place: BTreeMap<u64, Vec<&Before>> = BTreeMap::new();
    for state in states {
        if let Stands::Before(before) = &state.0.stands {
            by_place.entry(before.place()).or_default().push(before);
        }
    }
    let mut now: HashMap<StateWord, usize> = HashMap::new();
    for group in by_place.values() {
        let first = group.len().saturating_sub(MOST_COMPARED);
        for (word, values) in differing(bench, &group[first..]) {
            let most = now.entry(word).or_insert(0);
            *most = values.max(*most);
        }
    }
    let grows = |(word, values): &(&StateWord, &usize)| {
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

/// How many values a word has, as those of a counter. Four bytes of the memory that have few values each, whatever they are
/// together, are no counter but a part of a buffer, or several variables: they have as many as the one with the most.
fn counts(word: StateWord, contents: &BTreeSet<Content>) -> usize {
    let is_known = contents.iter().all(|(_, expr)| expr.is_none());
    if !matches!(word, StateWord::Memory(_)) || !is_known || contents.len() < MANY_VALUES {
        return contents.len();
    }
    let of_byte = |number: u32| {
        let bytes = contents.iter().map(|(cell, _)| cell >> (8 * number) & 0xff);
        bytes.collect::<BTreeSet<u64>>().len()
    };
    match (0..4).map(of_byte).max() {
        Some(most) if most < MANY_VALUES => most,
        _ => contents.len(),
    }
}

/// A word in which states differ, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The word.
    pub word: StateWord,
    /// What they have there.
    pub varies: Varies,
    /// How many different ones of that.
    pub count: usize,
}

/// What states have in a word in which they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Varies {
    /// One value each, and those that come later have others than those before.
    EverNew,
    /// What was computed from inputs in ways that are more than can be counted out: it is compared as it came about.
    Computed,
    /// One of several combinations with other words, or bounds of how far it is from them.
    Together,
    /// A set of values, whatever other words are.
    Sets,
    /// One value each, out of some.
    Values,
}

/// In which words states at the place with the most of them differ, and how: first those that have ever new values, then
/// those of which it is said what they are together, then those with the most values.
pub(super) fn differ_most(bench: &mut Workbench, states: &[DeviceState]) -> Vec<Differing> {
    let mut by_place: BTreeMap<u64, Vec<&Before>> = BTreeMap::new();
    for state in states {
        if let Stands::Before(before) = &state.0.stands {
            by_place.entry(before.place()).or_default().push(before);
        }
    }
    let Some(group) = by_place.values().max_by_key(|group| group.len()) else {
        return Vec::new();
    };
    // Some of all, as they came.
    let apart = group.len().div_ceil(MOST_COMPARED).max(1);
    let group: Vec<&Before> = group.iter().step_by(apart).copied().collect();
    let mut values: BTreeMap<StateWord, [HashSet<Content>; 2]> = BTreeMap::new();
    let mut kinds: BTreeMap<StateWord, Varies> = BTreeMap::new();
    for (number, before) in group.iter().enumerate() {
        let half = usize::from(number >= group.len() / 2);
        for (word, (cell, expr)) in words_of(bench, before, group[0]) {
            let (kind, told) = match expr {
                Some(expr) => before.varies(&bench.dag, expr),
                None => (Varies::Values, 0),
            };
            let most = kinds.entry(word).or_insert(kind);
            *most = kind.min(*most);
            values.entry(word).or_default()[half].insert((cell ^ told, expr));
        }
    }
    let rank = |(word, [first, second]): (&StateWord, &[HashSet<Content>; 2])| {
        let new = second.difference(first).count();
        let grows = new >= MANY_VALUES && new >= first.len() / 2;
        let is_related = second.iter().any(|(_, expr)| expr.is_some());
        let count = first.len() + new;
        let varies = match kinds.get(word) {
            Some(Varies::Values) if grows => Varies::EverNew,
            known => known.copied().unwrap_or(Varies::Values),
        };
        let word = *word;
        let differing = Differing {
            word,
            varies,
            count,
        };
        let rank = Reverse((grows, is_related, count));
        (count > 1 || is_related).then_some((rank, word, differing))
    };
    let mut differing: Vec<_> = values.iter().filter_map(rank).collect();
    differing.sort_unstable_by_key(|(rank, word, _)| (*rank, *word));
    differing
        .into_iter()
        .map(|(.., differing)| differing)
        .collect()
}

impl Before {
    /// What a word is that is this expression over the state's variables; and of a set of values, its name.
    fn varies(&self, dag: &Dag, expr: Expr) -> (Varies, u64) {
        // Times are how long ago they were.
        let ago = dag.since_base(expr).map(|(_, ago)| ago);
        let expr = match ago.as_ref().map(Sum::terms) {
            Some([]) => return (Varies::Values, 0),
            Some([(ago, 1)]) => *ago,
            _ => expr,
        };
        let is_related = |at: u32| {
            let mut all = self.constraints.iter();
            all.any(|known| dag.inputs(known.expr).contains(&at))
        };
        match dag.node(expr) {
            Node::Input(at) => {
                let mut hasher = DefaultHasher::new();
                self.variables[at as usize].1.hash(&mut hasher);
                match is_related(at) {
                    true => (Varies::Together, hasher.finish()),
                    false => (Varies::Sets, hasher.finish()),
                }
            }
            Node::Lookup(..) => (Varies::Together, 0),
            _ => (Varies::Computed, 0),
        }
    }
}

/// What a state has in a word: a value, or an expression.
type Content = (u64, Option<Expr>);

/// Words in which some of the states differ alone, and how many values they have there.
fn differing(bench: &mut Workbench, group: &[&Before]) -> Vec<(StateWord, usize)> {
    let all: Vec<BTreeMap<StateWord, Content>> = group
        .iter()
        .map(|before| words_of(bench, before, group[0]))
        .collect();
    let names: BTreeSet<StateWord> = all.iter().flat_map(|words| words.keys().copied()).collect();
    let varying: Vec<StateWord> = names
        .into_iter()
        .filter(|word| all.iter().any(|words| words.get(word) != all[0].get(word)))
        .collect();
    // All of a state but one word: the sum over its words, less that of the word.
    let hashed = |word: &StateWord, content: Option<&Content>| {
        let mut hasher = DefaultHasher::new();
        (word, content).hash(&mut hasher);
        hasher.finish()
    };
    let of_state = |(words, before): (&BTreeMap<StateWord, Content>, &&Before)| {
        let words = varying.iter().map(|word| hashed(word, words.get(word)));
        words.fold(before.board.hash64(), u64::wrapping_add)
    };
    let sums: Vec<u64> = all.iter().zip(group).map(of_state).collect();
    let mut found = Vec::new();
    for word in &varying {
        let mut groups: HashMap<u64, BTreeSet<Content>> = HashMap::new();
        for (words, sum) in all.iter().zip(&sums) {
            let others = sum.wrapping_sub(hashed(word, words.get(word)));
            let content = words.get(word).copied().unwrap_or((0, None));
            groups.entry(others).or_default().insert(content);
        }
        let values = groups.values().map(|contents| counts(*word, contents));
        found.push((*word, values.max().unwrap_or(0)));
    }
    found
}

/// The words of a state; of the memory, those in which it differs from another: what it does not differ in is missing, as
/// it is of the other.
fn words_of(
    bench: &mut Workbench,
    before: &Before,
    other: &Before,
) -> BTreeMap<StateWord, Content> {
    let mut words = BTreeMap::new();
    go_back(&mut bench.machine, before.snapshot());
    let machine = &bench.machine;
    let frames: Vec<FrameView> = machine.frames().collect();
    let locals = locals(&frames);
    words.extend(
        locals
            .iter()
            .map(|(cell, word)| (*word, (machine.cells()[*cell], None))),
    );
    for (at, value) in (0..).zip(machine.globals()) {
        words.insert(StateWord::Global(at), (crate::set::cell_of(value), None));
    }
    for (at, [ours, _]) in before.snapshot().differing_words(other.snapshot()) {
        words.insert(StateWord::Memory(at), (u64::from(ours), None));
    }
    for (place, expr) in &before.places {
        let word = match place {
            Place::Cell(at) => locals.get(&(*at as usize)).copied(),
            Place::Global(at) => Some(StateWord::Global(*at)),
            Place::Byte(at, _) => Some(StateWord::Memory(at & !3)),
            Place::Reading(..) | Place::Level(_) => None,
        };
        if let Some(word) = word {
            words.insert(word, (0, Some(*expr)));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(values: impl Iterator<Item = u64>) -> usize {
        let contents: BTreeSet<Content> = values.map(|cell| (cell, None)).collect();
        counts(StateWord::Memory(16), &contents)
    }

    #[test]
    fn bytes_with_few_values_are_together_no_counter() {
        let packed = (0..256).map(|bits: u64| {
            let byte = |at: u64| (bits >> (2 * at) & 3) << (8 * at);
            (0..4).map(byte).sum()
        });
        assert_eq!(counted(packed), 4);
    }

    #[test]
    fn what_counts_in_any_byte_does() {
        for step in [1, 3, 64, 1 << 8, 1 << 16, 1 << 24] {
            assert_eq!(counted((0..100).map(|at| at * step)), 100, "{step}");
        }
    }
}
