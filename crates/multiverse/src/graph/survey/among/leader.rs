//! The process that says when a level is over.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::{KeptShares, NoWay, Onlooker, SEEDS, Survey, counted};
use super::letter::{Stint, Tally, packed, unpacked};
use super::member::{DEALT, Member, Notes, Outgoing, WAIT};
use super::{Apart, Letter, Post};
use crate::fingerprint::Digest;
use crate::graph::{Counts, Limits, Pause, Prefixes};
use crate::language::Language;
use crate::workers::{Alone, Workers};

/// So many of the states that wait are looked up among those that are known: in another build none of them is there.
const SAMPLE: usize = 1000;

/// States are moved where a member has so many times what is its due: whoever gets them goes the ways there once more.
const UNEVEN: f64 = 1.25;

/// The member that all others hear what to do from, and that tells the user.
pub struct Leader<'n, L: Language, F, K, N> {
    member: Member<L, F, K>,
    notes: Notes<'n, K, N>,
    stint: u32,
    depth: u32,
    /// How far each has come.
    tallies: Vec<Tally>,
    /// Who is idle in this stint.
    idle: Vec<bool>,
    /// Who was asked how far it has come, and has not said.
    asked: Vec<bool>,
    /// What was kept of each, where that was asked for.
    kept: Vec<Option<(KeptShares, N)>>,
    /// Digests that a member told.
    told: Option<Option<Vec<u8>>>,
}

impl<'n, L, F, K, N> Leader<'n, L, F, K, N>
where
    L: Language<State: Send, Value: Send> + Clone + Send,
    F: Digest,
    K: Onlooker<L> + Send,
{
    /// The leader of members that have so many shares, itself first; `looks` are at its own, `notes` says what was noted.
    ///
    /// # Panics
    /// There is not one for each.
    pub fn new(language: &L, shares: &[u32], looks: Vec<K>, notes: &'n dyn Fn(&[K]) -> N) -> Self {
        let members = shares.len();
        Self {
            member: Member::new(language, 0, shares, looks),
            notes,
            stint: 0,
            depth: 0,
            tallies: vec![Tally::default(); members],
            idle: vec![true; members],
            asked: vec![false; members],
            kept: (0..members).map(|_| None).collect(),
            told: None,
        }
    }

    /// Deals out what was kept of a survey, and the digests of its states.
    ///
    /// # Errors
    /// [`Apart::Foreign`] if the program has no such states, [`Apart::Broken`] if a digest could not be read.
    pub fn deal(
        &mut self,
        post: &mut dyn Post<Letter<N>>,
        kept: &[(Counts, Prefixes)],
        digests: impl IntoIterator<Item = Option<F>>,
    ) -> Result<(), Apart> {
        let mut counts = counted(kept).map_err(|NoWay| Apart::Foreign)?;
        let mut sample = self.sample(kept).map_err(|NoWay| Apart::Foreign)?;
        self.depth = counts.depth;
        let members = self.member.members();
        for member in 0..members {
            self.send(post, member, Letter::Begin(counts))?;
            let depth = counts.depth;
            counts = Counts {
                depth,
                ..Counts::default()
            };
        }
        let mut owned: Vec<Vec<F>> = vec![Vec::new(); members];
        for digest in digests {
            let digest = digest.ok_or(Apart::Broken)?;
            sample.remove(&digest);
            let member = self.member.who_has(digest.owner(self.member.shares()));
            owned[member].push(digest);
            if owned[member].len() == DEALT {
                let letter = Letter::Know(packed(&std::mem::take(&mut owned[member])));
                self.send(post, member, letter)?;
            }
        }
        for (member, digests) in owned.iter().enumerate() {
            self.send(post, member, Letter::Know(packed(digests)))?;
        }
        if !sample.is_empty() {
            return Err(Apart::Foreign);
        }
        for (_, prefixes) in kept {
            let mut parts = prefixes.split(self.member.shares() as usize).into_iter();
            for member in 0..members {
                let ways = parts.by_ref().take(self.member.shares_of(member) as usize);
                let ways = ways.collect();
                self.send(post, member, Letter::Take { stint: 0, ways })?;
            }
        }
        // How much each has got.
        self.stint(post, false, false)?;
        while !self.are_idle() {
            self.step(post, &Alone)?;
        }
        Ok(())
    }

    /// The digests of some of the states that wait.
    fn sample(&self, kept: &[(Counts, Prefixes)]) -> Result<BTreeSet<F>, NoWay> {
        let language = self.member.survey.shares[0].language();
        let mut alone = Survey::<L, F>::part(language, (0, 1, 1));
        let mut left = SAMPLE;
        for (_, prefixes) in kept {
            let some = prefixes.first(left, false);
            left -= some.now.len() + some.next.len();
            alone.shares[0].take(&some)?;
        }
        Ok(alone.shares[0].waiting_digests().collect())
    }

    /// Explores until done, a limit is reached, or `keep_going` (which is shown how far all have come) returns false.
    /// Afterwards nobody does anything.
    ///
    /// # Errors
    /// [`Apart`].
    pub fn run(
        &mut self,
        post: &mut dyn Post<Letter<N>>,
        workers: &dyn Workers,
        limits: &Limits,
        mut keep_going: impl FnMut(&Tally, &[Tally]) -> bool,
    ) -> Result<Pause, Apart> {
        loop {
            let all = self.tally();
            if all.waiting + all.ahead == 0 {
                return Ok(match (all.counts.lost, all.counts.unfollowed) {
                    (0, 0) => Pause::Complete,
                    (0, _) => Pause::Unfollowed,
                    _ => Pause::Full,
                });
            }
            let deepens = all.waiting == 0;
            self.depth += u32::from(deepens);
            let mut pause = self.pause(limits, &mut keep_going);
            self.stint(post, deepens, pause.is_none())?;
            while !self.are_idle() {
                self.step(post, workers)?;
                if pause.is_none() {
                    self.ask_all(post)?;
                    pause = self.pause(limits, &mut keep_going);
                    if pause.is_some() {
                        self.stint(post, false, false)?;
                    }
                }
            }
            let all = self.tally();
            if let Some(pause) = pause
                && all.waiting + all.ahead > 0
            {
                return Ok(pause);
            }
        }
    }

    fn pause(
        &self,
        limits: &Limits,
        keep_going: &mut impl FnMut(&Tally, &[Tally]) -> bool,
    ) -> Option<Pause> {
        let all = self.tally();
        if self.depth >= limits.depth {
            Some(Pause::Depth)
        } else if all.states >= limits.states as u64 {
            Some(Pause::States)
        } else if !keep_going(&all, &self.tallies) {
            Some(Pause::Cancelled)
        } else {
            None
        }
    }

    /// How far all have come together.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut all = Tally::of(&self.tallies);
        all.counts.depth = self.depth;
        all
    }

    /// How far each has come.
    #[must_use]
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// What all shares have, and what the members noted; without `all` only what was counted, and ends.
    ///
    /// # Errors
    /// [`Apart`].
    pub fn kept(
        &mut self,
        post: &mut dyn Post<Letter<N>>,
        all: bool,
    ) -> Result<(KeptShares, Vec<N>), Apart> {
        for member in 0..self.member.members() {
            self.send(post, member, Letter::Keep { all })?;
        }
        while self.kept.iter().any(Option::is_none) {
            self.step(post, &Alone)?;
        }
        let (mut shares, mut notes) = (Vec::new(), Vec::new());
        for (kept, noted) in self.kept.iter_mut().filter_map(Option::take) {
            shares.extend(kept);
            notes.push(noted);
        }
        Ok((shares, notes))
    }

    /// The digests of all states, in sorted parts, until one cannot be had.
    pub fn digests(
        &mut self,
        post: &mut dyn Post<Letter<N>>,
    ) -> impl Iterator<Item = Result<Vec<F>, Apart>> {
        let (mut member, mut part) = (0, 0);
        std::iter::from_fn(move || {
            while member < self.member.members() {
                let told = self.tell(post, member, part);
                part += 1;
                match told {
                    Ok(None) => (member, part) = (member + 1, 0),
                    Ok(Some(digests)) => return Some(Ok(digests)),
                    Err(error) => {
                        member = usize::MAX;
                        return Some(Err(error));
                    }
                }
            }
            None
        })
    }

    /// Some of the digests of a member.
    fn tell(
        &mut self,
        post: &mut dyn Post<Letter<N>>,
        member: usize,
        part: u32,
    ) -> Result<Option<Vec<F>>, Apart> {
        self.send(post, member, Letter::Tell(part))?;
        let told = loop {
            match self.told.take() {
                Some(told) => break told,
                None => self.step(post, &Alone)?,
            }
        };
        Ok(told.map(|digests| unpacked(&digests).collect()))
    }

    /// Tells the others that this was all.
    pub fn end(&self, post: &mut dyn Post<Letter<N>>) {
        for member in 1..self.member.members() {
            post.send(member, Letter::End);
        }
    }

    /// Begins a stint.
    fn stint(
        &mut self,
        post: &mut dyn Post<Letter<N>>,
        deepens: bool,
        follows: bool,
    ) -> Result<(), Apart> {
        self.stint += 1;
        self.idle.fill(false);
        let mut stints: Vec<Stint> = (0..self.member.members())
            .map(|_| Stint {
                number: self.stint,
                deepens,
                follows,
                ..Stint::default()
            })
            .collect();
        if follows && deepens {
            for (from, to, states) in self.moves() {
                stints[from].gives.push((to as u32, states));
                stints[to].takes += 1;
            }
        }
        for (member, stint) in stints.into_iter().enumerate() {
            self.send(post, member, Letter::Stint(stint))?;
        }
        Ok(())
    }

    /// Who gives how many states to whom, so that all have their due.
    fn moves(&self) -> Vec<(usize, usize, u64)> {
        let mut has: Vec<u64> = self.tallies.iter().map(|tally| tally.ahead).collect();
        let (all, shares) = (has.iter().sum::<u64>(), u64::from(self.member.shares()));
        let mut moves = Vec::new();
        if all < SEEDS as u64 * shares {
            return moves;
        }
        let due: Vec<u64> = (0..has.len())
            .map(|member| all * u64::from(self.member.shares_of(member)) / shares)
            .collect();
        let over = |has: &[u64], member: usize| has[member] as f64 / due[member].max(1) as f64;
        let by_over =
            |has: &[u64], one: &usize, other: &usize| over(has, *one).total_cmp(&over(has, *other));
        while let Some(rich) = (0..has.len()).max_by(|one, other| by_over(&has, one, other))
            && let Some(poor) = (0..has.len()).min_by(|one, other| by_over(&has, one, other))
            && over(&has, rich) > UNEVEN
        {
            let states = (has[rich] - due[rich]).min(due[poor] - has[poor]).max(1);
            has[rich] -= states;
            has[poor] += states;
            moves.push((rich, poor, states));
        }
        moves
    }

    fn are_idle(&self) -> bool {
        self.idle.iter().all(|idle| *idle)
    }

    /// Asks all how far they have come that have said it since they were asked last.
    fn ask_all(&mut self, post: &mut dyn Post<Letter<N>>) -> Result<(), Apart> {
        for member in 0..self.asked.len() {
            if !std::mem::replace(&mut self.asked[member], true) {
                self.send(post, member, Letter::Say)?;
            }
        }
        Ok(())
    }

    /// Does its own part, and hears what there is to hear.
    fn step(&mut self, post: &mut dyn Post<Letter<N>>, workers: &dyn Workers) -> Result<(), Apart> {
        let mut out = Vec::new();
        self.member.sent = post.sent();
        let is_busy = self.member.follow(workers, &mut out);
        self.carry(post, out)?;
        let mut wait = if is_busy { Duration::ZERO } else { WAIT };
        while let Some((from, letter)) = post.next(wait)? {
            self.hear(post, from, letter)?;
            wait = Duration::ZERO;
        }
        Ok(())
    }

    fn send(
        &mut self,
        post: &mut dyn Post<Letter<N>>,
        to: usize,
        letter: Letter<N>,
    ) -> Result<(), Apart> {
        self.carry(post, vec![(to, letter)])
    }

    /// Sends letters; those to itself it hears at once.
    fn carry(&mut self, post: &mut dyn Post<Letter<N>>, letters: Outgoing<N>) -> Result<(), Apart> {
        for (to, letter) in letters {
            match to {
                0 => self.hear(post, 0, letter)?,
                _ => post.send(to, letter),
            }
        }
        Ok(())
    }

    fn hear(
        &mut self,
        post: &mut dyn Post<Letter<N>>,
        from: usize,
        letter: Letter<N>,
    ) -> Result<(), Apart> {
        match letter {
            Letter::Said(tally) => {
                self.asked[from] = false;
                self.tallies[from] = tally;
            }
            Letter::Idle(stint, tally) if stint == self.stint => {
                self.idle[from] = true;
                self.tallies[from] = tally;
            }
            Letter::Kept(shares, noted) => self.kept[from] = Some((shares, noted)),
            Letter::Told(digests) => self.told = Some(digests),
            Letter::Foreign => return Err(Apart::Foreign),
            Letter::Gone(member, why) => {
                let member = member as usize;
                return Err(Apart::Gone { member, why });
            }
            letter => {
                let mut out = Vec::new();
                self.member.hear(from, letter, self.notes, &mut out);
                self.carry(post, out)?;
            }
        }
        Ok(())
    }
}
