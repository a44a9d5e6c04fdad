//! One of the processes of a survey.

use std::time::Duration;

use super::super::asked::{News, Unsure};
use super::super::share::Share;
use super::super::{NoWay, Onlooker, ROUND, Survey, at_once};
use super::letter::{Stint, Tally, packed, unpacked};
use super::{Apart, Letter, Post};
use crate::fingerprint::Digest;
use crate::graph::Prefixes;
use crate::language::Language;
use crate::workers::Workers;

/// With so many states of which nobody has said yet whether they are new, answers are waited for: they take memory.
const UNSETTLED: usize = 1 << 18;

/// How long to wait for letters where there is nothing to do; what is asked for meanwhile is seen to when one comes.
pub(super) const WAIT: Duration = Duration::from_millis(50);

/// Digests that are dealt in one letter.
pub(super) const DEALT: usize = 1 << 16;

/// Letters to be sent, with whom to.
pub(super) type Outgoing<N> = Vec<(usize, Letter<N>)>;

/// One of several processes that survey a program together, each with some of the shares.
pub struct Member<L: Language, F, K> {
    pub(super) survey: Survey<L, F>,
    /// Who looks at the states of each share.
    pub(super) looks: Vec<K>,
    /// Which one it is.
    place: usize,
    /// The first share of each member, and how many there are in all.
    firsts: Vec<u32>,
    stint: Stint,
    /// Whether it has said that it is idle in this stint.
    is_idle: bool,
    /// How many will still give to it.
    owed: u32,
    /// What was given for a stint that has not come yet.
    early: Vec<(u32, Vec<Prefixes>)>,
    /// Bytes that it has sent.
    pub(super) sent: u64,
}

/// What members note of the states that they follow.
pub(super) type Notes<'n, K, N> = &'n dyn Fn(&[K]) -> N;

impl<L, F, K> Member<L, F, K>
where
    L: Language<State: Send, Value: Send> + Clone + Send,
    F: Digest,
    K: Onlooker<L> + Send,
{
    /// Number `place` of members that have so many shares; `looks` are at those of this one.
    ///
    /// # Panics
    /// There is not one for each.
    pub fn new(language: &L, place: usize, shares: &[u32], looks: Vec<K>) -> Self {
        let mut firsts = vec![0];
        for more in shares {
            firsts.push(firsts[firsts.len() - 1] + more);
        }
        let of = firsts[shares.len()];
        assert_eq!(looks.len(), shares[place] as usize, "one looks at each");
        Self {
            survey: Survey::part(language, (firsts[place], shares[place], of)),
            looks,
            place,
            firsts,
            stint: Stint::default(),
            is_idle: true,
            owed: 0,
            early: Vec::new(),
            sent: 0,
        }
    }

    /// Works for a leader until that says that it was all. `notes` says what was noted of the states.
    ///
    /// # Errors
    /// [`Apart`].
    pub fn work<N>(
        &mut self,
        post: &mut dyn Post<Letter<N>>,
        workers: &dyn Workers,
        notes: &dyn Fn(&[K]) -> N,
    ) -> Result<(), Apart> {
        let (mut out, mut lost) = (Vec::new(), None);
        loop {
            self.sent = post.sent();
            let is_busy = lost.is_none() && self.follow(workers, &mut out);
            let mut wait = if is_busy { Duration::ZERO } else { WAIT };
            for (to, letter) in out.drain(..) {
                post.send(to, letter);
            }
            loop {
                match post.next(wait) {
                    Ok(None) => break,
                    Ok(Some((0, Letter::End))) => return Ok(()),
                    Ok(Some((from, letter))) => self.hear(from, letter, notes, &mut out),
                    // Perhaps it only heard earlier that this was all: the leader knows.
                    Err(Apart::Gone { member, why }) if member != 0 => {
                        post.send(0, Letter::Gone(member as u32, why.clone()));
                        lost.get_or_insert(Apart::Gone { member, why });
                    }
                    Err(error) => return Err(lost.unwrap_or(error)),
                }
                wait = Duration::ZERO;
            }
        }
    }

    /// Takes a letter.
    pub(super) fn hear<N>(
        &mut self,
        from: usize,
        letter: Letter<N>,
        notes: Notes<'_, K, N>,
        out: &mut Outgoing<N>,
    ) {
        match letter {
            Letter::Begin(counts) if from == 0 => self.survey.has_counted(counts),
            Letter::Know(digests) if from == 0 => {
                unpacked(&digests).for_each(|digest| self.survey.know(digest));
            }
            Letter::Stint(stint) if from == 0 => self.begin(stint, out),
            Letter::Take { stint, ways } if stint > self.stint.number => {
                self.early.push((stint, ways))
            }
            Letter::Take { ways, .. } => self.take(&ways, out),
            Letter::Ask {
                from: share,
                to,
                number,
                digests,
            } => {
                let digests = unpacked(&digests).collect();
                if let Some(owner) = self.share(to) {
                    let News { number, is_new } = owner.answer(&Unsure { number, digests });
                    let to = share;
                    out.push((from, Letter::Answer { to, number, is_new }));
                }
            }
            Letter::Answer { to, number, is_new } => {
                if let Some(share) = self.share(to) {
                    share.settle(&News { number, is_new });
                }
            }
            Letter::Say => out.push((from, Letter::Said(self.tally()))),
            Letter::Keep { all } => {
                let kept = self.survey.kept_of(all);
                out.push((from, Letter::Kept(kept, notes(&self.looks))));
            }
            Letter::Tell(nth) => {
                let digests = self.survey.digests_of(nth as usize);
                out.push((from, Letter::Told(digests.map(|part| packed(&part)))));
            }
            // What only the leader is told, or says.
            _ => {}
        }
    }

    /// Follows some states, if there are any and they are to be followed; says so once when there are none.
    pub(super) fn follow<N>(&mut self, workers: &dyn Workers, out: &mut Outgoing<N>) -> bool {
        let shares = &self.survey.shares;
        let is_waiting = shares.iter().any(|share| share.waiting() > 0);
        let unsettled: usize = shares.iter().map(Share::unsettled).sum();
        if self.stint.follows && is_waiting && unsettled < UNSETTLED {
            let most = ROUND * workers.batch();
            let asks = self.survey.round(most, &mut self.looks, &at_once(workers));
            for (from, to, Unsure { number, digests }) in asks {
                let ask = Letter::Ask {
                    from,
                    to,
                    number,
                    digests: packed(&digests),
                };
                out.push((self.who_has(to), ask));
            }
            return true;
        }
        if !self.is_idle && self.owed == 0 && unsettled == 0 && !(self.stint.follows && is_waiting)
        {
            self.is_idle = true;
            out.push((0, Letter::Idle(self.stint.number, self.tally())));
        }
        false
    }

    /// How far it has come.
    pub(super) fn tally(&self) -> Tally {
        Tally {
            sent: self.sent,
            ..Tally::of(&self.survey.tallies())
        }
    }

    fn begin<N>(&mut self, stint: Stint, out: &mut Outgoing<N>) {
        if stint.deepens {
            self.survey.shares.iter_mut().for_each(Share::deepen);
        }
        for (to, states) in &stint.gives {
            let ways = self.survey.give(*states as usize);
            let stint = stint.number;
            out.push((*to as usize, Letter::Take { stint, ways }));
        }
        self.owed += stint.takes;
        (self.stint, self.is_idle) = (stint, false);
        let number = self.stint.number;
        for (_, ways) in self
            .early
            .extract_if(.., |early| early.0 == number)
            .collect::<Vec<_>>()
        {
            self.take(&ways, out);
        }
    }

    fn take<N>(&mut self, ways: &[Prefixes], out: &mut Outgoing<N>) {
        // What is dealt before the first stint is not announced.
        self.owed = self.owed.saturating_sub(1);
        if self.survey.take(ways).is_err() {
            out.push((0, Letter::Foreign));
        }
    }

    fn share(&mut self, number: u32) -> Option<&mut Share<L, F>> {
        let here = number.checked_sub(self.firsts[self.place])?;
        self.survey.shares.get_mut(here as usize)
    }

    /// Which member has a share.
    pub(super) fn who_has(&self, share: u32) -> usize {
        self.firsts.partition_point(|first| *first <= share) - 1
    }

    /// How many shares there are of all members.
    pub(super) fn shares(&self) -> u32 {
        self.firsts[self.firsts.len() - 1]
    }

    /// How many shares a member has.
    pub(super) fn shares_of(&self, member: usize) -> u32 {
        self.firsts[member + 1] - self.firsts[member]
    }

    /// How many members there are.
    pub(super) const fn members(&self) -> usize {
        self.firsts.len() - 1
    }
}

impl<L: Language, F: Digest> Survey<L, F> {
    /// Gives so many states of this level away, of the shares that have most.
    fn give(&mut self, mut states: usize) -> Vec<Prefixes> {
        let mut ways = Vec::new();
        let each = states.div_ceil(self.shares.len());
        while states > 0
            && let Some(rich) = self.shares.iter_mut().max_by_key(|share| share.waiting())
            && rich.waiting() > 0
        {
            let given = rich.give(each.min(states)).0;
            states -= given.now.len();
            ways.push(given);
        }
        ways
    }

    /// Takes what others gave, each for the share that has least.
    fn take(&mut self, ways: &[Prefixes]) -> Result<(), NoWay> {
        for given in ways {
            let poor = self
                .shares
                .iter_mut()
                .min_by_key(|share| share.waiting() + share.ahead());
            poor.map_or(Ok(()), |share| share.take(given))?;
        }
        Ok(())
    }
}
