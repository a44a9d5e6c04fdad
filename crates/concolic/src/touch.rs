//! What a program's steps touch, in one form: single loads and stores and whole stretches of memory, what calls read and
//! write of it, globals, and what of the outside a call is about.

use std::collections::{BTreeMap, BTreeSet};

use borges_board::EventSource;
use borges_multiverse::language::{Footprint, Reach, Touchable};
use borges_vm::binary::Instr;
use serde::{Deserialize, Serialize};

/// Bytes of a block: as many as a mask has bits.
const BLOCK: u64 = 64;
/// Of more blocks, it is all of the memory.
const MOST_BLOCKS: usize = 1 << 12;

/// Something that a step of a device program can touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touch {
    /// Of the memory's block with this number, of 64 bytes, those whose bits are set.
    Bytes(u64, u64),
    /// How large the memory is.
    Size,
    /// The memory, whatever its size.
    Memory,
    /// A global.
    Global(u32),
    /// What tables hold, and so which functions the handlers are.
    Tables,
    /// Which segments were dropped.
    Segments,
    /// Who goes on: nobody after an end, nobody else while a handler runs.
    Turn,
    /// Whether events may arrive from there.
    Subscription(EventSource),
    /// From where events may arrive.
    Subscriptions,
    /// How much room the stack has.
    Depth,
    /// A pin that is written to.
    Pin(u8),
    /// What an input reads, by a name.
    Input(u64),
    /// All of the board.
    Outside,
    /// It may be anything.
    Anything,
}

impl Touchable for Touch {
    fn overlaps(&self, other: &Self) -> bool {
        let within = |whole: &Self, part: &Self| match (whole, part) {
            (Touch::Anything, _) => true,
            (Touch::Memory, part) => matches!(part, Touch::Bytes(..) | Touch::Size),
            (Touch::Subscriptions, part) => matches!(part, Touch::Subscription(_)),
            (Touch::Outside, part) => matches!(part, Touch::Pin(_) | Touch::Input(_)),
            (Touch::Bytes(one, some), Touch::Bytes(other, others)) => {
                one == other && some & others != 0
            }
            _ => false,
        };
        self == other || within(self, other) || within(other, self)
    }

    fn reach(&self) -> Reach {
        match self {
            Touch::Bytes(block, _) => Reach::Region(*block),
            Touch::Memory | Touch::Subscriptions | Touch::Outside | Touch::Anything => {
                Reach::Everything
            }
            _ => Reach::Itself,
        }
    }
}

/// What an instruction touches by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    Nothing,
    /// At an address that is seen when it is executed.
    Access,
    /// So many bytes from an address on.
    Fill,
    /// The same, from a segment.
    Init,
    /// So many bytes from one address to another.
    Copy,
    Reads(Touch),
    Writes(Touch),
}

impl Own {
    pub(crate) fn of(instr: &Instr<'_>) -> Self {
        match *instr {
            Instr::GlobalGet(global) => Own::Reads(Touch::Global(global)),
            Instr::GlobalSet(global) => Own::Writes(Touch::Global(global)),
            Instr::Load(..) | Instr::Store(..) => Own::Access,
            Instr::MemoryFill => Own::Fill,
            Instr::MemoryInit(_) => Own::Init,
            Instr::MemoryCopy => Own::Copy,
            Instr::MemorySize => Own::Reads(Touch::Size),
            Instr::MemoryGrow => Own::Writes(Touch::Memory),
            Instr::TableGet(_)
            | Instr::TableSize(_)
            | Instr::CallIndirect { .. }
            | Instr::ReturnCallIndirect { .. } => Own::Reads(Touch::Tables),
            Instr::TableSet(_)
            | Instr::TableCopy { .. }
            | Instr::TableGrow(_)
            | Instr::TableFill(_) => Own::Writes(Touch::Tables),
            // Both what it reads and what it writes.
            Instr::TableInit { .. } => Own::Writes(Touch::Anything),
            Instr::DataDrop(_) | Instr::ElemDrop(_) => Own::Writes(Touch::Segments),
            // Not followed where states are compared: whoever asks must not believe more than that.
            Instr::Elsewhere(_)
            | Instr::Wide(..)
            | Instr::Throw(_)
            | Instr::ThrowRef
            | Instr::Rethrow(_) => Own::Writes(Touch::Anything),
            _ => Own::Nothing,
        }
    }
}

/// Bytes of the memory, by block: those whose bits are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub(crate) struct ByteSet {
    blocks: BTreeMap<u64, u64>,
    count: usize,
}

/// Where an access goes: from the first byte to the last.
pub(crate) type Span = (u64, u64);

impl ByteSet {
    pub(crate) fn add(&mut self, span: Span) {
        for (block, mask) in by_block(span) {
            let known = self.blocks.entry(block).or_default();
            self.count += (mask & !*known).count_ones() as usize;
            *known |= mask;
        }
    }

    /// How many they are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether some of these are among them.
    pub(crate) fn touches(&self, span: Span) -> bool {
        by_block(span).any(|(block, mask)| self.within(block) & mask != 0)
    }

    /// Whether all of others are among them.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let mut others = other.blocks.iter();
        others.all(|(block, mask)| mask & !self.within(*block) == 0)
    }

    /// These, and others.
    pub(crate) fn with(&self, other: &Self) -> Self {
        let mut all = self.clone();
        for (block, mask) in &other.blocks {
            let known = all.blocks.entry(*block).or_default();
            all.count += (mask & !*known).count_ones() as usize;
            *known |= mask;
        }
        all
    }

    fn within(&self, block: u64) -> u64 {
        self.blocks.get(&block).copied().unwrap_or(0)
    }
}

/// The bytes of a span, by block.
fn by_block((first, last): Span) -> impl Iterator<Item = (u64, u64)> {
    (first / BLOCK..=last / BLOCK).map(move |block| {
        let from = first.max(block * BLOCK) % BLOCK;
        let to = last.min(block * BLOCK + (BLOCK - 1)) % BLOCK;
        (block, u64::MAX << from & u64::MAX >> (BLOCK - 1 - to))
    })
}

/// One by one, in order.
impl From<ByteSet> for Vec<u64> {
    fn from(bytes: ByteSet) -> Self {
        let blocks = bytes.blocks.into_iter();
        let all = blocks.flat_map(|(block, mask)| {
            let bits = (0..BLOCK).filter(move |bit| mask >> bit & 1 != 0);
            bits.map(move |bit| block * BLOCK + bit)
        });
        all.collect()
    }
}

impl From<Vec<u64>> for ByteSet {
    fn from(all: Vec<u64>) -> Self {
        let mut bytes = ByteSet::default();
        all.into_iter().for_each(|byte| bytes.add((byte, byte)));
        bytes
    }
}

/// What a path has touched since its step began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    loaded: ByteSet,
    stored: ByteSet,
    reads: BTreeSet<Touch>,
    writes: BTreeSet<Touch>,
}

impl Marks {
    pub(crate) fn read(&mut self, touch: Touch) {
        self.reads.insert(touch);
    }

    pub(crate) fn write(&mut self, touch: Touch) {
        self.writes.insert(touch);
    }

    /// The bytes from the first to the last of these are read, or written; all of them, if it is not known which.
    pub(crate) fn access(&mut self, is_store: bool, span: Option<Span>) {
        let (bytes, others) = match is_store {
            true => (&mut self.stored, &mut self.writes),
            false => (&mut self.loaded, &mut self.reads),
        };
        let most = MOST_BLOCKS as u64 * BLOCK;
        let few = |(first, last): &Span| first <= last && last - first < most;
        match span.filter(few) {
            Some(span) if bytes.blocks.len() < MOST_BLOCKS => bytes.add(span),
            _ => {
                others.insert(Touch::Memory);
            }
        }
    }

    /// All of it.
    pub(crate) fn footprint(&self) -> Footprint<Touch> {
        let all = |others: &BTreeSet<Touch>, bytes: &ByteSet| {
            let blocks = bytes.blocks.iter();
            let blocks = blocks.map(|(block, mask)| Touch::Bytes(*block, *mask));
            others.iter().copied().chain(blocks).collect()
        };
        Footprint {
            reads: all(&self.reads, &self.loaded),
            writes: all(&self.writes, &self.stored),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of random stretches against sets of single bytes.
    #[test]
    fn stretches_overlap_where_their_bytes_do() {
        let mut rng = fastrand::Rng::with_seed(11);
        let (mut both, mut neither) = (0, 0);
        for _ in 0..2_000 {
            let mut stretch = || {
                let first = rng.u64(0..200);
                (first, first + rng.u64(0..70))
            };
            let (one, other) = (stretch(), stretch());
            let footprint = |is_store, span| {
                let mut marks = Marks::default();
                marks.access(is_store, Some(span));
                marks.footprint()
            };
            let overlap = one.0 <= other.1 && other.0 <= one.1;
            assert_eq!(
                footprint(true, one).conflicts(&footprint(false, other)),
                overlap,
                "{one:?} {other:?}"
            );
            assert!(!footprint(false, one).conflicts(&footprint(false, other)));
            let all = footprint(true, one).writes;
            let count = |touch: &Touch| match touch {
                Touch::Bytes(_, mask) => u64::from(mask.count_ones()),
                _ => 0,
            };
            assert_eq!(all.iter().map(count).sum::<u64>(), one.1 - one.0 + 1);
            (both, neither) = (both + u32::from(overlap), neither + u32::from(!overlap));
        }
        assert!(both > 200 && neither > 200, "{both} {neither}");
    }

    /// Random stretches as bytes by block, and one by one.
    #[test]
    fn bytes_by_block_are_those_one_by_one() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..500 {
            let mut sets = || {
                let (mut bytes, mut plain) = (ByteSet::default(), BTreeSet::new());
                for _ in 0..rng.u32(0..4) {
                    let first = rng.u64(0..300);
                    let span = (first, first + rng.u64(0..90));
                    bytes.add(span);
                    plain.extend(span.0..=span.1);
                }
                assert_eq!(bytes.count(), plain.len());
                let listed: Vec<u64> = bytes.clone().into();
                assert!(listed.iter().eq(&plain));
                assert_eq!(ByteSet::from(listed), bytes);
                (bytes, plain)
            };
            let ((one, plain), (other, others)) = (sets(), sets());
            assert_eq!(one.covers(&other), plain.is_superset(&others));
            let both: Vec<u64> = one.with(&other).into();
            assert!(both.into_iter().eq(&plain | &others));
            let first = rng.u64(0..400);
            let span = (first, first + rng.u64(0..70));
            let touches = plain.range(span.0..=span.1).next().is_some();
            assert_eq!(one.touches(span), touches);
        }
    }

    /// Whatever overlaps is found where resources are looked up.
    #[test]
    fn what_overlaps_is_within_reach() {
        let all = [
            Touch::Bytes(0, 1),
            Touch::Bytes(0, 3),
            Touch::Bytes(1, 1),
            Touch::Size,
            Touch::Memory,
            Touch::Global(0),
            Touch::Tables,
            Touch::Subscription(EventSource::Timer),
            Touch::Subscriptions,
            Touch::Pin(0),
            Touch::Input(0),
            Touch::Outside,
            Touch::Anything,
        ];
        for one in all {
            for other in all {
                assert_eq!(one.overlaps(&other), other.overlaps(&one));
                let found = match (one.reach(), other.reach()) {
                    (Reach::Everything, _) | (_, Reach::Everything) => true,
                    (Reach::Region(one), Reach::Region(other)) => one == other,
                    _ => one == other,
                };
                assert!(found || !one.overlaps(&other), "{one:?} {other:?}");
            }
            assert!(one.overlaps(&one) && one.overlaps(&Touch::Anything));
        }
    }

    /// At the most blocks that are told apart, and at one more.
    #[test]
    fn of_too_many_bytes_it_is_the_memory() {
        let span = |blocks: u64| {
            let mut marks = Marks::default();
            marks.access(true, Some((0, blocks * BLOCK - 1)));
            marks.footprint().writes
        };
        assert_eq!(span(MOST_BLOCKS as u64).len(), MOST_BLOCKS);
        assert_eq!(span(MOST_BLOCKS as u64 + 1), [Touch::Memory]);
    }
}
