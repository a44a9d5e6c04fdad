//! All states without keeping them: for multiverses that are too large to be kept as a graph.
//!
//! A survey consists of [`Share`]s. One alone does everything; several divide the states by their digests. Those of one
//! process add to each other's tables, those of several tell each other which are new. What they find is the same.

mod among;
mod asked;
mod beside;
mod level;
mod log;
mod prefixes;
mod share;
mod sieve;
mod table;

use std::collections::BTreeMap;
use std::fmt;
use std::slice::from_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use among::{Apart, Bell, Leader, Letter, Member, Post, Tally};
pub use asked::{News, Unsure};
pub use prefixes::{EndNode, Prefixes};
pub use share::{Counts, Share};
use table::Table;
use thiserror::Error;

use super::{Limits, Pause};
use crate::fingerprint::{Digest, Fingerprint};
use crate::language::{Language, Outcome};
use crate::workers::{BATCH, Workers};

/// One share goes on alone until a level has so many states for each of those that are wanted.
const SEEDS: usize = 256;

/// So many states are followed at once where each can take long.
const FEW: usize = 16;

/// A share follows so many batches in a round: in the end all wait for the slowest.
const ROUND: usize = 4;

/// States that are handed out to a share at once: who is faster follows more, and nobody waits long for the others.
const HANDED: usize = 128;

/// A level is dealt anew where a share has so many times what is its due: others would wait for it.
const UNEVEN: f64 = 1.05;

/// Nobody counts so far in a life.
const MOST_COUNTED: u64 = 1 << 56;

/// An outcome that a [`Survey`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// How many states end so.
    pub states: u64,
    /// The length of a shortest way there.
    pub depth: u32,
    /// Which share came to the end nearest to the start, and its number there.
    nearest: (u32, u32),
}

/// What shares have to go on with: each what it has counted, and the ways to what it has still to follow.
pub type KeptShares = Vec<(Counts, Prefixes)>;

/// A way that a program does not have, or states with other digests: what was kept is of another program, of another
/// build, or damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the program has no such states")]
pub struct NoWay;

/// A state that a survey follows.
pub struct Sight<'s, L: Language> {
    /// The language.
    pub language: &'s L,
    /// The state.
    pub state: &'s L::State,
    /// What it came to, if it is an end.
    pub outcome: Option<&'s Outcome<L::Value>>,
    /// The options of a shortest way there.
    pub way: &'s dyn Fn() -> Vec<u32>,
    /// Its number in its share: see [`Survey::ways_to`].
    pub number: u32,
}

/// Looks at each state once, when it is followed.
pub trait Onlooker<L: Language> {
    /// Here is one.
    fn look(&mut self, sight: &Sight<'_, L>);

    /// Whether the language may have broken off when it was asked for the steps from a state: then the state is put back,
    /// and nothing more is followed for now.
    fn breaks_off(&mut self) -> bool {
        false
    }
}

/// Looks away.
impl<L: Language> Onlooker<L> for () {
    fn look(&mut self, _: &Sight<'_, L>) {}
}

/// A breadth-first exploration that remembers of each state its digest and how it was reached, 14 to 17 bytes with 64
/// bits; the states themselves only while their turn is to come.
///
/// Equal digests are taken for equal states: [`Digest::risk`] says how probable it is that a state is missing for that. A
/// language that names parts of its states by 64-bit digests of their content adds the risk among those parts, of which
/// there are fewer. A [`super::Graph`] compares the states themselves.
pub struct Survey<L: Language, F = Fingerprint> {
    shares: Vec<Share<L, F>>,
    /// The number of the first of them, if there are others elsewhere.
    first: u32,
}

impl<L: Language, F: Digest> fmt::Debug for Survey<L, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Survey")
            .field("states", &self.states())
            .field("edges", &self.edges())
            .finish_non_exhaustive()
    }
}

impl<L: Language> Survey<L> {
    /// A survey that stands at the start, with fingerprints of 64 bits.
    pub fn new(language: L) -> Self {
        Self::begin(language)
    }
}

impl<L: Language, F: Digest> Survey<L, F> {
    /// A survey that stands at the start.
    pub fn begin(language: L) -> Self {
        Self {
            shares: vec![Share::alone(language)],
            first: 0,
        }
    }

    /// Of the `of` shares of a survey so many, from number `first` on. They know nothing, and have nothing to follow.
    fn part(language: &L, (first, here, of): (u32, u32, u32)) -> Self
    where
        L: Clone,
    {
        let share = |nth| Share::empty(apart(language), first + nth, of);
        let mut shares: Vec<_> = (0..here.max(1)).map(share).collect();
        Share::join(&mut shares);
        Self { shares, first }
    }

    /// A survey that goes on from what was kept of another one, as so many shares: what each of its shares had
    /// ([`Survey::kept`]), and the digests of all ([`Survey::digests`]).
    ///
    /// # Errors
    /// The program has no such way, or its states have other digests.
    pub fn resume(
        language: L,
        kept: &[(Counts, Prefixes)],
        digests: impl IntoIterator<Item = F>,
        shares: usize,
    ) -> Result<Self, NoWay>
    where
        L: Clone,
    {
        let count = shares.max(1);
        let mut survey = Self::part(&language, (0, count as u32, count as u32));
        digests.into_iter().for_each(|digest| survey.know(digest));
        let shares = &mut survey.shares;
        let counts = counted(kept)?;
        for (_, prefixes) in kept {
            for (share, part) in shares.iter_mut().zip(prefixes.split(count)) {
                share.take(&part)?;
            }
        }
        survey.has_counted(counts);
        // Another build may have other digests for the same states: it would follow all of them once more.
        survey.knows_what_waits().then_some(survey).ok_or(NoWay)
    }

    /// Knows of a state that somebody came to, if one of these shares owns it.
    fn know(&mut self, digest: F) {
        let owner = digest.owner(self.shares[0].of_all());
        let here = owner.checked_sub(self.first);
        if let Some(share) = here.and_then(|nth| self.shares.get_mut(nth as usize)) {
            share.know(digest);
        }
    }

    /// Takes over what was counted elsewhere, once for all its shares.
    fn has_counted(&mut self, mut counts: Counts) {
        let depth = counts.depth;
        for share in &mut self.shares {
            share.has_counted(counts);
            counts = Counts {
                depth,
                ..Counts::default()
            };
        }
    }

    fn knows_what_waits(&self) -> bool {
        let (shares, count) = (&self.shares, self.shares.len() as u32);
        let mut waiting = shares.iter().flat_map(Share::waiting_digests);
        waiting.all(|digest| shares[digest.owner(count) as usize].knows(digest))
    }

    /// What each share has to go on with; with [`Survey::digests`] it is all that was found.
    #[must_use]
    pub fn kept(&self) -> KeptShares {
        self.kept_of(true)
    }

    /// As [`Survey::kept`]; without `waiting` what was counted, and the ways to ends.
    fn kept_of(&self, waiting: bool) -> KeptShares {
        let shares = self.shares.iter();
        let kept = shares.map(|share| (share.counts(), share.kept(waiting)));
        kept.collect()
    }

    /// The states that are still to be followed and are held.
    pub fn held(&self) -> impl Iterator<Item = &L::State> {
        self.shares.iter().flat_map(Share::held)
    }

    /// The states that are followed next, in their order, as far as they are held: for whoever looks ahead. Of a survey of
    /// several shares, those of the first.
    pub fn coming(&self) -> impl Iterator<Item = &L::State> {
        self.shares.iter().take(1).flat_map(Share::coming)
    }

    /// States that are held, with their numbers; of a survey of several shares, those of the first.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &L::State)> {
        self.shares.iter().take(1).flat_map(Share::numbered)
    }

    /// The ways to states of a survey of one share, by their numbers ([`Sight::number`], [`Survey::numbered`]), as
    /// [`Prefixes::now`] in the same order.
    #[must_use]
    pub fn ways_to(&self, numbers: Vec<u32>) -> Prefixes {
        self.shares[0].ways_to(numbers)
    }

    /// Goes such ways of a survey before this one: the states there, with the numbers that they have here. They are neither
    /// counted nor followed for that.
    ///
    /// # Errors
    /// The program has no such ways.
    pub fn recognize(&mut self, ways: &Prefixes) -> Result<Vec<(u32, L::State)>, NoWay> {
        self.shares[0].recognize(ways)
    }

    /// The digests of all states, in sorted parts.
    pub fn digests(&self) -> impl Iterator<Item = Vec<F>> {
        self.shares.iter().flat_map(Share::digests)
    }

    /// Of those parts, number `nth`.
    fn digests_of(&self, nth: usize) -> Option<Vec<F>> {
        let share = self.shares.get(nth / Table::<F>::PARTS)?;
        Some(share.digests_of(nth % Table::<F>::PARTS))
    }

    /// What several have counted, and the ends that they came to, to be told; nothing can be gone on with.
    ///
    /// # Errors
    /// The program has no such ways.
    pub fn collected(language: L, kept: &[(Counts, Prefixes)]) -> Result<Self, NoWay>
    where
        L: Clone,
    {
        let ends = kept
            .iter()
            .map(|(counts, ways)| (*counts, ways.first(0, true)));
        let ends: Vec<_> = ends.collect();
        Self::resume(language, &ends, [], 1)
    }

    /// How many different states were met.
    #[must_use]
    pub fn states(&self) -> usize {
        self.shares.iter().map(Share::known).sum()
    }

    /// What all shares have counted.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut all = Counts::default();
        for share in &self.shares {
            all.add(share.counts());
        }
        all
    }

    /// How many steps lead from the states that were followed.
    #[must_use]
    pub fn edges(&self) -> u64 {
        self.counts().edges
    }

    /// How many shares there are now.
    #[must_use]
    pub const fn shares(&self) -> usize {
        self.shares.len()
    }

    /// Holds at most so many states of a level in each share, and of the others only the ways there: see
    /// [`Share::hold`].
    pub fn hold(&mut self, states: usize) {
        self.shares.iter_mut().for_each(|share| share.hold(states));
    }

    /// How many states are still to be followed.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let waiting = self
            .shares
            .iter()
            .map(|share| share.waiting() + share.ahead());
        waiting.sum()
    }

    /// Whether so many states wait that so many shares can begin.
    #[must_use]
    pub fn is_enough_for(&self, shares: usize) -> bool {
        self.waiting() >= SEEDS * shares
    }

    /// How far each share has come.
    #[must_use]
    pub fn tallies(&self) -> Vec<Tally> {
        let tally = |share: &Share<L, F>| Tally {
            states: share.known() as u64,
            waiting: share.waiting() as u64,
            ahead: share.ahead() as u64,
            bytes: share.heap_bytes() as u64,
            sent: 0,
            counts: share.counts(),
        };
        self.shares.iter().map(tally).collect()
    }

    /// The outcomes found so far.
    #[must_use]
    pub fn ends(&self) -> BTreeMap<Outcome<L::Value>, Surveyed> {
        let mut all: BTreeMap<_, Surveyed> = BTreeMap::new();
        for (outcome, ends) in self.shares.iter().flat_map(Share::ends) {
            let none = Surveyed { states: 0, ..*ends };
            all.entry(outcome.clone()).or_insert(none).add(*ends);
        }
        all
    }

    /// Bytes held on the heap, without what states own there.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.shares.iter().map(Share::heap_bytes).sum()
    }

    /// A shortest way to an end: its choices.
    #[must_use]
    pub fn way(&self, end: &Surveyed) -> Vec<L::Choice> {
        let here = end.nearest.0.checked_sub(self.first);
        let share = here.and_then(|nth| self.shares.get(nth as usize));
        share.map_or_else(Vec::new, |share| share.choices(&share.way(end)))
    }
}

/// What the shares do in a round.
#[derive(Clone, Copy)]
enum Work {
    /// They follow states: how long that takes depends on the language.
    Follow,
    /// They answer, or hear answers.
    Answer,
}

/// What is done to a share, which has a number, by whoever looks at its states.
type Job<'j, L, F, K> = &'j (dyn Fn(usize, &mut Share<L, F>, &mut K) + Sync);

impl<L: Language + Clone, F: Digest> Survey<L, F> {
    /// Explores until done, a limit is reached, or `keep_going` (which is shown how far it has come) returns false.
    pub fn run(&mut self, limits: &Limits, keep_going: impl FnMut(&Self) -> bool) -> Pause {
        let mut looks = vec![(); self.shares.len()];
        self.rounds((limits, || BATCH), &mut looks, keep_going, in_turn)
    }

    /// As [`Survey::run`], where a state can take long: `keep_going` is asked after every few of them, and `look` sees
    /// each. Only for a survey of one share.
    ///
    /// # Panics
    /// There are more shares.
    pub fn look_alone<K: Onlooker<L>>(
        &mut self,
        limits: &Limits,
        look: &mut K,
        keep_going: impl FnMut(&Self) -> bool,
    ) -> Pause {
        self.rounds((limits, || FEW), from_mut(look), keep_going, in_turn)
    }

    /// As [`Survey::run`], with a share for each of the `workers`.
    pub fn run_on(
        &mut self,
        workers: &dyn Workers,
        limits: &Limits,
        keep_going: impl FnMut(&Self) -> bool,
    ) -> Pause
    where
        L: Send,
        L::State: Send,
        L::Value: Send,
    {
        let mut looks = vec![(); workers.count().max(self.shares.len())];
        self.look_on(workers, limits, &mut looks, keep_going)
    }

    /// As [`Survey::run_on`], with as many shares as there are `looks`, each of which sees the states of its share.
    ///
    /// # Panics
    /// There are more shares than that already.
    pub fn look_on<K: Onlooker<L> + Send>(
        &mut self,
        workers: &dyn Workers,
        limits: &Limits,
        looks: &mut [K],
        keep_going: impl FnMut(&Self) -> bool,
    ) -> Pause
    where
        L: Send,
        L::State: Send,
        L::Value: Send,
    {
        let batch = || ROUND * workers.batch();
        self.rounds((limits, batch), looks, keep_going, at_once(workers))
    }

    /// `each` does a job for each share.
    fn rounds<K: Onlooker<L>>(
        &mut self,
        (limits, batch): (&Limits, impl Fn() -> usize),
        looks: &mut [K],
        mut keep_going: impl FnMut(&Self) -> bool,
        each: impl Fn(&mut [Share<L, F>], &mut [K], Work, Job<'_, L, F, K>),
    ) -> Pause {
        assert!(
            looks.len() >= self.shares.len(),
            "somebody looks at each share"
        );
        loop {
            if self.shares.iter().all(|share| share.waiting() == 0) {
                if self.waiting() == 0 {
                    return self.done();
                }
                self.shares.iter_mut().for_each(Share::deepen);
                self.level(looks.len());
            }
            let states = self.states();
            if self.shares[0].counts().depth >= limits.depth {
                return Pause::Depth;
            }
            if states >= limits.states {
                return Pause::States;
            }
            if !keep_going(self) {
                return Pause::Cancelled;
            }
            let most = batch().min(limits.states - states);
            let elsewhere = self.round(most, looks, &each);
            debug_assert!(elsewhere.is_empty(), "all shares are here");
        }
    }

    /// The shares follow up to so many states each, or those that are faster more of them, until one has no more and others
    /// have enough to give; afterwards all questions among these shares are settled. Those to shares elsewhere, with who
    /// asks whom.
    fn round<K: Onlooker<L>>(
        &mut self,
        most: usize,
        looks: &mut [K],
        each: &impl Fn(&mut [Share<L, F>], &mut [K], Work, Job<'_, L, F, K>),
    ) -> Vec<(u32, u32, Unsure<F>)> {
        // From whom to whom.
        let (count, first, of) = (self.shares.len(), self.first, self.shares[0].of_all());
        let elsewhere = (0..of).filter(|to| !(first..first + count as u32).contains(to));
        let elsewhere: Vec<u32> = elsewhere.collect();
        self.even_out(most);
        let others = Mutex::new(Vec::new());
        let (handed, is_out) = (AtomicUsize::new(0), AtomicBool::new(false));
        let asks: Vec<_> = (0..count * count).map(|_| Mutex::new(None)).collect();
        let answers: Vec<_> = (0..count * count).map(|_| Mutex::new(None)).collect();
        each(
            &mut self.shares,
            looks,
            Work::Follow,
            &|from, share, look| {
                share.take_gifts();
                let had = share.waiting();
                loop {
                    let before = handed.fetch_add(HANDED, Ordering::Relaxed);
                    let (left, waiting) = ((most * count).saturating_sub(before), share.waiting());
                    share.expand(left.min(HANDED), look);
                    if share.waiting() == waiting {
                        is_out.fetch_or(had > 0 && waiting == 0, Ordering::Relaxed);
                        break;
                    }
                    if is_out.load(Ordering::Relaxed) && share.waiting() >= SEEDS * count {
                        break;
                    }
                }
                for to in 0..count {
                    put(&asks[from * count + to], share.ask(first + to as u32));
                }
                let asks = elsewhere.iter().filter_map(|to| {
                    let ask = share.ask(*to)?;
                    Some((first + from as u32, *to, ask))
                });
                let asks: Vec<_> = asks.collect();
                let mut others = others.lock().unwrap_or_else(PoisonError::into_inner);
                others.extend(asks);
            },
        );
        let others = others.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_asked = asks.iter().any(is_there);
        if !is_asked && !self.shares.iter().any(Share::is_tight) {
            return others;
        }
        each(&mut self.shares, looks, Work::Answer, &|to, share, _| {
            share.make_room();
            for from in 0..count {
                let ask = take(&asks[from * count + to]);
                put(
                    &answers[from * count + to],
                    ask.map(|ask| share.answer(&ask)),
                );
            }
        });
        if !is_asked {
            return others;
        }
        each(&mut self.shares, looks, Work::Answer, &|from, share, _| {
            for to in 0..count {
                if let Some(answer) = take(&answers[from * count + to]) {
                    share.settle(&answer);
                }
            }
        });
        others
    }

    /// At the beginning of a level: deals what there is among so many shares, as soon as there is enough.
    fn level(&mut self, shares: usize) {
        let waiting: usize = self.shares.iter().map(Share::waiting).sum();
        if self.shares.len() < shares && waiting >= SEEDS * shares {
            let digests: Vec<F> = self.digests().flatten().collect();
            let language = self.shares[0].language().clone();
            // Ways that were gone once can be gone again.
            if let Ok(dealt) = Self::resume(language, &self.kept(), digests, shares) {
                *self = dealt;
            }
        }
    }

    /// Where some share has fewer states than it is to follow now, those that have too many give to those that have too few.
    fn even_out(&mut self, most: usize) {
        let mut has: Vec<_> = self.shares.iter().map(Share::waiting).collect();
        let (waiting, shares) = (has.iter().sum::<usize>(), has.len());
        let is_needed = waiting >= SEEDS * shares && has.iter().any(|has| *has < most);
        let due = waiting / shares;
        while is_needed
            && let Some(rich) = (0..shares).max_by_key(|nth| has[*nth])
            && let Some(poor) = (0..shares).min_by_key(|nth| has[*nth])
            && has[rich] as f64 > UNEVEN * due as f64
        {
            let given = (has[rich] - due).min(due - has[poor]).max(1);
            let gift = self.shares[rich].give(given);
            self.shares[poor].get(gift);
            has[rich] -= given;
            has[poor] += given;
        }
    }

    fn done(&self) -> Pause {
        let counts = self.counts();
        match (counts.lost, counts.unfollowed) {
            (0, 0) => Pause::Complete,
            (0, _) => Pause::Unfollowed,
            _ => Pause::Full,
        }
    }
}

impl Surveyed {
    /// More ends of the same outcome.
    fn add(&mut self, other: Self) {
        self.states = self.states.saturating_add(other.states);
        if other.depth < self.depth {
            (self.depth, self.nearest) = (other.depth, other.nearest);
        }
    }
}

/// Whether no share has counted what nobody can have counted: a file may say anything.
fn is_plausible(counts: &Counts, prefixes: &Prefixes) -> bool {
    let all = [
        counts.edges,
        counts.ends,
        counts.unfollowed,
        counts.asked,
        counts.lost,
    ];
    all.iter().all(|count| *count < MOST_COUNTED) && prefixes.is_sound()
}

/// What was counted by all whose work was kept.
fn counted(kept: &[(Counts, Prefixes)]) -> Result<Counts, NoWay> {
    let mut all = Counts::default();
    for (counted, prefixes) in kept {
        if !is_plausible(counted, prefixes) {
            return Err(NoWay);
        }
        all.add(*counted);
    }
    Ok(all)
}

/// Has each share do its job after the other.
fn in_turn<L: Language, F, K>(
    shares: &mut [Share<L, F>],
    looks: &mut [K],
    _: Work,
    job: Job<'_, L, F, K>,
) {
    for (nth, (share, look)) in shares.iter_mut().zip(looks).enumerate() {
        job(nth, share, look);
    }
}

/// Has all shares do their jobs at the same time.
#[expect(clippy::type_complexity, reason = "what it returns has no name")]
fn at_once<L, F, K>(
    workers: &dyn Workers,
) -> impl Fn(&mut [Share<L, F>], &mut [K], Work, Job<'_, L, F, K>)
where
    L: Language<State: Send, Value: Send> + Send,
    F: Digest,
    K: Send,
{
    move |shares, looks, work, job| {
        let cells: Vec<_> = shares.iter_mut().zip(looks).map(Mutex::new).collect();
        let job = |nth: usize| {
            let mut cell = cells[nth].lock().unwrap_or_else(PoisonError::into_inner);
            let (share, look) = &mut *cell;
            job(nth, share, look);
        };
        match work {
            Work::Follow => workers.run_batch(ROUND, cells.len(), &job),
            Work::Answer => workers.run(cells.len(), &job),
        }
    }
}

/// The language for a share of its own.
fn apart<L: Language + Clone>(language: &L) -> L {
    language.apart().unwrap_or_else(|| language.clone())
}

fn put<T>(place: &Mutex<Option<T>>, thing: Option<T>) {
    *place.lock().unwrap_or_else(PoisonError::into_inner) = thing;
}

fn is_there<T>(place: &Mutex<Option<T>>) -> bool {
    let place = place.lock().unwrap_or_else(PoisonError::into_inner);
    place.is_some()
}

fn take<T>(place: &Mutex<Option<T>>) -> Option<T> {
    place.lock().unwrap_or_else(PoisonError::into_inner).take()
}
