//! Other processes that look at states, as who surveys sees them.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use borges_concolic::{Facts, Packer, SentState, Showing};
use borges_multiverse::fingerprint::WideFingerprint;
use borges_multiverse::graph::{Apart, Bell};

use super::desk::{Desk, Looked};
use super::letters::{LOOK, LookLetter, LookPost};

/// A process has so many states for each of its cores, if there are any: it need not wait for the next.
const THERE: usize = 64;

/// Other processes.
pub(in crate::suggest) struct Others {
    /// On how many cores each of them works; this process is the first.
    cores: Vec<u32>,
    post: Mutex<LookPost>,
    bell: Arc<Bell>,
    /// How often looking began.
    begun: AtomicU32,
    apart: Mutex<Option<Apart>>,
    are_apart: AtomicBool,
    asks: AtomicU64,
    sent: AtomicU64,
}

/// How much one of them has.
#[derive(Clone, Default)]
struct Load {
    /// The states that it was given and has not told of yet.
    has: HashSet<WideFingerprint>,
    /// Bytes that it has sent.
    sent: u64,
}

impl Load {
    /// It tells of these states; nothing if it has not all of them.
    fn answered(&mut self, looked: Vec<(u128, Showing)>) -> Option<Vec<Looked>> {
        let looked = looked.into_iter().map(|(name, showing)| {
            let name = WideFingerprint(name);
            self.has.remove(&name).then_some((name, showing))
        });
        looked.collect()
    }
}

impl Others {
    pub(in crate::suggest) fn new(cores: Vec<u32>, post: LookPost) -> Self {
        Self {
            cores,
            bell: Arc::new(post.bell()),
            post: Mutex::new(post),
            begun: AtomicU32::default(),
            apart: Mutex::default(),
            are_apart: AtomicBool::default(),
            asks: AtomicU64::default(),
            sent: AtomicU64::default(),
        }
    }

    /// On how many cores all of them work.
    pub(in crate::suggest) fn count(&self) -> usize {
        self.cores.iter().skip(1).sum::<u32>() as usize
    }

    pub(in crate::suggest) fn bell(&self) -> Bell {
        let bell = Arc::clone(&self.bell);
        Box::new(move || bell())
    }

    /// How many states they were asked for, and how many bytes all have sent to each other.
    pub(in crate::suggest) fn told(&self) -> (u64, u64) {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (of(&self.asks), of(&self.sent))
    }

    /// Whether one of them is gone, or makes no sense.
    pub(in crate::suggest) fn are_apart(&self) -> bool {
        self.are_apart.load(Ordering::Relaxed)
    }

    /// Why they do not go on together.
    pub(in crate::suggest) fn apart(&self) -> Option<Apart> {
        // Most often nobody need be asked.
        self.are_apart()
            .then(|| lock(&self.apart).clone())
            .flatten()
    }

    pub(in crate::suggest) fn part(&self, why: Apart) {
        lock(&self.apart).get_or_insert(why);
        self.are_apart.store(true, Ordering::Relaxed);
    }

    /// Says that that was all.
    pub(in crate::suggest) fn end(&self) {
        let mut post = lock(&self.post);
        (1..self.cores.len()).for_each(|member| post.send(member, LookLetter::End));
    }

    /// Has them look at states, as a thread that looks would, until that is over or one is gone.
    pub(in crate::suggest) fn serve(
        &self,
        desk: &Desk,
        (facts, packer): (&Facts, &Packer),
        to: &Sender<Vec<Looked>>,
    ) {
        // Who carried states before is done soon: it was told so.
        let mut post = lock(&self.post);
        let begun = self.begun.fetch_add(1, Ordering::Relaxed);
        for member in 1..self.cores.len() {
            post.send(member, LookLetter::Begin(begun, facts.clone()));
        }
        let mut loads = vec![Load::default(); self.cores.len()];
        while !desk.is_over() && !self.are_apart() {
            while let Some(member) = self.idlest(&loads)
                && let Some(states) = desk.next_now()
            {
                let packed = states.iter().map(|state| state.packed(packer));
                let Some(packed) = packed.collect::<Option<Vec<_>>>() else {
                    return self.part(Apart::Senseless);
                };
                loads[member].has.extend(states.iter().map(SentState::name));
                self.asks.fetch_add(packed.len() as u64, Ordering::Relaxed);
                post.send(member, LookLetter::Look(begun, packed));
            }
            match post.next(LOOK) {
                Ok(None) => {}
                Ok(Some((
                    member,
                    LookLetter::Shown {
                        begun: of,
                        sent,
                        looked,
                    },
                ))) => {
                    let Some(load) = loads.get_mut(member) else {
                        continue;
                    };
                    load.sent = sent;
                    // What was looked at before it began again is of no use.
                    if of == begun {
                        match load.answered(looked) {
                            // Who does not listen any more has ended it.
                            Some(looked) => {
                                let _ = to.send(looked);
                            }
                            None => self.part(Apart::Senseless),
                        }
                    }
                }
                Ok(Some((_, LookLetter::Senseless))) => self.part(Apart::Senseless),
                // Nothing else means anything here.
                Ok(Some(_)) => {}
                Err(apart) => self.part(apart),
            }
            let all = loads.iter().map(|load| load.sent);
            let all = all.fold(post.sent(), u64::saturating_add);
            self.sent.store(all, Ordering::Relaxed);
        }
    }

    /// Who has least to do, and can have more.
    fn idlest(&self, loads: &[Load]) -> Option<usize> {
        let has = |member: &usize| loads[*member].has.len() / self.cores[*member].max(1) as usize;
        let least = (1..loads.len()).min_by_key(has);
        least.filter(|member| has(member) < THERE)
    }
}

fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}
