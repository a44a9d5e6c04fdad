//! One worker's part of a survey: the states whose digests it owns are known to it, those that it was first to come to
//! are followed by it.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hint::black_box;
use std::ops::BitXor;

use serde::{Deserialize, Serialize};

use super::asked::{Asked, News, Step, Unsure};
use super::beside::Tables;
use super::level::Level;
use super::log::Log;
use super::prefixes::{EndNode, Prefixes};
use super::sieve::{Sieve, Unknown};
use super::table::Table;
use super::{NoWay, Onlooker, Sight, Surveyed};
use crate::fingerprint::Digest;
use crate::language::{Language, Outcome};

/// So many states of a level are held; of the others only the ways there.
const HELD: usize = 1 << 21;

/// So many ways are gone once more at a time: some are shared, and nobody waits long.
const RECALLED: usize = 1 << 18;

/// A part of a survey. It has no threads and no connections: whoever has them carries [`Unsure`]s from share to share, and
/// the news back, in any order.
///
/// Only digests travel. A state stays with the share that came to it first, and with it all of the way there.
pub struct Share<L: Language, F> {
    language: L,
    nth: u32,
    of: u32,
    /// The digests that it owns, with those of the others in its process.
    known: Tables<F>,
    /// How the states were reached that it follows.
    log: Log,
    now: Level<L::State>,
    next: Level<L::State>,
    /// What was given to it and not taken in.
    gifts: Vec<(Prefixes, Vec<L::State>)>,
    /// How many states of a level are held.
    held: usize,
    sieve: Sieve<F>,
    asked: Asked<F>,
    ends: BTreeMap<Outcome<L::Value>, Surveyed>,
    pub(super) counts: Counts,
}

/// What a share has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// The depth of the states that are followed now.
    pub depth: u32,
    /// Steps from the states that were followed.
    pub edges: u64,
    /// States that are ends.
    pub ends: u64,
    /// States of which the language does not know how they go on.
    pub unfollowed: u64,
    /// Digests that their owners were asked about: others elsewhere, or one here whose table had no room.
    pub asked: u64,
    /// States that could not be numbered any more, and were not followed.
    pub lost: u64,
}

impl<L: Language, F: Digest> Share<L, F> {
    /// The only share of a survey that stands at the start.
    pub fn alone(language: L) -> Self {
        let start = language.canonical(language.initial());
        let mut share = Self::empty(language, 0, 1);
        share.know(F::digest(&start));
        share.now.push(HELD, 0, start);
        share
    }

    /// Share `nth` of so many, with what it gets of a survey that was begun by others: those of `digests` that it owns,
    /// and the states that `prefixes` lead to.
    ///
    /// # Errors
    /// The program has no such way: it is another one.
    pub fn of(
        language: L,
        (nth, of): (u32, u32),
        counts: Counts,
        prefixes: &Prefixes,
        digests: impl IntoIterator<Item = F>,
    ) -> Result<Self, NoWay> {
        let mut share = Self::empty(language, nth, of);
        share.has_counted(counts);
        digests.into_iter().for_each(|digest| share.know(digest));
        share.take(prefixes)?;
        Ok(share)
    }

    /// A share that knows nothing and has nothing to follow.
    pub(super) fn empty(language: L, nth: u32, of: u32) -> Self {
        Self {
            language,
            nth,
            of,
            known: Tables::one(nth),
            log: Log::new(),
            now: Level::new(),
            next: Level::new(),
            gifts: Vec::new(),
            held: HELD,
            sieve: Sieve::new(),
            asked: Asked::new(of),
            ends: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    /// Knows of a state that others came to, if it is its own.
    pub(super) fn know(&mut self, digest: F) {
        if digest.owner(self.of) == self.nth {
            self.known.alter(self.nth).insert(digest);
        }
    }

    /// Shares of one process, in the order of their numbers, add to each other's tables from now on.
    pub(super) fn join(shares: &mut [Self]) {
        let tables = Tables::joined(shares.iter().map(|share| &share.known));
        for share in shares {
            share.known = tables.clone();
        }
    }

    /// How many shares there are in all.
    pub(super) const fn of_all(&self) -> u32 {
        self.of
    }

    /// Whether it knows a state that is its own.
    pub(super) fn knows(&self, digest: F) -> bool {
        self.known.of(self.nth).has(digest)
    }

    /// The states that it has still to follow and holds.
    pub(super) fn held(&self) -> impl Iterator<Item = &L::State> {
        self.now.held().chain(self.next.held())
    }

    /// As [`Share::held`], with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &L::State)> {
        self.now.numbered().chain(self.next.numbered())
    }

    /// As [`Share::held`], until the first that is not held comes.
    pub(super) fn coming(&self) -> impl Iterator<Item = &L::State> {
        let next = self.now.is_held().then(|| self.next.held());
        self.now.held().chain(next.into_iter().flatten())
    }

    /// The digests of these.
    pub(super) fn waiting_digests(&self) -> impl Iterator<Item = F> {
        self.held().map(F::digest)
    }

    /// What was counted before.
    pub(super) const fn has_counted(&mut self, counts: Counts) {
        self.counts = counts;
    }

    /// Follows up to so many states of this level. `look` sees each of them, and its outcome if it is an end.
    pub fn expand(&mut self, most: usize, look: &mut impl Onlooker<L>) {
        let (mut unknown, mut states) = (Vec::new(), Vec::new());
        let tables = self.known.clone();
        let mut open = tables.open();
        for _ in 0..most {
            let Some((id, state)) = self.now.pop().or_else(|| self.recall()) else {
                return;
            };
            // None: not all steps are known.
            let mut count = None;
            let sift = |digests: &[F], places: &mut Vec<usize>| {
                if !look.breaks_off() {
                    count = Some(digests.len());
                    self.sieve.sift(digests, self.of, &mut open, &mut unknown);
                    places.extend(unknown.iter().map(|unknown| unknown.place));
                }
            };
            self.language.expand_wanted(&state, sift, &mut states);
            let Some(steps) = count else {
                self.now.put_back(id, state);
                return;
            };
            self.counts.edges += steps as u64;
            let is_followed = steps > 0 || self.language.is_followed(&state);
            self.counts.ends += u64::from(steps == 0 && is_followed);
            self.counts.unfollowed += u64::from(!is_followed);
            // Of a state that is not followed the outcome says why.
            let outcome = (steps == 0).then(|| self.language.outcome(&state));
            look.look(&Sight {
                language: &self.language,
                state: &state,
                outcome: outcome.as_ref().filter(|_| is_followed),
                way: &|| self.log.way(id),
                number: id,
            });
            if let Some(outcome) = outcome {
                let nearest = (self.counts.depth, (self.nth, id));
                add_end(&mut self.ends, outcome, 1, nearest);
            }
            debug_assert_eq!(unknown.len(), states.len(), "what is wanted is made");
            for (unknown, state) in unknown.drain(..).zip(states.drain(..)) {
                self.come(id, &unknown, state);
            }
        }
    }

    /// A step leads from `parent` to a state that is new, or of which the owner knows whether it is.
    fn come(&mut self, parent: u32, unknown: &Unknown<F>, state: L::State) {
        // As many as a state has options.
        let option = unknown.place as u32;
        if unknown.is_new {
            match self.log.push(parent, option) {
                Some(id) => self.next.push(self.held, id, state),
                None => self.counts.lost += 1,
            }
            return;
        }
        self.counts.asked += 1;
        let step = Step {
            parent,
            option,
            place: self.next.push_unsure(self.held, state),
        };
        let owner = unknown.digest.owner(self.of);
        self.asked.add(owner, unknown.digest, step);
    }

    /// What the share has to ask another one, if anything.
    pub fn ask(&mut self, owner: u32) -> Option<Unsure<F>> {
        self.asked.ask(owner)
    }

    /// Answers a question about digests that this share owns, and knows them from now on.
    pub fn answer(&mut self, ask: &Unsure<F>) -> News {
        let mut is_new = vec![0; ask.digests.len().div_ceil(64)];
        let mut known = self.known.alter(self.nth);
        for (word, digests) in is_new.iter_mut().zip(ask.digests.chunks(64)) {
            let near = digests.iter().map(|digest| known.near(*digest));
            black_box(near.fold(0, BitXor::bitxor));
            for (nth, digest) in digests.iter().enumerate() {
                *word |= u64::from(known.insert(*digest)) << nth;
            }
        }
        News {
            number: ask.number,
            is_new,
        }
    }

    /// Whether its table should grow before more is added to it by several at once.
    pub(super) fn is_tight(&self) -> bool {
        self.known.of(self.nth).is_tight()
    }

    /// Has its table grow where it should.
    pub(super) fn make_room(&self) {
        self.known.alter(self.nth).make_room();
    }

    /// Takes an answer, once; others, in any order, and nothing for a question that was not asked.
    pub fn settle(&mut self, answer: &News) {
        for (step, is_new) in self.asked.answered(answer) {
            let id = is_new.then(|| self.log.push(step.parent, step.option));
            self.counts.lost += u64::from(id == Some(None));
            self.next.make_sure(step.place, id.flatten());
        }
    }

    /// How many states of this level are still to be followed.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.now.len()
    }

    /// How many states of the next level are known.
    #[must_use]
    pub fn ahead(&self) -> usize {
        self.next.len()
    }

    /// Whether nothing is to be asked, and no answer to come.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.asked.is_empty()
    }

    /// States of which nobody has said yet whether they are new.
    pub(super) fn unsettled(&self) -> usize {
        self.asked.len()
    }

    /// Goes on to the next level. All shares do so together, when none has anything to follow, to ask or to settle.
    pub fn deepen(&mut self) {
        debug_assert!(self.now.len() == 0 && self.is_settled(), "a level is done");
        std::mem::swap(&mut self.now, &mut self.next);
        self.counts.depth += 1;
    }

    /// How many digests it owns: states that somebody came to.
    #[must_use]
    pub fn known(&self) -> usize {
        self.known.of(self.nth).len()
    }

    /// What it has counted.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// The ends that it came to.
    #[must_use]
    pub const fn ends(&self) -> &BTreeMap<Outcome<L::Value>, Surveyed> {
        &self.ends
    }

    /// The digests that it owns, a sorted part after the other.
    pub fn digests(&self) -> impl Iterator<Item = Vec<F>> {
        (0..Table::<F>::PARTS).map(|part| self.digests_of(part))
    }

    /// Of those parts, number `nth`.
    pub(super) fn digests_of(&self, part: usize) -> Vec<F> {
        self.known.of(self.nth).sorted(part)
    }

    /// The ways to what it has still to follow, and to its ends. It must have settled.
    #[must_use]
    pub fn prefixes(&self) -> Prefixes {
        self.kept(true)
    }

    /// As [`Share::prefixes`]; without `waiting` only the ways to ends.
    pub(super) fn kept(&self, waiting: bool) -> Prefixes {
        let ids = |level: &Level<L::State>| {
            let kept = level.ids().filter(|_| waiting);
            kept.collect::<Vec<_>>()
        };
        let ends = self.ends.values().map(|end| EndNode {
            states: end.states,
            depth: end.depth,
            node: end.nearest.1,
        });
        Prefixes::of(
            &self.log,
            ids(&self.now).into_iter(),
            ids(&self.next).into_iter(),
            ends,
        )
    }

    /// Gives the last so many states of this level away: the ways there, and of the first of them the states themselves
    /// for whom they are of use.
    pub fn give(&mut self, states: usize) -> (Prefixes, Vec<L::State>) {
        let (ids, states) = self.now.split_last(states);
        (self.ways_to(ids), states)
    }

    pub(super) fn ways_to(&self, ids: Vec<u32>) -> Prefixes {
        let none = std::iter::empty;
        Prefixes::of(&self.log, ids.into_iter(), none(), std::iter::empty())
    }

    /// The numbers that nodes have here from now on; none of those for which there is no room.
    fn noted(&mut self, prefixes: &Prefixes) -> Vec<Option<u32>> {
        let mut numbers = vec![Some(0)];
        for (before, option) in &prefixes.steps {
            let number =
                numbers[*before as usize].and_then(|before| self.log.push(before, *option));
            numbers.push(number);
        }
        numbers
    }

    /// The states at the end of ways, with the numbers that they have here from now on.
    pub(super) fn recognize(&mut self, ways: &Prefixes) -> Result<Vec<(u32, L::State)>, NoWay> {
        if !ways.is_sound() {
            return Err(NoWay);
        }
        let wanted: HashSet<u32> = ways.now.iter().copied().collect();
        let mut found = HashMap::with_capacity(wanted.len());
        ways.go(&self.language, |node, state| {
            if wanted.contains(&node) {
                found.insert(node, state);
            }
            true
        })?;
        let numbers = self.noted(ways);
        let states = ways.now.iter().filter_map(|node| {
            let number = numbers[*node as usize]?;
            Some((number, found.get(node)?.clone()))
        });
        Ok(states.collect())
    }

    /// Gets what another one of this process gave, with as many of the states as it gave.
    pub(super) fn get(&mut self, gift: (Prefixes, Vec<L::State>)) {
        self.gifts.push(gift);
    }

    /// Takes in what was given to it. That takes a while, so whoever follows its states does it.
    pub(super) fn take_gifts(&mut self) {
        for (ways, states) in std::mem::take(&mut self.gifts) {
            let numbers = self.noted(&ways);
            let mut states = states.into_iter();
            for node in &ways.now {
                match (numbers[*node as usize], states.next()) {
                    (Some(id), Some(state)) => {
                        let state = self.language.at_home(state);
                        self.now.push(self.held, id, state);
                    }
                    (Some(id), None) => self.now.push_later(id),
                    (None, _) => self.counts.lost += 1,
                }
            }
        }
    }

    /// Holds at most so many states of a level, and of the others only the ways there; if nothing is said two million.
    pub const fn hold(&mut self, states: usize) {
        self.held = states;
    }

    /// The first of the states of this level of which only the ways were kept; goes those of the next that can be held.
    fn recall(&mut self) -> Option<(u32, L::State)> {
        let ids = self.now.recall(self.held.clamp(1, RECALLED));
        let ways = self.ways_to(ids.clone());
        let wanted: HashMap<u32, u32> = ways.now.iter().copied().zip(ids).collect();
        let mut states = VecDeque::with_capacity(wanted.len());
        let gone = ways.go(&self.language, |node, state| {
            if let Some(id) = wanted.get(&node) {
                states.push_back((*id, state));
            }
            true
        });
        debug_assert_eq!(gone, Ok(()), "ways that were gone once can be gone again");
        // In a language that breaks this law it is not all states that were looked at.
        self.counts.lost += (wanted.len() - states.len()) as u64;
        self.now.hold(states);
        self.now.pop()
    }

    /// Takes what another one gave, by going the ways there.
    ///
    /// # Errors
    /// The program has no such way; then some of the states may have been taken.
    pub fn take(&mut self, prefixes: &Prefixes) -> Result<(), NoWay> {
        if !prefixes.is_sound() {
            return Err(NoWay);
        }
        let mut wanted = HashMap::new();
        let marks = [(&prefixes.now, Place::Now), (&prefixes.next, Place::Next)];
        for (all, place) in marks {
            wanted.extend(all.iter().map(|node| (*node, place)));
        }
        let mut ends: HashMap<u32, Vec<EndNode>> = HashMap::new();
        for end in &prefixes.ends {
            ends.entry(end.node).or_default().push(*end);
        }
        // What is taken first is what is followed first, so the log has all before.
        let mut numbers = Vec::with_capacity(prefixes.steps.len() + 1);
        let language = &self.language;
        let (log, own, held) = (&mut self.log, &mut self.ends, self.held);
        let (now, next, nth) = (&mut self.now, &mut self.next, self.nth);
        prefixes.go(language, |node, state| {
            let number = match node.checked_sub(1) {
                None => Some(0),
                Some(step) => {
                    let (before, option) = prefixes.steps[step as usize];
                    log.push(numbers[before as usize], option)
                }
            };
            let Some(id) = number else {
                return false;
            };
            numbers.push(id);
            for end in ends.get(&node).into_iter().flatten() {
                let (states, depth) = (end.states, end.depth);
                add_end(own, language.outcome(&state), states, (depth, (nth, id)));
            }
            match wanted.get(&node) {
                Some(Place::Now) => now.push(held, id, state),
                Some(Place::Next) => next.push(held, id, state),
                None => {}
            }
            true
        })
    }

    /// The options of a shortest way to an end of this share.
    #[must_use]
    pub fn way(&self, end: &Surveyed) -> Vec<u32> {
        self.log.way(end.nearest.1)
    }

    /// Bytes held on the heap, without what states own there.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.known.of(self.nth).heap_bytes()
            + self.log.heap_bytes()
            + self.sieve.heap_bytes()
            + self.now.heap_bytes()
            + self.next.heap_bytes()
            + self.asked.heap_bytes()
    }

    pub(super) const fn language(&self) -> &L {
        &self.language
    }

    /// The choices of a way, as far as the program has it.
    pub(super) fn choices(&self, way: &[u32]) -> Vec<L::Choice> {
        let language = &self.language;
        let mut state = language.canonical(language.initial());
        let (mut taken, mut choices) = (Vec::new(), Vec::new());
        for option in way {
            choices.clear();
            language.enabled(&state, &mut choices);
            let Some(choice) = choices.get(*option as usize) else {
                break;
            };
            let Some(next) = language.apply(&state, choice) else {
                break;
            };
            state = language.canonical(next.state);
            taken.push(choice.clone());
        }
        taken
    }
}

impl Counts {
    /// What another share has counted.
    pub(super) fn add(&mut self, other: Self) {
        // What was kept in a file may say anything.
        let add = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        self.depth = self.depth.max(other.depth);
        add(&mut self.edges, other.edges);
        add(&mut self.ends, other.ends);
        add(&mut self.unfollowed, other.unfollowed);
        add(&mut self.asked, other.asked);
        add(&mut self.lost, other.lost);
    }
}

/// So many states end so, and this is how near one is, and where.
fn add_end<V: Ord>(
    ends: &mut BTreeMap<Outcome<V>, Surveyed>,
    outcome: Outcome<V>,
    states: u64,
    (depth, nearest): (u32, (u32, u32)),
) {
    let more = Surveyed {
        states,
        depth,
        nearest,
    };
    let none = Surveyed { states: 0, ..more };
    ends.entry(outcome).or_insert(none).add(more);
}

/// Where a state that was given belongs.
#[derive(Clone, Copy)]
enum Place {
    Now,
    Next,
}
