//! Links for the desk: one in memory that works, and one that does to frames what bad lines do.
//!
//! Everything a [`LossyLink`] does follows from its seed and its virtual clock, so that a failure
//! can be replayed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use borges_board::{GOLDEN, mix};
use borges_wire::link::Link;

/// A clock that its owner moves, or the real one.
#[derive(Clone, Debug)]
pub enum Clock {
    /// Moves only when told to; shared by all clones.
    Virtual(Arc<AtomicU64>),
    /// Counts from a beginning.
    Real(Instant),
}

impl Clock {
    /// A clock at 0 that moves by [`Self::advance`].
    pub fn new_virtual() -> Self {
        Self::Virtual(Arc::new(AtomicU64::new(0)))
    }

    /// A clock that runs by itself, from 0.
    pub fn new_real() -> Self {
        Self::Real(Instant::now())
    }

    /// The time in µs.
    pub fn now_us(&self) -> u64 {
        match self {
            Self::Virtual(now) => now.load(Ordering::SeqCst),
            Self::Real(start) => u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX),
        }
    }

    /// Moves a virtual clock; the real one moves by itself.
    pub fn advance(&self, us: u64) {
        if let Self::Virtual(now) = self {
            now.fetch_add(us, Ordering::SeqCst);
        }
    }
}

/// How many bytes a [`MemoryLink`] holds in each direction before it takes no more.
const MEMORY_LINK_BYTES: usize = 1 << 16;

/// One end of a perfect line in memory. Its two ends may be in different threads.
#[derive(Clone, Debug)]
pub struct MemoryLink {
    clock: Clock,
    incoming: Arc<Pipe>,
    outgoing: Arc<Pipe>,
}

#[derive(Debug, Default)]
struct Pipe {
    bytes: Mutex<VecDeque<u8>>,
    changed: Condvar,
}

impl MemoryLink {
    /// The two ends of a line.
    pub fn pair(clock: &Clock) -> (Self, Self) {
        let (a, b) = (Arc::<Pipe>::default(), Arc::<Pipe>::default());
        let end = |incoming: &Arc<Pipe>, outgoing: &Arc<Pipe>| Self {
            clock: clock.clone(),
            incoming: incoming.clone(),
            outgoing: outgoing.clone(),
        };
        (end(&a, &b), end(&b, &a))
    }

    /// Waits until something has arrived, in real time. Says whether something has.
    pub fn wait(&self, timeout: Duration) -> bool {
        let bytes = lock(&self.incoming.bytes);
        let waited = self
            .incoming
            .changed
            .wait_timeout_while(bytes, timeout, |bytes| bytes.is_empty());
        !waited.unwrap_or_else(PoisonError::into_inner).0.is_empty()
    }
}

impl Link for MemoryLink {
    fn send(&mut self, bytes: &[u8]) -> usize {
        let mut pipe = lock(&self.outgoing.bytes);
        let length = bytes
            .len()
            .min(MEMORY_LINK_BYTES.saturating_sub(pipe.len()));
        pipe.extend(&bytes[..length]);
        drop(pipe);
        self.outgoing.changed.notify_all();
        length
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        let mut pipe = lock(&self.incoming.bytes);
        drain(&mut pipe, buffer)
    }

    fn now_us(&self) -> u64 {
        self.clock.now_us()
    }
}

/// What a line does to the pieces that it is given. Probabilities are from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    /// A piece never arrives.
    pub loss: f64,
    /// A piece arrives twice.
    pub duplicate: f64,
    /// Bits flip, bytes vanish or appear, or the piece is cut.
    pub corrupt: f64,
    /// A piece is held back by up to ten times the longest delay, so that others overtake it.
    pub reorder: f64,
    /// Text of somebody else's lands between two pieces.
    pub babble: f64,
    /// The shortest and the longest time on the line, in µs.
    pub delay_us: (u64, u64),
}

impl Faults {
    /// A line that works, with a delay of 1 ms.
    pub fn none() -> Self {
        Self {
            loss: 0.0,
            duplicate: 0.0,
            corrupt: 0.0,
            reorder: 0.0,
            babble: 0.0,
            delay_us: (1000, 1000),
        }
    }

    /// A bad line: 10 % loss, 1 % corruption, doubles, overtaking, delays up to 5 ms.
    pub fn bad() -> Self {
        Self {
            loss: 0.1,
            duplicate: 0.05,
            corrupt: 0.01,
            reorder: 0.05,
            babble: 0.0,
            delay_us: (200, 5000),
        }
    }
}

/// One end of a bad line.
///
/// What one call of [`Link::send`] gives is one piece: it is lost, doubled, delayed as a whole.
#[derive(Clone, Debug)]
pub struct LossyLink {
    clock: Clock,
    incoming: Arc<Mutex<Direction>>,
    outgoing: Arc<Mutex<Direction>>,
}

#[derive(Debug)]
struct Direction {
    random: Random,
    faults: Faults,
    up: bool,
    /// Pieces under way, by time of arrival and order of sending.
    pieces: BTreeMap<(u64, u64), Vec<u8>>,
    sent: u64,
    arrived: VecDeque<u8>,
}

impl LossyLink {
    /// The two ends of a line with the same faults both ways.
    pub fn pair(clock: &Clock, faults: &Faults, seed: u64) -> (Self, Self) {
        let direction = |salt: u64| {
            Arc::new(Mutex::new(Direction {
                random: Random(seed ^ salt),
                faults: faults.clone(),
                up: true,
                pieces: BTreeMap::new(),
                sent: 0,
                arrived: VecDeque::new(),
            }))
        };
        let (a, b) = (direction(0), direction(0x5eed));
        let clock = clock.clone();
        (
            Self {
                clock: clock.clone(),
                incoming: a.clone(),
                outgoing: b.clone(),
            },
            Self {
                clock,
                incoming: b,
                outgoing: a,
            },
        )
    }

    /// Unplugs the line (what is under way is lost) or plugs it in again, for both ends.
    pub fn set_up(&self, up: bool) {
        for direction in [&self.incoming, &self.outgoing] {
            let mut direction = lock(direction);
            direction.up = up;
            if !up {
                direction.pieces.clear();
            }
        }
    }

    /// Changes what the line does, both ways, while a test runs.
    pub fn set_faults(&self, faults: &Faults) {
        for direction in [&self.incoming, &self.outgoing] {
            lock(direction).faults = faults.clone();
        }
    }

    /// When the next piece arrives at this end, if one is under way: how far a test can let time jump.
    pub fn next_arrival_us(&self) -> Option<u64> {
        lock(&self.incoming).pieces.keys().next().map(|key| key.0)
    }
}

impl Link for LossyLink {
    fn send(&mut self, bytes: &[u8]) -> usize {
        lock(&self.outgoing).send(self.clock.now_us(), bytes);
        bytes.len()
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        let mut direction = lock(&self.incoming);
        direction.arrive(self.clock.now_us());
        drain(&mut direction.arrived, buffer)
    }

    fn now_us(&self) -> u64 {
        self.clock.now_us()
    }
}

impl Direction {
    fn send(&mut self, now: u64, bytes: &[u8]) {
        if !self.up || self.random.chance(self.faults.loss) {
            return;
        }
        let copies = if self.random.chance(self.faults.duplicate) {
            2
        } else {
            1
        };
        for _ in 0..copies {
            let mut piece = bytes.to_vec();
            if self.random.chance(self.faults.corrupt) {
                self.random.corrupt(&mut piece);
            }
            if self.random.chance(self.faults.babble) {
                piece.splice(0..0, *b"a text\r\n");
            }
            let (shortest, longest) = self.faults.delay_us;
            let mut delay = shortest + self.random.below(longest.saturating_sub(shortest) + 1);
            if self.random.chance(self.faults.reorder) {
                delay += self.random.below(10 * longest + 1);
            }
            self.pieces.insert((now + delay, self.sent), piece);
            self.sent += 1;
        }
    }

    fn arrive(&mut self, now: u64) {
        while let Some(entry) = self
            .pieces
            .first_entry()
            .filter(|entry| entry.key().0 <= now)
        {
            self.arrived.extend(entry.remove());
        }
    }
}

/// SplitMix64: small, and the same everywhere.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let word = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        word
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    fn chance(&mut self, probability: f64) -> bool {
        ((self.next() >> 11) as f64) < probability * (1u64 << 53) as f64
    }

    fn corrupt(&mut self, piece: &mut Vec<u8>) {
        let at = self.below(piece.len() as u64) as usize;
        let byte = self.next() as u8;
        match self.below(4) {
            0 if !piece.is_empty() => piece[at] ^= 1 << (byte % 8),
            1 if !piece.is_empty() => drop(piece.remove(at)),
            2 => piece.insert(at, byte),
            _ => piece.truncate(at),
        }
    }
}

fn drain(from: &mut VecDeque<u8>, to: &mut [u8]) -> usize {
    let length = to.len().min(from.len());
    for (slot, byte) in to.iter_mut().zip(from.drain(..length)) {
        *slot = byte;
    }
    length
}

/// A panic in one thread does not spoil bytes in a queue.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
