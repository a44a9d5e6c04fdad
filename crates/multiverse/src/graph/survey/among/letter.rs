//! What the members of a survey say to each other.

use serde::{Deserialize, Serialize};

use super::super::prefixes::Prefixes;
use super::super::share::Counts;
use crate::fingerprint::Digest;

/// A letter; `N` is what members note of the states that they follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Letter<N> {
    /// From the leader: a survey begins, of which so much was counted.
    Begin(Counts),
    /// From the leader: digests that somebody came to.
    Know(Vec<u8>),
    /// States to be followed in a stint, and ends.
    Take {
        /// In which stint: it may not have come yet.
        stint: u32,
        /// The ways there, for one share after the other.
        ways: Vec<Prefixes>,
    },
    /// From the leader: the next stint.
    Stint(Stint),
    /// To who owns these digests: which are new?
    Ask {
        /// The share that asks.
        from: u32,
        /// The share that is asked.
        to: u32,
        /// The number of the question.
        number: u32,
        /// What it is about.
        digests: Vec<u8>,
    },
    /// The answer to that.
    Answer {
        /// The share that asked.
        to: u32,
        /// The number of the question.
        number: u32,
        /// A bit for each digest, set where it is new.
        is_new: Vec<u64>,
    },
    /// From the leader: how far has it come?
    Say,
    /// So far.
    Said(Tally),
    /// This stint is over, as far as this member is concerned.
    Idle(u32, Tally),
    /// From the leader: what is to be kept?
    Keep {
        /// Whether that is all; otherwise what was counted, and ends.
        all: bool,
    },
    /// This: for each share, and what was noted.
    Kept(Vec<(Counts, Prefixes)>, N),
    /// From the leader: which states are known, in so many parts the one with this number?
    Tell(u32),
    /// These, sorted; nothing if there are no such part and none after it.
    Told(Option<Vec<u8>>),
    /// What was to be taken is none of this program.
    Foreign,
    /// Somebody cannot be reached any more.
    Gone(u32, String),
    /// From the leader: that was all.
    End,
}

/// What members do until none has anything to do any more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stint {
    /// Its number.
    pub number: u32,
    /// Whether the next level begins with it.
    pub deepens: bool,
    /// Whether states are followed; otherwise members only see to what they are owed.
    pub follows: bool,
    /// To whom how many states are given first.
    pub gives: Vec<(u32, u64)>,
    /// How many give to this member.
    pub takes: u32,
}

/// How far a member has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// States whose digests it owns.
    pub states: u64,
    /// States of this level that it has still to follow.
    pub waiting: u64,
    /// States of the next level.
    pub ahead: u64,
    /// Bytes on its heap, without what states own there.
    pub bytes: u64,
    /// Bytes that it has sent to others.
    pub sent: u64,
    /// What it has counted.
    pub counts: Counts,
}

impl Tally {
    /// That of several.
    #[must_use]
    pub fn of(all: &[Self]) -> Self {
        all.iter().fold(Self::default(), |mut sum, one| {
            sum.states += one.states;
            sum.waiting += one.waiting;
            sum.ahead += one.ahead;
            sum.bytes += one.bytes;
            sum.sent += one.sent;
            sum.counts.add(one.counts);
            sum
        })
    }
}

/// Digests as they travel: eight or sixteen bytes each.
pub(super) fn packed<F: Digest>(digests: &[F]) -> Vec<u8> {
    let size = F::BITS as usize / 8;
    let mut bytes = Vec::with_capacity(digests.len() * size);
    for digest in digests {
        bytes.extend_from_slice(&digest.bits().to_le_bytes()[..size]);
    }
    bytes
}

/// What was packed.
pub(super) fn unpacked<F: Digest>(bytes: &[u8]) -> impl Iterator<Item = F> {
    bytes.chunks_exact(F::BITS as usize / 8).map(|chunk| {
        let mut bits = [0; 16];
        bits[..chunk.len()].copy_from_slice(chunk);
        F::of_bits(u128::from_le_bytes(bits))
    })
}
